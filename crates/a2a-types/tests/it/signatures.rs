//! Card signatures: the vector of the specification, cards the official SDKs signed, and our own.

use a2a_types::{signatures::*, *};
use serde_json::{Value, json};

fn vector() -> Value {
    serde_json::from_str(include_str!("../data/signature-vector.json")).unwrap()
}

/// Throw-away keys, one for each algorithm.
fn test_keys() -> Value {
    serde_json::from_str(include_str!("../data/signing-keys.json")).unwrap()
}

fn public_keys() -> KeySet {
    let jwks: Vec<Value> = test_keys().as_object().unwrap().values().map(|key| key["jwk"].clone()).collect();
    KeySet::from_jwks(&json!({ "keys": jwks }).to_string()).unwrap()
}

fn signing_key(algorithm: Algorithm) -> SigningKey {
    let text = test_keys()[algorithm.as_str()]["pkcs8"].clone();
    let part: Part = from_str(&json!({ "raw": text }).to_string()).unwrap();
    let PartContent::Raw(der) = part.content else { unreachable!() };
    SigningKey::from_pkcs8(algorithm, &der).unwrap()
}

#[test]
fn the_vector_of_the_specification_verifies() {
    let vector = vector();
    let card: AgentCard = from_str(&vector["card"].to_string()).unwrap();
    let canonical = canonical_form(&card).unwrap();
    assert_eq!(canonical, vector["canonical"].as_str().unwrap());
    assert_eq!(canonical.len(), 492);

    let mut keys = KeySet::new();
    assert!(keys.is_empty());
    keys.insert("demo-1", VerifyingKey::from_jwk(&vector["jwk"]).unwrap());
    let verified = verify(&vector["card"].to_string(), &keys).unwrap();
    assert_eq!(verified.card, card);
    assert_eq!(
        (verified.key_id.as_str(), verified.algorithm, verified.form),
        ("demo-1", Algorithm::Es256, CanonicalForm::Specified)
    );
}

#[test]
fn cards_that_others_signed_verify() {
    let keys = public_keys();
    let mut forms = vec![];
    for line in include_str!("../data/signed-cards.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["card"].to_string();
        let verified = verify(&text, &keys).unwrap_or_else(|error| panic!("{}: {error}", row["by"]));
        assert_eq!(format!("{:?}", verified.form), row["form"].as_str().unwrap(), "{}", row["by"]);
        let signed = match verified.form {
            CanonicalForm::AsReceived => v03::read_card(&text),
            _ => from_str(&text),
        };
        assert_eq!(verified.card, signed.unwrap(), "{}", row["by"]);
        forms.push((verified.algorithm, verified.form));

        // Whatever member is changed, the signature does not cover it any more.
        for member in ["name", "version", "capabilities", "supportedInterfaces", "skills"] {
            let mut forged = row["card"].clone();
            forged[member] = match &forged[member] {
                Value::String(text) => json!(format!("{text}!")),
                Value::Object(_) => json!({}),
                _ => json!([{"id": "forged", "url": "https://forged.example"}]),
            };
            let error = verify(&forged.to_string(), &keys).unwrap_err();
            assert!(
                matches!(&error, SignatureError::Refused(refusals) if refusals == &[Refusal::Mismatch]),
                "{member} of {}: {error}",
                row["by"]
            );
        }
    }
    for algorithm in [Algorithm::Es256, Algorithm::Rs256, Algorithm::EdDsa] {
        assert!(forms.contains(&(algorithm, CanonicalForm::Specified)), "{algorithm}");
    }
    for form in [CanonicalForm::WithoutEmpty, CanonicalForm::AsReceived] {
        assert!(forms.contains(&(Algorithm::Es256, form)), "{form:?}");
    }
}

#[test]
fn what_we_sign_verifies_also_beside_members_of_0_3() {
    let mut unsigned: AgentCard = from_str(&vector()["card"].to_string()).unwrap();
    unsigned.signatures.clear();
    unsigned.description.clear();
    unsigned.skills.clear();
    unsigned.supported_interfaces.push(AgentInterface::new("https://tide.example/rest", "HTTP+JSON", "0.3"));
    for algorithm in [Algorithm::Es256, Algorithm::Rs256, Algorithm::EdDsa] {
        let key = signing_key(algorithm);
        assert_eq!(format!("{key:?}"), format!("SigningKey {{ algorithm: {algorithm:?}, .. }}"));
        let mut card = unsigned.clone();
        let id = format!("key-{algorithm}");
        card.signatures.push(sign(&card, &key, &id, Some("https://keys.example/jwks.json")).unwrap());
        for text in [
            serde_json::to_string(&card).unwrap(),
            serde_json::to_string_pretty(&v03::DualCard::new(&card)).unwrap(),
        ] {
            let verified = verify(&text, &public_keys()).unwrap();
            assert_eq!((verified.algorithm, verified.form), (algorithm, CanonicalForm::Specified));
            assert_eq!(verified.card, card);
        }
    }
}

/// A member that stands twice must not bring in what was not signed.
#[test]
fn what_is_used_is_what_was_signed() {
    let line =
        include_str!("../data/signed-cards.jsonl").lines().find(|line| line.contains("AsReceived")).unwrap();
    let row: Value = serde_json::from_str(line).unwrap();
    let text = row["card"].to_string();
    let forged = text.replacen(
        '{',
        r#"{"capabilities":{"extendedAgentCard":true},"iconUrl":"https://evil.example","#,
        1,
    );
    let refused = verify(&forged, &public_keys()).unwrap_err();
    assert!(matches!(refused, SignatureError::Refused(_)), "{refused}");

    let forged = text.replacen('{', r#"{"capabilities":{"extendedAgentCard":true},"#, 1);
    let verified = verify(&forged, &public_keys()).unwrap();
    assert_eq!(verified.card.capabilities.extended_agent_card, None);
    assert_eq!(from_str::<AgentCard>(&forged).unwrap().capabilities, verified.card.capabilities);
}

#[test]
fn refusals_say_why() {
    let keys = public_keys();
    let card: AgentCard = from_str(&vector()["card"].to_string()).unwrap();
    let mut signed = card.clone();
    signed.signatures = vec![sign(&card, &signing_key(Algorithm::Es256), "key-ES256", None).unwrap()];
    let header = |header: Value| {
        // Base64 of the schema is of the other alphabet, which readers take as well.
        let part = serde_json::to_value(Part::raw(header.to_string())).unwrap();
        part["raw"].as_str().unwrap().trim_end_matches('=').to_owned()
    };
    for (protected, expect) in [
        ("*".to_owned(), Refusal::Malformed),
        (header(json!([])), Refusal::Malformed),
        (header(json!({"alg": "ES256"})), Refusal::Malformed),
        (header(json!({"kid": "key-ES256"})), Refusal::Malformed),
        (
            header(json!({"alg": "ES256", "kid": "key-ES256", "crit": ["b64"], "b64": false})),
            Refusal::Critical,
        ),
        (header(json!({"alg": "ES256", "kid": "other"})), Refusal::UnknownKey("other".into())),
        (header(json!({"alg": "none", "kid": "key-ES256"})), Refusal::Algorithm("none".into())),
        (header(json!({"alg": "HS256", "kid": "key-ES256"})), Refusal::Algorithm("HS256".into())),
        (header(json!({"alg": "RS256", "kid": "key-ES256"})), Refusal::Algorithm("RS256".into())),
        (header(json!({"alg": "ES256", "kid": "key-ES256", "typ": "JWT"})), Refusal::Mismatch),
    ] {
        let mut forged = signed.clone();
        forged.signatures[0].protected = protected.clone();
        let error = verify(&serde_json::to_string(&forged).unwrap(), &keys).unwrap_err();
        let SignatureError::Refused(refusals) = &error else { panic!("{error}") };
        assert_eq!(refusals, &[expect], "{protected}");
        assert!(error.to_string().starts_with("the card has no valid signature: "), "{error}");
    }

    // One valid signature among others is enough.
    let mut rotated = signed.clone();
    rotated.signatures.insert(0, AgentCardSignature::default());
    assert_eq!(verify(&serde_json::to_string(&rotated).unwrap(), &keys).unwrap().key_id, "key-ES256");

    signed.signatures.clear();
    let unsigned = serde_json::to_string(&signed).unwrap();
    assert!(matches!(verify(&unsigned, &keys), Err(SignatureError::NotSigned)));
    assert!(matches!(verify("[]", &keys), Err(SignatureError::Json(_))));
}

#[test]
fn keys_that_cannot_be_used_are_named() {
    for (jwk, expect) in [
        (json!({"kty": "EC", "crv": "P-384", "x": "", "y": ""}), "kty"),
        (json!({"kty": "oct", "k": "c2VjcmV0"}), "kty"),
        (json!({"kty": "EC", "crv": "P-256", "x": "AA"}), "y"),
        (json!({"kty": "RSA", "n": "*", "e": "AQAB"}), "n"),
        (json!({"kty": "RSA", "n": "AQAB", "e": "AQAB", "alg": "PS256"}), "alg"),
        (json!({"kty": "OKP", "crv": "Ed25519", "x": "AA", "use": "enc"}), "use"),
        (json!([]), "kty"),
    ] {
        let error = VerifyingKey::from_jwk(&jwk).unwrap_err();
        assert!(matches!(error, SignatureError::Key(member) if member == expect), "{jwk}: {error}");
    }
    assert!(matches!(KeySet::from_jwks("{}"), Err(SignatureError::Key("keys"))));
    assert!(matches!(KeySet::from_jwks("keys"), Err(SignatureError::Json(_))));
    assert!(
        KeySet::from_jwks(r#"{"keys":[{"kty":"oct","kid":"a"},{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#)
            .unwrap()
            .is_empty()
    );
    assert!(matches!(SigningKey::from_pkcs8(Algorithm::Rs256, b"no key"), Err(SignatureError::Key("pkcs8"))));

    // A key that is no point or of a wrong length verifies nothing.
    let mut keys = KeySet::new();
    keys.insert(
        "demo-1",
        VerifyingKey::from_jwk(&json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"})).unwrap(),
    );
    assert!(matches!(verify(&vector()["card"].to_string(), &keys), Err(SignatureError::Refused(_))));
}

#[test]
fn keys_are_only_to_be_fetched_from_allowed_hosts() {
    let card = AgentCard::new("n", vec![]);
    let urls = |url: &str, hosts: &[&str]| {
        let mut card = card.clone();
        card.signatures.push(sign(&card, &signing_key(Algorithm::EdDsa), "k", Some(url)).unwrap());
        card.signatures.push(card.signatures[0].clone());
        key_urls(&card, hosts)
    };
    let url = "https://keys.example/jwks.json";
    assert_eq!(urls(url, &["keys.example"]), [url]);
    assert_eq!(urls("https://KEYS.example:8443/jwks.json", &["keys.example:8443"]).len(), 1);
    assert_eq!(urls("https://keys.example", &["keys.example"]).len(), 1);
    for refused in [
        "http://keys.example/jwks.json",
        "https://keys.example.evil.example/jwks.json",
        "https://evil.example/keys.example",
        "https://keys.example@evil.example/",
        "https://evil.example\\@keys.example/",
        "https://keys.example:8443/jwks.json",
        "https://evil.example?keys.example",
        "//keys.example/jwks.json",
        "",
    ] {
        assert_eq!(urls(refused, &["keys.example"]), [""; 0], "{refused}");
    }
    assert_eq!(urls(url, &[]), [""; 0]);
}
