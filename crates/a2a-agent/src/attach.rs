//! Files as content of a message.

use std::{
    error::Error,
    fmt,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use a2a_translate::DataBlock;

/// Largest file that [`AttachFile::from_path`] reads, in bytes: 12 MiB, which as base64 just fits a request of
/// 16 MiB.
pub const MAX_FILE_BYTES: u64 = 12 * 1024 * 1024;

/// Why a file cannot be attached.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is too large.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, .. } => write!(f, "{} cannot be read", path.display()),
            Self::TooLarge { path, limit } => write!(f, "{} is larger than {limit} bytes", path.display()),
        }
    }
}

impl Error for AttachError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            Self::TooLarge { .. } => None,
        }
    }
}

/// Makes a [`DataBlock`] of a file.
pub trait AttachFile: Sized + sealed::Sealed {
    /// The file as bytes, named as the file is, its media type guessed from the name.
    ///
    /// Blocks while it reads; at most [`MAX_FILE_BYTES`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is too large.
    fn from_path(path: impl AsRef<Path>) -> Result<Self, AttachError> {
        Self::from_path_within(path, MAX_FILE_BYTES)
    }

    /// [`from_path`](Self::from_path) with a limit of one's own, in bytes.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is too large.
    fn from_path_within(path: impl AsRef<Path>, limit: u64) -> Result<Self, AttachError>;

    /// The file at this URL, its media type guessed from the path. Nothing is fetched.
    fn from_url(url: impl Into<String>) -> Self;
}

impl AttachFile for DataBlock {
    fn from_path_within(path: impl AsRef<Path>, limit: u64) -> Result<Self, AttachError> {
        let path = path.as_ref();
        let unreadable = |source| AttachError::Read { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        // One byte more than allowed tells a file that is too large, whatever its metadata says.
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
            return Err(AttachError::TooLarge { path: path.to_owned(), limit });
        }
        let media_type = mime_guess::from_path(path).first_or_octet_stream();
        let block = Self::bytes(&bytes, media_type.essence_str());
        Ok(match path.file_name() {
            Some(name) => block.with_name(name.to_string_lossy()),
            None => block,
        })
    }

    fn from_url(url: impl Into<String>) -> Self {
        let url = url.into();
        let location = url.split(['?', '#']).next().unwrap_or_default();
        // Without the host, whose ending is no extension.
        let path = location.split_once("://").map_or(location, |(_, rest)| rest);
        let file = path.rsplit_once('/').map_or("", |(_, file)| file);
        let media_type = mime_guess::from_path(file).first_or_octet_stream();
        Self::url(url, media_type.essence_str())
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "that seals the trait")]
    pub trait Sealed {}
    impl Sealed for a2a_translate::DataBlock {}
}
