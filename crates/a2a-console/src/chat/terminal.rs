//! The modes of the terminal that a conversation is typed at.

#[cfg(unix)]
mod modes {
    use std::io::{self, IsTerminal as _, Write as _};

    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

    /// The modes as they were, restored when dropped: a line that is being edited when the program ends would
    /// leave the terminal as the editor needs it.
    #[derive(Debug)]
    pub(in crate::chat) struct Terminal {
        saved: Option<Termios>,
    }

    impl Terminal {
        pub(in crate::chat) fn new() -> Self {
            let stdin = io::stdin();
            Self { saved: if stdin.is_terminal() { tcgetattr(&stdin).ok() } else { None } }
        }

        /// What is typed from now on is not shown; it waits for the next prompt. Ctrl-C works.
        pub(in crate::chat) fn hide_typing(&self) {
            if let Some(saved) = &self.saved {
                let mut modes = saved.clone();
                modes.local_flags.remove(LocalFlags::ECHO);
                // A terminal that refuses shows what is typed: no harm.
                let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &modes);
            }
        }

        pub(in crate::chat) fn show_typing(&self) {
            if let Some(saved) = &self.saved {
                let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, saved);
            }
        }
    }

    impl Drop for Terminal {
        fn drop(&mut self) {
            self.show_typing();
            let mut stdout = io::stdout();
            if self.saved.is_some() && stdout.is_terminal() && !crate::style::is_dumb() {
                // The editor switches bracketed paste on while it reads.
                let _ = stdout.write_all(b"\x1b[?2004l").and_then(|()| stdout.flush());
            }
        }
    }
}

#[cfg(not(unix))]
mod modes {
    /// Nothing to restore.
    #[derive(Debug)]
    pub(in crate::chat) struct Terminal;

    impl Terminal {
        pub(in crate::chat) fn new() -> Self {
            Self
        }

        pub(in crate::chat) fn hide_typing(&self) {}

        pub(in crate::chat) fn show_typing(&self) {}
    }
}

pub(super) use modes::Terminal;
