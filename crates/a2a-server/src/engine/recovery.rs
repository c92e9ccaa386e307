//! What becomes of tasks whose turn was interrupted by the end of the process.

use std::sync::Arc;

use a2a_types::{Role, SendMessageConfiguration};
use futures::future::join_all;
use http::HeaderMap;
use tokio::sync::oneshot;

use super::{
    Engine,
    driver::{Command, Turn, TurnKind},
    limits::Resource,
    registry::Handle,
};
use crate::{
    auth::Caller,
    executor::RequestContext,
    store::{StoreError, TaskRecord},
};

/// What to do with tasks that were being worked on when the server was stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// They have failed.
    #[default]
    Fail,
    /// The agent is given the last message of each once more, with [`RequestContext::resumed`] set.
    Resume,
    /// They stay as they are: another process that shares the store may be working on them.
    Keep,
}

impl Engine {
    /// Deals with the tasks that an earlier process left unfinished. Gives their number.
    ///
    /// To be called once, before the first request; [`Server::serve`](crate::Server::serve) does.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub async fn recover(&self, recovery: Recovery) -> Result<usize, StoreError> {
        if recovery == Recovery::Keep {
            return Ok(0);
        }
        let records = self.shared.store.unfinished().await?;
        let count = records.len();
        let mut failing = Vec::new();
        for record in records {
            let handle = Handle::open(&self.shared, &record.task.id);
            let turn = match recovery {
                Recovery::Resume => self.interrupted_turn(&record),
                Recovery::Fail | Recovery::Keep => None,
            };
            if let Some(turn) = turn {
                handle.submit(Command::Start(Box::new(turn)));
            } else {
                let (done, failed) = oneshot::channel();
                handle.submit(Command::Fail { owner: record.owner, done });
                failing.push(failed);
            }
        }
        join_all(failing).await;
        Ok(count)
    }

    /// The turn of a task that was interrupted, if it can be repeated.
    fn interrupted_turn(&self, record: &TaskRecord) -> Option<Turn> {
        let mut messages = record.task.history.iter().rev();
        let message = messages.find(|message| message.role == Role::User)?.clone();
        let limit = self.shared.limits.max_running_turns;
        let permit = self.shared.usage.take(Resource::Turn, &record.owner.caller, limit).ok()?;
        let context = RequestContext {
            message,
            task_id: record.task.id.clone(),
            context_id: record.task.context_id.clone(),
            task: None,
            resumed: true,
            configuration: SendMessageConfiguration::default(),
            metadata: None,
            caller: Caller::new(&*record.owner.caller),
            tenant: record.owner.tenant.clone(),
            extensions: Vec::new(),
            legacy: false,
            headers: HeaderMap::new(),
            store: Arc::clone(&self.shared.store),
        };
        let owner = record.owner.clone();
        Some(Turn { kind: TurnKind::Resume, context, owner, subscriber: None, push: None, permit })
    }
}
