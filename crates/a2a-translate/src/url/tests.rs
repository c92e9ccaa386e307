use proptest::prelude::*;

use super::*;

fn check(text: &str, expect: Result<&str, UrlError>) {
    assert_eq!(normalize(text).as_deref(), expect.as_ref().copied(), "{text:?}");
}

#[test]
fn normal_forms() {
    for (text, expect) in [
        ("https://Example.COM", "https://example.com/"),
        ("HTTPS://Example.com:443/a b", "https://example.com/a%20b"),
        ("HTTP://example.com:80/a b?q=é#f", "http://example.com/a%20b?q=%C3%A9#f"),
        ("https://例え.jp/パス?q=é#f", "https://xn--r8jz45g.jp/%E3%83%91%E3%82%B9?q=%C3%A9#f"),
        ("https://MÜNCHEN.example/", "https://xn--mnchen-3ya.example/"),
        ("https://a。b．c/", "https://a.b.c/"),
        ("s3://Bucket/Key with space", "s3://Bucket/Key%20with%20space"),
        ("data:text/plain;base64,QQ==", "data:text/plain;base64,QQ=="),
        ("file:///tmp/x.bin", "file:///tmp/x.bin"),
        ("file://localhost/tmp", "file:///tmp"),
        ("file:C|/a/../..", "file:///C:/"),
        ("https://e.test/a/./b/../c", "https://e.test/a/c"),
        ("https://e.test/a/%2e%2E/", "https://e.test/"),
        ("https:\\\\e.test\\a", "https://e.test/a"),
        ("https://user:p%40ss@e.test:8443", "https://user:p%40ss@e.test:8443/"),
        ("https://e.test:/x", "https://e.test/x"),
        ("https://0x7f.1/", "https://127.0.0.1/"),
        ("https://[2001:DB8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"),
        ("https://[::ffff:1.2.3.4]/", "https://[::ffff:102:304]/"),
        ("  https://e.test/a\nb\t  ", "https://e.test/ab"),
        ("https://e.test/?a'b", "https://e.test/?a%27b"),
        ("x:/..//a", "x:/.//a"),
        ("mailto:a@e.test", "mailto:a@e.test"),
    ] {
        check(text, Ok(expect));
        check(expect, Ok(expect));
    }
}

#[test]
fn not_urls() {
    for (text, error) in [
        ("", UrlError::Relative),
        ("a.png", UrlError::Relative),
        ("/relative/path.png", UrlError::Relative),
        ("//e.test/", UrlError::Relative),
        ("1a:b", UrlError::Relative),
        ("https://", UrlError::EmptyHost),
        ("https://user@", UrlError::EmptyHost),
        ("https://a b/", UrlError::InvalidHost),
        ("https://[::1", UrlError::InvalidHost),
        ("https://1.2.3.4.5/", UrlError::InvalidHost),
        ("https://e%zz/", UrlError::InvalidHost),
        ("https://e.test:65536/", UrlError::InvalidPort),
        ("https://e.test:1x/", UrlError::InvalidPort),
    ] {
        check(text, Err(error));
    }
}

/// Pieces that matter to the rules, and ordinary ones. All of ASCII: the oracle knows the tables of IDNA.
const PIECES: &[&str] = &[
    "http:",
    "https:",
    "HTTP:",
    "ftp:",
    "wss:",
    "s3:",
    "data:",
    "x+y.z-1:",
    "//",
    "/",
    "\\",
    "?",
    "#",
    "@",
    ":",
    "::",
    "[",
    "]",
    "[::1]",
    "[1:0:0:2::3]",
    "[::1.2.3.4]",
    ".",
    "..",
    "%2e",
    "%2E.",
    "%",
    "%41",
    "%zz",
    "%00",
    "a",
    "B",
    "c.d",
    "example.com",
    "localhost",
    "127.0.0.1",
    "0x10",
    "010",
    "256",
    "1.2",
    "4294967296",
    "C:",
    "C|",
    "80",
    "443",
    "8080",
    "65535",
    "65536",
    " ",
    "\t",
    "\n",
    "\0",
    "\"",
    "'",
    "<",
    ">",
    "^",
    "`",
    "{",
    "}",
    "|",
    ";",
    "=",
    "&",
    "~",
    "!",
    "$",
    "*",
    "+",
    ",",
    "(",
    ")",
    "\x7f",
];

/// Where the crate is not quite what the rules say: schemes that are not special, with a backslash after the port
/// or an at sign before nothing.
fn is_odd(text: &str) -> bool {
    let is_special = split_scheme(text).is_some_and(|(scheme, _)| Kind::of(&scheme) != Kind::Other);
    !is_special && text.contains(['\\', '@'])
}

proptest! {
    #[test]
    fn as_the_url_crate_has_it(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..9)) {
        let text = pieces.concat();
        if is_odd(&text) {
            return Ok(());
        }
        let expect = ::url::Url::parse(&text).ok().map(String::from);
        prop_assert_eq!(normalize(&text).ok(), expect, "{:?}", text);
    }

    #[test]
    fn with_a_likely_beginning(
        scheme in prop::sample::select(&["http://", "https:/", "x://", "x:/", "x:"][..]),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..7),
    ) {
        let text = format!("{scheme}{}", pieces.concat());
        if is_odd(&text) {
            return Ok(());
        }
        let expect = ::url::Url::parse(&text).ok().map(String::from);
        prop_assert_eq!(normalize(&text).ok(), expect, "{:?}", text);
    }

    /// But for empty segments and drive letters in odd places, where the crate is not quite what the rules say.
    #[test]
    fn files(
        start in prop::sample::select(&["file:///", "file:/", "file:", "file:///C:/", "file:c|/", "file://localhost/", "file://host/", "FILE:\\\\h\\"][..]),
        segments in prop::collection::vec("[a-zA-Z .%é]{1,4}|\\.\\.|\\.", 1..5),
        end in prop::sample::select(&["", "/", "?q'#f"][..]),
    ) {
        let text = format!("{start}{}{end}", segments.join("/"));
        let expect = ::url::Url::parse(&text).ok().map(String::from);
        prop_assert_eq!(normalize(&text).ok(), expect, "{:?}", text);
    }

    #[test]
    fn normal_forms_are_normal(text in any::<String>()) {
        if let Ok(url) = normalize(&format!("https://{text}")) {
            prop_assert_eq!(normalize(&url).ok(), Some(url.clone()), "{:?}", url);
        }
    }

    /// Names in lower case, composed: the mapping of IDNA changes nothing there.
    #[test]
    fn punycode_as_the_url_crate_has_it(label in "[a-z]{0,3}[äöüßéèçñøåæ杭州西湖例え日本語пример]{1,8}[a-z]{0,3}") {
        let text = format!("https://{label}.example/");
        let expect = ::url::Url::parse(&text).ok().map(String::from);
        prop_assert_eq!(normalize(&text).ok(), expect, "{:?}", text);
    }
}
