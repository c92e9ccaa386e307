//! What is not the agent's to do wrong: stores that panic, processes that share a store, destructors.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex},
};

use a2a_server::{
    MemoryStore, Owner, PushConfig, Server, StoreFuture, TaskChange, TaskPage, TaskQuery, TaskRecord,
    TaskStore,
};
use a2a_types::{Task, TaskState, TaskStatus};
use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{GUARD, Running, agent, card, gist, gists, message};

type Hook = Box<dyn FnOnce(&MemoryStore, &str) + Send>;

/// A store in which something happens whenever a task has been looked up.
#[derive(Default)]
struct Haunted {
    inner: MemoryStore,
    after_get: Mutex<VecDeque<Hook>>,
}

impl Haunted {
    fn after_get(&self, hook: impl FnOnce(&MemoryStore, &str) + Send + 'static) {
        self.after_get.lock().unwrap().push_back(Box::new(hook));
    }
}

impl fmt::Debug for Haunted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl TaskStore for Haunted {
    fn create(&self, owner: Owner, task: Task) -> StoreFuture<'_, ()> {
        self.inner.create(owner, task)
    }

    fn update(&self, id: String, version: u64, change: TaskChange) -> StoreFuture<'_, ()> {
        self.inner.update(id, version, change)
    }

    fn get(&self, owner: Owner, id: String) -> StoreFuture<'_, Option<TaskRecord>> {
        let found = self.inner.get(owner, id.clone());
        let hook = self.after_get.lock().unwrap().pop_front();
        if let Some(hook) = hook {
            hook(&self.inner, &id);
        }
        found
    }

    fn list(&self, query: TaskQuery) -> StoreFuture<'_, TaskPage> {
        self.inner.list(query)
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<TaskRecord>> {
        self.inner.unfinished()
    }

    fn put_push_config(&self, config: PushConfig, limit: usize) -> StoreFuture<'_, ()> {
        self.inner.put_push_config(config, limit)
    }

    fn push_configs(&self, task_id: String) -> StoreFuture<'_, Vec<PushConfig>> {
        self.inner.push_configs(task_id)
    }

    fn delete_push_config(&self, task_id: String, id: String) -> StoreFuture<'_, ()> {
        self.inner.delete_push_config(task_id, id)
    }
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bug in a destructor");
    }
}

async fn serve(store: &Arc<Haunted>) -> Running {
    let working = agent(|context, updater| async move {
        updater.working(()).await?;
        let _bomb = (context.text() == "bomb").then(|| Bomb);
        std::future::pending().await
    });
    Running::start(|url| Server::new(card(url), working).with_store(Arc::clone(store) as _)).await
}

/// Begins a task and gives its stream, after its first update, and its parameters.
async fn begin(server: &Running, text: &str) -> (a2a_testkit::RawResponse, Value) {
    let mut stream = server.client.call("SendStreamingMessage", message(text, json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    assert_eq!(gist(&stream.payload().await.unwrap()), "working");
    (stream, json!({ "id": id }))
}

/// The driver of a task breaks down when the task is cancelled: everybody is told, and the next attempt succeeds.
async fn breaks(server: &Running, mut stream: a2a_testkit::RawResponse, params: Value) {
    assert_eq!(server.client.error("CancelTask", params.clone()).await["code"], -32603);
    let last = stream.event().await.unwrap();
    assert_eq!(last["error"]["code"], -32603, "{last}");
    assert_eq!(stream.block().await, None);
    let none_is_live = async {
        while server.engine.live_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(GUARD, none_is_live).await.unwrap();
    let task = server.client.result("CancelTask", params).await;
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
}

#[tokio::test]
async fn a_store_that_panics_breaks_one_task_only_and_everybody_is_told() {
    let store = Arc::new(Haunted::default());
    let server = serve(&store).await;
    let (stream, params) = begin(&server, "x").await;
    // The first look is the request's own, the second one is the driver's.
    store.after_get(|_, _| {});
    store.after_get(|_, _| panic!("a bug in a store"));
    breaks(&server, stream, params).await;
}

#[tokio::test]
async fn a_request_that_makes_the_store_panic_is_answered() {
    let store = Arc::new(Haunted::default());
    let server = serve(&store).await;
    store.after_get(|_, _| panic!("a bug in a store"));
    let answer = server.client.get("/tasks/x").await;
    assert_eq!(answer.status, 500);
    assert_eq!(answer.json().await["error"]["status"], "INTERNAL");
}

#[tokio::test]
async fn an_agent_whose_destructors_panic_is_cancelled_nevertheless() {
    let server = serve(&Arc::default()).await;
    let (stream, params) = begin(&server, "bomb").await;
    breaks(&server, stream, params).await;
}

#[tokio::test]
async fn a_subscription_that_comes_just_too_late_ends_with_the_task() {
    let store = Arc::new(Haunted::default());
    let server = serve(&store).await;
    let (_stream, params) = begin(&server, "x").await;
    // It runs when the subscriber was told that the task is not over; another process may do this.
    store.after_get(|store, id| {
        let status = Box::new(TaskStatus::new(TaskState::Completed));
        store.update(id.to_owned(), 2, TaskChange::Status { status }).now_or_never().unwrap().unwrap();
    });
    let mut late = server.client.call("SubscribeToTask", params).await;
    assert_eq!(gists(&late.payloads().await), ["task completed []"]);
}

#[tokio::test]
async fn a_subscription_to_a_task_that_was_removed_ends_with_an_error() {
    let store = Arc::new(Haunted { inner: MemoryStore::with_max_tasks(1), ..Haunted::default() });
    let server = serve(&store).await;
    let (_stream, params) = begin(&server, "x").await;
    store.after_get(|store, id| {
        let status = Box::new(TaskStatus::new(TaskState::Completed));
        store.update(id.to_owned(), 2, TaskChange::Status { status }).now_or_never().unwrap().unwrap();
        let other = Task::new("other", "c", TaskStatus::new(TaskState::Working));
        store.create(Owner::default(), other).now_or_never().unwrap().unwrap();
    });
    assert_eq!(server.client.error("SubscribeToTask", params).await["code"], -32001);
}
