//! Crawlers and the values of user-agent lines.

use super::draft::Draft;
use super::form::Form;

/// Possible names of the crawler.
const TOKENS: [&str; 6] = ["fox", "Fig_Tree", "otter-news", "Robot", "FooBot", "a"];
const WITH_DIGITS: [&str; 4] = ["MJ12bot", "360Spider", "bot2", "news.bot"];
/// Names of other crawlers.
const OTHERS: [&str; 5] = ["zebra", "MJ", "yak-bot", "Yandex", "msnbot"];

/// Generates the tokens of the crawler.
pub(super) fn tokens(draft: &mut Draft) -> Vec<String> {
    if draft.uses(Form::CrawlerEmpty) {
        return if draft.chance(50) { vec![String::new()] } else { Vec::new() };
    }
    let mut tokens = vec![token(draft)];
    if draft.uses(Form::CrawlerChain) {
        for _ in 0..=draft.below(2) {
            tokens.push(token(draft));
        }
    }
    tokens
}

fn token(draft: &mut Draft) -> String {
    let mut token = match () {
        () if draft.uses(Form::CrawlerWithDigits) => draft.pick(&WITH_DIGITS),
        () => draft.pick(&TOKENS),
    }
    .to_owned();
    if draft.uses(Form::CrawlerWithVersion) {
        token.push_str("/1.0");
    }
    if draft.uses(Form::CrawlerUnnamed) {
        token.push_str("-unnamed");
    }
    token
}

/// Changes the case of tokens, which may then differ from the file's.
pub(super) fn recase(draft: &mut Draft, tokens: &mut [String]) {
    for token in tokens {
        if draft.uses(Form::CrawlerOtherCase) {
            *token = if draft.chance(50) { token.to_uppercase() } else { token.to_lowercase() };
        }
    }
}

/// The addressee of a user-agent line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addressee {
    /// One of the crawler's tokens.
    Token,
    /// `*`.
    Star,
    /// Another crawler, or none.
    Other,
}

impl Addressee {
    pub(super) fn any(draft: &mut Draft) -> Self {
        match draft.below(10) {
            0..=4 => Self::Token,
            5..=7 => Self::Star,
            _ => Self::Other,
        }
    }
}

/// Generates the value of a user-agent line.
pub(super) fn value(draft: &mut Draft, whom: Addressee, tokens: &[String]) -> Vec<u8> {
    if draft.uses(Form::AgentEmpty) {
        return Vec::new();
    }
    match whom {
        Addressee::Star => star(draft),
        Addressee::Token if !tokens.is_empty() => {
            let name = tokens[draft.below(tokens.len())].clone();
            of_token(draft, &name)
        }
        _ => other(draft),
    }
}

fn star(draft: &mut Draft) -> Vec<u8> {
    let value = match () {
        () if draft.uses(Form::StarWithText) => draft.pick(&["* fox", "*\tbot", "*\x0Bbot"]),
        () if draft.uses(Form::StarGlued) => draft.pick(&["*fox", "*bot", "**", "*/1"]),
        () if draft.uses(Form::StarInList) => draft.pick(&["*, fox", "fox, *", "zebra,*"]),
        () => "*",
    };
    value.as_bytes().to_vec()
}

/// The value of a line for a token of the crawler, or for a similar one.
fn of_token(draft: &mut Draft, token: &str) -> Vec<u8> {
    let mut name = token.to_owned();
    match () {
        () if draft.uses(Form::AgentBeginsToken) => {
            let end = (1..name.len()).rev().find(|&at| name.is_char_boundary(at));
            name.truncate(end.unwrap_or(0));
        }
        () if draft.uses(Form::AgentInToken) => name = name.chars().skip(1).collect(),
        () if draft.uses(Form::AgentLonger) => name.push_str(draft.pick(&["s", "-tool", "2"])),
        () if draft.uses(Form::AgentOtherCase) => {
            name = if draft.chance(50) { name.to_uppercase() } else { name.to_lowercase() };
        }
        () => {}
    }
    let tail = match () {
        () if draft.uses(Form::AgentVersion) => draft.pick(&["/1.0", "/2", " /1"]),
        () if draft.uses(Form::AgentWords) => draft.pick(&[" bot", "\tx", " (x)", "\x0Cx"]),
        () if draft.uses(Form::AgentCommaList) => draft.pick(&[", zebra", ",zebra", " , *"]),
        () if draft.uses(Form::AgentPunctuation) => draft.pick(&[";x", "(x)", "; y"]),
        () if draft.uses(Form::AgentStarAfter) => "*",
        () => "",
    };
    format!("{name}{tail}").into_bytes()
}

fn other(draft: &mut Draft) -> Vec<u8> {
    let name = match () {
        () if draft.uses(Form::AgentNotAscii) => draft.pick(&["föx", "ツ", "fox\u{A0}bot"]),
        () if draft.uses(Form::AgentDigits) => draft.pick(&WITH_DIGITS),
        () => draft.pick(&OTHERS),
    };
    name.as_bytes().to_vec()
}
