//! Turns A2A response payloads into AgentScope-compatible events and messages, without I/O
