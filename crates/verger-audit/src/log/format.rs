//! Formats of access logs, as lists of fields.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::escape::{cloudfront_path, decoded_agent, unescaped};
use super::request::{Request, target_of_line};
use crate::limits::TIME_BYTES;

/// A format of access logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFormat {
    pub(crate) name: &'static str,
    /// Whether lines that begin with `#` and a letter are directives, not requests.
    pub(crate) has_directives: bool,
    /// Empty for JSON.
    fields: Vec<FieldSpec>,
}

/// A field. An unknown name fits any text, and `...` fits a rest without quotation marks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldSpec {
    /// As that of a token.
    mark: u8,
    name: String,
}

/// The formats without a header. They are strict enough that at most one fits. To support one more,
/// add a row and a sample in the tests.
static FORMATS: LazyLock<Vec<LogFormat>> = LazyLock::new(|| {
    let formats = [
        ("combined", r#"[time] "request" status number "referer" "agent""#),
        ("common", r#"[time] "request" status number ..."#),
        (
            "AWS load balancer",
            r#"timestamp name client target number number number status of-target number number "request" "agent" cipher protocol"#,
        ),
    ];
    formats.into_iter().filter_map(|(name, fields)| LogFormat::of(name, fields)).collect()
});

/// The name of the W3C extended format with the fields of `CloudFront`.
const CLOUDFRONT: &str = "CloudFront";

impl LogFormat {
    /// Objects of JSON.
    pub(crate) const JSON: Self = Self { name: "JSON", has_directives: false, fields: Vec::new() };

    /// The format with these fields, which have the quotation marks and brackets of the line, as in
    /// `log_format` of nginx. Other fields can precede and follow.
    fn of(name: &'static str, fields: &str) -> Option<Self> {
        let field = |token: LogToken<'_>| FieldSpec {
            mark: token.mark,
            name: String::from_utf8_lossy(token.text).into_owned(),
        };
        let fields = tokens(fields.as_bytes())?.into_iter().map(field).collect();
        Some(Self { name, has_directives: false, fields })
    }

    /// The names of all formats, for messages.
    pub(crate) fn names() -> String {
        let names = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        format!("{names}, {CLOUDFRONT} or {}", Self::JSON.name)
    }

    /// The first format that fits a line, and the request.
    pub(crate) fn detect(line: &[u8]) -> Option<(Self, Request<'_>)> {
        FORMATS.iter().find_map(|format| Some((format.clone(), format.request(line)?)))
    }

    /// The format after a directive `#Fields:`; `None` if its server is unknown, because servers
    /// encode text in different ways.
    pub(crate) fn of_columns(names: &[u8]) -> Option<Self> {
        let fields = String::from_utf8_lossy(names).to_ascii_lowercase();
        let format = Self::of(CLOUDFRONT, &fields).filter(|_| fields.contains("x-edge-"))?;
        Some(Self { has_directives: true, ..format })
    }

    /// The request of a line; `None` if the format does not fit.
    pub(crate) fn request<'l>(&self, line: &'l [u8]) -> Option<Request<'l>> {
        let tokens = tokens(line)?;
        let has_all_columns = tokens.len() == self.fields.len();
        let starts = if self.has_directives { usize::from(has_all_columns) } else { tokens.len() };
        (0..starts).find_map(|start| {
            let mut request = Request { target: Cow::default(), user_agent: None };
            let mut rest = &tokens[start..];
            for field in &self.fields {
                if field.name == "..." {
                    return rest.iter().all(|token| token.mark != b'"').then_some(request);
                }
                let (token, after) = rest.split_first()?;
                read(field, *token, &mut request)?;
                rest = after;
            }
            // A format with another field before the User-Agent has that in its place.
            let is_later = rest.iter().any(|token| token.mark == b'"' && is_product(token.text));
            let is_here = request.user_agent.as_deref().is_some_and(is_product);
            (is_here || !is_later).then_some(request)
        })
    }
}

/// Reads a token into a request; `None` if it does not fit the field.
fn read<'l>(field: &FieldSpec, token: LogToken<'l>, request: &mut Request<'l>) -> Option<()> {
    let text = token.text;
    let header = Some(text).filter(|text| *text != b"-");
    let mut fits = field.mark == token.mark;
    match &*field.name {
        "number" => {
            fits &= text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
        }
        "timestamp" => {
            fits &= matches!(text, [b'0'..=b'9', _, _, _, b'-', _, _, b'-', _, _, b'T', ..]);
        }
        "status" | "sc-status" => {
            fits &= text.len() == 3 && text.iter().all(u8::is_ascii_digit);
        }
        // A format without Referer has the User-Agent in its place.
        "referer" => fits &= !is_product(text),
        "request" => request.target = unescaped(target_of_line(text)?),
        "agent" => request.user_agent = header.map(unescaped),
        "cs(user-agent)" => request.user_agent = header.map(decoded_agent),
        "cs-uri-stem" => {
            request.target.to_mut().splice(..0, cloudfront_path(text).iter().copied());
        }
        "cs-uri-query" if text != b"-" => {
            request.target.to_mut().extend([b"?", &*cloudfront_path(text)].concat());
        }
        _ => {}
    }
    fits.then_some(())
}

/// Whether a text begins with a product and its version, as User-Agent headers do.
fn is_product(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = text.iter().take_while(|byte| is_name(byte)).count();
    name > 0 && matches!(&text[name..], [b'/', b'0'..=b'9', ..])
}

/// A part of a line between spaces.
#[derive(Clone, Copy)]
struct LogToken<'l> {
    /// `"` or `[` if it is the first byte and closed at the end; otherwise a space.
    mark: u8,
    /// The text without marks, with its escapes.
    text: &'l [u8],
}

/// All tokens of a line; `None` if a quotation mark is not closed at the end of a token.
fn tokens(line: &[u8]) -> Option<Vec<LogToken<'_>>> {
    let is_end = |rest: &[u8]| rest.first().is_none_or(u8::is_ascii_whitespace);
    let mut tokens = Vec::new();
    let mut rest = line.trim_ascii_start();
    while let Some(&mark) = rest.first() {
        let mut end = 1;
        while mark == b'"' && *rest.get(end)? != b'"' {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        let time = rest.iter().take(if mark == b'[' { TIME_BYTES } else { 0 });
        let bracket = time.copied().position(|byte| byte == b']');
        let bracket = bracket.filter(|end| is_end(&rest[end + 1..]));
        if mark == b'"' || bracket.is_some() {
            let end = bracket.unwrap_or(end);
            tokens.push(LogToken { mark, text: &rest[1..end] });
            rest = &rest[end + 1..];
        } else {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            tokens.push(LogToken { mark: b' ', text: &rest[..end] });
            rest = &rest[end..];
        }
        if !is_end(rest) {
            return None;
        }
        rest = rest.trim_ascii_start();
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each format its name, a line, and its target and User-Agent header.
    const SAMPLES: [(&str, &str, &str, Option<&str>); 9] = [
        (
            "common",
            r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326"#,
            "/a",
            None,
        ),
        ("common", r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a" 400 -"#, "/a", None),
        (
            "common",
            r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 1 0.003"#,
            "/a",
            None,
        ),
        (
            "combined",
            r#"192.0.2.1 - - [t] "GET /a?b=1 HTTP/1.1" 200 23 "https://h/" "Bot/1.0 (+https://b)""#,
            "/a?b=1",
            Some("Bot/1.0 (+https://b)"),
        ),
        ("combined", r#"h:80 h - - [t] "HEAD / HTTP/2.0" 304 0 "-" "-""#, "/", None),
        (
            "combined",
            r#"h - "a b" [t] "GET /a b HTTP/1.1" 200 1 "" "x" "192.0.2.1" 0.1"#,
            "/a b",
            Some("x"),
        ),
        (
            "combined",
            "\x1b[0;33mnginx.1 | \x1b[0mh - - [t] \"GET /a HTTP/1.1\" 200 1 \"-\" \"x\"",
            "/a",
            Some("x"),
        ),
        (
            "AWS load balancer",
            r#"wss 2026-03-01T22:23:00.186641Z app/shop/cb8 192.0.2.7:48160 - -1 -1 -1 460 - 498 1485 "GET https://shop.example:443/cart HTTP/2.0" "GPTBot/1.2 (x)" - - - "Root=1-5833" "-" "-" 0"#,
            "https://shop.example:443/cart",
            Some("GPTBot/1.2 (x)"),
        ),
        (
            "AWS load balancer",
            r#"2026-03-01T22:24:00.186641Z elb 192.0.2.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 301 301 0 0 "GET http://h:80/\x22 HTTP/1.1" "-" - -"#,
            "http://h:80/\"",
            None,
        ),
    ];

    #[test]
    fn one_format_fits_each_line() {
        for (name, line, target, user_agent) in SAMPLES {
            let fits = |format: &&LogFormat| format.request(line.as_bytes()).is_some();
            let names: Vec<&str> = FORMATS.iter().filter(fits).map(|format| format.name).collect();
            assert_eq!(names, [name], "{line}");
            let (_, found) = LogFormat::detect(line.as_bytes()).expect("a request");
            assert_eq!(found.target, target.as_bytes(), "{line}");
            assert_eq!(found.user_agent.as_deref(), user_agent.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn a_line_of_another_format_is_not_guessed() {
        for line in [
            // The User-Agent header in the place of the Referer.
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 "Mozilla/5.0 (X11)" "-""#,
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 "GPTBot/1.2""#,
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 0.1 "-" "x""#,
            r#"h - - [t] "GET /a HTTP/1.1" "x" 200 1 "-" "y""#,
            r#"h - - [t] "GET /a HTTP/1.1" 200"#,
            // Another field before the User-Agent header.
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 "-" "203.0.113.9" "GPTBot/1.2""#,
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 "-" "a=b" "Mozilla/5.0 (X11)" 0.1"#,
            // A quotation mark that the server did not escape.
            r#"h - - [t] "GET /a"b HTTP/1.1" 200 1 "-" "x""#,
            r#"h - - [t] "GET /a HTTP/1.1" 200 1 "-" "x"#,
            // Too long for a time.
            &format!(r#"h - - [{}] "GET /a HTTP/1.1" 200 1 "-" "x""#, "t".repeat(100)),
            // Amazon S3, HAProxy, and Internet Information Services.
            r#"79a5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a "GET /a HTTP/1.1" 200 - 1 1 1 1 "-" "S3Console/0.4" -"#,
            r#"haproxy[14389]: 192.0.2.1:3331 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {x} {} "GET /a HTTP/1.1""#,
            "2026-03-01 22:23:00 192.0.2.1 GET /a - 80 - 192.0.2.7 Mozilla/5.0+(x) - 200 0 0 1",
        ] {
            assert!(LogFormat::detect(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn the_fields_of_cloudfront_are_found_by_name() {
        let request = |names: &str, line: &str| {
            let format = LogFormat::of_columns(names.as_bytes()).expect("CloudFront");
            let found = format.request(line.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
            Some((text(&found.target), found.user_agent.as_deref().map(text)))
        };
        let names = " date x-edge-location cs-uri-stem sc-status cs(User-Agent) cs-uri-query";
        let agent = Some("Bot/1 (x; 100%)".to_owned());
        for (line, expected) in [
            // Requested: /a%2Fb?q=%C3%A9%22
            (
                "1\tFRA2\t/a%252Fb\t200\tBot/1%20(x;%20100%25)\tq=%25C3%25A9%2522",
                Some(("/a%2Fb?q=%C3%A9%22".to_owned(), agent.clone())),
            ),
            // The header is encoded twice, and the path once, as in older records.
            (
                "1\tFRA2\t/a%2520b\t000\tBot/1%2520(x;%2520100%2525)\t-",
                Some(("/a%20b".to_owned(), agent)),
            ),
            // An octet that a URL cannot contain was not escaped in the request.
            ("1\tFRA2\t/%C3%A9\t200\t-\t-", Some(("/%C3%A9".to_owned(), None))),
            ("1\tFRA2\t/a\t200\t-", None),
            ("1\tFRA2\t/a\t200\t-\t-\t-", None),
            ("1\tFRA2\t/a\tOK\t-\t-", None),
        ] {
            assert_eq!(request(names, line), expected, "{line}");
        }
        // Any order.
        assert_eq!(
            request("cs-uri-query cs-uri-stem x-edge-location", "b\t/a\tFRA2"),
            Some(("/a?b".to_owned(), None))
        );
        assert_eq!(LogFormat::of_columns(b"date time cs-uri-stem cs(User-Agent) sc-status"), None);
    }
}
