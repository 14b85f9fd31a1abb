//! Answers for people: a line for each URL, and below it, when asked for, the whole story.

use std::collections::HashMap;
use std::io::{self, Write};

use verger::dialect::Precedence;
use verger::{Contender, Explanation, Reason, Standing, Untrusted, Verdict};

use super::excerpt::excerpt;
use crate::console::Palette;
use crate::decision::InWords;
use crate::hints;
use crate::limits::LOSERS;
use crate::quote::quoted;
use crate::reply::Reply;

/// Writes answers as text. All of them are about one robots.txt, unless they are live.
#[derive(Debug, Default)]
pub(crate) struct TextAnswers {
    palette: Palette,
    /// Whether nothing is fetched: then there is no next try to tell of.
    offline: bool,
    /// The sentences written so far. There are no more of them than the file has rules and groups, and
    /// finding the line numbers in them takes the engine a pass over the file.
    whys: HashMap<Decider, String>,
}

/// What a sentence is about: the reason, and where the rule and the name of the group stand.
type Decider = (Reason, Option<usize>, Option<usize>);

impl TextAnswers {
    pub(crate) fn new(palette: Palette, offline: bool) -> Self {
        Self { palette, offline, whys: HashMap::new() }
    }

    pub(crate) fn write(&mut self, out: &mut impl Write, reply: &Reply<'_>) -> io::Result<()> {
        let (word, style) = if reply.verdict.is_allowed() {
            ("allow", self.palette.allow)
        } else {
            ("disallow", self.palette.disallow)
        };
        let url = Untrusted::new(reply.url);
        // The next live answer may be about another file.
        if reply.decision.is_some() {
            self.whys.clear();
        }
        let why = self.why(&reply.verdict);
        write!(out, "{style}{word}{style:#}  {url}  {why}")?;
        match reply.decision {
            Some(decision) => writeln!(out, " ({})", InWords { decision, offline: self.offline })?,
            None => writeln!(out)?,
        }
        match &reply.explanation {
            Some(explanation) => self.explain(out, reply, explanation),
            None => Ok(()),
        }
    }

    fn why(&mut self, verdict: &Verdict<'_>) -> &str {
        let rule = verdict.rule().map(|rule| rule.span().start);
        let name = verdict.group().and_then(|group| group.found_by());
        let name = name.map(|name| name.span().start);
        let sentence = || verdict.why().to_string();
        self.whys.entry((verdict.reason(), rule, name)).or_insert_with(sentence)
    }

    fn explain(
        &self,
        out: &mut impl Write,
        reply: &Reply<'_>,
        explanation: &Explanation<'_>,
    ) -> io::Result<()> {
        if let Some(target) = &explanation.target {
            writeln!(out, "target: {}", quoted(target))?;
        }
        if let Some(excerpt) = excerpt(reply, explanation, self.palette.has_colour) {
            writeln!(out, "{excerpt}")?;
        }
        if let Some(joined) = joined(&reply.verdict) {
            writeln!(out, "{joined}")?;
        }
        let losers = || {
            let all = explanation.contenders.iter();
            all.filter(|contender| contender.standing != Standing::Decides)
        };
        for loser in losers().take(LOSERS) {
            let line = loser.rule.position().line;
            let rule = loser.rule;
            writeln!(out, "line {line}: `{rule}` {}", why_lost(reply, loser))?;
        }
        let more = losers().count().saturating_sub(LOSERS);
        if more > 0 {
            writeln!(out, "{more} more rules match too")?;
        }
        if let Some(hint) = hints::other_target(reply, explanation) {
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
    Some(format!(
        "line {line}: `User-agent: {agent}` joins the group of line {first}, because `{key}` does not end \
         a list of agents; in the library, the field `{option}` of `Dialect` separates them"
    ))
}

/// Why a rule that matched lost.
fn why_lost(reply: &Reply<'_>, loser: &Contender<'_>) -> String {
    let Contender { standing, length, .. } = loser;
    let how = if loser.by_directory { " by its directory" } else { "" };
    let length = match reply.file.robots().dialect().precedence {
        Precedence::LongestPattern => format!(" (length {length})"),
        _ => String::new(),
    };
    format!("matches too{how}; it {standing}{length}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asker::Asker;
    use crate::robots_file::RobotsFile;
    use verger::Dialect;

    #[track_caller]
    fn check(dialect: &Dialect, robots: &str, url: &str, explain: bool, expected: &str) {
        let file = RobotsFile::parse("robots.txt".into(), robots.as_bytes(), dialect);
        let asker = Asker::chain(vec!["GPTBot".into()]);
        let mut out = Vec::new();
        let mut text = TextAnswers::new(Palette::default(), true);
        text.write(&mut out, &Reply::ask(url.as_bytes(), &asker, &file, explain)).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    const SHOP: &str = "User-agent: *\nDisallow: /cart\nAllow: /\n";

    #[test]
    fn a_line_is_the_answer_the_url_and_why() {
        let check = |url, expected| check(&Dialect::RFC9309, SHOP, url, false, expected);
        check(
            "/cart",
            "disallow  /cart  by `Disallow: /cart` on line 2, in the group for `*` (line 1)\n",
        );
        check("/x", "allow  /x  by `Allow: /` on line 3, in the group for `*` (line 1)\n");
        check("data:x", "allow  data:x  URLs of this scheme have no robots.txt\n");
        check("/robots.txt", "allow  /robots.txt  robots.txt itself may always be fetched\n");
    }

    #[test]
    fn without_a_deciding_rule_the_group_is_named_or_its_absence() {
        let dialect = &Dialect::RFC9309;
        let robots = "User-agent: GPTBot\nDisallow: /cart\n";
        check(
            dialect,
            robots,
            "/x",
            false,
            "allow  /x  no rule matches in the group for `GPTBot` (line 1)\n",
        );
        check(dialect, "", "/x", false, "allow  /x  no group is for this crawler\n");
    }

    #[test]
    fn an_explanation_shows_target_place_and_losers() {
        check(
            &Dialect::RFC9309,
            SHOP,
            "/c%61rt",
            true,
            "\
disallow  /c%61rt  by `Disallow: /cart` on line 2, in the group for `*` (line 1)
target: `/cart`
 --> robots.txt:2:11
  |
1 | User-agent: *
  | ------------- the group for `*`
2 | Disallow: /cart
  |           ^^^^^ decides (length 5)
line 3: `Allow: /` matches too; it is shorter (length 1)

",
        );
        check(
            &Dialect::BAIDU,
            SHOP,
            "/cart",
            true,
            "\
disallow  /cart  by `Disallow: /cart` on line 2, in the group for `*` (line 1)
target: `/cart`
 --> robots.txt:2:11
  |
1 | User-agent: *
  | ------------- the group for `*`
2 | Disallow: /cart
  |           ^^^^^ decides
line 3: `Allow: /` matches too; it matches later, and the first match decides

",
        );
    }

    #[test]
    fn many_losers_are_counted() {
        let robots = format!("User-agent: *\nAllow: /a\n{}", "Disallow: /\n".repeat(LOSERS + 2));
        let file = RobotsFile::parse("x".into(), robots.as_bytes(), &Dialect::RFC9309);
        let asker = Asker::chain(vec!["a".into()]);
        let mut out = Vec::new();
        let mut text = TextAnswers::new(Palette::default(), true);
        text.write(&mut out, &Reply::ask(b"/a", &asker, &file, true)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("\n2 more rules match too\n\n"), "{text}");
    }
}
