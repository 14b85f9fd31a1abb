//! Comments that suppress findings: `# verger-lint: ignore dead-rule, redundant-rule`.
//!
//! Such a comment after a record concerns its line. On a separate line it concerns the next line
//! that is not a comment. `ignore-file` concerns the whole file. Without names all rules are
//! suppressed.

use verger::Span;

use crate::rule::Rule;
use crate::syntax::{LineKind, Tree};

/// The suppressions of a file: codes of rules, empty for all.
#[derive(Default)]
pub(crate) struct Suppressions<'t> {
    /// For the whole file.
    file: Vec<Vec<&'t str>>,
    /// For lines, in order.
    lines: Vec<(Span, Vec<&'t str>)>,
}

impl<'t> Suppressions<'t> {
    pub(crate) fn of(tree: &Tree, text: &'t [u8]) -> Self {
        let mut found = Self::default();
        for (at, line) in tree.lines().iter().enumerate() {
            let comment = line.comment.and_then(|span| str::from_utf8(&text[span.range()]).ok());
            let Some((is_file, codes)) = comment.and_then(read) else { continue };
            let target = match line.kind {
                LineKind::Comment => {
                    let below = tree.lines()[at..].iter();
                    below.into_iter().find(|line| line.kind != LineKind::Comment)
                }
                _ => Some(line),
            };
            match target {
                _ if is_file => found.file.push(codes),
                Some(line) => found.lines.push((line.span, codes)),
                None => {}
            }
        }
        found
    }

    /// Whether findings of a rule at a place are suppressed.
    pub(crate) fn covers(&self, rule: &Rule, Span { start: at, .. }: Span) -> bool {
        // The lines do not overlap, and several suppressions can concern one line.
        let after = self.lines.partition_point(|(line, _)| line.start <= at);
        let near = self.lines[..after].iter().rev().take_while(|(line, _)| at <= line.end);
        let mut codes = near.map(|(_, codes)| codes).chain(&self.file);
        codes.any(|codes| codes.is_empty() || codes.contains(&rule.code))
    }
}

/// Reads a comment: whether it concerns the file, and the codes.
fn read(comment: &str) -> Option<(bool, Vec<&str>)> {
    let rest = comment.trim_start_matches('#').trim().strip_prefix("verger-lint:")?.trim_start();
    let (verb, codes) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_file = match verb {
        "ignore" => false,
        "ignore-file" => true,
        _ => return None,
    };
    let codes = codes.split([',', ' ', '\t']).filter(|code| !code.is_empty()).collect();
    Some((is_file, codes))
}
