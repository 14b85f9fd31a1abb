//! `POST /v1/diff`: the URLs that a change of robots.txt opens and closes.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use verger::{Crawler, Dialect, LineIndex, Robots};
use verger_analysis::{compare_files, compared_crawler, compared_names};
use verger_json::diff::{ComparedFile, DiffReport};
use verger_registry::Registry;

use crate::description::{DialectName, RequestProblem, ServiceProblem};
use crate::limits::{AGENTS, RESPONSE_BYTES};
use crate::problem::{Item, Kind, Problem};
use crate::question::{check_agent, dialect};
use crate::request::file;
use crate::response::write_json;
use crate::routes::App;
use crate::work::{self, Task};

/// Compares two robots.txt: which URLs does the change open and close?
#[utoipa::path(
    post, path = "/v1/diff", tag = "files", operation_id = "diff", request_body = Keys,
    responses(
        (status = 200, description = "The differences, as `verger diff --format json`", body = DiffReport),
        RequestProblem,
        ServiceProblem,
    )
)]
pub(crate) async fn diff(state: State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    work::run::<Diff>(state, request).await
}

/// Two robots.txt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DiffRequest)]
pub(crate) struct Keys {
    before: Option<String>,
    before_b64: Option<String>,
    after: Option<String>,
    after_b64: Option<String>,
    /// Crawlers to compare besides those of the files.
    #[schema(max_items = 16)]
    agents: Option<Vec<String>>,
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
}

/// A valid request.
#[derive(Debug)]
pub(crate) struct Diff {
    before: Vec<u8>,
    after: Vec<u8>,
    agents: Vec<String>,
    dialect: Dialect,
}

impl Task for Diff {
    type Keys = Keys;

    fn of(keys: Keys, app: &App) -> Result<Self, Problem> {
        let mut errors = Vec::new();
        let mut note = |pointer: String, detail: String| {
            errors.push(Item::at(pointer, detail));
        };
        let before = file("before", keys.before, keys.before_b64, &mut note);
        let after = file("after", keys.after, keys.after_b64, &mut note);
        let agents = keys.agents.unwrap_or_default();
        if agents.len() > AGENTS {
            let found = agents.len();
            note(
                "/agents".to_owned(),
                format!("expected at most {AGENTS} agents, but found {found}"),
            );
        }
        for (at, agent) in agents.iter().enumerate().take(AGENTS) {
            check_agent(agent).unwrap_or_else(|detail| note(format!("/agents/{at}"), detail));
        }
        let dialect = keys.dialect.map(|name| dialect(&name)).transpose();
        let dialect = dialect.unwrap_or_else(|detail| {
            note("/dialect".to_owned(), detail);
            None
        });
        match (before, after) {
            (Some(before), Some(after)) if errors.is_empty() => {
                Ok(Self { before, after, agents, dialect: app.answers.dialect(dialect) })
            }
            _ => Err(Problem::items(Kind::Invalid, errors)),
        }
    }

    /// The JSON of the result.
    fn run(self) -> Result<Vec<u8>, Problem> {
        let files = [&self.before, &self.after].map(|text| self.dialect.parse(text));
        let [before, after] = &files;
        let names = compared_names(self.agents.iter().map(String::as_str), &[before, after]);
        let read = |name: &str| {
            Registry::bundled().resolve(name, self.dialect.reads_headers).rules.into_owned()
        };
        let crawler = |name: &String| compared_crawler(name, &[before, after], read);
        let crawlers: Vec<Crawler> = names.iter().map(crawler).collect();
        let comparison = compare_files(before, after, &crawlers);
        let lines = files.each_ref().map(|robots: &Robots| LineIndex::new(robots.text()));
        let compared =
            |at: usize, name| ComparedFile { name, robots: &files[at], lines: &lines[at] };
        let sides = [compared(0, "before"), compared(1, "after")];
        let report = DiffReport::of(sides, &names, &crawlers, &comparison, None);
        let mut out = Vec::new();
        write_json(&mut out, &report);
        out.push(b'\n');
        if out.len() > RESPONSE_BYTES {
            let detail = format!(
                "expected a comparison of at most {RESPONSE_BYTES} bytes, but found more: compare \
                 smaller files"
            );
            return Err(Problem::new(Kind::Invalid, detail));
        }
        Ok(out)
    }
}
