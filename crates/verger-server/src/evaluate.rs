//! `POST /v1/evaluate`: answers and findings for a robots.txt in the body.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use verger::extension::{RecordKind, Usage};
use verger::{Crawler, Dialect, Group, LineIndex, Robots};
use verger_analysis::named_crawlers;
use verger_json::lint::LintReport;
use verger_json::{Answer, Foreign, NamedCrawler};
use verger_lint::{Safety, Settings, lint};

use crate::app::App;
use crate::check::too_long;
use crate::limits::{CRAWLERS, RESPONSE_BYTES, URL_BYTES, WORK_TIME};
use crate::problem::{Errors, Kind, Problem};
use crate::question::{asked_dialect, check_count, check_some_agents, question_crawler};
use crate::request::{Task, file, run_task};
use crate::response::{raw, write_json};
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
    /// Names of several crawlers, each with its own answers, instead of one crawler.
    #[schema(min_items = 1, max_items = 64)]
    crawlers: Option<Vec<String>>,
    /// Absolute URLs or paths, at most `max_urls`, by default 1,000.
    #[schema(max_items = 10000)]
    urls: Option<Vec<String>>,
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// Whether answers have all matching rules. Default: true.
    explain: Option<bool>,
    /// Whether the file is linted. Default: true.
    lint: Option<bool>,
    /// Whether `file` describes the file. Default: false.
    inspect: Option<bool>,
    /// Fixes of the linter up to this safety make the file `fixed`. Default: none.
    fix: Option<FixSafety>,
}

/// The safety of fixes.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum FixSafety {
    /// Fixes that change no answer.
    Safe,
    /// All fixes.
    Unsafe,
}

/// Answers and findings for a file.
#[derive(Serialize, ToSchema)]
struct Evaluation<'a> {
    /// The answers about all URLs for the first crawler, then those for the next one.
    #[schema(value_type = Vec<Answer<'a>>)]
    answers: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lint: Option<LintReport<'a>>,
    /// The file with the fixes.
    #[serde(flatten)]
    #[schema(schema_with = verger_json::schema::fixed)]
    fixed: Foreign<Option<&'a [u8]>>,
}

/// A file without its rules.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EvaluatedFile)]
struct FileKeys<'r> {
    /// Lines of the text that was read, including an empty one after a final line end.
    lines: usize,
    /// Whether lines beyond the size limit of the dialect were not read.
    truncated: bool,
    /// The crawlers that groups name.
    crawlers: Vec<&'r str>,
    /// The groups that the first crawler of the request obeys.
    obeyed: Vec<GroupLines>,
    /// Whether this crawler ignores groups for `*`.
    ignores_star: bool,
    /// For each answer: the uses that `Content-Usage` and `Content-Signal` lines permit or reserve,
    /// such as `train-ai=n`. Absent if the file has no such line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<Vec<String>>,
}

/// A group by its lines.
#[derive(Debug, Serialize, ToSchema)]
struct GroupLines {
    /// First line.
    line: usize,
    /// Lines of its agents.
    agents: Vec<usize>,
}

impl<'r> FileKeys<'r> {
    fn of(robots: &'r Robots, crawler: Option<&Crawler>, uses: Vec<Vec<String>>) -> Self {
        // A position of an agent alone is counted from the start of the file.
        let lines = LineIndex::new(robots.text());
        let group_lines = |group: Group<'_>| GroupLines {
            line: group.position().line,
            agents: group.agents().map(|it| lines.position(it.span().start).line).collect(),
        };
        let obeyed = crawler.into_iter().flat_map(|it| robots.groups_for(it).map(group_lines));
        Self {
            lines: lines.line_count(),
            truncated: robots.is_truncated(),
            crawlers: named_crawlers(&[robots]),
            obeyed: obeyed.collect(),
            ignores_star: crawler.is_some_and(Crawler::ignores_star),
            uses,
        }
    }
}

/// The stated uses of a page for a crawler, as keys with their values.
fn uses(robots: &Robots, crawler: &Crawler, url: &str) -> Vec<String> {
    let usage = robots.content_usage(crawler, url).into_iter().flat_map(Usage::stated);
    let signals = robots.content_signals(crawler, url).stated();
    usage.chain(signals).map(|(key, word)| format!("{key}={word}")).collect()
}

/// A valid request.
#[derive(Debug)]
pub(crate) struct Evaluate {
    robots: Vec<u8>,
    crawlers: Vec<NamedCrawler>,
    urls: Vec<String>,
    dialect: Dialect,
    explains: bool,
    lints: bool,
    inspects: bool,
    fix: Option<FixSafety>,
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
                let found = verger::quoted(url);
                format!(
                    "expected an absolute URL or a path that begins with `/`, but found {found}"
                )
            } else {
                continue;
            };
            errors.note(format_args!("/urls/{at}"), detail);
        }
        let has_union = keys.union.unwrap_or_default();
        let is_one =
            keys.agent.is_some() || keys.token.is_some() || keys.agents.is_some() || has_union;
        let crawlers = match keys.crawlers {
            Some(_) if is_one => {
                errors.note("/crawlers", "give either `crawlers` or one crawler, and no `union`");
                Vec::new()
            }
            Some(names) => {
                if check_some_agents("crawlers", &names, CRAWLERS, &mut errors) {
                    names.into_iter().map(|name| NamedCrawler::agent(name, &dialect)).collect()
                } else {
                    Vec::new()
                }
            }
            None if is_one || !urls.is_empty() => {
                let [agent, token] = [keys.agent, keys.token].map(|it| it.map(Cow::Owned));
                let one = question_crawler(agent, token, keys.agents, keys.union, &mut errors);
                one.into_iter().map(|crawler| crawler.named(&dialect)).collect()
            }
            None => Vec::new(),
        };
        Ok(Self {
            robots: errors.unless_any(robots)?,
            crawlers,
            urls,
            dialect,
            explains: keys.explain.unwrap_or(true),
            lints: keys.lint.unwrap_or(true),
            inspects: keys.inspect.unwrap_or(false),
            fix: keys.fix,
        })
    }

    /// The JSON of the result.
    fn run(self) -> Result<Vec<u8>, Problem> {
        let robots = self.dialect.parse(&self.robots);
        let started = Instant::now();
        let has_time = || started.elapsed() <= WORK_TIME;
        let mut answers = b"[".to_vec();
        let is_use = |kind| matches!(kind, RecordKind::ContentUsage | RecordKind::ContentSignal);
        let has_uses = self.inspects && robots.records().any(|record| is_use(record.kind()));
        let mut stated = Vec::new();
        // One after the other: an explanation can list every rule of the file.
        let questions =
            self.crawlers.iter().flat_map(|it| self.urls.iter().map(move |url| (it, url)));
        for (at, (crawler, url)) in questions.enumerate() {
            let explanation = self.explains.then(|| robots.explain(crawler.crawler(), url));
            let verdict = match &explanation {
                Some(explanation) => explanation.verdict,
                None => robots.check(crawler.crawler(), url),
            };
            if has_uses {
                stated.push(uses(&robots, crawler.crawler(), url));
            }
            if at > 0 {
                answers.push(b',');
            }
            let answer = Answer::new(url.as_bytes(), crawler.keys(), &robots, verdict);
            write_json(&mut answers, &answer.with_explanation(explanation.as_ref()));
            check_length(&answers)?;
            if !has_time() {
                return Err(took_long("the answers", "ask about fewer URLs"));
            }
        }
        let settings = Settings::default();
        let report = (self.lints || self.fix.is_some()).then(|| lint(&self.robots, &settings));
        let fixed = report
            .as_ref()
            .zip(self.fix)
            .and_then(|(report, fix)| report.fixed_while(&settings, fix.into(), &has_time));
        if self.fix.is_some() && !has_time() {
            return Err(took_long("the fixes", "fix a part of the file"));
        }
        let crawler = self.crawlers.first().map(NamedCrawler::crawler);
        answers.push(b']');
        let evaluation = Evaluation {
            answers: raw(answers).ok_or_else(Problem::internal)?,
            file: self.inspects.then(|| FileKeys::of(&robots, crawler, stated)),
            lint: report.as_ref().filter(|_| self.lints).map(LintReport::of),
            fixed: Foreign::new("fixed", fixed.as_ref().map(|(text, ..)| text.as_slice())),
        };
        let mut out = Vec::new();
        write_json(&mut out, &evaluation);
        check_length(&out)?;
        out.push(b'\n');
        Ok(out)
    }
}

impl From<FixSafety> for Safety {
    fn from(safety: FixSafety) -> Self {
        match safety {
            FixSafety::Safe => Self::Safe,
            FixSafety::Unsafe => Self::Unsafe,
        }
    }
}

/// The problem that work took more than [`WORK_TIME`].
fn took_long(work: &str, hint: &str) -> Problem {
    let seconds = WORK_TIME.as_secs();
    Problem::new(Kind::Invalid, format!("{work} took more than {seconds} s: {hint}"))
}

/// Rejects a response that is too long.
fn check_length(out: &[u8]) -> Result<(), Problem> {
    if out.len() > RESPONSE_BYTES { Err(too_long()) } else { Ok(()) }
}
