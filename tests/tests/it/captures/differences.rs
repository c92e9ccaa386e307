//! What is known to be different from SDK to SDK.

/// Why the recordings of a scenario are not all the same.
pub(super) struct Difference {
    pub(super) scenarios: &'static [&'static str],
    /// `stream` or `unary`; empty for both.
    pub(super) kind: &'static str,
    /// The recordings, as their names begin.
    pub(super) recordings: &'static [&'static str],
    pub(super) reason: &'static str,
}

pub(super) const DIFFERENCES: &[Difference] = &[
    Difference {
        scenarios: &["error", "error-midway"],
        kind: "stream",
        recordings: &["py-v03", "py-v1-compat-rest"],
        reason: "the server breaks the connection when the agent raises",
    },
    Difference {
        scenarios: &["error", "error-midway"],
        kind: "",
        recordings: &["py-"],
        reason: "the server answers with an error when the agent raises",
    },
    Difference {
        scenarios: &["error-midway"],
        kind: "unary",
        recordings: &["js-v1"],
        reason: "the server makes a failed task of an agent that raises",
    },
    Difference {
        scenarios: &["error-midway"],
        kind: "unary",
        recordings: &["js-v03"],
        reason: "the server makes another task of an agent that raises, without the artifact",
    },
    Difference {
        scenarios: &["message-mixed", "mixed", "multimodal", "raw", "url"],
        kind: "",
        recordings: &["js-v03-rest", "js-v1-compat-rest"],
        reason: "the server loses the names of files",
    },
    Difference {
        scenarios: &["multimodal"],
        kind: "",
        recordings: &["py-v03-rest", "py-v1-compat-rest"],
        reason: "the server reads files as the base64 of base64, and fails",
    },
    Difference {
        scenarios: &["data-list"],
        kind: "",
        recordings: &["js-v03", "py-v03"],
        reason: "the agent wraps structured data that is no object: 0.3 has no other",
    },
    Difference {
        scenarios: &["data-list"],
        kind: "",
        recordings: &["js-v1-compat-rest"],
        reason: "the server loses the mark of structured data that it has wrapped",
    },
    Difference {
        scenarios: &["snapshot", "snapshot-status", "message-after-task"],
        kind: "stream",
        recordings: &["js-v1"],
        reason: "the server ends the stream with an error when the agent breaks the order of its SDK",
    },
    Difference {
        scenarios: &["message-after-task"],
        kind: "stream",
        recordings: &["py-v03"],
        reason: "the server passes on a message after a task",
    },
    Difference {
        scenarios: &["message-after-task"],
        kind: "unary",
        recordings: &["py-v1"],
        reason: "the server refuses a message after a task",
    },
    Difference {
        scenarios: &["orphan-append"],
        kind: "stream",
        recordings: &["py-v1"],
        reason: "the server refuses what is appended to nothing",
    },
    Difference {
        scenarios: &["orphan-append"],
        kind: "unary",
        recordings: &["js-v1"],
        reason: "the server keeps what is appended to nothing",
    },
    Difference {
        scenarios: &["orphan-append"],
        kind: "unary",
        recordings: &["py-v03"],
        reason: "the server drops what is appended to nothing",
    },
    Difference {
        scenarios: &["task-forgotten"],
        kind: "stream",
        recordings: &["py-v03-rest"],
        reason: "the server breaks the connection where it does not know the task",
    },
];

pub(super) fn reason(scenario: &str, kind: &str, recording: &str, used: &mut [bool]) -> &'static str {
    let found = DIFFERENCES.iter().position(|difference| {
        difference.scenarios.contains(&scenario)
            && (difference.kind.is_empty() || difference.kind == kind)
            && difference.recordings.iter().any(|prefix| recording.starts_with(prefix))
    });
    match found {
        Some(index) => {
            used[index] = true;
            DIFFERENCES[index].reason
        }
        None => NO_REASON,
    }
}

pub(super) const NO_REASON: &str = "NO REASON";
