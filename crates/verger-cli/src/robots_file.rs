//! A robots.txt with where it came from, ready to be asked.

use std::sync::Arc;

use verger::dialect::Oversize;
use verger::{Dialect, Group, LineIndex, Position, Robots, Rule};
use verger_fetch::decision::Decision;

/// A robots.txt, parsed once for many questions.
#[derive(Debug)]
pub(crate) struct RobotsFile {
    /// Its name, escaped.
    name: String,
    robots: Arc<Robots>,
    // The engine finds a position by counting lines from the start, which is too slow to do for each
    // of a million answers.
    lines: LineIndex,
}

impl RobotsFile {
    pub(crate) fn parse(name: String, bytes: &[u8], dialect: &Dialect) -> Self {
        Self::of(name, Arc::new(dialect.parse(bytes)))
    }

    /// One that is parsed already.
    pub(crate) fn of(name: String, robots: Arc<Robots>) -> Self {
        let lines = LineIndex::new(robots.text());
        Self { name, robots, lines }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    /// The number of lines, an empty one behind a final line end not counted.
    pub(crate) fn line_count(&self) -> usize {
        let ends_with_line_end =
            self.robots.text().ends_with(b"\n") || self.robots.text().ends_with(b"\r");
        self.lines.line_count() - usize::from(ends_with_line_end || self.robots.text().is_empty())
    }

    /// Line and column of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }

    /// Where a rule's pattern stands.
    pub(crate) fn rule_position(&self, rule: Rule<'_>) -> Position {
        self.position(rule.span().start)
    }

    /// The line on which a group begins.
    pub(crate) fn group_line(&self, group: Group<'_>) -> usize {
        let span = group.agents().next().map(|agent| agent.span());
        let span = span.or_else(|| group.rules().next().map(|rule| rule.span()));
        self.position(span.unwrap_or_default().start).line
    }

    /// Whether the dialect takes a file of this size for none.
    pub(crate) fn counts_as_none(&self) -> bool {
        self.robots.is_truncated() && self.robots.dialect().oversize == Oversize::AllowAll
    }

    /// What to tell people about a file that was too long.
    pub(crate) fn truncation(&self) -> Option<String> {
        if !self.robots.is_truncated() {
            return None;
        }
        let dialect = self.robots.dialect();
        let limit = dialect.byte_limit.unwrap_or(verger::limits::SOURCE_BYTES);
        let what = if self.counts_as_none() {
            format!("so in dialect `{dialect}` it counts as none")
        } else {
            "what lies behind, the cut line included, has no effect".to_owned()
        };
        Some(format!("`{}` is longer than {limit} bytes: {what}", self.name))
    }
}

/// The file of the last decision. The next one is often about the same, and to count its lines takes a
/// pass over it.
#[derive(Debug, Default)]
pub(crate) struct LastFile(Option<RobotsFile>);

impl LastFile {
    /// The file that a decision rests on.
    pub(crate) fn of(&mut self, decision: &Decision) -> &RobotsFile {
        let name = decision.record().map_or_else(String::new, |it| it.origin().robots_url());
        let robots = decision.robots();
        let last = self.0.take();
        let last = last.filter(|file| file.name == name && Arc::ptr_eq(&file.robots, robots));
        self.0.insert(last.unwrap_or_else(|| RobotsFile::of(name, Arc::clone(robots))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_engine() {
        let text = "User-agent: a\r\nUser-agent: b\rDisallow: /x\n\nUser-agent: c\nAllow: /y";
        let file = RobotsFile::parse("x".into(), text.as_bytes(), &Dialect::RFC9309);
        for group in file.robots().groups() {
            assert_eq!(file.group_line(group), group.position().line);
            for rule in group.rules() {
                assert_eq!(file.rule_position(rule), rule.position());
            }
        }
    }

    #[test]
    fn a_cut_file_is_told_and_what_that_means() {
        let long = "#".repeat(verger::limits::BODY_BYTES + 1);
        let told = |dialect| RobotsFile::parse("x".into(), long.as_bytes(), &dialect).truncation();
        assert_eq!(
            told(Dialect::RFC9309).unwrap(),
            "`x` is longer than 512000 bytes: what lies behind, the cut line included, has no effect"
        );
        assert_eq!(
            told(Dialect::YANDEX).unwrap(),
            "`x` is longer than 512000 bytes: so in dialect `yandex` it counts as none"
        );
        assert_eq!(told(Dialect::GOOGLE), None);
    }
}
