//! Connections that are kept for the next exchange with their origin.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{
    Uri,
    uri::{Authority, Scheme},
};
use tokio::time::Instant;

use super::connection::Connection;

/// What a connection leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Origin(Option<Scheme>, Option<Authority>);

impl Origin {
    pub(super) fn of(url: &Uri) -> Self {
        Self(url.scheme().cloned(), url.authority().cloned())
    }
}

/// Idle connections of HTTP/1.1.
pub(super) struct Pool {
    kept: Mutex<Kept>,
    idle_timeout: Duration,
    max_idle_per_origin: usize,
}

#[derive(Default)]
struct Kept {
    /// The one used last comes last.
    idle: HashMap<Origin, Vec<Idle>>,
    /// Whether a task looks after them.
    is_swept: bool,
}

struct Idle {
    connection: Box<Connection>,
    since: Instant,
}

impl Pool {
    pub(super) fn new(idle_timeout: Duration, max_idle_per_origin: usize) -> Arc<Self> {
        Arc::new(Self { kept: Mutex::default(), idle_timeout, max_idle_per_origin })
    }

    /// A connection for an exchange, if one is kept that can still be used: the one used last.
    pub(super) fn take(self: &Arc<Self>, origin: &Origin) -> Option<Lease> {
        loop {
            let Idle { mut connection, since } = self.kept().idle.get_mut(origin)?.pop()?;
            if since.elapsed() < self.idle_timeout && connection.is_idle() {
                return Some(self.lease(connection));
            }
        }
    }

    /// A new connection for an exchange, to be kept afterwards.
    pub(super) fn lease(self: &Arc<Self>, connection: Box<Connection>) -> Lease {
        Lease { connection, pool: Arc::clone(self) }
    }

    fn keep(self: &Arc<Self>, connection: Box<Connection>, origin: Origin) {
        let mut kept = self.kept();
        let idle = kept.idle.entry(origin).or_default();
        if idle.len() >= self.max_idle_per_origin {
            return;
        }
        idle.push(Idle { connection, since: Instant::now() });
        // Without a runtime they are looked after when the next one is taken.
        if !kept.is_swept
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            kept.is_swept = true;
            runtime.spawn(sweep(Arc::downgrade(self), self.idle_timeout));
        }
    }

    /// Closes what is too old or was closed by the peer, and says whether anything is left.
    fn close_stale(&self) -> bool {
        let mut stale = Vec::new();
        let mut kept = self.kept();
        kept.idle.retain(|_, idle| {
            let is_stale =
                |idle: &mut Idle| idle.since.elapsed() >= self.idle_timeout || !idle.connection.is_idle();
            stale.extend(idle.extract_if(.., is_stale));
            !idle.is_empty()
        });
        kept.is_swept = !kept.idle.is_empty();
        let any_left = kept.is_swept;
        // Closing takes its time: not under the lock.
        drop(kept);
        drop(stale);
        any_left
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes connections nobody uses, as long as there are any.
async fn sweep(pool: Weak<Pool>, idle_timeout: Duration) {
    loop {
        tokio::time::sleep(idle_timeout.max(SHORTEST_SWEEP)).await;
        if !pool.upgrade().is_some_and(|pool| pool.close_stale()) {
            return;
        }
    }
}

const SHORTEST_SWEEP: Duration = Duration::from_millis(100);

/// A connection at work. Dropping it closes it.
pub(super) struct Lease {
    connection: Box<Connection>,
    pool: Arc<Pool>,
}

impl Lease {
    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The exchange with an origin is over: the connection is kept for another if nothing more is under way on it.
    pub(super) fn give_back(mut self, origin: Origin) {
        if self.connection.is_idle() {
            self.pool.keep(self.connection, origin);
        }
    }
}
