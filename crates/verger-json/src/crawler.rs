//! The crawler of a question: its agent, and the product tokens that the agent means.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use verger::{Crawler, Dialect, ProductToken, quoted};
use verger_registry::{Crawler as Known, Registry};

/// A crawler and the words that name it in a question. The one resolver of names: all programs and
/// the service use it.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_json::NamedCrawler;
///
/// let json = |crawler: NamedCrawler| serde_json::to_string(&crawler.keys());
/// assert_eq!(
///     json(NamedCrawler::agent("Googlebot-Image", &Dialect::RFC9309))?,
///     r#"{"agent":"Googlebot-Image","tokens":["Googlebot-Image","Googlebot"]}"#
/// );
/// assert_eq!(
///     json(NamedCrawler::token("Googlebot-Image"))?,
///     r#"{"token":"Googlebot-Image","tokens":["Googlebot-Image"]}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedCrawler {
    crawler: Arc<Crawler>,
    form: NamedAs,
    known: Option<&'static Known>,
    note: Option<String>,
}

/// The words of the question.
#[derive(Clone, Debug)]
enum NamedAs {
    Agent(String),
    Token(String),
    Agents(Vec<String>),
}

impl NamedCrawler {
    /// The crawler of an agent: a known crawler with its documented fallbacks and special rules,
    /// any other product token, or a User-Agent header ([`Registry::resolve`]).
    pub fn agent(agent: impl Into<String>, dialect: &Dialect) -> Self {
        let agent = agent.into();
        let read = Registry::bundled().resolve(&agent, dialect.reads_headers);
        let (crawler, known) = (Arc::new(read.rules.into_owned()), read.known);
        Self { crawler, form: NamedAs::Agent(agent), known, note: known.and_then(Known::caveat) }
    }

    /// A crawler with this product token and no fallback, also if a crawler of that name has some.
    pub fn token(token: impl Into<String>) -> Self {
        let token = token.into();
        Self::literal(Crawler::new(token.as_str()), NamedAs::Token(token))
    }

    /// A crawler with these product tokens, most specific first, and no others. Dialects that read
    /// headers replace a User-Agent header by its product tokens (REP-AMB-13).
    pub fn chain(agents: Vec<String>, dialect: &Dialect) -> Self {
        Self::literal(Crawler::chain(read(&agents, dialect)), NamedAs::Agents(agents))
    }

    /// The same, but the groups of all tokens apply together.
    pub fn union(agents: Vec<String>, dialect: &Dialect) -> Self {
        Self::literal(Crawler::union(read(&agents, dialect)), NamedAs::Agents(agents))
    }

    /// A crawler without a question: named as the agent that means it, or by its tokens.
    pub fn of_crawler(crawler: Crawler) -> Self {
        let mut tokens: Vec<_> = crawler.tokens().iter().map(ToString::to_string).collect();
        if let Some(first) = tokens.first() {
            let agent = Self::agent(first, &Dialect::RFC9309);
            if *agent.crawler == crawler {
                return agent;
            }
        }
        let form = match tokens.len() {
            1 => NamedAs::Token(tokens.remove(0)),
            _ => NamedAs::Agents(tokens),
        };
        Self::literal(crawler, form)
    }

    fn literal(crawler: Crawler, form: NamedAs) -> Self {
        Self { crawler: Arc::new(crawler), form, known: None, note: None }
    }

    /// The crawler.
    pub fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// The crawler, shared with other threads.
    pub fn shared_crawler(&self) -> Arc<Crawler> {
        Arc::clone(&self.crawler)
    }

    /// Approximate number of bytes of its names.
    pub fn bytes(&self) -> usize {
        let tokens = self.crawler.tokens().iter();
        let tokens = tokens.map(|token| token.as_str().len() + size_of::<ProductToken>());
        let words = self.words().iter().map(|word| word.len() + size_of::<String>());
        tokens.chain(words).sum()
    }

    /// The known crawler, if the agent names one.
    pub const fn known(&self) -> Option<&'static Known> {
        self.known
    }

    /// The agents or the token of the question.
    pub fn words(&self) -> &[String] {
        match &self.form {
            NamedAs::Agent(word) | NamedAs::Token(word) => std::slice::from_ref(word),
            NamedAs::Agents(words) => words,
        }
    }

    /// The crawler as JSON, with the keys of its form.
    pub fn keys(&self) -> CrawlerKeys<'_> {
        let mut keys = CrawlerKeys {
            agent: None,
            token: None,
            agents: None,
            union: self.crawler.is_union(),
            crawler: &self.crawler,
            note: self.note.as_deref(),
        };
        match &self.form {
            NamedAs::Agent(agent) => keys.agent = Some(agent),
            NamedAs::Token(token) => keys.token = Some(token),
            NamedAs::Agents(agents) => keys.agents = Some(agents),
        }
        keys
    }
}

/// The product tokens of agents. An agent without one is unchanged.
fn read(agents: &[String], dialect: &Dialect) -> Vec<String> {
    let tokens = |agent: &String| match Crawler::from_user_agent(agent) {
        Ok(read) if dialect.reads_headers => {
            read.tokens().iter().map(ToString::to_string).collect()
        }
        _ => vec![agent.clone()],
    };
    agents.iter().flat_map(tokens).collect()
}

/// A crawler as JSON: `agent`, `token`, or `agents` and perhaps `union`; always `tokens`, the
/// product tokens by which groups are selected; and perhaps `note`.
///
/// Its [`Display`](fmt::Display) shows the tokens in backticks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "_openapi", derive(utoipa::ToSchema), schema(as = Crawler))]
pub struct CrawlerKeys<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    union: bool,
    #[serde(rename = "tokens", serialize_with = "tokens")]
    #[cfg_attr(feature = "_openapi", schema(value_type = Vec<String>))]
    crawler: &'a Crawler,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

fn tokens<S: Serializer>(crawler: &Crawler, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(crawler.tokens().iter().map(ProductToken::as_str))
}

impl fmt::Display for CrawlerKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(agents) = self.agents {
            let names: Vec<_> = agents.iter().map(quoted).collect();
            let together = match agents {
                [_] => "",
                _ if self.union => " together",
                _ => ", the first that is named",
            };
            return write!(f, "{}{together}", names.join(", "));
        }
        let mut tokens = self.crawler.tokens().iter().map(ProductToken::as_str);
        write!(f, "{}", quoted(tokens.next().unwrap_or_default()))?;
        tokens.try_for_each(|other| write!(f, ", then {}", quoted(other)))?;
        let never = self.crawler.ignores_star() && !self.crawler.ignores_robots();
        f.write_str(if never { ", never `*`" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &Dialect = &Dialect::RFC9309;

    #[track_caller]
    fn check(crawler: &NamedCrawler, json: &str, text: &str) {
        assert_eq!(serde_json::to_string(&crawler.keys()).unwrap(), json);
        assert_eq!(crawler.keys().to_string(), text);
    }

    #[test]
    fn json_and_text_say_which_tokens_are_used() {
        let agents = || vec!["a/1".into(), "b".into()];
        check(&NamedCrawler::agent("a", ROW), r#"{"agent":"a","tokens":["a"]}"#, "`a`");
        check(&NamedCrawler::agent("a/1", ROW), r#"{"agent":"a/1","tokens":["a"]}"#, "`a`");
        check(
            &NamedCrawler::token("Applebot"),
            r#"{"token":"Applebot","tokens":["Applebot"]}"#,
            "`Applebot`",
        );
        check(
            &NamedCrawler::chain(agents(), ROW),
            r#"{"agents":["a/1","b"],"tokens":["a","b"]}"#,
            "`a/1`, `b`, the first that is named",
        );
        check(
            &NamedCrawler::union(agents(), &Dialect::GOOGLE),
            r#"{"agents":["a/1","b"],"union":true,"tokens":["a/1","b"]}"#,
            "`a/1`, `b` together",
        );
        check(
            &NamedCrawler::agent("applebot", ROW),
            r#"{"agent":"applebot","tokens":["Applebot","Googlebot"]}"#,
            "`Applebot`, then `Googlebot`",
        );
        check(
            &NamedCrawler::agent("AdsBot-Google/1.0", ROW),
            r#"{"agent":"AdsBot-Google/1.0","tokens":["AdsBot-Google"]}"#,
            "`AdsBot-Google`, never `*`",
        );
        check(
            &NamedCrawler::agent("Google-Safety", ROW),
            r#"{"agent":"Google-Safety","tokens":["Google-Safety"],"note":"it does not follow robots.txt"}"#,
            "`Google-Safety`",
        );
    }

    #[test]
    fn a_crawler_without_a_question_has_its_known_name() {
        let of = |crawler: &NamedCrawler| {
            serde_json::to_value(NamedCrawler::of_crawler(crawler.crawler().clone()).keys())
                .unwrap()
        };
        assert_eq!(of(&NamedCrawler::agent("applebot", ROW))["agent"], "Applebot");
        assert_eq!(of(&NamedCrawler::agent("Google-Safety", ROW))["agent"], "Google-Safety");
        assert_eq!(of(&NamedCrawler::token("Applebot"))["token"], "Applebot");
        let both = vec!["Applebot".to_owned(), "Bot".to_owned()];
        assert_eq!(of(&NamedCrawler::chain(both, ROW))["agents"][1], "Bot");
    }

    /// The answers of `testdata/names.json`, which all programs and bindings that know the names
    /// give.
    #[test]
    fn names_have_the_answers_of_the_suite() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../testdata/names.json")).unwrap();
        let names = cases["names"].as_array().unwrap();
        assert_eq!(names.len(), 40);
        for file in cases["files"].as_array().unwrap() {
            let dialect = Dialect::named(file["dialect"].as_str().unwrap()).unwrap();
            let robots = dialect.parse(file["robots"].as_str().unwrap());
            let answers = file["answers"].as_str().unwrap().chars();
            for (name, answer) in names.iter().zip(answers) {
                let crawler = NamedCrawler::agent(name.as_str().unwrap(), &dialect);
                let allowed = robots.is_allowed(crawler.crawler(), cases["url"].as_str().unwrap());
                assert_eq!(allowed, answer == 'a', "{name}: {file}");
            }
        }
    }
}
