//! Formats of lines with fields between spaces, quotation marks and brackets.

use std::sync::LazyLock;

use memchr::memchr2;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::captures::Captures;
use super::escape::{hex_unescaped, unescaped};
use super::fields::{Field, Named, Parts, is_absent, named};
use super::request::{address, is_product, parts_of_line};
use super::time::{LogTime, milliseconds, number};
use crate::limits::{TIME_BYTES, TIMES};

/// A format as a list of fields. Other fields can precede and follow; those after `?` can be
/// missing.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Their marks, as those of tokens, and kinds.
    fields: Vec<(u8, Kind)>,
}

/// The formats. They are strict enough that at most one fits. To support one more, add a row and a
/// sample in the tests. Fields have the quotation marks and brackets of the line, as in
/// `log_format` of nginx.
pub(crate) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = [
        ("combined", r#"[time_local] "request" status bytes "referer" "http_user_agent""#),
        ("common", r#"[time_local] "request" status bytes ..."#),
        (
            "AWS load balancer",
            r#"time name client target-address seconds seconds seconds status of-target number bytes_sent "request" "http_user_agent" cipher tls ? group "trace" "sni" "certificate" number created"#,
        ),
        (
            "HAProxy",
            r#"client [start_time] frontend server timers status bytes_sent cookie cookie flags connections queues captures "request""#,
        ),
        (
            "Envoy",
            r#"[start_time] "request" status flags number bytes duration number "x-forwarded-for" "user-agent" "id" "authority" "upstream""#,
        ),
        (
            "Istio",
            r#"[start_time] "request" status flags details policy "failure" number bytes duration number "x-forwarded-for" "user-agent" "id" "authority" "upstream" ? cluster of-upstream of-server client"#,
        ),
    ];
    rows.into_iter().filter_map(|(name, fields)| Row::of(name, fields)).collect()
});

/// The kind of a field, with its name in a format if it is no part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[serde(skip)]
    Part(Named),
    /// Any text.
    #[serde(skip)]
    Any,
    Number,
    Seconds,
    /// Five numbers of milliseconds, of which the last is the sum.
    Timers,
    /// The part of the configuration that names the header fields.
    Frontend,
    /// Up to two lists of header fields.
    Captures,
    Referer,
    /// The time of the beginning, if the durations are unknown.
    Created,
    /// Any number of fields without quotation marks.
    #[serde(rename = "...")]
    Rest,
    /// The end of the fields that every line has.
    #[serde(rename = "?")]
    Optional,
}

/// State of the reading of rows, beside the text of a line.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The parts of the present line; kept for its room.
    tokens: Vec<Token>,
    pub(crate) seen: Seen,
}

/// Facts that the lines before showed.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    captures: Captures,
    /// Whether a line before had the format.
    pub(crate) is_in_format: bool,
    /// Whether one had a URL as its Referer and a product as its User-Agent.
    has_agents: bool,
    /// Whether the text after the User-Agent header is another one than X-Forwarded-For.
    has_other_field: bool,
}

/// A part of a line between spaces.
#[derive(Clone, Copy, Debug)]
struct Token {
    /// `"`, `[` or `{` if it is the first byte and closed at the end; otherwise a space.
    mark: u8,
    /// The text without marks, with its escapes.
    start: usize,
    end: usize,
}

impl Token {
    fn text(self, line: &[u8]) -> &[u8] {
        &line[self.start..self.end]
    }
}

impl Row {
    /// The format with these fields.
    fn of(name: &'static str, fields: &str) -> Option<Self> {
        let mut found = Vec::new();
        tokens(fields.as_bytes(), false, &mut found)?;
        let field = |token: &Token| {
            let text = &fields[token.start..token.end];
            let kind = Kind::deserialize(StrDeserializer::<Error>::new(text));
            let part = || named(text.as_bytes()).map_or(Kind::Any, Kind::Part);
            (token.mark, kind.unwrap_or_else(|_| part()))
        };
        Some(Self { name, fields: found.iter().map(field).collect() })
    }

    /// Reads the parts of a line; `None` if the format does not fit.
    pub(crate) fn read<'l>(
        &self,
        line: &'l [u8],
        parts: &mut Parts<'l>,
        memory: &mut Memory,
    ) -> Option<()> {
        let Memory { tokens: all, seen } = memory;
        let has_captures = self.fields.iter().any(|field| field.1 == Kind::Captures);
        tokens(line, has_captures, all)?;
        // From the first token on from which the fields fit. A client that writes times as its user
        // name writes no quotation mark after them.
        let [(first, _), (second, _), ..] = self.fields[..] else { return None };
        let starts = 0..all.len().saturating_sub(1);
        let starts = starts.filter(|it| all[*it].mark == first && all[*it + 1].mark == second);
        let end = starts.take(TIMES).find_map(|start| {
            let end = self.parts(line, all, start, parts, seen);
            if end.is_none() {
                *parts = Parts::default();
            }
            end
        })?;
        let text = |at: usize| all.get(at).filter(|it| it.mark == b'"').map(|it| it.text(line));
        // `main` of nginx has X-Forwarded-For at the end. A client that names an address as its
        // host would have the same in the place of Host.
        if self.name == "combined"
            && let (Some(list), None) = (text(end), text(end + 1))
            && !is_absent(list)
        {
            // A proxy wrote the last one.
            let last = list.rsplit(|byte| *byte == b',').next().unwrap_or_default();
            seen.has_other_field |= address(last.trim_ascii()).is_none();
            if !seen.has_other_field {
                parts.headers.push(("x-forwarded-for", list.into()));
            }
        }
        Some(())
    }

    /// Reads the parts, if the fields fit from a token on. Returns the end of the fields.
    fn parts<'l>(
        &self,
        line: &'l [u8],
        all: &[Token],
        start: usize,
        parts: &mut Parts<'l>,
        seen: &mut Seen,
    ) -> Option<usize> {
        let (mut at, mut is_optional) = (start, false);
        let (mut has_agent, mut has_url, mut is_unclear) = (false, false, false);
        let (mut frontend, mut captured) = (&b""[..], None);
        for &(mark, kind) in &self.fields {
            match kind {
                Kind::Rest if all[at..].iter().any(|token| token.mark == b'"') => return None,
                Kind::Rest => at = all.len(),
                Kind::Optional => is_optional = true,
                Kind::Captures => {
                    let count = captures(&all[at..]);
                    captured = all.get(at).filter(|_| count > 0);
                    at += count;
                }
                _ => {
                    let is_of_client = kind == Kind::Referer || kind.part() == Some(Field::Line);
                    let is_any = seen.is_in_format && is_of_client;
                    let fits =
                        |it: &&Token| it.mark == mark && (is_any || kind.fits(it.text(line)));
                    let Some(token) = all.get(at).filter(fits) else {
                        if is_optional {
                            break;
                        }
                        return None;
                    };
                    let text = token.text(line);
                    is_unclear |= kind == Kind::Referer && !kind.fits(text);
                    has_url |= kind == Kind::Referer
                        && !seen.has_agents
                        && text.windows(3).any(|it| it == b"://");
                    has_agent |= kind.part() == Some(Field::Agent) && is_product(text);
                    match kind {
                        // With its port; IPv6 has no brackets here.
                        Kind::Part(Named::Part(Field::Peer, _)) => {
                            let port = text.iter().rposition(|byte| *byte == b':');
                            let port = port.filter(|at| text[*at..] != *b":0");
                            parts.set(Field::Peer, &text[..port.unwrap_or(text.len())]);
                        }
                        Kind::Part(name) if self.name == "HAProxy" => {
                            parts.put(name, 0, hex_unescaped(text, b'#'));
                        }
                        Kind::Part(name) => parts.put(name, 0, unescaped(text)),
                        Kind::Frontend => frontend = text,
                        Kind::Seconds => {
                            // An error if the target did not answer in time.
                            let sum = parts.duration.unwrap_or(Ok(0));
                            let found = milliseconds(text).ok_or(());
                            parts.duration = Some(sum.and_then(|sum| Ok(sum + found?)));
                        }
                        Kind::Timers => {
                            let sum = text.rsplit(|byte| *byte == b'/').next();
                            parts.duration = Some(sum.and_then(number).ok_or(()));
                        }
                        Kind::Created if parts.duration == Some(Err(())) => {
                            parts.set(Field::Start, text);
                        }
                        _ => {}
                    }
                    at += 1;
                }
            }
        }
        // A format with another field before the User-Agent has that in its place.
        let mut rest = all[at..].iter().filter(|token| token.mark == b'"');
        is_unclear |= !has_agent && rest.any(|token| is_product(token.text(line)));
        is_unclear &= !seen.has_agents;
        if is_unclear && !seen.is_in_format {
            return None;
        }
        parts.has_two[Field::Agent as usize] = is_unclear;
        seen.has_agents |= has_agent && has_url;
        if let Some(token) = captured {
            seen.captures.read(frontend, token.text(line), parts);
        }
        if self.fields[0].1.part() == Some(Field::Time) {
            connection(line, &all[..start], parts);
        }
        Some(at)
    }
}

impl Kind {
    fn part(self) -> Option<Field> {
        match self {
            Self::Part(Named::Part(field, _)) => Some(field),
            _ => None,
        }
    }

    /// Whether a text can be in the field.
    fn fits(self, text: &[u8]) -> bool {
        let is_number = || text.iter().all(|byte| byte.is_ascii_digit() || b".-+".contains(byte));
        let is_status = || text.len() == 3 && text.iter().all(u8::is_ascii_digit);
        match (self, self.part()) {
            (Self::Number, _) | (_, Some(Field::Bytes | Field::Sent | Field::Duration)) => {
                is_number()
            }
            // No mark shows it.
            (Self::Created, _) | (_, Some(Field::Clock)) => LogTime::read(text).is_some(),
            (_, Some(Field::Peer)) => text == b"-" || text.contains(&b':'),
            (_, Some(Field::Status)) => text == b"-1" || is_status(),
            (_, Some(Field::Line)) => parts_of_line(text).is_some(),
            (Self::Seconds, _) => text == b"-1" || milliseconds(text).is_some(),
            // A format without Referer has the User-Agent in its place.
            (Self::Referer, _) => !is_product(text),
            _ => true,
        }
    }
}

/// The address of the connection and the virtual host, from the fields before the time: `address identity user`
/// or `host address identity user`. Host and user may be texts of the client, also with spaces, so the address is
/// the third from the end, and nothing before it may be the end of a shorter list.
fn connection<'l>(line: &'l [u8], before: &[Token], parts: &mut Parts<'l>) {
    // The head of a message of syslog (RFC 5424) has seven fields, and no address of a shorter
    // list.
    let is_head = |head: &&[Token]| {
        let text = |at: usize| head[at].text(line);
        let is_peer = |at: usize| address(text(at)).is_some() && text(at + 1) == b"-";
        text(0).ends_with(b">1") && LogTime::read(text(1)).is_some() && !(1..7).any(is_peer)
    };
    let before = before.get(..8).filter(is_head).map_or(before, |_| &before[7..]);
    let Some(at) = before.len().checked_sub(3) else { return };
    let text = |at: usize| before[at].text(line);
    let peer = |at: usize| address(text(at));
    let is_dash = |at: usize| text(at) == b"-";
    // A user of RFC 1413 has an identity.
    let is_first = || at == 0 && peer(1).is_none();
    // A program that collects logs adds its name and a colon.
    let has_colon = at > 0 && text(at - 1).ends_with(b":");
    let is_foreign = (1..at).any(is_dash) || !has_colon && (0..at).any(|it| peer(it).is_some());
    let of_connection = peer(at);
    if of_connection.is_none() || (!is_dash(at + 1) || is_foreign) && !is_first() {
        return;
    }
    parts.peer = of_connection;
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(byte);
    if at == 1 && text(0).iter().all(is_host) && !has_colon {
        parts.set(Field::Host, text(0));
    }
}

/// The number of tokens with captured header fields.
fn captures(rest: &[Token]) -> usize {
    rest.iter().take(2).take_while(|token| token.mark == b'{').count()
}

/// All tokens of a line; `None` if a quotation mark is not closed at the end of a token.
fn tokens(line: &[u8], has_captures: bool, all: &mut Vec<Token>) -> Option<()> {
    let is_end = |at: usize| line.get(at).is_none_or(u8::is_ascii_whitespace);
    all.clear();
    let (mut start, mut is_open) = (0, false);
    while let Some(&mark) = line.get(start) {
        if mark.is_ascii_whitespace() {
            start += 1;
            continue;
        }
        let close = match mark {
            b'"' => {
                let mut end = start + 1;
                loop {
                    end += memchr2(b'"', b'\\', line.get(end..)?)?;
                    if line[end] == b'"' {
                        break;
                    }
                    end += 2;
                }
                Some(end)
            }
            // A text of a client before the time can begin with a bracket.
            b'[' => {
                let time = &line[start + 1..line.len().min(start + 1 + TIME_BYTES)];
                let end = memchr2(b'[', b']', time).map(|end| start + 1 + end);
                end.filter(|end| line[*end] == b']' && is_end(end + 1))
            }
            // A brace in a captured field is escaped.
            b'{' if has_captures && !is_open => {
                let end = line[start..].iter().position(|byte| *byte == b'}');
                // Otherwise each brace would search the rest of the line.
                is_open = end.is_none();
                end.map(|end| start + end)
            }
            _ => None,
        };
        let end = if let Some(end) = close {
            all.push(Token { mark, start: start + 1, end });
            end + 1
        } else {
            let rest = &line[start..];
            let end = start + rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            all.push(Token { mark: b' ', start, end });
            end
        };
        is_end(end).then_some(())?;
        start = end;
    }
    Some(())
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
            let mut parts = Parts::default();
            let mut fits = |row: &&Row| {
                let mut read = Parts::default();
                let found = row.read(line.as_bytes(), &mut read, &mut Memory::default());
                found.map(|()| parts = read).is_some()
            };
            let names: Vec<&str> = ROWS.iter().filter(&mut fits).map(|row| row.name).collect();
            assert_eq!(names, [name], "{line}");
            let found = parts.request().expect("a request");
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
            // Too many texts that could be the time.
            &format!(r#"h - - {}[t] "GET /a HTTP/1.1" 200 1 "-" "x""#, "[t] \"\" ".repeat(TIMES)),
            // Too long for a time.
            &format!(r#"h - - [{}] "GET /a HTTP/1.1" 200 1 "-" "x""#, "t".repeat(100)),
            // Amazon S3, and Internet Information Services.
            r#"79a5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a "GET /a HTTP/1.1" 200 - 1 1 1 1 "-" "S3Console/0.4" -"#,
            "2026-03-01 22:23:00 192.0.2.1 GET /a - 80 - 192.0.2.7 Mozilla/5.0+(x) - 200 0 0 1",
        ] {
            let is_read = |row: &Row| {
                row.read(line.as_bytes(), &mut Parts::default(), &mut Memory::default()).is_some()
            };
            assert!(!ROWS.iter().any(is_read), "{line}");
        }
    }
}
