//! The pattern that an author means by a value without a slash, or by a regular expression.

use verger_registry::Registry;

use crate::limits::OPERATOR_BYTES;
use crate::pattern::{percents, split};

/// The pattern that is meant by a value which begins with neither `/` nor `*`; `None` if it is
/// uncertain, or if the pattern would match everything.
///
/// Removes quotes and markup, the scheme and host of a URL, and dots of a relative path, and writes
/// slashes for backslashes.
pub(crate) fn pattern(value: &[u8]) -> Option<String> {
    #[rustfmt::skip]
    const SLASHES: [&str; 9] = [
        "\u{2044}", "\u{2215}", "\u{29f8}", "\u{ff0f}", "%2F", "%2f", "%5C", "%5c", "&sol;",
    ];
    let inside = unquoted(str::from_utf8(value).ok()?);
    let path = split(inside.as_bytes()).map_or(inside.as_bytes(), |(_, path)| path);
    let path = str::from_utf8(path).ok()?;
    // A path of the server, or a regular expression.
    let is_escape = |(at, _)| !path[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    if path.contains(":\\") || path.trim_end_matches('\\').match_indices('\\').any(is_escape) {
        return None;
    }
    let written = path.replace('\\', "/").replace("&amp;", "&");
    let mut path = written.as_str();
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix("../")) {
        path = rest;
    }
    let rest = SLASHES.into_iter().find_map(|slash| path.strip_prefix(slash));
    let octet = percents(path.as_bytes()).first().and_then(|first| first.octet);
    let start = match path.as_bytes() {
        _ if rest.is_some() => "/",
        [b'/' | b'*', ..] => "",
        [b'.', ..] if path.len() == written.len() && !path.contains('/') => "/*",
        [b'&' | b'=' | b'?', ..] => "/*",
        [b'%', ..] if octet.is_some_and(|it| it >= 0x80 || it.is_ascii_alphanumeric()) => "/",
        [b'~', b'/', ..] => return None,
        [first, ..] if b".~_@".contains(first) => "/",
        [first, ..] if first.is_ascii_alphanumeric() && is_relative(path) => "/",
        _ => return None,
    };
    let pattern = format!("{start}{}", rest.unwrap_or(path));
    let before_query = pattern.split('?').next().unwrap_or_default();
    // A list, a reference of HTML, or another URL.
    let is_doubtful =
        !start.is_empty() && before_query.contains([',', ';', '|']) || before_query.contains("//");
    let is_text = |c: char| c.is_whitespace() || "\"`<>".contains(c);
    let has_word = pattern.contains(|c: char| c.is_alphanumeric() || c == '?');
    (has_word && !is_doubtful && !pattern.contains(is_text)).then_some(pattern)
}

/// The text inside quotes, brackets, marks of code, or a Markdown link. A quote at one end only is
/// a slip.
fn unquoted(text: &str) -> &str {
    let link = text.strip_prefix('[').and_then(|it| it.strip_suffix(')')?.split_once("]("));
    let text = link.map_or(text, |(_, target)| target).trim_end_matches('"');
    let opens = |c| "\"'`<(\u{201c}\u{201e}\u{201d}\u{2018}\u{2019}\u{ab}".contains(c);
    let closes = |c| " \"'`>)\u{201c}\u{201d}\u{2018}\u{2019}\u{bb}".contains(c);
    let rest = text.trim_start_matches(opens);
    if rest.len() < text.len() { rest.trim_end_matches(closes).trim_start() } else { text }
}

/// Whether a text that begins with a letter or digit is a path without its slash, and not a host,
/// an address, a URL, a crawler or a word.
fn is_relative(path: &str) -> bool {
    const WORDS: &str = "about all allow any data disallow empty everything false javascript mailto \
                         n/a nil no none nothing null tel true yes";
    const HOSTS: [&str; 4] = ["ftp", "http", "https", "localhost"];
    let end = path.find(['/', '?', '#', '*', '$', ':']).unwrap_or(path.len());
    let (first, rest) = path.split_at(end);
    let after_colon = rest.strip_prefix(':');
    let word = after_colon.map_or(path, |_| first);
    // Of a URL, a port, or an IPv6 address.
    let is_url = |rest: &str| {
        rest.starts_with(|c: char| c == '/' || c.is_ascii_digit()) || rest.contains(':')
    };
    !after_colon.is_some_and(is_url)
        && !WORDS.split(' ').any(|it| it.eq_ignore_ascii_case(word))
        && !HOSTS.iter().any(|it| it.eq_ignore_ascii_case(first))
        && !first.contains('=')
        && !path.split('/').next().unwrap_or_default().contains('@')
        && !may_be_host(first)
        && Registry::bundled().find(path).is_none()
}

/// Whether a name can be that of a host, or an IPv4 address or the start of one. `cart.php` is a
/// file.
pub(crate) fn may_be_host(name: &str) -> bool {
    const FILES: &str = "action asp aspx bak cfm cgi css csv do doc docx gif gz htm html ico jpeg \
                         jpg js json jsp mp3 mp4 pdf php png rss shtml sql svg swf txt webp xls \
                         xlsx xml";
    let Some((_, last)) = name.rsplit_once('.') else { return false };
    let is_address = name.split('.').count() > 2
        && !name.contains(|c: char| c.is_alphabetic())
        && name.contains(|c: char| c.is_ascii_digit());
    let is_domain = last.len() > 1 && last.bytes().all(|octet| octet.is_ascii_alphabetic());
    name.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-.".contains(&octet))
        && (is_address || is_domain && !FILES.split(' ').any(|it| it.eq_ignore_ascii_case(last)))
}

/// Whether a pattern is a regular expression.
pub(crate) fn is_expression(pattern: &[u8]) -> bool {
    str::from_utf8(pattern).is_ok_and(|text| first_operator(text).is_some())
}

/// An operator of regular expressions.
pub(crate) struct Operator {
    pub(crate) length: usize,
    /// The text of a pattern that matches the same or more; `None` if that is uncertain.
    pattern: Option<String>,
}

/// The first operator that is hardly ever literal, and its offset.
pub(crate) fn first_operator(text: &str) -> Option<(usize, Operator)> {
    // The first characters of all that `operator` knows.
    let starts = text.match_indices(['^', '\\', '.', '[', '(', '{']);
    let mut operators = starts.filter_map(|(at, _)| Some((at, operator(text, at)?)));
    // A dot before a star can be literal, except in place of a name or of its start.
    let replaces_name = |at: usize| {
        let folder = text[..at].strip_suffix('/');
        let is_hidden = matches!(text.as_bytes().get(at + 2), None | Some(b'/' | b'$'));
        at == 0
            || folder.is_some_and(|it| !is_hidden || it.ends_with(|c: char| c.is_alphanumeric()))
    };
    operators.find(|(at, _)| !text[*at..].starts_with('.') || replaces_name(*at))
}

/// The operator at an offset.
fn operator(text: &str, at: usize) -> Option<Operator> {
    const LITERALS: &str = ".?/-+*()[]{}|$^";
    let rest = &text[at..];
    let mut chars = rest.chars();
    let (first, second, third) = (chars.next()?, chars.next(), chars.next());
    let end = |c: char| rest.bytes().take(OPERATOR_BYTES).position(|it| char::from(it) == c);
    let mut pattern = Some("*".to_owned());
    let length = match (first, second) {
        ('^', Some(second)) if at == 0 => {
            let slash = if second.is_alphanumeric() { "/" } else { "" };
            return Some(Operator { length: 1, pattern: Some(slash.to_owned()) });
        }
        ('\\', Some(literal)) if LITERALS.contains(literal) => {
            return Some(Operator { length: 2, pattern: Some(literal.to_string()) });
        }
        ('\\', Some('d' | 'w' | 's')) if !third.is_some_and(char::is_alphanumeric) => 2,
        ('.', Some('*' | '+')) => 1,
        ('[', _) => {
            let end = end(']').filter(|&end| is_range(&rest[1..end]))?;
            // `*dmin` for `[Aa]dmin` would match other words.
            pattern = pattern.filter(|_| !rest[1..end].chars().all(char::is_alphabetic));
            end + 1
        }
        ('(', _) => {
            pattern = None;
            end(')').filter(|&end| is_group(&rest[1..end]))? + 1
        }
        ('{', _) => {
            pattern = None;
            end('}').filter(|&end| is_list(&rest[1..end]))? + 1
        }
        _ => return None,
    };
    let after = &rest[length..];
    let repetition = match after.bytes().next() {
        Some(b'*' | b'+') => 1,
        Some(b'{') => {
            let end = after.bytes().take(OPERATOR_BYTES).position(|it| it == b'}');
            end.map_or(0, |end| end + 1)
        }
        _ => 0,
    };
    Some(Operator { length: length + repetition, pattern })
}

/// Whether brackets with this text are a range. `filter[type]` is a parameter.
fn is_range(inside: &str) -> bool {
    let is_short = |it: &[u8]| match it {
        [b'0'..=b'9', b'-', b'0'..=b'9'] => true,
        [capital, small] => capital != small && capital.eq_ignore_ascii_case(small),
        _ => false,
    };
    inside.starts_with('^')
        || ["0-9", "1-9", "a-z", "A-Z"].iter().any(|range| inside.contains(range))
        || is_short(inside.as_bytes())
}

/// Whether braces with this text are a list of alternatives.
fn is_list(inside: &str) -> bool {
    let is_name = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_alphanumeric() || c == '-');
    inside.contains(',') && inside.split(',').all(is_name)
}

/// Whether parentheses with this text are a group. Those of `/Mercury_(planet)` are none.
fn is_group(inside: &str) -> bool {
    inside.contains('|') || ["?", ".*", ".+", "[", "\\"].iter().any(|it| inside.starts_with(it))
}

/// The pattern for a regular expression; `None` if that is uncertain.
pub(crate) fn of_expression(text: &str) -> Option<String> {
    let (mut out, mut at, mut is_cut) = (String::new(), 0, false);
    while let Some(next) = text[at..].chars().next() {
        let (length, part) = match operator(text, at) {
            Some(operator) => (operator.length, operator.pattern?),
            None => (next.len_utf8(), next.to_string()),
        };
        if part == "*" {
            is_cut |= !".*".contains(next);
        } else if part != "$" {
            is_cut = false;
        }
        if !(part == "*" && out.ends_with('*')) {
            out.push_str(&part);
        }
        at += length;
    }
    // `/product/` for `/product/[0-9]+` would close much more than the author means.
    if is_cut { None } else { certain(&out) }
}

/// A pattern without stars at its end; `None` if it can still be another one that is meant.
pub(crate) fn certain(pattern: &str) -> Option<String> {
    let body = pattern.strip_suffix('$').filter(|body| body.ends_with('*')).unwrap_or(pattern);
    let body = body.trim_end_matches('*');
    // Without a word, it would match much more than the author means.
    let is_certain = body.starts_with(['/', '*'])
        && body.contains(char::is_alphanumeric)
        && !body.contains(['(', '|', '[', '{', '+', '^']);
    is_certain.then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_meant_or_nothing() {
        for (value, expected) in [
            ("cart", Some("/cart")),
            ("cart.php", Some("/cart.php")),
            ("cart.php?id=1", Some("/cart.php?id=1")),
            ("v1.2/api", Some("/v1.2/api")),
            ("Special:Search", Some("/Special:Search")),
            ("~user/", Some("/~user/")),
            (".pdf$", Some("/*.pdf$")),
            (".git/", Some("/.git/")),
            ("./admin", Some("/admin")),
            (".././admin", Some("/admin")),
            ("./.git", Some("/.git")),
            ("../.env", Some("/.env")),
            (".\\admin", Some("/admin")),
            ("&page=1", Some("/*&page=1")),
            ("&amp;page=1", Some("/*&page=1")),
            ("?page=1", Some("/*?page=1")),
            ("&sol;admin", Some("/admin")),
            ("%5Cadmin", Some("/admin")),
            ("%D0%BA/", Some("/%D0%BA/")),
            ("cart.php?ids=1,2;3", Some("/cart.php?ids=1,2;3")),
            ("\"/a,b/\"", Some("/a,b/")),
            ("%2Fadmin", Some("/admin")),
            ("\u{ff0f}admin", Some("/admin")),
            ("\\admin\\", Some("/admin/")),
            ("\\admin\\old", Some("/admin/old")),
            ("\"/blog/\"", Some("/blog/")),
            ("'/blog/'", Some("/blog/")),
            ("`*.pdf`", Some("*.pdf")),
            ("\u{201c}/blog/\u{201d}", Some("/blog/")),
            ("\u{201e}/blog/\u{201c}", Some("/blog/")),
            ("\u{ab} blog \u{bb}", Some("/blog")),
            ("\"/blog/", Some("/blog/")),
            ("<https://shop.example/cart>", Some("/cart")),
            ("\"https://shop.example/cart\"", Some("/cart")),
            ("[cart](/cart)", Some("/cart")),
            ("[cart](https://shop.example/cart)", Some("/cart")),
            ("</cart>", Some("/cart")),
            // Uncertain.
            ("117.53.170.211/", None),
            ("117.53.170.211", None),
            ("shop.example/admin", None),
            ("shop.example", None),
            ("localhost:8080/admin", None),
            ("shop.example:8080/", None),
            ("ftp://shop.example/cart", None),
            ("htps://shop.example/cart", None),
            ("2001:db8::1", None),
            ("2001:db8::/32", None),
            ("fe80::1/64", None),
            ("[2001:db8::1]", None),
            ("192.168.*", None),
            ("10.0.0.0/8", None),
            ("https//shop.example/cart", None),
            ("https/shop.example/cart", None),
            ("https:shop.example/cart", None),
            ("https:/shop.example/cart", None),
            ("http;//shop.example/cart", None),
            ("https://https://shop.example/cart", None),
            ("https://shop.example/http://shop.example/cart", None),
            ("localhost/admin", None),
            ("a@shop.example", None),
            ("a:b@shop.example/cart", None),
            ("about:blank", None),
            ("~/admin", None),
            ("&quot;/blog/&quot;", None),
            ("&nbsp;/blog/", None),
            ("&lt;blog&gt;", None),
            ("%22/blog/%22", None),
            ("%20/blog/", None),
            ("%s/blog", None),
            ("admin,cart", None),
            ("admin/,cart/", None),
            ("admin;cart", None),
            ("(admin|cart)", None),
            (".pdf,.doc", None),
            ("N/A", None),
            ("mailto:a@shop.example", None),
            ("C:\\inetpub\\cart", None),
            ("\\\\server\\share", None),
            ("\\.pdf$", None),
            ("^/cart", None),
            ("my cart", None),
            ("page=1", None),
            ("none", None),
            ("All", None),
            ("GPTBot", None),
            ("\"/\"", None),
            ("<https://shop.example/>", None),
            ("./", None),
            ("..", None),
            ("-", None),
            ("$", None),
            ("\u{43a}\u{43e}\u{440}", None),
            ("", None),
        ] {
            assert_eq!(pattern(value.as_bytes()).as_deref(), expected, "{value}");
        }
    }
}
