//! Other readings of a robots.txt by one crawler: it is accused only of what all of them forbid.

use std::cell::OnceCell;

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

/// A robots.txt by RFC 9309, and its other readings as they are needed.
#[derive(Debug)]
pub(crate) struct Readings {
    pub(crate) robots: Robots,
    strict: OnceCell<Robots>,
    published: [OnceCell<Robots>; PUBLISHED.len()],
}

impl Readings {
    pub(crate) fn of(text: &[u8]) -> Self {
        let (robots, strict) = (Robots::parse(text), OnceCell::new());
        Self { robots, strict, published: [const { OnceCell::new() }; PUBLISHED.len()] }
    }

    /// The policies for a crawler, beside the one of its groups by RFC 9309. `text` is that of the
    /// file.
    pub(crate) fn others(&self, text: &[u8], rules: &Crawler) -> Vec<Policy> {
        let token = rules.tokens().first().map_or("", ProductToken::as_str);
        let mut others = vec![self.strict.get_or_init(|| STRICT.parse(text)).policy(rules)];
        let Some(known) = Registry::bundled().find(token) else { return others };
        for (robots, (operator, dialect)) in self.published.iter().zip(&PUBLISHED) {
            if known.operator() == Some(operator) {
                others.push(robots.get_or_init(|| dialect.parse(text)).policy(rules));
            }
        }
        // Only its first token, if no source confirms that it obeys groups for the others.
        if known.is_unconfirmed(Field::Chain) {
            others.push(self.robots.policy(&Crawler::new(token)));
        }
        let tokens = Registry::bundled().crawlers().iter().filter(|it| is_fetched_by(it, known));
        others.extend(tokens.map(|it| self.robots.policy(it.rules())));
        others
    }
}

/// Whether the pages of a crawler, which sends no header with its name, are fetched by another one,
/// to whose groups it falls back: those of Googlebot-News by Googlebot.
fn is_fetched_by(it: &Known, other: &Known) -> bool {
    it.user_agents().is_empty()
        && it.purpose() != Purpose::ControlToken
        && it.operator() == other.operator()
        && it.tokens().iter().any(|token| token == other.token())
}
