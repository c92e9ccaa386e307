//! The agent's end of a turn.

use a2a_types::StreamResponse;
use tokio::sync::oneshot;

use super::{driver::Command, record::UpdateError, registry::Handle};

/// Lets the agent report updates while its turn lasts.
#[derive(Debug, Clone)]
pub(crate) struct TurnHandle {
    handle: Handle,
    turn: u64,
}

impl TurnHandle {
    pub(super) fn begin(handle: Handle) -> Self {
        let turn = handle.begin_turn();
        Self { handle, turn }
    }

    pub(crate) fn task_id(&self) -> &str {
        self.handle.id()
    }

    pub(crate) async fn publish(&self, update: StreamResponse) -> Result<(), UpdateError> {
        let (done, answer) = oneshot::channel();
        let command = Command::Update { update: Box::new(update), done };
        if !self.handle.submit_to_turn(self.turn, command) {
            return Err(UpdateError::Ended);
        }
        answer.await.unwrap_or(Err(UpdateError::Ended))
    }
}
