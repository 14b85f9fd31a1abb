//! The page at `/`: the files of the folder `page`, which are part of the program. In the page of a
//! service, the service is the engine (`page/remote.js`).

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    REFERRER_POLICY,
};
use sha2::{Digest as _, Sha256};

use crate::request::is_known;

/// Names and contents of files of the page.
macro_rules! contents {
    ($($name:literal)+) => {
        &[$(($name, include_bytes!(concat!("../page/", $name)))),+]
    };
}

/// By name: [`find`] searches by halves. Without those of the WebAssembly module.
static CONTENTS: &[(&str, &[u8])] = contents!(
    "answers.js"
    "app.js"
    "differences.css"
    "differences.js"
    "dom.js"
    "engine.js"
    "example/robots-next.txt"
    "example/robots.txt"
    "explanation.js"
    "forced.css"
    "index.html"
    "limits.js"
    "line.js"
    "matrix.js"
    "own.js"
    "panels.css"
    "picker.css"
    "picker.js"
    "record.js"
    "remote.js"
    "served.js"
    "service.js"
    "site.css"
    "site.js"
    "source.css"
    "source.js"
    "state.js"
    "style.css"
    "text.js"
    "token.js"
    "verdicts.css"
    "verger.svg"
    "visible.js"
);

/// A file of the page.
#[derive(Debug)]
pub(crate) struct PageFile {
    name: &'static str,
    content: &'static [u8],
    /// The entity tag: a hash of the content.
    tag: HeaderValue,
}

/// The files by their names.
static FILES: LazyLock<Vec<PageFile>> = LazyLock::new(|| {
    let file = |&(name, content): &(&'static str, &'static [u8])| {
        let tag = format!("\"{}\"", hex::encode(&Sha256::digest(content)[..16]));
        let tag = HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""));
        PageFile { name, content, tag }
    };
    CONTENTS.iter().map(file).collect()
});

/// The file of a path.
pub(crate) fn find(path: &str) -> Option<&'static PageFile> {
    let name = match path.strip_prefix('/')? {
        "" => "index.html",
        "index.html" => return None,
        name => name,
    };
    FILES.binary_search_by(|file| file.name.cmp(name)).ok().map(|at| &FILES[at])
}

/// The page.
#[utoipa::path(get, path = "/", tag = "operation", operation_id = "index", security(()),
    responses((status = 200, description = "HTML", body = String, content_type = "text/html")))]
pub(crate) async fn index(request: Request) -> Result<Response, StatusCode> {
    let file = find(request.uri().path()).ok_or(StatusCode::NOT_FOUND)?;
    Ok(file.response(request.headers()))
}

/// The paths of the other files.
pub(crate) fn paths() -> impl Iterator<Item = String> {
    // From the contents, because the hashes of `FILES` are for responses only.
    let names = CONTENTS.iter().map(|(name, _)| name).filter(|name| **name != "index.html");
    names.map(|name| format!("/{name}"))
}

impl PageFile {
    /// The response to a request for the file, whose header fields these are.
    fn response(&'static self, fields: &HeaderMap) -> Response {
        let Self { name, content, tag } = self;
        let is_known = is_known(fields, tag);
        let body = if is_known { Bytes::new() } else { Bytes::from_static(content) };
        let mut response = Response::new(Body::from(body));
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        // After an upgrade, no file may be from the version before.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(ETAG, tag.clone());
        response
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("css") => "text/css",
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Scripts, styles and requests of this origin only; no text becomes markup, and no other page
/// contains this one. The page states a similar policy itself, which permits the module.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

#[cfg(test)]
mod tests {
    use hyper::header::IF_NONE_MATCH;

    use super::*;

    #[test]
    fn the_index_is_found_at_one_address_and_nothing_outside_of_the_table() {
        assert!(find("/").is_some());
        for path in ["", "/index.html", "/..", "/../Cargo.toml", "//", "/v1/check", "index.html"] {
            assert!(find(path).is_none(), "{path}");
        }
        for file in FILES.iter().filter(|file| file.name != "index.html") {
            assert_eq!(find(&format!("/{}", file.name)).map(|it| it.name), Some(file.name));
        }
    }

    #[test]
    fn a_known_file_is_not_sent_again() {
        let index = find("/").unwrap();
        let first = index.response(&HeaderMap::new());
        assert_eq!(first.status(), 200);
        let tag = first.headers()[ETAG].clone();
        let fields = |tag| HeaderMap::from_iter([(IF_NONE_MATCH, tag)]);
        let again = index.response(&fields(tag.clone()));
        assert_eq!((again.status().as_u16(), &again.headers()[ETAG]), (304, &tag));
        assert_eq!(index.response(&fields(HeaderValue::from_static("\"x\""))).status(), 200);
    }

    #[test]
    fn the_page_states_a_policy_that_permits_no_more_than_the_module() {
        let index = include_str!("../page/index.html");
        let is_stated = |part: &&str| !part.starts_with("frame-") && !part.starts_with("trusted-");
        for part in POLICY.split(';').map(str::trim).filter(is_stated) {
            assert!(index.contains(part), "{part}");
        }
    }

    #[test]
    fn all_files_of_the_page_are_in_the_program() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut names = Vec::new();
        for place in ["", "example/"] {
            for file in std::fs::read_dir(folder.join(place)).unwrap().map(Result::unwrap) {
                if file.file_type().unwrap().is_file() {
                    names.push(format!("{place}{}", file.file_name().to_str().unwrap()));
                }
            }
        }
        names.retain(|name| !matches!(&**name, "background.js" | "worker.js"));
        names.sort();
        assert!(names.iter().eq(CONTENTS.iter().map(|(name, _)| name)), "{names:?}");
    }

    #[test]
    fn the_example_is_that_of_the_repository() {
        let original = |name: &str| {
            let path = format!("{}/../../examples/shop/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read(path).unwrap()
        };
        for (name, content) in CONTENTS {
            if let Some(name) = name.strip_prefix("example/") {
                assert_eq!(content, &original(name), "{name}");
            }
        }
    }
}
