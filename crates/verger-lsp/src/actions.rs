//! Code actions and formatting: fixes, all fixes, suppressions, the rules of `*`.

use std::collections::HashSet;
use std::time::Instant;

use lsp_types::{CodeActionTriggerKind, Range, TextEdit};
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use verger::{Group, Robots, Span, quoted};
use verger_analysis::Analysis;
use verger_json::diff::crawler_of;
use verger_lint::{Finding, Formatted, Report, Safety, Settings};

use crate::diagnostics::{first_line, has_places, is_of_file};
use crate::groups::lines_of;
use crate::limits::{ACTION_FINDINGS, DIFF_TIME};
use crate::text::Text;

/// The kind of "fix all" of this server.
pub(crate) const FIX_ALL: &str = "source.fixAll.verger";

/// The kind of fixes and suppressions.
const FIX: &str = "quickfix";

/// The end of the title of an action that can change an answer.
const UNSAFE: &str = " (unsafe: answers may change)";

/// A file with its report, for which actions are wanted.
pub(crate) struct Actions<'a> {
    pub(crate) uri: &'a str,
    pub(crate) text: &'a Text,
    pub(crate) report: &'a Report,
    pub(crate) settings: &'a Settings,
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
            let Range { start, end } = self.text.range(self.place(finding));
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

    fn place(&self, finding: &Finding) -> Span {
        if is_of_file(finding.span) { first_line(self.text) } else { finding.span }
    }

    fn fix(&self, finding: &Finding) -> Option<Value> {
        let fix = finding.fix.as_ref()?;
        let is_safe = fix.safety == Safety::Safe;
        let edits: Vec<_> = fix
            .edits
            .iter()
            .map(|edit| TextEdit {
                range: self.text.range(edit.span),
                new_text: String::from_utf8_lossy(&edit.text).into_owned(),
            })
            .collect();
        let (first, rest) = fix.title.split_at(fix.title.chars().next().map_or(0, char::len_utf8));
        let note = if is_safe { "" } else { UNSAFE };
        let title = format!("{}{rest}{note}", first.to_uppercase());
        let mut action = self.action(&title, FIX, &edits, Some(finding));
        action["isPreferred"] = json!(is_safe);
        Some(action)
    }

    /// A comment that suppresses a finding.
    fn suppression(&self, finding: &Finding) -> Value {
        let verb = if is_of_file(finding.span) { "ignore-file" } else { "ignore" };
        let (code, line_end) = (finding.rule.code, self.text.line_end());
        let line = self.text.line_of(self.place(finding).start);
        let start = self.text.start_of(line).max(first_line(self.text).start);
        let edits = self.insertion(start, format!("# verger-lint: {verb} {code}{line_end}"));
        let title = format!("Suppress `{code}` with a comment");
        self.action(&title, FIX, &edits, Some(finding))
    }

    /// All safe fixes, until none is left.
    fn fix_all(&self) -> Option<Value> {
        // Editors that ask after each move of the cursor show no such action.
        if self.context["triggerKind"] == json!(CodeActionTriggerKind::AUTOMATIC)
            || self.report.text.len() < self.text.bytes().len()
        {
            return None;
        }
        let (text, _, applied) = self.report.fixed_until_none(self.settings, Safety::Safe)?;
        let edits = edits_between(self.text, &String::from_utf8_lossy(&text));
        Some(self.action(&format!("Apply all safe fixes ({applied})"), FIX_ALL, &edits, None))
    }

    /// The rules and statements of `*` in the group of a line: those that it does not have.
    fn repetition(&self, range: Range) -> Option<Value> {
        let robots = Robots::parse(self.text.as_str());
        let line = range.start.line as usize;
        let group = robots.groups().find(|group| lines_of(*group, self.text).contains(&line));
        let group = group.filter(|group| !group.is_for_everybody())?;
        let own: HashSet<String> = records_of(&robots, &[group.index()]).into_iter().collect();
        let star = robots.groups().filter(Group::is_for_everybody);
        let star: Vec<usize> = star.map(|group| group.index()).collect();
        let mut new = records_of(&robots, &star);
        new.retain(|line| !own.contains(line));
        let next = self.text.start_of(lines_of(group, self.text).last()? + 1);
        let line_end = self.text.line_end();
        let is_ended = self.text.as_str()[..next].ends_with(['\r', '\n']);
        let before = if is_ended { "" } else { line_end };
        let lines = new.iter().flat_map(|line| [line.as_str(), line_end]);
        let edits = self.insertion(next, [before].into_iter().chain(lines).collect());
        let name = group.agents().find_map(|agent| str::from_utf8(agent.name()).ok())?;
        let title = format!("Repeat the rules of `*` in the group of {}{UNSAFE}", quoted(name));
        // A group that closes the site to somebody needs no further rules.
        let is_closed = Analysis::new(&robots, &crawler_of(name, &[&robots])).blocks_all();
        let action = || self.action(&title, "refactor.rewrite", &edits, None);
        (!new.is_empty() && !is_closed).then(action)
    }

    fn insertion(&self, at: usize, new_text: String) -> Vec<TextEdit> {
        vec![TextEdit { range: self.text.range(Span { start: at, end: at }), new_text }]
    }

    fn action(
        &self,
        title: &str,
        kind: &str,
        edits: &[TextEdit],
        finding: Option<&Finding>,
    ) -> Value {
        let place = finding.map(|it| (json!(self.text.range(self.place(it))), it.rule.code));
        let is_own = |it: &&Value| {
            place.as_ref().is_some_and(|(range, code)| it["range"] == *range && it["code"] == *code)
        };
        let known = self.context["diagnostics"].as_array().into_iter().flatten();
        let own: Vec<_> = known.filter(is_own).collect();
        let edit = json!({ "changes": { self.uri: edits } });
        json!({ "title": title, "kind": kind, "edit": edit, "diagnostics": own })
    }
}

/// The rules and statements of groups, as `Key: value`, each once.
fn records_of(robots: &Robots, groups: &[usize]) -> Vec<String> {
    let is_in = |index: Option<usize>| index.is_some_and(|index| groups.contains(&index));
    let rules = robots.groups().filter(|it| is_in(Some(it.index()))).flat_map(|it| it.rules());
    let rules = rules.map(|it| (it.span().start, it.kind().key().as_bytes(), it.pattern()));
    let others = robots.records().filter(|it| is_in(it.group()) && !it.kind().is_for_file());
    let others = others.map(|it| (it.span().start, it.key(), it.value()));
    let mut records: Vec<_> = rules.chain(others).collect();
    records.sort_by_key(|(start, ..)| *start);
    let mut seen = HashSet::new();
    let lines = records.into_iter().map(|(_, key, value)| [key, b": ", value].concat());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
    lines.filter(|line| seen.insert(line.clone())).collect()
}

/// The edits of the formatter.
pub(crate) fn format(text: &Text) -> Vec<TextEdit> {
    let formatted = Formatted::of(text.bytes()).text;
    edits_between(text, &String::from_utf8_lossy(&formatted))
}

/// The edits of lines that make one text of another.
fn edits_between(old: &Text, new: &str) -> Vec<TextEdit> {
    // Only its lines count, not its columns.
    let new = Text::new(new.to_owned(), true);
    let (old_lines, new_lines) = (old.lines(), new.lines());
    let deadline = Some(Instant::now() + DIFF_TIME);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let edit = |op: &DiffOp| {
        let (from, to) = (op.old_range(), op.new_range());
        let span = Span { start: old.start_of(from.start), end: old.start_of(from.end) };
        TextEdit { range: old.range(span), new_text: new_lines[to].concat() }
    };
    ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(edit).collect()
}
