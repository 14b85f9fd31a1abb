//! The archived HTTP response in the block of a record.

use verger_fetch::http::{HeaderMap, HeaderName, HeaderValue, header};

use super::digest::Digest;

/// An archived response, its body without transfer coding.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether the body ends before its declared end.
    pub(crate) is_incomplete: bool,
    /// Whether a body with a content coding is shorter than declared. Some archives store decoded
    /// bodies with this header, so only decoding shows whether something is missing.
    pub(crate) is_coded_short: bool,
}

/// Reads a response; `None` if the block is not one. `digest` is that of its payload.
pub(crate) fn response(block: &[u8], digest: Option<&Digest>) -> Option<Response> {
    let (status, headers, wire) = head(block)?;
    let wire = &wire[extra_line_break(wire, &headers, digest)..];
    let transfer: Vec<String> = headers
        .get_all(header::TRANSFER_ENCODING)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .collect();
    let is_chunked = transfer == ["chunked"];
    // Nobody uses other codings for a transfer, so they are not decoded.
    let is_foreign = !transfer.is_empty() && !is_chunked;
    let is_coded = headers.contains_key(header::CONTENT_ENCODING);
    let is_short = !is_chunked && declared_length(&headers).is_some_and(|it| wire.len() < it);
    let chunks = if is_chunked { dechunked(wire) } else { None };
    let (body, is_cut) = chunks.unwrap_or_else(|| (wire.to_vec(), false));
    let is_incomplete = is_cut || is_foreign || is_short && !is_coded;
    let is_coded_short = is_short && is_coded;
    Some(Response { status, headers, body, is_incomplete, is_coded_short })
}

/// The status, the header fields, and the bytes after them; `None` without a whole head.
///
/// Status lines of every version are read, such as `HTTP/2 200`, and any number of fields: parsers
/// for connections reject them. Lines that are not fields are ignored.
fn head(block: &[u8]) -> Option<(u16, HeaderMap, &[u8])> {
    let mut rest = block.trim_ascii_start();
    let mut line = || {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let line = &rest[..end];
        rest = &rest[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    };
    let status = status(line()?)?;
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    loop {
        let line = line()?;
        if line.is_empty() {
            break;
        }
        match line.iter().position(|&byte| byte == b':') {
            // A folded line continues the field before it.
            _ if line.starts_with(b" ") || line.starts_with(b"\t") => {
                if let Some((_, value)) = fields.last_mut() {
                    value.push(b' ');
                    value.extend_from_slice(line.trim_ascii());
                }
            }
            Some(colon) => {
                fields.push((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii().to_vec()));
            }
            None => {}
        }
    }
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let name = HeaderName::from_bytes(name);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(&value)) {
            // Fields beyond the size of a map do not count.
            let _ = headers.try_append(name, value);
        }
    }
    Some((status, headers, rest))
}

/// The status of a status line (RFC 9112 section 4) of any version.
fn status(line: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let (name, version) = words.next()?.split_once('/')?;
    let is_version = version.starts_with(|first: char| first.is_ascii_digit());
    let status = words.next()?;
    let is_status = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    (name.eq_ignore_ascii_case("HTTP") && is_version && is_status).then(|| status.parse().ok())?
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// The length of the line break that an archive has added before a body, as in all records of
/// Common Crawl's CC-MAIN-2018-34.
///
/// It is certain if the declared length, or the digest of the payload, is that of the bytes after
/// it. A body with a coding has another length.
fn extra_line_break(wire: &[u8], headers: &HeaderMap, digest: Option<&Digest>) -> usize {
    let breaks: [&[u8]; 2] = [b"\r\n", b"\n"];
    let Some(found) = breaks.into_iter().find(|found| wire.starts_with(found)) else { return 0 };
    let rest = &wire[found.len()..];
    let is_coded = headers.contains_key(header::CONTENT_ENCODING)
        || headers.contains_key(header::TRANSFER_ENCODING);
    let is_extra = !is_coded && declared_length(headers) == Some(rest.len())
        || digest.is_some_and(|digest| digest.is_of(rest));
    if is_extra { found.len() } else { 0 }
}

/// The body in chunks (RFC 9112 section 7.1), and whether its end is missing. `None` if it does not
/// begin with a chunk: some archives store the body without chunks.
fn dechunked(wire: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    let mut rest = wire;
    loop {
        let Some((length, after)) = chunk_length(rest) else {
            return (!body.is_empty()).then_some((body, true));
        };
        if length == 0 {
            return Some((body, false));
        }
        let take = length.min(after.len());
        body.extend_from_slice(&after[..take]);
        if take < length {
            return Some((body, true));
        }
        rest = &after[take..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
}

/// The length of a chunk, and the bytes after its line.
fn chunk_length(wire: &[u8]) -> Option<(usize, &[u8])> {
    let end = wire.iter().take(1_024).position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&wire[..end]).ok()?;
    let digits = line.split(';').next().unwrap_or_default().trim();
    let is_number = !digits.is_empty() && digits.len() <= 8;
    let length = usize::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    Some((length, &wire[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(block: &str) -> (String, bool) {
        let found = response(block.as_bytes(), None).expect("a response");
        (String::from_utf8(found.body).unwrap(), found.is_incomplete)
    }

    #[test]
    fn bodies_lose_their_chunks() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (wire, expected, is_incomplete) in [
            ("3\r\nabc\r\n0\r\n\r\n", "abc", false),
            ("1;x=y\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc", false),
            ("3\nabc\n0\n\n", "abc", false),
            ("3\r\nabc\r\n", "abc", true),
            ("5\r\nabc", "abc", true),
            ("0\r\n\r\n", "", false),
            // Stored without chunks.
            ("User-agent: *\n", "User-agent: *\n", false),
            ("", "", false),
        ] {
            assert_eq!(
                body(&format!("{head}{wire}")),
                (expected.to_owned(), is_incomplete),
                "{wire}"
            );
        }
    }

    #[test]
    fn a_body_shorter_than_declared_is_incomplete() {
        let block = |length: u32| format!("HTTP/1.0 200\r\nContent-Length: {length}\r\n\r\nab");
        assert_eq!(body(&block(2)), ("ab".to_owned(), false));
        assert_eq!(body(&block(3)), ("ab".to_owned(), true));
        assert_eq!(body("HTTP/1.1 404 Not Found\r\n\r\n"), (String::new(), false));
        let coded = "HTTP/1.0 200\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\nab";
        let found = response(coded.as_bytes(), None).unwrap();
        assert!(found.is_coded_short && !found.is_incomplete);
    }

    #[test]
    fn a_body_in_another_transfer_coding_is_incomplete() {
        for (coding, expected) in
            [("gzip, chunked", true), ("gzip", true), ("Chunked", false), ("identity", false)]
        {
            let block = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n");
            assert_eq!(body(&block).1, expected, "{coding}");
        }
        let two = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: br\r\n\r\n0\r\n\r\n";
        assert!(body(two).1);
    }

    #[test]
    fn other_blocks_are_no_responses() {
        for block in ["", "User-agent: *\n", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nx: y"] {
            assert!(response(block.as_bytes(), None).is_none(), "{block}");
        }
    }

    #[test]
    fn status_lines_of_every_version_are_read() {
        for (line, expected) in [
            ("HTTP/1.1 200 OK", Some(200)),
            ("HTTP/1.0 404", Some(404)),
            ("HTTP/2 200 ", Some(200)),
            ("HTTP/2.0 301 Moved", Some(301)),
            ("HTTP/3 200", Some(200)),
            ("HTTP/1.1  200 OK", Some(200)),
            ("HTTP/1.1\t200\tOK", Some(200)),
            ("http/1.1 503 Busy", Some(503)),
            ("HTTP/1.1 200 \u{fc}ber", Some(200)),
            ("HTTP/x 200", None),
            ("HTTP/ 200", None),
            ("HTTP/1.1 20", None),
            ("HTTP/1.1 2000", None),
            ("HTTP/1.1 +20", None),
            ("HTTP/1.1", None),
            ("FTP/1.1 200 OK", None),
            ("", None),
        ] {
            let block = format!("{line}\r\nx: y\r\n\r\nbody");
            let found = response(block.as_bytes(), None).map(|it| it.status);
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn heads_have_any_number_of_fields_in_all_usual_forms() {
        let many = "x: y\r\n".repeat(5_000);
        let block = format!(
            "\r\nHTTP/1.1 200 OK\n{many}no field\r\nContent-Type : text/plain;\r\n  a=b\r\n\u{fc}: z\r\n\r\nab"
        );
        let found = response(block.as_bytes(), None).unwrap();
        assert_eq!(found.headers[header::CONTENT_TYPE], "text/plain; a=b");
        assert_eq!(found.headers.get_all("x").iter().count(), 5_000);
        assert_eq!(found.body, b"ab");
        // More than a map of fields can hold.
        let block = format!("HTTP/2 200\n{}\nab", "x: y\n".repeat(200_000));
        assert_eq!(response(block.as_bytes(), None).unwrap().body, b"ab");
    }

    #[test]
    fn only_a_certainly_extra_line_break_is_removed() {
        let digest = "sha1:QNUPEWDCWVD2GEOJGNNVCDZCUVA3TOVR";
        let text = "User-agent: *\nDisallow: /private\n";
        let length = format!("Content-Length: {}\r\n", text.len());
        let longer = format!("Content-Length: {}\r\n", text.len() + 2);
        let coded = format!("{length}Content-Encoding: br\r\n");
        let chunked = format!("{length}Transfer-Encoding: chunked\r\n");
        let other = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        for (fields, digest, is_removed) in [
            (&*length, None, true),
            (&length, Some(other), true),
            ("", Some(digest), true),
            (&coded, Some(digest), true),
            (&chunked, Some(digest), true),
            ("", None, false),
            ("", Some(other), false),
            (&longer, None, false),
            (&coded, None, false),
            (&chunked, None, false),
        ] {
            let digest = digest.map(Digest::of_field);
            for line_break in ["\r\n", "\n"] {
                let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n{line_break}{text}");
                if line_break == "\n" && fields == longer {
                    continue;
                }
                let found = response(block.as_bytes(), digest.as_ref()).unwrap();
                let expected =
                    if is_removed { text } else { &block[block.len() - found.body.len()..] };
                assert_eq!(found.body, expected.as_bytes(), "{fields} {digest:?}");
                assert_eq!(found.body.len() == text.len(), is_removed, "{fields} {digest:?}");
            }
        }
        // An empty body is whole.
        let block = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n";
        assert_eq!(response(block.as_bytes(), None).unwrap().body, b"");
    }
}
