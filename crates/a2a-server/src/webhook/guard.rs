//! Where webhooks may be: keeps callers from making the server talk to its own network (SSRF).
//!
//! The address that was checked is the one that is connected to, so that a name cannot change its meaning in
//! between.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::Uri;
use tokio::net::lookup_host;

use super::{WebhookError, WebhookOptions};

#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    allow_loopback: bool,
    allow_private: bool,
    allow_http: bool,
}

impl Guard {
    pub(super) fn new(options: &WebhookOptions) -> Self {
        Self {
            allow_loopback: options.allow_loopback,
            allow_private: options.allow_private,
            allow_http: options.allow_http,
        }
    }

    /// Checks a URL without resolving its name.
    pub(super) fn check_uri(self, uri: &Uri) -> Result<(), WebhookError> {
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(WebhookError::NotAllowed("it is not an absolute URL"));
        };
        if authority.as_str().contains('@') {
            return Err(WebhookError::NotAllowed("it must not contain credentials"));
        }
        if host(uri).is_empty() {
            return Err(WebhookError::NotAllowed("it names no host"));
        }
        if authority.as_str().len() > authority.host().len() && uri.port_u16().is_none() {
            return Err(WebhookError::NotAllowed("its port is not a port"));
        }
        match scheme {
            "https" => {}
            "http" if self.allow_http || self.allow_loopback => {}
            "http" => return Err(WebhookError::NotAllowed("it must be an https URL")),
            _ => return Err(WebhookError::NotAllowed("it must be an http or https URL")),
        }
        match host(uri).parse() {
            Ok(address) => self.check_address(address, scheme),
            Err(_) => Ok(()),
        }
    }

    /// The addresses of a URL, all of which are allowed.
    pub(super) async fn resolve(self, uri: &Uri) -> Result<Vec<SocketAddr>, WebhookError> {
        self.check_uri(uri)?;
        let scheme = uri.scheme_str().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
        let found = lookup_host((host(uri), port)).await.map_err(WebhookError::Resolve)?;
        let addresses: Vec<SocketAddr> = found.collect();
        for address in &addresses {
            self.check_address(address.ip(), scheme)?;
        }
        Ok(addresses)
    }

    fn check_address(self, address: IpAddr, scheme: &str) -> Result<(), WebhookError> {
        let class = Class::of(address);
        let allowed = match class {
            Class::Public => true,
            Class::Loopback => self.allow_loopback,
            Class::Private => self.allow_private,
            Class::Special => false,
        };
        if !allowed {
            return Err(WebhookError::NotAllowed("its address is not allowed"));
        }
        if scheme != "https" && !self.allow_http && class != Class::Loopback {
            return Err(WebhookError::NotAllowed("it must be an https URL"));
        }
        Ok(())
    }
}

/// The host of a URL, IPv6 addresses without their brackets.
pub(super) fn host(uri: &Uri) -> &str {
    let host = uri.host().unwrap_or_default();
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Public,
    Loopback,
    Private,
    /// Link-local (where cloud machines find their secrets), multicast, documentation, reserved, …
    Special,
}

impl Class {
    fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [a, b, c, _] = address.octets();
        if address.is_loopback() {
            return Self::Loopback;
        }
        let shared = a == 100 && (64..128).contains(&b);
        if address.is_private() || shared {
            return Self::Private;
        }
        let special = address.is_link_local()
            || address.is_broadcast()
            || address.is_documentation()
            || address.is_multicast()
            || a == 0
            || a >= 240
            || (a == 192 && b == 0 && c == 0)
            || (a == 192 && b == 88 && c == 99)
            || (a == 198 && matches!(b, 18 | 19));
        if special { Self::Special } else { Self::Public }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        if address.is_loopback() {
            return Self::Loopback;
        }
        let [a, b, c, d, e, f, g, h] = address.segments();
        let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
        match (a, b, c, d, e, f) {
            // An IPv4 address in another form: mapped, compatible, or behind NAT64.
            (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => return Self::of_v4(v4(g, h)),
            (0, 0, 0, 0, 0, 0) => return Self::Special,
            // 6to4.
            (0x2002, ..) => return Self::of_v4(v4(b, c)),
            _ => {}
        }
        if a & 0xfe00 == 0xfc00 {
            return Self::Private;
        }
        // Only 2000::/3 is given out; Teredo, ORCHID and documentation within it are not for us.
        let special = a & 0xe000 != 0x2000
            || (a == 0x2001 && b < 0x0200)
            || (a == 0x2001 && b == 0x0db8)
            || a == 0x3fff;
        if special { Self::Special } else { Self::Public }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_classified() {
        for (address, expect) in [
            ("93.184.216.34", Class::Public),
            ("127.0.0.1", Class::Loopback),
            ("127.9.9.9", Class::Loopback),
            ("10.1.2.3", Class::Private),
            ("172.16.0.1", Class::Private),
            ("172.32.0.1", Class::Public),
            ("192.168.1.1", Class::Private),
            ("100.64.0.1", Class::Private),
            ("169.254.169.254", Class::Special),
            ("0.0.0.0", Class::Special),
            ("192.0.0.1", Class::Special),
            ("192.0.2.1", Class::Special),
            ("198.18.0.1", Class::Special),
            ("224.0.0.1", Class::Special),
            ("255.255.255.255", Class::Special),
            ("::1", Class::Loopback),
            ("::", Class::Special),
            ("::ffff:127.0.0.1", Class::Loopback),
            ("::ffff:10.0.0.1", Class::Private),
            ("::ffff:169.254.169.254", Class::Special),
            ("64:ff9b::7f00:1", Class::Loopback),
            ("2002:7f00:1::", Class::Loopback),
            ("fe80::1", Class::Special),
            ("fec0::1", Class::Special),
            ("fd00::1", Class::Private),
            ("ff02::1", Class::Special),
            ("2001:db8::1", Class::Special),
            ("2001::1", Class::Special),
            ("2606:4700::1111", Class::Public),
        ] {
            assert_eq!(Class::of(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn urls_are_checked() {
        let strict = Guard { allow_loopback: false, allow_private: false, allow_http: false };
        let loopback = Guard { allow_loopback: true, ..strict };
        let plain = Guard { allow_http: true, ..strict };
        for (url, by_strict, by_loopback, by_plain) in [
            ("https://hook.example/x", true, true, true),
            ("http://hook.example/x", false, true, true),
            ("https://127.0.0.1/x", false, true, false),
            ("http://127.0.0.1:1/x", false, true, false),
            ("http://[::1]:1/x", false, true, false),
            ("http://93.184.216.34/x", false, false, true),
            ("https://10.0.0.1/x", false, false, false),
            ("https://[::ffff:10.0.0.1]/x", false, false, false),
            ("https://user:secret@hook.example/x", false, false, false),
            ("https://hook.example:8443/x", true, true, true),
            ("https://hook.example:99999/x", false, false, false),
            ("https://hook.example:/x", false, false, false),
            ("ftp://hook.example/x", false, false, false),
            ("/hook", false, false, false),
        ] {
            let uri: Uri = url.parse().unwrap();
            assert_eq!(strict.check_uri(&uri).is_ok(), by_strict, "{url}");
            assert_eq!(loopback.check_uri(&uri).is_ok(), by_loopback, "{url}");
            assert_eq!(plain.check_uri(&uri).is_ok(), by_plain, "{url}");
        }
    }

    #[tokio::test]
    async fn names_are_checked_by_what_they_resolve_to() {
        let strict = Guard { allow_loopback: false, allow_private: false, allow_http: false };
        let uri: Uri = "https://localhost/x".parse().unwrap();
        strict.check_uri(&uri).unwrap();
        assert!(matches!(strict.resolve(&uri).await, Err(WebhookError::NotAllowed(_))));
        let open = Guard { allow_loopback: true, ..strict };
        assert!(!open.resolve(&uri).await.unwrap().is_empty());
        // Other ways to write an address; whether they are one is up to the resolver.
        for host in [
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.1",
            "127.0.0.1.",
            "0",
            "[::1%25lo]",
            "[fe80::1%251]",
        ] {
            let uri: Uri = format!("https://{host}/x").parse().unwrap();
            let resolved = strict.resolve(&uri).await;
            assert!(
                matches!(resolved, Err(WebhookError::NotAllowed(_) | WebhookError::Resolve(_))),
                "{host}: {resolved:?}"
            );
        }
    }
}
