//! The files of a conversation, by the numbers they are shown with.

use std::{
    collections::VecDeque,
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use a2a_agent::{ContentBlock, DataBlock, Msg, Source};
use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::plain::plain_line;

/// What the agent has sent, the latest of it.
#[derive(Debug, Default)]
pub(super) struct Files {
    kept: VecDeque<(usize, DataBlock)>,
    last_number: usize,
    /// Bytes kept: base64, and what is said about it.
    held: usize,
}

/// What came of saving a file.
#[derive(Debug)]
pub(super) enum Saved {
    /// So many bytes were written there.
    Written(PathBuf, usize),
    /// There is something already.
    Exists(PathBuf),
}

impl Files {
    /// Takes the files of a reply, in the order they were shown.
    pub(super) fn take(&mut self, msg: &Msg) {
        for block in &msg.content {
            let ContentBlock::Data(block) = block else { continue };
            self.last_number += 1;
            self.held += size(block);
            self.kept.push_back((self.last_number, block.clone()));
        }
        while self.held > MAX_HELD_BYTES && self.kept.len() > 1 {
            if let Some((_, block)) = self.kept.pop_front() {
                self.held -= size(&block);
            }
        }
    }

    /// Saves a file under this path, or under its own name in this folder. What is there is only replaced if that
    /// is said.
    ///
    /// # Errors
    ///
    /// What is wrong, for people.
    pub(super) fn save(&self, number: usize, path: &Path, replace: bool) -> Result<Saved, String> {
        let Some((_, block)) = self.kept.iter().find(|(kept, _)| *kept == number) else {
            return Err(match self.last_number {
                0 => "the agent has not sent any file".to_owned(),
                last if number > last || number == 0 => {
                    format!("there is no file {number}, the last one is {last}")
                }
                _ => format!("file {number} is no longer kept"),
            });
        };
        let bytes = match &block.source {
            Source::Base64(source) => STANDARD
                .decode(&source.data)
                .map_err(|error| format!("file {number} is not base64: {error}"))?,
            Source::Url(source) => {
                return Err(format!("file {number} is not here but at {}", plain_line(&source.url)));
            }
            _ => return Err(format!("file {number} is somewhere that is not known here")),
        };
        let path = if path.is_dir() { path.join(name_of(block, number)) } else { path.to_owned() };
        // A pipe would be waited for, and nobody could stop that.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(format!("{} is not a file", path.display()));
        }
        let mut options = OpenOptions::new();
        options.write(true);
        if replace {
            options.create(true).truncate(true)
        } else {
            options.create_new(true)
        };
        let written = options.open(&path).and_then(|mut file| file.write_all(&bytes));
        match written {
            Ok(()) => Ok(Saved::Written(path, bytes.len())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Saved::Exists(path)),
            Err(error) => Err(format!("{} cannot be written: {error}", path.display())),
        }
    }
}

/// The name of a file within a folder: the last part of what the peer calls it, if that is a name at all.
fn name_of(block: &DataBlock, number: usize) -> String {
    let name = plain_line(block.name.as_deref().unwrap_or_default());
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().trim().trim_start_matches('.');
    if name.is_empty() { format!("file-{number}") } else { name.to_owned() }
}

fn size(block: &DataBlock) -> usize {
    let content = match &block.source {
        Source::Base64(source) => source.data.len(),
        Source::Url(source) => source.url.len(),
        _ => 0,
    };
    content + block.name.as_ref().map_or(0, String::len) + size_of::<DataBlock>()
}

/// Most that is kept; the latest file is kept whatever its size.
const MAX_HELD_BYTES: usize = 256 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn files(blocks: Vec<DataBlock>) -> Files {
        let mut files = Files::default();
        let blocks: Vec<ContentBlock> = blocks.into_iter().map(ContentBlock::Data).collect();
        files.take(&Msg::assistant("a", blocks));
        files
    }

    #[test]
    fn a_file_is_saved_but_nothing_is_overwritten_unasked() {
        let folder = std::env::temp_dir().join(format!("a2a-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let files = files(vec![
            DataBlock::bytes(b"one", "text/plain").with_name("../../one.txt"),
            DataBlock::url("https://h.test/two", "text/plain"),
        ]);
        let path = folder.join("one.txt");
        assert!(
            matches!(files.save(1, &folder, false).unwrap(), Saved::Written(written, 3) if written == path)
        );
        std::fs::write(&path, "mine").unwrap();
        assert!(matches!(files.save(1, &path, false).unwrap(), Saved::Exists(_)));
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        files.save(1, &path, true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert!(files.save(2, &path, true).unwrap_err().contains("https://h.test/two"));
        assert!(files.save(3, &path, true).unwrap_err().contains("the last one is 2"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_saved_in_what_is_no_file() {
        let pipe = std::env::temp_dir().join(format!("a2a-files-pipe-{}", std::process::id()));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let files = files(vec![DataBlock::bytes(b"one", "text/plain")]);
        for replace in [false, true] {
            assert!(files.save(1, &pipe, replace).unwrap_err().ends_with("is not a file"));
        }
        std::fs::remove_file(pipe).unwrap();
    }

    #[test]
    fn names_of_peers_do_not_lead_elsewhere() {
        for (name, expect) in [
            ("a.png", "a.png"),
            ("/etc/passwd", "passwd"),
            ("..\\..\\x", "x"),
            ("..", "file-7"),
            (".bashrc", "bashrc"),
            ("", "file-7"),
            ("a\u{1b}[31mb", "ab"),
        ] {
            assert_eq!(name_of(&DataBlock::bytes(b"", "x/y").with_name(name), 7), expect, "{name:?}");
        }
    }
}
