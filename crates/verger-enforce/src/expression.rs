//! Regular expressions: the only place where the text of a pattern becomes syntax of a target.
//!
//! Octets are written as themselves only if they are letters, digits, `/`, `-` or `_`, all others
//! as `\xHH`. So a pattern never contains a quotation mark, a space, a line end, a brace, `$` or
//! `#`.

use core::fmt::Write as _;
use std::collections::BTreeSet;

use verger_registry::words;

use crate::glob::{Class, Condition, Form, Glob, Query};
use crate::plan::Word;

/// The subject of the expressions of a target, and their syntax.
///
/// The subject is one text: the raw target, a separator, and the served path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syntax {
    pub(crate) engine: Engine,
    /// An expression for the text before the raw target.
    pub(crate) head: &'static str,
    /// The octet that ends the raw target, as an expression. No raw target contains it.
    pub(crate) separator: &'static str,
    /// An expression for the text between the separator and the served path.
    pub(crate) tail: &'static str,
    /// The form of the served path.
    pub(crate) form: Form,
    /// Whether the subject has the raw target. Otherwise it has a `?` in its place if there is a
    /// query.
    pub(crate) has_raw: bool,
    /// Maximum length of an expression, without the text around it.
    pub(crate) longest: usize,
}

/// A family of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// PCRE, over octets: atomic groups bound its work.
    Pcre,
    /// Go's, over characters: linear, without assertions about the text around.
    Go,
}

/// An escape with any digits.
const ESCAPE: &str = "%[0-9A-Fa-f][0-9A-Fa-f]";

impl Syntax {
    /// The expression of a condition, without its start `^` and [`head`](Self::head).
    ///
    /// # Errors
    ///
    /// The reason why the engine cannot express it.
    pub(crate) fn condition(&self, condition: &Condition) -> Result<String, &'static str> {
        let mut text = String::new();
        let separator = self.separator;
        match condition {
            Condition::Raw(glob) => {
                self.glob(glob, &mut text)?;
                if glob.is_anchored {
                    let _ = write!(text, "[#{separator}]");
                }
            }
            Condition::Served { path, query } => {
                match query {
                    Query::Any => {
                        let _ = write!(text, "[^{separator}]*");
                    }
                    Query::Absent => {
                        let _ = write!(text, "[^{separator}?#]*(?:#[^{separator}]*)?");
                    }
                    Query::Matches(glob) if !self.has_raw && !glob.is_any() => {
                        return Err("no condition of it compares the text of a query");
                    }
                    Query::Matches(glob) => {
                        let _ = write!(text, "[^{separator}?#]*[?]");
                        self.glob(glob, &mut text)?;
                        let rest = if glob.is_anchored { "(?:#[^S]*)?" } else { "[^S]*" };
                        text.push_str(&rest.replace('S', separator));
                    }
                }
                let _ = write!(text, "{separator}{}", self.tail);
                self.glob(path, &mut text)?;
                if path.is_anchored {
                    text.push_str(r"\z");
                }
            }
        }
        Ok(text)
    }

    /// The expression of a raw target that is always answered.
    pub(crate) fn exempt(&self) -> String {
        let raw = |text: &[u8]| {
            let mut start = String::new();
            let glob = Glob::of(Form::Raw, &crate::octets::spelt(text), &[], false);
            // ASCII can always be written.
            let _ = glob.map(|glob| self.glob(&glob, &mut start));
            start
        };
        let (robots_txt, well_known) =
            (raw(crate::request::ROBOTS_TXT), raw(crate::request::WELL_KNOWN));
        let (separator, tail) = (self.separator, self.tail);
        let served = match self.form {
            Form::Escaped => well_known.clone(),
            _ => r"/\x2Ewell-known/".to_owned(),
        };
        format!(
            "^{}(?:{robots_txt}[?#{separator}]|{well_known}[^{separator}]*{separator}{tail}{served})",
            self.head
        )
    }

    /// The expression of a raw target with a malformed escape, or with a fragment, which no client
    /// sends. For engines without assertions, which cannot compare them.
    pub(crate) fn malformed(&self) -> String {
        let any = format!("^[^{}]*", self.separator);
        format!("{any}(?:%(?:[^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f])|#)")
    }

    /// The expression of a raw target that is equal to the served path, except for its query: then
    /// the rules for the raw target say everything. PCRE only.
    pub(crate) fn plain(&self) -> String {
        let separator = self.separator;
        format!(
            r"^{}([^{separator}%?#]*)(?:[?#][^{separator}]*)?{separator}{}\1\z",
            self.head, self.tail
        )
    }

    fn glob(&self, glob: &Glob, out: &mut String) -> Result<(), &'static str> {
        self.literal(glob.form, &glob.start, out)?;
        let raw = glob.form == Form::Raw;
        for (number, ways) in glob.parts.iter().enumerate() {
            let is_end = glob.is_anchored && number + 1 == glob.parts.len();
            let is_confusable =
                glob.form != Form::Decoded && ways.iter().any(|way| way[0].has_hex_digit());
            let mut texts = Vec::with_capacity(ways.len());
            for way in ways {
                let mut text = String::new();
                if self.engine == Engine::Pcre && is_confusable && way[0].has_hex_digit() {
                    // Not inside of an escape.
                    text.push_str("(?!(?<=%)[0-9A-Fa-f]{2})(?!(?<=%[0-9A-Fa-f])[0-9A-Fa-f])");
                }
                self.literal(glob.form, way, &mut text)?;
                texts.push(text);
            }
            let any = match (self.engine, is_confusable) {
                _ if !raw && glob.form == Form::Decoded => ".*".to_owned(),
                (Engine::Go, true) => format!("(?:[^%#{}]|{ESCAPE})*", self.separator),
                _ => format!("[^#{}]*", self.separator),
            };
            let ways = if let [one] = &texts[..] {
                one.clone()
            } else {
                format!("(?:{})", texts.join("|"))
            };
            let _ = match (self.engine, is_end) {
                // The first place is the best one, so no other is tried.
                (Engine::Pcre, false) => write!(out, "(?>{any}?{ways})"),
                _ => write!(out, "{any}{ways}"),
            };
        }
        Ok(())
    }

    fn literal(&self, form: Form, classes: &[Class], out: &mut String) -> Result<(), &'static str> {
        let mut rest = classes;
        while let [first, tail @ ..] = rest {
            let lead = first.octets.first().filter(|octet| **octet >= 0x80);
            if let (Engine::Go, Some(_)) = (self.engine, lead) {
                rest = character(rest, out)?;
                continue;
            }
            self.class(form, first, out);
            rest = tail;
        }
        Ok(())
    }

    fn class(&self, form: Form, class: &Class, out: &mut String) {
        let mut ways = Vec::new();
        // Single octets from 0x80 on are not characters. The separator is in no raw target.
        let separator = if self.separator == " " { b' ' } else { b'\n' };
        let is_readable = |octet: &u8| {
            (self.engine == Engine::Pcre || *octet < 0x80)
                && (form == Form::Decoded || *octet != separator)
        };
        let octets: Vec<u8> = class.octets.iter().copied().filter(is_readable).collect();
        match octets[..] {
            [] => {}
            [one] => ways.push(octet(one)),
            _ => ways.push(set(&octets)),
        }
        for &octet in &class.escapes {
            let mut text = String::new();
            escape(octet, &mut text);
            ways.push(text);
        }
        if class.malformed && self.engine == Engine::Pcre {
            ways.push("%(?![0-9A-Fa-f]{2})".to_owned());
        }
        match &ways[..] {
            [one] => out.push_str(one),
            // Nothing of it can be read by this engine.
            [] => out.push_str(r"[^\x00-\x{10FFFF}]"),
            _ => {
                let _ = write!(out, "(?:{})", ways.join("|"));
            }
        }
    }
}

/// A character outside of ASCII, as itself or escaped; returns the rest.
fn character<'c>(classes: &'c [Class], out: &mut String) -> Result<&'c [Class], &'static str> {
    let octets: Vec<u8> =
        classes.iter().take(4).map_while(|class| class.octets.first().copied()).collect();
    let found = (1..=octets.len())
        .find_map(|end| Some((str::from_utf8(&octets[..end]).ok()?.chars().next()?, end)));
    let Some((character, end)) = found else {
        return Err("Go's regular expressions do not match octets that are not UTF-8");
    };
    let plain = format!(r"\x{{{:X}}}", u32::from(character));
    if classes[0].escapes.is_empty() {
        out.push_str(&plain);
    } else {
        let _ = write!(out, "(?:{plain}|");
        octets[..end].iter().for_each(|&octet| escape(octet, out));
        out.push(')');
    }
    Ok(&classes[end..])
}

/// An escape, with hex digits in any case.
fn escape(octet: u8, out: &mut String) {
    out.push('%');
    for digit in format!("{octet:02X}").chars() {
        if digit.is_ascii_digit() {
            out.push(digit);
        } else {
            let _ = write!(out, "[{digit}{}]", digit.to_ascii_lowercase());
        }
    }
}

/// An octet outside of brackets.
pub(crate) fn octet(octet: u8) -> String {
    match octet {
        b'/' | b'-' | b'_' => char::from(octet).to_string(),
        _ if octet.is_ascii_alphanumeric() => char::from(octet).to_string(),
        _ => format!(r"\x{octet:02X}"),
    }
}

/// A set of octets in brackets.
pub(crate) fn set(octets: &[u8]) -> String {
    let all = BTreeSet::from_iter(octets).into_iter().map(|it| format!(r"\x{it:02X}"));
    format!("[{}]", all.collect::<Vec<_>>().concat())
}

/// The expressions of User-Agent headers that have one of some words, none much longer than a
/// limit; case must not matter.
pub(crate) fn names<'w>(words: impl Iterator<Item = &'w Word>, longest: usize) -> Vec<String> {
    let (ordinary, others): (Vec<_>, Vec<_>) = words.partition(|word| word.is_ordinary);
    let (before, after) = (set(words::BEFORE), set(words::AFTER));
    let start: String = words::BEFORE_NAME.bytes().map(octet).collect();
    let mut all = Vec::new();
    for some in alternatives(&others, longest) {
        all.push(format!(r"(?:^|{before})(?:{some})(?:{after}|\z)"));
    }
    for some in alternatives(&ordinary, longest / 2) {
        all.push(format!(
            r"(?:(?:^|{start})(?:{some})(?:{after}|\z)|{before}(?:{some}){after}.*https?\x3A//)"
        ));
    }
    all
}

/// Words as alternatives, in texts of at most this length.
fn alternatives(words: &[&Word], longest: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let word: String = word.text.bytes().map(octet).collect();
        match all.last_mut() {
            Some(last) if last.len() + word.len() < longest => {
                last.push('|');
                last.push_str(&word);
            }
            _ => all.push(word),
        }
    }
    all
}
