//! The archived HTTP response in the block of a record.

use verger_fetch::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::limits::HTTP_FIELDS;

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

/// Reads a response; `None` if the block is not one.
pub(crate) fn response(block: &[u8]) -> Option<Response> {
    let mut fields = [httparse::EMPTY_HEADER; HTTP_FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    let mut config = httparse::ParserConfig::default();
    // Browsers and crawlers accept these, and archives contain them.
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    let httparse::Status::Complete(head) = config.parse_response(&mut parsed, block).ok()? else {
        return None;
    };
    let mut headers = HeaderMap::new();
    for field in parsed.headers.iter() {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(field.value)) {
            headers.append(name, value);
        }
    }
    let status = parsed.code?;
    let wire = &block[head..];
    let declared = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
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
    let mut is_coded_short = false;
    let (body, is_incomplete) = match is_chunked.then(|| dechunked(wire)).flatten() {
        Some(found) => found,
        None if is_chunked => (wire.to_vec(), false),
        None => {
            let length = declared(header::CONTENT_LENGTH).and_then(|text| text.trim().parse().ok());
            // An archive may have decoded the body, and kept the length of the coded one.
            let is_coded = headers.contains_key(header::CONTENT_ENCODING);
            let is_short = length.is_some_and(|length: usize| wire.len() < length);
            is_coded_short = is_short && is_coded;
            (wire.to_vec(), is_short && !is_coded)
        }
    };
    // Some archives store decoded bodies with the header of the coded ones.
    let is_gzip = declared(header::CONTENT_ENCODING)
        .is_some_and(|coding| matches!(coding.trim(), "gzip" | "x-gzip"));
    if is_gzip && !body.starts_with(&[0x1f, 0x8b]) {
        headers.remove(header::CONTENT_ENCODING);
    }
    let is_incomplete = is_incomplete || is_foreign;
    Some(Response { status, headers, body, is_incomplete, is_coded_short })
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
        let found = response(block.as_bytes()).expect("a response");
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
        let found = response(coded.as_bytes()).unwrap();
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
            assert!(response(block.as_bytes()).is_none(), "{block}");
        }
    }
}
