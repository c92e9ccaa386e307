//! A conversation in a file: one program at a time, written as a whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use a2a_agent::A2aAgentState;
use serde_json::Value;

use crate::failure::Failure;

/// A state file that belongs to this process until it is dropped.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    _lock: Lock,
}

impl StateFile {
    /// Takes hold of the file and reads it; a file that does not exist, or is empty, is a new conversation.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not the state of a conversation, or another process has hold of it. It is left
    /// as it is.
    pub(super) fn open(path: &Path) -> Result<(Self, A2aAgentState), Failure> {
        // The file itself is replaced, not a link to it.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // A pipe or a device would be waited for without end, and then replaced by a file.
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Failure::state_file(format!("{} is not a file", path.display())));
        }
        let lock = Lock::take(&path)?;
        let state = read(&path)?;
        Ok((Self { path, _lock: lock }, state))
    }

    /// The file if one is named, and the state to begin with.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(super) fn open_if(path: Option<&Path>) -> Result<(Option<Self>, A2aAgentState), Failure> {
        match path {
            Some(path) => Self::open(path).map(|(file, state)| (Some(file), state)),
            None => Ok((None, A2aAgentState::new())),
        }
    }

    /// Replaces what is in the file.
    ///
    /// # Errors
    ///
    /// It cannot be written; what was in it is still there.
    pub(super) fn save(&self, state: &A2aAgentState) -> Result<(), Failure> {
        let temporary = with_suffix(&self.path, ".tmp");
        let written = serde_json::to_vec(state).map_err(io::Error::from).and_then(|mut text| {
            text.push(b'\n');
            replace(&self.path, &temporary, &text)
        });
        written.map_err(|error| {
            // It may not be there.
            let _ = fs::remove_file(&temporary);
            Failure::state_file(format!("the state cannot be saved in {}: {error}", self.path.display()))
        })
    }
}

fn read(path: &Path) -> Result<A2aAgentState, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(A2aAgentState::new()),
        Err(error) => {
            return Err(Failure::state_file(format!("{} cannot be read: {error}", path.display())));
        }
    };
    if text.trim().is_empty() {
        return Ok(A2aAgentState::new());
    }
    parse(&text).map_err(|reason| {
        Failure::state_file(format!(
            "{} is not the state of a conversation ({reason}): it is left as it is, name another file",
            path.display()
        ))
    })
}

/// Any object would do as a state whose members are all absent; what is meant to be one has a session.
fn parse(text: &str) -> Result<A2aAgentState, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !value.get("session_id").is_some_and(Value::is_string) {
        return Err("it has no `session_id`".to_owned());
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn replace(path: &Path, temporary: &Path, text: &[u8]) -> io::Result<()> {
    // What a run that was killed has left, or a link that would lead elsewhere.
    match fs::remove_file(temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // A conversation is nobody else's business.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(temporary)?;
    file.write_all(text)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()?;
    fs::rename(temporary, path)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Holds a lock file beside the state file, which is no good for it as it is replaced. Gone when dropped, and when
/// the process ends in whatever way.
#[derive(Debug)]
struct Lock {
    #[cfg(unix)]
    path: PathBuf,
    #[cfg(unix)]
    _held: nix::fcntl::Flock<File>,
    #[cfg(not(unix))]
    _held: File,
}

impl Lock {
    fn take(state_path: &Path) -> Result<Self, Failure> {
        let path = with_suffix(state_path, ".lock");
        Self::acquire(path).map_err(|error| {
            let state_path = state_path.display();
            Failure::state_file(if error.kind() == io::ErrorKind::WouldBlock {
                format!("{state_path} is in use by another conversation")
            } else {
                format!("{state_path} cannot be locked: {error}")
            })
        })
    }

    #[cfg(unix)]
    fn acquire(path: PathBuf) -> io::Result<Self> {
        use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};

        use nix::fcntl::{Flock, FlockArg};

        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
            let held = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(held) => held,
                Err((_, error)) => return Err(error.into()),
            };
            // Whoever held it before may have removed it meanwhile: then the lock is on nothing.
            let is_there = match fs::metadata(&path) {
                Ok(there) => there.ino() == held.metadata()?.ino(),
                Err(_) => false,
            };
            if is_there {
                return Ok(Self { path, _held: held });
            }
        }
    }

    #[cfg(windows)]
    fn acquire(path: PathBuf) -> io::Result<Self> {
        use std::os::windows::fs::OpenOptionsExt as _;

        const SHARING_VIOLATION: i32 = 32;
        match OpenOptions::new().write(true).create(true).truncate(false).share_mode(0).open(path) {
            Ok(held) => Ok(Self { _held: held }),
            Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => {
                Err(io::ErrorKind::WouldBlock.into())
            }
            Err(error) => Err(error),
        }
    }

    #[cfg(not(any(unix, windows)))]
    fn acquire(path: PathBuf) -> io::Result<Self> {
        Ok(Self { _held: OpenOptions::new().write(true).create(true).truncate(false).open(path)? })
    }
}

#[cfg(unix)]
impl Drop for Lock {
    fn drop(&mut self) {
        // Still held: nobody else can have taken it. A lock file left behind does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("a2a-state-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_is_saved_is_read_again() {
        let folder = folder("saved");
        let path = folder.join("chat.json");
        let (file, state) = StateFile::open(&path).unwrap();
        assert_eq!(state, A2aAgentState::new());
        let mut state = A2aAgentState::new().with_context_id("c-1");
        state.session_id = "s-1".to_owned();
        file.save(&state).unwrap();
        drop(file);
        assert_eq!(StateFile::open(&path).unwrap().1, state);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["chat.json"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_one_at_a_time() {
        let folder = folder("lock");
        let path = folder.join("chat.json");
        let first = StateFile::open(&path).unwrap();
        let failure = StateFile::open(&path).unwrap_err();
        assert!(failure.message().contains("in use"), "{failure:?}");
        drop(first);
        StateFile::open(&path).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_is_something_else_stays_as_it_is() {
        let folder = folder("damaged");
        let path = folder.join("chat.json");
        for text in [
            "{",
            "[]",
            "null",
            "{}",
            r#"{"name":"package"}"#,
            r#"{"session_id":1}"#,
            r#"{"session_id":"s","context_id":1}"#,
        ] {
            fs::write(&path, text).unwrap();
            let failure = StateFile::open(&path).unwrap_err();
            assert!(failure.message().contains("is not the state"), "{text}: {failure:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, "").unwrap();
        StateFile::open(&path).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_stands_in_the_way_of_the_new_file_is_not_written_through() {
        let folder = folder("temporary");
        let (path, other) = (folder.join("chat.json"), folder.join("other"));
        fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, folder.join("chat.json.tmp")).unwrap();
        let (file, state) = StateFile::open(&path).unwrap();
        file.save(&state).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_neither_waited_for_nor_replaced() {
        use std::os::unix::net::UnixListener;

        let folder = folder("device");
        let pipe = folder.join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let socket = folder.join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        for path in [&folder, &pipe, &socket] {
            let failure = StateFile::open(path).unwrap_err();
            assert!(failure.message().ends_with("is not a file"), "{failure:?}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_still_leads_to_the_file() {
        let folder = folder("link");
        let (path, link) = (folder.join("chat.json"), folder.join("link.json"));
        fs::write(&path, r#"{"session_id":"s-1"}"#).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let (file, state) = StateFile::open(&link).unwrap();
        file.save(&state.with_context_id("c-1")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(&path).unwrap().contains("c-1"));
        fs::remove_dir_all(folder).unwrap();
    }
}
