//! Records of ARC files, the predecessor of WARC. They become WARC records with the same content.
//!
//! # References
//!
//! M. Burner and B. Kahle, *Arc File Format* (1996), versions 1 and 2.

/// The line with which a record of an ARC file begins, as the fields of a WARC record.
///
/// Both versions begin with URL, IP address and time, and end with the length. URLs with spaces
/// occur.
pub(super) fn fields(line: &[u8]) -> Option<Vec<(String, String)>> {
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.trim_ascii_end().split(' ').collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |word: &&str| word.len() == 14 && is_number(word);
    let (length, rest) = words.split_last().filter(|(length, _)| is_number(length))?;
    let time = rest.iter().rposition(is_time)?;
    if time < 2 || time + 1 == rest.len() {
        return None;
    }
    let url = rest[..time - 1].join(" ");
    // Other lines with a colon and numbers are those of a file.
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && !scheme.contains(' ')
    };
    let (scheme, after) = url.split_once(':').filter(|(scheme, _)| is_scheme(scheme))?;
    if after.is_empty() || after.starts_with(' ') {
        return None;
    }
    let kind = if scheme == "filedesc" { "warcinfo" } else { "response" };
    let fields = [
        ("WARC-Type", kind),
        ("WARC-Target-URI", &url),
        ("WARC-Date", rest[time]),
        ("Content-Length", length),
    ];
    Some(fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_arc_records_have_the_fields_of_warc_records() {
        let time = "20010423054508";
        let url = "http://h.example/robots.txt";
        for (line, url, length) in [
            (format!("{url} 192.0.2.1 {time} text/plain 9"), url, "9"),
            (format!("{url} 192.0.2.1 {time} text/plain; charset=x 9\r"), url, "9"),
            (format!("{url} 192.0.2.1 {time}  9"), url, "9"),
            (format!("{url} - {time} no-type 200 0a1b - 209 IA-1.arc 77 "), url, "77"),
            (format!("http://h/a b 2001:db8::1 {time} text/html 0"), "http://h/a b", "0"),
            (format!("dns:h.example 192.0.2.1 {time} text/dns 4"), "dns:h.example", "4"),
        ] {
            let found = fields(line.as_bytes()).expect(&line);
            let names = ["WARC-Type", "WARC-Target-URI", "WARC-Date", "Content-Length"];
            let values = ["response", url, time, length];
            let expected = names.into_iter().zip(values);
            assert!(found.iter().map(|(name, it)| (&**name, &**it)).eq(expected), "{found:?}");
        }
        for line in [
            "",
            "Disallow: / 20010423054508 a 9",
            "Sitemap: http://h/ 192.0.2.1 20010423054508 a 9",
            "http://h/ 20010423054508 text/plain 9",
            "http://h/ 192.0.2.1 20010423054508 9",
            "http://h/ 192.0.2.1 2001042305450 text/plain 9",
            "http://h/ 192.0.2.1 20010423054508 text/plain x",
            "/robots.txt 192.0.2.1 20010423054508 text/plain 9",
        ] {
            assert_eq!(fields(line.as_bytes()), None, "{line}");
        }
    }
}
