//! What a turn may do, and how it ends.

use std::sync::Arc;

use a2a_server::{BoxError, RequestContext, UpdateError, text_agent};
use a2a_types::{Artifact, ErrorCode, Part, RpcError, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus};
use futures::stream;
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::support::{Running, agent, gist, gists, message};

#[tokio::test]
async fn however_a_turn_ends_the_server_goes_on() {
    let server = Running::agent(agent(|context, updater| async move {
        match context.text().as_str() {
            "panic" => panic!("a bug"),
            "panic later" => {
                updater.working(()).await?;
                panic!("a bug")
            }
            "error" => return Err("out of luck".into()),
            "error later" => {
                updater.working(()).await?;
                return Err("out of luck".into());
            }
            "own error" => return Err(RpcError::new(ErrorCode::InvalidParams, "no such place").into()),
            "nothing" => {}
            "half" => updater.working("well").await?,
            "error after the end" => {
                updater.complete("fine").await?;
                return Err("too late".into());
            }
            "auth" => updater.auth_required("Sign in, please").await?,
            "submit" => {
                updater.submit().await?;
                updater.complete(()).await?;
            }
            other => updater.reply(other).await?,
        }
        Ok(())
    }))
    .await;
    for (text, expect) in [
        ("panic", &["task submitted []", "failed the agent failed unexpectedly"][..]),
        ("panic later", &["task submitted []", "working", "failed the agent failed unexpectedly"]),
        ("error", &["task submitted []", "failed out of luck"]),
        ("error later", &["task submitted []", "working", "failed out of luck"]),
        ("half", &["task submitted []", "working well", "failed the agent ended without a result"]),
        ("error after the end", &["task submitted []", "completed fine"]),
        ("auth", &["task submitted []", "auth_required Sign in, please"]),
        ("submit", &["task submitted []", "completed"]),
        ("hello", &["message hello"]),
    ] {
        let mut stream = server.client.call("SendStreamingMessage", message(text, json!({}))).await;
        assert_eq!(gists(&stream.payloads().await), expect, "{text}");
    }
    for (text, code) in [("own error", -32602), ("nothing", -32006)] {
        for method in ["SendMessage", "SendStreamingMessage"] {
            assert_eq!(server.client.error(method, message(text, json!({}))).await["code"], code, "{text}");
        }
    }
    assert_eq!(server.engine.live_tasks(), 0);
}

#[tokio::test]
async fn updates_that_break_the_rules_are_refused_and_change_nothing() {
    let server = Running::agent(agent(|context, updater| async move {
        let invalid = |result: Result<(), UpdateError>| {
            assert!(matches!(result, Err(UpdateError::Invalid(_))), "{result:?}")
        };
        let ended = |result: Result<(), UpdateError>| {
            assert!(matches!(result, Err(UpdateError::Ended)), "{result:?}")
        };
        let chunk = |id: &str, parts: Vec<Part>, append| {
            let mut update = TaskArtifactUpdateEvent::new("", "", Artifact::new(id, parts));
            update.append = append;
            update
        };
        let stateless = Task::new("", "", TaskStatus::new(TaskState::Unspecified));
        invalid(updater.publish(stateless.clone()).await);
        if context.text() == "reply" {
            updater.reply("one").await?;
            invalid(updater.reply("two").await);
            invalid(updater.working(()).await);
            return Ok(());
        }
        updater.working(()).await?;
        invalid(updater.reply("a message").await);
        invalid(updater.submit().await);
        invalid(updater.publish(stateless).await);
        invalid(updater.status(TaskState::Unspecified, ()).await);
        invalid(updater.status(TaskState::Other("TASK_STATE_RUNNING".to_owned()), ()).await);
        invalid(updater.publish(chunk("a", vec![Part::text("x")], true)).await);
        invalid(updater.publish(chunk("", vec![Part::text("x")], false)).await);
        invalid(updater.publish(chunk("a", vec![], false)).await);
        updater.publish(chunk("a", vec![Part::text("x")], false)).await?;
        updater.publish(chunk("a", vec![Part::text("y")], true)).await?;
        updater.complete(()).await?;
        ended(updater.working(()).await);
        ended(updater.complete(()).await);
        ended(updater.publish(chunk("b", vec![Part::text("x")], false)).await);
        Ok(())
    }))
    .await;
    let result = server.client.result("SendMessage", message("task", json!({}))).await;
    assert_eq!(gist(&result), "task completed [xy]");
    let result = server.client.result("SendMessage", message("reply", json!({}))).await;
    assert_eq!(gist(&result), "message one");
}

#[tokio::test]
async fn an_updater_ends_with_its_turn() {
    let (kept, mut keep) = mpsc::unbounded_channel();
    let server = Running::agent(agent(move |_, updater| {
        let kept = kept.clone();
        async move {
            updater.input_required(()).await?;
            kept.send(updater)?;
            Ok(())
        }
    }))
    .await;
    let result = server.client.result("SendMessage", message("x", json!({}))).await;
    let updater = keep.recv().await.unwrap();
    assert!(matches!(updater.complete(()).await, Err(UpdateError::Ended)));
    let id = &result["task"]["id"];
    // Nor can it meddle with a later turn.
    server.client.result("SendMessage", message("y", json!({ "taskId": id }))).await;
    assert!(matches!(updater.complete(()).await, Err(UpdateError::Ended)));
    drop((updater, keep.recv().await));
    assert_eq!(server.engine.live_tasks(), 0);
}

#[tokio::test]
async fn artifacts_are_replaced_appended_and_put_into_snapshots() {
    let server = Running::agent(agent(|_, updater| async move {
        updater.add_artifact(Artifact::new("a", vec![Part::text("draft")])).await?;
        updater.add_artifact(Artifact::new("a", vec![Part::text("final")])).await?;
        let mut writer = updater.artifact("b").with_name("B").with_description("the second");
        writer.chunk("1").await?;
        writer.last_chunk("2").await?;
        let mut snapshot = Task::new("", "", TaskStatus::new(TaskState::Working));
        snapshot.artifacts = vec![Artifact::new("c", vec![Part::text("only")])];
        updater.publish(snapshot).await?;
        updater.complete(()).await?;
        Ok(())
    }))
    .await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let payloads = stream.payloads().await;
    assert_eq!(
        gists(&payloads),
        [
            "task submitted []",
            "artifact=draft",
            "artifact=final",
            "artifact=1",
            "artifact+2",
            "task working [only]",
            "completed"
        ]
    );
    assert_eq!(payloads[3]["artifactUpdate"]["artifact"]["name"], "B");
    assert_eq!(payloads[5]["task"]["history"], payloads[0]["task"]["history"]);
    let task = server.client.result("GetTask", json!({ "id": payloads[0]["task"]["id"] })).await;
    assert_eq!(task["artifacts"], json!([{ "artifactId": "c", "parts": [{ "text": "only" }] }]));
    assert_eq!(task["history"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn messages_wait_for_a_busy_task_and_come_in_order() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let server = Running::agent(agent(move |context, updater| {
        let gate = Arc::clone(&gate);
        async move {
            updater.working(context.text()).await?;
            gate.notified().await;
            if context.text() == "end" {
                updater.complete(()).await?
            } else {
                updater.input_required(()).await?
            }
            Ok(())
        }
    }))
    .await;
    let mut first = server.client.call("SendStreamingMessage", message("one", json!({}))).await;
    let id = first.payload().await.unwrap()["task"]["id"].clone();
    assert_eq!(gist(&first.payload().await.unwrap()), "working one");
    let send = |text: &'static str| {
        let (client, id) = (server.client.clone(), id.clone());
        tokio::spawn(async move {
            client.call("SendStreamingMessage", message(text, json!({ "taskId": id }))).await
        })
    };
    let second = send("two");
    // So that they arrive in this order.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let third = send("end");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let fourth = send("late");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    go.notify_one();
    assert_eq!(gists(&first.payloads().await), ["input_required"]);
    go.notify_one();
    assert_eq!(
        gists(&second.await.unwrap().payloads().await),
        ["task working []", "working two", "input_required"]
    );
    go.notify_one();
    assert_eq!(
        gists(&third.await.unwrap().payloads().await),
        ["task working []", "working end", "completed"]
    );
    let late = fourth.await.unwrap().json().await;
    assert_eq!(late["error"]["code"], -32004);
    let task = server.client.result("GetTask", json!({ "id": id })).await;
    let texts: Vec<_> =
        task["history"].as_array().unwrap().iter().map(|m| m["parts"][0]["text"].clone()).collect();
    // Each message, and what was said of it when the next status came.
    assert_eq!(texts, ["one", "one", "two", "two", "end", "end"]);
}

#[tokio::test]
async fn a_call_is_answered_when_the_agent_waits_for_authorisation() {
    let authorised = Arc::new(Notify::new());
    let server = Running::agent(agent({
        let authorised = Arc::clone(&authorised);
        move |_, updater| {
            let authorised = Arc::clone(&authorised);
            async move {
                updater.auth_required("Sign in, please").await?;
                authorised.notified().await;
                updater.complete("thanks").await?;
                Ok(())
            }
        }
    }))
    .await;
    let answer = server.client.result("SendMessage", message("x", json!({}))).await;
    assert_eq!(gist(&answer), "task auth_required []");
    // The turn goes on, and streams with it.
    let mut stream = server.client.call("SubscribeToTask", json!({ "id": answer["task"]["id"] })).await;
    assert_eq!(gist(&stream.payload().await.unwrap()), "task auth_required []");
    authorised.notify_one();
    assert_eq!(gists(&stream.payloads().await), ["completed thanks"]);
}

#[tokio::test]
async fn an_agent_sees_what_it_is_asked_and_what_was_said_before() {
    let (saw, mut seen) = mpsc::unbounded_channel();
    let server = Running::agent(agent(move |context, updater| {
        let saw = saw.clone();
        async move {
            let history = context.history().await?;
            let texts: Vec<String> = history
                .iter()
                .map(|message| message.parts[0].as_text().unwrap_or_default().to_owned())
                .collect();
            if context.text() == "ask" {
                updater.input_required("which?").await?
            } else {
                updater.complete("done").await?
            }
            saw.send((context, texts))?;
            Ok(())
        }
    }))
    .await;
    let mut request = message("first", json!({ "contextId": "c" }));
    request["configuration"] = json!({ "acceptedOutputModes": ["text/plain"] });
    request["metadata"] = json!({ "k": 1 });
    server.client.result("SendMessage", request).await;
    let (context, texts) = seen.recv().await.unwrap();
    assert_eq!(context.accepted_output_modes(), ["text/plain"]);
    assert_eq!(context.metadata.as_ref().unwrap()["k"], 1);
    assert_eq!((context.context_id.as_str(), context.message.context_id.as_str()), ("c", "c"));
    assert_eq!(context.message.task_id, context.task_id);
    assert!(context.task.is_none() && !context.resumed && texts.is_empty());

    tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    let task = server.client.result("SendMessage", message("ask", json!({ "contextId": "c" }))).await;
    assert_eq!(seen.recv().await.unwrap().1, ["first", "done"]);
    server.client.result("SendMessage", message("this", json!({ "taskId": task["task"]["id"] }))).await;
    let (context, texts) = seen.recv().await.unwrap();
    assert_eq!(texts, ["first", "done", "ask", "which?"]);
    assert_eq!(context.task.unwrap().status.state, TaskState::InputRequired);
}

#[tokio::test]
async fn a_function_from_text_to_text_is_an_agent() {
    let server = Running::agent(text_agent(|context: RequestContext| {
        let mut chunks: Vec<Result<String, BoxError>> = vec![Ok("you said ".to_owned()), Ok(context.text())];
        if context.text() == "fail" {
            chunks.push(Err("no more words".into()));
        }
        stream::iter(chunks)
    }))
    .await;
    let result = server.client.result("SendMessage", message("hello", json!({}))).await;
    assert_eq!(gist(&result), "task completed [you said hello]");
    let result = server.client.result("SendMessage", message("fail", json!({}))).await;
    assert_eq!(gist(&result), "task failed [you said fail]");
}

#[tokio::test]
async fn a_subscriber_that_falls_behind_begins_again_with_a_snapshot() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let executor = agent(move |_, updater| {
        let gate = Arc::clone(&gate);
        async move {
            let mut writer = updater.artifact("a");
            writer.chunk("0").await?;
            gate.notified().await;
            for number in 1..100 {
                writer.chunk(number.to_string().as_str()).await?;
            }
            gate.notified().await;
            updater.complete(()).await?;
            Ok(())
        }
    });
    let server = Running::start(|url| {
        let mut limits = a2a_server::Limits::default();
        limits.max_queued_events = 8;
        a2a_server::Server::new(crate::support::card(url), executor).with_limits(limits)
    })
    .await;
    use futures::StreamExt as _;
    let request = serde_json::from_value(message("x", json!({}))).unwrap();
    let mut updates =
        server.engine.send_streaming_message(request, a2a_server::Call::default()).await.unwrap();
    let next = async |updates: &mut a2a_server::UpdateStream| {
        let update = updates.next().await?.unwrap();
        Some(gist(&serde_json::from_str(update.json()).unwrap()))
    };
    assert_eq!(next(&mut updates).await.unwrap(), "task submitted []");
    assert_eq!(next(&mut updates).await.unwrap(), "artifact=0");
    go.notify_one();
    // The agent writes all of its chunks; nobody reads them.
    let all: String = (0..100).map(|number: i32| number.to_string()).collect();
    let snapshot = format!("task submitted [{all}]");
    let id = server.client.result("ListTasks", json!({})).await["tasks"][0]["id"].clone();
    loop {
        let task = server.client.result("GetTask", json!({ "id": id })).await;
        if gist(&json!({ "task": task })) == snapshot {
            break;
        }
    }
    assert_eq!(next(&mut updates).await.unwrap(), snapshot);
    go.notify_one();
    assert_eq!(next(&mut updates).await.unwrap(), "completed");
    assert_eq!(next(&mut updates).await, None);
}
