//! Questions in JSON: reading, and the checks of their values before any use of the network.
//!
//! The keys are those of a line of `verger check --batch` (`docs/json.md`), with those for a
//! service: `access_profile`, `wait_ms`, `explain`.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Visitor};
use verger::access::Profile;
use verger::{Dialect, Untrusted};
use verger_json::{Id, NamedCrawler, decode_base64};

use crate::answers::Ask;
use crate::asked_url::AskedUrl;
use crate::error::quoted;
use crate::json_text::write_string;
use crate::limits::{AGENT_BYTES, AGENTS, WAIT_MS};
use crate::pointer::pointer_at;
use crate::problem::{Item, Kind, Problem};
use crate::routes::App;

/// A text, borrowed from the body if it has no escapes.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Read)
    }
}

/// The keys of a question.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys<'a> {
    pub(crate) id: Option<Id>,
    #[serde(borrow, alias = "crawler")]
    pub(crate) agent: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) token: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) agents: Option<Vec<Text<'a>>>,
    pub(crate) union: Option<bool>,
    #[serde(borrow)]
    pub(crate) url: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) url_b64: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) urls: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pub(crate) dialect: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) access_profile: Option<Text<'a>>,
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
    pub(crate) profile: Option<Profile>,
    pub(crate) wait: Option<Duration>,
    pub(crate) explain: bool,
}

/// The crawler of a question, as given. It is resolved only for an answer that is not prepared.
#[derive(Clone, Debug)]
pub(crate) enum QuestionCrawler<'a> {
    /// A name or a User-Agent header.
    Agent(Cow<'a, str>),
    /// One product token without fallbacks.
    Token(Cow<'a, str>),
    /// Several product tokens, and whether their groups apply together.
    Agents(Vec<String>, bool),
}

impl QuestionCrawler<'_> {
    pub(crate) fn into_owned(self) -> QuestionCrawler<'static> {
        match self {
            Self::Agent(agent) => QuestionCrawler::Agent(agent.into_owned().into()),
            Self::Token(token) => QuestionCrawler::Token(token.into_owned().into()),
            Self::Agents(agents, union) => QuestionCrawler::Agents(agents, union),
        }
    }

    /// The crawler in a dialect.
    pub(crate) fn named(&self, dialect: &Dialect) -> NamedCrawler {
        match self {
            Self::Agent(agent) => NamedCrawler::agent(&**agent, dialect),
            Self::Token(token) => NamedCrawler::token(&**token),
            Self::Agents(agents, true) => NamedCrawler::union(agents.clone(), dialect),
            Self::Agents(agents, false) => NamedCrawler::chain(agents.clone(), dialect),
        }
    }

    /// Writes its keys as members of an object, with a comma in front of each. They identify the
    /// crawler, and are the first of [`NamedCrawler::keys`].
    pub(crate) fn write_keys(&self, out: &mut Vec<u8>) {
        match self {
            Self::Agent(agent) => {
                out.extend_from_slice(b",\"agent\":");
                write_string(out, agent);
            }
            Self::Token(token) => {
                out.extend_from_slice(b",\"token\":");
                write_string(out, token);
            }
            Self::Agents(agents, union) => {
                for (at, agent) in agents.iter().enumerate() {
                    out.extend_from_slice(if at == 0 { b",\"agents\":[" } else { b"," });
                    write_string(out, agent);
                }
                out.extend_from_slice(if *union { b"],\"union\":true" } else { b"]" });
            }
        }
    }
}

impl<'a> Question<'a> {
    /// The same, without a borrow.
    pub(crate) fn into_owned(self) -> Question<'static> {
        Question {
            crawler: self.crawler.into_owned(),
            urls: self.urls.into_iter().map(AskedUrl::into_owned).collect(),
            ..self
        }
    }

    /// The question about one of its URLs. `keys` are those of the crawler.
    pub(crate) fn ask<'q>(&'q self, app: &App, url: &'q AskedUrl<'_>, keys: &'q [u8]) -> Ask<'q> {
        Ask {
            id: self.id.as_ref(),
            crawler: &self.crawler,
            keys,
            url,
            dialect: app.answers.dialect(self.dialect),
            profile: app.answers.profile(self.profile),
            explain: self.explain,
        }
    }

    /// Checks the keys of a question, with at most this number of URLs.
    pub(crate) fn of(keys: Keys<'a>, max_urls: usize) -> Result<Self, Vec<Item>> {
        let mut errors = Vec::new();
        let mut note = |pointer: String, detail: String| {
            errors.push(Item::at(pointer, detail));
        };
        let crawler = question_crawler(keys.agent, keys.token, keys.agents, keys.union, &mut note);
        let mut urls = Vec::new();
        match (keys.url, keys.url_b64, keys.urls) {
            (Some(url), None, None) => match AskedUrl::new(url.0) {
                Ok(url) => urls.push(url),
                Err(detail) => note("/url".to_owned(), detail),
            },
            (None, Some(url), None) => {
                let decoded = decode_base64("url_b64", &url.0).map_err(|error| error.to_string());
                let text = decoded.and_then(|bytes| {
                    String::from_utf8(bytes)
                        .map_err(|_| "expected a URL in UTF-8, but found other bytes".to_owned())
                });
                match text.and_then(AskedUrl::new) {
                    Ok(url) => urls.push(url),
                    Err(detail) => note("/url_b64".to_owned(), detail),
                }
            }
            (None, None, Some(list)) => {
                if list.is_empty() {
                    note("/urls".to_owned(), "expected a URL in `urls`, but found none".to_owned());
                }
                if list.len() > max_urls {
                    let found = list.len();
                    let detail = format!("expected at most {max_urls} URLs, but found {found}");
                    note("/urls".to_owned(), detail);
                } else {
                    for (at, url) in list.into_iter().enumerate() {
                        match AskedUrl::new(url.0) {
                            Ok(url) => urls.push(url),
                            Err(detail) => note(format!("/urls/{at}"), detail),
                        }
                    }
                }
            }
            (None, None, None) => {
                note(
                    String::new(),
                    "expected `url`, `url_b64` or `urls`, but found none".to_owned(),
                );
            }
            _ => note(
                String::new(),
                "expected one of `url`, `url_b64` and `urls`, but found several".to_owned(),
            ),
        }
        let dialect = keys
            .dialect
            .map(|name| dialect(&name.0).map_err(|detail| note("/dialect".to_owned(), detail)));
        let profile = keys.access_profile.map(|name| {
            profile(&name.0).map_err(|detail| note("/access_profile".to_owned(), detail))
        });
        let wait = keys
            .wait_ms
            .map(|wait| wait_of(wait).map_err(|detail| note("/wait_ms".to_owned(), detail)));
        let question = |crawler| Self {
            id: keys.id,
            crawler,
            urls,
            dialect: dialect.and_then(Result::ok),
            profile: profile.and_then(Result::ok),
            wait: wait.and_then(Result::ok),
            explain: keys.explain.unwrap_or_default(),
        };
        match crawler {
            Some(crawler) if errors.is_empty() => Ok(question(crawler)),
            _ => Err(errors),
        }
    }
}

/// The crawler of these keys.
pub(crate) fn question_crawler<'a>(
    agent: Option<Text<'a>>,
    token: Option<Text<'a>>,
    agents: Option<Vec<Text<'a>>>,
    union: Option<bool>,
    note: &mut dyn FnMut(String, String),
) -> Option<QuestionCrawler<'a>> {
    let union = union.unwrap_or_default();
    if union && agents.is_none() {
        note("/union".to_owned(), "expected `agents` beside `union`, but found none".to_owned());
        return None;
    }
    let mut checked = |pointer: &str, text: Text<'a>| match check_agent(&text.0) {
        Ok(()) => Some(text.0),
        Err(detail) => {
            note(pointer.to_owned(), detail);
            None
        }
    };
    match (agent, token, agents) {
        (Some(agent), None, None) => checked("/agent", agent).map(QuestionCrawler::Agent),
        (None, Some(token), None) => checked("/token", token).map(QuestionCrawler::Token),
        (None, None, Some(agents)) => {
            let count = agents.len();
            if !(1..=AGENTS).contains(&count) {
                let detail = format!("expected 1 to {AGENTS} agents, but found {count}");
                note("/agents".to_owned(), detail);
                return None;
            }
            let mut is_good = true;
            for (at, agent) in agents.iter().enumerate() {
                if let Err(detail) = check_agent(&agent.0) {
                    note(format!("/agents/{at}"), detail);
                    is_good = false;
                }
            }
            let agents = agents.into_iter().map(|agent| agent.0.into_owned()).collect();
            is_good.then_some(QuestionCrawler::Agents(agents, union))
        }
        (None, None, None) => {
            let detail = "expected `agent`, `token` or `agents`, but found none";
            note(String::new(), detail.to_owned());
            None
        }
        _ => {
            let detail = "expected one of `agent`, `token` and `agents`, but found several";
            note(String::new(), detail.to_owned());
            None
        }
    }
}

/// Rejects a text that cannot be the name of a crawler.
pub(crate) fn check_agent(text: &str) -> Result<(), String> {
    if text.len() > AGENT_BYTES {
        let found = text.len();
        return Err(format!("expected an agent of at most {AGENT_BYTES} bytes, but found {found}"));
    }
    if text.trim().is_empty() {
        return Err("expected a product token, but found an empty text".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("expected a product token, but found control characters".to_owned());
    }
    Ok(())
}

pub(crate) fn dialect(name: &str) -> Result<Dialect, String> {
    let known = || Dialect::PUBLISHED.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    Dialect::named(name)
        .ok_or_else(|| format!("expected a dialect ({}), but found {}", known(), quoted(name)))
}

pub(crate) fn profile(name: &str) -> Result<Profile, String> {
    let known = || Profile::ALL.iter().map(Profile::name).collect::<Vec<_>>().join(", ");
    Profile::named(name).ok_or_else(|| {
        format!("expected an access profile ({}), but found {}", known(), quoted(name))
    })
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
    serde_json::from_slice(body)
        .map_err(|error| Problem::at(Kind::BadJson, pointer(body, &error), message(&error)))
}

/// A message of the JSON reader with escaped foreign text.
pub(crate) fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = Untrusted::new(&text).limited_to(400).to_string();
    if error.is_data() { text } else { format!("bad JSON: {text}") }
}

/// The place of an error: the innermost value that contains its position.
fn pointer(body: &[u8], error: &serde_json::Error) -> String {
    if !error.is_data() {
        return String::new();
    }
    pointer_at(body, error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_text::write_members;

    fn question(body: &str) -> Result<Question<'_>, Problem> {
        Question::of(read(body.as_bytes())?, 3)
            .map_err(|items| Problem::items(Kind::Invalid, items))
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
                "dialect":"google","access_profile":"strict","wait_ms":5,"explain":true}"#,
        );
        let question = question.unwrap();
        let urls = ["https://a.example/", "http://b.example/x"];
        assert_eq!(question.urls, urls.map(|url| AskedUrl::new(url).unwrap()));
        assert_eq!(question.dialect, Some(Dialect::GOOGLE));
        assert_eq!(question.profile, Some(Profile::STRICT));
        assert_eq!((question.wait, question.explain), (Some(Duration::from_millis(5)), true));
        let mut keys = Vec::new();
        question.crawler.write_keys(&mut keys);
        assert_eq!(keys, br#","agents":["x","y"],"union":true"#);
    }

    /// So the keys of a question find its prepared answer, and begin those of the answer.
    #[test]
    fn keys_of_a_question_begin_those_of_its_crawler() {
        for (body, keys) in [
            (r#""agent":"Applebot""#, r#","agent":"Applebot""#),
            (r#""crawler":"Applebot/1 \u00e9""#, r#","agent":"Applebot/1 é""#),
            (r#""token":"Applebot""#, r#","token":"Applebot""#),
            (r#""agents":["a"]"#, r#","agents":["a"]"#),
            (r#""agents":["a","b"],"union":true"#, r#","agents":["a","b"],"union":true"#),
        ] {
            let question = format!(r#"{{{body},"url":"https://a.example/"}}"#);
            let crawler = self::question(&question).unwrap().crawler;
            let (mut written, mut all) = (Vec::new(), Vec::new());
            crawler.write_keys(&mut written);
            assert_eq!(written, keys.as_bytes());
            write_members(&mut all, &crawler.named(&Dialect::RFC9309).keys());
            assert!(all.starts_with(&[keys.as_bytes(), b",\"tokens\":["].concat()), "{keys}");
        }
    }

    #[test]
    fn errors_have_the_pointer_of_their_value() {
        refuses("", "", "empty body");
        refuses("[1]", "", "expected a JSON object, but found `[1]`");
        refuses("{", "", "bad JSON: EOF");
        refuses(r#"{"agent":"x","url":5}"#, "/url", "invalid type: integer `5`, expected a string");
        refuses(r#"{"agents":["a", 1],"url":"x"}"#, "/agents/1", "invalid type");
        refuses("{\n\"agent\":\"x\",\n\"urls\":[\"a\",{}]}", "/urls/1", "invalid type: map");
        refuses(r#"{"agent":"x","agent":"y"}"#, "/agent", "duplicate field");
        refuses(r#"{"agent":"x","max_bytes":1e12}"#, "/max_bytes", "unknown field");
        refuses(r#"{"agent":"x"}"#, "", "expected `url`");
        refuses(r#"{"url":"https://a.example/"}"#, "", "expected `agent`");
        refuses(r#"{"agent":"","url":"https://a.example/"}"#, "/agent", "empty text");
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
        refuses(r#"{"agent":"x","url":"http://a:secret@a.example/"}"#, "/url", "without user name");
        refuses(r#"{"agent":"x","url":"http://a.example/\u0000"}"#, "/url", "control characters");
        refuses(r#"{"token":"","url":"https://a.example/"}"#, "/token", "empty text");
        refuses(r#"{"agent":"a","token":"b","url":"https://a.example/"}"#, "", "found several");
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
