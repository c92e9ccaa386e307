//! Authentication schemes and requirements of a card (§4.5).

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
    ser::SerializeMap as _,
};
use serde_json::{Map, Value};

use crate::wire::{Decode, Kept, V1, read_object, wire_oneof, wire_struct, written_struct};

written_struct! {
    /// Schemes that together give access, by name, with the scopes each must have (§4.5.1).
    ///
    /// The form of 0.3, `{"scheme": ["scope"]}`, is read too.
    pub struct SecurityRequirement {
        /// Scheme name to scopes. Empty: nothing is demanded.
        pub schemes: BTreeMap<String, StringList> = "schemes";
    }
}

impl Decode<V1> for SecurityRequirement {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        #[derive(Default)]
        struct Members {
            schemes: BTreeMap<String, StringList>,
            others: Kept,
        }
        let mut members = Members::default();
        read_object!(value as V1, &mut members => Members, rest others { schemes = "schemes", })?;
        self.schemes = members.schemes;
        if self.schemes.is_empty() {
            let bare = members.others.unwrap_or_default().into_iter().filter(|(_, scopes)| scopes.is_array());
            self.schemes.extend(bare.filter_map(|(name, scopes)| Some((name, read(&scopes)?))));
        }
        Ok(())
    }
}

written_struct! {
    /// A list of strings as a map value. A bare list is read too.
    pub struct StringList {
        /// The strings.
        pub list: Vec<String> = "list";
    }
}

impl Decode<V1> for StringList {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        struct ListOrObject<'a>(&'a mut StringList);
        impl<'de> Visitor<'de> for ListOrObject<'_> {
            type Value = ();
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a list of strings")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
                Decode::<V1>::decode_into(&mut self.0.list, SeqAccessDeserializer::new(seq))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
                let object = MapAccessDeserializer::new(map);
                read_object!(object as V1, self.0 => StringList { list = "list", })
            }
        }
        value.deserialize_any(ListOrObject(self))
    }
}

/// How a client may authenticate (§4.5.2): exactly one wrapper member.
///
/// Read from every form that cards carry: the wrapper members of 1.0 (legacy members beside them are
/// ignored), the flat `type` form of 0.3, and the in-memory form `{"scheme": {"$case", "value"}}` that one
/// SDK publishes. What is none of these is kept in [`Unknown`](Self::Unknown): a scheme never fails a card.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SecurityScheme {
    /// An API key.
    ApiKey(ApiKeySecurityScheme),
    /// HTTP authentication: bearer, basic, …
    HttpAuth(HttpAuthSecurityScheme),
    /// OAuth 2.0.
    OAuth2(OAuth2SecurityScheme),
    /// OpenID Connect.
    OpenIdConnect(OpenIdConnectSecurityScheme),
    /// Mutual TLS.
    MutualTls(MutualTlsSecurityScheme),
    /// None of the above; the members are kept.
    Unknown(Map<String, Value>),
}

wire_struct! {
    /// An API key in a header, a query parameter or a cookie.
    pub struct ApiKeySecurityScheme {
        /// For humans.
        pub description: String = "description";
        /// `header`, `query` or `cookie`.
        pub location: String = "location", required;
        /// Name of the header, parameter or cookie.
        pub name: String = "name", required;
    }
}

wire_struct! {
    /// An HTTP authentication scheme.
    pub struct HttpAuthSecurityScheme {
        /// For humans.
        pub description: String = "description";
        /// Name of the scheme, compared without case.
        pub scheme: String = "scheme", required;
        /// Hint at the form of the token, such as `JWT`.
        pub bearer_format: String = "bearerFormat";
    }
}

wire_struct! {
    /// OAuth 2.0.
    pub struct OAuth2SecurityScheme {
        /// For humans.
        pub description: String = "description";
        /// The flow.
        pub flows: OAuthFlows = "flows", required;
        /// Metadata of the authorisation server (RFC 8414).
        pub oauth2_metadata_url: String = "oauth2MetadataUrl";
    }
}

wire_struct! {
    /// OpenID Connect.
    pub struct OpenIdConnectSecurityScheme {
        /// For humans.
        pub description: String = "description";
        /// Discovery document.
        pub open_id_connect_url: String = "openIdConnectUrl", required;
    }
}

wire_struct! {
    /// Mutual TLS.
    pub struct MutualTlsSecurityScheme {
        /// For humans.
        pub description: String = "description";
    }
}

wire_oneof! {
    /// The flow of an OAuth 2.0 scheme.
    pub enum OAuthFlows {
        /// Authorisation code.
        AuthorizationCode(AuthorizationCodeOAuthFlow) = "authorizationCode" | "authorization_code";
        /// Client credentials.
        ClientCredentials(ClientCredentialsOAuthFlow) = "clientCredentials" | "client_credentials";
        /// Implicit; deprecated, read but not to be offered.
        Implicit(ImplicitOAuthFlow) = "implicit" | "implicit";
        /// Password; deprecated, read but not to be offered.
        Password(PasswordOAuthFlow) = "password" | "password";
        /// Device code.
        DeviceCode(DeviceCodeOAuthFlow) = "deviceCode" | "device_code";
    }
}

wire_struct! {
    /// Authorisation code flow.
    pub struct AuthorizationCodeOAuthFlow {
        /// Authorisation endpoint.
        pub authorization_url: String = "authorizationUrl", required;
        /// Token endpoint.
        pub token_url: String = "tokenUrl", required;
        /// Refresh endpoint.
        pub refresh_url: String = "refreshUrl";
        /// Scope to description.
        pub scopes: BTreeMap<String, String> = "scopes", required;
        /// Whether PKCE is demanded.
        pub pkce_required: bool = "pkceRequired";
    }
}

wire_struct! {
    /// Client credentials flow.
    pub struct ClientCredentialsOAuthFlow {
        /// Token endpoint.
        pub token_url: String = "tokenUrl", required;
        /// Refresh endpoint.
        pub refresh_url: String = "refreshUrl";
        /// Scope to description.
        pub scopes: BTreeMap<String, String> = "scopes", required;
    }
}

wire_struct! {
    /// Implicit flow.
    pub struct ImplicitOAuthFlow {
        /// Authorisation endpoint.
        pub authorization_url: String = "authorizationUrl";
        /// Refresh endpoint.
        pub refresh_url: String = "refreshUrl";
        /// Scope to description.
        pub scopes: BTreeMap<String, String> = "scopes";
    }
}

wire_struct! {
    /// Password flow.
    pub struct PasswordOAuthFlow {
        /// Token endpoint.
        pub token_url: String = "tokenUrl";
        /// Refresh endpoint.
        pub refresh_url: String = "refreshUrl";
        /// Scope to description.
        pub scopes: BTreeMap<String, String> = "scopes";
    }
}

wire_struct! {
    /// Device code flow.
    pub struct DeviceCodeOAuthFlow {
        /// Device authorisation endpoint.
        pub device_authorization_url: String = "deviceAuthorizationUrl", required;
        /// Token endpoint.
        pub token_url: String = "tokenUrl", required;
        /// Refresh endpoint.
        pub refresh_url: String = "refreshUrl";
        /// Scope to description.
        pub scopes: BTreeMap<String, String> = "scopes", required;
    }
}

impl Default for SecurityScheme {
    fn default() -> Self {
        Self::Unknown(Map::new())
    }
}

impl Serialize for SecurityScheme {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        match self {
            Self::ApiKey(scheme) => object.serialize_entry("apiKeySecurityScheme", scheme)?,
            Self::HttpAuth(scheme) => object.serialize_entry("httpAuthSecurityScheme", scheme)?,
            Self::OAuth2(scheme) => object.serialize_entry("oauth2SecurityScheme", scheme)?,
            Self::OpenIdConnect(scheme) => object.serialize_entry("openIdConnectSecurityScheme", scheme)?,
            Self::MutualTls(scheme) => object.serialize_entry("mtlsSecurityScheme", scheme)?,
            Self::Unknown(members) => {
                for (name, value) in members {
                    object.serialize_entry(name, value)?;
                }
            }
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for SecurityScheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Cards are read once, and their schemes come in many shapes: here a value first is the simple way.
        Ok(match Value::deserialize(deserializer)? {
            Value::Object(members) => Self::from_members(members),
            _ => Self::default(),
        })
    }
}

impl SecurityScheme {
    fn from_members(members: Map<String, Value>) -> Self {
        let recognised = wrapped(&members).or_else(|| in_memory(&members)).or_else(|| flat(&members));
        recognised.unwrap_or(Self::Unknown(members))
    }

    /// The scheme inside a wrapper member of this name.
    fn from_wrapper(name: &str, value: &Value) -> Option<Self> {
        match name {
            "apiKeySecurityScheme" | "api_key_security_scheme" => read(value).map(Self::ApiKey),
            "httpAuthSecurityScheme" | "http_auth_security_scheme" => read(value).map(Self::HttpAuth),
            "oauth2SecurityScheme" | "oauth2_security_scheme" => read_oauth2(value.clone()),
            "openIdConnectSecurityScheme" | "open_id_connect_security_scheme" => {
                read(value).map(Self::OpenIdConnect)
            }
            "mtlsSecurityScheme" | "mtls_security_scheme" => read(value).map(Self::MutualTls),
            _ => None,
        }
    }
}

fn read<T: for<'de> Deserialize<'de>>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// The form of 1.0: one wrapper member.
fn wrapped(members: &Map<String, Value>) -> Option<SecurityScheme> {
    members.iter().find_map(|(name, value)| SecurityScheme::from_wrapper(name, value))
}

/// `{"scheme": {"$case": wrapper, "value": {…}}}`.
fn in_memory(members: &Map<String, Value>) -> Option<SecurityScheme> {
    let scheme = members.get("scheme")?;
    SecurityScheme::from_wrapper(scheme.get("$case")?.as_str()?, scheme.get("value")?)
}

/// The form of 0.3: a `type`, and the members beside it.
fn flat(members: &Map<String, Value>) -> Option<SecurityScheme> {
    let kind = members.get("type")?.as_str()?;
    let mut members = members.clone();
    if let Some(location) = members.remove("in") {
        members.insert("location".to_owned(), location);
    }
    let value = Value::Object(members);
    match kind {
        "apiKey" => read(&value).map(SecurityScheme::ApiKey),
        "http" => read(&value).map(SecurityScheme::HttpAuth),
        "oauth2" => read_oauth2(value),
        "openIdConnect" => read(&value).map(SecurityScheme::OpenIdConnect),
        "mutualTLS" => read(&value).map(SecurityScheme::MutualTls),
        _ => None,
    }
}

/// 0.3 allows several flows, 1.0 one: the most capable that is given stays. The in-memory form,
/// `{"flow": {"$case", "value"}}`, has one.
fn read_oauth2(mut scheme: Value) -> Option<SecurityScheme> {
    const PREFERRED: [&str; 5] =
        ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"];
    if let Some(Value::Object(flows)) = scheme.get_mut("flows") {
        if let Some(flow) = flows.remove("flow")
            && let (Some(name), Some(value)) = (flow.get("$case").and_then(Value::as_str), flow.get("value"))
        {
            flows.insert(name.to_owned(), value.clone());
        }
        if let Some(kept) = PREFERRED.into_iter().find(|name| flows.get(*name).is_some_and(Value::is_object))
        {
            flows.retain(|name, _| name == kept);
        }
    }
    read(&scheme).map(SecurityScheme::OAuth2)
}

impl<V> Decode<V> for SecurityScheme {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        *self = Self::deserialize(value)?;
        Ok(())
    }
}
