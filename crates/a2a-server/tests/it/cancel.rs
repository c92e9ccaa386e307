//! Work that is stopped: by CancelTask, or because nobody knows of it yet.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use a2a_server::{AgentExecutor, CancelContext, ExecuteFuture, RequestContext, TaskUpdater};
use a2a_types::{ErrorCode, RpcError};
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::{Running, agent, message};

/// Sets its flag when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn work_that_nobody_knows_of_yet_ends_with_its_request() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let server = Running::agent(agent(move |context, updater| {
        let started = started.clone();
        async move {
            let flag = Arc::new(AtomicBool::new(false));
            let _dropped = Dropped(Arc::clone(&flag));
            if context.text() == "known" {
                updater.working(()).await?;
            }
            started.send((flag, context.task_id.clone()))?;
            std::future::pending().await
        }
    }))
    .await;
    let call = |text: &'static str| {
        let client = server.client.clone();
        tokio::spawn(async move { client.call("SendMessage", message(text, json!({}))).await })
    };
    let unknown = call("unknown");
    let (flag, _) = starts.recv().await.unwrap();
    assert!(!flag.load(Ordering::SeqCst));
    unknown.abort();
    while !flag.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    let known = call("known");
    let (flag, id) = starts.recv().await.unwrap();
    known.abort();
    let _ = known.await;
    let task = server.client.result("GetTask", json!({ "id": id })).await;
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING");
    assert!(!flag.load(Ordering::SeqCst));
    server.client.result("CancelTask", json!({ "id": id })).await;
    assert!(flag.load(Ordering::SeqCst));
    assert_eq!(server.engine.live_tasks(), 0);
}

/// Works until it is cancelled; what it says to that is told by the message.
struct Stubborn {
    asked: AtomicUsize,
}

impl AgentExecutor for Stubborn {
    fn execute(&self, _: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        Box::pin(async move {
            updater.working(()).await?;
            std::future::pending().await
        })
    }

    fn cancel(&self, context: CancelContext) -> ExecuteFuture<'_> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match context.task.history[0].parts[0].as_text().unwrap() {
                "refuse" => Err("not now".into()),
                "own error" => Err(RpcError::new(ErrorCode::UnsupportedOperation, "never").into()),
                "panic" => panic!("a bug"),
                _ => Ok(()),
            }
        })
    }
}

#[tokio::test]
async fn the_agent_is_asked_before_a_task_is_cancelled() {
    let agent = Arc::new(Stubborn { asked: AtomicUsize::new(0) });
    let server = Running::agent(Arc::clone(&agent)).await;
    for (text, expect) in [("agree", 0), ("refuse", -32002), ("own error", -32004), ("panic", -32603)] {
        let mut request = message(text, json!({}));
        request["configuration"] = json!({ "returnImmediately": true });
        let task = server.client.result("SendMessage", request).await;
        let params = json!({ "id": task["task"]["id"] });
        if expect == 0 {
            let cancelled = server.client.result("CancelTask", params.clone()).await;
            assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
            // It is over, so the agent is not asked again.
            server.client.result("CancelTask", params).await;
        } else {
            let error = server.client.error("CancelTask", params.clone()).await;
            assert_eq!(error["code"], expect, "{text}");
            let task = server.client.result("GetTask", params).await;
            assert_eq!(task["status"]["state"], "TASK_STATE_WORKING");
        }
    }
    assert_eq!(agent.asked.load(Ordering::SeqCst), 4);
}
