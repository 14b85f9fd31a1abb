//! A parsed robots.txt with its name.

use std::sync::{Arc, OnceLock};

use verger::dialect::Oversize;
use verger::{Dialect, LineIndex, Position, Robots};
use verger_fetch::decision::Decision;

/// A robots.txt, parsed once for many URLs.
#[derive(Debug)]
pub(crate) struct RobotsFile {
    /// Path or URL, escaped.
    name: String,
    robots: Arc<Robots>,
    /// Positions of everything but rules and groups, which have their own. Built on first use: a
    /// batch needs none.
    lines: OnceLock<LineIndex>,
}

impl RobotsFile {
    pub(crate) fn parse(name: String, bytes: &[u8], dialect: &Dialect) -> Self {
        Self::of(name, Arc::new(dialect.parse(bytes)))
    }

    /// A file that is parsed already.
    pub(crate) fn of(name: String, robots: Arc<Robots>) -> Self {
        Self { name, robots, lines: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    /// Approximate memory in bytes: the text, and tables of ordinary size.
    pub(crate) fn bytes(&self) -> usize {
        const TABLES: usize = 512;
        2 * self.robots.text().len() + TABLES
    }

    /// Number of lines, without an empty one after a final line end.
    pub(crate) fn line_count(&self) -> usize {
        let ends_with_line_end =
            self.robots.text().ends_with(b"\n") || self.robots.text().ends_with(b"\r");
        self.lines().line_count() - usize::from(ends_with_line_end || self.robots.text().is_empty())
    }

    /// Line and column of a byte offset. The first call reads the whole file.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines().position(offset)
    }

    /// The starts of all lines. The first call reads the whole file.
    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.robots.text()))
    }

    /// Whether the dialect treats a file of this size as absent.
    pub(crate) fn counts_as_none(&self) -> bool {
        self.robots.is_truncated() && self.robots.dialect().oversize == Oversize::AllowAll
    }

    /// A warning if the file is longer than the limit of the dialect.
    pub(crate) fn truncation(&self) -> Option<String> {
        if !self.robots.is_truncated() {
            return None;
        }
        let dialect = self.robots.dialect();
        let limit = dialect.byte_limit.unwrap_or(verger::limits::SOURCE_BYTES);
        let effect = if self.counts_as_none() {
            format!("dialect `{dialect}` ignores the whole file")
        } else {
            "the rest, including the cut line, has no effect".to_owned()
        };
        Some(format!("`{}` is longer than {limit} bytes: {effect}", self.name))
    }
}

/// The file of the last decision. The next decision is often about the same file, and an index of
/// its lines takes a pass over it.
#[derive(Debug, Default)]
pub(crate) struct LastFile(Option<RobotsFile>);

impl LastFile {
    /// The file of a decision.
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
    use crate::answer::Answer;
    use verger_json::NamedCrawler;

    #[test]
    fn positions_are_those_of_the_engine() {
        let text = "User-agent: a\r\nUser-agent: b\rDisallow: /x\n\nUser-agent: c\nAllow: /y";
        let file = RobotsFile::parse("x".into(), text.as_bytes(), &Dialect::RFC9309);
        for group in file.robots().groups() {
            for agent in group.agents() {
                assert_eq!(file.position(agent.span().start), agent.position());
            }
            for rule in group.rules() {
                assert_eq!(file.position(rule.span().start), rule.position());
            }
        }
    }

    #[test]
    fn an_answer_in_json_needs_no_pass_over_the_lines() {
        let text = "User-agent: *\nDisallow: /x\n";
        let file = RobotsFile::parse("x".into(), text.as_bytes(), &Dialect::RFC9309);
        let crawler = NamedCrawler::token("a");
        let answer = Answer::of_file(b"/x", &crawler, &file, true);
        let json = serde_json::to_value(answer.keys()).unwrap();
        assert_eq!((&json["rule"]["line"], &json["group"]["line"]), (&2.into(), &1.into()));
        assert!(file.lines.get().is_none());
    }

    #[test]
    fn a_file_beyond_the_limit_has_a_warning() {
        let long = "#".repeat(verger::limits::BODY_BYTES + 1);
        let warning =
            |dialect| RobotsFile::parse("x".into(), long.as_bytes(), &dialect).truncation();
        assert_eq!(
            warning(Dialect::RFC9309).unwrap(),
            "`x` is longer than 512000 bytes: the rest, including the cut line, has no effect"
        );
        assert_eq!(
            warning(Dialect::YANDEX).unwrap(),
            "`x` is longer than 512000 bytes: dialect `yandex` ignores the whole file"
        );
        assert_eq!(warning(Dialect::GOOGLE), None);
    }
}
