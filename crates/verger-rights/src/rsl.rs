//! Licences in Really Simple Licensing (RSL) 1.0, and their terms for a URL (REP-EXT-40).

use roxmltree::{Attribute, Node};
use serde::Serialize;
use url::Url;
use verger::quoted;

use crate::limits::DOCUMENT_BYTES;
use crate::outcome::{Outcome, Terms, Use};
use crate::scope::Scope;
use crate::xml::{self, text};

/// The namespace of RSL 1.0.
pub const RSL_NAMESPACE: &str = "https://rslstandard.org/rsl";

/// A parsed licence document.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Rsl {
    /// Its address.
    pub url: String,
    /// Days for which the document may be cached; `None` if they are not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u64>,
    /// Its `content` elements, in order.
    pub contents: Vec<Content>,
    /// Mistakes in words. What they concern permits nothing.
    #[serde(skip)]
    pub(crate) findings: Vec<String>,
    /// Whether something in the root could not be read.
    #[serde(skip)]
    is_broken: bool,
}

/// A `content` element: licences for some URLs. Its texts are untrusted.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Content {
    /// The URLs, as written.
    pub url: String,
    /// The licence server, which must grant a licence first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether the content is encrypted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub encrypted: bool,
    /// Terms for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// The rights holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copyright: Option<String>,
    /// The licences: alternatives, each with its own terms.
    pub licenses: Vec<RslLicense>,
    #[serde(skip)]
    scope: Option<Scope>,
    /// Whether something outside of its licences could not be read.
    #[serde(skip)]
    is_broken: bool,
}

/// A `license` element.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RslLicense {
    /// The permitted values: only these of each type.
    pub permits: Vec<Tokens>,
    /// The prohibited values, also if they are permitted.
    pub prohibits: Vec<Tokens>,
    /// The payment; `None` for none, which means free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<Payment>,
    /// Profiles of required reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reporting: Vec<String>,
    /// Whether a part of it could not be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// A `permits` or `prohibits` element.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Tokens {
    /// `usage`, `user` or `geo`.
    pub r#type: String,
    /// The words, as written.
    pub values: Vec<String>,
}

/// A `payment` element.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Payment {
    /// `free`, `attribution`, `crawl` and others, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Amount and currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// The address of a standard licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<String>,
    /// The address of the publisher's own process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// The media type of a payment protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepts: Option<String>,
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
        let document = xml::read(text, RSL_NAMESPACE)?;
        let root = document.root_element();
        let name = root.tag_name().name();
        if name != "rsl" {
            return Err(format!("expected the element `rsl`, but found {}", quoted(name)));
        }
        let mut findings = Findings::default();
        findings.check(root);
        let is_broken = !findings.0.is_empty();
        let max_age_days = attribute(root, "max-age").and_then(|age| {
            let days = age.parse().ok().filter(|days| *days > 0);
            if days.is_none() {
                findings.add(format!("expected `max-age` in days, but found {}", quoted(age)));
            }
            days
        });
        let contents = all(root, "content").map(|it| Content::of(it, &mut findings)).collect();
        let url = String::new();
        Ok(Self { url, max_age_days, contents, findings: findings.0, is_broken })
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

    /// Whether an entry covers a URL.
    pub(crate) fn covers(&self, url: &Url) -> bool {
        self.contents.iter().any(|it| it.scope.as_ref().is_some_and(|scope| scope.includes(url)))
    }

    /// The terms for a URL.
    ///
    /// For each use, the entries with the longest pattern that state something about it decide. If
    /// they differ, the most restrictive counts. In one entry, licences are alternatives, but a use
    /// that any of them prohibits is refused. An entry whose URL is not a pattern may be about this
    /// URL, so nothing is permitted.
    pub(crate) fn terms(&self, url: &Url) -> Terms {
        let mut terms = Terms::default();
        let includes = |it: &&Content| it.scope.as_ref().is_some_and(|scope| scope.includes(url));
        let mut matching: Vec<_> = self.contents.iter().filter(includes).collect();
        let length = |content: &Content| content.scope.as_ref().map_or(0, |scope| scope.length);
        matching.sort_by_key(|content| std::cmp::Reverse(length(content)));
        for of in Use::ALL {
            let mut decided = None;
            for content in &matching {
                if decided.is_some_and(|decided| length(content) < decided) {
                    break;
                }
                let outcome = content.outcome(of);
                if outcome != Outcome::Unstated {
                    decided = Some(length(content));
                    terms.state(of, outcome);
                }
                if outcome == Outcome::Conditional {
                    content.conditions(of).into_iter().for_each(|it| terms.condition(it));
                }
            }
        }
        if self.is_broken || self.contents.iter().any(|content| content.scope.is_none()) {
            terms = terms.and(Terms::all(Outcome::Unknown));
        }
        terms
    }
}

impl Content {
    fn of(element: Node<'_, '_>, findings: &mut Findings) -> Self {
        let before = findings.0.len();
        findings.check(element);
        let url = attribute(element, "url").unwrap_or_default().to_owned();
        if all(element, "license").next().is_none() {
            findings.add(format!("expected a `license` for {}", quoted(&url)));
        }
        let is_broken = findings.0.len() > before;
        let scope = Scope::of(&url);
        if scope.is_none() {
            let found = quoted(&url);
            findings.add(format!("expected `url` to be a URL or a path, but found {found}"));
        }
        let text_of = |name| all(element, name).next().map(text);
        let licenses: Vec<_> =
            all(element, "license").map(|it| RslLicense::of(it, findings)).collect();
        Self {
            url,
            server: attribute(element, "server").map(str::to_owned),
            encrypted: attribute(element, "encrypted").is_some_and(|it| it != "false"),
            terms: text_of("terms"),
            copyright: text_of("copyright"),
            licenses,
            scope,
            is_broken,
        }
    }

    /// The statement of all licences about a use.
    fn outcome(&self, of: Use) -> Outcome {
        let all = || self.licenses.iter().map(|it| it.outcome(of));
        let has = |outcome| all().any(|it| it == Some(outcome));
        if self.licenses.iter().any(|it| covers(&it.prohibits, of) == Some(true)) {
            return Outcome::Refused;
        }
        if self.is_broken || has(Outcome::Unknown) {
            return Outcome::Unknown;
        }
        // They concern every use, also without a list.
        let is_bound = self.server.is_some() || self.encrypted || self.terms.is_some();
        // Any of the alternatives suffices.
        match (has(Outcome::Allowed), has(Outcome::Conditional), has(Outcome::Refused)) {
            (true, ..) if !is_bound => Outcome::Allowed,
            (true, ..) | (_, true, _) => Outcome::Conditional,
            (.., true) => Outcome::Refused,
            _ if is_bound => Outcome::Conditional,
            _ => Outcome::Unstated,
        }
    }

    fn conditions(&self, of: Use) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(server) = &self.server {
            words.push(format!("licence of the server {}", quoted(server)));
        }
        if self.encrypted {
            words.push("encrypted content".to_owned());
        }
        words.extend(self.terms.as_ref().map(|it| format!("terms for people: {}", quoted(it))));
        let licenses = self.licenses.iter();
        let under = licenses.filter(|it| it.outcome(of) == Some(Outcome::Conditional));
        words.extend(under.flat_map(RslLicense::conditions));
        words
    }
}

impl RslLicense {
    fn of(element: Node<'_, '_>, findings: &mut Findings) -> Self {
        let tokens = |name, findings: &mut Findings| -> Vec<Tokens> {
            all(element, name).filter_map(|it| Tokens::of(it, findings)).collect()
        };
        let permits = tokens("permits", findings);
        // An unknown word of a permission permits nothing; one of a prohibition may prohibit.
        let is_cut = permits.len() < all(element, "permits").count()
            || all(element, "permits").any(|it| text(it).contains(','));
        let before = findings.0.len();
        findings.check(element);
        let prohibits = tokens("prohibits", findings);
        if all(element, "payment").count() > 1 {
            findings.add("expected one `payment` in a `license`, but found more".to_owned());
        }
        let broken = is_cut || findings.0.len() > before;
        let payment = all(element, "payment").next().map(Payment::of);
        let profile = |it| attribute(it, "profile").unwrap_or_default().to_owned();
        let reporting = all(element, "reporting").map(profile).collect();
        Self { permits, prohibits, payment, reporting, broken }
    }

    /// The statement about a use that it does not prohibit; `None` for none.
    fn outcome(&self, of: Use) -> Option<Outcome> {
        if self.broken {
            return Some(Outcome::Unknown);
        }
        let granted =
            if self.conditions().is_empty() { Outcome::Allowed } else { Outcome::Conditional };
        match covers(&self.permits, of) {
            Some(true) => Some(granted),
            // Only the listed values are permitted.
            Some(false) => Some(Outcome::Refused),
            // Without a list, a payment still concerns every use.
            None => (granted == Outcome::Conditional).then_some(granted),
        }
    }

    fn conditions(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(payment) = self.payment.as_ref().filter(|it| !it.is_free()) {
            words.push(payment.words());
        }
        for (list, verb) in [(&self.permits, "only"), (&self.prohibits, "not")] {
            for tokens in list.iter().filter(|it| it.r#type != USAGE) {
                let values = quoted(&tokens.values.join(" "));
                words.push(format!("{verb} for {} {values}", tokens.r#type));
            }
        }
        let reports = |it: &String| match &**it {
            "" => "reports".to_owned(),
            profile => format!("reports by {}", quoted(profile)),
        };
        words.extend(self.reporting.iter().map(reports));
        words
    }
}

impl Tokens {
    /// Reads a list; `None` for one of an unknown type.
    fn of(element: Node<'_, '_>, findings: &mut Findings) -> Option<Self> {
        let kind = attribute(element, "type").unwrap_or_default();
        let (name, text) = (element.tag_name().name(), text(element));
        if !["usage", "user", "geo"].contains(&kind) {
            let found = quoted(kind);
            findings.add(format!(
                "expected the `type` usage, user or geo of `{name}`, but found {found}"
            ));
            return None;
        }
        if text.contains(',') {
            findings.add(format!("expected spaces between the words of `{name}`"));
        }
        let words = text.split(|it: char| it.is_ascii_whitespace() || it == ',');
        let values: Vec<_> = words.filter(|it| !it.is_empty()).map(str::to_owned).collect();
        // Words with a prefix are those of an extension, which may prohibit more than its own uses.
        let may_have_prefix = name != "prohibits";
        let is_known =
            |it: &&String| may_have_prefix && it.contains(':') || WORDS.contains(&it.as_str());
        let unknown = values.iter().find(|it| !is_known(it)).map_or("", String::as_str);
        if kind == USAGE && (!unknown.is_empty() || values.is_empty()) {
            findings
                .add(format!("expected a usage such as `ai-train`, but found {}", quoted(unknown)));
        }
        Some(Self { r#type: kind.to_owned(), values })
    }
}

impl Payment {
    fn of(element: Node<'_, '_>) -> Self {
        let child = |name| all(element, name).next();
        let amount = child("amount").map(|it| {
            let currency = attribute(it, "currency").unwrap_or_default();
            format!("{} {currency}", text(it)).trim().to_owned()
        });
        Self {
            r#type: attribute(element, "type").map(str::to_owned),
            amount,
            standard: child("standard").map(text),
            custom: child("custom").map(text),
            accepts: child("accepts")
                .map(|it| attribute(it, "type").unwrap_or_default().to_owned()),
        }
    }

    /// Whether nothing must be paid, credited or signed.
    fn is_free(&self) -> bool {
        let has_more = self.amount.is_some() || self.standard.is_some() || self.custom.is_some();
        !has_more && self.accepts.is_none() && matches!(self.r#type.as_deref(), None | Some("free"))
    }

    fn words(&self) -> String {
        let kind = self.r#type.as_deref().unwrap_or("licence");
        let more = [&self.amount, &self.standard, &self.custom].map(Option::as_deref);
        let more: Vec<_> = more.into_iter().flatten().map(quoted).collect();
        format!("payment {} {}", quoted(kind), more.join(" ")).trim_end().to_owned()
    }
}

/// Mistakes in words.
#[derive(Debug, Default)]
struct Findings(Vec<String>);

impl Findings {
    fn add(&mut self, what: String) {
        self.0.push(what);
    }

    /// An unknown element, such as `permit`, an attribute or a text may be a restriction. Contents
    /// and licences are checked one by one.
    fn check(&mut self, element: Node<'_, '_>) {
        type Names = &'static [&'static str];
        let name = element.tag_name().name();
        let (children, attributes): (Names, Names) = match name {
            "rsl" => (&["content"], &["max-age"]),
            "content" => (
                &["license", "alternate", "schema", "copyright", "terms"],
                &["url", "server", "encrypted", "lastmod"],
            ),
            "license" => (&["permits", "prohibits", "payment", "reporting", "legal"], &[]),
            "payment" => (&["standard", "custom", "amount", "accepts"], &["type"]),
            "permits" | "prohibits" | "accepts" | "legal" | "alternate" | "schema" => {
                (&[], &["type"])
            }
            "amount" => (&[], &["currency"]),
            "reporting" => (&[], &["type", "profile", "endpoint"]),
            "copyright" => (&[], &["type", "contactEmail", "contactUrl"]),
            _ => (&[], &[]),
        };
        let (namespace, text) = (Some(RSL_NAMESPACE), text(element));
        let one_of = |known: Names, what: &str| match known {
            [] => format!("no {what}"),
            known => known.join(", "),
        };
        let expected = one_of(children, "element");
        for child in element.children().filter(Node::is_element) {
            let found = child.tag_name();
            if found.namespace() != namespace || !children.contains(&found.name()) {
                let other =
                    if found.namespace() == namespace { "" } else { " of another namespace" };
                let found = quoted(found.name());
                self.add(format!("expected {expected} in `{name}`, but found {found}{other}"));
            } else if !["content", "license"].contains(&found.name()) {
                self.check(child);
            }
        }
        if !children.is_empty() && !text.is_empty() {
            self.add(format!("expected no text in `{name}`, but found {}", quoted(&text)));
        }
        // Attributes of other namespaces are extensions.
        let is_unknown = |it: &Attribute<'_, '_>| match it.namespace() {
            None => !attributes.contains(&it.name()),
            found => found == namespace,
        };
        if let Some(found) = element.attributes().find(is_unknown) {
            let prefixed = if found.namespace().is_some() { " with a prefix" } else { "" };
            let (known, found) = (one_of(attributes, "attribute"), quoted(found.name()));
            self.add(format!("expected {known} in `{name}`, but found {found}{prefixed}"));
        }
    }
}

/// The child elements of RSL with a name.
fn all<'d, 't>(element: Node<'d, 't>, name: &'static str) -> impl Iterator<Item = Node<'d, 't>> {
    element.children().filter(move |it| it.has_tag_name((RSL_NAMESPACE, name)))
}

/// An attribute without a prefix, trimmed. [`Node::attribute`] ignores prefixes.
fn attribute<'d>(element: Node<'d, '_>, name: &str) -> Option<&'d str> {
    let is_meant = |it: &Attribute<'_, '_>| it.namespace().is_none() && it.name() == name;
    element.attributes().find(is_meant).map(|it| it.value().trim())
}

/// The type of lists about uses.
const USAGE: &str = "usage";

/// The words of RSL 1.0 for uses.
const WORDS: [&str; 6] = ["all", "ai-all", "ai-train", "ai-input", "ai-index", "search"];

/// Whether lists include a use; `None` without a list about uses.
fn covers(lists: &[Tokens], of: Use) -> Option<bool> {
    let words: &[&str] = match of {
        Use::Search => &["all", "search"],
        Use::AiTraining => &["all", "ai-all", "ai-train"],
        Use::AiInput => &["all", "ai-all", "ai-input"],
        Use::Mining => &["all"],
    };
    let lists: Vec<_> = lists.iter().filter(|it| it.r#type == USAGE).collect();
    let is_word = |value: &String| words.contains(&value.as_str());
    (!lists.is_empty()).then(|| lists.iter().any(|it| it.values.iter().any(is_word)))
}

#[cfg(test)]
mod tests;
