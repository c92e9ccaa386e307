//! Objects of 0.3 in both dialects: no panic, and after what 0.3 has no place for is gone, what was read is written so
//! that it reads the same again.
#![no_main]

use std::fmt::Debug;

use a2a_types::{
    CancelTaskRequest, SendMessageRequest, SendMessageResponse, TaskPushNotificationConfig, from_slice, from_str,
    v03::{self, JsonRpc, Rest, StreamEvent},
};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};

fuzz_target!(|bytes: &[u8]| {
    check::<JsonRpc<StreamEvent>>(bytes);
    check::<Rest<StreamEvent>>(bytes);
    check::<JsonRpc<SendMessageResponse>>(bytes);
    check::<JsonRpc<SendMessageRequest>>(bytes);
    check::<Rest<SendMessageRequest>>(bytes);
    check::<Rest<CancelTaskRequest>>(bytes);
    check::<JsonRpc<TaskPushNotificationConfig>>(bytes);
    check::<Rest<TaskPushNotificationConfig>>(bytes);
    if let Ok(value) = from_slice(bytes) {
        let _ = v03::version_of(&value);
        if let Some(error) = v03::error_from_body(500, &value) {
            let (status, body) = v03::error_body(&error);
            assert!(v03::error_from_body(status, &body).is_some());
        }
    }
    if let Ok(Rest(mut event)) = from_slice::<Rest<StreamEvent>>(bytes) {
        v03::decode_nested_base64(&mut event.response);
    }
});

fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(read) = from_slice::<T>(bytes) else { return };
    let text = serde_json::to_string(&read).expect("what was read can be written");
    let settled: T = from_str(&text).expect("what was written can be read");
    let again = serde_json::to_string(&settled).expect("written once already");
    assert_eq!(again, text);
    assert_eq!(from_str::<T>(&again).expect("what was written can be read"), settled);
}
