//! Connections that are kept for the next exchange with their origin.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{
    Uri,
    uri::{Authority, Scheme},
};
use tokio::{
    runtime::{self, Handle},
    time::Instant,
};

use super::connection::Connection;

/// What a connection leads to, and the runtime that moves it: to another it is of no use, for it stands still when
/// its own does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    scheme: Option<Scheme>,
    authority: Option<Authority>,
    runtime: Option<runtime::Id>,
}

impl Origin {
    /// The origin of a URL, for the current runtime.
    pub(super) fn of(url: &Uri) -> Self {
        let runtime = Handle::try_current().ok().map(|runtime| runtime.id());
        Self { scheme: url.scheme().cloned(), authority: url.authority().cloned(), runtime }
    }
}

/// Whether the runtime may not have looked at a connection since it was used, since it was busy with other things or
/// not at all: then it is [given the chance](catch_up).
pub(super) fn may_be_unnoticed(last_use: Instant) -> bool {
    last_use.elapsed() >= NOTICED_AT_LATEST
}

/// Has the runtime look at its sockets, and run the tasks that wait for them: a program that waits for its user
/// outside of the runtime would find out only by its next message that the peer has closed the connection.
pub(super) async fn catch_up() {
    // It looks when a task yields; other tasks run by the second time.
    for _ in 0..2 {
        tokio::task::yield_now().await;
    }
}

/// What happened less than this ago a network would not have told either.
const NOTICED_AT_LATEST: Duration = Duration::from_millis(1);

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
    /// Whose tasks look after them: the first that gets to run does it for all.
    swept_by: HashSet<runtime::Id>,
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
    pub(super) async fn take(self: &Arc<Self>, origin: &Origin) -> Option<Lease> {
        loop {
            let Idle { mut connection, since } = self.kept().idle.get_mut(origin)?.pop()?;
            if may_be_unnoticed(since) {
                catch_up().await;
            }
            if since.elapsed() < self.idle_timeout && connection.is_idle() {
                return Some(self.lease(connection));
            }
        }
    }

    /// A new connection for an exchange, to be kept afterwards.
    pub(super) fn lease(self: &Arc<Self>, connection: Box<Connection>) -> Lease {
        Lease { connection, pool: Arc::clone(self) }
    }

    fn keep(self: &Arc<Self>, connection: Box<Connection>) {
        if self.max_idle_per_origin == 0 || self.idle_timeout.is_zero() {
            return;
        }
        let mut kept = self.kept();
        let idle = kept.idle.entry(connection.origin.clone()).or_default();
        if idle.len() >= self.max_idle_per_origin {
            return;
        }
        idle.push(Idle { connection, since: Instant::now() });
        // Without a runtime they are looked after when the next one is taken.
        if let Ok(runtime) = Handle::try_current()
            && kept.swept_by.insert(runtime.id())
        {
            let sweeper = Sweeper { pool: Arc::downgrade(self), runtime: runtime.id() };
            // A runtime that shuts down drops it at once.
            drop(kept);
            runtime.spawn(sweeper.sweep(self.idle_timeout));
        }
    }

    /// Closes what is too old or was closed by the peer. Gives how long it takes until the next one is too old, or `None`
    /// if nothing is left for the sweeper of a runtime.
    fn close_stale(&self, runtime: runtime::Id) -> Option<Duration> {
        let (mut stale, mut next) = (Vec::new(), None);
        let mut kept = self.kept();
        kept.idle.retain(|_, idle| {
            let is_stale =
                |idle: &mut Idle| idle.since.elapsed() >= self.idle_timeout || !idle.connection.is_idle();
            stale.extend(idle.extract_if(.., is_stale));
            // The first one is the oldest.
            let oldest = idle.first().map(|idle| self.idle_timeout.saturating_sub(idle.since.elapsed()));
            next = next.into_iter().chain(oldest).min();
            !idle.is_empty()
        });
        if next.is_none() {
            kept.swept_by.remove(&runtime);
        }
        // Closing takes its time: not under the lock.
        drop(kept);
        drop(stale);
        next
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that closes connections nobody uses.
struct Sweeper {
    pool: Weak<Pool>,
    runtime: runtime::Id,
}

impl Sweeper {
    /// Goes on as long as there are any.
    async fn sweep(mut self, idle_timeout: Duration) {
        let mut next = idle_timeout;
        loop {
            tokio::time::sleep(next.clamp(SHORTEST_SWEEP, LONGEST_SWEEP)).await;
            match self.pool.upgrade().and_then(|pool| pool.close_stale(self.runtime)) {
                Some(soon) => next = soon,
                None => break,
            }
        }
        // There may be a successor by now.
        self.pool = Weak::new();
    }
}

impl Drop for Sweeper {
    /// The runtime has ended before the sweeper.
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.kept().swept_by.remove(&self.runtime);
        }
    }
}

/// Limits how often unused connections are looked at.
pub(super) const SHORTEST_SWEEP: Duration = Duration::from_millis(100);
/// Those that the peer has closed are not kept for longer.
const LONGEST_SWEEP: Duration = Duration::from_secs(30);

/// A connection at work. Dropping it closes it.
pub(super) struct Lease {
    connection: Box<Connection>,
    pool: Arc<Pool>,
}

impl Lease {
    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The exchange is over: the connection is kept for another if nothing more is under way on it.
    pub(super) fn give_back(mut self) {
        if self.connection.is_idle() {
            self.pool.keep(self.connection);
        }
    }
}
