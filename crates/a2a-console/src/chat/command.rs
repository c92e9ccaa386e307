//! What a user may say to the console instead of to the agent.

use std::path::PathBuf;

/// A line, understood.
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    /// Nothing was typed.
    Nothing,
    /// For the agent.
    Message(String),
    Help,
    Attach(PathBuf),
    Attachments,
    AttachUrl(String),
    Detach,
    Save {
        number: usize,
        path: PathBuf,
    },
    Card,
    State,
    New,
    Cancel,
    Resume,
    Quit,
    /// A command that is none, or is not complete; with what would be right.
    Wrong(String),
}

impl Command {
    pub(super) fn parse(line: &str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Nothing;
        }
        if let Some(message) = line.strip_prefix("//") {
            return Self::Message(format!("/{message}"));
        }
        if !line.starts_with('/') {
            return match line {
                "exit" | "quit" => Self::Quit,
                message => Self::Message(message.to_owned()),
            };
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (name, rest) {
            ("/help", _) => Self::Help,
            ("/attach", "") => Self::Attachments,
            ("/attach", path) => Self::Attach(path_of(path)),
            ("/attach-url", url) if !url.is_empty() => Self::AttachUrl(url.to_owned()),
            ("/detach", _) => Self::Detach,
            ("/save", rest) => Self::save(rest),
            ("/card", _) => Self::Card,
            ("/state", _) => Self::State,
            ("/new", _) => Self::New,
            ("/cancel", _) => Self::Cancel,
            ("/resume", _) => Self::Resume,
            ("/quit" | "/exit", _) => Self::Quit,
            ("/attach-url", _) => Self::Wrong("it is /attach-url URL".to_owned()),
            (name, _) => Self::Wrong(format!(
                "there is no command {name}; /help lists them, and //… sends a message that begins with a slash"
            )),
        }
    }

    fn save(rest: &str) -> Self {
        let (number, path) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match (number.trim_matches(['[', ']']).parse(), path.trim()) {
            (Ok(number), path) if !path.is_empty() => Self::Save { number, path: path_of(path) },
            _ => Self::Wrong("it is /save N PATH, with the number that the file is shown with".to_owned()),
        }
    }
}

/// A path as it is typed: in quotes, or with backslashes before spaces, or plain; `~/` is the home of the user.
fn path_of(text: &str) -> PathBuf {
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let path = match quoted {
        Some(path) => path.to_owned(),
        None if cfg!(windows) => text.to_owned(),
        None => rustyline::completion::unescape(text, Some('\\')).into_owned(),
    };
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) if quoted.is_none() => PathBuf::from(home).join(rest),
        _ => path.into(),
    }
}

/// The names of commands that begin like this.
pub(super) fn names_like(typed: &str) -> impl Iterator<Item = &'static str> {
    COMMANDS
        .iter()
        .filter_map(|(usage, _)| usage.split(' ').next())
        .filter(move |name| name.starts_with(typed))
}

/// All commands, for people.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (usage, does) in COMMANDS {
        text.push_str(&format!("{usage:18}{does}\n"));
    }
    text.push_str(HINTS);
    text
}

const COMMANDS: &[(&str, &str)] = &[
    ("/attach PATH", "send a file with the next message; without PATH, list what will be sent"),
    ("/attach-url URL", "send the address of a file with the next message"),
    ("/detach", "send no files after all"),
    ("/save N PATH", "save file N of the conversation"),
    ("/card", "show the card of the agent"),
    ("/state", "show what is kept of the conversation"),
    ("/new", "begin a new conversation"),
    ("/cancel", "cancel the task that is running or waits"),
    ("/resume", "follow the task that was still running"),
    ("/help", "show this"),
    ("/quit", "leave, as do exit, quit and Ctrl-D"),
];

const HINTS: &str = "\
A line that ends with a backslash goes on in the next one; pasted text may have several lines.
A line that begins with a space is not kept in the history, which ends with the program.
Ctrl-C stops a reply and cancels its task; pressed again it leaves.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages_or_commands() {
        let path = PathBuf::from;
        for (line, command) in [
            ("", Command::Nothing),
            ("  hi there ", Command::Message("hi there".to_owned())),
            ("one\ntwo", Command::Message("one\ntwo".to_owned())),
            ("//etc/hosts", Command::Message("/etc/hosts".to_owned())),
            ("exit", Command::Quit),
            ("quit", Command::Quit),
            ("/quit", Command::Quit),
            ("exit now", Command::Message("exit now".to_owned())),
            ("/attach a b.txt", Command::Attach(path("a b.txt"))),
            ("/attach a\\ b.txt", Command::Attach(path("a b.txt"))),
            ("/attach \"a b.txt\"", Command::Attach(path("a b.txt"))),
            ("/attach", Command::Attachments),
            ("/attach-url http://h/x", Command::AttachUrl("http://h/x".to_owned())),
            ("/save 2 out.png", Command::Save { number: 2, path: path("out.png") }),
            ("/save [2] out.png", Command::Save { number: 2, path: path("out.png") }),
        ] {
            assert_eq!(Command::parse(line), command, "{line:?}");
        }
        for line in ["/save", "/save x", "/save x y", "/save 1", "/attach-url", "/nonsense", "/"] {
            assert!(matches!(Command::parse(line), Command::Wrong(_)), "{line:?}");
        }
    }

    #[test]
    fn every_command_is_in_the_help() {
        for (usage, _) in COMMANDS {
            let command = Command::parse(&usage.replace(" N", " 1"));
            assert!(!matches!(command, Command::Wrong(_) | Command::Message(_)), "{usage}");
        }
        assert_eq!(names_like("/at").collect::<Vec<_>>(), ["/attach", "/attach-url"]);
    }
}
