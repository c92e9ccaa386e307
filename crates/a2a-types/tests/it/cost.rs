//! What reading allocates (the box, the strings and the lists of the value, no more), and what moving takes.

use a2a_types::{JsonRpcResponse, StreamResponse, from_str, v03};
use serde::de::DeserializeOwned;

fn allocations<T: DeserializeOwned>(text: &str) -> u64 {
    allocation_counter::measure(|| drop(from_str::<T>(text).unwrap())).count_total
}

#[test]
fn a_text_chunk_allocates_its_box_its_ids_its_list_and_its_text() {
    for text in ["08:10", &"x".repeat(4096)] {
        let payload = format!(
            r#"{{"artifactUpdate":{{"taskId":"t-41","contextId":"c-9","artifact":{{"artifactId":"a1","parts":[{{"text":"{text}"}}]}},"append":true}}}}"#
        );
        assert_eq!(allocations::<StreamResponse>(&payload), 6);
        let envelope = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{payload}}}"#);
        assert_eq!(allocations::<JsonRpcResponse<StreamResponse>>(&envelope), 6);
        let legacy = format!(
            r#"{{"kind":"artifact-update","taskId":"t-41","contextId":"c-9","artifact":{{"artifactId":"a1","parts":[{{"kind":"text","text":"{text}"}}]}},"append":true}}"#
        );
        assert_eq!(allocations::<v03::JsonRpc<v03::StreamEvent>>(&legacy), 6);
    }
}

#[test]
fn a_payload_is_cheap_to_move() {
    assert!(size_of::<StreamResponse>() <= 4 * size_of::<usize>());
}
