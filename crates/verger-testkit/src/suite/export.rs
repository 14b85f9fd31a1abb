//! The suite as one JSON file, for parsers in any language; `testdata/README.md` describes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::case::{Case, Expected, NamedCrawler, Question, Statement, Suite};
use super::format::Extension;
use super::load::LoadError;
use super::text::Repeat;

/// Version of the JSON format. It increases when readers of the file must change.
const FORMAT: u32 = 1;

/// One case. The keys are sorted, independent of the features of `serde_json`.
type Row = BTreeMap<&'static str, Value>;

impl Suite {
    /// Returns the cases that a parser can answer for one crawler name: verdicts, crawl delays and
    /// sitemaps. JSON, with one case per line.
    ///
    /// # Errors
    ///
    /// If the mark of a repeated text also occurs elsewhere in the case.
    pub fn to_json(&self) -> Result<String, LoadError> {
        let verdicts: Result<Vec<_>, _> = self.verdicts.iter().filter_map(verdict).collect();
        let extensions = |field: &str, given: fn(&Extension) -> (&'static str, Value)| {
            let rows = self.statements.iter().filter_map(|statement| match &statement.question {
                Question::Extension(asked) if asked.field == field => {
                    Some(extension(statement, asked, given(asked)))
                }
                _ => None,
            });
            lines(&rows.collect::<Vec<_>>())
        };
        let delays = extensions("crawl-delay", |asked| ("seconds", json!(asked.expect.seconds)));
        let sitemaps = extensions("sitemap", |asked| {
            ("urls", json!(asked.expect.urls.as_deref().unwrap_or_default()))
        });
        Ok(format!(
            "{{\n\"format\": {FORMAT},\n\"license\": \"MIT OR Apache-2.0\",\n\
             \"verdicts\": {},\n\"crawl_delays\": {delays},\n\"sitemaps\": {sitemaps}\n}}\n",
            lines(&verdicts?),
        ))
    }
}

/// Returns `None` for chains and unions, which few parsers support.
fn verdict(case: &Case) -> Option<Result<Row, LoadError>> {
    let NamedCrawler::Token(agent) = &case.crawler else { return None };
    let mut row = head(&case.name, &case.why, &case.clause, case.contested.as_deref());
    let expect: BTreeMap<_, _> = case.expect.iter().map(|(name, to)| (name, answer(to))).collect();
    row.extend([("agent", json!(agent)), ("expect", json!(expect))]);
    for (text_key, base64_key, bytes) in
        [("robots", "robots_b64", &case.robots), ("url", "url_b64", &case.url)]
    {
        let bytes = match shorten(bytes, case.repeat.as_ref()) {
            Ok(bytes) => bytes,
            Err(message) => {
                let place = format!("{}: {}", case.file, case.name);
                return Some(Err(LoadError::new(place, message)));
            }
        };
        row.extend(match std::str::from_utf8(&bytes) {
            Ok(text) => [(text_key, json!(text))],
            Err(_) => [(base64_key, json!(STANDARD.encode(&bytes)))],
        });
    }
    if let Some(Repeat { mark, text, count }) = &case.repeat {
        let repeat = [("mark", json!(mark)), ("text", json!(text)), ("count", json!(count))];
        row.insert("repeat", json!(BTreeMap::from(repeat)));
    }
    Some(Ok(row))
}

fn answer(expected: &Expected) -> Row {
    let Expected { allowed, line, reason } = expected;
    let mut answer = Row::from([("allowed", json!(allowed))]);
    answer.extend(line.flatten().map(|line| ("line", json!(line))));
    // As in the TOML: a case with a line omits the reason `rule`.
    let reason = reason.as_ref().filter(|reason| *reason != "rule");
    answer.extend(reason.map(|reason| ("reason", json!(reason))));
    answer
}

fn extension(statement: &Statement, asked: &Extension, given: (&'static str, Value)) -> Row {
    let contested = statement.contested.as_deref();
    let mut row = head(&statement.name, &statement.why, &statement.clause, contested);
    row.extend([given, ("robots", json!(String::from_utf8_lossy(&asked.robots.0)))]);
    row.extend(asked.agent.as_ref().map(|agent| ("agent", json!(agent))));
    row
}

fn head(name: &str, why: &str, clause: &[String], contested: Option<&str>) -> Row {
    let mut row =
        Row::from([("name", json!(name)), ("why", json!(why)), ("clause", json!(clause))]);
    row.extend(contested.map(|contested| ("contested", json!(contested))));
    row
}

/// Replaces each repeated text by its mark.
fn shorten<'a>(bytes: &'a [u8], repeat: Option<&Repeat>) -> Result<Cow<'a, [u8]>, String> {
    let Some(Repeat { mark, text, count }) = repeat else { return Ok(bytes.into()) };
    match std::str::from_utf8(bytes) {
        Ok(whole) if !whole.contains(mark) => {
            Ok(whole.replace(&text.repeat(*count), mark).into_bytes().into())
        }
        Ok(_) => Err(format!("expected `{mark}` only as the mark of `repeat`")),
        Err(_) => Err("expected UTF-8 in a case with `repeat`".to_owned()),
    }
}

/// A JSON array with one element per line.
fn lines(rows: &[Row]) -> String {
    let rows: Vec<_> = rows.iter().map(|row| json!(row).to_string()).collect();
    format!("[\n{}\n]", rows.join(",\n"))
}
