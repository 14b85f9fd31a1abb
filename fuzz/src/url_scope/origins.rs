//! Origins, compared with the `url` crate and with each other.

use arbitrary::{Result, Unstructured};
use url::Url;
use verger::{Origin, OriginError, limits};

use super::site::default_port;
use crate::inert::assert_inert;

/// Compares the origins of some texts with those of the `url` crate.
pub(super) fn check(urls: &[&str]) {
    let origins: Vec<Option<Origin>> = urls.iter().map(|url| origin(url)).collect();
    for (url, origin) in urls.iter().zip(&origins) {
        for (other, other_origin) in urls.iter().zip(&origins) {
            let Some(origin) = origin else { continue };
            let same = other_origin.as_ref() == Some(origin);
            assert_eq!(origin.covers(other), same, "{origin} and {other:?}");
            // The crate repairs texts that have no origin (REP-AMB-62).
            if let (Some(_), Some(expected)) = (other_origin, are_same(url, other)) {
                assert_eq!(same, expected, "{url:?} and {other:?}");
            }
        }
    }
}

/// The `url` crate's answer for URLs whose origin it defines. The origin of a `blob:` URL is that
/// of another URL inside it, from which nothing can be fetched (REP-ACCESS-8).
fn are_same(left: &str, right: &str) -> Option<bool> {
    let (left, right) = (Url::parse(left).ok()?, Url::parse(right).ok()?);
    let is_known = |url: &Url| url.has_host() && url.origin().is_tuple();
    (is_known(&left) && is_known(&right)).then(|| left.origin() == right.origin())
}

fn origin(text: &str) -> Option<Origin> {
    let parsed = Url::parse(text);
    let origin = match Origin::of(text) {
        Ok(origin) => origin,
        Err(error) => {
            assert_inert(&error.to_string());
            assert!(Origin::of_robots_url(text).is_err(), "{text:?}");
            is_refused_for_a_reason(text, &parsed, error);
            return None;
        }
    };
    let url = parsed.unwrap_or_else(|error| panic!("{origin:?} of {text:?}: {error}"));
    let host = url.host_str().unwrap_or_default();
    let Some(origin) = origin else {
        assert_eq!(host, "", "{text:?} has a host");
        assert_eq!(Origin::of_robots_url(text), Ok(None), "{text:?}");
        return None;
    };
    assert_eq!(origin.scheme(), url.scheme(), "{text:?}");
    assert_eq!(origin.host(), host.to_ascii_lowercase(), "{text:?}");
    assert_eq!(origin.port(), url.port(), "{text:?}");
    let is_robots_url = url.path() == "/robots.txt" && url.query().is_none();
    let found = Origin::of_robots_url(text);
    assert_eq!(found, Ok(is_robots_url.then(|| origin.clone())), "{text:?}");

    assert!(origin.covers(text), "{text:?}");
    is_itself(&origin);
    Some(origin)
}

/// Written and read back.
fn is_itself(origin: &Origin) {
    assert_inert(&origin.to_string());
    let robots_url = origin.robots_url();
    assert_eq!(Origin::of(&robots_url), Ok(Some(origin.clone())), "{robots_url}");
    assert_eq!(Origin::of_robots_url(&robots_url), Ok(Some(origin.clone())), "{robots_url}");
    assert!(origin.covers(&robots_url), "{robots_url}");
    let again = Origin::from_parts(origin.scheme(), origin.host(), origin.port());
    assert_eq!(again.as_ref(), Ok(origin), "{robots_url}");
    let changed = Origin::from_parts("gopher", origin.host(), origin.port());
    let is_gopher = origin.scheme() == "gopher";
    assert_eq!(changed.is_ok_and(|changed| changed.covers(&robots_url)), is_gopher, "{robots_url}");
}

/// A URL that the `url` crate accepts is rejected only because of its host, or because no host is
/// directly behind `://` (REP-AMB-62).
fn is_refused_for_a_reason(
    text: &str,
    parsed: &std::result::Result<Url, url::ParseError>,
    error: OriginError,
) {
    let Ok(url) = parsed else { return };
    let host = url.host_str().unwrap_or_default();
    let by_parts = Origin::from_parts(url.scheme(), host, url.port());
    let is_long = text.len() > limits::AUTHORITY_BYTES && error == OriginError::HostTooLong;
    let start = format!("{}://", url.scheme());
    let has_start = text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(&start));
    let is_beside = matches!(error, OriginError::NoScheme | OriginError::EmptyHost)
        && (!has_start || text[start.len()..].starts_with(['/', '\\', '\t', '\n', '\r']));
    assert!(by_parts == Err(error) || is_long || is_beside, "{text:?}: {error}");
}

/// Origins made of parts.
pub(super) fn check_parts(choices: &mut Unstructured<'_>) -> Result<()> {
    while !choices.is_empty() {
        let scheme = *choices
            .choose(&["http", "https", "FTP", "ws", "wss", "gopher", "x-1", "", "1", "a b"])?;
        let host: &str = match choices.arbitrary::<u8>()? % 4 {
            0 => choices.choose(&[
                "h",
                "H.Example",
                "[::1]",
                "[::FFFF:1]",
                "1.2.3.4",
                "h.",
                ".",
                "",
            ])?,
            _ => choices.arbitrary()?,
        };
        let port = match choices.arbitrary::<u8>()? % 8 {
            0 => Some(choices.arbitrary()?),
            other => [None, Some(80), Some(443), Some(21), Some(0)][usize::from(other) % 5],
        };
        if let Ok(origin) = Origin::from_parts(scheme, host, port) {
            assert_inert(&origin.to_string());
            assert!(!origin.host().is_empty() && origin.host().is_ascii(), "{origin}");
            assert!(origin.host().len() <= limits::HOST_BYTES + 1, "{origin}");
            let again = Origin::from_parts(origin.scheme(), origin.host(), origin.port());
            assert_eq!(again.as_ref(), Ok(&origin));
            let default = default_port(origin.scheme());
            assert!(origin.port().is_none_or(|port| Some(port) != default), "{origin}");
            assert_eq!(origin.port().or(default), port.or(default), "{origin}");
            let upper = host.to_ascii_uppercase();
            assert_eq!(Origin::from_parts(scheme, &upper, port).as_ref(), Ok(&origin));
            // Hosts are not always written as in the URL standard, so this may be another origin,
            // which is stable.
            if let Ok(Some(written)) = Origin::of(&origin.robots_url()) {
                is_itself(&written);
            }
        }
    }
    Ok(())
}
