//! The JSON contract as schemas. `docs/json.md` describes the keys.

use serde::Serialize;
use utoipa::ToSchema;

use crate::origins::Version;

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
        #[schema(value_type = Value, required = false)]
        id: Option<()>,
        /// The URL as given.
        url: Option<String>,
        /// Its bytes in base64, if they are not UTF-8.
        url_b64: Option<String>,
        /// The agent as given.
        agent: Option<String>,
        /// The token as given.
        token: Option<String>,
        /// Several agents as given.
        agents: Option<Vec<String>>,
        /// Whether the groups of all agents apply together.
        union: Option<bool>,
        /// The product tokens by which groups are selected.
        tokens: Option<Vec<String>>,
        /// A remark about a known crawler.
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
        #[schema(value_type = Value, required = false)]
        detail: Option<()>,
        message: String,
    }

    /// A redirect.
    Hop {
        status: u16,
        url: String,
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

    /// A fetch goes on.
    Pending {
        reason: String,
        retry_after: u64,
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
