//! Comments that suppress findings: `# verger-lint: ignore dead-rule, redundant-rule`.
//!
//! Such a comment after a record concerns its line. On a separate line it concerns the next line
//! that is not a comment. `ignore-file` concerns the whole file. Without names all rules are
//! suppressed.

use verger::Span;

use crate::finding::Finding;
use crate::syntax::{LineKind, Tree};

/// The suppressions of a file.
pub(crate) struct Suppressions<'t> {
    list: Vec<Suppression<'t>>,
}

struct Suppression<'t> {
    /// The lines it concerns; `None` for the whole file.
    span: Option<Span>,
    /// Codes of rules; empty for all.
    codes: Vec<&'t str>,
}

impl<'t> Suppressions<'t> {
    pub(crate) fn of(tree: &Tree, text: &'t [u8]) -> Self {
        let mut list = Vec::new();
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
                _ if is_file => list.push(Suppression { span: None, codes }),
                Some(line) => list.push(Suppression { span: Some(line.span), codes }),
                None => {}
            }
        }
        Self { list }
    }

    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        self.list.iter().any(|suppression| {
            let is_there = suppression.span.is_none_or(|line| {
                line.start <= finding.span.start && finding.span.start <= line.end
            });
            is_there
                && (suppression.codes.is_empty() || suppression.codes.contains(&finding.rule.code))
        })
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
