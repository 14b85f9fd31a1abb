//! Origins of URLs, fast for URLs in their usual form.

use std::hash::Hasher as _;

use verger::Origin;
use verger::limits::{HOST_BYTES, LABEL_BYTES};

/// Finds the origins of URLs. Consecutive URLs often have the same.
#[derive(Debug, Default)]
pub(crate) struct OriginReader {
    last: String,
}

impl OriginReader {
    /// The origin of a URL, in the form of [`Origin`]: `https://shop.example:8443`. `None` if the
    /// text is not a URL with a host.
    pub(crate) fn of<'a>(&'a mut self, url: &'a str) -> Option<&'a str> {
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

/// The partition of an origin. The same on every machine and in every run.
pub(crate) fn partition(origin: &str, partitions: usize) -> usize {
    let mut hasher = Fnv::default();
    hasher.write(origin.as_bytes());
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    usize::try_from(mixed).unwrap_or_default() % partitions
}

/// FNV-1a: stable, unlike the hash of the standard library.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn partitions_are_stable_and_even() {
        assert_eq!(partition("https://shop.example", 1), 0);
        let mut counts = [0_u32; 16];
        for number in 0..16_000 {
            counts[partition(&format!("https://h{number}.example"), 16)] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1_100).contains(&count)), "{counts:?}");
        assert_eq!(
            partition("https://shop.example", 1024),
            partition("https://shop.example", 1024)
        );
    }
}
