//! Is this text a URL that can be answered for?
//!
//! # Flow
//!
//! The engine finds a target in any text. For people and scripts that is too kind: `shop.example/cart`
//! would be asked as the path `/shop.example/cart` and be allowed. So a text is taken when it begins
//! with `/` or `?` and is a path, or when it is an absolute URL; a URL of the web must also have a host.
//! Nearly everything with a colon in it has the form of an absolute URL, and what stands before the colon
//! has no robots.txt then: without `//`, a text that may be meant otherwise is refused, such as
//! `shop.example:80/x`, `htpps:/shop.example/x` and `User-agent: x`. Nothing of the text is changed. Path
//! and query may hold any byte.
//!
//! # Scope
//!
//! Dialects that find a path in any string, as Google's library does (REP-MATCH-5), take any string.

mod form;
mod origin;

use verger::dialect::UrlSplit;
use verger::{Dialect, Origin};

pub(crate) use self::form::has_port;
pub(crate) use self::origin::{bad_url, hint_for, origin_of, text_of};

use self::form::{doubt, end_of, needs_host, split_scheme};
use crate::error::Error;
use crate::names::{nearest, one_of};
use crate::quote::{brief, quoted};

/// Refuses a text that is no URL in this dialect.
pub(crate) fn check(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    let is_no_url = |error: Error| if dialect.reads_url(text) { error } else { error.of_no_url() };
    refuse(text, dialect).map_err(is_no_url)
}

fn refuse(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    let Err(error) = look(text, dialect) else { return Ok(()) };
    let bare = text.trim_ascii();
    if bare.is_empty() || bare.len() == text.len() {
        return Err(error);
    }
    let shown = quoted(text);
    let error =
        Error::new(format!("bad URL {shown}: expected no white space around it, but found some"));
    let hint = match look(bare, dialect) {
        Ok(()) => Some(format!("{shown}: did you mean {}?", quoted(bare))),
        Err(inner) => inner.hint().map(str::to_owned),
    };
    Err(error.with_hint_of(hint))
}

fn look(text: &[u8], dialect: &Dialect) -> Result<(), Error> {
    let bad = |why: &str| Error::new(format!("bad URL {}: {why}", quoted(text)));
    if dialect.reads_url(text) {
        return mistake_in_host(text, dialect).map_or(Ok(()), |why| Err(bad(&why)));
    }
    if text.is_empty() {
        return Err(Error::new("bad URL: expected a URL or a path, but found an empty text"));
    }
    let Some((scheme, rest)) = split_scheme(text) else {
        let why = "expected `https://` or another scheme, or a path that begins with `/`, but found neither";
        return Err(bad(why).with_hint_of(meant(text)));
    };
    let shown = brief(scheme);
    if rest.starts_with(b"//") {
        return Err(bad(&format!("expected a host behind `{shown}://`, but found none")));
    }
    if needs_host(scheme) {
        let found = match rest.get(..rest.len().min(2)) {
            None | Some([]) => "nothing".to_owned(),
            Some(found) => quoted(found),
        };
        return Err(bad(&format!("expected `//` behind `{shown}:`, but found {found}")));
    }
    let why = doubt(scheme, rest);
    Err(bad(&why).with_hint_of(meant_otherwise(text, scheme, rest, dialect)))
}

/// What a text with such a doubt may have been meant for.
fn meant_otherwise(text: &[u8], scheme: &[u8], rest: &[u8], dialect: &Dialect) -> Option<String> {
    let shown = quoted(text);
    if rest.first().is_some_and(u8::is_ascii_whitespace) {
        return Some(format!(
            "{shown} reads like a line of a robots.txt; `--robots` takes one, `--urls-from` a list of URLs"
        ));
    }
    let path = &rest[end_of(rest, b"/?#")..];
    let has_port = path.len() < rest.len();
    let known = nearest(&String::from_utf8_lossy(scheme), ["https", "http"]);
    let meant = match (known.first(), has_port) {
        (Some(known), false) => vec![[known.as_bytes(), b":/", rest].concat()],
        (_, false) => vec![[b"https://", scheme, rest].concat(), path.to_vec()],
        (_, true) => [on_the_web(text), vec![path.to_vec()]].concat(),
    };
    let meant = meant.iter().filter(|text| look(text, dialect).is_ok());
    let meant: Vec<String> = meant.map(quoted).collect();
    Some(format!("{shown}: did you mean {}?", one_of(&meant)?))
}

/// The mistake in the host or the port of a URL of the web. The engine does not read them, but no client
/// could send a request there.
fn mistake_in_host(text: &[u8], dialect: &Dialect) -> Option<String> {
    let (scheme, rest) = split_scheme(text)?;
    if dialect.url_split != UrlSplit::Generic || !needs_host(scheme) {
        return None;
    }
    let rest = rest.strip_prefix(b"//")?;
    let until_path = &text[..text.len() - rest.len() + end_of(rest, b"/?#")];
    match str::from_utf8(until_path).map(Origin::of) {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("expected a host in UTF-8, but found other bytes".to_owned()),
    }
}

/// What a text without a scheme may have been meant for.
fn meant(text: &[u8]) -> Option<String> {
    let host = &text[..end_of(text, b"/?#")];
    if host.is_empty() || !host.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let is_host = host.contains(&b'.') || host.contains(&b':') || host == b"localhost";
    let mut meant = Vec::new();
    if is_host {
        meant.extend(on_the_web(text).iter().map(quoted));
        if let path @ [b'/' | b'?', ..] = &text[host.len()..] {
            meant.push(quoted(path));
        }
    } else {
        meant.push(quoted(&[b"/", text].concat()));
    }
    Some(format!("{}: did you mean {}?", quoted(text), one_of(&meant)?))
}

/// The URL of what begins with a host. A server with a port of its own may well speak http.
fn on_the_web(text: &[u8]) -> Vec<Vec<u8>> {
    let schemes: &[&[u8]] =
        if has_port(text) { &[b"https://", b"http://"] } else { &[b"https://"] };
    schemes.iter().map(|scheme| [scheme, text].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn accepts(dialect: Dialect, text: impl AsRef<[u8]>) {
        assert_eq!(check(text.as_ref(), &dialect), Ok(()));
    }

    #[track_caller]
    fn refuses(text: impl AsRef<[u8]>, why: &str, hint: Option<&str>) {
        let error = check(text.as_ref(), &Dialect::RFC9309).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.hint(), hint);
    }

    /// The same with a hint at what may be meant.
    #[track_caller]
    fn means(text: &str, why: &str, meant: &str) {
        refuses(text, why, Some(&format!("`{text}`: did you mean {meant}?")));
    }

    #[test]
    fn paths_and_absolute_urls_pass_as_they_are() {
        for text in [
            "/",
            "//h/x",
            "?q",
            "https://shop.example",
            "HTTP://Shop.Example:80/a b#c",
            "https://user:secret@shop.example/",
            "https://exämple.com/ä",
            "http://[::1]:8080/",
            "ftp://h/x",
            "wss://h/",
            "gopher://h/x",
            "mailto:a@shop.example",
            "data:text/plain,x",
            "tel:112",
            "TEL:1",
            "mailto:1@shop.example",
            "javascript: f()",
            "urn:x",
            "x.y://80/",
            "file:///etc/x",
        ] {
            accepts(Dialect::RFC9309, text);
        }
        accepts(Dialect::RFC9309, b"https://h/\xff");
        accepts(Dialect::BOOK, b"/\xff");
    }

    #[test]
    fn a_text_without_a_scheme_is_refused_with_what_may_be_meant() {
        let neither = "but found neither";
        means("shop.example/x?y", neither, "`https://shop.example/x?y` or `/x?y`");
        means("shop.example", neither, "`https://shop.example`");
        means("cart", neither, "`/cart`");
        means("cart/x", neither, "`/cart/x`");
        means("1http://h/x", neither, "`https://1http://h/x` or `//h/x`");
        refuses("#x", neither, None);
        refuses(b"\x1b[2J", neither, None);
        refuses("shop.example\nx: y", neither, None);
        refuses("", "but found an empty text", None);
    }

    #[test]
    fn white_space_around_a_url_is_named_as_the_cause() {
        let around = "expected no white space around it, but found some";
        means(" /x", around, "`/x`");
        refuses(
            "shop.example ",
            around,
            Some("`shop.example`: did you mean `https://shop.example`?"),
        );
        refuses("\tcart ", around, Some("`cart`: did you mean `/cart`?"));
        refuses(" https:/x", around, None);
        refuses(" ", "but found neither", None);
        // Of a path it is a part.
        accepts(Dialect::RFC9309, "/x ");
    }

    #[test]
    fn a_host_and_a_port_are_no_scheme() {
        let port = "but found a host and a port";
        means("host:80/x", port, "`https://host:80/x`, `http://host:80/x` or `/x`");
        means(
            "shop.example:8080",
            port,
            "`https://shop.example:8080` or `http://shop.example:8080`",
        );
        means("localhost:80", port, "`https://localhost:80` or `http://localhost:80`");
        means("intranet:8080", port, "`https://intranet:8080` or `http://intranet:8080`");
        means("host:80x/x", port, "`/x`");
        refuses("host:80x", port, None);
        means("shop:8080/x#y", port, "`https://shop:8080/x#y`, `http://shop:8080/x#y` or `/x#y`");
    }

    #[test]
    fn a_host_and_a_colon_are_no_scheme() {
        let host = "but found a host";
        let meant = "`shop.example:/x`: did you mean `https://shop.example/x` or `/x`?";
        refuses("shop.example:/x", host, Some(meant));
        means("shop.example:", host, "`https://shop.example`");
        refuses("shop.example:x", host, None);
    }

    #[test]
    fn one_slash_behind_a_scheme_is_too_few() {
        refuses(
            "htpps:/shop.example/x",
            "expected `//` behind `htpps:`, but found `/`",
            Some("`htpps:/shop.example/x`: did you mean `https://shop.example/x`?"),
        );
        refuses(
            "intranet:/x",
            "expected `//` behind `intranet:`, but found `/`",
            Some("`intranet:/x`: did you mean `https://intranet/x` or `/x`?"),
        );
        refuses(
            "Disallow:/x",
            "expected `//` behind `Disallow:`",
            Some("`Disallow:/x`: did you mean `https://Disallow/x` or `/x`?"),
        );
    }

    #[test]
    fn a_line_of_a_robots_txt_is_no_url() {
        for text in ["User-agent: *", "Disallow: /x", "sitemap:\thttps://shop.example/s.xml"] {
            let error = check(text.as_bytes(), &Dialect::RFC9309).unwrap_err();
            assert!(error.to_string().contains("but found white space behind"), "{error}");
            assert!(error.hint().unwrap().contains("reads like a line of a robots.txt"), "{error}");
        }
    }

    #[test]
    fn a_url_of_the_web_needs_a_host() {
        refuses("http:x", "expected `//` behind `http:`, but found `x`", None);
        refuses("HTTPS:", "expected `//` behind `HTTPS:`, but found nothing", None);
        refuses("http:/x", "expected `//` behind `http:`, but found `/x`", None);
        refuses("http:80/x", "expected `//` behind `http:`, but found `80`", None);
        refuses("http:///x", "expected a host behind `http://`, but found none", None);
        refuses("https://?x", "expected a host behind `https://`, but found none", None);
        refuses("https://@/", "expected a host behind `https://`, but found none", None);
        refuses("geo:48.2,16.3", "expected `//` behind `geo:`, but found something else", None);
        refuses("https://h:99999/", "expected a port up to 65535", None);
        refuses("https://[::1/", "expected a host, but found a text", None);
        refuses(b"https://\xff/", "expected a host in UTF-8", None);
    }

    #[test]
    fn google_takes_any_string() {
        for text in ["", "x", "http:x", "https://"] {
            accepts(Dialect::GOOGLE, text);
        }
    }
}
