//! The card: where it is, what is in it, and how it may be kept.

use a2a_examples::conformance::Capabilities;
use serde_json::Value;

use super::{Binding, Kit, assert_canonical, both};

#[tokio::test]
async fn the_card_has_the_members_of_1_0_and_no_others() {
    for capabilities in [Capabilities::Full, Capabilities::Bare, Capabilities::Extension] {
        let kit = Kit::start(Binding::JsonRpc, capabilities).await;
        let response = kit.client.get("/.well-known/agent-card.json").await;
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), "application/json");
        let card = response.json().await;
        assert_canonical(&card);
        for required in REQUIRED {
            assert!(card.get(required).is_some(), "{required}");
        }
        assert_members(&card, CARD);
        assert_members(&card["capabilities"], CAPABILITIES);
        for interface in card["supportedInterfaces"].as_array().unwrap() {
            assert_members(interface, INTERFACE);
            assert!(matches!(interface["protocolBinding"].as_str(), Some("JSONRPC" | "HTTP+JSON")));
            assert_eq!(interface["protocolVersion"], "1.0");
            assert!(!interface["url"].as_str().unwrap().ends_with('/'));
        }
        for skill in card["skills"].as_array().unwrap() {
            assert_members(skill, SKILL);
        }
        for extension in card["capabilities"]["extensions"].as_array().into_iter().flatten() {
            assert_members(extension, EXTENSION);
        }
        let declared = capabilities != Capabilities::Bare;
        for name in ["streaming", "pushNotifications", "extendedAgentCard"] {
            assert_eq!(card["capabilities"][name], declared, "{name}");
        }
    }
}

#[tokio::test]
async fn the_card_may_be_kept_and_asked_for_again() {
    let kit = Kit::start(Binding::JsonRpc, Capabilities::Full).await;
    let path = "/.well-known/agent-card.json";
    let first = kit.client.get(path).await;
    assert!(first.header("cache-control").contains("max-age="));
    let etag = first.header("etag").to_owned();
    let modified = first.header("last-modified").to_owned();
    assert!(etag.starts_with('"') && !modified.is_empty());
    for (header, value, status) in [
        ("if-none-match", etag.as_str(), 304),
        ("if-none-match", &format!("\"other\", W/{etag}"), 304),
        ("if-none-match", "*", 304),
        ("if-none-match", "\"other\"", 200),
        ("if-modified-since", &modified, 304),
        ("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT", 200),
        ("if-modified-since", "yesterday", 200),
    ] {
        let again = kit.client.send("GET", path, &[(header, value)], &[]).await;
        assert_eq!(again.status, status, "{header}: {value}");
        assert_eq!(again.header("etag"), etag);
        assert_eq!(again.text().await.is_empty(), status == 304);
    }
    assert_eq!(kit.client.send("POST", path, &[], &[]).await.status, 405);
}

#[tokio::test]
async fn the_extended_card_needs_no_credentials_here() {
    both(Capabilities::Full, async |kit: Kit| {
        let card = kit.extended_card().await.unwrap();
        assert_members(&card, CARD);
        let skills: Vec<&str> =
            card["skills"].as_array().unwrap().iter().filter_map(|skill| skill["id"].as_str()).collect();
        assert_eq!(skills, ["scenarios", "extended"]);
    })
    .await;
}

fn assert_members(object: &Value, known: &[&str]) {
    for name in object.as_object().unwrap().keys() {
        assert!(known.contains(&name.as_str()), "{name} in {object}");
    }
}

const REQUIRED: [&str; 8] = [
    "name",
    "description",
    "version",
    "capabilities",
    "skills",
    "supportedInterfaces",
    "defaultInputModes",
    "defaultOutputModes",
];
const CARD: &[&str] = &[
    "name",
    "description",
    "supportedInterfaces",
    "provider",
    "version",
    "documentationUrl",
    "capabilities",
    "securitySchemes",
    "securityRequirements",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "signatures",
    "iconUrl",
];
const CAPABILITIES: &[&str] = &["streaming", "pushNotifications", "extensions", "extendedAgentCard"];
const INTERFACE: &[&str] = &["url", "protocolBinding", "tenant", "protocolVersion"];
const EXTENSION: &[&str] = &["uri", "description", "required", "params"];
const SKILL: &[&str] =
    &["id", "name", "description", "tags", "examples", "inputModes", "outputModes", "securityRequirements"];
