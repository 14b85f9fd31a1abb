//! Code actions and formatting: fixes, all fixes, suppressions, the rules of `*`.

use std::collections::HashSet;

use lsp_types::{CodeActionTriggerKind, Range, TextEdit};
use serde_json::{Value, json};
use similar::{DiffOp, TextDiff};
use verger::{Crawler, Robots, Span, quoted};
use verger_analysis::{Analysis, unnamed_crawler};
use verger_lint::{Finding, Formatted, Report, Safety};

use crate::diagnostics::{first_line, has_places, is_of_file, place};
use crate::groups::lines_of;
use crate::limits::{ACTION_FINDINGS, DIFF_TIME};
use crate::snapshot::Snapshot;
use crate::text::Text;

/// The kind of "fix all" of this server.
pub(crate) const FIX_ALL: &str = "source.fixAll.verger";

/// The end of the title of an action that can change an answer.
const UNSAFE: &str = " (unsafe: answers may change)";

/// A file with its report, for which actions are wanted.
pub(crate) struct Actions<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) text: &'a Text,
    pub(crate) report: &'a Report,
    /// As the editor sends it, with its diagnostics.
    pub(crate) context: &'a Value,
}

impl Actions<'_> {
    /// The actions for a range.
    pub(crate) fn at(&self, range: Range) -> Vec<Value> {
        if !has_places(self.report, self.text) {
            return Vec::new();
        }
        let is_in = |finding: &&Finding| {
            let Range { start, end } = self.text.range(place(finding.span, self.text));
            start.line <= range.end.line && range.start.line <= end.line
        };
        let here = self.report.findings.iter().filter(is_in).take(ACTION_FINDINGS);
        let here: Vec<&Finding> = here.collect();
        let fixes = here.iter().filter_map(|finding| self.fix(finding));
        let suppressions = here.iter().map(|finding| self.suppression(finding));
        let all = fixes.chain(self.repetition(range)).chain(suppressions).chain(self.fix_all());
        all.filter(|it| self.is_wanted(it)).collect()
    }

    /// Whether the editor asks for the kind of an action, or for a kind that contains it.
    fn is_wanted(&self, action: &Value) -> bool {
        let kind = action["kind"].as_str().unwrap_or_default();
        let contains = |it: &Value| {
            let rest = it.as_str().and_then(|it| kind.strip_prefix(it));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.context["only"].as_array().is_none_or(|only| only.iter().any(contains))
    }

    fn fix(&self, finding: &Finding) -> Option<Value> {
        let fix = finding.fix.as_ref()?;
        let is_safe = fix.safety == Safety::Safe;
        let edits: Vec<TextEdit> =
            fix.edits.iter().map(|it| self.text.edit(it.span, &it.text)).collect();
        let title = format!("Fix: {}{}", fix.title, if is_safe { "" } else { UNSAFE });
        let mut action = self.quick_fix(finding, &title, &edits);
        action["isPreferred"] = json!(is_safe);
        Some(action)
    }

    /// A comment that suppresses a finding.
    fn suppression(&self, finding: &Finding) -> Value {
        let verb = if is_of_file(finding.span) { "ignore-file" } else { "ignore" };
        let (code, line_end) = (finding.rule.code, self.text.line_end());
        let line = self.text.line_of(place(finding.span, self.text).start);
        let start = self.text.start_of(line).max(first_line(self.text).start);
        let comment = format!("# verger-lint: {verb} {code}{line_end}");
        let edit = self.text.edit(Span { start, end: start }, comment);
        self.quick_fix(finding, &format!("Suppress `{code}` with a comment"), &[edit])
    }

    /// All safe fixes, until none is left.
    fn fix_all(&self) -> Option<Value> {
        // Editors that ask after each move of the cursor show no such action.
        if self.context["triggerKind"] == json!(CodeActionTriggerKind::AUTOMATIC)
            || self.report.text.len() < self.text.content.len()
        {
            return None;
        }
        let (settings, _) = self.snapshot.settings();
        let (fixed, _, applied) = self.report.fixed_until_none(settings, Safety::Safe)?;
        let edits = edits_between(self.text, &fixed);
        Some(self.action(&format!("Apply all safe fixes ({applied})"), FIX_ALL, &edits))
    }

    /// The rules and statements of `*` in the group of a line: those that it does not have.
    fn repetition(&self, range: Range) -> Option<Value> {
        let robots = Robots::parse(&self.text.content);
        let line = range.start.line as usize;
        let group = robots.groups().find(|group| lines_of(*group, self.text).contains(&line));
        let group = group.filter(|group| !group.is_for_everybody())?;
        let name = group.agents().find_map(|agent| str::from_utf8(agent.name()).ok())?;
        let crawler = Crawler::new(name);
        let mut known: HashSet<String> = records_of(&robots, &crawler).collect();
        let star = unnamed_crawler(&[&robots]);
        let new = records_of(&robots, &star).filter(|line| known.insert(line.clone()));
        let start = self.text.start_of(lines_of(group, self.text).end() + 1);
        let line_end = self.text.line_end();
        let lines: String = new.map(|line| line + line_end).collect();
        // A group that closes the site to somebody needs no further rules.
        if lines.is_empty() || Analysis::new(&robots, &crawler).blocks_all() {
            return None;
        }
        let is_ended = self.text.content[..start].ends_with(['\r', '\n']);
        let before = if is_ended { "" } else { line_end };
        let edit = self.text.edit(Span { start, end: start }, format!("{before}{lines}"));
        let title = format!("Repeat the rules of `*` in the group of {}{UNSAFE}", quoted(name));
        Some(self.action(&title, "refactor.rewrite", &[edit]))
    }

    /// An action for a finding, with its diagnostic in the editor.
    fn quick_fix(&self, finding: &Finding, title: &str, edits: &[TextEdit]) -> Value {
        let range = json!(self.text.range(place(finding.span, self.text)));
        let is_own = |it: &&Value| it["range"] == range && it["code"] == finding.rule.code;
        let known = self.context["diagnostics"].as_array().into_iter().flatten();
        let mut action = self.action(title, "quickfix", edits);
        action["diagnostics"] = known.filter(is_own).cloned().collect();
        action
    }

    fn action(&self, title: &str, kind: &str, edits: &[TextEdit]) -> Value {
        let edit = json!({ "changes": { &self.snapshot.uri: edits } });
        json!({ "title": title, "kind": kind, "edit": edit })
    }
}

/// The rules and statements for a crawler, as `Key: value`.
fn records_of(robots: &Robots, crawler: &Crawler) -> impl Iterator<Item = String> {
    let rules = robots.groups_for(crawler).flat_map(|group| group.rules());
    let rules = rules.map(|it| (it.span().start, it.kind().key().as_bytes(), it.pattern()));
    let others = robots.records_for(crawler);
    let others = others.map(|it| (it.span().start, it.key(), it.value()));
    let mut records: Vec<_> = rules.chain(others).collect();
    records.sort_unstable();
    let lines = records.into_iter().map(|(_, key, value)| [key, b": ", value].concat());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned())
}

/// The edits of the formatter.
pub(crate) fn format(text: &Text) -> Vec<TextEdit> {
    edits_between(text, &Formatted::of(text.content.as_bytes()).text)
}

/// The edits of lines that make one text of another.
fn edits_between(old: &Text, new: &[u8]) -> Vec<TextEdit> {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old.content.as_bytes(), new);
    let edit = |op: &DiffOp| {
        let from = op.old_range();
        let span = Span { start: old.start_of(from.start), end: old.start_of(from.end) };
        let lines: Vec<&[u8]> = op.new_range().filter_map(|line| diff.new_slice(line)).collect();
        old.edit(span, lines.concat())
    };
    diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(edit).collect()
}
