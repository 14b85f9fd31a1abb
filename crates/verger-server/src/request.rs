//! Parts of requests: bodies with their limits, tasks, media types, and query parameters.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, IF_NONE_MATCH,
};
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use verger_json::decode_base64;

use crate::app::App;
use crate::problem::{Errors, Kind, Problem};
use crate::question::{one, read};
use crate::response::answered;

/// The media type of the body, without parameters; `None` if there is not exactly one.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    value.split(';').next().map(str::trim)
}

/// Whether the client has the response with this entity tag.
pub(crate) fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    headers.get_all(IF_NONE_MATCH).iter().map(HeaderValue::as_bytes).any(|known| {
        // RFC 9110 section 13.1.2: `*` is not an element of a list.
        known.trim_ascii() == b"*"
            || known.split(|byte| *byte == b',').any(|known| known.trim_ascii() == tag.as_bytes())
    })
}

/// The body of a request with JSON and without a query, within the limits of size and time.
pub(crate) async fn json(app: &App, request: Request<Body>) -> Result<Bytes, Problem> {
    query(request.uri().query(), [])?;
    let headers = request.headers();
    if !media_type(headers).is_some_and(|found| found.eq_ignore_ascii_case("application/json")) {
        let detail = "expected Content-Type application/json, but found another one or none";
        return Err(Problem::new(Kind::MediaType, detail).closing());
    }
    check_coding(headers)?;
    let most = app.settings.max_body;
    let too_large = || {
        let detail = format!("expected a body of at most {most} bytes, but found more");
        Problem::new(Kind::TooLarge, detail).closing()
    };
    let length =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let collected = Limited::new(request.into_body(), most).collect();
    match timeout(app.settings.body_time, collected).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            let detail = "the body is incomplete: the connection or its framing broke";
            Err(Problem::new(Kind::BadRequest, detail).closing())
        }
        Err(_) => {
            let seconds = app.settings.body_time.as_secs();
            let detail = format!("expected the body within {seconds} s");
            Err(Problem::new(Kind::Timeout, detail).closing())
        }
    }
}

/// A valid request with files in its body.
pub(crate) trait Task: Send + Sized + 'static {
    /// The keys of the body.
    type Keys: DeserializeOwned;

    /// Checks the keys.
    fn of(keys: Self::Keys, app: &App) -> Result<Self, Problem>;

    /// The JSON of the result.
    fn run(self) -> Result<Vec<u8>, Problem>;
}

/// The handler of a route whose requests are tasks.
pub(crate) async fn run_task<T: Task>(
    State(app): State<Arc<App>>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let body = json(&app, request).await?;
    let task = T::of(read(&body)?, &app)?;
    let json = app.work.run(move || task.run()).await??;
    Ok(answered(StatusCode::OK, json))
}

/// Runs a task to its end, also if the client closes the connection.
pub(crate) async fn complete<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(task).await.map_err(|_| {
        tracing::error!("a task has panicked");
        Problem::internal()
    })
}

/// The variable segment of a path, decoded.
#[derive(Debug)]
pub(crate) struct Segment(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = Path::<String>::from_request_parts(parts, state).await;
        found.map(|Path(segment)| Self(segment)).map_err(|_| {
            let detail = "expected percent-encoded UTF-8 in the path, but found other bytes";
            Problem::new(Kind::Invalid, detail)
        })
    }
}

/// Rejects encoded bodies: nothing is decompressed.
pub(crate) fn check_coding(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.get_all(CONTENT_ENCODING).iter().all(|coding| coding == "identity") {
        return Ok(());
    }
    let detail = "expected a body without Content-Encoding";
    Err(Problem::new(Kind::MediaType, detail).closing())
}

/// The bytes of a file: the text of the first key, or the base64 of the second one.
pub(crate) fn file(
    keys: [&'static str; 2],
    text: Option<String>,
    base64: Option<String>,
    errors: &mut Errors,
) -> Option<Vec<u8>> {
    let [key, encoded] = keys;
    let decoded = |text: String| decode_base64(encoded, &text).map_err(|error| error.to_string());
    let given = [(key, text.map(|text| Ok(text.into_bytes()))), (encoded, base64.map(decoded))];
    let (key, bytes) = one(given, errors)?;
    errors.check(format_args!("/{key}"), bytes)
}

/// The values of query parameters with these names, each at most once.
pub(crate) fn query<'a, const N: usize>(
    query: Option<&'a str>,
    names: [&str; N],
) -> Result<[Option<Cow<'a, str>>; N], Problem> {
    let mut values = [const { None }; N];
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    for pair in pairs {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (form_decoded(name)?, form_decoded(value)?);
        let Some(at) = names.iter().position(|known| *known == name) else {
            let known = names.join(", ");
            let found = verger::quoted(&*name);
            let detail = format!("expected query parameters {known}, but found {found}");
            return Err(Problem::new(Kind::Invalid, detail));
        };
        if values[at].replace(value).is_some() {
            return Err(Problem::parameter(names[at], format!("expected `{}` once", names[at])));
        }
    }
    Ok(values)
}

/// The value of a query parameter.
pub(crate) fn parsed<T: FromStr>(
    name: &str,
    value: Option<impl AsRef<str>>,
    expected: &str,
) -> Result<Option<T>, Problem> {
    let bad = |_| Problem::parameter(name, format!("expected {expected} in `{name}`"));
    value.map(|value| value.as_ref().parse().map_err(bad)).transpose()
}

/// The text of a name or value in a query: `+` is a space, and only UTF-8 is accepted, because the
/// answer for a replaced byte would be that for another URL.
fn form_decoded(text: &str) -> Result<Cow<'_, str>, Problem> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(Cow::Borrowed(text));
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8().map_err(|_| {
        let detail = "expected percent-encoded UTF-8 in the query, but found other bytes; `%` in a \
                      URL is written `%25`";
        Problem::new(Kind::Invalid, detail)
    })?;
    Ok(Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn queries_are_decoded_as_forms() {
        for (query, expected) in [
            ("a=x", Some("x")),
            ("&a=x&", Some("x")),
            ("a=x=y", Some("x=y")),
            ("a=x+y%2B%20z", Some("x y+ z")),
            ("%61=%C3%B8", Some("ø")),
            ("a=\u{fffd}", Some("\u{fffd}")),
            ("a=%EF%BF%BD", Some("\u{fffd}")),
            ("a=100%", Some("100%")),
            ("a", Some("")),
            ("", None),
        ] {
            let [read] = super::query(Some(query), ["a"]).unwrap();
            assert_eq!(read.as_deref(), expected, "{query}");
        }
        for query in ["a=%FF", "a=%C3", "%FF=x", "b=x", "a=1&a=2"] {
            assert!(super::query(Some(query), ["a"]).is_err(), "{query}");
        }
    }
}
