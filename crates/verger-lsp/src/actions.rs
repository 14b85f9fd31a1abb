//! Code actions and formatting: fixes, all fixes, suppressions, the rules of `*`.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, NumberOrString, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use verger::parse::Event;
use verger::{Group, Robots, Span};
use verger_lint::{Finding, Formatted, Report, Safety, Settings, lint};

use crate::compare::{quoted, span_of};
use crate::diagnostics::{first_line, has_places, is_of_file};
use crate::limits::{DIFF_TIME, FIX_PASSES};
use crate::text::Text;

/// The kind of "fix all" of this server.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.verger");

/// A file with its report, for which actions are wanted.
pub(crate) struct Actions<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) text: &'a Text,
    pub(crate) report: &'a Report,
    pub(crate) settings: &'a Settings,
}

impl Actions<'_> {
    /// The actions for a range.
    pub(crate) fn at(&self, range: Range, context: &CodeActionContext) -> Vec<CodeAction> {
        let is_wanted = |kind: &CodeActionKind| {
            context.only.as_ref().is_none_or(|only| {
                only.iter().any(|it| {
                    let rest = kind.as_str().strip_prefix(it.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
            })
        };
        if !has_places(self.report, self.text) {
            return Vec::new();
        }
        let mut actions = Vec::new();
        if is_wanted(&CodeActionKind::QUICKFIX) {
            let here = self.report.findings.iter().filter(|it| self.is_in(it, range));
            let here: Vec<&Finding> = here.collect();
            actions.extend(here.iter().filter_map(|finding| self.fix(finding, context)));
            actions.extend(here.iter().map(|finding| self.suppression(finding, context)));
        }
        if is_wanted(&CodeActionKind::REFACTOR_REWRITE) {
            actions.extend(self.repetition(range));
        }
        if is_wanted(&FIX_ALL) {
            actions.extend(self.fix_all());
        }
        actions
    }

    /// Whether a finding, as its diagnostic shows it, is on the lines of a range.
    fn is_in(&self, finding: &Finding, range: Range) -> bool {
        let Range { start, end } = self.text.range(self.place(finding));
        start.line <= range.end.line && range.start.line <= end.line
    }

    fn place(&self, finding: &Finding) -> Span {
        if is_of_file(finding.span) { first_line(self.text) } else { finding.span }
    }

    fn fix(&self, finding: &Finding, context: &CodeActionContext) -> Option<CodeAction> {
        let fix = finding.fix.as_ref()?;
        let edit = |edit: &verger_lint::Edit| TextEdit {
            range: self.text.range(edit.span),
            new_text: String::from_utf8_lossy(&edit.text).into_owned(),
        };
        let note = match fix.safety {
            Safety::Safe => "",
            Safety::Unsafe => " (unsafe: answers may change)",
        };
        let title = format!("{}{note}", capitalised(&fix.title));
        let edits = fix.edits.iter().map(edit).collect();
        let mut action = self.action(title, CodeActionKind::QUICKFIX, edits);
        action.is_preferred = Some(fix.safety == Safety::Safe);
        Self::attach(&mut action, finding, context);
        Some(action)
    }

    /// A comment that suppresses a finding.
    fn suppression(&self, finding: &Finding, context: &CodeActionContext) -> CodeAction {
        let (verb, code) = if is_of_file(finding.span) {
            ("ignore-file", finding.rule.code)
        } else {
            ("ignore", finding.rule.code)
        };
        let line = self.text.line_of(self.place(finding).start);
        let start = self.text.start_of(line).max(first_line(self.text).start);
        let comment = format!("# verger-lint: {verb} {code}{}", self.text.line_end());
        let edits = vec![self.insertion(start, comment)];
        let title = format!("Suppress `{code}` with a comment");
        let mut action = self.action(title, CodeActionKind::QUICKFIX, edits);
        Self::attach(&mut action, finding, context);
        action
    }

    /// Names the diagnostic of a finding, as the editor has it.
    fn attach(action: &mut CodeAction, finding: &Finding, context: &CodeActionContext) {
        let code = NumberOrString::String(finding.rule.code.to_owned());
        let own = context.diagnostics.iter().filter(|it| it.code.as_ref() == Some(&code));
        action.diagnostics = Some(own.cloned().collect());
    }

    /// All safe fixes, until none is left.
    fn fix_all(&self) -> Option<CodeAction> {
        let (mut text, mut applied) = self.report.fixed(Safety::Safe);
        if applied == 0 || self.report.text.len() < self.text.bytes().len() {
            return None;
        }
        for _ in 1..FIX_PASSES {
            let (next, more) = lint(&text, self.settings).fixed(Safety::Safe);
            if more == 0 {
                break;
            }
            (text, applied) = (next, applied + more);
        }
        let edits = edits_between(self.text, &String::from_utf8_lossy(&text));
        Some(self.action(format!("Apply all safe fixes ({applied})"), FIX_ALL, edits))
    }

    /// The rules and statements of `*` in the group of a line: those that it does not have.
    fn repetition(&self, range: Range) -> Option<CodeAction> {
        let robots = Robots::parse(self.text.as_str());
        let line = range.start.line as usize;
        let group = robots.groups().find(|group| lines_of(*group, self.text).contains(&line));
        let group = group.filter(|group| !group.is_for_everybody())?;
        let lines = |index: &dyn Fn(&Group<'_>) -> bool| -> Vec<String> {
            let wanted: Vec<usize> =
                robots.groups().filter(|it| index(it)).map(|it| it.index()).collect();
            records_of(&robots, &wanted)
        };
        let own: HashSet<String> = lines(&|it| it.index() == group.index()).into_iter().collect();
        let mut new = lines(&|it| it.is_for_everybody());
        new.retain(|line| !own.contains(line));
        if new.is_empty() {
            return None;
        }
        let last = lines_of(group, self.text).last()?;
        let (line_end, next) = (self.text.line_end(), self.text.start_of(last + 1));
        let is_open = !self.text.as_str()[..next].ends_with(['\r', '\n']);
        let text: String = new.iter().flat_map(|line| [line.as_str(), line_end]).collect();
        let text = if is_open { format!("{line_end}{text}") } else { text };
        let name = group.agents().next().map(|agent| quoted(agent.name()))?;
        let title = format!("Repeat the rules of `*` in the group of {name}");
        let edits = vec![self.insertion(next, text)];
        Some(self.action(title, CodeActionKind::REFACTOR_REWRITE, edits))
    }

    fn insertion(&self, at: usize, new_text: String) -> TextEdit {
        TextEdit { range: self.text.range(span_of(at, 0)), new_text }
    }

    fn action(&self, title: String, kind: CodeActionKind, edits: Vec<TextEdit>) -> CodeAction {
        // The protocol's type for a map of URIs.
        #[expect(clippy::mutable_key_type, reason = "the type of lsp-types")]
        let changes = HashMap::from([(self.uri.clone(), edits)]);
        CodeAction {
            title,
            kind: Some(kind),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        }
    }
}

/// The indices of the lines of a group, from its first name to its last rule.
pub(crate) fn lines_of(group: Group<'_>, text: &Text) -> std::ops::RangeInclusive<usize> {
    let first = group.agents().next().map_or(0, |agent| agent.span().start);
    let agents = group.agents().map(|agent| agent.span().end);
    let last = agents.chain(group.rules().map(|rule| rule.span().end)).max().unwrap_or(first);
    text.line_of(first)..=text.line_of(last)
}

/// The rules and statements of groups, as `Key: value`, each once.
fn records_of(robots: &Robots, groups: &[usize]) -> Vec<String> {
    let of_group = |index: Option<usize>| index.is_some_and(|it| groups.contains(&it));
    let rules = robots.groups().filter(|it| of_group(Some(it.index())));
    let rules = rules.flat_map(|group| group.rules().map(|rule| rule.span().start));
    let others = robots.records().filter(|it| of_group(it.group()) && !it.kind().is_for_file());
    let others = others.map(|record| record.key_span().start);
    let starts: HashSet<usize> = rules.chain(others).collect();
    let (mut lines, mut seen) = (Vec::new(), HashSet::new());
    for event in robots.events() {
        let (key, field) = match event {
            Event::Rule(kind, field) if starts.contains(&field.value.start) => {
                (kind.key().as_bytes(), field)
            }
            Event::Other(field) if starts.contains(&field.key.start) => (field.key.bytes, field),
            _ => continue,
        };
        let line = [key, b": ", field.value.bytes].concat();
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if seen.insert(line.clone()) {
            lines.push(line);
        }
    }
    lines
}

/// The edits of the formatter.
pub(crate) fn format(text: &Text) -> Vec<TextEdit> {
    let formatted = Formatted::of(text.bytes()).text;
    edits_between(text, &String::from_utf8_lossy(&formatted))
}

/// The edits of lines that make one text of another.
fn edits_between(old: &Text, new: &str) -> Vec<TextEdit> {
    let lines = |text: &Text| -> Vec<String> {
        let last = text.line_of(text.bytes().len());
        let line = |at: usize| text.as_str()[text.start_of(at)..text.start_of(at + 1)].to_owned();
        (0..=last).map(line).collect()
    };
    let new = old.with_text(new.to_owned());
    let (old_lines, new_lines) = (lines(old), lines(&new));
    let deadline = Some(Instant::now() + DIFF_TIME);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let edit = |op: &DiffOp| {
        let (from, to) = (op.old_range(), op.new_range());
        let span = Span { start: old.start_of(from.start), end: old.start_of(from.end) };
        TextEdit { range: old.range(span), new_text: new_lines[to].concat() }
    };
    ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(edit).collect()
}

/// A title of a fix, which is in lower case.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
