//! Licences in Really Simple Licensing (RSL) 1.0, and their terms for a URL (REP-EXT-40).

use serde::Serialize;
use url::Url;
use verger::quoted;

use crate::element::{Element, RSL_NAMESPACE};
use crate::limits::DOCUMENT_BYTES;
use crate::outcome::{Outcome, Terms, Use};
use crate::scope::Scope;
use crate::xml;

/// A parsed licence document.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Rsl {
    /// Its address.
    pub url: String,
    /// Days for which the document may be cached; `None` if they are not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u64>,
    /// Its `content` elements, in order.
    pub contents: Vec<Element>,
    /// Mistakes in words. What they concern permits nothing.
    #[serde(skip)]
    pub(crate) findings: Vec<String>,
    /// The URLs of each content, and the terms of each use.
    #[serde(skip)]
    entries: Vec<(Scope, [Terms; 4])>,
    /// Whether something in the root or the URL of a content could not be read.
    #[serde(skip)]
    is_broken: bool,
}

impl Rsl {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// It is too large, not UTF-8, not well-formed, or not RSL. It then licenses nothing.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > DOCUMENT_BYTES {
            return Err(format!("expected a licence of at most {DOCUMENT_BYTES} bytes"));
        }
        let text = str::from_utf8(bytes).map_err(|_| "expected a licence in UTF-8")?;
        let document = xml::read(text)?;
        let root = document.root_element();
        if !root.has_tag_name((RSL_NAMESPACE, "rsl")) {
            let found = quoted(root.tag_name().name());
            let expected = format!("`rsl` of the namespace `{RSL_NAMESPACE}`");
            return Err(format!("expected {expected}, but found {found}"));
        }
        let mut root = Element::of(root);
        let mut rsl = Self {
            is_broken: !root.mistakes.is_empty(),
            findings: root.mistakes,
            contents: root.elements.remove("content").unwrap_or_default(),
            ..Self::default()
        };
        if let Some(age) = root.attributes.get("max-age") {
            rsl.max_age_days = age.parse().ok().filter(|days| *days > 0);
            if rsl.max_age_days.is_none() {
                let found = quoted(age);
                rsl.findings.push(format!("expected `max-age` in days, but found {found}"));
            }
        }
        for content in &mut rsl.contents {
            let terms = of_content(content, &mut rsl.findings);
            let url = content.attribute("url");
            let Some(scope) = Scope::of(url) else {
                let message = "expected `url` to be a URL or a path, but found";
                rsl.findings.push(format!("{message} {}", quoted(url)));
                rsl.is_broken = true;
                continue;
            };
            rsl.entries.push((scope, terms));
        }
        Ok(rsl)
    }

    /// Whether bytes are meant to be RSL, in any encoding: they have its namespace, or the
    /// beginning of an element `rsl`. A comment or a page about RSL may, too: such a document then
    /// licenses nothing.
    pub(crate) fn is_meant(bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(DOCUMENT_BYTES)]);
        // The other octet of each character in UTF-16.
        let text = text.replace('\0', "");
        ["<rsl", ":rsl", RSL_NAMESPACE].iter().any(|mark| text.contains(mark))
    }

    /// The terms for a URL.
    ///
    /// For each use, the entries with the longest pattern that state something about it decide. If
    /// they differ, the most restrictive counts. An entry whose URL is not a pattern may be about
    /// this URL, so nothing is permitted.
    pub(crate) fn terms(&self, url: &Url) -> Terms {
        let least = if self.is_broken { Outcome::Unknown } else { Outcome::Unstated };
        let mut terms = Terms::all(least);
        let matching: Vec<_> =
            self.entries.iter().filter(|(scope, _)| scope.includes(url)).collect();
        for (at, of) in Use::ALL.into_iter().enumerate() {
            let by_entry = matching.iter().map(|(scope, all)| (scope.length, &all[at]));
            let stating = by_entry.filter(|(_, it)| it.of(of) != Outcome::Unstated);
            let longest = stating.clone().map(|(length, _)| length).max();
            for (_, by_entry) in stating.filter(|(length, _)| Some(*length) == longest) {
                terms = terms.and(by_entry.clone());
            }
        }
        terms
    }
}

/// The terms of a `content` element for each use. Its licences are alternatives, but a use that any
/// of them prohibits is refused.
fn of_content(content: &mut Element, findings: &mut Vec<String>) -> [Terms; 4] {
    let mut is_broken = !content.mistakes.is_empty();
    findings.append(&mut content.mistakes);
    let licenses = content.elements.get_mut("license").into_iter().flatten();
    let licenses: Vec<_> = licenses.map(|it| License::of(it, findings)).collect();
    if licenses.is_empty() {
        findings.push(format!("expected a `license` for {}", quoted(content.attribute("url"))));
        is_broken = true;
    }
    // They concern every use, also without a list.
    let mut conditions = Vec::new();
    if let Some(server) = content.attributes.get("server") {
        conditions.push(format!("licence of the server {}", quoted(server)));
    }
    if content.attributes.get("encrypted").is_some_and(|it| it != "false") {
        conditions.push("encrypted content".to_owned());
    }
    let for_people = content.all("terms").first();
    conditions.extend(for_people.map(|it| format!("terms for people: {}", quoted(&it.text))));
    let least = if conditions.is_empty() { Outcome::Unstated } else { Outcome::Conditional };
    // An alternative that could not be read may permit what the others exclude.
    is_broken |= licenses.iter().any(|it| it.is_broken);
    Use::ALL.map(|of| {
        let stated = licenses.iter().map(|it| it.terms.of(of));
        // Any of the alternatives suffices.
        let by_licenses = stated.filter(|it| *it != Outcome::Unstated).min().unwrap_or_default();
        let outcome = match is_broken {
            _ if licenses.iter().any(|it| it.prohibited.contains(&of)) => Outcome::Refused,
            true => Outcome::Unknown,
            false => by_licenses.max(least),
        };
        let mut terms = Terms::each(&[of], outcome);
        if outcome == Outcome::Conditional {
            let under = licenses.iter().filter(|it| it.terms.of(of) == outcome);
            let under = under.flat_map(|it| &it.terms.conditions);
            terms.conditions = conditions.iter().chain(under).cloned().collect();
        }
        terms
    })
}

/// The meaning of a `license` element.
struct License {
    prohibited: Vec<Use>,
    /// The terms of uses that are not prohibited; none if a part could not be read.
    terms: Terms,
    is_broken: bool,
}

impl License {
    fn of(element: &mut Element, findings: &mut Vec<String>) -> Self {
        let mut mistakes = std::mem::take(&mut element.mistakes);
        if element.all("payment").len() > 1 {
            mistakes.push("expected one `payment` in a `license`, but found more".to_owned());
        }
        let mut conditions: Vec<_> = element.all("payment").iter().filter_map(payment).collect();
        let lists = [("permits", "only"), ("prohibits", "not")];
        let [permitted, prohibited] = lists.map(|(name, verb)| {
            let mut uses = None::<Vec<Use>>;
            for list in element.all(name) {
                let found = quoted(&list.text);
                match list.attribute("type") {
                    "usage" => {
                        let words = list.text.split_ascii_whitespace();
                        let known: Vec<_> = words.clone().filter_map(uses_of).collect();
                        if known.is_empty() || known.len() < words.count() {
                            let expected = "words such as `ai-train`";
                            mistakes.push(format!(
                                "expected {expected} in `{name}`, but found {found}"
                            ));
                        }
                        uses.get_or_insert_default().extend(known.into_iter().flatten());
                    }
                    kind @ ("user" | "geo") => {
                        conditions.push(format!("{verb} for {kind} {found}"));
                    }
                    kind => mistakes.push(format!(
                        "expected the `type` usage, user or geo in `{name}`, but found {}",
                        quoted(kind)
                    )),
                }
            }
            uses
        });
        if !element.all("reporting").is_empty() {
            conditions.push("reports".to_owned());
        }
        let is_broken = !mistakes.is_empty();
        findings.append(&mut mistakes);
        let is_bound = !conditions.is_empty();
        let granted = if is_bound { Outcome::Conditional } else { Outcome::Allowed };
        let mut terms = Terms::default();
        terms.conditions = conditions;
        for of in Use::ALL.into_iter().filter(|_| !is_broken) {
            match &permitted {
                Some(uses) if uses.contains(&of) => terms.state(of, granted),
                // Only the listed uses are permitted.
                Some(_) => terms.state(of, Outcome::Refused),
                // Without a list, a payment still concerns every use.
                None if is_bound => terms.state(of, granted),
                None => {}
            }
        }
        Self { prohibited: prohibited.unwrap_or_default(), terms, is_broken }
    }
}

/// The condition of a payment; `None` if nothing must be paid, credited or signed.
fn payment(element: &Element) -> Option<String> {
    let kind = element.attributes.get("type").map(String::as_str);
    if element.elements.is_empty() && matches!(kind, None | Some("free")) {
        return None;
    }
    let details = ["amount", "standard", "custom"].map(|it| element.all(it).first());
    let details = details.into_iter().flatten().map(|it| {
        let detail = format!("{} {}", it.text, it.attribute("currency"));
        format!(" {}", quoted(detail.trim()))
    });
    let kind = quoted(kind.unwrap_or("licence"));
    Some(format!("payment {kind}{}", details.collect::<String>()))
}

/// The uses of a word of RSL 1.0; `None` for an unknown word.
fn uses_of(word: &str) -> Option<&'static [Use]> {
    Some(match word {
        "all" => &Use::ALL,
        "ai-all" => &[Use::AiTraining, Use::AiInput],
        "ai-train" => &[Use::AiTraining],
        "ai-input" => &[Use::AiInput],
        "ai-index" => &[],
        "search" => &[Use::Search],
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
