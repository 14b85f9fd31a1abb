//! `POST /v1/evaluate`: answers and findings for a robots.txt in the body.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use verger::Dialect;
use verger_json::lint::LintReport;
use verger_json::{Answer, NamedCrawler};
use verger_lint::lint;

use crate::app::App;
use crate::check::too_long;
use crate::limits::{RESPONSE_BYTES, URL_BYTES};
use crate::problem::{Errors, Problem};
use crate::question::{asked_dialect, check_count, question_crawler};
use crate::request::{Task, file, run_task};
use crate::response::write_json;
use crate::schemas::{DialectName, RequestProblem, ServiceProblem};

/// Evaluates a robots.txt: answers for URLs, and findings of the linter.
#[utoipa::path(
    post, path = "/v1/evaluate", tag = "files", operation_id = "evaluate", request_body = Keys,
    responses(
        (status = 200, description = "The answers and findings", body = Evaluation),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn evaluate(
    state: State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    run_task::<Evaluate>(state, request).await
}

/// A robots.txt and questions about it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EvaluateRequest)]
pub(crate) struct Keys {
    robots: Option<String>,
    robots_b64: Option<String>,
    #[serde(alias = "crawler")]
    #[schema(min_length = 1, max_length = 256)]
    agent: Option<String>,
    #[schema(min_length = 1, max_length = 256)]
    token: Option<String>,
    #[schema(min_items = 1, max_items = 16)]
    agents: Option<Vec<String>>,
    union: Option<bool>,
    /// Absolute URLs or paths, at most `max_urls`, by default 1,000.
    #[schema(max_items = 10000)]
    urls: Option<Vec<String>>,
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// Whether answers have all matching rules. Default: true.
    explain: Option<bool>,
    /// Whether the file is linted. Default: true.
    lint: Option<bool>,
}

/// Answers and findings for a file.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct Evaluation<'a> {
    answers: Vec<Answer<'a>>,
    lint: Option<LintReport<'a>>,
}

/// A valid request.
#[derive(Debug)]
pub(crate) struct Evaluate {
    robots: Vec<u8>,
    crawler: Option<NamedCrawler>,
    urls: Vec<String>,
    dialect: Dialect,
    explains: bool,
    lints: bool,
}

impl Task for Evaluate {
    type Keys = Keys;

    fn of(keys: Keys, app: &App) -> Result<Self, Problem> {
        let mut errors = Errors::default();
        let robots = file(["robots", "robots_b64"], keys.robots, keys.robots_b64, &mut errors);
        let dialect = app.answers.dialect(asked_dialect(keys.dialect, &mut errors));
        let urls = keys.urls.unwrap_or_default();
        check_count(urls.len(), app.settings.max_urls, &mut errors);
        for (at, url) in urls.iter().enumerate().take(app.settings.max_urls) {
            let detail = if url.len() > URL_BYTES {
                format!("expected a URL of at most {URL_BYTES} bytes, but found {}", url.len())
            } else if url.is_empty() || !dialect.reads_url(url) {
                let found = crate::error::quoted(url);
                format!(
                    "expected an absolute URL or a path that begins with `/`, but found {found}"
                )
            } else {
                continue;
            };
            errors.note(format_args!("/urls/{at}"), detail);
        }
        let is_named = keys.agent.is_some() || keys.token.is_some() || keys.agents.is_some();
        let crawler = if is_named || !urls.is_empty() {
            question_crawler(keys.agent, keys.token, keys.agents, keys.union, &mut errors)
        } else {
            None
        };
        Ok(Self {
            robots: errors.unless_any(robots)?,
            crawler: crawler.map(|crawler| crawler.named(&dialect)),
            urls,
            dialect,
            explains: keys.explain.unwrap_or(true),
            lints: keys.lint.unwrap_or(true),
        })
    }

    /// The JSON of the result.
    fn run(self) -> Result<Vec<u8>, Problem> {
        let robots = self.dialect.parse(&self.robots);
        let crawler = self.crawler.unwrap_or_else(|| NamedCrawler::token("*"));
        let mut out = b"{\"answers\":[".to_vec();
        // One after the other: an explanation can list every rule of the file.
        for (at, url) in self.urls.iter().enumerate() {
            let explanation = self.explains.then(|| robots.explain(crawler.crawler(), url));
            let verdict = match &explanation {
                Some(explanation) => explanation.verdict,
                None => robots.check(crawler.crawler(), url),
            };
            if at > 0 {
                out.push(b',');
            }
            let answer = Answer::new(url.as_bytes(), crawler.keys(), &robots, verdict);
            write_json(&mut out, &answer.with_explanation(explanation.as_ref()));
            if out.len() > RESPONSE_BYTES {
                return Err(too_long());
            }
        }
        out.push(b']');
        if self.lints {
            let settings = verger_lint::Settings::default();
            let report = lint(&self.robots, &settings);
            out.extend_from_slice(b",\"lint\":");
            write_json(&mut out, &LintReport::of(&report));
            if out.len() > RESPONSE_BYTES {
                return Err(too_long());
            }
        }
        out.extend_from_slice(b"}\n");
        Ok(out)
    }
}
