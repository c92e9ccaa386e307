//! Payloads of 1.0: no panic, and what was read is written so that it reads the same again.
#![no_main]

use a2a_types::{JsonRpcResponse, StreamResponse, from_slice};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = from_slice::<StreamResponse>(bytes) {
        let text = serde_json::to_string(&read).expect("what was read can be written");
        let again: StreamResponse = a2a_types::from_str(&text).expect("what was written can be read");
        assert_eq!(again, read, "{text}");
        assert_eq!(serde_json::to_string(&again).expect("written once already"), text);
    }
    if let Ok(read) = from_slice::<JsonRpcResponse<StreamResponse>>(bytes) {
        let text = serde_json::to_string(&read).expect("what was read can be written");
        a2a_types::from_str::<JsonRpcResponse<StreamResponse>>(&text).expect("what was written can be read");
    }
});
