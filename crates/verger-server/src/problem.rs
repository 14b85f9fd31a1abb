//! Problem documents (RFC 9457).

use std::borrow::Cow;
use std::fmt::Display;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde::Serialize;
use utoipa::ToSchema;
use verger_fetch::store::StoreError;

use crate::limits::PROBLEMS;
use crate::response::raw;
use crate::schemas::GivenAnswer;

/// A kind of problem: its name, status and title.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $name:literal $status:ident $title:literal;)+) => {
        /// The kinds of problems.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl Kind {
            /// All kinds.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$kind,)+];

            /// The name, the last part of `type`.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            pub(crate) const fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status,)+ }
            }

            const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)+ }
            }
        }
    };
}

kinds! {
    /// The request is not valid HTTP for this service.
    BadRequest "bad-request" BAD_REQUEST "The request is not valid";
    /// The body is not JSON of the expected form.
    BadJson "bad-json" BAD_REQUEST "The body is not the expected JSON";
    /// No valid token.
    Unauthorized "unauthorized" UNAUTHORIZED "A token is needed";
    /// A token without this right, or a request from a web page.
    Forbidden "forbidden" FORBIDDEN "The request is not permitted";
    /// The guard refuses the destination.
    RefusedDestination "refused-destination" FORBIDDEN "The service does not connect to this destination";
    /// No such resource.
    NotFound "not-found" NOT_FOUND "There is no such resource";
    /// Another method is needed.
    Method "method" METHOD_NOT_ALLOWED "The method is not supported here";
    /// The body did not arrive in time.
    Timeout "timeout" REQUEST_TIMEOUT "The body did not arrive in time";
    /// The turn is not the caller's any more.
    TurnLost "turn-lost" CONFLICT "The turn has ended";
    /// The body or a list is too large.
    TooLarge "too-large" PAYLOAD_TOO_LARGE "The request is too large";
    /// The body has another media type.
    MediaType "media-type" UNSUPPORTED_MEDIA_TYPE "The body has another media type";
    /// The Host header names another service.
    Misdirected "misdirected" MISDIRECTED_REQUEST "The request is for another host";
    /// A value is wrong.
    Invalid "invalid" UNPROCESSABLE_ENTITY "A value is not valid";
    /// The client sends too many requests.
    TooManyRequests "too-many-requests" TOO_MANY_REQUESTS "Too many requests";
    /// An error of the service.
    Internal "internal" INTERNAL_SERVER_ERROR "Internal error";
    /// A limit of the service is reached.
    Busy "busy" SERVICE_UNAVAILABLE "The service is busy";
    /// The store does not answer.
    Unavailable "unavailable" SERVICE_UNAVAILABLE "The store does not answer";
}

/// A problem, as the response with its status.
#[derive(Debug)]
pub(crate) struct Problem {
    kind: Kind,
    detail: Cow<'static, str>,
    errors: Vec<Item>,
    retry_after: Option<u64>,
    answer: Option<Box<serde_json::value::RawValue>>,
    /// Whether the rest of the body is not read.
    closes: bool,
}

/// A problem with one value of the request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ProblemItem)]
pub(crate) struct Item {
    /// JSON pointer to the value in the body (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pointer: Option<String>,
    /// Name of a query parameter or of a segment of the path, instead of a pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameter: Option<String>,
    /// A sentence for people; its wording can change.
    pub(crate) detail: String,
}

/// The wrong values of a body.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<Item>);

impl Errors {
    /// Notes an error of the value at a JSON pointer.
    pub(crate) fn note(&mut self, pointer: impl Display, detail: impl Into<String>) {
        let (pointer, detail) = (Some(pointer.to_string()), detail.into());
        self.0.push(Item { pointer, parameter: None, detail });
    }

    /// The value; `None` after an error, which is noted.
    pub(crate) fn check<T>(
        &mut self,
        pointer: impl Display,
        value: Result<T, String>,
    ) -> Option<T> {
        value.map_err(|detail| self.note(pointer, detail)).ok()
    }

    /// The value, if there is no error.
    pub(crate) fn unless_any<T>(self, value: Option<T>) -> Result<T, Self> {
        value.filter(|_| self.0.is_empty()).ok_or(self)
    }

    /// The detail of the first error.
    pub(crate) fn first(self) -> String {
        self.0.into_iter().next().map_or_else(String::new, |error| error.detail)
    }

    /// The same errors of query parameters. One of no single key is that of the crawler.
    pub(crate) fn of_parameters(mut self) -> Self {
        for item in &mut self.0 {
            let pointer = item.pointer.take().unwrap_or_default();
            let name = pointer.trim_start_matches('/');
            item.parameter = Some(if name.is_empty() { "agent" } else { name }.to_owned());
        }
        self
    }
}

impl From<Errors> for Problem {
    fn from(Errors(errors): Errors) -> Self {
        Self::items(Kind::Invalid, errors)
    }
}

/// A problem document (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Document<'a> {
    /// URL of the description of this kind of problem.
    r#type: String,
    /// The kind of problem in words.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// A sentence for people; its wording can change.
    detail: &'a str,
    /// The wrong values, the first ones if there are many.
    #[serde(skip_serializing_if = "<[Item]>::is_empty")]
    errors: &'a [Item],
    /// The answer to the question, if the problem is about its destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<GivenAnswer>)]
    answer: Option<&'a serde_json::value::RawValue>,
}

/// The detail of an error of the service itself.
pub(crate) const INTERNAL: &str = "internal error; the log of the service has the details";

impl Problem {
    /// A problem. Foreign text in `detail` must be escaped.
    pub(crate) fn new(kind: Kind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            errors: Vec::new(),
            retry_after: None,
            answer: None,
            closes: false,
        }
    }

    fn items(kind: Kind, mut errors: Vec<Item>) -> Self {
        let count = errors.len();
        let detail = match errors.first() {
            Some(first) if count == 1 => first.detail.clone(),
            Some(first) => format!("{} (and {} more)", first.detail, count - 1),
            None => kind.title().to_owned(),
        };
        errors.truncate(PROBLEMS);
        Self { errors, ..Self::new(kind, detail) }
    }

    /// A problem with one value of the body.
    pub(crate) fn at(kind: Kind, pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let (pointer, detail) = (Some(pointer.into()), detail.into());
        Self::items(kind, vec![Item { pointer, parameter: None, detail }])
    }

    /// A problem with a query parameter.
    pub(crate) fn parameter(name: &str, detail: impl Into<String>) -> Self {
        let (parameter, detail) = (Some(name.to_owned()), detail.into());
        Self::items(Kind::Invalid, vec![Item { pointer: None, parameter, detail }])
    }

    /// An error of the service itself, which is in its log.
    pub(crate) fn internal() -> Self {
        Self::new(Kind::Internal, INTERNAL)
    }

    /// A limit of the service is reached.
    pub(crate) fn busy(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Busy, detail).with_retry_after(1)
    }

    #[must_use]
    pub(crate) fn with_retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    #[must_use]
    pub(crate) fn with_answer(self, answer: Vec<u8>) -> Self {
        Self { answer: raw(answer), ..self }
    }

    /// Closes the connection after the response: the rest of the request is not read.
    #[must_use]
    pub(crate) fn closing(self) -> Self {
        Self { closes: true, ..self }
    }

    #[cfg(test)]
    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// The document.
    pub(crate) fn json(&self) -> Vec<u8> {
        let document = Document {
            r#type: format!("{DOCUMENTATION}#{}", self.kind.name()),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
            errors: &self.errors,
            answer: self.answer.as_deref(),
        };
        let mut out = Vec::new();
        // Writing to memory does not fail.
        let _ = verger_json::Values::lines().write(&mut out, &document);
        out
    }
}

/// A store gives no answer. The cause is for the log alone.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::warn!(%error, "the store did not answer");
        Self::new(Kind::Unavailable, "the store does not answer").with_retry_after(1)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.json()));
        *response.status_mut() = self.kind.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.kind == Kind::Unauthorized {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.closes {
            headers.insert(hyper::header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// The page that describes the kinds of problems.
const DOCUMENTATION: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/service.md");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_place_and_nothing_internal() {
        let problem = Problem::at(Kind::Invalid, "/urls/1", "expected a URL, but found `x`");
        assert_eq!(
            String::from_utf8(problem.json()).unwrap(),
            "{\"type\":\"https://git.example/verger/verger/blob/main/docs/service.md#invalid\",\
             \"title\":\"A value is not valid\",\"status\":422,\
             \"detail\":\"expected a URL, but found `x`\",\
             \"errors\":[{\"pointer\":\"/urls/1\",\"detail\":\"expected a URL, but found `x`\"}]}\n"
        );
    }

    #[test]
    fn the_book_describes_every_kind() {
        let page = include_str!("../../../docs/service.md");
        for kind in Kind::ALL {
            let row = format!(
                "| <a id=\"{}\"></a>`{}` | {} |",
                kind.name(),
                kind.name(),
                kind.status().as_u16()
            );
            assert!(page.contains(&row), "{row}");
        }
    }
}
