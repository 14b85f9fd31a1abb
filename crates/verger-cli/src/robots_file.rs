//! A robots.txt with where it came from, ready to be asked.

use std::sync::{Arc, OnceLock};

use verger::dialect::Oversize;
use verger::{Dialect, LineIndex, Position, Robots};
use verger_fetch::decision::Decision;

/// A robots.txt, parsed once for many questions.
#[derive(Debug)]
pub(crate) struct RobotsFile {
    /// Its name, escaped.
    name: String,
    robots: Arc<Robots>,
    // Rules and groups know their lines. Anything else is found by counting from the start, which is too slow
    // to do for each of many places; a file of a batch is never asked for one, and pays nothing.
    lines: OnceLock<LineIndex>,
}

impl RobotsFile {
    pub(crate) fn parse(name: String, bytes: &[u8], dialect: &Dialect) -> Self {
        Self::of(name, Arc::new(dialect.parse(bytes)))
    }

    /// One that is parsed already.
    pub(crate) fn of(name: String, robots: Arc<Robots>) -> Self {
        Self { name, robots, lines: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    /// How many bytes it takes, about: the text, and tables of ordinary size.
    pub(crate) fn bytes(&self) -> usize {
        const TABLES: usize = 512;
        2 * self.robots.text().len() + TABLES
    }

    /// The number of lines, an empty one behind a final line end not counted.
    pub(crate) fn line_count(&self) -> usize {
        let ends_with_line_end =
            self.robots.text().ends_with(b"\n") || self.robots.text().ends_with(b"\r");
        self.lines().line_count() - usize::from(ends_with_line_end || self.robots.text().is_empty())
    }

    /// Line and column of a byte offset. The first time takes a pass over the file; rules and groups say
    /// where they are without.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines().position(offset)
    }

    fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.robots.text()))
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

/// The file of the last decision. The next one is often about the same, and where an explanation shows
/// lines of it, to find them takes a pass over the file.
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
    use crate::asker::Asker;
    use crate::reply::Reply;

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
        let asker = Asker::chain(vec!["a".into()]);
        let reply = Reply::ask(b"/x", &asker, &file, true);
        let json = serde_json::to_value(reply.answer()).unwrap();
        assert_eq!((&json["rule"]["line"], &json["group"]["line"]), (&2.into(), &1.into()));
        assert!(file.lines.get().is_none());
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
