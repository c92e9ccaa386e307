//! What the clients of other SDKs do at our server: the scenarios, operations, credentials, and coming back to a
//! stream that they left.

use serde_json::{Value, json};

use super::{
    book::Scenario,
    fleet::{TENANT, TOKEN},
    ours::Target,
    suite::{Row, Run},
    theirs::{Client, Connection, check_turns, orders},
};

/// Scenarios that an agent without streaming can play.
pub(super) const UNARY: [&str; 8] =
    ["echo", "artifact", "two-artifacts", "input", "status", "fail", "snapshot-only", "big"];

/// Says whether what was seen of a conversation is right.
type Judge<'a> = Box<dyn Fn(&[Vec<Value>]) -> Result<(), String> + Send + 'a>;

/// A row: what is ordered, and how what was seen is judged.
struct Order<'a> {
    row: &'static str,
    orders: Vec<Value>,
    judge: Judge<'a>,
}

/// All rows of a client over one binding, in one process.
pub(super) async fn rows(
    run: &Run<'_>,
    client: Client,
    binding: &'static str,
    scenarios: &[&Scenario],
) -> Vec<Row> {
    let at = |name: &str| Target::new(run.fleet.url(name).unwrap_or_default(), binding);
    let connection = Connection::to(&at("ours"));
    let results = client.go_through(run.places, &connection, &run.book, scenarios, true).await;
    let mut rows: Vec<Row> = match results {
        Ok(results) => scenarios.iter().map(|scenario| scenario.name.clone()).zip(results).collect(),
        Err(reason) => return vec![("connect".to_owned(), Err(reason))],
    };
    let mut orders = extras(run, client, &|name| Connection::to(&at(name)));
    orders.retain(|order| run.wants(order.row));
    let all: Vec<Value> = orders.iter().flat_map(|order| &order.orders).cloned().collect();
    if all.is_empty() {
        return rows;
    }
    match client.carry_out(run.places, &all).await {
        Err(reason) => rows.push(("connect".to_owned(), Err(reason))),
        Ok(mut seen) => {
            for order in orders {
                let rest = seen.split_off(order.orders.len().min(seen.len()));
                rows.push((order.row.to_owned(), (order.judge)(&seen)));
                seen = rest;
            }
        }
    }
    rows
}

/// What a client comes to in a row, with another server than ours; none if it has no such row.
pub(super) async fn alike(
    run: &Run<'_>,
    client: Client,
    connection: &Connection,
    row: &str,
) -> Option<Result<(), String>> {
    let order = extras(run, client, &|_| connection.clone()).into_iter().find(|order| order.row == row)?;
    let seen = client.carry_out(run.places, &order.orders).await;
    Some(seen.and_then(|seen| (order.judge)(&seen)))
}

fn extras<'a>(run: &'a Run<'_>, client: Client, at: &dyn Fn(&str) -> Connection) -> Vec<Order<'a>> {
    let say = |text: &str| json!({"fresh": true, "parts": [{"text": text}]});
    let ours = at("ours");
    let mut all = Vec::new();
    let mut order = |row, orders, judge: Judge<'a>| {
        all.push(Order { row, orders, judge });
    };
    if client.sdk != "agentscope" {
        let mut cancelled = say("slow 20");
        cancelled["cancel_after"] = 3.into();
        order(
            "cancel",
            vec![ours.order(), cancelled],
            Box::new(|seen| {
                let seen = seen.last().map(Vec::as_slice).unwrap_or_default();
                let last = seen.iter().rev().find_map(|event| event["status"].as_str());
                let answer = seen.iter().find(|event| event["call"] == "cancel").map(|event| &event["task"]);
                if last == Some("canceled") && answer.is_some_and(|state| state == "canceled") {
                    return Ok(());
                }
                Err(format!("the stream ended as {last:?}, the call was answered with {answer:?}"))
            }),
        );
        let mut left = say("slow 2");
        left["drop_after"] = 3.into();
        order(
            "resume",
            vec![ours.order(), left],
            Box::new(|seen| {
                let seen = seen.last().map(Vec::as_slice).unwrap_or_default();
                let answer =
                    seen.iter().find(|event| event["artifact"] == "answer").map(|event| &event["parts"]);
                let last = seen.last().map(|event| &event["status"]);
                if last.is_some_and(|state| state == "completed")
                    && answer == Some(&json!([{"text": "slow answer"}]))
                {
                    return Ok(());
                }
                Err(format!("ended with {:?}", seen.last()))
            }),
        );
        let mut orders = vec![ours.order(), say("artifact 3"), json!({"call": "get"})];
        let lists = !client.sdk.ends_with("-0.3");
        if lists {
            orders.push(json!({"call": "list"}));
        }
        order(
            "get and list",
            orders,
            Box::new(move |seen| {
                let texts = |event: &Value| {
                    let parts = event["artifacts"]["answer"].as_array().into_iter().flatten();
                    parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect::<String>()
                };
                let got = one(seen, 2)?;
                if got["task"] != "completed" || texts(got) != "chunk-1 chunk-2 chunk-3 " {
                    return Err(format!("got {got}"));
                }
                if lists && one(seen, 3)?["tasks"] != 1 {
                    Err(format!("listed {:?}", seen.last()))
                } else {
                    Ok(())
                }
            }),
        );
        order(
            "not found",
            vec![ours.order(), json!({"call": "get", "id": "no-such-task"})],
            Box::new(|seen| {
                one(seen, 1)?["error"].as_str().map(|_| ()).ok_or_else(|| format!("found {:?}", seen.last()))
            }),
        );
        order(
            "extended card",
            vec![ours.order(), json!({"call": "card"})],
            Box::new(|seen| {
                let skills = &one(seen, 1)?["skills"];
                let found =
                    skills.as_array().is_some_and(|skills| skills.iter().any(|skill| skill == "extended"));
                if found { Ok(()) } else { Err(format!("{:?}", seen.last())) }
            }),
        );
        let url = "http://127.0.0.1:9/hook";
        order(
            "webhooks",
            vec![ours.order(), say("input"), json!({"call": "push", "url": url})],
            Box::new(move |seen| {
                let urls = one(seen, 2)?["urls"].as_array().map(Vec::as_slice).unwrap_or_default();
                if urls.len() >= 2 && urls.iter().all(|found| found == url) {
                    Ok(())
                } else {
                    Err(format!("{:?}", seen.last()))
                }
            }),
        );
    }
    if !client.sdk.ends_with("-0.3") && client.sdk != "agentscope" {
        let orders = vec![at("ours-tenant").order(), say("request")];
        let judge = |seen: &[Vec<Value>]| {
            let line = one(seen, 1)?;
            let text = line["message"][0]["text"].as_str().unwrap_or_default();
            let request: Value = serde_json::from_str(text).unwrap_or_default();
            if request["tenant"] == TENANT {
                Ok(())
            } else {
                Err(format!("the agent saw another tenant: {line}"))
            }
        };
        order("tenant", orders, Box::new(judge));
    }
    let echo = |seen: &[Value]| seen.iter().any(|line| line["message"].is_array() || line["msg"].is_object());
    let bearer = at("ours-bearer");
    let secret = bearer.clone().showing("Authorization", &format!("Bearer {TOKEN}"));
    let orders_of_echo =
        vec![bearer.order(), say("echo hello world"), secret.order(), say("echo hello world")];
    order(
        "bearer",
        orders_of_echo,
        Box::new(move |seen| match (seen.get(1), seen.get(3)) {
            (Some(refused), Some(_)) if echo(refused) => Err("answered without a credential".to_owned()),
            (Some(_), Some(admitted)) if echo(admitted) => Ok(()),
            _ => Err(format!("{:?}", seen.last())),
        }),
    );
    for (row, connection) in
        [("no streaming", at("ours").in_one_piece()), ("no streaming offered", at("ours-bare"))]
    {
        let scenarios: Vec<&Scenario> =
            UNARY.iter().filter_map(|name| run.book.scenario(name).ok()).collect();
        let all = scenarios.iter().flat_map(|scenario| orders(&run.book, scenario));
        let all = std::iter::once(connection.order()).chain(all).collect();
        order(
            row,
            all,
            Box::new(move |seen| {
                let mut seen = seen.iter().skip(1).cloned();
                for scenario in &scenarios {
                    let result = check_turns(client, &run.book, scenario, false, &mut seen);
                    result.map_err(|wrong| format!("{}: {wrong}", scenario.name))?;
                }
                Ok(())
            }),
        );
    }
    all
}

/// The only line that an order brought.
fn one(seen: &[Vec<Value>], at: usize) -> Result<&Value, String> {
    let lines = seen.get(at).map(Vec::as_slice).unwrap_or_default();
    match lines {
        [line] => Ok(line),
        lines => Err(format!("{lines:?}")),
    }
}
