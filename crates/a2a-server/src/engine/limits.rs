//! How much callers may use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a2a_types::{ErrorCode, RpcError};

/// Limits of an [`Engine`](crate::Engine). The defaults suit a small server that trusts its callers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Messages that agents work on at the same time, per caller. Default 10,000.
    pub max_running_turns: usize,
    /// Open streams, per caller. Default 10,000.
    pub max_streams: usize,
    /// Events that wait for one subscriber. One that falls behind further loses them, and is sent the whole
    /// task in their place. Default 256.
    pub max_queued_events: usize,
    /// Messages that wait until the agent has done with the one before, per task. Default 16.
    pub max_waiting_messages: usize,
    /// Push configurations per task. Default 16.
    pub max_push_configs: usize,
    /// Content of one task, in bytes: history and artifacts. Default 64 MiB.
    pub max_task_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_running_turns: 10_000,
            max_streams: 10_000,
            max_queued_events: 256,
            max_waiting_messages: 16,
            max_push_configs: 16,
            max_task_bytes: 64 << 20,
        }
    }
}

/// Something of which a caller may have only so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Resource {
    Turn,
    Stream,
}

/// What callers use now.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    counts: Arc<Mutex<HashMap<(Resource, String), usize>>>,
}

impl Usage {
    fn lock(&self) -> MutexGuard<'_, HashMap<(Resource, String), usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take(&self, resource: Resource, caller: &str, limit: usize) -> Result<Permit, RpcError> {
        let key = (resource, caller.to_owned());
        let mut counts = self.lock();
        let count = counts.entry(key.clone()).or_default();
        if *count >= limit {
            let what = match resource {
                Resource::Turn => "running tasks",
                Resource::Stream => "open streams",
            };
            let message = format!("too many {what}: the limit is {limit}, try again later");
            return Err(RpcError::new(ErrorCode::InternalError, message));
        }
        *count += 1;
        Ok(Permit { usage: self.clone(), key })
    }
}

/// One use; given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    usage: Usage,
    key: (Resource, String),
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.usage.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}
