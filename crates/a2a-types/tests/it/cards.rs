//! Cards: what is wrong with one, the forms their security takes, and every version.

use a2a_types::{v03::*, *};
use serde_json::{Value, json};

use crate::support::{check, read, written};

fn good_card() -> Value {
    json!({
        "name": "Tide Desk", "description": "Tells tides.", "version": "3.1",
        "supportedInterfaces": [{"url": "https://desk.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "provider": {"organization": "North Quay", "url": "https://desk.example"},
        "capabilities": {"extensions": [{"uri": "https://desk.example/ext/v1"}]},
        "securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
        "securityRequirements": [{"schemes": {"bearer": {}}}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "tide", "name": "Tides", "description": "Tide times.", "tags": ["sea"],
                    "securityRequirements": [{"schemes": {"bearer": {}}}]}],
        "signatures": [{"protected": "e30", "signature": "c2ln"}],
    })
}

#[test]
fn a_good_card_has_no_issues() {
    assert_eq!(read::<AgentCard>(&good_card()).validate(), []);
}

#[test]
fn every_departure_is_listed_with_its_path() {
    let interface = |url: &str, binding: &str, version: &str| json!([{"url": url, "protocolBinding": binding, "protocolVersion": version}]);
    let scheme = |scheme: Value| json!({"bearer": scheme});
    for (member, value, expect) in [
        ("name", json!(""), "`name`: is required"),
        ("description", Value::Null, "`description`: is required"),
        ("version", json!(""), "`version`: is required"),
        ("supportedInterfaces", json!([]), "`supportedInterfaces`: needs at least one entry"),
        ("supportedInterfaces", interface("", "JSONRPC", "1.0"), "`supportedInterfaces[0].url`: is required"),
        (
            "supportedInterfaces",
            interface("/a2a", "JSONRPC", "1.0"),
            "`supportedInterfaces[0].url`: is not an absolute",
        ),
        (
            "supportedInterfaces",
            interface("ftp://x", "HTTP+JSON", "1.0"),
            "`supportedInterfaces[0].url`: is not an absolute",
        ),
        (
            "supportedInterfaces",
            interface("http://x.example", "JSONRPC", "1.0"),
            "`supportedInterfaces[0].url`: is not https",
        ),
        (
            "supportedInterfaces",
            interface("https://x", "jsonrpc", "1.0"),
            "`supportedInterfaces[0].protocolBinding`: is neither",
        ),
        (
            "supportedInterfaces",
            interface("https://x", "", "1.0"),
            "`supportedInterfaces[0].protocolBinding`: is required",
        ),
        (
            "supportedInterfaces",
            interface("https://x", "JSONRPC", ""),
            "`supportedInterfaces[0].protocolVersion`: is required",
        ),
        (
            "supportedInterfaces",
            interface("https://x", "JSONRPC", "1.0.1"),
            "`supportedInterfaces[0].protocolVersion`: is not of the form",
        ),
        ("provider", json!({"url": "u"}), "`provider.organization`: is required"),
        ("capabilities", json!({"extensions": [{}]}), "`capabilities.extensions[0].uri`: is required"),
        (
            "securitySchemes",
            scheme(json!({"apiKeySecurityScheme": {"location": "Header", "name": "n"}})),
            "`securitySchemes.bearer.apiKeySecurityScheme.location`: is not header",
        ),
        (
            "securitySchemes",
            scheme(json!({"httpAuthSecurityScheme": {}})),
            "`securitySchemes.bearer.httpAuthSecurityScheme.scheme`: is required",
        ),
        (
            "securitySchemes",
            scheme(json!({"oauth2SecurityScheme": {}})),
            "`securitySchemes.bearer.oauth2SecurityScheme.flows`: has no known flow",
        ),
        (
            "securitySchemes",
            scheme(json!({"oauth2SecurityScheme": {"flows": {"password": {}}}})),
            "`securitySchemes.bearer.oauth2SecurityScheme.flows.password`: is deprecated",
        ),
        (
            "securitySchemes",
            scheme(json!({"oauth2SecurityScheme": {"flows": {"deviceCode": {"tokenUrl": "t"}}}})),
            "`securitySchemes.bearer.oauth2SecurityScheme.flows.deviceCode.deviceAuthorizationUrl`: is required",
        ),
        (
            "securitySchemes",
            scheme(json!({"openIdConnectSecurityScheme": {}})),
            "`securitySchemes.bearer.openIdConnectSecurityScheme.openIdConnectUrl`: is required",
        ),
        (
            "securitySchemes",
            scheme(json!({"quantumScheme": {}})),
            "`securitySchemes.bearer`: is not a known security scheme",
        ),
        (
            "securityRequirements",
            json!([{"schemes": {"other": {}}}]),
            "`securityRequirements[0].schemes.other`: is not declared",
        ),
        ("defaultInputModes", json!([]), "`defaultInputModes`: needs"),
        ("defaultOutputModes", json!([]), "`defaultOutputModes`: needs"),
        ("skills", Value::Null, "`skills`: needs"),
        ("skills", json!([{"id": "s", "name": "n", "description": "d"}]), "`skills[0].tags`: needs"),
        ("signatures", json!([{"protected": "p"}]), "`signatures[0].signature`: is required"),
    ] {
        let mut card = good_card();
        card[member] = value.clone();
        let issues: Vec<String> =
            read::<AgentCard>(&card).validate().iter().map(ToString::to_string).collect();
        let [issue] = &issues[..] else { panic!("{member} {value}: {issues:?}") };
        assert!(issue.starts_with(expect), "{member} {value}: {issue}");
    }
    let mut twins = good_card();
    twins["skills"] = json!([good_card()["skills"][0], good_card()["skills"][0]]);
    assert_eq!(read::<AgentCard>(&twins).validate()[0].path, "skills[1].id");
}

#[test]
fn what_differs_but_is_legal_is_no_issue() {
    for (url, binding) in [
        ("http://localhost:9999/a2a", "JSONRPC"),
        ("http://127.0.0.1:9999", "HTTP+JSON"),
        ("http://[::1]:9999/", "JSONRPC"),
        ("grpc.desk.example:443", "GRPC"),
        ("https://grpc.desk.example", "GRPC"),
        ("mqtt://desk.example", "https://bindings.example/mqtt/v1"),
    ] {
        let mut card = good_card();
        card["supportedInterfaces"] =
            json!([{"url": url, "protocolBinding": binding, "protocolVersion": "1.0"}]);
        assert_eq!(read::<AgentCard>(&card).validate(), [], "{url}");
    }
}

#[test]
fn security_schemes_in_odd_forms_never_fail_the_card() {
    check::<SecurityScheme>(&[
        (
            r#"{"httpAuthSecurityScheme":{"scheme":"Bearer"},"scheme":"Bearer","type":"http"}"#,
            r#"{"httpAuthSecurityScheme":{"scheme":"Bearer"}}"#,
        ),
        (
            r#"{"scheme":{"$case":"httpAuthSecurityScheme","value":{"description":"","scheme":"Bearer","bearerFormat":""}}}"#,
            r#"{"httpAuthSecurityScheme":{"scheme":"Bearer"}}"#,
        ),
        (
            r#"{"api_key_security_scheme":{"location":"header","name":"X"},"http_auth_security_scheme":null}"#,
            r#"{"apiKeySecurityScheme":{"location":"header","name":"X"}}"#,
        ),
        (
            r#"{"type":"apiKey","in":"header","name":"X","description":"d"}"#,
            r#"{"apiKeySecurityScheme":{"description":"d","location":"header","name":"X"}}"#,
        ),
        (
            r#"{"type":"http","scheme":"bearer","bearerFormat":"JWT"}"#,
            r#"{"httpAuthSecurityScheme":{"scheme":"bearer","bearerFormat":"JWT"}}"#,
        ),
        (
            r#"{"type":"openIdConnect","openIdConnectUrl":"u"}"#,
            r#"{"openIdConnectSecurityScheme":{"openIdConnectUrl":"u"}}"#,
        ),
        (r#"{"type":"mutualTLS"}"#, r#"{"mtlsSecurityScheme":{}}"#),
        (r#"{"mtlsSecurityScheme":{}}"#, r#"{"mtlsSecurityScheme":{}}"#),
        // Several flows, in either version: the most capable is kept.
        (
            r#"{"type":"oauth2","flows":{"implicit":{"authorizationUrl":"i","scopes":{}},"authorizationCode":{"authorizationUrl":"a","tokenUrl":"t","scopes":{"s":"d"}}}}"#,
            r#"{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"a","tokenUrl":"t","scopes":{"s":"d"}}}}}"#,
        ),
        (
            r#"{"oauth2SecurityScheme":{"flows":{"password":{"tokenUrl":"p"},"clientCredentials":{"tokenUrl":"t","scopes":{}}}}}"#,
            r#"{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"t","scopes":{}}}}}"#,
        ),
        (
            r#"{"scheme":{"$case":"oauth2SecurityScheme","value":{"flows":{"flow":{"$case":"implicit","value":{"authorizationUrl":"i"}}}}}}"#,
            r#"{"oauth2SecurityScheme":{"flows":{"implicit":{"authorizationUrl":"i"}}}}"#,
        ),
        // What cannot be understood is kept.
        (r#"{"quantumScheme":{"level":3}}"#, r#"{"quantumScheme":{"level":3}}"#),
        (r#"{"type":"http","scheme":5}"#, r#"{"scheme":5,"type":"http"}"#),
        ("{}", "{}"),
        ("null", "{}"),
        (r#""bearer""#, "{}"),
    ]);
}

#[test]
fn security_requirements_in_odd_forms() {
    check::<SecurityRequirement>(&[
        (
            r#"{"schemes":{"bearer":{},"sso":{"list":["openid"]}}}"#,
            r#"{"schemes":{"bearer":{},"sso":{"list":["openid"]}}}"#,
        ),
        (
            r#"{"schemes":{"bearer":[],"sso":["openid"],"key":null}}"#,
            r#"{"schemes":{"bearer":{},"key":{},"sso":{"list":["openid"]}}}"#,
        ),
        (r#"{"bearer":[],"sso":["openid"]}"#, r#"{"schemes":{"bearer":{},"sso":{"list":["openid"]}}}"#),
        (r#"{"schemes":{}}"#, "{}"),
        ("{}", "{}"),
    ]);
}

fn interfaces(card: &Value) -> Vec<(String, String, String)> {
    let card = read_card(&card.to_string()).unwrap();
    let triple = |it: AgentInterface| (it.url, it.protocol_binding, it.protocol_version);
    card.supported_interfaces.into_iter().map(triple).collect()
}

#[test]
fn cards_of_every_version_have_interfaces() {
    for (card, expect) in [
        (json!({"url": "u", "supportedInterfaces": []}), vec![("u", "JSONRPC", "0.3.0")]),
        (
            json!({"url": "u", "protocolVersion": "0.2.5", "preferredTransport": "HTTP+JSON",
                   "additionalInterfaces": [{"url": "u", "transport": "HTTP+JSON"}, {"url": "g", "transport": "GRPC"}]}),
            vec![("u", "HTTP+JSON", "0.2.5"), ("g", "GRPC", "0.2.5")],
        ),
        (
            json!({"url": "u", "protocolVersion": "1.0", "supportedInterfaces": null}),
            vec![("u", "JSONRPC", "1.0")],
        ),
        (
            json!({"url": "ignored", "preferredTransport": "GRPC", "supportedInterfaces":
                   [{"url": "u", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}),
            vec![("u", "JSONRPC", "1.0")],
        ),
        (
            json!({"additionalInterfaces": [{"url": "r", "transport": "HTTP+JSON"}]}),
            vec![("r", "HTTP+JSON", "0.3.0")],
        ),
        (json!({}), vec![]),
    ] {
        let expect: Vec<_> = expect
            .into_iter()
            .map(|(url, binding, version)| (url.into(), binding.into(), version.into()))
            .collect();
        assert_eq!(interfaces(&card), expect, "{card}");
    }
}

#[test]
fn a_legacy_card_reads_as_one_of_1_0() {
    let card = read_card(
        &json!({
            "protocolVersion": "0.3.0", "name": "n", "description": "d", "url": "u", "version": "1",
            "capabilities": {"streaming": true, "stateTransitionHistory": true},
            "securitySchemes": {"key": {"type": "apiKey", "in": "cookie", "name": "k"}},
            "security": [{"key": []}], "supportsAuthenticatedExtendedCard": true,
            "defaultInputModes": [], "defaultOutputModes": [],
            "skills": [{"id": "s", "name": "n", "description": "d", "tags": [], "security": [{"sso": ["openid"]}]}],
        })
        .to_string(),
    )
    .unwrap();
    assert_eq!(
        written(&card),
        json!({
            "name": "n", "description": "d", "version": "1",
            "supportedInterfaces": [{"url": "u", "protocolBinding": "JSONRPC", "protocolVersion": "0.3.0"}],
            "capabilities": {"streaming": true, "extendedAgentCard": true},
            "securitySchemes": {"key": {"apiKeySecurityScheme": {"location": "cookie", "name": "k"}}},
            "securityRequirements": [{"schemes": {"key": {}}}],
            "defaultInputModes": [], "defaultOutputModes": [],
            "skills": [{"id": "s", "name": "n", "description": "d", "tags": [],
                        "securityRequirements": [{"schemes": {"sso": {"list": ["openid"]}}}]}],
        })
    );
}

#[test]
fn a_card_without_0_3_interface_has_no_0_3_form() {
    for (version, has) in [
        ("", true),
        ("0.3", true),
        ("0.3.0", true),
        ("0.4", true),
        ("0.2.6", false),
        ("1.0", false),
        ("1.0rc1", false),
    ] {
        let card = AgentCard::new("n", vec![AgentInterface::new("https://x", "JSONRPC", version)]);
        assert_eq!(LegacyCard::new(&card).is_some(), has, "{version}");
        assert_eq!(written(DualCard::new(&card)).get("url").is_some(), has, "{version}");
    }
    // What 0.3 cannot tell apart, it has once.
    let twice = ["acme", "other"].map(|tenant| {
        let mut interface = AgentInterface::new("https://x", "JSONRPC", "0.3");
        tenant.clone_into(&mut interface.tenant);
        interface
    });
    let card = AgentCard::new("n", twice.to_vec());
    let legacy = written(LegacyCard::new(&card).unwrap());
    assert_eq!((&legacy["url"], legacy.get("additionalInterfaces")), (&"https://x".into(), None));
    // What 0.3 cannot name.
    for (url, binding) in [("", "JSONRPC"), ("https://x", "")] {
        let card = AgentCard::new("n", vec![AgentInterface::new(url, binding, "0.3")]);
        assert!(LegacyCard::new(&card).is_none(), "{url} {binding}");
    }
}

#[test]
fn a_dual_card_is_read_by_either_version() {
    let mut card: AgentCard = read(&good_card());
    card.supported_interfaces.push(AgentInterface::new("https://desk.example/rest", "HTTP+JSON", "0.3"));
    card.security_schemes.insert("odd".into(), SecurityScheme::Unknown(Metadata::new()));
    card.security_schemes.insert(
        "device".into(),
        from_str(r#"{"oauth2SecurityScheme":{"flows":{"deviceCode":{"deviceAuthorizationUrl":"d","tokenUrl":"t","scopes":{}}}}}"#)
            .unwrap(),
    );
    let dual = written(DualCard::new(&card));
    assert_eq!(read::<AgentCard>(&dual), card);
    assert_eq!(read_card(&dual.to_string()).unwrap(), card);
    assert_eq!(dual["url"], "https://desk.example/rest");
    assert_eq!(
        dual["securitySchemes"]["bearer"],
        json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}, "type": "http", "scheme": "Bearer"})
    );
    assert_eq!(dual["securitySchemes"]["device"]["flows"], json!({}));
    assert_eq!(dual["skills"][0]["security"], json!([{"bearer": []}]));

    // A 0.3 client sees the legacy members alone.
    let legacy = written(LegacyCard::new(&card).unwrap());
    let seen = read_card(&legacy.to_string()).unwrap();
    assert_eq!(
        seen.supported_interfaces,
        [AgentInterface::new("https://desk.example/rest", "HTTP+JSON", "0.3")]
    );
    assert_eq!(seen.security_requirements, card.security_requirements);
    assert_eq!(version_of(&dual), Some(Version::V1));
    assert_eq!(version_of(&legacy), Some(Version::V03));
}
