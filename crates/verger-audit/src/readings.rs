//! Other readings of a robots.txt by one crawler: it is accused only of what all of them forbid.

use verger::dialect::{AgentValue, Spellings};
use verger::{Crawler, Dialect, Policy, ProductToken, Robots};
use verger_registry::{Crawler as Known, Field, Purpose, Registry};

/// RFC 9309 without what it leaves to parsers: other encodings, mistakes, names with more than the
/// token, and the end of a text of more than 500 KiB.
const STRICT: Dialect = {
    let mut strict = Dialect::RFC9309;
    strict.name = "strict";
    strict.byte_limit = None;
    strict.utf16 = false;
    strict.missing_colon = false;
    strict.spellings = Spellings::Exact;
    strict.agent_value = AgentValue::Whole;
    strict
};

/// The dialects of operators that publish one. Bing's is RFC 9309 with a fallback, which the
/// registry has.
const PUBLISHED: [(&str, Dialect); 3] =
    [("Google", Dialect::GOOGLE), ("Yandex", Dialect::YANDEX), ("Baidu", Dialect::BAIDU)];

/// The policies of a text for a crawler, beside the one of its groups by RFC 9309.
pub(crate) fn others(text: &[u8], robots: &Robots, rules: &Crawler) -> Vec<Policy> {
    let token = rules.tokens().first().map_or("", ProductToken::as_str);
    let mut others = vec![STRICT.parse(text).policy(rules)];
    let Some(known) = Registry::bundled().find(token) else { return others };
    let dialects = PUBLISHED.iter().filter(|(operator, _)| known.operator() == Some(operator));
    others.extend(dialects.map(|(_, dialect)| dialect.parse(text).policy(rules)));
    // Only its first token, if no source confirms that it obeys groups for the others.
    if known.is_unconfirmed(Field::Chain) {
        others.push(robots.policy(&Crawler::new(token)));
    }
    let tokens = Registry::bundled().crawlers().iter().filter(|it| is_fetched_by(it, known));
    others.extend(tokens.map(|it| robots.policy(it.rules())));
    others
}

/// Whether the pages of a crawler, which sends no header with its name, are fetched by another one,
/// to whose groups it falls back: those of Googlebot-News by Googlebot.
fn is_fetched_by(it: &Known, other: &Known) -> bool {
    it.user_agents().is_empty()
        && it.purpose() != Purpose::ControlToken
        && it.operator() == other.operator()
        && it.tokens().iter().any(|token| token == other.token())
}
