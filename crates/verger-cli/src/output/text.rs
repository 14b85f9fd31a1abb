//! Answers as text: one line for each URL, and the explanation on request.

use std::fmt;
use std::io::{self, Write};

use verger::dialect::Precedence;
use verger::{Contender, Explanation, Standing, Untrusted, Verdict, quoted, without_credentials};
use verger_fetch::decision::{Decision, RecordSource};

use super::excerpt::excerpt;
use crate::answer::Answer;
use crate::console::Palette;
use crate::hints;
use crate::limits::OTHER_RULES;
use crate::record_report::last_try;
use crate::sentence::time;

/// Writes answers as text. Unless they are live, all are about one robots.txt.
#[derive(Debug)]
pub(crate) struct TextWriter {
    pub(crate) palette: Palette,
    /// Whether the client is offline, so that there is no next try.
    pub(crate) offline: bool,
}

impl TextWriter {
    pub(crate) fn write(&self, out: &mut impl Write, answer: &Answer<'_>) -> io::Result<()> {
        let (word, style) = if answer.verdict.is_allowed() {
            ("allow", self.palette.allow)
        } else {
            ("disallow", self.palette.disallow)
        };
        let url = without_credentials(answer.url);
        let url = Untrusted::new(&*url);
        let offline = self.offline;
        let why = answer.verdict.why();
        write!(out, "{style}{word}{style:#}  {url}  ")?;
        match answer.decision.map(|decision| DecisionText { decision, offline }) {
            // The reason of the verdict would blame the site.
            Some(text) if text.decision.fault().is_some() => writeln!(out, "{text}")?,
            Some(text) => writeln!(out, "{why} ({text})")?,
            None => writeln!(out, "{why}")?,
        }
        match &answer.explanation {
            Some(explanation) => self.explain(out, answer, explanation),
            None => Ok(()),
        }
    }

    fn explain(
        &self,
        out: &mut impl Write,
        answer: &Answer<'_>,
        explanation: &Explanation<'_>,
    ) -> io::Result<()> {
        if let Some(target) = &explanation.target {
            writeln!(out, "target: {}", quoted(target))?;
        }
        if let Some(excerpt) = excerpt(answer, explanation, self.palette.has_colour) {
            writeln!(out, "{excerpt}")?;
        }
        if let Some(joined) = joined(&answer.verdict) {
            writeln!(out, "{joined}")?;
        }
        let others = || {
            let all = explanation.contenders.iter();
            all.filter(|contender| contender.standing != Standing::Decides)
        };
        for other in others().take(OTHER_RULES) {
            let (line, rule) = (other.rule.position().line, other.rule);
            let rule = rule.to_string();
            let rule = Untrusted::new(&rule).quoted();
            writeln!(out, "line {line}: {rule} {}", standing(answer, other))?;
        }
        let more = others().count().saturating_sub(OTHER_RULES);
        if more > 0 {
            writeln!(out, "further matching rules: {more}")?;
        }
        if let Some(hint) = hints::target_hint(answer, explanation) {
            let style = self.palette.hint;
            writeln!(out, "\n{style}hint{style:#}: {hint}")?;
        }
        writeln!(out)
    }
}

/// The user-agent line that joins the group of a verdict, and the option that separates them.
fn joined(verdict: &Verdict<'_>) -> Option<String> {
    let group = verdict.group()?;
    let agent = group.joined_by()?;
    let record = agent.joins_across()?;
    let (line, first) = (agent.position().line, group.position().line);
    let (key, option) = (record.key(), record.option());
    let agent = format!("User-agent: {agent}");
    let agent = Untrusted::new(&agent).quoted();
    Some(format!(
        "line {line}: {agent} joins the group of line {first}, because `{key}` does not end \
         a list of agents; in the library, the field `{option}` of `Dialect` separates them"
    ))
}

/// The reason that a matching rule does not decide.
fn standing(answer: &Answer<'_>, other: &Contender<'_>) -> String {
    let Contender { standing, length, .. } = other;
    let how = if other.by_directory { " by its directory" } else { "" };
    let length = match answer.file.robots().dialect().precedence {
        Precedence::LongestPattern => format!(" (length {length})"),
        _ => String::new(),
    };
    format!("matches too{how}; it {standing}{length}")
}

/// The evidence of a live answer in words, for the line of the answer.
pub(crate) struct DecisionText<'a> {
    pub(crate) decision: &'a Decision,
    /// Whether the client is offline, so that there is no next try.
    pub(crate) offline: bool,
}

impl fmt::Display for DecisionText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(record) = self.decision.record() else {
            return f.write_str("nothing fetched");
        };
        if self.decision.fault().is_some() {
            f.write_str("not answered: ")?;
        }
        let status = self.decision.last().and_then(|last| last.status);
        match (self.decision.failure(), status) {
            (Some(failure), _) => write!(f, "{failure}")?,
            (None, Some(status)) => write!(f, "status {status}")?,
            (None, None) => f.write_str("fetched")?,
        }
        let state = self.decision.state();
        let has_failed = state.failing_since().is_some() || record.has_fault();
        // A fresh file is used even after a failed fetch.
        let fresh =
            self.decision.file().filter(|_| !has_failed && self.decision.failure().is_some());
        match self.decision.last().and_then(last_try) {
            Some(tried) if has_failed || fresh.is_some() => write!(f, ", last try {tried}")?,
            Some(tried) => write!(f, ", {tried}")?,
            None => {}
        }
        if self.decision.source() == RecordSource::Store {
            f.write_str(", from the store")?;
        }
        if let (Some(_), Some(fetched)) = (self.decision.access().stale(), state.fetched_at()) {
            write!(f, ", by the copy of {}", time(fetched.seconds()))?;
        }
        if let Some(file) = fresh {
            write!(f, ", by the file of {}", time(file.fetched_at.seconds()))?;
        }
        // REP-ACCESS-35: it is parsed nevertheless.
        if self.decision.file().is_some_and(|file| file.html) {
            f.write_str(", looks like an HTML page")?;
        }
        // A fault of the client is not stored, so another process tries at once.
        if state.failing_since().is_some() && !self.offline && !record.has_fault() {
            let next = self.decision.next_try().unwrap_or_default();
            write!(f, ", next try {}", time(next.seconds()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots_file::RobotsFile;
    use verger::Dialect;
    use verger_json::NamedCrawler;

    #[test]
    fn further_rules_are_counted() {
        let robots =
            format!("User-agent: *\nAllow: /a\n{}", "Disallow: /\n".repeat(OTHER_RULES + 2));
        let file = RobotsFile::parse("x".into(), robots.as_bytes(), &Dialect::RFC9309);
        let crawler = NamedCrawler::token("a");
        let mut out = Vec::new();
        let text = TextWriter { palette: Palette::default(), offline: true };
        text.write(&mut out, &Answer::of_file(b"/a", &crawler, &file, true)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("\nfurther matching rules: 2\n\n"), "{text}");
    }
}
