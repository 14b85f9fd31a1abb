//! An excerpt of the file with the deciding lines marked.

use verger::diagnostic::Severity;
use verger::dialect::Precedence;
use verger::{Explanation, Standing, Untrusted};
use verger_lint::render::{Colour, Excerpt, Mark};

use crate::answer::Answer;

/// Draws the deciding line and the user-agent line of its group; `None` if no group applies.
pub(super) fn excerpt(
    answer: &Answer<'_>,
    explanation: &Explanation<'_>,
    has_colour: bool,
) -> Option<String> {
    let verdict = &answer.verdict;
    let group = verdict.group()?;
    let mut marks = Vec::new();
    if let Some(rule) = verdict.rule() {
        marks.push(Mark::of(rule.span()).label(decides(answer, explanation)));
    }
    if let Some(agent) = group.found_by().or_else(|| group.agents().next()) {
        let no_match = if verdict.rule().is_some() { "" } else { ", in which no rule matches" };
        let name = agent.to_string();
        let label = format!("the group for {}{no_match}", Untrusted::new(&name).quoted());
        marks.push(Mark::of(agent.span()).from_line_start().label(label));
    }
    let mut marks = marks.into_iter();
    let file = answer.file;
    let excerpt = Excerpt::new(file.robots().text(), file.lines(), marks.next()?);
    let severity = if verdict.is_allowed() { Severity::Note } else { Severity::Error };
    let colour = if has_colour { Colour::Ansi } else { Colour::None };
    Some(marks.fold(excerpt, Excerpt::with).draw(file.name().as_bytes(), severity, colour))
}

fn decides(answer: &Answer<'_>, explanation: &Explanation<'_>) -> String {
    let decider = explanation.contenders.iter().find(|it| it.standing == Standing::Decides);
    match (decider, answer.file.robots().dialect().precedence) {
        (Some(decider), Precedence::LongestPattern) => {
            let by_directory = if decider.by_directory { " by its directory" } else { "" };
            format!("decides{by_directory} (length {})", decider.length)
        }
        _ => "decides".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots_file::RobotsFile;
    use verger::Dialect;
    use verger_json::NamedCrawler;

    #[track_caller]
    fn check(robots: impl AsRef<[u8]>, url: &str, expected: &str) {
        let file = RobotsFile::parse("r.txt".into(), robots.as_ref(), &Dialect::RFC9309);
        let crawler = NamedCrawler::token("GPTBot");
        let answer = Answer::of_file(url.as_bytes(), &crawler, &file, true);
        let found = excerpt(&answer, answer.explanation.as_ref().unwrap(), false);
        // The expected text begins on a separate line, because its first line is indented.
        assert_eq!(found.unwrap_or_default(), expected.trim_start_matches('\n'));
    }

    #[test]
    fn a_single_line_between_marked_ones_is_shown() {
        check(
            "User-agent: a\nUser-agent: *\r\n# a comment\rDisallow: /x # y\n",
            "/x",
            "
 --> r.txt:4:11
  |
2 | User-agent: *
  | ------------- the group for `*`
3 | # a comment
4 | Disallow: /x # y
  |           ^^ decides (length 2)",
        );
    }

    #[test]
    fn marks_are_aligned_with_escaped_text() {
        check(
            b"User-agent: *\n\x1b]0;\xff\tDisallow: /\n\tDisallow:\t\t/\xe9\x1b[2J # \x07\n",
            "/%E9%1B[2J",
            r"
 --> r.txt:3:13
  |
1 | User-agent: *
  | ------------- the group for `*`
2 | \x1b]0;\xff\tDisallow: /
3 | \tDisallow:\t\t/\xe9\x1b[2J # \x07
  |                ^^^^^^^^^^^^ decides (length 10)",
        );
    }
}
