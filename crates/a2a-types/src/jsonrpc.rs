//! The JSON-RPC 2.0 envelope and the method names (§9).

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor},
    ser::SerializeStruct as _,
};
use serde_json::{Number, Value};

use crate::{
    error::{ErrorCode, error_reason},
    json::RawJson,
    wire::{Decode, Member, V1, at_member, decode, read_object},
};

macro_rules! methods {
    ($( $(#[$meta:meta])* $variant:ident = $name:literal; )*) => {
        /// The operations of A2A (§9.4).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Method {
            $( $(#[$meta])* $variant, )*
        }

        impl Method {
            /// All operations.
            pub const ALL: &'static [Self] = &[$( Self::$variant ),*];

            /// The method name of 1.0.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )*
                }
            }

            /// The operation with this method name of 1.0; case matters.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }
    };
}

methods! {
    /// Send a message, wait for the result.
    SendMessage = "SendMessage";
    /// Send a message, receive a stream.
    SendStreamingMessage = "SendStreamingMessage";
    /// Look a task up.
    GetTask = "GetTask";
    /// List tasks.
    ListTasks = "ListTasks";
    /// Cancel a task.
    CancelTask = "CancelTask";
    /// Follow a task.
    SubscribeToTask = "SubscribeToTask";
    /// Register a webhook.
    CreateTaskPushNotificationConfig = "CreateTaskPushNotificationConfig";
    /// Look a webhook up.
    GetTaskPushNotificationConfig = "GetTaskPushNotificationConfig";
    /// List webhooks.
    ListTaskPushNotificationConfigs = "ListTaskPushNotificationConfigs";
    /// Remove a webhook.
    DeleteTaskPushNotificationConfig = "DeleteTaskPushNotificationConfig";
    /// Get the card for authenticated callers.
    GetExtendedAgentCard = "GetExtendedAgentCard";
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The id of a request, echoed in its response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestId {
    /// Missing, or `null`: the request could not be read.
    #[default]
    Null,
    /// An integer.
    Number(i64),
    /// A string.
    String(String),
    /// A number that is no 64-bit integer; legal, if odd.
    Other(Number),
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self::Number(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.to_owned())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::String(id)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Number(id) => serializer.serialize_i64(*id),
            Self::String(id) => serializer.serialize_str(id),
            Self::Other(id) => id.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::<V1, _, _>(deserializer)
    }
}

impl Decode<V1> for RequestId {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct Id;
        impl Visitor<'_> for Id {
            type Value = RequestId;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or null")
            }
            fn visit_unit<E: de::Error>(self) -> Result<RequestId, E> {
                Ok(RequestId::Null)
            }
            fn visit_i64<E: de::Error>(self, id: i64) -> Result<RequestId, E> {
                Ok(RequestId::Number(id))
            }
            fn visit_u64<E: de::Error>(self, id: u64) -> Result<RequestId, E> {
                Ok(i64::try_from(id).map_or_else(|_| RequestId::Other(id.into()), RequestId::Number))
            }
            fn visit_f64<E: de::Error>(self, id: f64) -> Result<RequestId, E> {
                Number::from_f64(id)
                    .map(RequestId::Other)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Float(id), &self))
            }
            fn visit_str<E: de::Error>(self, id: &str) -> Result<RequestId, E> {
                Ok(id.into())
            }
        }
        *self = value.deserialize_any(Id)?;
        Ok(())
    }
}

/// A request to be sent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JsonRpcRequest<'a, P> {
    /// Id, chosen by the client.
    pub id: RequestId,
    /// Method name.
    pub method: &'a str,
    /// Parameters.
    pub params: P,
}

impl<'a, P> JsonRpcRequest<'a, P> {
    /// A request.
    pub fn new(id: impl Into<RequestId>, method: &'a str, params: P) -> Self {
        Self { id: id.into(), method, params }
    }
}

impl<P: Serialize> Serialize for JsonRpcRequest<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("JsonRpcRequest", 4)?;
        object.serialize_field("jsonrpc", "2.0")?;
        object.serialize_field("id", &self.id)?;
        object.serialize_field("method", self.method)?;
        object.serialize_field("params", &self.params)?;
        object.end()
    }
}

/// A request as it was received; its parameters are read once the method is known.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct IncomingRequest {
    /// `jsonrpc` as sent; anything but `2.0` is an invalid request.
    pub jsonrpc: String,
    /// Id.
    pub id: RequestId,
    /// Method name.
    pub method: String,
    /// Parameters; `None` when absent or `null`.
    pub params: Option<RawJson>,
}

impl<'de> Deserialize<'de> for IncomingRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut request = Self::default();
        read_object!(deserializer as V1, &mut request => IncomingRequest {
            jsonrpc = "jsonrpc",
            id = "id",
            method = "method",
            params = "params",
        })?;
        Ok(request)
    }
}

/// A response: a result or an error, tolerant of a `null` beside the other.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JsonRpcResponse<T> {
    /// Id of the request; [`RequestId::Null`] also when missing.
    pub id: RequestId,
    /// The result, unless it is absent or `null`.
    pub result: Option<T>,
    /// The error, unless it is absent or `null`.
    pub error: Option<RpcError>,
}

impl<T> JsonRpcResponse<T> {
    /// A success.
    pub fn success(id: RequestId, result: T) -> Self {
        Self { id, result: Some(result), error: None }
    }

    /// A failure.
    pub fn failure(id: RequestId, error: RpcError) -> Self {
        Self { id, result: None, error: Some(error) }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonRpcResponse<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut response = Self { id: RequestId::Null, result: None, error: None };
        deserializer.deserialize_map(ResponseVisitor(&mut response))?;
        Ok(response)
    }
}

struct ResponseVisitor<'a, T>(&'a mut JsonRpcResponse<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ResponseVisitor<'_, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC response object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(member) = map.next_key()? {
            let (name, read) = match member {
                ResponseMember::Id => ("id", map.next_value_seed(Member::<_, V1>::new(&mut self.0.id))),
                ResponseMember::Result => ("result", map.next_value_seed(OrNull(&mut self.0.result))),
                ResponseMember::Error => ("error", map.next_value_seed(OrNull(&mut self.0.error))),
                ResponseMember::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            read.map_err(|error| at_member(name, &error))?;
        }
        Ok(())
    }
}

/// Reads a value in place, `null` as none.
struct OrNull<'a, T>(&'a mut Option<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for OrNull<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_option(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrNull<'_, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }
    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        *self.0 = None;
        Ok(())
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }
    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        *self.0 = Some(T::deserialize(value)?);
        Ok(())
    }
}

enum ResponseMember {
    Id,
    Result,
    Error,
    Unknown,
}

impl<'de> Deserialize<'de> for ResponseMember {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = ResponseMember;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<ResponseMember, E> {
                Ok(match name {
                    "id" => ResponseMember::Id,
                    "result" => ResponseMember::Result,
                    "error" => ResponseMember::Error,
                    _ => ResponseMember::Unknown,
                })
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

impl<T: Serialize> Serialize for JsonRpcResponse<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("JsonRpcResponse", 3)?;
        object.serialize_field("jsonrpc", "2.0")?;
        object.serialize_field("id", &self.id)?;
        match &self.error {
            Some(error) => object.serialize_field("error", error)?,
            None => object.serialize_field("result", &self.result)?,
        }
        object.end()
    }
}

/// The error object of a response (§9.5).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RpcError {
    /// What went wrong.
    pub code: ErrorCode,
    /// For humans.
    pub message: String,
    /// Details: in 1.0 a list of objects with `@type`, from older peers any value; `null` when absent.
    pub data: Value,
}

impl RpcError {
    /// An error without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }

    /// The same error with details.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// The reason its details name, if they do.
    pub fn reason(&self) -> Option<&str> {
        error_reason(&self.data)
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for RpcError {}

impl Serialize for RpcError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("RpcError", 3)?;
        object.serialize_field("code", &self.code.code())?;
        object.serialize_field("message", &self.message)?;
        if !self.data.is_null() {
            object.serialize_field("data", &self.data)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for RpcError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut error = Self::default();
        read_object!(deserializer as V1, &mut error => RpcError {
            code = "code",
            message = "message",
            data = "data",
        })?;
        Ok(error)
    }
}
