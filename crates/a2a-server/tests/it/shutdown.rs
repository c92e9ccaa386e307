//! How a server stops.

use std::{sync::Arc, time::Duration};

use a2a_server::{HttpOptions, Server};
use serde_json::json;
use tokio::{net::TcpStream, sync::Notify};

use crate::support::{Running, agent, card, gist, gists, message};

#[tokio::test]
async fn open_streams_may_end_and_idle_ones_do_at_once() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let mut server = Running::agent(agent(move |context, updater| {
        let gate = Arc::clone(&gate);
        async move {
            if context.text() == "ask" {
                updater.input_required(()).await?;
                return Ok(());
            }
            updater.working(()).await?;
            gate.notified().await;
            updater.complete("at last").await?;
            Ok(())
        }
    }))
    .await;
    let waiting = server.client.result("SendMessage", message("ask", json!({}))).await;
    let mut idle = server.client.call("SubscribeToTask", json!({ "id": waiting["task"]["id"] })).await;
    idle.payload().await.unwrap();
    let mut running = server.client.call("SendStreamingMessage", message("work", json!({}))).await;
    running.payload().await.unwrap();
    running.payload().await.unwrap();
    server.stop();
    assert_eq!(idle.payload().await, None);
    // Nobody new is let in.
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go.notify_one();
    assert_eq!(gists(&running.payloads().await), ["completed at last"]);
    server.stopped().await;
}

#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let mut options = HttpOptions::default();
    options.shutdown_grace = Duration::from_millis(100);
    let endless = agent(|_, updater| async move {
        updater.working("forever").await?;
        std::future::pending().await
    });
    let server = Running::start(|url| Server::new(card(url), endless).with_http(options)).await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    assert_eq!(gist(&stream.payload().await.unwrap()), "task submitted []");
    server.stopped().await;
}

#[tokio::test]
async fn a_waiting_task_that_was_running_when_the_server_stops_ends_its_streams() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let mut server = Running::agent(agent(move |_, updater| {
        let gate = Arc::clone(&gate);
        async move {
            updater.working(()).await?;
            gate.notified().await;
            updater.input_required("more").await?;
            Ok(())
        }
    }))
    .await;
    let mut stream = server.client.call("SendStreamingMessage", message("x", json!({}))).await;
    let id = stream.payload().await.unwrap()["task"]["id"].clone();
    stream.payload().await.unwrap();
    let mut subscribed = server.client.call("SubscribeToTask", json!({ "id": id })).await;
    subscribed.payload().await.unwrap();
    server.stop();
    tokio::time::sleep(Duration::from_millis(50)).await;
    go.notify_one();
    assert_eq!(gists(&stream.payloads().await), ["input_required more"]);
    assert_eq!(gists(&subscribed.payloads().await), ["input_required more"]);
    server.stopped().await;
}
