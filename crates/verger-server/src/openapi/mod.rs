//! The description of the API (`OpenAPI` 3.1): routes, and the JSON contract as schemas.
//!
//! The types here are descriptions only: `verger-json` writes the responses. A test compares the
//! responses of all routes with these schemas, so that neither can change alone.

#![expect(
    clippy::struct_field_names,
    unused_qualifications,
    reason = "names of the contract; the macro of a route repeats the path of its parameters"
)]

mod schemas;

use std::collections::BTreeMap;

use serde::Deserialize;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder};
use utoipa::{IntoParams, IntoResponses, Modify, OpenApi};

pub(crate) use self::schemas::Answer;
use self::schemas::{
    BackOff, Decision, DialectName, DiffReport, DiffRequest, EvaluateRequest, Evaluation, Failure,
    Finding, Group, Hop, ImportRequest, Join, KnownCrawler, LintReport, Match, OriginRecord,
    Pending, ProfileName, Question, RefreshRequest, ReleaseRequest, Released, RenewRequest,
    Renewed, Rule, Turn, TurnRequest, Version,
};

use crate::problem::{Document, Item};

/// The description.
pub(crate) fn description() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Verger",
        description = "Answers which URLs crawlers may fetch by robots.txt, with evidence. The JSON contract is that of the program verger: keys can be added, so clients skip unknown keys.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        check_one, check_several, evaluate, diff, show_origin, import_origin, refresh_origin,
        reserve_turn, give_up_turn, renew_turn, release_turn, crawlers, health, ready, metrics, openapi, index
    ),
    components(schemas(
        Answer, Rule, Group, Join, Match, Decision, Failure, Hop, Question, EvaluateRequest, Evaluation,
        LintReport, Finding, DiffRequest, OriginRecord, Version, ImportRequest, RefreshRequest, Pending,
        TurnRequest, Turn, RenewRequest, Renewed, ReleaseRequest, Released, KnownCrawler, Document<'static>, Item,
        BackOff
    )),
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
struct Description;

struct Token;

impl Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        openapi.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
}

/// The responses to requests with a problem.
struct RequestProblem;

impl IntoResponses for RequestProblem {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = problems("4XX", "A problem of the request");
        responses.extend(LongHead::responses());
        responses
    }
}

/// The responses to a head that is too long to be read: its path is unknown, so there is no problem
/// document.
struct LongHead;

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
struct ServiceProblem;

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

/// A route. The function has only its description.
macro_rules! path {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[expect(dead_code, reason = "a description")]
        fn $name() {}
    };
}

/// Query parameters of a question.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description")]
struct CheckParameters {
    /// Name of the crawler, with its documented fallbacks, or its User-Agent header. Either this or
    /// `token` is needed.
    #[param(min_length = 1, max_length = 256, example = "GPTBot")]
    agent: Option<String>,
    /// Product token without fallbacks, in place of `agent`.
    #[param(min_length = 1, max_length = 256)]
    token: Option<String>,
    /// URL with scheme http or https.
    #[param(max_length = 8192, example = "https://shop.example/cart")]
    url: String,
    /// Dialect of robots.txt.
    dialect: Option<DialectName>,
    /// Access profile.
    access_profile: Option<ProfileName>,
    /// Milliseconds to wait for a robots.txt that is not in the store.
    #[param(minimum = 0, maximum = 30000)]
    wait_ms: Option<u64>,
    /// Whether the answer has all matching rules.
    explain: Option<bool>,
}

path! {
    /// May a crawler fetch a URL?
    #[utoipa::path(
        get, path = "/v1/check", tag = "questions", operation_id = "check", params(CheckParameters),
        responses(
            (status = 200, description = "The answer. Caches may use it until the end of its validity", body = Answer),
            (status = 202, description = "robots.txt is being fetched: ask again", body = Answer),
            (status = 304, description = "The answer is that of If-None-Match"),
            RequestProblem,
            ServiceProblem,
        )
    )]
    check_one
}

path! {
    /// May a crawler fetch these URLs?
    ///
    /// With `application/x-ndjson` each line is a question, and the answers come in their order
    /// while the questions are sent.
    #[utoipa::path(
        post, path = "/v1/check", tag = "questions", operation_id = "checkMany",
        request_body(content((Question = "application/json"), (String = "application/x-ndjson"))),
        responses(
            (status = 200, description = "The answers in the order of the URLs",
             content((Vec<Answer> = "application/json"), (String = "application/x-ndjson"))),
            (status = 202, description = "As 200, and at least one robots.txt is being fetched: ask again", body = Vec<Answer>),
            RequestProblem,
            ServiceProblem,
        )
    )]
    check_several
}

path! {
    /// Evaluates a robots.txt: answers for URLs, and findings of the linter.
    #[utoipa::path(
        post, path = "/v1/evaluate", tag = "files", operation_id = "evaluate", request_body = EvaluateRequest,
        responses(
            (status = 200, description = "The answers and findings", body = Evaluation),
            RequestProblem,
            ServiceProblem,
        )
    )]
    evaluate
}

path! {
    /// Compares two robots.txt: which URLs does the change open and close?
    #[utoipa::path(
        post, path = "/v1/diff", tag = "files", operation_id = "diff", request_body = DiffRequest,
        responses(
            (status = 200, description = "The differences, as `verger diff --format json`", body = DiffReport),
            RequestProblem,
            ServiceProblem,
        )
    )]
    diff
}

path! {
    /// The record of an origin.
    #[utoipa::path(
        get, path = "/v1/origins/{origin}", tag = "origins", operation_id = "showOrigin",
        params(
            ("origin" = String, Path, description = "Scheme, host and port, percent-encoded", example = "https%3A%2F%2Fshop.example"),
            ("body" = Option<bool>, Query, description = "Whether the record has the body of the file"),
            ("version" = Option<String>, Query, description = "SHA-256 of a file: returns that file", pattern = "^[0-9a-f]{64}$"),
        ),
        responses(
            (status = 200, description = "The record, or the file of `version`", body = OriginRecord),
            (status = "4XX", description = "A problem of the request; 404: no record", body = Document<'static>, content_type = "application/problem+json"),
            LongHead,
            ServiceProblem,
        )
    )]
    show_origin
}

path! {
    /// Imports a robots.txt that was fetched elsewhere.
    #[utoipa::path(
        put, path = "/v1/origins/{origin}", tag = "origins", operation_id = "importOrigin",
        params(("origin" = String, Path, description = "Scheme, host and port, percent-encoded")),
        request_body = ImportRequest,
        responses(
            (status = 200, description = "The changed record", body = OriginRecord),
            (status = 201, description = "The new record", body = OriginRecord),
            RequestProblem,
            ServiceProblem,
        )
    )]
    import_origin
}

path! {
    /// Fetches a robots.txt again, at most once a minute.
    #[utoipa::path(
        post, path = "/v1/origins/{origin}/refresh", tag = "origins", operation_id = "refreshOrigin",
        params(("origin" = String, Path, description = "Scheme, host and port, percent-encoded")),
        request_body = RefreshRequest,
        responses(
            (status = 200, description = "The record after the fetch", body = OriginRecord),
            (status = 202, description = "The fetch goes on", body = Pending),
            (status = "4XX", description = "A problem of the request; 429: fetched within the last minute", body = Document<'static>, content_type = "application/problem+json"),
            LongHead,
            ServiceProblem,
        )
    )]
    refresh_origin
}

path! {
    /// Reserves a turn: permission to send one request to the origin of a URL.
    #[utoipa::path(
        post, path = "/v1/turns", tag = "turns", operation_id = "reserveTurn", request_body = TurnRequest,
        responses(
            (status = 200, description = "No turn: disallowed, or not yet", body = Turn),
            (status = 201, description = "The turn", body = Turn),
            RequestProblem,
            ServiceProblem,
        )
    )]
    reserve_turn
}

path! {
    /// Gives up a turn that was not used.
    #[utoipa::path(
        delete, path = "/v1/turns/{turn}", tag = "turns", operation_id = "giveUpTurn",
        params(("turn" = String, Path, description = "Name of the turn")),
        responses(
            (status = 204, description = "The turn has ended"),
            (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
            LongHead,
            ServiceProblem,
        )
    )]
    give_up_turn
}

path! {
    /// Extends a turn.
    #[utoipa::path(
        post, path = "/v1/turns/{turn}/renew", tag = "turns", operation_id = "renewTurn",
        params(("turn" = String, Path, description = "Name of the turn")),
        request_body = RenewRequest,
        responses(
            (status = 200, description = "The new end", body = Renewed),
            (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
            LongHead,
            ServiceProblem,
        )
    )]
    renew_turn
}

path! {
    /// Ends a turn with the result of its request, so that a refusing site gets a back-off.
    #[utoipa::path(
        post, path = "/v1/turns/{turn}/release", tag = "turns", operation_id = "releaseTurn",
        params(("turn" = String, Path, description = "Name of the turn")),
        request_body = ReleaseRequest,
        responses(
            (status = 200, description = "The pause that follows", body = Released),
            (status = "4XX", description = "A problem of the request; 409: the turn had ended", body = Document<'static>, content_type = "application/problem+json"),
            LongHead,
            ServiceProblem,
        )
    )]
    release_turn
}

path! {
    /// Lists known crawlers.
    #[utoipa::path(
        get, path = "/v1/crawlers", tag = "operation", operation_id = "listCrawlers",
        params(("purpose" = Option<String>, Query, description = "Only crawlers with this purpose", example = "training")),
        responses(
            (status = 200, description = "The crawlers", body = Vec<KnownCrawler>),
            RequestProblem,
        )
    )]
    crawlers
}

path! {
    /// The process answers.
    #[utoipa::path(get, path = "/healthz", tag = "operation", operation_id = "health", security(()),
        responses((status = 200, description = "ok", body = String, content_type = "text/plain")))]
    health
}

path! {
    /// The service takes requests, and its store answers.
    #[utoipa::path(get, path = "/readyz", tag = "operation", operation_id = "ready", security(()),
        responses(
            (status = 200, description = "ready", body = String, content_type = "text/plain"),
            (status = 503, description = "Not ready", body = Document<'static>, content_type = "application/problem+json"),
        ))]
    ready
}

path! {
    /// Metrics in the format of Prometheus.
    #[utoipa::path(get, path = "/metrics", tag = "operation", operation_id = "metrics",
        responses(
            (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
            RequestProblem,
        ))]
    metrics
}

path! {
    /// This description.
    #[utoipa::path(get, path = "/openapi.json", tag = "operation", operation_id = "openapi", security(()),
        responses((status = 200, description = "OpenAPI 3.1", body = Object, content_type = "application/json")))]
    openapi
}

path! {
    /// The page.
    #[utoipa::path(get, path = "/", tag = "operation", operation_id = "index", security(()),
        responses((status = 200, description = "HTML", body = String, content_type = "text/html")))]
    index
}
