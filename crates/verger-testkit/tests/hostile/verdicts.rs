//! Answers, deciding lines, groups and truncation.

use std::str;

use verger::Dialect;
use verger_testkit::hostile::{AGENT, Answers, ORIGIN, Question};

use crate::always::{self, Asked};
use crate::judge::Complaints;

/// The two dialects of the entries' claims.
pub(crate) const BOTH: [Dialect; 2] = [Dialect::RFC9309, Dialect::GOOGLE];

/// The expected answer in one of the two.
pub(crate) fn expected(answers: Answers, dialect: Dialect) -> bool {
    if dialect == Dialect::GOOGLE { answers.google } else { answers.rfc9309 }
}

/// Each interface answers the question as expected.
pub(crate) fn answers(question: &Question<'_>, complaints: &mut Complaints) {
    let Ok(agent) = str::from_utf8(&question.agent) else {
        // An agent is a `str` in this API, so the caller must reject other bytes.
        return;
    };
    for dialect in BOTH {
        let robots = always::parse(dialect, &question.robots, complaints);
        let asked = Asked { text: &question.robots, robots: &robots, crawler: agent };
        let allowed = asked.check(&question.url, complaints);
        let what = format!(
            "{dialect}: may `{}` fetch `{}`",
            excerpt(&question.agent),
            excerpt(&question.url)
        );
        complaints.unless_equal(&what, allowed, expected(question.allowed, dialect));
    }
}

/// The start of a text that may be long.
pub(crate) fn excerpt(text: &[u8]) -> String {
    verger::Untrusted::new(text).limited_to(60).to_string()
}

/// The rule on the line decides the path.
pub(crate) fn line(bytes: &[u8], path: &str, line: usize, complaints: &mut Complaints) {
    for dialect in BOTH {
        let robots = dialect.parse(bytes);
        let url = format!("{ORIGIN}{path}");
        let found = robots.check(AGENT, &url).rule().map(|rule| rule.position().line);
        complaints.unless_equal(&format!("{dialect}: line that decides {path}"), found, Some(line));
        let explained = robots.explain(AGENT, &url).verdict.rule().map(|rule| rule.position().line);
        complaints.unless_equal(&format!("{dialect}: line in the explanation"), explained, found);
    }
}

/// Number of groups in the default dialect.
pub(crate) fn groups(bytes: &[u8], count: usize, complaints: &mut Complaints) {
    let robots = Dialect::RFC9309.parse(bytes);
    complaints.unless_equal("groups", robots.groups().len(), count);
}

/// Whether the size limit cut the text.
pub(crate) fn truncated(bytes: &[u8], is_truncated: bool, complaints: &mut Complaints) {
    for dialect in BOTH {
        let found = dialect.parse(bytes).is_truncated();
        let expected = is_truncated && dialect.byte_limit.is_some();
        complaints.unless_equal(&format!("{dialect}: truncated"), found, expected);
    }
}
