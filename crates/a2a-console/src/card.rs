//! A card, for people.

use std::fmt;

use a2a_agent::{AgentCard, InterfacePreferences};
use a2a_transport::select_interface;
use a2a_types::{
    AgentCapabilities, AgentCardSignature, AgentInterface, AgentSkill, OAuthFlows, SecurityRequirement,
    SecurityScheme,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;

use crate::{
    plain::{plain_line, plain_text},
    style::Style,
};

/// A card, as people read it: what the agent is, how it is reached and which of its interfaces is used, what it can
/// do and wants, and where the card departs from the specification.
#[derive(Debug)]
pub(crate) struct Described<'a> {
    pub(crate) card: &'a AgentCard,
    pub(crate) found_at: Option<&'a str>,
    /// The trusted key that has signed the card, or why none has; `None` if this was not checked.
    pub(crate) signed: Option<Result<String, String>>,
    pub(crate) preferences: &'a InterfacePreferences,
    pub(crate) style: Style,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = self.card;
        let name = self.style.bold(plain_line(&card.name));
        match plain_line(&card.version) {
            version if version.is_empty() => writeln!(f, "{name}")?,
            version => writeln!(f, "{name} {version}")?,
        }
        if !card.description.is_empty() {
            writeln!(f, "{}", plain_text(&card.description).trim_end())?;
        }
        writeln!(f)?;
        if let Some(url) = self.found_at {
            line(f, "Card", url)?;
        }
        if let Some(provider) = &card.provider {
            line(f, "Provider", &format!("{} ({})", provider.organization, provider.url))?;
        }
        if let Some(url) = &card.documentation_url {
            line(f, "Documentation", url)?;
        }
        line(f, "Input", &list(&card.default_input_modes))?;
        line(f, "Output", &list(&card.default_output_modes))?;
        line(f, "Capabilities", &capabilities(&card.capabilities))?;
        line(f, "Signatures", &signatures(card, self.signed.as_ref()))?;
        self.interfaces(f)?;
        self.extensions(f)?;
        self.skills(f)?;
        self.security(f)?;
        self.departures(f)
    }
}

impl Described<'_> {
    fn heading(&self, f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
        writeln!(f, "\n{}", self.style.bold(text))
    }

    fn interfaces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heading(f, "Interfaces")?;
        let selected = select_interface(self.card, self.preferences);
        let label = |interface: &AgentInterface| {
            plain_line(&format!("{} {}", interface.protocol_binding, interface.protocol_version))
        };
        let widest =
            self.card.supported_interfaces.iter().map(|interface| label(interface).chars().count()).max();
        let mut used = selected.as_ref().ok().map(|selected| &selected.interface);
        for interface in &self.card.supported_interfaces {
            let remark = if used == Some(interface) {
                // The same entry may be there twice.
                used = None;
                "  <- used"
            } else if is_usable(interface, self.preferences) {
                ""
            } else if is_usable(interface, &InterfacePreferences::default()) {
                "  (not wanted)"
            } else {
                "  (not spoken here)"
            };
            let AgentInterface { url, tenant, .. } = interface;
            let tenant = if tenant.is_empty() { String::new() } else { format!(", tenant {tenant}") };
            let place = plain_line(&format!("{url}{tenant}"));
            let width = widest.unwrap_or_default();
            writeln!(f, "  {:width$}  {place}{}", label(interface), self.style.bold(remark))?;
        }
        let why = match &selected {
            Ok(selected) => format!(
                "The binding of the first entry that is spoken here and wanted ({}), in its highest version ({}).",
                selected.binding.as_str(),
                selected.version
            ),
            Err(error) => format!("{error}."),
        };
        writeln!(f, "  {}", self.style.dim(plain_line(&why)))
    }

    fn extensions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extensions = &self.card.capabilities.extensions;
        if extensions.is_empty() {
            return Ok(());
        }
        self.heading(f, "Extensions")?;
        for extension in extensions {
            let required = if extension.required { " (required)" } else { "" };
            writeln!(f, "  {}{required}", plain_line(&extension.uri))?;
            more(f, &extension.description)?;
        }
        Ok(())
    }

    fn skills(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heading(f, "Skills")?;
        if self.card.skills.is_empty() {
            writeln!(f, "  none")?;
        }
        for AgentSkill { name, id, description, tags, examples, .. } in &self.card.skills {
            let tags = if tags.is_empty() { String::new() } else { format!("  [{}]", tags.join(", ")) };
            writeln!(f, "  {}", plain_line(&format!("{name} ({id}){tags}")))?;
            more(f, description)?;
            for example in examples {
                more(f, &format!("e.g. {example}"))?;
            }
        }
        Ok(())
    }

    fn security(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AgentCard { security_schemes: schemes, security_requirements: requirements, .. } = self.card;
        if schemes.is_empty() && requirements.is_empty() {
            return Ok(());
        }
        self.heading(f, "Security")?;
        for (name, scheme) in schemes {
            writeln!(f, "  {}", plain_line(&format!("{name}: {}", described(scheme))))?;
        }
        let demanded: Vec<String> = requirements.iter().map(required).collect();
        let demanded = if demanded.is_empty() { "nothing".to_owned() } else { demanded.join(", or ") };
        writeln!(f, "  demanded: {}", plain_line(&demanded))
    }

    fn departures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let issues = self.card.validate();
        if issues.is_empty() {
            return Ok(());
        }
        self.heading(f, "Departures from the specification")?;
        for issue in issues {
            writeln!(f, "  {}", plain_line(&issue.to_string()))?;
        }
        Ok(())
    }
}

/// Whether this would be used if there were nothing else.
fn is_usable(interface: &AgentInterface, preferences: &InterfacePreferences) -> bool {
    let alone = AgentCard::new("", vec![interface.clone()]);
    select_interface(&alone, preferences).is_ok()
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "{name:14}{}", plain_line(value))
}

/// Details, indented.
fn more(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    plain_text(text).lines().try_for_each(|line| writeln!(f, "    {line}"))
}

fn list(values: &[String]) -> String {
    if values.is_empty() { "not stated".to_owned() } else { values.join(", ") }
}

fn capabilities(capabilities: &AgentCapabilities) -> String {
    let named = [
        (capabilities.streaming, "streaming"),
        (capabilities.push_notifications, "push notifications"),
        (capabilities.extended_agent_card, "extended card"),
    ];
    let there: Vec<&str> =
        named.into_iter().filter(|(is, _)| *is == Some(true)).map(|(_, name)| name).collect();
    if there.is_empty() { "none".to_owned() } else { there.join(", ") }
}

fn signatures(card: &AgentCard, signed: Option<&Result<String, String>>) -> String {
    match signed {
        Some(Ok(key)) => return format!("valid, by the trusted key {key}"),
        Some(Err(why)) => return format!("NOT VALID: {why}"),
        None if card.signatures.is_empty() => return "none".to_owned(),
        None => {}
    }
    let signers: Vec<String> = card.signatures.iter().map(signer).collect();
    format!("{} (not checked)", signers.join(", "))
}

/// Who claims to have signed: the key and the algorithm that the header of a signature names.
fn signer(signature: &AgentCardSignature) -> String {
    let header = URL_SAFE_NO_PAD.decode(signature.protected.trim_end_matches('=')).unwrap_or_default();
    let header: Value = serde_json::from_slice(&header).unwrap_or_default();
    let named = |member: &str| header.get(member).and_then(Value::as_str).map(str::to_owned);
    match (named("kid"), named("alg")) {
        (Some(key), Some(algorithm)) => format!("by key {key}, {algorithm}"),
        _ => "by an unnamed key".to_owned(),
    }
}

fn described(scheme: &SecurityScheme) -> String {
    match scheme {
        SecurityScheme::ApiKey(scheme) => format!("API key, {} {}", scheme.location, scheme.name),
        SecurityScheme::HttpAuth(scheme) => format!("HTTP {} {}", scheme.scheme, scheme.bearer_format),
        SecurityScheme::OAuth2(scheme) => format!("OAuth 2.0, {}", flow(&scheme.flows)),
        SecurityScheme::OpenIdConnect(scheme) => format!("OpenID Connect, {}", scheme.open_id_connect_url),
        SecurityScheme::MutualTls(_) => "mutual TLS".to_owned(),
        _ => "of a kind that is not known here".to_owned(),
    }
}

fn flow(flows: &OAuthFlows) -> String {
    match flows {
        OAuthFlows::AuthorizationCode(flow) => format!("authorization code, token at {}", flow.token_url),
        OAuthFlows::ClientCredentials(flow) => format!("client credentials, token at {}", flow.token_url),
        OAuthFlows::DeviceCode(flow) => format!("device code, token at {}", flow.token_url),
        OAuthFlows::Implicit(_) => "implicit (deprecated)".to_owned(),
        OAuthFlows::Password(_) => "password (deprecated)".to_owned(),
        _ => "of a kind that is not known here".to_owned(),
    }
}

fn required(requirement: &SecurityRequirement) -> String {
    let all: Vec<String> = requirement
        .schemes
        .iter()
        .map(|(name, scopes)| match scopes.list.as_slice() {
            [] => name.clone(),
            scopes => format!("{name} ({})", scopes.join(", ")),
        })
        .collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(json: &str) -> String {
        let card: AgentCard = a2a_types::from_str(json).unwrap();
        let found_at = Some("http://127.0.0.1:1/.well-known/agent-card.json");
        let preferences = InterfacePreferences::default();
        Described { card: &card, found_at, signed: None, preferences: &preferences, style: Style::default() }
            .to_string()
    }

    #[test]
    fn everything_in_a_card_is_shown() {
        let text = described(
            r#"{
            "name": "Tide\u001b[31m Desk", "version": "3.1", "description": "Tells tides.\nAnd winds.",
            "provider": {"organization": "Harbour", "url": "https://harbour.example"},
            "documentationUrl": "https://docs.example",
            "supportedInterfaces": [
                {"url": "desk.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
                {"url": "https://desk.example/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
                {"url": "https://desk.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
                {"url": "https://desk.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t"}
            ],
            "capabilities": {
                "streaming": true, "pushNotifications": true,
                "extensions": [{"uri": "urn:x", "required": true, "description": "Says more."}]
            },
            "securitySchemes": {
                "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
                "oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://auth.example/t", "scopes": {}}}}}
            },
            "securityRequirements": [
                {"schemes": {"key": {"list": []}}}, {"schemes": {"oauth": {"list": ["read"]}}}
            ],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain", "image/png"],
            "skills": [{
                "id": "tide", "name": "Tides", "description": "Tide times.", "tags": ["sea", "harbour"],
                "examples": ["High water at Oslo?"]
            }],
            "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImstMSJ9", "signature": "c2ln"}, {"protected": "?", "signature": "c2ln"}]
            }"#,
        );
        insta::assert_snapshot!(text, @"
        Tide Desk 3.1
        Tells tides.
        And winds.

        Card          http://127.0.0.1:1/.well-known/agent-card.json
        Provider      Harbour (https://harbour.example)
        Documentation https://docs.example
        Input         text/plain
        Output        text/plain, image/png
        Capabilities  streaming, push notifications
        Signatures    by key k-1, ES256, by an unnamed key (not checked)

        Interfaces
          GRPC 1.0       desk.example:443  (not spoken here)
          JSONRPC 0.3    https://desk.example/old
          HTTP+JSON 1.0  https://desk.example/rest
          JSONRPC 1.0    https://desk.example/rpc, tenant t  <- used
          The binding of the first entry that is spoken here and wanted (JSONRPC), in its highest version (1.0).

        Extensions
          urn:x (required)
            Says more.

        Skills
          Tides (tide)  [sea, harbour]
            Tide times.
            e.g. High water at Oslo?

        Security
          key: API key, header X-Key
          oauth: OAuth 2.0, client credentials, token at https://auth.example/t
          demanded: key, or oauth (read)
        ");
    }

    #[test]
    fn what_is_wrong_with_a_card_is_told() {
        let text = described(
            r#"{"name": "a", "supportedInterfaces": [{"url": "ftp://h", "protocolBinding": "FTP", "protocolVersion": "1.0"}]}"#,
        );
        insta::assert_snapshot!(text, @"
        a

        Card          http://127.0.0.1:1/.well-known/agent-card.json
        Input         not stated
        Output        not stated
        Capabilities  none
        Signatures    none

        Interfaces
          FTP 1.0  ftp://h  (not spoken here)
          no interface in `supportedInterfaces` can be used: the card offers FTP 1.0; the client speaks JSONRPC, HTTP+JSON in versions 1.0 and 0.3.

        Skills
          none

        Departures from the specification
          `description`: is required, and missing or empty
          `supportedInterfaces[0].protocolBinding`: is neither JSONRPC, GRPC, HTTP+JSON nor a URI
          `version`: is required, and missing or empty
          `defaultInputModes`: needs at least one entry
          `defaultOutputModes`: needs at least one entry
          `skills`: needs at least one entry
        ");
    }
}
