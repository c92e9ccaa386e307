//! Signatures of agent cards (§8.4): JWS with the card as detached payload. Feature `signatures`.
//!
//! Verification takes the JSON text of a card and gives back the card that the signature covers, so that what is used
//! is what was signed. Keys come from the caller, one by one or as a JWKS. This crate fetches nothing: [`key_urls`]
//! says which of the addresses a card names a caller may fetch keys from, which is none unless its host is allowed.
//!
//! ```
//! use a2a_types::signatures::{KeySet, verify};
//!
//! # fn doc(text: &str, jwks: &str) -> Result<(), a2a_types::signatures::SignatureError> {
//! let verified = verify(text, &KeySet::from_jwks(jwks)?)?;
//! println!("{} vouches for {}", verified.key_id, verified.card.name);
//! # Ok(())
//! # }
//! ```

mod canonical;
mod keys;

use std::fmt;

use serde_json::{Map, Value, json};

pub use canonical::{CanonicalForm, canonical_form};
pub use keys::{Algorithm, KeySet, SigningKey, VerifyingKey};

use crate::{
    base64,
    card::{AgentCard, AgentCardSignature},
    decode::{DecodeError, from_str},
    json::Metadata,
    v03::read_card,
};

/// A card with a valid signature.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verified {
    /// The card as far as it is signed: members of other versions are in it only if they were signed too.
    pub card: AgentCard,
    /// The key that signed.
    pub key_id: String,
    /// Its algorithm.
    pub algorithm: Algorithm,
    /// What the signature covers. See [`CanonicalForm::WithoutEmpty`] for what that form leaves open.
    pub form: CanonicalForm,
}

/// Why a card could not be verified, or not be signed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignatureError {
    /// The card, or the key set, is not JSON of its kind.
    Json(DecodeError),
    /// The card has no signatures.
    NotSigned,
    /// None of its signatures is valid: why, for each.
    Refused(Vec<Refusal>),
    /// A key that cannot be used, for this member of it.
    Key(&'static str),
    /// The key did not sign.
    Signing,
}

/// Why one signature was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The protected header or the signature is not base64url, or the header not a JSON object with `alg` and `kid`.
    Malformed,
    /// The header has `crit`: extensions that must be understood, and are not.
    Critical,
    /// No key with this id.
    UnknownKey(String),
    /// The keys with this id are for other algorithms than the header names.
    Algorithm(String),
    /// The card is not what was signed.
    Mismatch,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(_) => f.write_str("the card or the key set cannot be read"),
            Self::NotSigned => f.write_str("the card is not signed"),
            Self::Refused(refusals) => {
                f.write_str("the card has no valid signature")?;
                let mut separator = ": ";
                for refusal in refusals {
                    write!(f, "{separator}{refusal}")?;
                    separator = ", ";
                }
                Ok(())
            }
            Self::Key(member) => write!(f, "the key cannot be used, see its `{member}`"),
            Self::Signing => f.write_str("the key did not sign"),
        }
    }
}

impl std::error::Error for SignatureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            Self::NotSigned | Self::Refused(_) | Self::Key(_) | Self::Signing => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("malformed"),
            Self::Critical => f.write_str("unknown critical extension"),
            Self::UnknownKey(id) => write!(f, "no key {id:?}"),
            Self::Algorithm(name) => write!(f, "key is not for {name:?}"),
            Self::Mismatch => f.write_str("not what was signed"),
        }
    }
}

/// Verifies a card, as the JSON text it came as, with these keys; one valid signature is enough.
///
/// # Errors
///
/// [`SignatureError::Json`] if the text is not a card, [`NotSigned`](SignatureError::NotSigned) if it has no
/// signatures, [`Refused`](SignatureError::Refused) if none is valid.
pub fn verify(text: &str, keys: &KeySet) -> Result<Verified, SignatureError> {
    let card: AgentCard = from_str(text).map_err(SignatureError::Json)?;
    let candidates = candidates(text, &card).map_err(SignatureError::Json)?;
    if card.signatures.is_empty() {
        return Err(SignatureError::NotSigned);
    }
    let mut refusals = Vec::new();
    for signature in &card.signatures {
        match verify_one(signature, &candidates, keys) {
            Ok((key_id, algorithm, form, payload)) => {
                let card = match form {
                    CanonicalForm::Specified | CanonicalForm::WithoutEmpty => card,
                    // Read from what was signed: the text may hold a member twice.
                    CanonicalForm::AsReceived => {
                        let signed = read_card(payload).map_err(SignatureError::Json)?;
                        AgentCard { signatures: card.signatures, ..signed }
                    }
                };
                return Ok(Verified { card, key_id, algorithm, form });
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    Err(SignatureError::Refused(refusals))
}

/// What may have been signed, each form in its canonical text.
fn candidates(text: &str, card: &AgentCard) -> Result<Vec<(CanonicalForm, String)>, DecodeError> {
    let specified = canonical::specified(card)?;
    let without_empty = canonical::without_empty(&specified).unwrap_or_else(|| json!({}));
    let mut as_received: Value = from_str(text)?;
    canonical::remove_signatures(&mut as_received);
    let mut candidates = vec![(CanonicalForm::Specified, canonical::canonical(&specified))];
    for (form, value) in
        [(CanonicalForm::WithoutEmpty, without_empty), (CanonicalForm::AsReceived, as_received)]
    {
        let text = canonical::canonical(&value);
        if candidates.iter().all(|(_, known)| *known != text) {
            candidates.push((form, text));
        }
    }
    Ok(candidates)
}

fn verify_one<'a>(
    signature: &AgentCardSignature,
    candidates: &'a [(CanonicalForm, String)],
    keys: &KeySet,
) -> Result<(String, Algorithm, CanonicalForm, &'a str), Refusal> {
    let header = protected_header(signature).ok_or(Refusal::Malformed)?;
    let text = |name: &str| header.get(name).and_then(Value::as_str).ok_or(Refusal::Malformed);
    let (key_id, algorithm) = (text("kid")?, text("alg")?);
    if header.contains_key("crit") {
        return Err(Refusal::Critical);
    }
    let bytes = base64::decode(&signature.signature).map_err(|_| Refusal::Malformed)?;
    if keys.with_id(key_id).next().is_none() {
        return Err(Refusal::UnknownKey(key_id.to_owned()));
    }
    let mut refusal = Refusal::Algorithm(algorithm.to_owned());
    for key in keys.with_id(key_id).filter(|key| key.algorithm().as_str() == algorithm) {
        refusal = Refusal::Mismatch;
        for (form, payload) in candidates {
            if key.verifies(signing_input(&signature.protected, payload).as_bytes(), &bytes) {
                return Ok((key_id.to_owned(), key.algorithm(), *form, payload));
            }
        }
    }
    Err(refusal)
}

fn protected_header(signature: &AgentCardSignature) -> Option<Map<String, Value>> {
    serde_json::from_slice(&base64::decode(&signature.protected).ok()?).ok()
}

fn signing_input(protected: &str, payload: &str) -> String {
    format!("{protected}.{}", base64::encode_url_safe(payload.as_bytes()))
}

/// Signs a card in the form of the specification; push the result to its `signatures`.
///
/// Signatures cover the members of 1.0 alone: the card may be served with those of 0.3 beside. Verifiers agree best
/// on a card without empty members.
///
/// # Errors
///
/// [`SignatureError::Signing`] if the key does not sign, [`SignatureError::Json`] as [`canonical_form`].
pub fn sign(
    card: &AgentCard,
    key: &SigningKey,
    key_id: &str,
    key_url: Option<&str>,
) -> Result<AgentCardSignature, SignatureError> {
    let mut header = Metadata::new();
    header.insert("alg".to_owned(), key.algorithm().as_str().into());
    header.insert("kid".to_owned(), key_id.into());
    header.insert("typ".to_owned(), "JOSE".into());
    if let Some(url) = key_url {
        header.insert("jku".to_owned(), url.into());
    }
    let protected = base64::encode_url_safe(canonical::canonical(&Value::Object(header)).as_bytes());
    let payload = canonical_form(card).map_err(|error| SignatureError::Json(error.into()))?;
    let signature = key.sign(signing_input(&protected, &payload).as_bytes())?;
    Ok(AgentCardSignature { protected, signature: base64::encode_url_safe(&signature), header: None })
}

/// Where the signatures of a card say that their keys are (`jku`), as far as the address is https and its host one
/// of these. A host is compared without case, its port if there is one included.
pub fn key_urls(card: &AgentCard, allowed_hosts: &[&str]) -> Vec<String> {
    let mut urls = Vec::new();
    for header in card.signatures.iter().filter_map(protected_header) {
        if let Some(url) = header.get("jku").and_then(Value::as_str)
            && is_allowed(url, allowed_hosts)
            && !urls.iter().any(|known| known == url)
        {
            urls.push(url.to_owned());
        }
    }
    urls
}

/// A host with user information, white space or a backslash is never allowed: parsers disagree on what it means.
fn is_allowed(url: &str, allowed_hosts: &[&str]) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !url.contains(['\\', ' ', '\t', '\r', '\n'])
        && !authority.contains('@')
        && allowed_hosts.iter().any(|host| host.eq_ignore_ascii_case(authority))
}
