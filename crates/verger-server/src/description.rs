//! The description of the API (`OpenAPI` 3.1). The routes are in `routes.rs`; each handler describes
//! its own.

#![expect(unused_qualifications, reason = "the macro of a description repeats a path")]

use std::collections::BTreeMap;

use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder, Schema,
};
use utoipa::{IntoResponses, Modify, OpenApi, PartialSchema, ToSchema};
use verger::Dialect;
use verger_json::{Answer, AnswerError};

use crate::answers::Unanswered;
use crate::origins::{OldFile, OriginReport};
use crate::problem::Document;

/// The description without routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Verger",
        description = "Answers which URLs crawlers may fetch by robots.txt, with evidence. The JSON contract is that of the program verger: keys can be added, so clients skip unknown keys.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(Document<'static>)),
    modifiers(&Token),
    security((), ("token" = [])),
    tags(
        (name = "questions", description = "May a crawler fetch a URL?"),
        (name = "files", description = "Robots.txt files in the request"),
        (name = "origins", description = "Records of origins"),
        (name = "turns", description = "Politeness for workers"),
        (name = "operation", description = "For operators and clients"),
    )
)]
pub(crate) struct Description;

struct Token;

impl Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        openapi.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
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

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                AnyOfBuilder::new()$(.item(Ref::from_schema_name(<$type>::name())))+.into()
            }
        }

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(
                    schemas.push((<$type>::name().into(), <$type>::schema()));
                    <$type>::schemas(schemas);
                )+
            }
        }
    };
}

any_of! {
    /// An answer, or an error in its place.
    GivenAnswer: Answer<'_>, Unanswered<'_>, AnswerError<'_>
}

any_of! {
    /// A record, or with `version` an earlier file.
    OriginAnswer: OriginReport<'_>, OldFile<'_>
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
