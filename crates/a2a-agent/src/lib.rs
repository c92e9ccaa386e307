//! A remote A2A agent as a local value: reply, reply_stream, observe, resumable state
