//! Other SDKs' programs: where they are, and running them.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// Where everything is that the suite runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Places {
    /// The folder that the SDKs were installed into.
    pub cache: PathBuf,
    /// `tests/interop/peers`.
    pub peers: PathBuf,
    /// The folder of our own programs.
    pub programs: PathBuf,
}

impl Places {
    /// The programs are beside the running one.
    ///
    /// # Errors
    ///
    /// The running program cannot tell where it is.
    pub fn new(cache: impl Into<PathBuf>) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
        Ok(Self {
            cache: cache.into(),
            peers: Path::new(env!("CARGO_MANIFEST_DIR")).join("interop/peers"),
            programs: program.parent().unwrap_or_else(|| Path::new(".")).to_owned(),
        })
    }

    /// The command that runs a script of a peer, as the folder of its SDK is named.
    ///
    /// # Errors
    ///
    /// The SDK is not installed.
    pub fn script(&self, sdk: &str, script: &str) -> Result<Command, String> {
        if sdk == "rust" {
            let mut program = self.program("a2a-interop-peer")?;
            program.arg(script);
            return Ok(program);
        }
        let home = self.cache.join(sdk);
        let ready = if sdk.starts_with("js-") { "node_modules" } else { "bin/python" };
        if !home.join(ready).exists() {
            return Err(format!("{sdk} is not set up"));
        }
        let mut command = if sdk.starts_with("js-") {
            let mut node = Command::new("node");
            node.env("A2A_JS_DIR", &home).arg(self.peers.join("js").join(format!("{script}.mjs")));
            node
        } else {
            let mut python = Command::new(home.join("bin/python"));
            python.arg(self.peers.join("python").join(format!("{script}.py")));
            python
        };
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH").kill_on_drop(true);
        Ok(command)
    }

    /// The command that runs a program of ours.
    ///
    /// # Errors
    ///
    /// It has not been built.
    pub fn program(&self, name: &str) -> Result<Command, String> {
        let path = self.programs.join(name);
        if !path.exists() {
            return Err(format!("{name} is not built"));
        }
        let mut command = Command::new(path);
        command.env_remove("A2A_BEARER").env_remove("A2A_API_KEY").kill_on_drop(true);
        Ok(command)
    }
}

/// A running server. It ends when its standard input closes; dropping it kills it.
#[derive(Debug)]
pub struct Server {
    /// Where it is, without a slash at the end.
    pub url: String,
    /// Name and version of its SDK.
    pub sdk: String,
    child: Child,
}

impl Server {
    /// Starts it and waits until it says, in one line of JSON, where it is.
    ///
    /// # Errors
    ///
    /// It does not start, or says something else.
    pub async fn start(mut command: Command) -> Result<Self, String> {
        let name = format!("{:?}", command.as_std().get_program());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        let output = child.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(output).lines();
        let line = timeout(START, lines.next_line()).await.map_err(|_| format!("{name} does not start"))?;
        let line = line.map_err(|error| format!("{name}: {error}"))?.unwrap_or_default();
        let ready: Value =
            serde_json::from_str(&line).map_err(|_| format!("{name} does not start: {line:?}"))?;
        let text = |member: &str| ready[member].as_str().unwrap_or_default().to_owned();
        Ok(Self { url: text("url").trim_end_matches('/').to_owned(), sdk: text("sdk"), child })
    }

    /// Ends it: closes its standard input, and kills it if that does not help.
    pub async fn stop(mut self) {
        drop(self.child.stdin.take());
        if timeout(Duration::from_secs(2), self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

/// What a program printed, line by line, and its exit code.
#[derive(Debug)]
#[non_exhaustive]
pub struct Printed {
    /// The lines of JSON.
    pub lines: Vec<Value>,
    /// The exit code; -1 if it was ended.
    pub code: i32,
    /// The end of what it said on standard error.
    pub complaint: String,
}

/// Runs a program to its end.
///
/// # Errors
///
/// It cannot be started, or does not end in time; then it is killed.
pub(super) async fn run(mut command: Command, input: &str, limit: Duration) -> Result<Printed, String> {
    let name = format!("{:?}", command.as_std().get_program());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let reading = async {
        if let (Some(mut stdin), Some(mut out), Some(mut err)) = pipes {
            let writing = async {
                // A program that does not want it all may close its end.
                let _ = stdin.write_all(input.as_bytes()).await;
                drop(stdin);
            };
            let _ = tokio::join!(writing, out.read_to_end(&mut stdout), err.read_to_end(&mut stderr));
        }
        child.wait().await
    };
    let status = match timeout(limit, reading).await {
        Ok(status) => status.map_err(|error| format!("{name}: {error}"))?,
        Err(_) => {
            let _ = child.kill().await;
            return Err(format!("{name} does not end within {} s", limit.as_secs()));
        }
    };
    let text = String::from_utf8_lossy(&stdout);
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let complaint = String::from_utf8_lossy(&stderr);
    let complaint = complaint.lines().last().unwrap_or_default().to_owned();
    Ok(Printed { lines, code: status.code().unwrap_or(-1), complaint })
}

const START: Duration = Duration::from_secs(60);
