//! `POST /v1/diff`: the URLs that a change of robots.txt opens and closes.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use verger::Dialect;
use verger_json::diff::{DiffReport, compared};

use crate::app::App;
use crate::limits::{AGENTS, RESPONSE_BYTES};
use crate::problem::{Errors, Kind, Problem};
use crate::question::{asked_dialect, check_agents};
use crate::request::{Task, file, run_task};
use crate::response::write_json;
use crate::schemas::{DialectName, RequestProblem, ServiceProblem};

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
    run_task::<Diff>(state, request).await
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
        let mut errors = Errors::default();
        let before = file(["before", "before_b64"], keys.before, keys.before_b64, &mut errors);
        let after = file(["after", "after_b64"], keys.after, keys.after_b64, &mut errors);
        let agents = keys.agents.unwrap_or_default();
        let found = agents.len();
        if found > AGENTS {
            errors.note("/agents", format!("expected at most {AGENTS} agents, but found {found}"));
        }
        check_agents("agents", &agents[..found.min(AGENTS)], &mut errors);
        let dialect = app.answers.dialect(asked_dialect(keys.dialect, &mut errors));
        let (before, after) = errors.unless_any(before.zip(after))?;
        Ok(Self { before, after, agents, dialect })
    }

    /// The JSON of the result.
    fn run(self) -> Result<Vec<u8>, Problem> {
        let [before, after] = [&self.before, &self.after].map(|text| self.dialect.parse(text));
        let mut out = Vec::new();
        compared([("before", &before), ("after", &after)], &self.agents, None, |report| {
            write_json(&mut out, report);
        });
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
