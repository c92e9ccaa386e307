//! Commands other than `send` and `chat`.

use a2a_testkit::{Exchange, Loopback};
use serde_json::{Value, json};

use crate::{
    peer::{card, methods, peer, result, stream, task, text},
    program::{run, serve},
};

#[tokio::test]
async fn the_demo_plans_a_trip() {
    let plan = run(["demo"]).await;
    assert_eq!(plan.code, 0, "{plan:?}");
    assert!(plan.out.starts_with("A weekend in Hangzhou\n\nDay 1. "), "{plan:?}");
    assert!(plan.out.contains("\n\nDay 2. ") && plan.out.ends_with(".\n"), "{plan:?}");

    let other = run(["demo", "Three", "days in", "Oslo, with kids"]).await;
    assert!(other.out.starts_with("3 days in Oslo, kid-friendly\n"), "{other:?}");
    let question = run(["demo", "Plan me a trip."]).await;
    assert_eq!((question.code, &*question.out), (0, "Where would you like to go?\n"));
}

#[tokio::test]
async fn the_demo_prints_events() {
    let events = run(["demo", "--events", "Plan a trip to Oslo"]).await;
    let lines = events.lines();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds.first(), Some(&"REPLY_START"));
    assert_eq!(kinds.last(), Some(&"REPLY_END"));
    let deltas: Vec<&str> = lines.iter().filter_map(|line| line["delta"].as_str()).collect();
    assert!(deltas.len() > 50, "{}", deltas.len());
    let msg = &lines.last().unwrap()["msg"];
    assert_eq!(msg["finished_reason"], "completed");
    assert_eq!(msg["content"][0]["text"], deltas.concat());

    let message = run(["demo", "--json", "Plan a trip to Oslo"]).await;
    assert_eq!(message.lines().len(), 1);
    assert_eq!(message.lines()[0]["content"][0]["text"], msg["content"][0]["text"]);
}

#[tokio::test]
async fn a_card_is_shown_with_what_is_used_and_what_is_wrong() {
    let server = peer([]).await;
    let url = server.url("");
    let shown = run(["card", &url]).await;
    assert_eq!(shown.code, 0, "{shown:?}");
    for part in ["Tide Desk 3.1\n", "JSONRPC 1.0", "<- used", "Tides (tide)  [sea]", "streaming"] {
        assert!(shown.out.contains(part), "{part}: {shown:?}");
    }
    assert!(!shown.out.contains("Departures"), "{shown:?}");

    let pinned = run(["card", &url, "--binding", "http-json"]).await;
    assert!(pinned.code == 0 && pinned.out.contains("(not wanted)"), "{pinned:?}");

    let json = run(["card", &url, "--json"]).await;
    assert_eq!(json.out, format!("{}\n", card(&server.url("/rpc"))));
}

/// The card and the key of the specification's example.
fn signed_card() -> (Value, Value) {
    let mut vector: Value = serde_json::from_str(include_str!("../data/signed-card.json")).unwrap();
    (vector["card"].take(), vector["jwk"].take())
}

#[tokio::test]
async fn a_card_is_checked_with_the_keys_that_are_trusted() {
    let (signed, jwk) = signed_card();
    let mut other = jwk.clone();
    other["kid"] = "other".into();
    let file = |keys: Value| {
        let file =
            std::env::temp_dir().join(format!("a2a-keys-{}-{}.json", std::process::id(), keys[0]["kid"]));
        std::fs::write(&file, json!({ "keys": keys }).to_string()).unwrap();
        file.display().to_string()
    };
    let (trusted, strange, none) = (file(json!([jwk])), file(json!([other])), file(json!([])));
    let mut forged = signed.clone();
    forged["name"] = "Someone else".into();

    for (card, keys, code, line) in [
        (&signed, None, 0, "Signatures    by key demo-1, ES256 (not checked)\n"),
        (&signed, Some(&trusted), 0, "Signatures    valid, by the trusted key demo-1, ES256\n"),
        (
            &signed,
            Some(&strange),
            5,
            "Signatures    NOT VALID: the card has no valid signature: no key \"demo-1\"\n",
        ),
        (
            &forged,
            Some(&trusted),
            5,
            "Signatures    NOT VALID: the card has no valid signature: not what was signed\n",
        ),
    ] {
        let server = Loopback::start([Exchange::any().times(9).json(&card.to_string())]).await;
        let url = server.url("");
        let jwks = keys.map(|keys| ["--jwks", keys]);
        let shown = run(["card", &url].into_iter().chain(jwks.into_iter().flatten())).await;
        assert!(shown.code == code && shown.out.contains(line), "{line}: {shown:?}");
        if code != 0 {
            assert!(shown.err.contains("the card is not verified: "), "{shown:?}");
            let refused = run(["send", &url, "hi", "--events", "--jwks", keys.unwrap()]).await;
            assert_eq!((refused.code, &refused.error()["kind"]), (5, &json!("card")), "{refused:?}");
            assert!(server.request_lines().iter().all(|line| line.starts_with("GET")));
        }
    }
    for keys in [&none, "/nowhere/keys.json"] {
        let refused = run(["card", "http://127.0.0.1:1", "--jwks", keys]).await;
        assert!(refused.code == 2 && refused.err.contains("--jwks"), "{refused:?}");
    }
    for file in [trusted, strange, none] {
        std::fs::remove_file(file).unwrap();
    }
}

#[tokio::test]
async fn the_demo_agent_demands_the_token_it_is_given() {
    let served = serve(&["--bearer", "k-1", "--v0.3"]).await;
    let without = run(["send", &served.url, "hi", "--events"]).await;
    assert_eq!((without.code, &without.error()["http_status"]), (6, &json!(401)), "{without:?}");
    let with = run(["send", &served.url, "hi", "--bearer", "k-1"]).await;
    assert_eq!(with.code, 0, "{with:?}");
    let shown = run(["card", &served.url]).await;
    assert!(shown.out.contains("HTTP+JSON 0.3") && shown.out.contains("demanded: bearer"), "{shown:?}");
}

#[tokio::test]
async fn tasks_are_printed_as_json() {
    let completed = task("TASK_STATE_COMPLETED")["task"].clone();
    let list = json!({ "tasks": [completed], "nextPageToken": "", "pageSize": 50, "totalSize": 1 });
    let server = peer([result(&completed), result(&completed), result(&list)]).await;
    let url = server.url("");
    let get = run(["task", "get", &url, "t-41", "--json"]).await;
    assert_eq!(get.lines(), std::slice::from_ref(&completed));
    let pretty = run(["task", "cancel", &url, "t-41"]).await;
    assert!(pretty.out.starts_with("{\n") && pretty.code == 0, "{pretty:?}");
    let listed = run(["task", "list", &url, "--context", "c-9", "--status", "completed", "--json"]).await;
    assert_eq!(listed.lines(), [list]);
    assert_eq!(methods(&server), ["GetTask", "CancelTask", "ListTasks"]);
    let request = server.requests().last().unwrap().json();
    assert_eq!(request["params"], json!({ "contextId": "c-9", "status": "TASK_STATE_COMPLETED" }));
}

#[tokio::test]
async fn a_task_is_followed_as_a_reply() {
    let payloads = [task("TASK_STATE_WORKING"), text("high water", false), task("TASK_STATE_COMPLETED")];
    let server = peer([stream(&payloads).end()]).await;
    let followed = run(["task", "subscribe", &server.url(""), "t-41"]).await;
    assert_eq!((followed.code, &*followed.out), (0, "high water\n"), "{followed:?}");
    assert_eq!(methods(&server), ["SubscribeToTask"]);
}

#[tokio::test]
async fn help_version_and_completions_are_there() {
    let help = run(["--help"]).await;
    assert!(help.code == 0 && help.out.contains("Exit codes: 0 completed"), "{help:?}");
    let version = run(["--version"]).await;
    assert_eq!(version.out, format!("a2a {}\n", env!("CARGO_PKG_VERSION")));
    for shell in ["bash", "zsh", "fish"] {
        let script = run(["completions", shell]).await;
        assert!(script.code == 0 && script.out.contains("a2a"), "{shell}");
    }
    let nothing = run::<&str>([]).await;
    assert!(nothing.code == 2 && nothing.err.contains("Usage"), "{nothing:?}");
}

#[tokio::test]
async fn what_is_not_built_in_is_a_clear_error() {
    let server = peer([]).await;
    for args in [vec!["serve", "--grpc-port", "0"], vec!["card", &server.url(""), "--binding", "grpc"]] {
        let run = run(args).await;
        assert!(run.code == 2 && run.err.contains("gRPC"), "{run:?}");
    }
}
