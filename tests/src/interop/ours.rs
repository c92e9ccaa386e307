//! Our client, as a library and as the program `a2a`, going through scenarios at an agent.

use std::{path::PathBuf, time::Duration};

use a2a_agent::{
    A2aAgent, AgentError, AgentOptions, CardResolver, ClientOptions, ContentBlock, Credentials, DataBlock,
    DataParts, HttpClient, HttpConfig, InterfacePreferences, Msg, PollingOptions, RecoveryOptions,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use futures::StreamExt as _;
use serde_json::Value;
use tokio::time::timeout;

use super::{
    book::{Book, Scenario},
    peer::{Places, run},
    reply::Reply,
    suite::Run,
};

/// An agent, and how it is to be called.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Target {
    /// The base URL of the agent.
    pub url: String,
    /// The binding, as cards name it.
    pub binding: &'static str,
    /// What the caller has to show.
    credential: Option<Credential>,
    extension: Option<&'static str>,
    authority: Option<String>,
}

/// What the caller has to show.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Credential {
    /// A bearer token.
    Bearer(&'static str),
    /// An API key, by the name of its header.
    ApiKey(&'static str, &'static str),
}

impl Target {
    /// An agent that wants no credential.
    pub fn new(url: impl Into<String>, binding: &'static str) -> Self {
        Self { url: url.into(), binding, credential: None, extension: None, authority: None }
    }

    /// The same with a credential.
    #[must_use]
    pub fn with_credential(mut self, credential: Credential) -> Self {
        self.credential = Some(credential);
        self
    }

    /// The same with an extension activated.
    #[must_use]
    pub fn with_extension(mut self, uri: &'static str) -> Self {
        self.extension = Some(uri);
        self
    }

    /// The same, with calls going to another host and port. The card still comes from the agent.
    #[must_use]
    pub fn through(mut self, authority: &str) -> Self {
        self.authority = Some(authority.to_owned());
        self
    }

    fn credentials(&self) -> Credentials {
        match self.credential {
            None => Credentials::new(),
            Some(Credential::Bearer(token)) => Credentials::new().with_token(token),
            Some(Credential::ApiKey(name, key)) => Credentials::new().with_api_key(name, key),
        }
    }

    /// A new conversation with it.
    ///
    /// # Errors
    ///
    /// The card cannot be had, or offers nothing.
    pub async fn connect(&self) -> Result<A2aAgent, AgentError> {
        let http = HttpClient::new(HttpConfig::default().with_stream_idle_timeout(Some(SILENCE)))?;
        let resolver = CardResolver::new(http.clone()).with_credentials(self.credentials());
        let mut card = resolver.resolve(&self.url).await?;
        for interface in &mut card.supported_interfaces {
            if let (Some(authority), Some(path)) = (&self.authority, interface.url.splitn(4, '/').nth(3)) {
                interface.url = format!("http://{authority}/{path}");
            }
        }
        let client = ClientOptions::default()
            .with_preferences(InterfacePreferences::default().pinned_to(self.binding))
            .with_credentials(self.credentials())
            .with_extensions(self.extension);
        A2aAgent::builder(card).http(http).client(client).options(options()).build()
    }
}

/// Everything is on this machine, so that nothing is worth waiting for.
fn options() -> AgentOptions {
    let (soon, later) = (Duration::from_millis(50), Duration::from_millis(200));
    AgentOptions::default()
        .with_data_parts(DataParts::Json)
        .with_recovery(RecoveryOptions::default().with_max_attempts(2).with_delays(soon, later))
        .with_polling(PollingOptions::default().with_delays(soon, later).with_max_idle_polls(5))
}

/// Goes through a scenario with the library, and then with the program.
pub(super) async fn by_both(run: &Run<'_>, target: &Target, scenario: &Scenario) -> Result<(), String> {
    by_library(target, &run.book, scenario).await?;
    by_program(run.places, &run.scratch, target, &run.book, scenario).await
}

async fn by_library(target: &Target, book: &Book, scenario: &Scenario) -> Result<(), String> {
    let mut agent = target.connect().await.map_err(|error| explain(&error))?;
    for (turn, (text, expected)) in scenario.say.iter().zip(&scenario.reply).enumerate() {
        let sent: Vec<Value> =
            scenario.send.iter().filter(|_| turn == 0).map(|part| book.part(part)).collect();
        let reply = timeout(LIMIT, reply(&mut agent, message(text, &sent)?)).await;
        let reply = reply.map_err(|_| format!("turn {}: no end", turn + 1))?;
        reply.check(book, expected).map_err(|wrong| format!("turn {}: {wrong}", turn + 1))?;
    }
    Ok(())
}

/// One reply of an agent.
pub(super) async fn reply(agent: &mut A2aAgent, input: Msg) -> Reply {
    let mut reply = Reply::default();
    let mut stream = agent.reply_stream(input);
    while let Some(item) = stream.next().await {
        match item {
            Ok(event) => reply.events.push(serde_json::to_value(&event).unwrap_or_default()),
            Err(error) => reply.error = Some(explain(&error)),
        }
    }
    reply.message =
        stream.message().and_then(|message| serde_json::to_value(message).ok()).unwrap_or_default();
    reply
}

/// A message with a text and parts of the book.
pub(super) fn message(text: &str, parts: &[Value]) -> Result<Msg, String> {
    let mut message = Msg::user("user", text);
    for part in parts {
        let media_type = part["media_type"].as_str().unwrap_or_default();
        let mut block = match (part["raw"].as_str(), part["url"].as_str()) {
            (Some(data), _) => DataBlock::base64(data, media_type),
            (None, Some(url)) => DataBlock::url(url, media_type),
            (None, None) => return Err("a part that no message can hold".to_owned()),
        };
        block.name = part["filename"].as_str().map(str::to_owned);
        message.content.push(ContentBlock::Data(block));
    }
    Ok(message)
}

/// One process of `a2a` per turn, which a state file ties together.
async fn by_program(
    places: &Places,
    scratch: &Scratch,
    target: &Target,
    book: &Book,
    scenario: &Scenario,
) -> Result<(), String> {
    let state = scratch.file("json");
    for (turn, (text, expected)) in scenario.say.iter().zip(&scenario.reply).enumerate() {
        let binding = if target.binding == "JSONRPC" { "jsonrpc" } else { "http-json" };
        let mut command = places.program("a2a")?;
        command.args(["send", &target.url, text, "--events", "--data-parts", "json", "--binding", binding]);
        command.args(["--idle-timeout", &SILENCE.as_secs().to_string()]).arg("--state").arg(&state);
        if expected.finished != "completed" {
            command.arg("--no-recover");
        }
        match target.credential {
            None => &mut command,
            Some(Credential::Bearer(token)) => command.args(["--bearer", token]),
            Some(Credential::ApiKey(name, key)) => command.args(["--api-key", &format!("{name}={key}")]),
        };
        for part in scenario.send.iter().filter(|_| turn == 0).map(|part| book.part(part)) {
            if let Some(url) = part["url"].as_str() {
                command.args(["--attach-url", url]);
            } else {
                command.arg("--file").arg(scratch.attachment(&part)?);
            }
        }
        let printed = run(command, "", LIMIT).await?;
        let mut reply = Reply::default();
        for line in printed.lines {
            if line["type"].is_string() {
                reply.events.push(line);
            } else if let Some(message) = line.get("msg") {
                reply.message = message.clone();
            } else if let Some(error) = line.get("error") {
                reply.error = Some(format!("{}: {}", error["kind"], error["message"]));
            }
        }
        let place = format!("a2a send, turn {}", turn + 1);
        reply.check(book, expected).map_err(|wrong| format!("{place}: {wrong}"))?;
        let codes: &[i32] = match expected.finished.as_str() {
            "completed" => &[0],
            "interrupted" => &[4],
            "error" => &[3],
            "failed" => &[3, 5],
            _ => &[0, 3, 4, 5],
        };
        if !codes.contains(&printed.code) {
            return Err(format!("{place}: exit code {} instead of {codes:?}", printed.code));
        }
    }
    Ok(())
}

/// Whether the program is refused for want of a credential.
pub(super) async fn program_is_refused(places: &Places, target: &Target) -> Result<(), String> {
    let mut command = places.program("a2a")?;
    command.args(["send", &target.url, "echo", "--events"]);
    match run(command, "", LIMIT).await?.code {
        6 => Ok(()),
        code => Err(format!("a2a send without a credential: exit code {code} instead of 6")),
    }
}

/// A folder for files of the run, gone when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    files: std::sync::atomic::AtomicUsize,
}

impl Scratch {
    /// A new folder.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn new() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("a2a-interop-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder, files: 0.into() })
    }

    /// A path where nothing is yet.
    pub fn file(&self, extension: &str) -> PathBuf {
        let number = self.files.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.folder.join(format!("{number}.{extension}"))
    }

    /// A file with the bytes and the name of a part.
    fn attachment(&self, part: &Value) -> Result<PathBuf, String> {
        let folder = self.file("attached");
        let file = folder.join(part["filename"].as_str().unwrap_or("file"));
        let bytes = BASE64_STANDARD.decode(part["raw"].as_str().unwrap_or_default());
        let bytes = bytes.map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// An error with its causes, in one line.
pub(super) fn explain(error: &AgentError) -> String {
    let mut text = format!("{}: {error}", error.kind().as_str());
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The longest silence of a stream: some peers leave streams open that have nothing more to say.
const SILENCE: Duration = Duration::from_secs(5);
/// After this a turn hangs.
const LIMIT: Duration = Duration::from_secs(40);
