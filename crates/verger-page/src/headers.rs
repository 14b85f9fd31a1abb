//! The fields of a response head.

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderField {
    /// Its first line, from 1.
    pub(crate) line: usize,
    pub(crate) name: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// Parses the last response head of a text, in the format of `curl --include --location`.
///
/// Lines end with LF or CRLF. A status line begins a new head, so the fields of a redirect do not
/// count. A blank line ends a head; another head may follow. A line that begins with white space
/// continues the previous one (RFC 9112 section 5.2).
pub(crate) fn read(text: &[u8]) -> Vec<HeaderField> {
    let mut fields: Vec<HeaderField> = Vec::new();
    let mut has_ended = false;
    for (index, line) in text.split(|&octet| octet == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) {
            fields.clear();
            has_ended = false;
            continue;
        }
        if line.is_empty() {
            // Blank lines before a head are skipped.
            has_ended = has_ended || !fields.is_empty();
            continue;
        }
        if has_ended {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            if let Some(field) = fields.last_mut() {
                field.value.push(b' ');
                field.value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        if let Some(colon) = line.iter().position(|&octet| octet == b':') {
            fields.push(HeaderField {
                line: index + 1,
                name: line[..colon].trim_ascii_end().to_vec(),
                value: line[colon + 1..].trim_ascii().to_vec(),
            });
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str, &str)]) {
        let found = read(text.as_bytes());
        let found: Vec<_> = found
            .iter()
            .map(|field| {
                let text = |bytes| str::from_utf8(bytes).unwrap();
                (field.line, text(&field.name), text(&field.value))
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn fields_have_lines_and_may_be_continued() {
        check(
            "A: b\r\nC :d:e \n\tf\nno field\n: x",
            &[(1, "A", "b"), (2, "C", "d:e f"), (5, "", "x")],
        );
        check("", &[]);
        check(" x\na: b", &[(2, "a", "b")]);
    }

    #[test]
    fn only_the_last_head_is_read() {
        let text = "HTTP/1.1 301 Moved\nX: 1\n\nHTTP/2 200\nX: 2\n\n<p>X: 3\nX: 4\n";
        check(text, &[(5, "X", "2")]);
        check("\nX: 1", &[(2, "X", "1")]);
    }
}
