//! The comparison with a committed version: opened and closed URLs.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use lsp_types::{Diagnostic, DiagnosticSeverity};
use verger::limits::QUOTED_CHARS;
use verger::{Crawler, Robots, Span, Untrusted};
use verger_analysis::{Budget, Change, Direction, compare_files, compared_crawler, compared_names};
use verger_registry::Registry;

use crate::diagnostics::{first_line, remark};
use crate::limits::{CHANGES, LISTED, ROBOTS_BYTES};
use crate::text::Text;

/// The version with which a file is compared.
#[derive(Debug)]
pub(crate) struct Base {
    /// Its name: `HEAD`.
    pub(crate) revision: String,
    pub(crate) robots: Robots,
}

impl Base {
    /// Reads the version of a file in a commit.
    ///
    /// # Errors
    ///
    /// A sentence: there is no git, no repository, or no such file in the commit.
    pub(crate) fn committed(file: &Path, revision: &str) -> Result<Self, String> {
        let quoted = Untrusted::new(revision).limited_to(QUOTED_CHARS).quoted().to_string();
        // It would be an option of git, or a path.
        if revision.starts_with('-') || revision.contains(':') || revision.is_empty() {
            return Err(format!("expected a revision of git such as `HEAD`, but found {quoted}"));
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut git = Command::new("git");
        git.args(["--no-pager", "--literal-pathspecs", "-C"]).arg(folder);
        git.args(["cat-file", "blob", &format!("{revision}:./{name}")]);
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let no_git = |error: std::io::Error| format!("could not run `git`: {error}");
        let mut child = git.spawn().map_err(no_git)?;
        let mut bytes = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            stdout.take(ROBOTS_BYTES + 1).read_to_end(&mut bytes).map_err(no_git)?;
        }
        let output = child.wait_with_output().map_err(no_git)?;
        if bytes.len() as u64 > ROBOTS_BYTES {
            return Err(format!(
                "expected at most {ROBOTS_BYTES} bytes in {quoted}, but found more"
            ));
        }
        if !output.status.success() {
            let cause = output.stderr.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let cause = Untrusted::new(cause).limited_to(QUOTED_CHARS);
            return Err(format!("git has no version of this file at {quoted}: {cause}"));
        }
        Ok(Self { revision: revision.to_owned(), robots: Robots::parse(&bytes) })
    }

    /// The changes since this version, and a sentence about them.
    pub(crate) fn changes(&self, text: &Text) -> (Vec<Diagnostic>, String) {
        let after = Robots::parse(text.as_str());
        let files = [&self.robots, &after];
        let names = compared_names([], &files);
        let crawlers: Vec<Crawler> = names.iter().map(|name| crawler_of(name, &files)).collect();
        let comparison = compare_files(&self.robots, &after, &crawlers, &mut Budget::default());
        let (mut found, mut opened, mut closed) = (Vec::new(), 0_usize, 0_usize);
        let mut is_complete = comparison.not_compared == 0;
        for difference in &comparison.differences {
            let names: Vec<&str> = difference.crawlers.iter().map(|&at| &*names[at]).collect();
            let whom = listed(&names);
            is_complete &= difference.comparison.incomplete.is_none();
            for change in &difference.comparison.changes {
                match change.direction() {
                    Direction::Opened => opened += 1,
                    Direction::Closed => closed += 1,
                }
                if found.len() < CHANGES {
                    let group = difference.groups_after.first().and_then(|it| it.agents().next());
                    let place = change.rule_after().map(|rule| rule.span());
                    let place = place.or_else(|| Some(group?.span()));
                    let range = text.range(place.unwrap_or_else(|| first_line(text)));
                    let message = self.message(change, &whom);
                    found.push(remark(range, DiagnosticSeverity::INFORMATION, message));
                }
            }
        }
        let records = comparison.differences.iter().map(|it| it.records.len()).sum::<usize>()
            + comparison.records.len();
        let changes = match (opened, closed) {
            (0, 0) if is_complete => "no URL was opened or closed".to_owned(),
            (opened, closed) => format!("{opened} changes open URLs, {closed} close URLs"),
        };
        let records = match records {
            0 => String::new(),
            records => format!("; {records} other records were added or removed"),
        };
        let rest = if is_complete { "" } else { "; the comparison is incomplete" };
        (found, format!("since {}: {changes}{records}{rest}", self.revision))
    }

    fn message(&self, change: &Change<'_, '_>, whom: &str) -> String {
        let url = Untrusted::new(change.witness().shown_target()).limited_to(QUOTED_CHARS).quoted();
        let (before, after) = (change.verdict_before(), change.verdict_after());
        let (direction, revision) = (change.direction().name(), &self.revision);
        format!("{direction} since {revision} for {whom}: {url} was {before}; now it is {after}")
    }
}

/// The crawler with a name, with its documented fallbacks; `*` is one that no group names.
pub(crate) fn crawler_of(name: &str, files: &[&Robots]) -> Crawler {
    compared_crawler(name, files, |name| Registry::bundled().resolve(name, true).rules.into_owned())
}

/// Names in backticks, up to a number.
pub(crate) fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).map(quoted);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Foreign text in backticks, cut.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).quoted().to_string()
}

/// The place of a part of the text that the engine reads.
pub(crate) fn span_of(start: usize, length: usize) -> Span {
    Span { start, end: start + length }
}
