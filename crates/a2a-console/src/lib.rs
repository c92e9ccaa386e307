//! Talk to A2A agents from a terminal: the a2a command and launch_console
