//! Comments that suppress findings: `# verger-lint: ignore dead-rule, redundant-rule`.
//!
//! Such a comment after a record concerns its line. On a separate line it concerns the next line
//! that is not a comment. `ignore-file` concerns the whole file. Without names all rules are
//! suppressed.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use verger::Span;

use crate::rule::Rule;
use crate::syntax::{LineKind, Tree};

/// The suppressions of a file.
#[derive(Clone, Default)]
pub(crate) struct Suppressions<'t> {
    /// For the whole file.
    file: Scope<'t>,
    /// For lines, in order.
    lines: Vec<(Span, Scope<'t>)>,
    /// Comments that concern no line.
    nothing: Scope<'t>,
    /// Other words in the place of `ignore`.
    verbs: Vec<Word<'t>>,
}

/// The rules that are suppressed at a place.
#[derive(Clone, Default)]
struct Scope<'t> {
    has_all: bool,
    /// Named rules, each where it is named first.
    codes: HashMap<&'t str, Span>,
    /// The rules of which something was suppressed.
    suppressed: RefCell<HashSet<&'static str>>,
}

/// A word of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

impl<'t> Suppressions<'t> {
    pub(crate) fn of(tree: &Tree, text: &'t [u8]) -> Self {
        let mut found = Self::default();
        for (at, line) in tree.lines().iter().enumerate() {
            let Some(span) = line.comment else { continue };
            let comment = str::from_utf8(&text[span.range()]).ok().and_then(read);
            let Some((verb, codes)) = comment else { continue };
            let word = |part: &'t str| {
                let start = part.as_ptr().addr() - text.as_ptr().addr();
                Word { text: part, span: Span { start, end: start + part.len() } }
            };
            let scope = match verb {
                "ignore" => found.scope_of(tree, at),
                "ignore-file" => &mut found.file,
                _ => {
                    found.verbs.push(word(verb));
                    continue;
                }
            };
            let codes = codes.split([',', ' ', '\t']).filter(|code| !code.is_empty());
            let before = scope.codes.len();
            for Word { text, span } in codes.map(word) {
                scope.codes.entry(text).or_insert(span);
            }
            scope.has_all |= scope.codes.len() == before;
        }
        found
    }

    /// The scope of a comment on the line at this position.
    fn scope_of(&mut self, tree: &Tree, at: usize) -> &mut Scope<'t> {
        let lines = tree.lines();
        let target = match lines[at].kind {
            LineKind::Comment => lines[at..].iter().find(|line| line.kind != LineKind::Comment),
            _ => Some(&lines[at]),
        };
        let Some(target) = target else { return &mut self.nothing };
        // Comments come in order, and so do the lines that they concern.
        if self.lines.last().is_none_or(|(span, _)| *span != target.span) {
            self.lines.push((target.span, Scope::default()));
        }
        self.lines.last_mut().map_or(&mut self.nothing, |(_, scope)| scope)
    }

    /// Whether findings of a rule at a place are suppressed.
    pub(crate) fn covers(&self, rule: &Rule, Span { start: at, .. }: Span) -> bool {
        let after = self.lines.partition_point(|(line, _)| line.start <= at);
        let line = self.lines[..after].last().filter(|(line, _)| at <= line.end);
        let by_line = line.is_some_and(|(_, scope)| scope.covers(rule));
        self.file.covers(rule) || by_line
    }

    /// The names of rules, in the order of the text.
    pub(crate) fn codes(&self) -> Vec<Word<'t>> {
        self.words(|_, _| true)
    }

    /// The names of rules of which nothing was suppressed, in the order of the text.
    pub(crate) fn unused(&self) -> Vec<Word<'t>> {
        self.words(|scope, code| !scope.suppressed.borrow().contains(code))
    }

    fn words(&self, is_wanted: impl Fn(&Scope<'t>, &str) -> bool) -> Vec<Word<'t>> {
        let lines = self.lines.iter().map(|(_, scope)| scope);
        let mut words = Vec::new();
        for scope in [&self.file, &self.nothing].into_iter().chain(lines) {
            let wanted = scope.codes.iter().filter(|(code, _)| is_wanted(scope, code));
            words.extend(wanted.map(|(&text, &span)| Word { text, span }));
        }
        words.sort_by_key(|word| word.span.start);
        words
    }

    /// Words in the place of `ignore` and `ignore-file`.
    pub(crate) fn unknown_verbs(&self) -> &[Word<'t>] {
        &self.verbs
    }
}

impl Scope<'_> {
    fn covers(&self, rule: &Rule) -> bool {
        let is_covered = self.has_all || self.codes.contains_key(rule.code);
        if is_covered {
            self.suppressed.borrow_mut().insert(rule.code);
        }
        is_covered
    }
}

/// Reads a comment: the verb, and the codes.
fn read(comment: &str) -> Option<(&str, &str)> {
    let rest = comment.trim_start_matches('#').trim().strip_prefix("verger-lint:")?.trim_start();
    Some(rest.split_once(char::is_whitespace).unwrap_or((rest, "")))
}
