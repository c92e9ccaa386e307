//! The thread that owns the connection.

use std::{io, sync::mpsc, thread};

use rusqlite::{Connection, Savepoint, TransactionBehavior};
use tokio::sync::oneshot;

use crate::store::{StoreError, StoreFuture};

/// Does jobs one after another. Those that wait already become one transaction, and are answered when it is
/// committed.
pub(super) struct Worker {
    jobs: mpsc::Sender<Box<dyn Job>>,
}

impl Worker {
    /// The thread ends with the worker.
    pub(super) fn start(connection: Connection) -> io::Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        thread::Builder::new().name("a2a-sqlite".to_owned()).spawn(move || work(connection, &inbox))?;
        Ok(Self { jobs })
    }

    /// Does a job.
    pub(super) fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Savepoint<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let (done, answer) = oneshot::channel();
        let pending = Pending { job: Some(job), result: None, done };
        let sent = self.jobs.send(Box::new(pending)).is_ok();
        Box::pin(async move {
            let gone = || StoreError::failed("the thread of the database is gone");
            if sent { answer.await.unwrap_or_else(|_| Err(gone())) } else { Err(gone()) }
        })
    }
}

fn work(mut connection: Connection, inbox: &mpsc::Receiver<Box<dyn Job>>) {
    while let Ok(first) = inbox.recv() {
        let mut batch = vec![first];
        batch.extend(inbox.try_iter().take(MAX_BATCH - 1));
        let failure = transact(&mut connection, &mut batch).err().map(|error| error.to_string());
        for job in batch {
            job.answer(failure.as_deref());
        }
    }
}

fn transact(connection: &mut Connection, batch: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        let mut savepoint = transaction.savepoint()?;
        if job.run(&savepoint) {
            savepoint.commit()?;
        } else {
            savepoint.rollback()?;
            savepoint.commit()?;
        }
    }
    transaction.commit()
}

trait Job: Send {
    /// Gives whether what was done is to stay.
    fn run(&mut self, database: &Savepoint<'_>) -> bool;

    /// Tells the result, or that the transaction failed.
    fn answer(self: Box<Self>, failure: Option<&str>);
}

struct Pending<F, T> {
    job: Option<F>,
    result: Option<Result<T, StoreError>>,
    done: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Job for Pending<F, T>
where
    F: FnOnce(&Savepoint<'_>) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn run(&mut self, database: &Savepoint<'_>) -> bool {
        self.result = self.job.take().map(|job| job(database));
        matches!(self.result, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, failure: Option<&str>) {
        let result = match (failure, self.result) {
            (None, Some(result)) => result,
            (failure, _) => {
                Err(StoreError::failed(failure.unwrap_or("the transaction broke off").to_owned()))
            }
        };
        // Whoever asked may be gone.
        let _ = self.done.send(result);
    }
}

const MAX_BATCH: usize = 256;
