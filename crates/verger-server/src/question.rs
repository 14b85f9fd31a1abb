//! Questions in JSON: reading, and the checks of their values before any use of the network.
//!
//! The keys are those of a line of `verger check --batch` (`docs/json.md`), with those for a
//! service: `wait_ms`, `explain`.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_path_to_error::Segment;
use utoipa::ToSchema;
use verger::{Dialect, Untrusted, quoted};
use verger_json::{Id, NamedCrawler, decode_base64};

use crate::asked_url::AskedUrl;
use crate::limits::{AGENT_BYTES, AGENTS, WAIT_MS};
use crate::problem::{Errors, Kind, Problem};
use crate::schemas::DialectName;

/// A text, borrowed from the body if it has no escapes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A question about URLs. One of `agent`, `token` and `agents`, and one of `url`, `url_b64` and
/// `urls` are needed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Question)]
pub(crate) struct Keys<'a> {
    /// Repeated by the answers: a string or a number.
    #[schema(value_type = Value, required = false)]
    pub(crate) id: Option<Id>,
    #[serde(borrow, alias = "crawler")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 256, example = "GPTBot")]
    pub(crate) agent: Option<Text<'a>>,
    #[schema(value_type = Option<String>, min_length = 1, max_length = 256)]
    pub(crate) token: Option<Text<'a>>,
    #[schema(min_items = 1, max_items = 16)]
    pub(crate) agents: Option<Vec<String>>,
    pub(crate) union: Option<bool>,
    #[schema(value_type = Option<String>, max_length = 8192, example = "https://shop.example/cart")]
    pub(crate) url: Option<Text<'a>>,
    pub(crate) url_b64: Option<String>,
    /// At most `max_urls`, by default 1,000.
    #[schema(value_type = Option<Vec<String>>, min_items = 1, max_items = 10000)]
    pub(crate) urls: Option<Vec<Text<'a>>>,
    #[schema(value_type = Option<DialectName>)]
    pub(crate) dialect: Option<String>,
    #[schema(minimum = 0, maximum = 30000)]
    pub(crate) wait_ms: Option<u64>,
    pub(crate) explain: Option<bool>,
}

/// A question about URLs of any sites.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) id: Option<Id>,
    pub(crate) crawler: QuestionCrawler<'a>,
    pub(crate) urls: Vec<AskedUrl<'a>>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) wait: Option<Duration>,
    pub(crate) explain: bool,
}

/// The crawler of a question, as given. It is resolved only for an answer that is not prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionCrawler<'a> {
    /// A name or a User-Agent header.
    Agent(Cow<'a, str>),
    /// One product token without fallbacks.
    Token(Cow<'a, str>),
    /// Several product tokens, and whether their groups apply together.
    Agents(Vec<String>, bool),
}

impl QuestionCrawler<'_> {
    /// The crawler in a dialect.
    pub(crate) fn named(&self, dialect: &Dialect) -> NamedCrawler {
        match self {
            Self::Agent(agent) => NamedCrawler::agent(&**agent, dialect),
            Self::Token(token) => NamedCrawler::token(&**token),
            Self::Agents(agents, true) => NamedCrawler::union(agents.clone(), dialect),
            Self::Agents(agents, false) => NamedCrawler::chain(agents.clone(), dialect),
        }
    }

    pub(crate) fn into_owned(self) -> QuestionCrawler<'static> {
        match self {
            Self::Agent(agent) => QuestionCrawler::Agent(agent.into_owned().into()),
            Self::Token(token) => QuestionCrawler::Token(token.into_owned().into()),
            Self::Agents(agents, union) => QuestionCrawler::Agents(agents, union),
        }
    }
}

impl<'a> Question<'a> {
    /// Checks the keys of a question, with at most this number of URLs.
    pub(crate) fn of(keys: Keys<'a>, max_urls: usize) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let [agent, token] = [keys.agent, keys.token].map(|it| it.map(|Text(text)| text));
        let crawler = question_crawler(agent, token, keys.agents, keys.union, &mut errors);
        let keys_of_urls = [
            ("url", keys.url.map(|url| vec![Ok(url.0)])),
            ("url_b64", keys.url_b64.map(|url| vec![decoded(&url).map(Cow::Owned)])),
            ("urls", keys.urls.map(|urls| urls.into_iter().map(|url| Ok(url.0)).collect())),
        ];
        let mut urls = Vec::new();
        if let Some((key, texts)) = one(keys_of_urls, &mut errors) {
            if texts.is_empty() {
                errors.note("/urls", "`urls` is empty");
            } else if check_count(texts.len(), max_urls, &mut errors) {
                for (at, text) in texts.into_iter().enumerate() {
                    let url = text.and_then(AskedUrl::new);
                    let at = if key == "urls" { format!("/{at}") } else { String::new() };
                    urls.extend(errors.check(format_args!("/{key}{at}"), url));
                }
            }
        }
        let dialect = asked_dialect(keys.dialect, &mut errors);
        let wait = keys.wait_ms.and_then(|wait| errors.check("/wait_ms", wait_of(wait)));
        let crawler = errors.unless_any(crawler)?;
        let explain = keys.explain.unwrap_or_default();
        Ok(Self { id: keys.id, crawler, urls, dialect, wait, explain })
    }

    pub(crate) fn into_owned(self) -> Question<'static> {
        Question {
            crawler: self.crawler.into_owned(),
            urls: self.urls.into_iter().map(AskedUrl::into_owned).collect(),
            ..self
        }
    }
}

/// The text of the key `url_b64`.
fn decoded(url: &str) -> Result<String, String> {
    let bytes = decode_base64("url_b64", url).map_err(|error| error.to_string())?;
    let error = |_| "expected a URL in UTF-8, but found other bytes".to_owned();
    String::from_utf8(bytes).map_err(error)
}

/// The one given value of exclusive keys, and its key.
pub(crate) fn one<T, const N: usize>(
    values: [(&'static str, Option<T>); N],
    errors: &mut Errors,
) -> Option<(&'static str, T)> {
    let names = values.each_ref().map(|(name, _)| *name);
    let mut given = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
    match (given.next(), given.next()) {
        (Some(found), None) => return Some(found),
        (None, _) => errors.note("", format!("missing one of `{}`", names.join("`, `"))),
        _ => errors.note("", format!("give only one of `{}`", names.join("`, `"))),
    }
    None
}

/// Whether a list of URLs is short enough.
pub(crate) fn check_count(found: usize, most: usize, errors: &mut Errors) -> bool {
    if found > most {
        errors.note("/urls", format!("expected at most {most} URLs, but found {found}"));
    }
    found <= most
}

/// The crawler of these keys.
pub(crate) fn question_crawler<'a>(
    agent: Option<Cow<'a, str>>,
    token: Option<Cow<'a, str>>,
    agents: Option<Vec<String>>,
    union: Option<bool>,
    errors: &mut Errors,
) -> Option<QuestionCrawler<'a>> {
    let union = union.unwrap_or_default();
    if union && agents.is_none() {
        errors.note("/union", "`union` needs `agents`");
        return None;
    }
    let keys = [
        ("agent", agent.map(QuestionCrawler::Agent)),
        ("token", token.map(QuestionCrawler::Token)),
        ("agents", agents.map(|agents| QuestionCrawler::Agents(agents, union))),
    ];
    let (key, crawler) = one(keys, errors)?;
    let is_good = match &crawler {
        QuestionCrawler::Agent(name) | QuestionCrawler::Token(name) => {
            errors.check(format_args!("/{key}"), check_agent(name)).is_some()
        }
        QuestionCrawler::Agents(agents, _) => check_some_agents(key, agents, AGENTS, errors),
    };
    is_good.then_some(crawler)
}

/// Whether a key has 1 to `most` texts, and all can be names of crawlers.
pub(crate) fn check_some_agents(
    key: &str,
    agents: &[String],
    most: usize,
    errors: &mut Errors,
) -> bool {
    let found = agents.len();
    if (1..=most).contains(&found) {
        return check_agents(key, agents, errors);
    }
    let detail = format!("expected 1 to {most} {key}, but found {found}");
    errors.note(format_args!("/{key}"), detail);
    false
}

/// Whether all texts of a key can be names of crawlers.
pub(crate) fn check_agents(key: &str, agents: &[String], errors: &mut Errors) -> bool {
    agents.iter().enumerate().fold(true, |is_good, (at, agent)| {
        errors.check(format_args!("/{key}/{at}"), check_agent(agent)).is_some() && is_good
    })
}

/// Rejects a text that cannot be the name of a crawler.
fn check_agent(text: &str) -> Result<(), String> {
    if text.len() > AGENT_BYTES {
        let found = text.len();
        return Err(format!("expected an agent of at most {AGENT_BYTES} bytes, but found {found}"));
    }
    if text.trim().is_empty() {
        return Err("the name of the crawler is empty".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("expected a product token, but found control characters".to_owned());
    }
    Ok(())
}

/// The dialect of the key `dialect`.
pub(crate) fn asked_dialect(name: Option<String>, errors: &mut Errors) -> Option<Dialect> {
    let name = name?;
    let known = || Dialect::PUBLISHED.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    let unknown = || format!("expected a dialect ({}), but found {}", known(), quoted(&name));
    errors.check("/dialect", Dialect::named(&name).ok_or_else(unknown))
}

pub(crate) fn wait_of(milliseconds: u64) -> Result<Duration, String> {
    if milliseconds > WAIT_MS {
        return Err(format!("expected at most {WAIT_MS} ms, but found {milliseconds}"));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// Reads the JSON object of a body.
pub(crate) fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Problem> {
    // The deserializer would accept an array as an object.
    if body.trim_ascii_start().first() != Some(&b'{') {
        let found = quoted(&body[..body.len().min(100)]);
        let detail = if body.trim_ascii().is_empty() {
            "expected a JSON object, but found an empty body".to_owned()
        } else {
            format!("expected a JSON object, but found {found}")
        };
        return Err(Problem::at(Kind::BadJson, "", detail));
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let found = serde_path_to_error::deserialize(&mut json);
    let bad = |pointer, error: &_| Problem::at(Kind::BadJson, pointer, message(error));
    let found = found.map_err(|error| bad(pointer(error.path()), error.inner()))?;
    json.end().map_err(|error| bad(String::new(), &error))?;
    Ok(found)
}

/// A message of the JSON reader with escaped foreign text.
pub(crate) fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = Untrusted::new(&text).limited_to(400).to_string();
    if error.is_data() { text } else { format!("bad JSON: {text}") }
}

/// The JSON pointer of a place (RFC 6901).
fn pointer(path: &serde_path_to_error::Path) -> String {
    let segments = path.iter().map(|segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => {
            let key: String = key.chars().take(100).collect();
            format!("/{}", key.replace('~', "~0").replace('/', "~1"))
        }
        _ => String::new(),
    });
    segments.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(body: &str) -> Result<Question<'_>, Problem> {
        Ok(Question::of(read(body.as_bytes())?, 3)?)
    }

    /// The first error: its pointer and detail.
    #[track_caller]
    fn refuses(body: &str, pointer: &str, detail: &str) {
        let problem = question(body).unwrap_err();
        let json: serde_json::Value = serde_json::from_slice(&problem.json()).unwrap();
        let error = &json["errors"][0];
        assert_eq!(error["pointer"], pointer, "{json}");
        assert!(error["detail"].as_str().unwrap().contains(detail), "{json}");
    }

    #[test]
    fn all_keys_are_read() {
        let question = question(
            r#"{"id":"a","agents":["x","y"],"union":true,"urls":["https://a.example/","http://b.example/x"],
                "dialect":"google","wait_ms":5,"explain":true}"#,
        );
        let question = question.unwrap();
        let urls = ["https://a.example/", "http://b.example/x"];
        assert_eq!(question.urls, urls.map(|url| AskedUrl::new(url).unwrap()));
        assert_eq!(question.dialect, Some(Dialect::GOOGLE));
        assert_eq!((question.wait, question.explain), (Some(Duration::from_millis(5)), true));
        let agents = ["x", "y"].map(str::to_owned).to_vec();
        assert_eq!(question.crawler, QuestionCrawler::Agents(agents, true));
    }

    #[test]
    fn errors_have_the_pointer_of_their_value() {
        refuses("", "", "empty body");
        refuses("[1]", "", "expected a JSON object, but found `[1]`");
        refuses("{", "", "bad JSON: EOF");
        refuses(r#"{"agent":"x","url":5}"#, "/url", "invalid type: integer `5`, expected a string");
        refuses(r#"{"agents":["a", 1],"url":"x"}"#, "/agents/1", "invalid type");
        refuses("{\n\"agent\":\"x\",\n\"urls\":[\"a\",{}]}", "/urls/1", "invalid type: map");
        refuses(r#"{"agent":"x","agent":"y"}"#, "", "duplicate field `agent`");
        refuses(r#"{"agent":"x","access_profile":"strict"}"#, "/access_profile", "unknown field");
        refuses(r#"{"agent":"x","max_bytes":1e12}"#, "/max_bytes", "unknown field");
        refuses(r#"{"agent":"x"}"#, "", "missing one of `url`, `url_b64`, `urls`");
        refuses(r#"{"url":"https://a.example/"}"#, "", "missing one of `agent`, `token`, `agents`");
        refuses(r#"{"agent":"","url":"https://a.example/"}"#, "/agent", "empty");
        refuses(r#"{"agent":"a\r\nb","url":"https://a.example/"}"#, "/agent", "control characters");
        refuses(
            r#"{"agent":"x","urls":["https://a.example/","x"]}"#,
            "/urls/1",
            "expected an absolute URL",
        );
        refuses(r#"{"agent":"x","urls":["a","b","c","d"]}"#, "/urls", "expected at most 3 URLs");
        refuses(
            r#"{"agent":"x","url":"file:///etc/passwd"}"#,
            "/url",
            "expected scheme http or https",
        );
        refuses(
            r#"{"agent":"x","url":"http://a:secret@a.example/"}"#,
            "/url",
            "user name or password",
        );
        refuses(r#"{"agent":"x","url":"http://a.example/\u0000"}"#, "/url", "control characters");
        refuses(r#"{"token":"","url":"https://a.example/"}"#, "/token", "empty");
        refuses(r#"{"agent":"a","token":"b","url":"https://a.example/"}"#, "", "only one of");
        refuses(r#"{"agent":"x","url":"https://a.example/","wait_ms":30001}"#, "/wait_ms", "30000");
        refuses(
            r#"{"agent":"x","url":"https://a.example/","wait_ms":-1}"#,
            "/wait_ms",
            "invalid value",
        );
        refuses(r#"{"agent":"x","url":"https://a.example/","dialect":"y"}"#, "/dialect", "rfc9309");
        refuses(r#"{"agent":"x","url_b64":"/w=="}"#, "/url_b64", "UTF-8");
    }

    #[test]
    fn passwords_are_not_repeated() {
        let problem = question(r#"{"agent":"x","url":"http://a:secret@a.example/"}"#).unwrap_err();
        assert!(!String::from_utf8(problem.json()).unwrap().contains("secret"));
    }
}
