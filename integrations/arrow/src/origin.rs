//! Origins of URLs: the scope of one robots.txt, and the key that joins URLs with files.

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, StringArray};
use verger::Origin;
use verger::limits::{HOST_BYTES, LABEL_BYTES};

use crate::{Column, Error, rows};

/// Returns the origin of each URL, such as `https://shop.example:8443`: scheme and host in lower
/// case and Punycode, the port only if it is not the scheme's default. A text that is not an
/// absolute URL, or has no host, gives a null.
///
/// # Errors
///
/// If the column is not text.
pub fn origins(urls: &dyn Array) -> Result<StringArray, Error> {
    let rows = rows(&[urls]);
    let urls = Column::new("urls", urls, rows)?;
    let mut out = StringBuilder::new();
    let mut reader = OriginReader::default();
    for row in 0..rows {
        let url = urls.get(row).and_then(|url| std::str::from_utf8(url).ok());
        out.append_option(url.and_then(|url| reader.of(url)));
    }
    Ok(out.finish())
}

/// Finds the origins of URLs. Consecutive URLs often have the same.
#[derive(Debug, Default)]
pub struct OriginReader {
    last: String,
}

impl OriginReader {
    /// The origin of a URL, in the form of [`Origin`]: `https://shop.example:8443`. `None` if the
    /// text is not a URL with a host.
    pub fn of<'a>(&'a mut self, url: &'a str) -> Option<&'a str> {
        let length = self.last.len();
        if length > 0
            && url.len() > length
            && url.as_bytes()[length] == b'/'
            && url.as_bytes().starts_with(self.last.as_bytes())
        {
            return Some(&url[..length]);
        }
        if let Some(end) = plain_end(url.as_bytes()) {
            self.last.clear();
            self.last.push_str(&url[..end]);
            return Some(&url[..end]);
        }
        // An origin in normal form is its own origin, so it can be compared with the next URL.
        self.last.clear();
        let origin = Origin::of(url).ok()??;
        self.last = origin.to_string();
        let found = &self.last;
        Some(found)
    }
}

/// The end of the origin in a URL whose beginning is already in normal form: `http` or `https`, and
/// a host of lower-case letters, digits, hyphens and dots that cannot be an address or need IDNA.
fn plain_end(url: &[u8]) -> Option<usize> {
    let start = if url.starts_with(b"https://") {
        8
    } else if url.starts_with(b"http://") {
        7
    } else {
        return None;
    };
    let mut label = start;
    let mut at = start;
    loop {
        match url.get(at) {
            Some(b'a'..=b'z' | b'0'..=b'9') => {}
            Some(b'-') if at > label && url[at - 1] != b'-' => {}
            Some(b'.') if at > label && at - label <= LABEL_BYTES => label = at + 1,
            Some(b'/' | b'?' | b'#') | None => break,
            Some(_) => return None,
        }
        at += 1;
    }
    // A last label that begins with a digit may belong to an address.
    let is_name = url.get(label).is_some_and(u8::is_ascii_lowercase);
    let fits = at - label <= LABEL_BYTES && at - start <= HOST_BYTES;
    (is_name && fits && at > label).then_some(at)
}

#[cfg(test)]
mod tests {
    use arrow_array::BinaryArray;

    use super::*;

    fn alone(url: &[u8]) -> Option<String> {
        let url = std::str::from_utf8(url).ok()?;
        Origin::of(url).ok().flatten().map(|origin| origin.to_string())
    }

    #[test]
    fn neighbours_have_the_origins_that_they_have_alone() {
        let urls: [&[u8]; 16] = [
            b"https://Shop.Example:443/a",
            b"https://Shop.Example:443/b?c#d",
            b"https://shop.example",
            b"https://shop.example?x",
            b"http://shop.example/",
            b"http:///shop.example/",
            b"http://\t/shop.example/",
            b"  https://shop.example:8443/",
            b"https://shop.example:99999/",
            "https://www.exämple.com/a".as_bytes(),
            b"mailto:a@shop.example",
            b"/a",
            b"",
            b"https://shop.example/\xff",
            b"https://user:pass@shop.example/a",
            b"https://a\\b/c",
        ];
        let expected: Vec<Option<String>> = urls.iter().map(|url| alone(url)).collect();
        assert_eq!(expected[0].as_deref(), Some("https://shop.example"));
        assert_eq!(expected[9].as_deref(), Some("https://www.xn--exmple-cua.com"));
        assert_eq!([5, 6, 7, 8, 10, 11, 12, 13].map(|at| expected[at].as_deref()), [None; 8]);
        for (first, of_first) in urls.iter().zip(&expected) {
            for (second, of_second) in urls.iter().zip(&expected) {
                let both = origins(&BinaryArray::from_vec(vec![first, second])).unwrap();
                let found: Vec<_> = both.iter().map(|origin| origin.map(str::to_owned)).collect();
                assert_eq!(found, [of_first.clone(), of_second.clone()]);
            }
        }
        let nothing = BinaryArray::from_opt_vec(vec![None, Some(b"https://a.example/")]);
        let found = origins(&nothing).unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), [None, Some("https://a.example")]);
    }

    #[test]
    fn origins_are_those_of_the_library() {
        let long = format!("https://{}.example/", "a".repeat(70));
        let longest = format!("https://{}example/", "abcdefg.".repeat(40));
        let urls = [
            "https://shop.example/cart",
            "https://shop.example",
            "https://shop.example?x",
            "https://shop.example#x",
            "http://a-b.example/",
            "http://a--b.example/",
            "http://-a.example/",
            "http://a-.example/",
            "http://xn--exmple-cua.com/",
            "http://xn--/",
            "https://shop.example./",
            "https://shop..example/",
            "https://.example/",
            "https:///x",
            "https://",
            "https://Shop.Example/",
            "HTTPS://shop.example/",
            "https://shop.example:443/",
            "https://shop.example:8443/x",
            "https://u:p@shop.example/",
            "https://shop.example\\x",
            "https://shop.example\t/x",
            " https://shop.example/x",
            "http://127.0.0.1/",
            "http://0x7f.1/",
            "http://1.2.3/",
            "http://a.0x7f/",
            "http://a.1/",
            "http://a.1b/",
            "http://shop_x.example/",
            "http://é.example/",
            "http://localhost/",
            "mailto:a@b",
            "/x",
            "",
            "ftp://shop.example/x",
            "https://[::1]/",
            "https://shop.example%2e/",
            "https://shop.example/a",
            "https://shop.examplex/a",
            "https://shop.example:80/",
            "https://shop.example:443/a",
            "https://x.0xg/",
            &long,
            &longest,
        ];
        // Each after each other one, because the last origin is remembered.
        for before in urls {
            for url in urls {
                let mut reader = OriginReader::default();
                reader.of(before);
                let expected = Origin::of(url).ok().flatten().map(|origin| origin.to_string());
                assert_eq!(reader.of(url), expected.as_deref(), "{before} {url}");
            }
        }
    }
}
