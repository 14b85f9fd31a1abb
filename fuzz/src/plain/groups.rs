//! Names in user-agent lines (REP-AGENT-5, REP-AMB-11, REP-AMB-27), and groups that apply to a
//! crawler (the table before REP-AGENT-20).

use verger::dialect::{AgentMatch, AgentValue, GroupsTaken};
use verger::{Agent, Crawler, Dialect, Robots};
use verger_testkit::naive;

/// Indexes of the groups that apply.
pub(crate) fn selected(robots: &Robots, crawler: &Crawler) -> Vec<usize> {
    let dialect = robots.dialect();
    for tokens in steps(crawler, &dialect) {
        let named = groups_where(robots, dialect.named_groups, |agent| {
            tokens.iter().any(|token| is_for(agent, token, &dialect))
        });
        if !named.is_empty() {
            return named;
        }
    }
    if crawler.ignores_star() {
        return Vec::new();
    }
    let is_for_everybody: Vec<bool> =
        robots.groups().map(|group| group.is_for_everybody()).collect();
    let all = (0..is_for_everybody.len()).filter(|&group| is_for_everybody[group]);
    take(all, dialect.star_groups)
}

/// Sets of tokens to look for, step by step.
fn steps(crawler: &Crawler, dialect: &Dialect) -> Vec<Vec<String>> {
    let own: Vec<String> = crawler.tokens().iter().map(|token| token.as_str().to_owned()).collect();
    let read =
        |token: String| if dialect.reads_headers { naive::names(&[&token]) } else { vec![token] };
    let own: Vec<String> = own.into_iter().flat_map(read).collect();
    let fallback = dialect.fallback.filter(|fallback| {
        let family = fallback.family.to_ascii_lowercase();
        own.iter().any(|token| token.to_ascii_lowercase().contains(&family))
    });
    let mut steps: Vec<Vec<String>> =
        if crawler.is_union() { vec![own] } else { own.into_iter().map(|one| vec![one]).collect() };
    steps.extend(fallback.map(|fallback| vec![fallback.name.to_owned()]));
    steps
}

/// The first word without version (REP-AGENT-41).
pub(crate) fn short(token: &str) -> String {
    let is_space = |c: char| c.is_ascii_whitespace();
    let word = token.trim_start_matches(is_space).split(is_space).next().unwrap_or_default();
    word.split('/').next().unwrap_or_default().to_owned()
}

/// REP-AMB-1.
fn is_for(agent: &Agent<'_>, token: &str, dialect: &Dialect) -> bool {
    // A value without a first word names nobody. An empty run, or an empty value, is a name.
    let names_nobody = agent.name().is_empty() && dialect.agent_value == AgentValue::FirstWord;
    if agent.is_star() || names_nobody {
        return false;
    }
    let (name, token) = (agent.name().to_ascii_lowercase(), token.to_ascii_lowercase());
    match dialect.agent_match {
        AgentMatch::NameInToken => holds(token.as_bytes(), &name),
        AgentMatch::TokenInName => holds(&name, token.as_bytes()),
        _ => name == token.as_bytes(),
    }
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    (0..=text.len()).any(|at| text[at..].starts_with(part))
}

fn groups_where(
    robots: &Robots,
    taken: GroupsTaken,
    is_named: impl Fn(&Agent<'_>) -> bool,
) -> Vec<usize> {
    let groups: Vec<usize> = robots
        .groups()
        .filter(|group| group.agents().any(|agent| is_named(&agent)))
        .map(|group| group.index())
        .collect();
    take(groups.into_iter(), taken)
}

fn take(groups: impl Iterator<Item = usize>, taken: GroupsTaken) -> Vec<usize> {
    let limit = if taken == GroupsTaken::First { 1 } else { usize::MAX };
    groups.take(limit).collect()
}

/// The name in a value: `*`, a name, or nothing.
pub(crate) fn agent_name(value: &[u8], reading: AgentValue) -> &[u8] {
    if reading == AgentValue::Whole {
        return value;
    }
    match value {
        [b'*'] => return value,
        [b'*', next, ..] if is_space(next) => return b"*",
        _ => {}
    }
    let belongs = |octet: u8| match reading {
        AgentValue::LeadingRun => octet.is_ascii_alphabetic() || b"-_".contains(&octet),
        _ => !is_space(&octet) && !b"/,;(*".contains(&octet),
    };
    let length = value.iter().take_while(|&&octet| belongs(octet)).count();
    &value[..length]
}

/// REP-AMB-42.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "iterators over bytes give references")]
pub(crate) fn is_space(octet: &u8) -> bool {
    matches!(octet, b' ' | b'\t' | 0x0B | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_groups_depend_on_the_dialect() {
        let text = "User-agent: a\nAllow: /\n\nUser-agent: *\nUser-agent: bot\nAllow: /\n\n\
                    User-agent: *\nUser-agent: A\nAllow: /\n";
        let of = |dialect: Dialect, crawler: Crawler| selected(&dialect.parse(text), &crawler);
        assert_eq!(of(Dialect::RFC9309, Crawler::new("a")), [0, 2]);
        assert_eq!(of(Dialect::BAIDU, Crawler::new("a")), [0]);
        assert_eq!(of(Dialect::RFC9309, Crawler::new("x")), [1, 2]);
        assert_eq!(of(Dialect::BOOK, Crawler::new("Robot/1.0")), [1]);
        assert_eq!(of(Dialect::RFC9309, Crawler::new("x (bot/1)")), [1]);
        assert_eq!(of(Dialect::RFC9309, Crawler::new("A/1")), [0, 2]);
        assert_eq!(of(Dialect::GOOGLE, Crawler::new("A/1")), [1, 2]);
        assert_eq!(of(Dialect::RFC9309, Crawler::union(["x", "bot", "a"])), [0, 1, 2]);
        assert_eq!(of(Dialect::RFC9309, Crawler::new("x").without_star()), [0; 0]);
    }

    #[test]
    fn agent_names_depend_on_the_reading() {
        for (value, run, word) in [
            ("MJ12bot/1.4", "MJ", "MJ12bot"),
            ("* x", "*", "*"),
            ("*x", "", ""),
            ("a, b", "a", "a"),
            ("", "", ""),
        ] {
            let name = |reading| String::from_utf8_lossy(agent_name(value.as_bytes(), reading));
            assert_eq!(name(AgentValue::LeadingRun), run);
            assert_eq!(name(AgentValue::FirstWord), word);
            assert_eq!(name(AgentValue::Whole), value);
        }
    }
}
