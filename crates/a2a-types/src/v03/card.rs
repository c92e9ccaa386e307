//! Cards: read in any version, written so that 0.3 clients read them.

use std::collections::BTreeMap;

use serde::{Deserializer, Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value, json};

use super::JsonRpc;
use crate::{
    card::{AgentCapabilities, AgentCard, AgentCardSignature, AgentInterface, AgentProvider, AgentSkill},
    decode::{DecodeError, from_str},
    security::{OAuthFlows, SecurityRequirement, SecurityScheme, StringList},
    wire::{Decode, V1, V03, read_object},
};

/// The version of a card, and of an interface, that does not say.
const DEFAULT_VERSION: &str = "0.3.0";

/// Reads the card of an agent, whatever its version.
///
/// Members of 1.0 win; those of 0.3 fill in what they leave open. Without `supportedInterfaces`, or with an empty
/// list, `url` with `preferredTransport` and then `additionalInterfaces` become interfaces, each only once, with
/// `protocolVersion` as given, or `0.3.0`. Of several OAuth flows the most capable is kept.
///
/// # Errors
///
/// As [`from_str`](crate::from_str). That a card has no interface is no error here: see
/// [`AgentCard::validate`].
pub fn read_card(text: &str) -> Result<AgentCard, DecodeError> {
    from_str(text).map(|JsonRpc(card)| card)
}

impl Decode<V03> for AgentCard {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        let mut card = AnyCard::default();
        card.read(value)?;
        *self = card.into_card();
        Ok(())
    }
}

/// The members of a card in either version.
#[derive(Default)]
struct AnyCard {
    name: String,
    description: String,
    supported_interfaces: Vec<AgentInterface>,
    provider: Option<AgentProvider>,
    version: String,
    documentation_url: Option<String>,
    capabilities: AgentCapabilities,
    security_schemes: BTreeMap<String, SecurityScheme>,
    security_requirements: Vec<SecurityRequirement>,
    default_input_modes: Vec<String>,
    default_output_modes: Vec<String>,
    skills: Vec<AnySkill>,
    signatures: Vec<AgentCardSignature>,
    icon_url: Option<String>,
    url: String,
    preferred_transport: String,
    additional_interfaces: Vec<LegacyInterface>,
    protocol_version: String,
    security: Vec<SecurityRequirement>,
    supports_authenticated_extended_card: Option<bool>,
}

#[derive(Default)]
struct AnySkill {
    skill: AgentSkill,
    security: Vec<SecurityRequirement>,
}

#[derive(Default)]
struct LegacyInterface {
    url: String,
    transport: String,
}

impl Decode<V1> for AnySkill {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        #[derive(Default)]
        struct Members {
            id: String,
            name: String,
            description: String,
            tags: Vec<String>,
            examples: Vec<String>,
            input_modes: Vec<String>,
            output_modes: Vec<String>,
            security_requirements: Vec<SecurityRequirement>,
            security: Vec<SecurityRequirement>,
        }
        let mut members = Members::default();
        read_object!(value as V1, &mut members => Members {
            id = "id",
            name = "name",
            description = "description",
            tags = "tags",
            examples = "examples",
            input_modes = "inputModes" | "input_modes",
            output_modes = "outputModes" | "output_modes",
            security_requirements = "securityRequirements" | "security_requirements",
            security = "security",
        })?;
        self.skill = AgentSkill {
            id: members.id,
            name: members.name,
            description: members.description,
            tags: members.tags,
            examples: members.examples,
            input_modes: members.input_modes,
            output_modes: members.output_modes,
            security_requirements: members.security_requirements,
        };
        self.security = members.security;
        Ok(())
    }
}

impl Decode<V1> for LegacyInterface {
    fn decode_into<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V1, self => LegacyInterface { url = "url", transport = "transport", })
    }
}

impl AnyCard {
    fn read<'de, D: Deserializer<'de>>(&mut self, value: D) -> Result<(), D::Error> {
        read_object!(value as V1, self => AnyCard {
                name = "name",
                description = "description",
                supported_interfaces = "supportedInterfaces" | "supported_interfaces",
                provider = "provider",
                version = "version",
                documentation_url = "documentationUrl" | "documentation_url",
                capabilities = "capabilities",
                security_schemes = "securitySchemes" | "security_schemes",
                security_requirements = "securityRequirements" | "security_requirements",
                default_input_modes = "defaultInputModes" | "default_input_modes",
                default_output_modes = "defaultOutputModes" | "default_output_modes",
                skills = "skills",
                signatures = "signatures",
                icon_url = "iconUrl" | "icon_url",
                url = "url",
                preferred_transport = "preferredTransport" | "preferred_transport",
                additional_interfaces = "additionalInterfaces" | "additional_interfaces",
                protocol_version = "protocolVersion" | "protocol_version",
                security = "security",
                supports_authenticated_extended_card = "supportsAuthenticatedExtendedCard"
                    | "supports_authenticated_extended_card",
        })
    }

    fn into_card(mut self) -> AgentCard {
        if self.supported_interfaces.is_empty() {
            self.add_interfaces();
        }
        let extended_card = self.supports_authenticated_extended_card;
        let extended_card = self.capabilities.extended_agent_card.or(extended_card);
        self.capabilities.extended_agent_card = extended_card;
        let skills = self.skills.into_iter().map(|any| {
            let security_requirements = stated(any.skill.security_requirements, any.security);
            AgentSkill { security_requirements, ..any.skill }
        });
        AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces: self.supported_interfaces,
            provider: self.provider,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities: self.capabilities,
            security_schemes: self.security_schemes,
            security_requirements: stated(self.security_requirements, self.security),
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: skills.collect(),
            signatures: self.signatures,
            icon_url: self.icon_url,
        }
    }

    fn add_interfaces(&mut self) {
        if self.protocol_version.is_empty() {
            DEFAULT_VERSION.clone_into(&mut self.protocol_version);
        }
        let main = LegacyInterface {
            url: std::mem::take(&mut self.url),
            transport: std::mem::take(&mut self.preferred_transport),
        };
        for LegacyInterface { url, transport } in
            std::iter::once(main).chain(std::mem::take(&mut self.additional_interfaces))
        {
            let binding = if transport.is_empty() { AgentInterface::JSONRPC } else { &transport };
            let interface = AgentInterface::new(url, binding, self.protocol_version.as_str());
            if !interface.url.is_empty() && !self.supported_interfaces.contains(&interface) {
                self.supported_interfaces.push(interface);
            }
        }
    }
}

/// The requirements of 1.0, or those of 0.3 where there are none.
fn stated(
    requirements: Vec<SecurityRequirement>,
    legacy: Vec<SecurityRequirement>,
) -> Vec<SecurityRequirement> {
    if requirements.is_empty() { legacy } else { requirements }
}

/// A card as a 0.3 client wants it, without any 1.0 member.
///
/// Serialise it where a caller asks in 0.3, as for the extended card.
#[derive(Debug, Clone, Copy)]
pub struct LegacyCard<'a> {
    card: &'a AgentCard,
    main: &'a AgentInterface,
}

impl<'a> LegacyCard<'a> {
    /// The 0.3 form of a card; `None` if it has no interface that speaks 0.3 (`protocolVersion` empty, or from
    /// 0.3 and below 1.0) and says its URL and binding.
    pub fn new(card: &'a AgentCard) -> Option<Self> {
        let main = card.supported_interfaces.iter().find(|interface| speaks_03(interface))?;
        Some(Self { card, main })
    }

    fn to_members(self) -> Map<String, Value> {
        let Self { card, main } = self;
        // What tells two of them apart in 1.0, such as the tenant, may have no place here.
        let mut interfaces: Vec<(&str, &str)> = Vec::new();
        for interface in card.supported_interfaces.iter().filter(|interface| speaks_03(interface)) {
            let named = (interface.url.as_str(), interface.protocol_binding.as_str());
            if !interfaces.contains(&named) {
                interfaces.push(named);
            }
        }
        let others =
            interfaces.iter().skip(1).map(|(url, transport)| json!({ "url": url, "transport": transport }));
        let version = if main.protocol_version.is_empty() { "0.3" } else { &main.protocol_version };
        let schemes =
            card.security_schemes.iter().filter_map(|(name, scheme)| Some((name.clone(), flat(scheme)?)));

        let mut members = Members(Map::new());
        members.put("protocolVersion", version);
        members.put("name", &*card.name);
        members.put("description", &*card.description);
        members.put("version", &*card.version);
        members.put("url", &*main.url);
        members.put("preferredTransport", &*main.protocol_binding);
        members.put_list("additionalInterfaces", others.collect());
        members.put_some("provider", card.provider.as_ref().map(|provider| json!(provider)));
        members.put_some("iconUrl", card.icon_url.as_deref());
        members.put_some("documentationUrl", card.documentation_url.as_deref());
        members.put("capabilities", capabilities(&card.capabilities));
        members.put_object("securitySchemes", schemes.collect());
        members.put_list("security", security(&card.security_requirements));
        members.put("defaultInputModes", &*card.default_input_modes);
        members.put("defaultOutputModes", &*card.default_output_modes);
        members.put("skills", card.skills.iter().map(skill).collect::<Vec<_>>());
        members.put_list("signatures", card.signatures.iter().map(|signature| json!(signature)).collect());
        if card.capabilities.extended_agent_card == Some(true) {
            members.put("supportsAuthenticatedExtendedCard", true);
        }
        members.0
    }
}

impl Serialize for LegacyCard<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_members().serialize(serializer)
    }
}

/// A card that 1.0 and 0.3 clients both read: 1.0, with the members of 0.3 beside.
///
/// Without an interface that speaks 0.3 it is the plain 1.0 card. Signatures cover the 1.0 members alone and stay valid.
#[derive(Debug, Clone, Copy)]
pub struct DualCard<'a>(&'a AgentCard);

impl<'a> DualCard<'a> {
    /// The dual form of a card.
    pub fn new(card: &'a AgentCard) -> Self {
        Self(card)
    }
}

impl Serialize for DualCard<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(legacy) = LegacyCard::new(self.0) else { return self.0.serialize(serializer) };
        let mut dual = serde_json::to_value(self.0).map_err(S::Error::custom)?;
        add_missing(&mut dual, Value::Object(legacy.to_members()));
        dual.serialize(serializer)
    }
}

/// Adds the members of `other` that are missing, at every level; lists are merged element by element.
fn add_missing(value: &mut Value, other: Value) {
    match (value, other) {
        (Value::Object(members), Value::Object(others)) => {
            for (name, other) in others {
                match members.get_mut(&name) {
                    Some(member) => add_missing(member, other),
                    None => _ = members.insert(name, other),
                }
            }
        }
        (Value::Array(items), Value::Array(others)) => {
            items.iter_mut().zip(others).for_each(|(item, other)| add_missing(item, other));
        }
        _ => {}
    }
}

/// Whether 0.3 can name the interface. It reads no transport as JSON-RPC, and an interface without a URL as none.
fn speaks_03(interface: &AgentInterface) -> bool {
    if interface.url.is_empty() || interface.protocol_binding.is_empty() {
        return false;
    }
    let version = interface.protocol_version.as_str();
    let mut numbers = version.split('.');
    let mut number = || numbers.next().and_then(|text| text.parse::<u32>().ok());
    version.is_empty() || (number() == Some(0) && number().is_some_and(|minor| minor >= 3))
}

/// The members of a legacy object.
struct Members(Map<String, Value>);

impl Members {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn put_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    fn put_text(&mut self, name: &str, text: &str) {
        self.put_some(name, Some(text).filter(|text| !text.is_empty()));
    }

    fn put_list(&mut self, name: &str, list: Vec<Value>) {
        self.put_some(name, Some(list).filter(|list| !list.is_empty()));
    }

    fn put_object(&mut self, name: &str, object: Map<String, Value>) {
        self.put_some(name, Some(object).filter(|object| !object.is_empty()));
    }
}

fn capabilities(capabilities: &AgentCapabilities) -> Value {
    let mut members = Members(Map::new());
    members.put_some("streaming", capabilities.streaming);
    members.put_some("pushNotifications", capabilities.push_notifications);
    members
        .put_list("extensions", capabilities.extensions.iter().map(|extension| json!(extension)).collect());
    Value::Object(members.0)
}

fn security(requirements: &[SecurityRequirement]) -> Vec<Value> {
    let scopes = |(name, scopes): (&String, &StringList)| (name.clone(), json!(scopes.list));
    requirements.iter().map(|requirement| requirement.schemes.iter().map(scopes).collect()).collect()
}

fn skill(skill: &AgentSkill) -> Value {
    let mut members = Members(Map::new());
    members.put("id", &*skill.id);
    members.put("name", &*skill.name);
    members.put("description", &*skill.description);
    members.put("tags", &*skill.tags);
    for (name, list) in [
        ("examples", &skill.examples),
        ("inputModes", &skill.input_modes),
        ("outputModes", &skill.output_modes),
    ] {
        members.put_some(name, Some(list.as_slice()).filter(|list| !list.is_empty()));
    }
    members.put_list("security", security(&skill.security_requirements));
    Value::Object(members.0)
}

/// The scheme with a `type`; `None` for one that this version does not know.
fn flat(scheme: &SecurityScheme) -> Option<Value> {
    let mut members = Members(Map::new());
    let description = match scheme {
        SecurityScheme::ApiKey(scheme) => {
            members.put("type", "apiKey");
            members.put("in", scheme.location.to_ascii_lowercase());
            members.put("name", &*scheme.name);
            &scheme.description
        }
        SecurityScheme::HttpAuth(scheme) => {
            members.put("type", "http");
            members.put("scheme", &*scheme.scheme);
            members.put_text("bearerFormat", &scheme.bearer_format);
            &scheme.description
        }
        SecurityScheme::OAuth2(scheme) => {
            members.put("type", "oauth2");
            members.put("flows", flows(&scheme.flows));
            members.put_text("oauth2MetadataUrl", &scheme.oauth2_metadata_url);
            &scheme.description
        }
        SecurityScheme::OpenIdConnect(scheme) => {
            members.put("type", "openIdConnect");
            members.put("openIdConnectUrl", &*scheme.open_id_connect_url);
            &scheme.description
        }
        SecurityScheme::MutualTls(scheme) => {
            members.put("type", "mutualTLS");
            &scheme.description
        }
        SecurityScheme::Unknown(_) => return None,
    };
    members.put_text("description", description);
    Some(Value::Object(members.0))
}

/// The flow of 0.3, where `scopes` is required and PKCE unknown. There is none for device codes.
fn flows(flows: &OAuthFlows) -> Value {
    let flow = |urls: &[(&str, &str)], refresh_url: &str, scopes: &BTreeMap<String, String>| {
        let mut members = Members(Map::new());
        urls.iter().for_each(|(name, url)| members.put(name, *url));
        members.put_text("refreshUrl", refresh_url);
        members.put("scopes", json!(scopes));
        Value::Object(members.0)
    };
    match flows {
        OAuthFlows::AuthorizationCode(it) => {
            let urls = [("authorizationUrl", &*it.authorization_url), ("tokenUrl", &*it.token_url)];
            json!({ "authorizationCode": flow(&urls, &it.refresh_url, &it.scopes) })
        }
        OAuthFlows::ClientCredentials(it) => {
            json!({ "clientCredentials": flow(&[("tokenUrl", &*it.token_url)], &it.refresh_url, &it.scopes) })
        }
        OAuthFlows::Implicit(it) => {
            let urls = [("authorizationUrl", &*it.authorization_url)];
            json!({ "implicit": flow(&urls, &it.refresh_url, &it.scopes) })
        }
        OAuthFlows::Password(it) => {
            json!({ "password": flow(&[("tokenUrl", &*it.token_url)], &it.refresh_url, &it.scopes) })
        }
        OAuthFlows::DeviceCode(_) | OAuthFlows::Unknown(_) => json!({}),
    }
}
