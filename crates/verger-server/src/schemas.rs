//! Parts of the description of the API that several handlers share, and the answer without a
//! decision.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder, Schema,
};
use utoipa::{IntoResponses, PartialSchema, ToSchema};
use verger::Dialect;
use verger_json::{Answer, AnswerError, CrawlerKeys, Foreign, Id};

/// An answer without a decision: nothing may be fetched for now.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the key of the contract")]
pub(crate) struct Unanswered<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value, required = false)]
    pub(crate) id: Option<&'a Id>,
    #[serde(flatten)]
    #[schema(schema_with = verger_json::schema::url)]
    pub(crate) url: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) crawler: CrawlerKeys<'a>,
    pub(crate) dialect: &'static str,
    pub(crate) allowed: bool,
    /// `pending` or `busy`.
    pub(crate) reason: &'static str,
    pub(crate) unanswered: bool,
    /// Seconds after which the question should be asked again.
    pub(crate) retry_after: u64,
}

/// The responses to requests with a problem.
pub(crate) struct RequestProblem;

impl IntoResponses for RequestProblem {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = problems("4XX", "A problem of the request");
        responses.extend(LongHead::responses());
        responses
    }
}

/// The responses to a head that is too long to be read: its path is unknown, so there is no problem
/// document.
pub(crate) struct LongHead;

impl IntoResponses for LongHead {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let empty = |description| ResponseBuilder::new().description(description).build();
        ResponsesBuilder::new()
            .response("414", empty("The URL of the request is too long. The body is empty"))
            .response("431", empty("The head of the request is too long. The body is empty"))
            .build()
            .into()
    }
}

/// The responses of a service with a problem.
pub(crate) struct ServiceProblem;

impl IntoResponses for ServiceProblem {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        problems("5XX", "A problem of the service")
    }
}

fn problems(statuses: &str, description: &str) -> BTreeMap<String, RefOr<Response>> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content);
    ResponsesBuilder::new().response(statuses, response).build().into()
}

/// A schema of which one of several types is true.
macro_rules! any_of {
    ($(#[$doc:meta])* $name:ident: $($type:ty),+) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::AnyOfBuilder::new()
                    $(.item(utoipa::openapi::Ref::from_schema_name(
                        <$type as utoipa::ToSchema>::name(),
                    )))+
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(
                schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>,
            ) {
                $(
                    schemas.push((
                        <$type as utoipa::ToSchema>::name().into(),
                        <$type as utoipa::PartialSchema>::schema(),
                    ));
                    <$type as utoipa::ToSchema>::schemas(schemas);
                )+
            }
        }
    };
}
pub(crate) use any_of;

any_of! {
    /// An answer, or an error in its place.
    GivenAnswer: Answer<'_>, Unanswered<'_>, AnswerError<'_>
}

/// Name of a dialect.
pub(crate) struct DialectName;

impl PartialSchema for DialectName {
    fn schema() -> RefOr<Schema> {
        let names = Dialect::PUBLISHED.iter().map(|row| row.name);
        ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .enum_values(Some(names))
            .into()
    }
}

impl ToSchema for DialectName {}
