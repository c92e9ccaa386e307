//! Agent cards (§4.4).

use std::collections::BTreeMap;

use crate::{
    json::Metadata,
    security::{SecurityRequirement, SecurityScheme},
    wire::wire_struct,
};

wire_struct! {
    /// A remote agent's description of itself (§4.4.1).
    pub struct AgentCard {
        /// Name of the agent.
        pub name: String = "name", required;
        /// What it does.
        pub description: String = "description", required;
        /// Where it can be reached, preferred first.
        pub supported_interfaces: Vec<AgentInterface> = "supportedInterfaces", required;
        /// Who operates it.
        pub provider: Option<AgentProvider> = "provider";
        /// Version of the agent itself.
        pub version: String = "version", required;
        /// Documentation for humans.
        pub documentation_url: Option<String> = "documentationUrl";
        /// Optional features.
        pub capabilities: AgentCapabilities = "capabilities", required;
        /// Named authentication schemes.
        pub security_schemes: BTreeMap<String, SecurityScheme> = "securitySchemes";
        /// Alternatives, each a set of schemes that together give access; empty demands nothing.
        pub security_requirements: Vec<SecurityRequirement> = "securityRequirements";
        /// Media types accepted.
        pub default_input_modes: Vec<String> = "defaultInputModes", required;
        /// Media types produced.
        pub default_output_modes: Vec<String> = "defaultOutputModes", required;
        /// Abilities.
        pub skills: Vec<AgentSkill> = "skills", required;
        /// JWS signatures over the card.
        pub signatures: Vec<AgentCardSignature> = "signatures";
        /// Icon.
        pub icon_url: Option<String> = "iconUrl";
    }
}

impl AgentCard {
    /// A card with a name and where the agent is.
    pub fn new(name: impl Into<String>, supported_interfaces: Vec<AgentInterface>) -> Self {
        Self { name: name.into(), supported_interfaces, ..Self::default() }
    }
}

wire_struct! {
    /// One way to reach an agent (§4.4.6).
    pub struct AgentInterface {
        /// Absolute URL; for gRPC `host:port`.
        pub url: String = "url", required;
        /// `JSONRPC`, `GRPC`, `HTTP+JSON`, or a URI (§5.8).
        pub protocol_binding: String = "protocolBinding", required;
        /// To be echoed in every request; empty for none.
        pub tenant: String = "tenant";
        /// `Major.Minor`, such as `1.0`.
        pub protocol_version: String = "protocolVersion", required;
    }
}

impl AgentInterface {
    /// The JSON-RPC binding (§9).
    pub const JSONRPC: &'static str = "JSONRPC";
    /// The HTTP+JSON binding (§11).
    pub const HTTP_JSON: &'static str = "HTTP+JSON";
    /// The gRPC binding (§10).
    pub const GRPC: &'static str = "GRPC";

    /// An interface without tenant.
    pub fn new(
        url: impl Into<String>,
        protocol_binding: impl Into<String>,
        protocol_version: impl Into<String>,
    ) -> Self {
        Self {
            url: url.into(),
            protocol_binding: protocol_binding.into(),
            tenant: String::new(),
            protocol_version: protocol_version.into(),
        }
    }
}

wire_struct! {
    /// Who operates an agent (§4.4.2).
    pub struct AgentProvider {
        /// Site.
        pub url: String = "url", required;
        /// Name.
        pub organization: String = "organization", required;
    }
}

wire_struct! {
    /// Optional features of an agent (§4.4.3). `None` is "not supported".
    pub struct AgentCapabilities {
        /// SendStreamingMessage and SubscribeToTask.
        pub streaming: Option<bool> = "streaming";
        /// Push notification configurations.
        pub push_notifications: Option<bool> = "pushNotifications";
        /// Protocol extensions.
        pub extensions: Vec<AgentExtension> = "extensions";
        /// GetExtendedAgentCard.
        pub extended_agent_card: Option<bool> = "extendedAgentCard";
    }
}

wire_struct! {
    /// A protocol extension an agent speaks (§4.4.4).
    pub struct AgentExtension {
        /// Names the extension and its version.
        pub uri: String = "uri";
        /// How the agent uses it.
        pub description: String = "description";
        /// Whether a client must activate it.
        pub required: bool = "required";
        /// Its configuration.
        pub params: Option<Metadata> = "params";
    }
}

wire_struct! {
    /// An ability of an agent (§4.4.5).
    pub struct AgentSkill {
        /// Id.
        pub id: String = "id", required;
        /// Name.
        pub name: String = "name", required;
        /// Details.
        pub description: String = "description", required;
        /// Keywords.
        pub tags: Vec<String> = "tags", required;
        /// Sample prompts.
        pub examples: Vec<String> = "examples";
        /// Media types accepted; empty for the card's.
        pub input_modes: Vec<String> = "inputModes";
        /// Media types produced; empty for the card's.
        pub output_modes: Vec<String> = "outputModes";
        /// What the skill demands; empty for the card's.
        pub security_requirements: Vec<SecurityRequirement> = "securityRequirements";
    }
}

impl AgentSkill {
    /// A skill with a name and details.
    pub fn new(id: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), description: description.into(), ..Self::default() }
    }
}

wire_struct! {
    /// A JWS signature over a card, payload detached (§4.4.7, §8.4).
    pub struct AgentCardSignature {
        /// Protected header, base64url.
        pub protected: String = "protected", required;
        /// Signature, base64url.
        pub signature: String = "signature", required;
        /// Unprotected header.
        pub header: Option<Metadata> = "header";
    }
}
