//! Test support: a scripted transport, a byte-exact loopback server, a transcript reader.
