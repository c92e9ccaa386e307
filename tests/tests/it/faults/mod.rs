//! A conversation of three turns over connections that fail in every place and in every way. Whatever happens,
//! the replies are those of an undisturbed run, each message arrives once, and the state is right.

mod dialect;
mod peer;

use std::time::Duration;

use a2a_agent::{
    A2aAgent, AgentCard, AgentOptions, ContentBlock, Event, HttpClient, HttpConfig, Msg, RecoveryOptions,
    Source,
};
use a2a_testkit::{Exchange, Gate, Loopback};
use futures::StreamExt as _;

use self::{
    dialect::Dialect,
    peer::{Cut, Peer, SAID},
};

/// How a connection fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// It is closed.
    Close,
    /// It is reset, once the caller has seen an event of the stream: a reset may take with it what was not read.
    Reset,
    /// It goes silent.
    Stall,
}

/// What happens to the connections of one run.
#[derive(Debug, Clone)]
struct Plan {
    dialect: Dialect,
    /// The turn whose stream fails.
    turn: usize,
    failure: Failure,
    cut: Cut,
    /// Where the stream that follows fails too, if it does.
    second_cut: Option<Cut>,
    /// Requests answered with HTTP 503 before the peer is itself again.
    outages: usize,
    /// Bytes written at a time; 0 for all at once.
    width: usize,
}

impl Plan {
    fn new(dialect: Dialect, turn: usize, failure: Failure, bytes: usize) -> Self {
        let cut = Cut { bytes, missed: 0 };
        Self { dialect, turn, failure, cut, second_cut: None, outages: 0, width: 0 }
    }
}

/// A run as a caller sees it.
#[derive(Debug, PartialEq)]
struct Seen {
    replies: Vec<Vec<String>>,
    task_ids: Vec<Option<String>>,
    context_id: Option<String>,
    running: bool,
    said: Vec<String>,
}

/// What an undisturbed run looks like.
fn undisturbed() -> Seen {
    let plan = [
        "text Day 1: 西湖 🌊 walk, then tea.",
        "data map.png AAECAwQFBgc=",
        "url https://example.com/hotel.pdf",
        "text Which month?",
    ];
    let replies = [plan.to_vec(), vec!["text May is green.", "text Enjoy!"], vec!["text Bye."]];
    Seen {
        replies: replies.into_iter().map(|reply| reply.into_iter().map(str::to_owned).collect()).collect(),
        task_ids: vec![Some("t-1".to_owned()), None, None],
        context_id: Some("c-1".to_owned()),
        running: false,
        said: SAID.map(str::to_owned).to_vec(),
    }
}

fn content(message: &Msg) -> Vec<String> {
    let describe = |block: &ContentBlock| match block {
        ContentBlock::Text(block) => format!("text {}", block.text),
        ContentBlock::Data(block) => match &block.source {
            Source::Base64(source) => {
                format!("data {} {}", block.name.as_deref().unwrap_or("-"), source.data)
            }
            Source::Url(source) => format!("url {}", source.url),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    message.content.iter().map(describe).collect()
}

/// The requests that come before the stream of a turn when nothing fails: its predecessors' and the look-up of
/// the waiting task.
fn requests_before(turn: usize) -> usize {
    [0, 2, 3][turn]
}

fn exchanges(plan: &Plan, peer: &Peer, seen: &Gate) -> Vec<Exchange> {
    let honest = |peer: &Peer| {
        let peer = peer.clone();
        Exchange::any().split(plan.width).respond(move |request| peer.answer(request, None))
    };
    let faulty = |peer: &Peer, cut: Cut| {
        let peer = peer.clone();
        let exchange =
            Exchange::any().split(plan.width).respond(move |request| peer.answer(request, Some(cut)));
        match plan.failure {
            Failure::Close => exchange.cut(),
            Failure::Reset => exchange.wait(seen).reset(),
            Failure::Stall => exchange.hold(),
        }
    };
    let mut exchanges = vec![honest(peer); requests_before(plan.turn)];
    exchanges.push(faulty(peer, plan.cut));
    exchanges.extend(plan.second_cut.map(|cut| faulty(peer, cut)));
    exchanges.extend(vec![Exchange::any().status(503, &[], "down"); plan.outages]);
    exchanges.push(honest(peer).times(usize::MAX));
    exchanges
}

async fn agent(server: &Loopback, dialect: Dialect) -> A2aAgent {
    let config = HttpConfig::default().with_stream_idle_timeout(Some(Duration::from_millis(400)));
    let mut card = AgentCard::new("Planner", vec![dialect.interface(&server.url(""))]);
    card.capabilities.streaming = Some(true);
    let recovery =
        RecoveryOptions::default().with_delays(Duration::from_millis(5), Duration::from_millis(20));
    A2aAgent::builder(card)
        .http(HttpClient::new(config).unwrap())
        .options(AgentOptions::default().with_recovery(recovery))
        .build()
        .unwrap()
}

async fn run(plan: Plan) -> Seen {
    let peer = Peer::new(plan.dialect);
    let seen = Gate::new();
    let server = Loopback::start(exchanges(&plan, &peer, &seen)).await;
    let mut agent = agent(&server, plan.dialect).await;
    let (mut replies, mut task_ids) = (Vec::new(), Vec::new());
    for (turn, said) in SAID.into_iter().enumerate() {
        let reply = async {
            let mut reply = agent.reply_stream(said);
            while let Some(event) = reply.next().await {
                if turn == plan.turn && matches!(event?, Event::TextBlockDelta(_)) {
                    seen.open();
                }
            }
            reply.finish().await
        };
        let reply = tokio::time::timeout(Duration::from_secs(30), reply)
            .await
            .unwrap_or_else(|_| panic!("hung: {plan:?}"))
            .unwrap_or_else(|error| panic!("{error:?}: {plan:?}\n{:?}", server.request_lines()));
        replies.push(content(&reply));
        task_ids.push(agent.state().task_id.clone());
    }
    let state = agent.close().await;
    Seen {
        replies,
        task_ids,
        context_id: state.context_id,
        running: state.running_task_id.is_some(),
        said: peer.said(),
    }
}

/// Runs the plans, several at a time, and compares each with the undisturbed run.
async fn check(plans: Vec<Plan>) {
    let expected = undisturbed();
    let mut runs = futures::stream::iter(plans)
        .map(|plan| async move { (format!("{plan:?}"), run(plan).await) })
        .buffer_unordered(16);
    while let Some((plan, seen)) = runs.next().await {
        assert_eq!(seen, expected, "{plan}");
    }
}

/// Where the stream of a turn can be cut: at the beginning and the end of every event, and inside of it.
async fn cut_points(dialect: Dialect, turn: usize) -> Vec<usize> {
    let boundaries = boundaries(dialect, turn).await;
    // Before the first payload nothing is known of the task: see `a_stream_that_says_nothing`.
    let inside = boundaries.windows(2).skip(1).flat_map(|event| {
        let (start, end) = (event[0], event[1]);
        [start, start + 1, start + 7, (start + end) / 2, end - 2, end - 1]
    });
    inside.chain(boundaries.last().copied()).collect()
}

/// As the peer writes them: the id of a request is part of every event.
async fn boundaries(dialect: Dialect, turn: usize) -> Vec<usize> {
    let peer = Peer::new(dialect);
    let server = {
        let peer = peer.clone();
        Loopback::start([Exchange::any()
            .respond(move |request| peer.answer(request, None))
            .times(usize::MAX)])
        .await
    };
    let mut agent = agent(&server, dialect).await;
    for said in SAID {
        agent.reply(said).await.unwrap();
    }
    let request = server.requests().into_iter().nth(requests_before(turn)).unwrap();
    peer.boundaries(&request, turn)
}

/// Plans for every place where a stream can be cut.
async fn everywhere(dialect: Dialect, failure: Failure, shape: impl Fn(&mut Plan)) {
    let mut plans = Vec::new();
    for turn in [0, 1] {
        for bytes in cut_points(dialect, turn).await {
            let mut plan = Plan::new(dialect, turn, failure, bytes);
            shape(&mut plan);
            plans.push(plan);
        }
    }
    check(plans).await;
}

/// [`everywhere`], but for where the turn has settled: what goes wrong after that is not for the recovery to mend.
async fn before_settling(dialect: Dialect, shape: impl Fn(&mut Plan)) {
    let mut plans = Vec::new();
    for turn in [0, 1] {
        let whole = boundaries(dialect, turn).await.last().copied().unwrap();
        for bytes in cut_points(dialect, turn).await.into_iter().filter(|&bytes| bytes < whole) {
            let mut plan = Plan::new(dialect, turn, Failure::Close, bytes);
            shape(&mut plan);
            plans.push(plan);
        }
    }
    check(plans).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_fails() {
    for dialect in Dialect::ALL {
        for width in [0, 1, 3] {
            let mut plan = Plan::new(dialect, 2, Failure::Close, usize::MAX);
            plan.width = width;
            check(vec![plan]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_closed() {
    for dialect in Dialect::ALL {
        everywhere(dialect, Failure::Close, |_| {}).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_closed_and_the_agent_goes_on_meanwhile() {
    for dialect in Dialect::ALL {
        for missed in [1, 2, usize::MAX / 2] {
            everywhere(dialect, Failure::Close, |plan| plan.cut.missed = missed).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_reset() {
    for dialect in Dialect::ALL {
        let mut plans = Vec::new();
        // Text comes with the third event of the first turn, and with the second of the next.
        for (turn, event) in [(0, 3), (1, 2)] {
            let visible = boundaries(dialect, turn).await[event];
            for bytes in cut_points(dialect, turn).await.into_iter().filter(|&bytes| bytes >= visible) {
                let mut plan = Plan::new(dialect, turn, Failure::Reset, bytes);
                plan.width = 5;
                plans.push(plan);
            }
        }
        check(plans).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_go_silent() {
    for dialect in Dialect::ALL {
        let mut plans = Vec::new();
        for turn in [0, 1] {
            for bytes in boundaries(dialect, turn).await.into_iter().skip(1) {
                plans.push(Plan::new(dialect, turn, Failure::Stall, bytes));
                plans.push(Plan::new(dialect, turn, Failure::Stall, bytes - 1));
            }
        }
        check(plans.into_iter().filter(|plan| plan.cut.bytes > 200).collect()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_peer_is_down_for_a_while() {
    for dialect in Dialect::ALL {
        before_settling(dialect, |plan| plan.outages = 3).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_that_follows_fails_too() {
    for dialect in Dialect::ALL {
        for bytes in [0, 1, 400, 1_000] {
            before_settling(dialect, |plan| plan.second_cut = Some(Cut { bytes, missed: 1 })).await;
        }
    }
}
