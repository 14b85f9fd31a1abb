//! A page: its header lines and meta elements, read into statements.

use std::collections::BTreeMap;

use verger::{Crawler, Position};

use crate::directive::{Directive, NO_COMMA, NO_VALUE};
use crate::directives::{Combine, PageDirectives};
use crate::headers;
use crate::limits::{HEADER_BYTES, STATEMENTS};
use crate::list::{AgentPrefixes, Item, Items};
#[cfg(feature = "html")]
use crate::other::OtherTerm;
use crate::other::{self, OtherStatement, SearchMeta, cut_item};
use crate::statement::{Place, Statement, Subject};

/// The directives of a page for all crawlers.
///
/// Pass it the header fields of the response, and the meta elements of the page: those of an
/// `HtmlReader` (feature `html`), or any others. Then get the directives of one crawler at a time.
///
/// A page's directives reach only a crawler that may fetch it: `Disallow` hides `noindex`
/// (REP-PAGE-6).
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_page::{Combine, Page};
///
/// let mut page = Page::new();
/// page.read_headers("HTTP/2 200\r\nX-Robots-Tag: googlebot: nofollow\r\nX-Robots-Tag: noarchive\r\n");
/// page.read_meta("robots", "max-snippet:50", verger::Position { line: 1, column: 1 });
///
/// let news = Crawler::chain(["Googlebot-News", "Googlebot"]);
/// let found = page.directives(&news, &Combine::GOOGLE);
/// assert_eq!(found.to_string(), "nofollow, max-snippet:50, noarchive");
/// assert_eq!(found.effective[0].statements[0].to_string(), "`nofollow` in header line 2");
///
/// let other = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
/// assert_eq!(other.to_string(), "max-snippet:50, noarchive");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Page {
    statements: Vec<Statement>,
    search: SearchMeta,
    others: Vec<OtherStatement>,
    content_type: Option<Vec<u8>>,
    #[cfg(feature = "html")]
    pub(crate) base: Option<String>,
    fields: usize,
    used: BTreeMap<Limited, usize>,
    is_truncated: bool,
}

/// Text with a separate limit, so that harmless text takes no room from a restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Limited {
    /// Bytes of the header fields of a name.
    Field(&'static str),
    /// Items with a directive, or without one, for every crawler or for some.
    Items { is_for_everybody: bool, directive: Option<&'static str> },
    /// Statements in other fields or elements of a name.
    Others(&'static str),
}

impl Page {
    /// A page without statements.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one header field; other fields are ignored. Pass every field separately, as received:
    /// joined fields lose their scopes (REP-PAGE-14).
    ///
    /// # Complexity
    ///
    /// Linear in the value; at most 64 KiB of the values of each name are read.
    pub fn read_header(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        self.fields += 1;
        let line = self.fields;
        self.read_field(name.as_ref(), value.as_ref(), line);
    }

    /// Reads a response head: fields on separate lines, with or without the status line.
    ///
    /// Of several heads, as after redirects, the last one counts. Text after it is ignored.
    ///
    /// # Complexity
    ///
    /// Linear in the text.
    pub fn read_headers(&mut self, text: impl AsRef<[u8]>) {
        for field in headers::read(text.as_ref()) {
            self.read_field(&field.name, &field.value, field.line);
        }
    }

    fn read_field(&mut self, name: &[u8], value: &[u8], line: usize) {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let place = Place::Header { line };
        if is(X_ROBOTS_TAG) {
            let value = self.within_limit(X_ROBOTS_TAG, value);
            let items = Items::new(value, AgentPrefixes::Allowed);
            self.add_items(items, &Subject::Everybody, place, None);
        } else if is("content-type") {
            self.content_type = Some(cut_item(value).to_vec());
        } else if let Some(name) = other::field_name(name) {
            let value = self.within_limit(name, value);
            self.add_others(name, value, place, None);
        }
    }

    /// The part of a value within the limit of its field, cut between items.
    fn within_limit<'v>(&mut self, name: &'static str, value: &'v [u8]) -> &'v [u8] {
        let length = self.take(Limited::Field(name), value.len());
        if length == value.len() {
            return value;
        }
        let end = value[..length].iter().rposition(|&octet| octet == b',');
        &value[..end.unwrap_or(0)]
    }

    /// Counts bytes or statements up to their limit. Returns how many may be read.
    fn take(&mut self, limited: Limited, wanted: usize) -> usize {
        let limit = if matches!(limited, Limited::Field(_)) { HEADER_BYTES } else { STATEMENTS };
        let used = self.used.entry(limited).or_default();
        let taken = wanted.min(limit - *used);
        *used += taken;
        self.is_truncated |= taken < wanted;
        taken
    }

    /// Reads one meta element, with character references decoded, and its position. Other elements
    /// are ignored.
    ///
    /// `robots` is for every crawler, any other name for the crawlers of that name (REP-PAGE-1).
    /// Since crawlers may have any name, an element counts if its name is `robots` or that of a
    /// search engine, if it ends in `bot`, or if its items include a directive.
    ///
    /// # Complexity
    ///
    /// Linear in the content.
    pub fn read_meta(&mut self, name: &str, content: &str, position: Position) {
        self.read_element(name, content, position, None);
    }

    /// Like [`read_meta`](Self::read_meta); if `ignored`, the items have no effect.
    pub(crate) fn read_element(
        &mut self,
        name: &str,
        content: &str,
        position: Position,
        ignored: Option<&'static str>,
    ) {
        let name = name.trim_ascii();
        let place = Place::Meta { position };
        let is_mistaken = is_mistaken(name);
        let ignored = ignored.or(is_mistaken.then_some("expected the name `robots`"));
        if let Some(name) = other::element_name(name) {
            return self.add_others(name, content.as_bytes(), place, ignored);
        }
        if ignored.is_none() && self.search.take(name, content) || !is_for_crawlers(name, content) {
            return;
        }
        let subject = if is_mistaken || name.eq_ignore_ascii_case("robots") {
            Subject::Everybody
        } else {
            Subject::Agent(cut_item(name.as_bytes()).into())
        };
        self.add_items(
            Items::new(content.as_bytes(), AgentPrefixes::None),
            &subject,
            place,
            ignored,
        );
    }

    fn add_items(
        &mut self,
        items: Items<'_>,
        subject: &Subject,
        place: Place,
        ignored: Option<&'static str>,
    ) {
        for Item { agent, text, parsed } in items {
            let subject =
                agent.map_or_else(|| subject.clone(), |it| Subject::Agent(cut_item(it).into()));
            let directive = parsed.ok().filter(|_| ignored.is_none()).map(Directive::name);
            let is_for_everybody = subject == Subject::Everybody;
            if self.take(Limited::Items { is_for_everybody, directive }, 1) == 1 {
                let text = cut_item(text).into();
                self.statements.push(Statement { subject, text, parsed, ignored, place });
            }
        }
    }

    fn add_others(
        &mut self,
        name: &'static str,
        value: &[u8],
        place: Place,
        ignored: Option<&'static str>,
    ) {
        other::read(name, value, |parsed| {
            let parsed = ignored.map_or(parsed, Err);
            if self.take(Limited::Others(name), 1) == 1 {
                let text = cut_item(value).into();
                self.others.push(OtherStatement { name, text, parsed, place });
            }
        });
    }

    /// Adds an address of a licence in the page.
    #[cfg(feature = "html")]
    pub(crate) fn add_license(
        &mut self,
        href: &str,
        position: Position,
        ignored: Option<&'static str>,
    ) {
        if self.take(Limited::Others(other::LICENSE_ELEMENT), 1) == 1 {
            let (name, text) = (other::LINK, cut_item(href.as_bytes()).into());
            let address = href.to_owned();
            let parsed = ignored.map_or(Ok(OtherTerm::License { address, anchor: None }), Err);
            self.others.push(OtherStatement {
                name,
                text,
                parsed,
                place: Place::Link { position },
            });
        }
    }

    /// The directives for one crawler: all statements for every crawler or for a name of its chain
    /// together (REP-PAGE-24), with contradictions resolved by the row.
    ///
    /// A crawler without tokens matches no name.
    ///
    /// # Complexity
    ///
    /// Linear in the statements, of which there are at most [`limits::STATEMENTS`] of a directive
    /// for every crawler, and as many for others.
    ///
    /// [`limits::STATEMENTS`]: crate::limits::STATEMENTS
    pub fn directives(&self, crawler: &Crawler, combine: &Combine) -> PageDirectives<'_> {
        let names = |statement: &&Statement| statement.subject.names(crawler);
        PageDirectives::combine(self.statements.iter().filter(names).collect(), combine)
    }

    /// All statements for all crawlers, in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Meta elements for search engines (REP-PAGE-40).
    pub const fn search_meta(&self) -> &SearchMeta {
        &self.search
    }

    /// Statements beside the directives, in order: preferences and licences for the use of the
    /// content, and the draft's `Robots-Tag`. They have no effect on directives (REP-PAGE-30,
    /// REP-PAGE-31).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_page::{OtherTerm, Page};
    ///
    /// let mut page = Page::new();
    /// page.read_headers("Content-Usage: train-ai=n\r\nLink: </license.xml>; rel=license\r\n");
    /// let [usage, license] = page.others() else { unreachable!() };
    /// let Ok(OtherTerm::Usage { usage, .. }) = &usage.parsed else { unreachable!() };
    /// assert!(usage.stated().eq([("train-ai", "n")]));
    /// let Ok(OtherTerm::License { address, .. }) = &license.parsed else { unreachable!() };
    /// assert_eq!(address, "/license.xml");
    /// assert_eq!(license.place.to_string(), "in header line 2");
    /// ```
    pub fn others(&self) -> &[OtherStatement] {
        &self.others
    }

    /// The last `Content-Type`, which may declare the page's encoding.
    pub fn content_type(&self) -> Option<&[u8]> {
        self.content_type.as_deref()
    }

    /// The address in the first `base` element with one, as written: that of links is relative to
    /// it.
    #[cfg(feature = "html")]
    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// Whether something was omitted because of a limit of this crate.
    pub const fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

const X_ROBOTS_TAG: &str = "x-robots-tag";

/// `robots`, and the names of search engines whose elements count without a known directive, so
/// that unknown ones are reported.
const NAMES: [&str; 14] = [
    "robots",
    "Applebot",
    "Baiduspider",
    "bingbot",
    "DuckDuckBot",
    "Googlebot",
    "Googlebot-Image",
    "Googlebot-News",
    "Googlebot-Video",
    "msnbot",
    "SeznamBot",
    "Yandex",
    "YandexBot",
    "Yeti",
];

/// The name if it is for every crawler, for a search engine or about mining, and the kind of one
/// that ends as those of crawlers do.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    let name = name.trim_ascii();
    let is_bot = || name.to_ascii_lowercase().ends_with("bot") || is_mistaken(name);
    let known = NAMES.into_iter().find(|known| name.eq_ignore_ascii_case(known));
    known.or_else(|| other::element_name(name)).or_else(|| is_bot().then_some(OTHERS))
}

/// Whether a name is meant as `robots`, and names nobody.
fn is_mistaken(name: &str) -> bool {
    ["robot", X_ROBOTS_TAG].iter().any(|it| name.eq_ignore_ascii_case(it))
}

/// The kind of elements for crawlers that are no search engines.
const OTHERS: &str = "for other crawlers";

/// Whether an element has directives for crawlers, by its name or its content.
fn is_for_crawlers(name: &str, content: &str) -> bool {
    let has_directive = || {
        let mut items = Items::new(content.as_bytes(), AgentPrefixes::None);
        items.any(|item| matches!(item.parsed, Ok(_) | Err(NO_COMMA | NO_VALUE)))
    };
    !name.is_empty() && (known(name).is_some() || has_directive())
}

/// The kind of an element that [`Page::read_meta`] uses.
#[cfg(feature = "html")]
pub(crate) fn kind(name: &str, content: &str) -> Option<&'static str> {
    let name = name.trim_ascii();
    known(name)
        .or_else(|| SearchMeta::default().take(name, "").then_some("for search engines"))
        .or_else(|| is_for_crawlers(name, content).then_some(OTHERS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::other::OtherTerm;

    #[test]
    fn no_other_text_hides_a_restriction() {
        let field = |name: &str, value: &str, count| format!("{name}: {value}\n").repeat(count);
        let link = format!("<{}>; rel=preload", "x".repeat(5_000));
        let items = |item: &str| field("X-Robots-Tag", item, STATEMENTS + 1);
        for others in [
            field("Link", &link, 14),
            field("Link", "</l>; rel=license", STATEMENTS + 1),
            items("noimdex"),
            items("all"),
            items("noarchive"),
            items("a: noindex"),
        ] {
            let mut page = Page::new();
            page.read_headers(format!("{others}X-Robots-Tag: noindex\nTDM-Reservation: 1"));
            assert!(page.is_truncated());
            let found = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
            assert!(found.noindex(), "{others:.40}");
            assert_eq!(page.others().last().unwrap().parsed, Ok(OtherTerm::Reservation(true)));
        }
    }

    #[test]
    fn an_unknown_directive_is_reported_for_names_of_crawlers_only() {
        for (name, content, expected) in [
            ("robots", "noimdex", 1),
            (" yeti ", "noimdex", 1),
            ("Baiduspider", "noimdex", 1),
            ("GOOGLEBOT-NEWS", "noimdex", 1),
            ("ExampleBot", "noindex", 1),
            ("ExampleBot", "noimdex", 1),
            ("ExampleSpider", "noindex; noai", 1),
            ("ExampleSpider", "noindex: x", 1),
            ("ExampleSpider", "noimdex", 0),
            ("botify-site-verification", "aBcD123", 0),
            ("bottom-color", "#fff", 0),
            ("robotspider", "x", 0),
            ("", "noindex", 0),
        ] {
            let mut page = Page::new();
            page.read_meta(name, content, Position { line: 1, column: 1 });
            assert_eq!(page.statements().len(), expected, "{name}: {content}");
        }
    }
}
