//! What becomes of tasks when the server is stopped in the middle of them.

use std::sync::Arc;

use a2a_server::{
    AgentExecutor, Caller, MemoryStore, Owner, Recovery, Server, TaskChange, TaskStore, UpdateError,
};
use a2a_types::{Artifact, Message, Part, Role, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::support::{Running, agent, card, gist, gists, message};

/// A store as a process leaves it that is stopped suddenly.
async fn interrupted() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    for (id, state) in [
        ("working", TaskState::Working),
        ("submitted", TaskState::Submitted),
        ("waiting", TaskState::InputRequired),
        ("done", TaskState::Completed),
    ] {
        let mut task = Task::new(id, "c", TaskStatus::new(state));
        task.history.push(Message::new("m", Role::User, vec![Part::text("do it")]));
        store.create(Owner::new("", &Caller::anonymous()), task).await.unwrap();
    }
    store
}

async fn restarted(store: Arc<MemoryStore>, recovery: Recovery, executor: impl AgentExecutor) -> Running {
    let server = Running::start(|url| Server::new(card(url), executor).with_store(store)).await;
    let expect = if recovery == Recovery::Keep { 0 } else { 2 };
    assert_eq!(server.engine.recover(recovery).await.unwrap(), expect);
    while server.engine.live_tasks() > 0 {
        tokio::task::yield_now().await;
    }
    server
}

async fn states(server: &Running) -> Vec<String> {
    let mut states = Vec::new();
    for id in ["working", "submitted", "waiting", "done"] {
        let task = server.client.result("GetTask", json!({ "id": id })).await;
        states.push(gist(&json!({ "task": task })));
    }
    states
}

fn resumable() -> impl AgentExecutor {
    agent(|context, updater| async move {
        assert!(context.resumed && context.task.is_some());
        updater.complete(format!("did {}", context.text())).await?;
        Ok(())
    })
}

#[tokio::test]
async fn unfinished_tasks_fail_are_resumed_or_kept() {
    for (recovery, expect) in [(Recovery::Fail, "task failed []"), (Recovery::Resume, "task completed []")] {
        let server = restarted(interrupted().await, recovery, resumable()).await;
        assert_eq!(states(&server).await, [expect, expect, "task input_required []", "task completed []"]);
    }
    let server = restarted(interrupted().await, Recovery::Keep, resumable()).await;
    let kept = ["task working []", "task submitted []", "task input_required []", "task completed []"];
    assert_eq!(states(&server).await, kept);
}

/// A task at work, in a store that another process has too.
struct Shared {
    store: Arc<MemoryStore>,
    server: Running,
    stream: a2a_testkit::RawResponse,
    id: String,
    /// Lets the agent go on and try to complete the task.
    go: Arc<Notify>,
    completed: mpsc::UnboundedReceiver<Result<(), UpdateError>>,
}

async fn shared() -> Shared {
    let (go, store) = (Arc::new(Notify::new()), Arc::new(MemoryStore::new()));
    let (done, completed) = mpsc::unbounded_channel();
    let gate = Arc::clone(&go);
    let executor = agent(move |_, updater| {
        let (gate, done) = (Arc::clone(&gate), done.clone());
        async move {
            updater.working(()).await?;
            gate.notified().await;
            done.send(updater.complete(()).await)?;
            Ok(())
        }
    });
    let server = Running::start(|url| Server::new(card(url), executor).with_store(store.clone())).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].as_str().unwrap().to_owned();
    assert_eq!(gist(&stream.payload().await.unwrap()), "working");
    Shared { store, server, stream, id, go, completed }
}

#[tokio::test]
async fn a_task_that_another_process_ends_is_over_here_too() {
    let mut shared = shared().await;
    let cancelled = TaskChange::Status { status: Box::new(TaskStatus::new(TaskState::Canceled)) };
    shared.store.update(shared.id.clone(), 2, cancelled).await.unwrap();
    shared.go.notify_one();
    assert_eq!(gists(&shared.stream.payloads().await), ["task canceled []"]);
    assert!(matches!(shared.completed.recv().await.unwrap(), Err(UpdateError::Ended)));
}

#[tokio::test]
async fn a_change_of_another_process_does_not_get_lost() {
    let mut shared = shared().await;
    let artifact = Artifact::new("theirs", vec![Part::text("theirs")]);
    let update = TaskArtifactUpdateEvent::new(shared.id.clone(), "c", artifact);
    shared.store.update(shared.id.clone(), 2, TaskChange::Artifact(Box::new(update))).await.unwrap();
    shared.go.notify_one();
    assert_eq!(gists(&shared.stream.payloads().await), ["task working [theirs]", "completed"]);
    shared.completed.recv().await.unwrap().unwrap();
    let task = shared.server.client.result("GetTask", json!({ "id": shared.id })).await;
    assert_eq!(gist(&json!({ "task": task })), "task completed [theirs]");
}
