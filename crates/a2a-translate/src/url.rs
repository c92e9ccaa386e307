//! URLs in normal form, by the WHATWG rules, which are what AgentScope sends.
//!
//! [`normalize`] parses an absolute URL and writes it back: scheme and host in lower case, the default port left
//! out, dot segments resolved, everything else percent-encoded where it has to be. It exists because the `url`
//! crate brings more crates than the rest of this one together; the tests compare the two.
//!
//! A host name outside of ASCII is lower-cased and written in Punycode. The Unicode tables of IDNA are not here: its
//! mapping goes no further than lower case, full-width letters and the ideographic full stops, nothing is composed
//! (NFC), and names that IDNA forbids are let through.

use std::{
    fmt::{self, Write as _},
    net::{Ipv4Addr, Ipv6Addr},
};

/// Why a text is not an absolute URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlError {
    /// Nothing before the first colon that could be a scheme.
    Relative,
    /// No host, where the scheme needs one.
    EmptyHost,
    /// A host that cannot be one.
    InvalidHost,
    /// A port that is not a number up to 65535.
    InvalidPort,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Relative => "not an absolute url",
            Self::EmptyHost => "url without a host",
            Self::InvalidHost => "url with an invalid host",
            Self::InvalidPort => "url with an invalid port",
        })
    }
}

/// The normal form of an absolute URL.
pub(crate) fn normalize(text: &str) -> Result<String, UrlError> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let without_breaks: String;
    let text = if text.contains(is_break) {
        without_breaks = text.replace(is_break, "");
        &without_breaks
    } else {
        text
    };

    let (scheme, rest) = split_scheme(text).ok_or(UrlError::Relative)?;
    let (rest, fragment) = split_at_first(rest, '#');
    let (rest, query) = split_at_first(rest, '?');
    let kind = Kind::of(&scheme);

    let mut url = scheme;
    url.push(':');
    match kind {
        Kind::Special { port } => {
            let rest = rest.trim_start_matches(is_slash);
            let (authority, path) = rest.split_at(rest.find(is_slash).unwrap_or(rest.len()));
            url.push_str("//");
            write_authority(&mut url, authority, Some(port))?;
            write_path(&mut url, path, kind);
        }
        Kind::File => write_file(&mut url, rest)?,
        Kind::Other => match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                url.push_str("//");
                write_authority(&mut url, authority, None)?;
                write_path(&mut url, path, kind);
            }
            None if rest.starts_with('/') => {
                let start = url.len();
                write_path(&mut url, rest, kind);
                // Or else it would read as an authority.
                if url.get(start..).is_some_and(|path| path.starts_with("//")) {
                    url.insert_str(start, "/.");
                }
            }
            // Just text, as in `mailto:` and `data:`.
            None => encode(&mut url, rest, |_| false),
        },
    }
    if let Some(query) = query {
        url.push('?');
        let special = kind != Kind::Other;
        encode(&mut url, query, |c| matches!(c, ' ' | '"' | '#' | '<' | '>') || (special && c == '\''));
    }
    if let Some(fragment) = fragment {
        url.push('#');
        encode(&mut url, fragment, |c| matches!(c, ' ' | '"' | '<' | '>' | '`'));
    }
    Ok(url)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A scheme with a host and a default port, where a backslash is a slash.
    Special {
        port: u16,
    },
    File,
    Other,
}

impl Kind {
    fn of(scheme: &str) -> Self {
        match scheme {
            "http" | "ws" => Self::Special { port: 80 },
            "https" | "wss" => Self::Special { port: 443 },
            "ftp" => Self::Special { port: 21 },
            "file" => Self::File,
            _ => Self::Other,
        }
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r')
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// The scheme in lower case, and what comes after its colon.
fn split_scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let mut chars = scheme.chars();
    let starts_well = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    let goes_on_well = chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (starts_well && goes_on_well).then(|| (scheme.to_ascii_lowercase(), rest))
}

fn split_at_first(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// Writes `user:password@host:port`. A default port means that the scheme is special and needs a host.
fn write_authority(url: &mut String, authority: &str, default_port: Option<u16>) -> Result<(), UrlError> {
    let host_and_port = match authority.rsplit_once('@') {
        Some((user_info, host_and_port)) => {
            let (user, password) = split_at_first(user_info, ':');
            let password = password.unwrap_or_default();
            encode(url, user, is_encoded_in_user_info);
            if !password.is_empty() {
                url.push(':');
                encode(url, password, is_encoded_in_user_info);
            }
            if !user.is_empty() || !password.is_empty() {
                url.push('@');
            }
            if host_and_port.is_empty() {
                return Err(UrlError::EmptyHost);
            }
            host_and_port
        }
        None => authority,
    };
    // A colon inside of brackets belongs to an IPv6 address.
    let after_brackets = host_and_port.rfind(']').map_or(0, |at| at + 1);
    let colon =
        host_and_port.get(after_brackets..).and_then(|rest| rest.find(':')).map(|at| after_brackets + at);
    let (host, port) = match colon {
        Some(at) => {
            (host_and_port.get(..at).unwrap_or_default(), host_and_port.get(at + 1..).unwrap_or_default())
        }
        None => (host_and_port, ""),
    };
    if host.is_empty() && (default_port.is_some() || colon.is_some()) {
        return Err(UrlError::EmptyHost);
    }
    write_host(url, host, default_port.is_some())?;
    if !port.is_empty() {
        if !port.bytes().all(|c| c.is_ascii_digit()) {
            return Err(UrlError::InvalidPort);
        }
        let port: u16 = port.parse().map_err(|_| UrlError::InvalidPort)?;
        if Some(port) != default_port {
            let _ = write!(url, ":{port}");
        }
    }
    Ok(())
}

fn write_host(url: &mut String, host: &str, special: bool) -> Result<(), UrlError> {
    if let Some(address) = host.strip_prefix('[') {
        let address = address.strip_suffix(']').ok_or(UrlError::InvalidHost)?;
        let address: Ipv6Addr = address.parse().map_err(|_| UrlError::InvalidHost)?;
        write_ipv6(url, address);
        return Ok(());
    }
    if !special {
        if host.contains(is_forbidden_in_host) {
            return Err(UrlError::InvalidHost);
        }
        encode(url, host, |_| false);
        return Ok(());
    }
    let host = domain_to_ascii(&percent_decode(host))?;
    let is_forbidden = |c| is_forbidden_in_host(c) || matches!(c, '%' | '\0'..=' ' | '\x7f');
    if host.is_empty() || host.contains(is_forbidden) {
        return Err(UrlError::InvalidHost);
    }
    if ends_in_a_number(&host) {
        let address = parse_ipv4(&host).ok_or(UrlError::InvalidHost)?;
        let _ = write!(url, "{address}");
    } else {
        url.push_str(&host);
    }
    Ok(())
}

/// `[1:2::3]`: the longest run of zeros, the first of equals, is left out; never in the mixed notation.
fn write_ipv6(url: &mut String, address: Ipv6Addr) {
    let pieces = address.segments();
    let mut longest = 0..0;
    let mut start = 0;
    for end in 0..=pieces.len() {
        if pieces.get(end) != Some(&0) {
            if end - start > longest.len().max(1) {
                longest = start..end;
            }
            start = end + 1;
        }
    }
    url.push('[');
    for (at, piece) in pieces.iter().enumerate() {
        if longest.contains(&at) {
            if at == longest.start {
                url.push_str(if at == 0 { "::" } else { ":" });
            }
            continue;
        }
        let _ = write!(url, "{piece:x}");
        if at != 7 {
            url.push(':');
        }
    }
    url.push(']');
}

fn is_forbidden_in_host(c: char) -> bool {
    matches!(
        c,
        '\0' | '\t'
            | '\n'
            | '\r'
            | ' '
            | '#'
            | '/'
            | ':'
            | '<'
            | '>'
            | '?'
            | '@'
            | '['
            | '\\'
            | ']'
            | '^'
            | '|'
    )
}

/// Lower case, and Punycode where a label is not ASCII.
fn domain_to_ascii(domain: &str) -> Result<String, UrlError> {
    let mapped: String = domain
        .chars()
        .map(|c| match c {
            '\u{3002}' | '\u{ff0e}' | '\u{ff61}' => '.',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            c => c,
        })
        .flat_map(char::to_lowercase)
        .filter(|c| !matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}'))
        .collect();
    let mut ascii = String::with_capacity(mapped.len());
    for (at, label) in mapped.split('.').enumerate() {
        if at > 0 {
            ascii.push('.');
        }
        if label.is_ascii() {
            ascii.push_str(label);
        } else if label.contains(char::REPLACEMENT_CHARACTER) {
            return Err(UrlError::InvalidHost);
        } else {
            ascii.push_str("xn--");
            punycode(&mut ascii, label).ok_or(UrlError::InvalidHost)?;
        }
    }
    Ok(ascii)
}

/// RFC 3492; `None` on overflow.
fn punycode(out: &mut String, label: &str) -> Option<()> {
    const BASE: u32 = 36;
    const T_MIN: u32 = 1;
    const T_MAX: u32 = 26;

    fn adapt(delta: u32, points: u32, first: bool) -> u32 {
        let mut delta = if first { delta / 700 } else { delta / 2 };
        delta += delta / points;
        let mut k = 0;
        while delta > (BASE - T_MIN) * T_MAX / 2 {
            delta /= BASE - T_MIN;
            k += BASE;
        }
        k + (BASE - T_MIN + 1) * delta / (delta + 38)
    }
    /// `a` to `z`, then `0` to `9`.
    fn digit(value: u32) -> Option<char> {
        let value = u8::try_from(value).ok()?;
        Some(char::from(if value < 26 { b'a' + value } else { b'0' + (value - 26) }))
    }

    let basic: String = label.chars().filter(char::is_ascii).collect();
    let mut handled = u32::try_from(basic.len()).ok()?;
    let basic_count = handled;
    out.push_str(&basic);
    if basic_count > 0 {
        out.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias) = (128_u32, 0_u32, 72_u32);
    while handled < total {
        let next = label.chars().map(u32::from).filter(|&c| c >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for c in label.chars().map(u32::from) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                let mut q = delta;
                let mut k = BASE;
                loop {
                    let t = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
                    if q < t {
                        break;
                    }
                    out.push(digit(t + (q - t) % (BASE - t))?);
                    q = (q - t) / (BASE - t);
                    k += BASE;
                }
                out.push(digit(q)?);
                bias = adapt(delta, handled + 1, handled == basic_count);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(())
}

/// Whether the last label is a number, which makes the host an IPv4 address or invalid.
fn ends_in_a_number(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or_default();
    !last.is_empty() && (last.bytes().all(|c| c.is_ascii_digit()) || parse_ipv4_number(last).is_some())
}

/// One to four numbers, decimal, octal or hexadecimal; the last fills what is left.
fn parse_ipv4(host: &str) -> Option<Ipv4Addr> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let numbers: Vec<u64> = host.split('.').map(parse_ipv4_number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|&number| number > 255) {
        return None;
    }
    let left = 4 - first.len();
    if *last >= 1 << (8 * left) {
        return None;
    }
    let address =
        first.iter().zip([24, 16, 8]).fold(*last, |address, (number, shift)| address | number << shift);
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

fn parse_ipv4_number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    if digits.is_empty() {
        return Some(0);
    }
    // Too large for the type is too large for an address.
    digits.chars().all(|c| c.is_digit(radix)).then(|| u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

/// Writes `file:` URLs: no port, no user, the host is optional and `localhost` is none, drive letters stay.
fn write_file(url: &mut String, rest: &str) -> Result<(), UrlError> {
    url.push_str("//");
    let Some(after) = rest.strip_prefix(is_slash) else {
        write_path(url, rest, Kind::File);
        return Ok(());
    };
    let Some(after) = after.strip_prefix(is_slash) else {
        write_path(url, rest, Kind::File);
        return Ok(());
    };
    let (host, path) = after.split_at(after.find(is_slash).unwrap_or(after.len()));
    if is_drive_letter(host) {
        write_path(url, after, Kind::File);
        return Ok(());
    }
    let start = url.len();
    if !host.is_empty() {
        write_host(url, host, true)?;
        if url.get(start..) == Some("localhost") {
            url.truncate(start);
        }
    }
    write_path(url, path, Kind::File);
    Ok(())
}

/// `C:` or `C|`.
fn is_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Writes a path with its dot segments resolved.
fn write_path(url: &mut String, path: &str, kind: Kind) {
    let separator: fn(char) -> bool = if kind == Kind::Other { |c| c == '/' } else { is_slash };
    let start = url.len();
    let path = path.strip_prefix(separator).unwrap_or({
        if path.is_empty() && kind == Kind::Other {
            return;
        }
        path
    });
    let mut segments = path.split(separator).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match dots(segment) {
            2 => {
                let written = url.get(start..).unwrap_or_default();
                let drive = kind == Kind::File
                    && written.len() == 3
                    && is_drive_letter(written.get(1..).unwrap_or_default());
                if !drive {
                    url.truncate(start + written.rfind('/').unwrap_or(0));
                }
                if last {
                    url.push('/');
                }
            }
            1 if last => url.push('/'),
            1 => {}
            _ => {
                let first = url.len() == start;
                url.push('/');
                match segment.as_bytes() {
                    [letter, b'|'] if kind == Kind::File && first && letter.is_ascii_alphabetic() => {
                        url.push(char::from(*letter));
                        url.push(':');
                    }
                    _ => encode(url, segment, |c| {
                        matches!(c, ' ' | '"' | '#' | '<' | '>' | '?' | '`' | '{' | '}')
                    }),
                }
            }
        }
    }
}

/// How many dots the segment consists of, if it is one or two; also percent-encoded.
fn dots(segment: &str) -> usize {
    let mut rest = segment;
    for count in 0..=2 {
        if rest.is_empty() {
            return count;
        }
        let encoded = rest.get(..3).filter(|three| three.eq_ignore_ascii_case("%2e"));
        rest = match (rest.strip_prefix('.'), encoded) {
            (Some(rest), _) => rest,
            (None, Some(_)) => rest.get(3..).unwrap_or_default(),
            (None, None) => return 0,
        };
    }
    0
}

fn is_encoded_in_user_info(c: char) -> bool {
    matches!(
        c,
        ' ' | '"'
            | '#'
            | '<'
            | '>'
            | '?'
            | '^'
            | '`'
            | '{'
            | '}'
            | '/'
            | ':'
            | ';'
            | '='
            | '@'
            | '['
            | '\\'
            | ']'
            | '|'
    )
}

/// Percent-encodes control characters, everything outside of ASCII, and what `also` says.
fn encode(url: &mut String, text: &str, also: impl Fn(char) -> bool) {
    for c in text.chars() {
        if c.is_ascii_control() || !c.is_ascii() || also(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(url, "%{byte:02X}");
            }
        } else {
            url.push(c);
        }
    }
}

/// Undoes percent-encoding; what is not UTF-8 then becomes U+FFFD.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|&c| char::from(c).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
