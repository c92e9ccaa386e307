//! Many agents on one transport at the same time.

use std::sync::Arc;

use a2a_agent::{A2aAgent, AgentCard, ClientOptions, HttpClient, HttpConfig, Transport};
use a2a_testkit::{Exchange, Gate, Loopback};
use a2a_types::AgentInterface;
use futures::future::join_all;

const AGENTS: usize = 1_000;
const CHUNKS: usize = 50;

fn event(payload: &str) -> String {
    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{payload}}}\n\n")
}

/// Status, 50 chunks in a few writes, and the end; the gate holds all streams open at once.
fn conversation(gate: &Gate) -> Exchange {
    let working =
        r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let done = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}"#;
    let chunk = |number: usize| {
        let artifact = format!(r#"{{"artifactId":"a","parts":[{{"text":"{number} "}}]}}"#);
        event(&format!(
            r#"{{"artifactUpdate":{{"taskId":"t","contextId":"c","append":true,"artifact":{artifact}}}}}"#
        ))
    };
    let chunks: Vec<String> = (0..CHUNKS).map(chunk).collect();
    let (first, rest) = chunks.split_at(CHUNKS / 2);
    Exchange::on("POST /rpc")
        .event_stream([event(working).as_str()])
        .chunk(&first.concat())
        .wait(gate)
        .chunk(&rest.concat())
        .chunk(&event(done))
        .end()
        .times(usize::MAX)
}

/// Resident memory of this process, in KiB; `None` where there is no `/proc`.
fn resident_kib() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_agents_share_one_transport() {
    let gate = Gate::new();
    let server = Loopback::start([conversation(&gate)]).await;
    let interface = AgentInterface::new(server.url("/rpc"), AgentInterface::JSONRPC, "1.0");
    let mut card = AgentCard::new("Crowd", vec![interface]);
    card.capabilities.streaming = Some(true);
    let http = HttpClient::new(HttpConfig::default()).unwrap();
    let transport: Arc<dyn Transport> =
        a2a_transport::connect(&card, &http, ClientOptions::default()).unwrap();

    let before = resident_kib();
    let mut agents: Vec<A2aAgent> = (0..AGENTS)
        .map(|_| A2aAgent::builder(card.clone()).transport(Arc::clone(&transport)).build().unwrap())
        .collect();
    let idle = resident_kib();

    let replies = join_all(agents.iter_mut().map(|agent| agent.reply("hi")));
    let all_open = async {
        while server.requests().len() < AGENTS {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let streaming = resident_kib();
        gate.open();
        streaming
    };
    let (replies, streaming) = tokio::join!(replies, all_open);

    let expected: String = (0..CHUNKS).map(|number| format!("{number} ")).collect();
    for reply in replies {
        assert_eq!(reply.unwrap().text_content(), expected);
    }
    if let (Some(before), Some(idle), Some(streaming)) = (before, idle, streaming) {
        println!(
            "{AGENTS} agents: {} KiB each when idle; {} KiB more per stream, both ends of the connection included; \
             {} connections",
            idle.saturating_sub(before) / AGENTS,
            streaming.saturating_sub(idle) / AGENTS,
            server.opened_connections(),
        );
    }
    assert_eq!(server.opened_connections(), AGENTS, "a stream has a connection of its own");

    // The next round uses the connections that were kept.
    let replies = join_all(agents.iter_mut().take(50).map(|agent| agent.reply("again"))).await;
    assert!(replies.into_iter().all(|reply| reply.unwrap().text_content() == expected));
    assert_eq!(server.opened_connections(), AGENTS, "connections are used again");
}
