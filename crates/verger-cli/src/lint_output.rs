//! The findings of all files of a run, in the format of the arguments.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use verger::diagnostic::Severity;
use verger_json::Values;
use verger_json::lint::{LintError, LintReport, sarif};
use verger_lint::render::{Colour, concise, full, github};
use verger_lint::{Report, Rule, Safety};

use crate::args::{Lint, LintFormat};
use crate::console::Console;
use crate::error::Error;
use crate::sentence::counted;

/// Writes findings, and at the end a summary for people.
#[derive(Debug)]
pub(crate) struct LintOutput {
    form: Form,
    /// Standard output has a fixed text, so findings go to standard error.
    to_stderr: bool,
    /// Changes are shown in place of problems.
    is_diff: bool,
    /// Unsafe fixes were not requested.
    has_hint: bool,
    counts: Counts,
}

#[derive(Debug)]
enum Form {
    Full,
    Concise,
    Github,
    Json(Values),
    Sarif { reports: Vec<Report>, errors: Vec<String> },
    Statistics(BTreeMap<&'static str, (&'static Rule, usize)>),
}

/// Numbers of a run.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    safe_fixes: usize,
    unsafe_fixes: usize,
    /// Whether fixes are written, and their number.
    is_fix: bool,
    applied: usize,
}

impl LintOutput {
    pub(crate) fn new(args: &Lint, to_stderr: bool) -> Self {
        let form = match args.format {
            _ if args.statistics => Form::Statistics(BTreeMap::new()),
            LintFormat::Full => Form::Full,
            LintFormat::Concise => Form::Concise,
            LintFormat::Github => Form::Github,
            LintFormat::Json => Form::Json(Values::array()),
            LintFormat::Sarif => Form::Sarif { reports: Vec::new(), errors: Vec::new() },
        };
        let counts = Counts { is_fix: args.fix, ..Counts::default() };
        Self { form, to_stderr, is_diff: args.diff, has_hint: !args.unsafe_fixes, counts }
    }

    /// Writes the findings of a file, of which `applied` fixes were made before.
    pub(crate) fn report(
        &mut self,
        report: Report,
        applied: usize,
        console: &mut Console,
    ) -> io::Result<()> {
        self.counts.add(&report, applied);
        if self.is_diff {
            return Ok(());
        }
        let has_colour = console.palette.has_colour && !self.to_stderr;
        let colour = if has_colour { Colour::Ansi } else { Colour::None };
        let mut out = Vec::new();
        match &mut self.form {
            Form::Full => out.extend(full(&report, colour).into_bytes()),
            Form::Concise => out.extend(concise(&report, colour).into_bytes()),
            Form::Github => out.extend(github(&report).into_bytes()),
            Form::Json(values) => values.write(&mut out, &LintReport::of(&report))?,
            Form::Sarif { reports, .. } => reports.push(report),
            Form::Statistics(rules) => {
                for finding in &report.findings {
                    rules.entry(finding.rule.code).or_insert((finding.rule, 0)).1 += 1;
                }
            }
        }
        self.write(&out, console)
    }

    /// Writes an error in place of the findings of a file.
    pub(crate) fn error(
        &mut self,
        name: &[u8],
        error: &Error,
        console: &mut Console,
    ) -> io::Result<()> {
        let mut out = Vec::new();
        match &mut self.form {
            Form::Json(values) if !self.is_diff => {
                values.write(&mut out, &LintError::new(name, &error.to_string()))?;
                return self.write(&out, console);
            }
            Form::Sarif { errors, .. } => errors.push(error.to_string()),
            _ => {}
        }
        console.out.flush()?;
        console.messages.error_at("", error);
        Ok(())
    }

    /// Writes the rest, and the summary.
    pub(crate) fn finish(&mut self, console: &mut Console) -> io::Result<()> {
        let is_for_people =
            self.is_diff || matches!(self.form, Form::Full | Form::Concise | Form::Statistics(_));
        if let Some(hint) = self.counts.hint().filter(|_| is_for_people && self.has_hint) {
            console.messages.hint(hint);
        }
        if self.is_diff {
            return Ok(());
        }
        let mut out = Vec::new();
        match &self.form {
            Form::Json(values) => values.finish(&mut out)?,
            Form::Sarif { reports, errors } => {
                Values::lines().write(&mut out, &sarif(reports, errors))?;
            }
            Form::Statistics(rules) => statistics(rules, &mut out)?,
            _ => {}
        }
        self.write(&out, console)?;
        if is_for_people && self.counts.files > 0 {
            console.out.flush()?;
            console.messages.note(self.counts.summary());
        }
        Ok(())
    }

    fn write(&self, text: &[u8], console: &mut Console) -> io::Result<()> {
        if self.to_stderr {
            console.messages.text(text);
            return Ok(());
        }
        console.out.write_all(text)
    }
}

impl Counts {
    fn add(&mut self, report: &Report, applied: usize) {
        self.files += 1;
        self.applied += applied;
        for finding in &report.findings {
            *match finding.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
                Severity::Note => &mut self.notes,
            } += 1;
            match finding.fix.as_ref().map(|fix| fix.safety) {
                Some(Safety::Safe) => self.safe_fixes += 1,
                Some(Safety::Unsafe) => self.unsafe_fixes += 1,
                None => {}
            }
        }
    }

    /// `2 errors, 1 note in 3 files; 4 problems fixed`.
    fn summary(&self) -> String {
        let all = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let found = all.iter().filter(|(count, _)| *count > 0);
        let found: Vec<String> = found.map(|(count, what)| counted(*count, what)).collect();
        let found = if found.is_empty() { "no problems".to_owned() } else { found.join(", ") };
        let mut text = format!("{found} in {}", counted(self.files, "file"));
        if self.is_fix {
            let _ = write!(text, "; {} fixed", counted(self.applied, "problem"));
        }
        text
    }

    /// The flags that fix some of the problems.
    fn hint(&self) -> Option<String> {
        match (self.safe_fixes, self.unsafe_fixes) {
            (0, 0) => None,
            (0, more) => Some(format!(
                "`--fix --unsafe-fixes` fixes {}; `--diff --unsafe-fixes` shows the changes",
                counted(more, "problem")
            )),
            (safe, 0) => Some(format!("`--fix` fixes {}", counted(safe, "problem"))),
            (safe, more) => Some(format!(
                "`--fix` fixes {}, and with `--unsafe-fixes` {more} more",
                counted(safe, "problem")
            )),
        }
    }
}

/// Writes a line for each rule, the most frequent first.
fn statistics(
    rules: &BTreeMap<&'static str, (&'static Rule, usize)>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut rules: Vec<_> = rules.values().collect();
    // The sort is stable: equally frequent rules stay in the order of their names.
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let width = rules.iter().map(|(rule, _)| rule.code.len()).max().unwrap_or_default();
    rules.into_iter().try_for_each(|(rule, count)| {
        writeln!(out, "{count:>6}  {:width$}  {}", rule.code, rule.severity)
    })
}
