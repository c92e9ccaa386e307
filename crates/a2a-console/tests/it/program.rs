//! Runs of the program.

use std::{path::PathBuf, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// What a run left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The lines of standard output, each a JSON object.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }

    /// The message of the last reply.
    pub(crate) fn msg(&self) -> Value {
        let lines = self.lines();
        let msg = lines.iter().rev().find_map(|line| line.get("msg"));
        msg.unwrap_or_else(|| panic!("{self:?}")).clone()
    }

    /// What the error line says.
    pub(crate) fn error(&self) -> Value {
        self.lines().last().unwrap_or_else(|| panic!("{self:?}"))["error"].clone()
    }
}

/// The program, with an environment of its own.
pub(crate) fn a2a() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a2a"));
    for name in
        ["A2A_BEARER", "A2A_API_KEY", "NO_COLOR", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Runs the program with these arguments.
pub(crate) async fn run<S: AsRef<str>>(args: impl IntoIterator<Item = S>) -> Run {
    finish(a2a().args(args.into_iter().map(|arg| arg.as_ref().to_owned())).spawn().unwrap()).await
}

/// Runs the program with these arguments and this input.
pub(crate) async fn run_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut child = a2a().args(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).await.unwrap();
    drop(stdin);
    finish(child).await
}

/// Waits for the end of a run.
pub(crate) async fn finish(child: Child) -> Run {
    let output = timeout(GUARD, child.wait_with_output()).await.expect("the program does not end").unwrap();
    let run = Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!run.err.contains("panicked"), "{run:?}");
    run
}

/// `a2a serve`, gone when dropped.
pub(crate) struct Served {
    pub(crate) url: String,
    _child: Child,
}

/// Serves the demo agent.
pub(crate) async fn serve(args: &[&str]) -> Served {
    let mut child = a2a().arg("serve").args(args).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    timeout(GUARD, stdout.read_line(&mut line)).await.expect("the server does not start").unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    Served { url: ready["url"].as_str().unwrap().to_owned(), _child: child }
}

/// A file for a state that does not exist yet.
pub(crate) fn state_file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("a2a-it-{name}-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Longest run: only what hangs takes so long.
pub(crate) const GUARD: Duration = Duration::from_secs(60);
