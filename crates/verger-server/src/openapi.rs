//! The description of the API (`OpenAPI` 3.1): routes, and the JSON contract as schemas.
//!
//! The types here are descriptions only: `verger-json` writes the responses. A test compares the
//! responses of all routes with these schemas, so that neither can change alone.

#![expect(
    clippy::struct_field_names,
    unused_qualifications,
    reason = "names of the contract; the macro of a route repeats the path of its parameters"
)]

use serde::{Deserialize, Serialize};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{IntoParams, Modify, OpenApi, ToSchema};

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
        BackOff, ProfileState
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

/// The responses that every route can give.
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
    /// Product token or User-Agent header of the crawler. Either this or `crawler` is needed.
    #[param(min_length = 1, max_length = 256, example = "GPTBot")]
    agent: Option<String>,
    /// Name of a known crawler, in place of `agent`.
    crawler: Option<String>,
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

/// Name of a dialect.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DialectName {
    Rfc9309,
    Google,
    Koster1996,
    Book,
    Orig1994,
    Rep2019,
    Yandex,
    Baidu,
    Bing,
}

/// Name of an access profile.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProfileName {
    Rfc9309,
    Google,
    GoogleOld,
    Koster1996,
    Book,
    Orig1994,
    Rep2019,
    Yandex,
    Amazonbot,
    Strict,
    Archive,
}

path! {
    /// May a crawler fetch a URL?
    #[utoipa::path(
        get, path = "/v1/check", tag = "questions", operation_id = "check", params(CheckParameters),
        responses(
            (status = 200, description = "The answer. Caches may use it until the end of its validity", body = Answer),
            (status = 202, description = "robots.txt is being fetched: ask again", body = Answer),
            (status = 304, description = "The answer is that of If-None-Match"),
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
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
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
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
    /// Numbers in the format of Prometheus.
    #[utoipa::path(get, path = "/metrics", tag = "operation", operation_id = "metrics",
        responses(
            (status = 200, description = "The numbers", body = String, content_type = "text/plain"),
            (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
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

/// Schemas of the JSON contract.
macro_rules! schemas {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty,)* })+) => {
        $(
            #[derive(Debug, Serialize, ToSchema)]
            $(#[$attribute])*
            pub(crate) struct $name { $($(#[$of_field])* $field: $type,)* }
        )+
    };
}

schemas! {
    /// An answer, or an error in its place. `docs/json.md` describes all keys.
    Answer {
        /// The `id` of the question.
        #[schema(value_type = Option<Object>)]
        id: Option<()>,
        /// The URL as given.
        url: Option<String>,
        /// Its bytes in base64, if they are not UTF-8.
        url_b64: Option<String>,
        /// The agent as given.
        agent: Option<String>,
        /// Several agents as given.
        agents: Option<Vec<String>>,
        /// Whether the groups of all agents apply together.
        union: Option<bool>,
        /// The known crawler.
        crawler: Option<String>,
        /// A remark about it.
        note: Option<String>,
        dialect: Option<String>,
        /// The answer; absent only beside `error`.
        allowed: Option<bool>,
        /// Why; `pending` and `busy` are reasons of the service.
        reason: Option<String>,
        /// The rules of the site are unknown.
        unanswered: Option<bool>,
        /// Seconds after which the question should be asked again.
        retry_after: Option<u64>,
        rule: Option<Rule>,
        group: Option<Group>,
        truncated: Option<bool>,
        decision: Option<Decision>,
        target: Option<String>,
        target_b64: Option<String>,
        matches: Option<Vec<Match>>,
        error: Option<AnswerError>,
    }

    /// The reason why there is no answer.
    AnswerError {
        line: Option<u64>,
        reason: Option<String>,
        message: String,
    }

    /// A rule and its position.
    Rule {
        kind: String,
        pattern: String,
        pattern_b64: Option<String>,
        line: u64,
        column: u64,
        span: Vec<u64>,
    }

    /// A matching rule.
    Match {
        kind: String,
        pattern: String,
        pattern_b64: Option<String>,
        line: u64,
        column: u64,
        span: Vec<u64>,
        length: u64,
        standing: String,
        by_directory: Option<bool>,
    }

    /// A group and its position.
    Group {
        agents: Vec<String>,
        agents_b64: Option<Vec<String>>,
        agents_total: Option<u64>,
        line: u64,
        joined_by: Option<Join>,
    }

    /// A line that joins a group.
    Join {
        line: u64,
        across: String,
        option: String,
    }

    /// The evidence of an answer.
    Decision {
        version: u64,
        verger: String,
        checked_url: String,
        tokens: Vec<String>,
        ignores_star: Option<bool>,
        ignores_robots: Option<bool>,
        access_profile: String,
        access: String,
        source: String,
        decided_at: u64,
        valid_until: u64,
        stale: Option<String>,
        asked_pause: Option<f64>,
        kept_pause: f64,
        next_try: Option<u64>,
        origin: Option<String>,
        status: Option<u16>,
        failure: Option<Failure>,
        hops: Option<Vec<Hop>>,
        final_url: Option<String>,
        tried_at: Option<u64>,
        fetched_at: Option<u64>,
        fresh_until: Option<u64>,
        failing_since: Option<u64>,
        failing_for: Option<u64>,
        failures: Option<u64>,
        downgraded: Option<bool>,
        truncated: Option<bool>,
        html: Option<bool>,
        bytes: Option<u64>,
        sha256: Option<String>,
    }

    /// The cause of a failed fetch.
    Failure {
        kind: String,
        #[schema(value_type = Option<Object>)]
        detail: Option<()>,
        message: String,
    }

    /// A redirect.
    Hop {
        status: u16,
        url: String,
    }

    /// A question about URLs. One of `agent`, `agents` and `crawler`, and one of `url`, `url_b64` and
    /// `urls` are needed.
    #[serde(deny_unknown_fields)]
    Question {
        /// Repeated by the answers: a string or a number.
        #[schema(value_type = Option<Object>)]
        id: Option<()>,
        #[schema(min_length = 1, max_length = 256, example = "GPTBot")]
        agent: Option<String>,
        #[schema(min_items = 1, max_items = 16)]
        agents: Option<Vec<String>>,
        union: Option<bool>,
        crawler: Option<String>,
        #[schema(max_length = 8192, example = "https://shop.example/cart")]
        url: Option<String>,
        url_b64: Option<String>,
        #[schema(min_items = 1, max_items = 1000)]
        urls: Option<Vec<String>>,
        dialect: Option<DialectName>,
        access_profile: Option<ProfileName>,
        #[schema(minimum = 0, maximum = 30000)]
        wait_ms: Option<u64>,
        explain: Option<bool>,
    }

    /// A robots.txt and questions about it.
    #[serde(deny_unknown_fields)]
    EvaluateRequest {
        robots: Option<String>,
        robots_b64: Option<String>,
        #[schema(min_length = 1, max_length = 256)]
        agent: Option<String>,
        #[schema(min_items = 1, max_items = 16)]
        agents: Option<Vec<String>>,
        union: Option<bool>,
        crawler: Option<String>,
        /// Absolute URLs or paths.
        #[schema(max_items = 1000)]
        urls: Option<Vec<String>>,
        dialect: Option<DialectName>,
        /// Whether answers have all matching rules. Default: true.
        explain: Option<bool>,
        /// Whether the file is linted. Default: true.
        lint: Option<bool>,
    }

    /// Answers and findings for a file.
    Evaluation {
        answers: Vec<Answer>,
        lint: Option<LintReport>,
    }

    /// The findings of the linter, as `verger lint --format json`.
    LintReport {
        file: String,
        findings: Vec<Finding>,
        #[schema(value_type = Option<Object>)]
        omitted: Option<()>,
    }

    /// A finding of the linter.
    Finding {
        code: String,
        severity: String,
        category: String,
        message: String,
        line: u64,
        column: u64,
        end_line: u64,
        end_column: u64,
        span: Vec<u64>,
        #[schema(value_type = Option<Vec<Object>>)]
        labels: Option<()>,
        url: Option<String>,
        help: Option<String>,
        #[schema(value_type = Option<Object>)]
        fix: Option<()>,
    }

    /// Two robots.txt.
    #[serde(deny_unknown_fields)]
    DiffRequest {
        before: Option<String>,
        before_b64: Option<String>,
        after: Option<String>,
        after_b64: Option<String>,
        /// Crawlers to compare besides those of the files.
        #[schema(max_items = 16)]
        agents: Option<Vec<String>>,
        dialect: Option<DialectName>,
    }

    /// The differences of two files.
    DiffReport {
        #[schema(value_type = Object)]
        before: (),
        #[schema(value_type = Object)]
        after: (),
        dialect: String,
        text: String,
        added_lines: Option<Vec<u64>>,
        #[schema(value_type = Vec<Object>)]
        crawlers: (),
        unchanged: Vec<String>,
        not_compared: Option<u64>,
        #[schema(value_type = Vec<Object>)]
        records: (),
    }

    /// The record of an origin, as `verger cache show --format json`, with the identity of the
    /// service and the files over time. With `version`: `sha256` and `body` only.
    OriginRecord {
        origin: Option<String>,
        status: Option<u16>,
        failure: Option<Failure>,
        hops: Option<Vec<Hop>>,
        final_url: Option<String>,
        tried_at: Option<u64>,
        fetched_at: Option<u64>,
        fresh_until: Option<u64>,
        failing_since: Option<u64>,
        failing_for: Option<u64>,
        failures: Option<u64>,
        downgraded: Option<bool>,
        truncated: Option<bool>,
        html: Option<bool>,
        bytes: Option<u64>,
        sha256: String,
        access: Option<String>,
        access_profile: Option<String>,
        next_try: Option<u64>,
        other_profiles: Option<Vec<ProfileState>>,
        back_off: Option<BackOff>,
        etag: Option<String>,
        etag_b64: Option<String>,
        last_modified: Option<String>,
        last_modified_b64: Option<String>,
        media_type: Option<String>,
        media_type_b64: Option<String>,
        body: Option<String>,
        body_b64: Option<String>,
        user_agent: Option<String>,
        versions: Option<Vec<Version>>,
    }

    /// The state of another access profile.
    ProfileState {
        access_profile: String,
        access: String,
        fetched_at: Option<u64>,
        fresh_until: Option<u64>,
        failing_since: Option<u64>,
        failing_for: Option<u64>,
        failures: Option<u64>,
        next_try: Option<u64>,
    }

    /// Time without page requests.
    BackOff {
        until: u64,
        refusals: u64,
    }

    /// A file of an origin.
    Version {
        sha256: String,
        /// End of the first fetch with this file, in seconds since 1970.
        from: u64,
        /// End of the last fetch that returned or confirmed it.
        until: u64,
        bytes: u64,
    }

    /// A robots.txt that was fetched elsewhere.
    #[serde(deny_unknown_fields)]
    ImportRequest {
        robots: Option<String>,
        robots_b64: Option<String>,
        /// Time of its fetch in seconds since 1970. Default: now.
        fetched_at: Option<u64>,
    }

    /// A forced fetch.
    #[serde(deny_unknown_fields)]
    RefreshRequest {
        #[schema(minimum = 0, maximum = 30000)]
        wait_ms: Option<u64>,
    }

    /// A fetch goes on.
    Pending {
        reason: String,
        retry_after: u64,
    }

    /// A request for a turn.
    #[serde(deny_unknown_fields)]
    TurnRequest {
        #[schema(min_length = 1, max_length = 256, example = "GPTBot")]
        agent: Option<String>,
        #[schema(min_items = 1, max_items = 16)]
        agents: Option<Vec<String>>,
        union: Option<bool>,
        crawler: Option<String>,
        #[schema(max_length = 8192, example = "https://shop.example/cart")]
        url: String,
        dialect: Option<DialectName>,
        access_profile: Option<ProfileName>,
        /// Milliseconds to wait for the turn.
        #[schema(minimum = 0, maximum = 30000)]
        wait_ms: Option<u64>,
        /// Seconds after which the turn ends by itself.
        #[schema(minimum = 1)]
        hold_seconds: Option<u64>,
    }

    /// A turn, or the reason why there is none.
    Turn {
        granted: bool,
        turn: Option<String>,
        /// Later turns of an origin have larger numbers.
        fence: Option<u64>,
        expires_in_ms: Option<u64>,
        pause_ms: Option<u64>,
        wait_ms: Option<u64>,
        answer: Answer,
    }

    /// A longer reservation.
    #[serde(deny_unknown_fields)]
    RenewRequest {
        #[schema(minimum = 1)]
        hold_seconds: Option<u64>,
    }

    /// The new end of a turn.
    Renewed {
        expires_in_ms: u64,
    }

    /// The result of a request: `status`, or `failed` without a whole response.
    #[serde(deny_unknown_fields)]
    ReleaseRequest {
        #[schema(minimum = 100, maximum = 999)]
        status: Option<u16>,
        /// Seconds of the header Retry-After.
        retry_after: Option<u64>,
        failed: Option<bool>,
    }

    /// The pause after a turn.
    Released {
        pause_ms: u64,
    }

    /// A known crawler, as `verger crawlers list --format json`.
    KnownCrawler {
        token: String,
        aliases: Vec<String>,
        user_agents: Vec<String>,
        operator: Option<String>,
        purpose: String,
        robots: String,
        tokens: Vec<String>,
        star: bool,
        documented: bool,
        reverse_dns: Vec<String>,
        ip_ranges: Vec<String>,
        signature_agent: Option<String>,
        retired: Option<String>,
        documentation: Option<String>,
        note: Option<String>,
        unconfirmed: Vec<String>,
        #[schema(value_type = Object)]
        source: (),
        #[schema(value_type = Object)]
        sources: (),
    }
}
