//! Targets of redirects.

use std::str;

use url::Url;
use verger::limits::AUTHORITY_BYTES;
use verger::{Origin, OriginError};

use crate::failure::Broken;
use crate::limits::LOCATION_BYTES;

/// The target of a 3xx response, from the values of its `Location` fields.
///
/// # Errors
///
/// The defect of the redirect.
pub(crate) fn target<'v>(
    status: u16,
    base: &Url,
    locations: impl IntoIterator<Item = &'v [u8]>,
) -> Result<Url, Broken> {
    // REP-ACCESS-24: these five are redirects. REP-AMB-17: the others are not, even with a
    // Location.
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Err(if status == 304 { Broken::NotModifiedUnasked } else { Broken::NoRedirect });
    }
    let mut locations = locations.into_iter().map(<[u8]>::trim_ascii);
    let location = locations.next().ok_or(Broken::NoLocation)?;
    if locations.any(|other| other != location) {
        return Err(Broken::SeveralLocations);
    }
    if location.is_empty() {
        return Err(Broken::NoLocation);
    }
    if location.len() > LOCATION_BYTES {
        return Err(Broken::BadLocation);
    }
    let text = str::from_utf8(location).map_err(|_| Broken::BadLocation)?;
    let mut url = base.join(text).map_err(|_| Broken::BadLocation)?;
    // Redirects never lead to FTP: REP-AMB-17, "non-http target".
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Broken::TargetScheme);
    }
    if !url.has_host() {
        return Err(Broken::BadLocation);
    }
    strip(&mut url);
    Ok(url)
}

/// Whether a redirect leads from https to http, where anyone on the network path can change the
/// response.
pub(crate) fn is_downgrade(from: &Url, to: &Url) -> bool {
    from.scheme() == "https" && to.scheme() == "http"
}

/// Returns the URL as a client sends it, without credentials and fragment; `None` if the text is
/// not a URL, even if a browser would make one of it (REP-AMB-62).
///
/// # Examples
///
/// ```
/// use verger_fetch::fetch::sent_url;
///
/// let sent = sent_url("https://user:word@shop.example/a/../b#c").ok_or("a URL")?;
/// assert_eq!(sent.as_str(), "https://shop.example/b");
/// assert_eq!((sent_url("/b"), sent_url("https:/shop.example")), (None, None));
/// # Ok::<(), &str>(())
/// ```
pub fn sent_url(text: &str) -> Option<Url> {
    // Nearly all URLs begin so, and are parsed once.
    let is_usual = |scheme| {
        let rest = text.strip_prefix(scheme);
        rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric()))
    };
    if !["https://", "http://"].into_iter().any(is_usual) {
        Origin::of(text).ok()?;
    }
    let mut url = Url::parse(text).ok()?;
    strip(&mut url);
    Some(url)
}

/// The same with its origin, parsed once; `None` if the URL has no origin.
///
/// # Errors
///
/// As [`Origin::of`].
pub(crate) fn sent_url_and_origin(text: &str) -> Result<(Url, Option<Origin>), OriginError> {
    // An overlong host is refused before IDNA processing; a short text cannot have one.
    if text.len() > AUTHORITY_BYTES {
        Origin::of(text)?;
    }
    let Some(url) = sent_url(text) else {
        return Err(Origin::of(text).err().unwrap_or(OriginError::InvalidHost));
    };
    let host = url.host_str().filter(|host| !host.is_empty());
    let origin = host.map(|host| Origin::from_parts(url.scheme(), host, url.port()));
    let origin = origin.transpose()?;
    Ok((url, origin))
}

/// Removes the parts that are not sent: credentials and the fragment.
pub(super) fn strip(url: &mut Url) {
    url.set_fragment(None);
    // Both fail only without a host, and then there are no credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, locations: &[&[u8]]) -> Result<String, Broken> {
        let base = "https://shop.example/a/robots.txt?q".parse().unwrap();
        target(status, &base, locations.iter().copied()).map(Into::into)
    }

    #[test]
    fn locations_are_resolved_and_stripped() {
        for (location, expected) in [
            ("/robots.txt", "https://shop.example/robots.txt"),
            ("robots.txt", "https://shop.example/a/robots.txt"),
            ("?x", "https://shop.example/a/robots.txt?x"),
            ("#x", "https://shop.example/a/robots.txt?q"),
            (".", "https://shop.example/a/"),
            ("..", "https://shop.example/"),
            ("../../../../etc/passwd", "https://shop.example/etc/passwd"),
            ("//other.example/r#f", "https://other.example/r"),
            ("HTTP://OTHER.example", "http://other.example/"),
            ("http://u:p@other.example/", "http://other.example/"),
            ("http://shop.example@other.example/", "http://other.example/"),
            (r"\\other.example\x", "https://other.example/x"),
            ("http:///other.example/", "http://other.example/"),
            ("  /x  ", "https://shop.example/x"),
            ("/é", "https://shop.example/%C3%A9"),
            ("/%0d%0aX:1", "https://shop.example/%0d%0aX:1"),
        ] {
            assert_eq!(of(302, &[location.as_bytes()]).as_deref(), Ok(expected), "{location}");
        }
    }

    #[test]
    fn broken_locations_have_a_defect() {
        let long = vec![b'a'; LOCATION_BYTES + 1];
        let cases: &[(&[&[u8]], Broken)] = &[
            (&[], Broken::NoLocation),
            (&[b""], Broken::NoLocation),
            (&[b"   "], Broken::NoLocation),
            (&[b"/a", b"/b"], Broken::SeveralLocations),
            (&[b"/\xff"], Broken::BadLocation),
            (&[&long], Broken::BadLocation),
            (&[b"http://"], Broken::BadLocation),
            (&[b"http://[::1"], Broken::BadLocation),
            (&[b"http://h:99999/"], Broken::BadLocation),
            (&[b"http://h%00/"], Broken::BadLocation),
            (&[b"http://h%0d%0aX:1/"], Broken::BadLocation),
            (&[b"http://xn--/"], Broken::BadLocation),
            (&[b"file:///etc/passwd"], Broken::TargetScheme),
            (&[b"ftp://h.example/robots.txt"], Broken::TargetScheme),
            (&[b"gopher://127.0.0.1:6379/_x"], Broken::TargetScheme),
            (&[b"data:text/plain,User-agent:*"], Broken::TargetScheme),
            (&[b"javascript:alert(1)"], Broken::TargetScheme),
            (&[b"mailto:a@b.example"], Broken::TargetScheme),
            (&[b"about:blank"], Broken::TargetScheme),
            (&[b"jar:http://h!/x"], Broken::TargetScheme),
        ];
        for (locations, expected) in cases {
            assert_eq!(of(302, locations), Err(*expected), "{locations:?}");
        }
    }

    #[test]
    fn rep_access_24_five_statuses_are_redirects() {
        for status in 300..400 {
            let found = of(status, &[b"/x", b"/x"]);
            let expected = match status {
                301 | 302 | 303 | 307 | 308 => Ok("https://shop.example/x".to_owned()),
                304 => Err(Broken::NotModifiedUnasked),
                _ => Err(Broken::NoRedirect),
            };
            assert_eq!(found, expected, "{status}");
        }
    }
}
