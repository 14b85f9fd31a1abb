//! What a robots.txt says, as JSON: the contract of `docs/json.md`.
//!
//! The fields stand in the order in which they are written. Foreign text is as in `foreign.rs`.

mod crawler;
mod noticed;
mod record;

use serde::{Serialize, Serializer};
use verger::diagnostic::{Diagnostic, DiagnosticKind, Diagnostics, Sink as _};
use verger::parse::Encoding;
use verger::{Agent, Group, Span};

pub(crate) use crawler::{CrawlerKeys, StatementKeys};
pub(crate) use noticed::DiagnosticsKeys;
pub(crate) use record::{Meaning, RateKeys, RecordKeys, Scope, WindowKeys};
use verger_json::{Foreign, RuleKeys};

use crate::asker::Asker;
use crate::robots_file::RobotsFile;

/// Everything a file says, and what is to be noticed about it.
#[derive(Debug, Serialize)]
pub(crate) struct Inspection<'a> {
    pub(crate) file: &'a str,
    pub(crate) dialect: &'static str,
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    #[serde(serialize_with = "encoding")]
    pub(crate) encoding: Encoding,
    pub(crate) truncated: bool,
    #[serde(skip)]
    pub(crate) counts_as_none: bool,
    pub(crate) groups: Vec<GroupKeys<'a>>,
    /// Rules in no group, which everybody ignores.
    pub(crate) orphans: Vec<OrphanKeys<'a>>,
    pub(crate) records: Vec<RecordKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawler: Option<CrawlerKeys<'a>>,
    pub(crate) diagnostics: DiagnosticsKeys<'a>,
}

impl<'a> Inspection<'a> {
    pub(crate) fn of(file: &'a RobotsFile, asker: Option<&'a Asker>) -> Self {
        let robots = file.robots();
        let mut found = Diagnostics::default();
        let mut orphans = Vec::new();
        robots.diagnose(&mut |diagnostic: Diagnostic| {
            // However many there are, beyond the limit of the list too.
            if diagnostic.kind == DiagnosticKind::RuleOutsideGroup {
                orphans.push(OrphanKeys::of(diagnostic.span, file));
            }
            found.report(diagnostic);
        });
        Self {
            file: file.name(),
            dialect: robots.dialect().name,
            bytes: robots.text().len(),
            lines: file.line_count(),
            encoding: robots.encoding(),
            truncated: robots.is_truncated(),
            counts_as_none: file.counts_as_none(),
            groups: robots.groups().map(|group| GroupKeys::of(group, file)).collect(),
            orphans,
            records: robots.records().map(|record| RecordKeys::of(record, file)).collect(),
            crawler: asker.map(|asker| CrawlerKeys::of(asker, file)),
            diagnostics: DiagnosticsKeys::of(&found, file),
        }
    }
}

/// A group and its rules.
#[derive(Debug, Serialize)]
pub(crate) struct GroupKeys<'a> {
    pub(crate) line: usize,
    pub(crate) agents: Vec<AgentKeys<'a>>,
    pub(crate) rules: Vec<RuleKeys<'a>>,
}

impl<'a> GroupKeys<'a> {
    fn of(group: Group<'a>, file: &RobotsFile) -> Self {
        Self {
            line: group.position().line,
            agents: group.agents().map(|agent| AgentKeys::of(agent, file)).collect(),
            rules: group.rules().map(RuleKeys::of).collect(),
        }
    }
}

/// A rule that stands in no group.
#[derive(Debug, Serialize)]
pub(crate) struct OrphanKeys<'a> {
    /// The line without white space around it.
    #[serde(flatten)]
    pub(crate) text: Foreign<&'a [u8]>,
    pub(crate) line: usize,
    column: usize,
    span: [usize; 2],
}

impl<'a> OrphanKeys<'a> {
    fn of(span: Span, file: &'a RobotsFile) -> Self {
        let position = file.position(span.start);
        let text = &file.robots().text()[span.range()];
        Self {
            text: Foreign::new("text", text),
            line: position.line,
            column: position.column,
            span: [span.start, span.end],
        }
    }
}

/// A name on a user-agent line.
#[derive(Debug, Serialize)]
pub(crate) struct AgentKeys<'a> {
    /// What is compared with a crawler's tokens.
    #[serde(flatten)]
    pub(crate) name: Foreign<&'a [u8]>,
    #[serde(flatten)]
    pub(crate) value: Foreign<&'a [u8]>,
    line: usize,
    column: usize,
}

impl<'a> AgentKeys<'a> {
    fn of(agent: Agent<'a>, file: &RobotsFile) -> Self {
        let position = file.position(agent.span().start);
        Self {
            name: Foreign::new("name", agent.name()),
            value: Foreign::new("value", agent.value()),
            line: position.line,
            column: position.column,
        }
    }
}

/// The name of an encoding.
pub(crate) const fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf16Le => "utf-16le",
        Encoding::Utf16Be => "utf-16be",
        Encoding::Utf32 => "utf-32",
        _ => "utf-8",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn encoding<S: Serializer>(encoding: &Encoding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(encoding_name(*encoding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use verger::Dialect;

    #[test]
    fn every_foreign_string_keeps_its_bytes() {
        let robots = b"User-agent: \xff\nH\xffst: \xff\nClean-param: \xff&b /\xff\n\
                       Content-Signal: /\xff \xff=\xff\nContent-Usage: /\xff search=y\n\
                       Disallow: /\xff\nSitemap: \xff\n";
        let mut ever = BTreeSet::new();
        for dialect in Dialect::PUBLISHED {
            let file = RobotsFile::parse("x".into(), robots, &dialect);
            let json = serde_json::to_value(Inspection::of(&file, None)).unwrap();
            let mut keys = BTreeSet::new();
            lost(&json, &mut keys);
            let all = ["key", "parameters", "path", "pattern", "signals", "text", "value"];
            assert!(all.iter().all(|key| keys.contains(*key)), "{dialect}: {keys:?}");
            ever.append(&mut keys);
        }
        // Not every dialect takes such bytes into a name.
        assert!(ever.contains("name"), "{ever:?}");
    }

    /// The keys whose strings have lost bytes, each of which must have a twin.
    fn lost(json: &Value, keys: &mut BTreeSet<String>) {
        match json {
            Value::Array(list) => list.iter().for_each(|value| lost(value, keys)),
            Value::Object(map) => {
                for (key, value) in map {
                    let is_foreign = !value.to_string().contains('{') && key != "message";
                    if is_foreign && value.to_string().contains('\u{fffd}') {
                        assert!(map.contains_key(&format!("{key}_b64")), "{key}: {map:?}");
                        keys.insert(key.clone());
                    }
                    lost(value, keys);
                }
            }
            _ => {}
        }
    }
}
