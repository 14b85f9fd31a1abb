//! Other readings of a robots.txt by one crawler: it is accused only of what all of them forbid.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use verger::dialect::{AgentValue, Spellings};
use verger::{Crawler, Dialect, Origin, Policy, ProductToken, Robots};
use verger_registry::{Crawler as Known, Field, Purpose, Registry};

use crate::log::{absolute, hex_unescaped};

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

/// Other readings: for everybody, and of operators that publish one. Bing's is RFC 9309 with a
/// fallback, which the registry has.
const OTHERS: [(Option<&str>, Dialect); 4] = [
    (None, STRICT),
    (Some("Google"), Dialect::GOOGLE),
    (Some("Yandex"), Dialect::YANDEX),
    (Some("Baidu"), Dialect::BAIDU),
];

/// A robots.txt by RFC 9309, and its other readings as they are needed.
#[derive(Debug)]
pub(crate) struct Readings {
    pub(crate) robots: Robots,
    others: [OnceLock<Robots>; OTHERS.len()],
    /// The targets of the sitemaps that it names, decoded.
    sitemaps: HashSet<Box<[u8]>>,
}

impl Readings {
    pub(crate) fn of(text: &[u8], origin: &Origin) -> Self {
        let robots = Robots::parse(text);
        let target = |url: String| Some((*decoded(absolute(url.as_bytes())?.2)).into());
        let urls = robots.sitemaps().filter_map(|it| it.resolved(origin));
        // Behind a proxy that ends TLS, the scheme of the log is not that of the URLs.
        let is_here = |url: &String| {
            Origin::of(url).ok().flatten().is_some_and(|it| it.host() == origin.host())
        };
        let sitemaps = urls.filter(is_here).filter_map(target).collect();
        Self { sitemaps, robots, others: Default::default() }
    }

    /// Whether everybody is asked to request a target, here or by other standards (RFC 8615).
    pub(crate) fn is_exempt(&self, target: &[u8]) -> bool {
        let target = absolute(target).map_or(target, |(.., rest)| rest);
        target.starts_with(b"/.well-known/")
            || !self.sitemaps.is_empty() && self.sitemaps.contains(&*decoded(target))
    }

    /// The text by RFC 9309 without mistakes.
    pub(crate) fn strict(&self, text: &[u8]) -> &Robots {
        self.others[0].get_or_init(|| STRICT.parse(text))
    }

    /// The policies for a crawler, beside the one of its groups by RFC 9309. `text` is that of the
    /// file.
    pub(crate) fn others(&self, text: &[u8], rules: &Crawler) -> Vec<Policy> {
        let token = rules.tokens().first().map_or("", ProductToken::as_str);
        let known = Registry::bundled().find(token);
        let operator = known.and_then(Known::operator);
        let others = self.others.iter().zip(&OTHERS);
        let others = others.filter(|(_, (of, _))| of.is_none() || *of == operator);
        let parsed = others.map(|(it, (_, dialect))| it.get_or_init(|| dialect.parse(text)));
        let mut others: Vec<_> = parsed.map(|it| it.policy(rules)).collect();
        let Some(known) = known else { return others };
        // Only its first token, if no source confirms that it obeys groups for the others.
        if known.is_unconfirmed(Field::Chain) {
            others.push(self.robots.policy(&Crawler::new(token)));
        }
        let tokens = Registry::bundled().crawlers().iter().filter(|it| is_fetched_by(it, known));
        others.extend(tokens.map(|it| self.robots.policy(it.rules())));
        others
    }
}

/// A target without percent-encodings, which clients write in several ways.
fn decoded(target: &[u8]) -> Cow<'_, [u8]> {
    hex_unescaped(target, b'%')
}

/// Whether the pages of a crawler, which sends no header with its name, are fetched by another one,
/// to whose groups it falls back: those of Googlebot-News by Googlebot.
fn is_fetched_by(it: &Known, other: &Known) -> bool {
    it.user_agents().is_empty()
        && it.purpose() != Purpose::ControlToken
        && it.operator() == other.operator()
        && it.tokens().iter().any(|token| token == other.token())
}
