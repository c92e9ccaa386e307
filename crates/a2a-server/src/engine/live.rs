//! A task that somebody works on or follows: its inbox, and the fan-out of what happens to it.
//!
//! Everything that changes a task goes through its inbox and is done by one driver at a time, so that there
//! is one order of events. The driver publishes each of them to the queue of every subscriber. A queue is
//! bounded: a subscriber that falls behind loses its queue and begins again with a snapshot from the store,
//! as somebody who subscribes late does.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    task::{Context, Poll, Waker},
};

use a2a_types::{RpcError, StreamResponse};

use super::driver::Command;

/// What happened to a task, shared by all that follow it.
#[derive(Debug)]
pub(crate) struct Event {
    /// Version of the task that has it; 0 if it is not about a stored task.
    version: u64,
    payload: Result<StreamResponse, RpcError>,
    json: OnceLock<String>,
}

impl Event {
    pub(super) fn new(version: u64, payload: StreamResponse) -> Arc<Self> {
        Arc::new(Self { version, payload: Ok(payload), json: OnceLock::new() })
    }

    pub(super) fn error(error: RpcError) -> Arc<Self> {
        Arc::new(Self { version: 0, payload: Err(error), json: OnceLock::new() })
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn payload(&self) -> Result<&StreamResponse, &RpcError> {
        self.payload.as_ref()
    }

    /// The payload as JSON, written once for all subscribers.
    pub(crate) fn json(&self) -> &str {
        self.json.get_or_init(|| match &self.payload {
            Ok(payload) => crate::json::to_line(payload),
            Err(error) => crate::json::to_line(error),
        })
    }
}

/// Until when a subscriber follows a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    /// One turn, once it begins: to its end, or until the task is over or waits for input.
    Turn,
    /// Until the task is over.
    Task,
    /// Until the task is over or nobody works on it.
    Work,
}

#[derive(Debug)]
struct Subscriber {
    follow: Follow,
    /// For a webhook, the id of its configuration.
    webhook: Option<String>,
    /// Whether its turn has begun.
    active: bool,
    queue: VecDeque<Arc<Event>>,
    /// Whether it must begin again with a snapshot.
    behind: bool,
    /// Whether nothing comes after what is queued.
    done: bool,
    waker: Option<Waker>,
}

/// What a subscriber finds when it looks.
pub(super) enum Next {
    Event(Arc<Event>),
    /// It must read the task from the store; older events than that are then skipped.
    Snapshot,
    End,
}

#[derive(Debug)]
pub(crate) struct LiveTask {
    id: String,
    max_queue: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inbox: VecDeque<Command>,
    /// Whether a driver runs.
    driven: bool,
    driver: Option<Waker>,
    /// The running turn; turns are counted from 1.
    turn: Option<u64>,
    last_turn: u64,
    subscribers: BTreeMap<u64, Subscriber>,
    last_subscriber: u64,
}

impl LiveTask {
    pub(super) fn new(id: String, max_queue: usize) -> Self {
        Self { id, max_queue, state: Mutex::default() }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a command into the inbox. Gives whether a driver must be started.
    #[must_use]
    pub(super) fn submit(&self, command: Command) -> bool {
        let mut state = self.lock();
        state.inbox.push_back(command);
        let waker = state.driver.take();
        let idle = !std::mem::replace(&mut state.driven, true);
        drop(state);
        wake(waker);
        idle
    }

    /// Puts a command of a turn into the inbox. Gives `false`, and drops it, if that turn is over.
    #[must_use]
    pub(super) fn submit_to_turn(&self, turn: u64, command: Command) -> bool {
        let mut state = self.lock();
        if state.turn != Some(turn) {
            return false;
        }
        state.inbox.push_back(command);
        let waker = state.driver.take();
        drop(state);
        wake(waker);
        true
    }

    /// For the driver: the next command. It is woken when there is one.
    pub(super) fn poll_command(&self, cx: &Context<'_>) -> Poll<Command> {
        let mut state = self.lock();
        match state.inbox.pop_front() {
            Some(command) => Poll::Ready(command),
            None => {
                state.driver = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// For the driver: whether it may stop. From then on, the next command needs a new one.
    pub(super) fn rest(&self) -> bool {
        let mut state = self.lock();
        if !state.inbox.is_empty() {
            return false;
        }
        state.driven = false;
        state.driver = None;
        let wakers: Vec<Waker> = state
            .subscribers
            .values_mut()
            .filter(|subscriber| subscriber.follow == Follow::Work)
            .filter_map(|subscriber| subscriber.waker.take())
            .collect();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        true
    }

    /// Begins a turn. Gives its number.
    pub(super) fn begin_turn(&self) -> u64 {
        let mut state = self.lock();
        state.last_turn += 1;
        state.turn = Some(state.last_turn);
        state.last_turn
    }

    /// Ends the turn: nothing more is accepted of it, and who follows it is done.
    pub(super) fn end_turn(&self) {
        let mut state = self.lock();
        state.turn = None;
        // Commands of the turn that were not seen are answered by being dropped.
        state.inbox.retain(|command| !command.is_update());
        state.finish(|subscriber| subscriber.follow == Follow::Turn && subscriber.active);
    }

    /// Gives up on whatever the driver had to do, since it broke down: everybody is told of it.
    pub(super) fn abandon(&self, last: &Arc<Event>) {
        let mut state = self.lock();
        state.driven = false;
        state.driver = None;
        state.turn = None;
        // Whoever waits for an answer to a command learns of it when the command is dropped.
        let commands = std::mem::take(&mut state.inbox);
        for subscriber in state.subscribers.values_mut() {
            subscriber.queue.push_back(Arc::clone(last));
        }
        state.finish(|_| true);
        drop(state);
        drop(commands);
    }

    pub(super) fn subscribe(&self, follow: Follow) -> u64 {
        self.lock().subscribe(follow, None)
    }

    /// Subscribes a webhook from here on, for as long as somebody works on the task. `None` if it is
    /// subscribed already, or nobody works.
    pub(super) fn subscribe_webhook(&self, config_id: &str) -> Option<u64> {
        let mut state = self.lock();
        let known = |subscriber: &Subscriber| subscriber.webhook.as_deref() == Some(config_id);
        let wanted = state.driven && !state.subscribers.values().any(known);
        wanted.then(|| state.subscribe(Follow::Work, Some(config_id.to_owned())))
    }

    /// Begins a subscriber's turn, with these events.
    pub(super) fn activate(&self, id: u64, first: Option<Arc<Event>>) {
        let mut state = self.lock();
        let Some(subscriber) = state.subscribers.get_mut(&id) else { return };
        subscriber.active = true;
        subscriber.queue.extend(first);
        wake(subscriber.waker.take());
    }

    /// Sends one subscriber an event that is its last.
    pub(super) fn close(&self, id: u64, last: Arc<Event>) {
        let mut state = self.lock();
        let Some(subscriber) = state.subscribers.get_mut(&id) else { return };
        subscriber.queue.push_back(last);
        subscriber.done = true;
        wake(subscriber.waker.take());
    }

    pub(super) fn unsubscribe(&self, id: u64) {
        let mut state = self.lock();
        state.subscribers.remove(&id);
        let waker = state.driver.clone();
        drop(state);
        // The driver may have worked for this subscriber alone.
        wake(waker);
    }

    pub(super) fn is_subscribed(&self, id: u64) -> bool {
        self.lock().subscribers.contains_key(&id)
    }

    /// Whether a request waits for its turn, or for the end of it.
    pub(super) fn is_awaited(&self) -> bool {
        self.lock().subscribers.values().any(|subscriber| subscriber.follow == Follow::Turn)
    }

    /// Sends an event to everybody; then who follows up to here is done.
    pub(super) fn publish(&self, event: &Arc<Event>) {
        let mut state = self.lock();
        let mut wakers = Vec::new();
        for subscriber in state.subscribers.values_mut() {
            if !subscriber.active || subscriber.done || subscriber.behind {
                continue;
            }
            if subscriber.queue.len() < self.max_queue {
                subscriber.queue.push_back(Arc::clone(event));
            } else {
                subscriber.queue.clear();
                subscriber.behind = true;
            }
            wakers.extend(subscriber.waker.take());
        }
        match event.payload() {
            Ok(StreamResponse::Message(_)) | Err(_) => state.finish(|subscriber| subscriber.active),
            Ok(payload) => {
                let task_state = match payload {
                    StreamResponse::StatusUpdate(update) => Some(&update.status.state),
                    StreamResponse::Task(task) => Some(&task.status.state),
                    _ => None,
                };
                if task_state.is_some_and(a2a_types::TaskState::is_terminal) {
                    state.finish(|subscriber| subscriber.active);
                } else if task_state == Some(&a2a_types::TaskState::InputRequired) {
                    state.finish(|subscriber| subscriber.follow == Follow::Turn && subscriber.active);
                }
            }
        }
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Ends every subscription that waits for something that may never come: nobody works on the task.
    pub(super) fn close_if_idle(&self) {
        let mut state = self.lock();
        if !state.driven {
            state.finish(|_| true);
        }
    }

    pub(super) fn poll_next(&self, id: u64, cx: &Context<'_>) -> Poll<Next> {
        let mut state = self.lock();
        let driven = state.driven;
        let Some(subscriber) = state.subscribers.get_mut(&id) else { return Poll::Ready(Next::End) };
        if let Some(event) = subscriber.queue.pop_front() {
            return Poll::Ready(Next::Event(event));
        }
        if std::mem::take(&mut subscriber.behind) {
            return Poll::Ready(Next::Snapshot);
        }
        if subscriber.done || (subscriber.follow == Follow::Work && !driven) {
            state.subscribers.remove(&id);
            return Poll::Ready(Next::End);
        }
        subscriber.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl State {
    fn subscribe(&mut self, follow: Follow, webhook: Option<String>) -> u64 {
        self.last_subscriber += 1;
        let subscriber = Subscriber {
            follow,
            webhook,
            active: follow != Follow::Turn,
            queue: VecDeque::new(),
            behind: follow == Follow::Task,
            done: false,
            waker: None,
        };
        self.subscribers.insert(self.last_subscriber, subscriber);
        self.last_subscriber
    }

    /// Marks subscribers as done and wakes them.
    fn finish(&mut self, which: impl Fn(&Subscriber) -> bool) {
        for subscriber in self.subscribers.values_mut().filter(|subscriber| which(subscriber)) {
            subscriber.done = true;
            wake(subscriber.waker.take());
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
