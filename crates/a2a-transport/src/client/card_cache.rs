//! Cards that were fetched, kept as RFC 9111 has it for a private cache.

use std::{collections::HashMap, time::Duration};

use http::{HeaderMap, HeaderValue, header};
use tokio::time::Instant;

use crate::{ResolvedCard, client::refusal::text_header};

/// Cards by the URL that was asked for.
#[derive(Debug, Default)]
pub(crate) struct CardCache {
    entries: HashMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    found: ResolvedCard,
    validators: Validators,
    fresh_until: Instant,
    kept_at: Instant,
}

/// What to ask with whether a card has changed.
#[derive(Debug, Clone)]
pub(crate) struct Validators {
    /// Where to ask.
    pub(crate) url: String,
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
}

impl Validators {
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        if let Some(etag) = &self.etag {
            headers.insert(header::IF_NONE_MATCH, etag.clone());
        }
        if let Some(last_modified) = &self.last_modified {
            headers.insert(header::IF_MODIFIED_SINCE, last_modified.clone());
        }
    }
}

impl CardCache {
    /// The card, if it need not be asked for.
    pub(crate) fn fresh(&self, key: &str) -> Option<ResolvedCard> {
        let entry = self.entries.get(key)?;
        (Instant::now() < entry.fresh_until).then(|| entry.found.clone())
    }

    /// How to ask whether a card has changed, if there is one.
    pub(crate) fn validators(&self, key: &str) -> Option<Validators> {
        self.entries.get(key).map(|entry| entry.validators.clone())
    }

    /// The card that a server says has not changed.
    pub(crate) fn revalidated(&mut self, key: &str, headers: &HeaderMap) -> Option<ResolvedCard> {
        let entry = self.entries.get_mut(key)?;
        entry.fresh_until = Instant::now() + lifetime(headers);
        Some(entry.found.clone())
    }

    /// Keeps a card that was fetched from a URL, if its headers let it be of use.
    pub(crate) fn keep(&mut self, key: &str, url: &str, found: &ResolvedCard, headers: &HeaderMap) {
        self.entries.remove(key);
        let validators = Validators {
            url: url.to_owned(),
            etag: headers.get(header::ETAG).cloned(),
            last_modified: headers.get(header::LAST_MODIFIED).cloned(),
        };
        let lifetime = lifetime(headers);
        let is_of_use =
            !lifetime.is_zero() || validators.etag.is_some() || validators.last_modified.is_some();
        if !is_of_use || directives(headers).any(|directive| directive == "no-store") {
            return;
        }
        if self.entries.len() >= MAX_CACHED_CARDS {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.kept_at);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        let now = Instant::now();
        let entry = Entry { found: found.clone(), validators, fresh_until: now + lifetime, kept_at: now };
        self.entries.insert(key.to_owned(), entry);
    }
}

/// How long a response may be used without asking; nothing unless it says so.
fn lifetime(headers: &HeaderMap) -> Duration {
    if directives(headers).any(|directive| directive == "no-cache") {
        return Duration::ZERO;
    }
    let max_age = directives(headers).find_map(|directive| seconds(directive.strip_prefix("max-age=")?));
    let age = text_header(headers, &header::AGE).and_then(|age| seconds(&age)).unwrap_or_default();
    max_age.unwrap_or_default().saturating_sub(age).min(MAX_LIFETIME)
}

fn seconds(text: &str) -> Option<Duration> {
    text.trim().trim_matches('"').parse().ok().map(Duration::from_secs)
}

fn directives(headers: &HeaderMap) -> impl Iterator<Item = String> + '_ {
    let values = headers.get_all(header::CACHE_CONTROL).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| {
        value.split(',').map(|directive| directive.trim().to_ascii_lowercase()).collect::<Vec<_>>()
    })
}

/// Most cards that are kept; the oldest goes first.
const MAX_CACHED_CARDS: usize = 128;
/// Longest that a card is used without asking.
const MAX_LIFETIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);
