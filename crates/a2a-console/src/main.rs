//! The command `a2a`.

use std::process::ExitCode;

fn main() -> ExitCode {
    a2a_console::main()
}
