//! What is wrong with a card, as a step of its own: reading never fails for it.

use std::{collections::BTreeSet, fmt};

use crate::{
    card::{AgentCard, AgentInterface, AgentSkill},
    security::{OAuthFlows, SecurityRequirement, SecurityScheme},
};

/// A departure of a card from the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardIssue {
    /// Where in the JSON, such as `skills[0].tags`.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for CardIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, self.message)
    }
}

impl AgentCard {
    /// Lists every departure from the specification (§4.4, §4.5), in the order of the members.
    ///
    /// An imperfect card can still be used: a client only needs one entry of `supportedInterfaces` that it speaks.
    ///
    /// ```
    /// let card: a2a_types::AgentCard = a2a_types::from_str("{}")?;
    /// let paths: Vec<_> = card.validate().into_iter().map(|issue| issue.path).collect();
    /// assert!(paths.contains(&"supportedInterfaces".to_owned()));
    /// # Ok::<(), a2a_types::DecodeError>(())
    /// ```
    pub fn validate(&self) -> Vec<CardIssue> {
        let mut issues = Issues::default();
        issues.require("name", &self.name);
        issues.require("description", &self.description);
        issues.require_some("supportedInterfaces", &self.supported_interfaces);
        for (index, interface) in self.supported_interfaces.iter().enumerate() {
            issues.within(format!("supportedInterfaces[{index}]"), |issues| issues.interface(interface));
        }
        if let Some(provider) = &self.provider {
            issues.require("provider.url", &provider.url);
            issues.require("provider.organization", &provider.organization);
        }
        issues.require("version", &self.version);
        for (index, extension) in self.capabilities.extensions.iter().enumerate() {
            issues.require(format!("capabilities.extensions[{index}].uri"), &extension.uri);
        }
        for (name, scheme) in &self.security_schemes {
            issues.within(format!("securitySchemes.{name}"), |issues| issues.scheme(scheme));
        }
        issues.requirements(self, &self.security_requirements);
        issues.require_some("defaultInputModes", &self.default_input_modes);
        issues.require_some("defaultOutputModes", &self.default_output_modes);
        issues.require_some("skills", &self.skills);
        let mut ids = BTreeSet::new();
        for (index, skill) in self.skills.iter().enumerate() {
            issues.within(format!("skills[{index}]"), |issues| {
                issues.skill(skill);
                issues.requirements(self, &skill.security_requirements);
                if !skill.id.is_empty() && !ids.insert(&skill.id) {
                    issues.add("id", "another skill has this id");
                }
            });
        }
        for (index, signature) in self.signatures.iter().enumerate() {
            issues.require(format!("signatures[{index}].protected"), &signature.protected);
            issues.require(format!("signatures[{index}].signature"), &signature.signature);
        }
        issues.found
    }
}

const MISSING: &str = "is required, and missing or empty";

/// The issues found so far, and where the search is.
#[derive(Default)]
struct Issues {
    found: Vec<CardIssue>,
    path: String,
}

impl Issues {
    fn add(&mut self, path: impl fmt::Display, message: impl Into<String>) {
        let path = if self.path.is_empty() { path.to_string() } else { format!("{}.{path}", self.path) };
        self.found.push(CardIssue { path, message: message.into() });
    }

    fn add_here(&mut self, message: impl Into<String>) {
        self.found.push(CardIssue { path: self.path.clone(), message: message.into() });
    }

    fn within(&mut self, path: String, search: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.path, path);
        search(self);
        self.path = outer;
    }

    fn require(&mut self, path: impl fmt::Display, text: &str) {
        if text.is_empty() {
            self.add(path, MISSING);
        }
    }

    fn require_some<T>(&mut self, path: impl fmt::Display, list: &[T]) {
        if list.is_empty() {
            self.add(path, "needs at least one entry");
        }
    }

    fn interface(&mut self, interface: &AgentInterface) {
        let AgentInterface { url, protocol_binding: binding, protocol_version: version, .. } = interface;
        let over_http = matches!(&**binding, AgentInterface::JSONRPC | AgentInterface::HTTP_JSON);
        if let Some(message) = url_issue(url, over_http) {
            self.add("url", message);
        }
        let is_known = over_http || binding == AgentInterface::GRPC;
        if binding.is_empty() {
            self.require("protocolBinding", binding);
        } else if !is_known && !binding.contains(':') {
            self.add("protocolBinding", "is neither JSONRPC, GRPC, HTTP+JSON nor a URI");
        }
        if version.is_empty() {
            self.require("protocolVersion", version);
        } else if !is_major_minor(version) {
            self.add("protocolVersion", "is not of the form Major.Minor");
        }
    }

    fn scheme(&mut self, scheme: &SecurityScheme) {
        match scheme {
            SecurityScheme::ApiKey(key) => {
                if !matches!(&*key.location, "header" | "query" | "cookie") {
                    self.add("apiKeySecurityScheme.location", "is not header, query or cookie");
                }
                self.require("apiKeySecurityScheme.name", &key.name);
            }
            SecurityScheme::HttpAuth(http) => self.require("httpAuthSecurityScheme.scheme", &http.scheme),
            SecurityScheme::OAuth2(oauth2) => {
                let path = format!("{}.oauth2SecurityScheme.flows", self.path);
                self.within(path, |issues| issues.flow(&oauth2.flows));
            }
            SecurityScheme::OpenIdConnect(oidc) => {
                self.require("openIdConnectSecurityScheme.openIdConnectUrl", &oidc.open_id_connect_url);
            }
            SecurityScheme::MutualTls(_) => {}
            SecurityScheme::Unknown(_) => self.add_here("is not a known security scheme"),
        }
    }

    fn flow(&mut self, flows: &OAuthFlows) {
        match flows {
            OAuthFlows::AuthorizationCode(flow) => {
                self.require("authorizationCode.authorizationUrl", &flow.authorization_url);
                self.require("authorizationCode.tokenUrl", &flow.token_url);
            }
            OAuthFlows::ClientCredentials(flow) => {
                self.require("clientCredentials.tokenUrl", &flow.token_url)
            }
            OAuthFlows::DeviceCode(flow) => {
                self.require("deviceCode.deviceAuthorizationUrl", &flow.device_authorization_url);
                self.require("deviceCode.tokenUrl", &flow.token_url);
            }
            OAuthFlows::Implicit(_) => self.add("implicit", "is deprecated"),
            OAuthFlows::Password(_) => self.add("password", "is deprecated"),
            OAuthFlows::Unknown(_) => self.add_here("has no known flow"),
        }
    }

    fn requirements(&mut self, card: &AgentCard, requirements: &[SecurityRequirement]) {
        for (index, requirement) in requirements.iter().enumerate() {
            for name in requirement.schemes.keys().filter(|name| !card.security_schemes.contains_key(*name)) {
                self.add(
                    format_args!("securityRequirements[{index}].schemes.{name}"),
                    "is not declared in securitySchemes",
                );
            }
        }
    }

    fn skill(&mut self, skill: &AgentSkill) {
        self.require("id", &skill.id);
        self.require("name", &skill.name);
        self.require("description", &skill.description);
        self.require_some("tags", &skill.tags);
    }
}

fn url_issue(url: &str, over_http: bool) -> Option<&'static str> {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        _ if url.is_empty() => Some(MISSING),
        _ if !over_http => None,
        "https" => None,
        "http" => (!is_loopback(rest)).then_some("is not https"),
        _ => Some("is not an absolute http or https URL"),
    }
}

/// Whether what follows `http://` names this host.
fn is_loopback(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

fn is_major_minor(version: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    version.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
