//! A place in a script where it waits for the test.

use tokio::sync::watch;

/// Closed at first; what waits at it goes on once it is open. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    open: watch::Sender<bool>,
    arrived: watch::Sender<usize>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self { open: watch::Sender::new(false), arrived: watch::Sender::new(0) }
    }

    /// Opens the gate, for good.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until the gate is open.
    pub async fn pass(&self) {
        self.arrived.send_modify(|arrived| *arrived += 1);
        let mut open = self.open.subscribe();
        // Fails only without senders, and this is one.
        let _ = open.wait_for(|open| *open).await;
    }

    /// Waits until somebody has come to the gate.
    pub async fn reached(&self) {
        let mut arrived = self.arrived.subscribe();
        let _ = arrived.wait_for(|arrived| *arrived > 0).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
