//! Origins of URLs: the scope of one robots.txt, and the key that joins URLs with files.

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, StringArray};
use verger::Origin;

use crate::{Column, Error, rows};

/// Returns the origin of each URL, such as `https://shop.example:8443`: scheme and host in lower case
/// and Punycode, the port only if it is not the scheme's default. A text that is no absolute URL, or
/// has no host, gives a null.
///
/// # Errors
///
/// If the column is not text.
pub fn origins(urls: &dyn Array) -> Result<StringArray, Error> {
    let rows = rows(&[urls]);
    let urls = Column::new("urls", urls, rows)?;
    let mut out = StringBuilder::new();
    let mut last: Option<(&[u8], Option<String>)> = None;
    for row in 0..rows {
        let Some(url) = urls.get(row) else {
            out.append_null();
            continue;
        };
        let Some(start) = start(url) else {
            out.append_option(of(url));
            continue;
        };
        // URLs of a site are often neighbours.
        if last.as_ref().is_none_or(|(known, _)| *known != start) {
            last = Some((start, of(url)));
        }
        out.append_option(last.as_ref().and_then(|(_, origin)| origin.as_deref()));
    }
    Ok(out.finish())
}

fn of(url: &[u8]) -> Option<String> {
    let url = std::str::from_utf8(url).ok()?;
    Origin::of(url).ok().flatten().map(|origin| origin.to_string())
}

/// The bytes of a URL that alone determine its origin: scheme and authority.
///
/// `None` if that is not certain: the URL standard skips additional slashes before a host, white
/// space around a URL, and tabs and line ends everywhere. So the authority must begin with a letter
/// or digit, and something must follow it.
fn start(url: &[u8]) -> Option<&[u8]> {
    let colon = url.iter().position(|byte| *byte == b':')?;
    let authority = url.get(colon..)?.strip_prefix(b"://")?;
    authority.first().filter(|byte| byte.is_ascii_alphanumeric())?;
    let length = authority.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'))?;
    let is_utf8 = std::str::from_utf8(&authority[length..]).is_ok();
    is_utf8.then_some(&url[..colon + 3 + length])
}

#[cfg(test)]
mod tests {
    use arrow_array::BinaryArray;

    use super::*;

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
        let expected: Vec<Option<String>> = urls.iter().map(|url| of(url)).collect();
        assert_eq!(expected[0].as_deref(), Some("https://shop.example"));
        assert_eq!(expected[7].as_deref(), Some("https://shop.example:8443"));
        assert_eq!(expected[9].as_deref(), Some("https://www.xn--exmple-cua.com"));
        assert_eq!([8, 10, 11, 12, 13].map(|at| expected[at].as_deref()), [None; 5]);
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
}
