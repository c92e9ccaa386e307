//! Keys: public ones from a JWK (RFC 7517), private ones from PKCS #8.

use std::fmt;

use ring::{
    rand::SystemRandom,
    signature::{
        self, ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair,
        Ed25519KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents,
        UnparsedPublicKey,
    },
};
use serde_json::Value;

use super::SignatureError;
use crate::{base64, decode::from_str};

/// A signature algorithm (RFC 7518, RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// RSA, PKCS #1 v1.5, with SHA-256; 2048 to 8192 bits.
    Rs256,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// The name in a header.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
            Self::EdDsa => "EdDSA",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A public key.
#[derive(Debug, Clone)]
pub struct VerifyingKey(PublicKey);

#[derive(Debug, Clone)]
enum PublicKey {
    /// An uncompressed point.
    Es256(Vec<u8>),
    Rs256 {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    EdDsa(Vec<u8>),
}

impl VerifyingKey {
    /// A key from a JWK: `EC` with `P-256`, `RSA`, or `OKP` with `Ed25519`.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Key`]: another type of key, one for another algorithm or use, or one that cannot be read.
    pub fn from_jwk(jwk: &Value) -> Result<Self, SignatureError> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &'static str| {
            let decoded = text(name).and_then(|text| base64::decode(text).ok());
            decoded.ok_or(SignatureError::Key(name))
        };
        let key = match (text("kty"), text("crv")) {
            (Some("EC"), Some("P-256")) => PublicKey::Es256([vec![4], bytes("x")?, bytes("y")?].concat()),
            (Some("RSA"), _) => PublicKey::Rs256 { modulus: bytes("n")?, exponent: bytes("e")? },
            (Some("OKP"), Some("Ed25519")) => PublicKey::EdDsa(bytes("x")?),
            _ => return Err(SignatureError::Key("kty")),
        };
        let key = Self(key);
        if text("alg").is_some_and(|name| name != key.algorithm().as_str()) {
            return Err(SignatureError::Key("alg"));
        }
        if text("use").is_some_and(|name| name != "sig") {
            return Err(SignatureError::Key("use"));
        }
        Ok(key)
    }

    /// The only algorithm the key is used with.
    pub fn algorithm(&self) -> Algorithm {
        match self.0 {
            PublicKey::Es256(_) => Algorithm::Es256,
            PublicKey::Rs256 { .. } => Algorithm::Rs256,
            PublicKey::EdDsa(_) => Algorithm::EdDsa,
        }
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.0 {
            PublicKey::Es256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            PublicKey::Rs256 { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            PublicKey::EdDsa(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
        };
        verified.is_ok()
    }
}

/// The public keys a caller trusts, by key id. Expired or revoked keys do not belong here.
#[derive(Debug, Clone, Default)]
pub struct KeySet(Vec<(String, VerifyingKey)>);

impl KeySet {
    /// No keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// The keys of a JWKS. Those of other types, for other uses or without `kid` are left out, as a set may hold
    /// keys for others.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Json`] if the text is not JSON, [`SignatureError::Key`] if it has no list `keys`.
    pub fn from_jwks(text: &str) -> Result<Self, SignatureError> {
        let set: Value = from_str(text).map_err(SignatureError::Json)?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or(SignatureError::Key("keys"))?;
        let usable = |jwk: &Value| {
            let id = jwk.get("kid")?.as_str()?.to_owned();
            Some((id, VerifyingKey::from_jwk(jwk).ok()?))
        };
        Ok(Self(keys.iter().filter_map(usable).collect()))
    }

    /// Adds a key. Several may have the same id, one for each algorithm.
    pub fn insert(&mut self, key_id: impl Into<String>, key: VerifyingKey) {
        self.0.push((key_id.into(), key));
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn with_id<'a>(&'a self, key_id: &'a str) -> impl Iterator<Item = &'a VerifyingKey> {
        self.0.iter().filter(move |(id, _)| id == key_id).map(|(_, key)| key)
    }
}

/// A private key. `Debug` shows the algorithm alone.
pub struct SigningKey(PrivateKey);

enum PrivateKey {
    Es256(EcdsaKeyPair),
    Rs256(RsaKeyPair),
    EdDsa(Ed25519KeyPair),
}

impl SigningKey {
    /// A key from PKCS #8 in DER.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Key`]: not a key for this algorithm.
    pub fn from_pkcs8(algorithm: Algorithm, der: &[u8]) -> Result<Self, SignatureError> {
        let key = match algorithm {
            Algorithm::Es256 => {
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new())
                    .map(PrivateKey::Es256)
            }
            Algorithm::Rs256 => RsaKeyPair::from_pkcs8(der).map(PrivateKey::Rs256),
            Algorithm::EdDsa => Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map(PrivateKey::EdDsa),
        };
        key.map(Self).map_err(|_| SignatureError::Key("pkcs8"))
    }

    /// What the key signs with.
    pub fn algorithm(&self) -> Algorithm {
        match self.0 {
            PrivateKey::Es256(_) => Algorithm::Es256,
            PrivateKey::Rs256(_) => Algorithm::Rs256,
            PrivateKey::EdDsa(_) => Algorithm::EdDsa,
        }
    }

    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        let random = SystemRandom::new();
        match &self.0 {
            PrivateKey::Es256(key) => {
                let signature = key.sign(&random, message).map_err(|_| SignatureError::Signing)?;
                Ok(signature.as_ref().to_vec())
            }
            PrivateKey::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .map_err(|_| SignatureError::Signing)?;
                Ok(signature)
            }
            PrivateKey::EdDsa(key) => Ok(signature::Signature::as_ref(&key.sign(message)).to_vec()),
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}
