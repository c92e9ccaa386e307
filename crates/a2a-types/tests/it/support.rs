//! One way to say what a text reads as.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Reads each text and compares what is written back, exactly. What was written reads as the same value.
pub(crate) fn check<T>(rows: &[(&str, &str)])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    for (text, expect) in rows {
        let read: T = a2a_types::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(written, *expect, "{text}");
        assert_eq!(a2a_types::from_str::<T>(&written).unwrap(), read, "{text}");
    }
}

/// Each text is refused, with this in the message.
pub(crate) fn refuse<T: DeserializeOwned + Debug>(rows: &[(&str, &str)]) {
    for (text, expect) in rows {
        let error = a2a_types::from_str::<T>(text).expect_err(text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    }
}

/// Reads a JSON value.
pub(crate) fn read<T: DeserializeOwned>(json: &Value) -> T {
    a2a_types::from_str(&json.to_string()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// What is written, as a JSON value.
pub(crate) fn written(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}
