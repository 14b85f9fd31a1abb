//! One sitemap.
//!
//! # Scope
//!
//! `urlset` and `sitemapindex` of the protocol, feeds in RSS and Atom, in UTF-8 and in any
//! namespace, or a text file. Only the addresses are read. Entities that a document type declares
//! are not expanded: an address with one is skipped.

use std::io::{ErrorKind, Read as _};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use verger::Untrusted;
use verger_audit::Plain;
use verger_audit::lines::{at_line, could_not_read};

use super::list::read_list;
use crate::limits::{ADDRESS_BYTES, ELEMENT_DEPTH, SITEMAP_BYTES};

/// An entry of a sitemap or of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SitemapEntry<'s> {
    /// The URL of a page.
    Page(&'s str),
    /// The URL of a sitemap, in an index.
    Sitemap(&'s str),
    /// An entry whose address is empty, too long, not UTF-8, or has an unknown entity.
    Invalid,
}

/// Passes each entry of a sitemap to a function.
///
/// Returns whether bytes after the compressed data were ignored.
///
/// # Errors
///
/// The data is too large, not UTF-8, or not well-formed; its root element is that of another
/// format. Entries before the error have been passed.
pub(crate) fn read_sitemap(
    data: &[u8],
    mut each: impl FnMut(SitemapEntry<'_>),
) -> Result<bool, String> {
    let limit = SITEMAP_BYTES as u64;
    let read = |error: std::io::Error| could_not_read(&error);
    let mut bytes = Vec::new();
    let mut plain = Plain::new(data, limit).map_err(read)?;
    let has_tail = match plain.by_ref().take(limit + 1).read_to_end(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::InvalidData => true,
        read_all => read_all.map(|_| false).map_err(read)?,
    };
    if bytes.len() > SITEMAP_BYTES {
        let message =
            format!("expected a sitemap of at most {SITEMAP_BYTES} bytes, but found a larger one");
        return Err(message);
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    if !text.trim_ascii_start().starts_with(b"<") {
        text_file(text, each)?;
        return Ok(has_tail);
    }
    let text = str::from_utf8(text).map_err(|error| {
        let line = line_at(text, error.valid_up_to());
        at_line(line, "expected a sitemap in UTF-8, but found other bytes")
    })?;
    xml(text, &mut each)
        .map_err(|(offset, message)| at_line(line_at(text.as_bytes(), offset), message))?;
    Ok(has_tail)
}

/// A sitemap with a URL on each line.
fn text_file(text: &[u8], mut each: impl FnMut(SitemapEntry<'_>)) -> Result<(), String> {
    let is_url = |line: &[u8]| line.windows(3).any(|three| three == b"://");
    if let Some(first) =
        text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).find(|it| !it.is_empty())
        && !is_url(first)
    {
        let found = Untrusted::new(first).limited_to(40).quoted();
        let message = format!("expected a sitemap in XML, or a list of URLs, but found {found}");
        return Err(message);
    }
    read_list(text, |line| each(entry(str::from_utf8(line).ok(), false)))?;
    Ok(())
}

fn entry(address: Option<&str>, is_index: bool) -> SitemapEntry<'_> {
    match address.map(str::trim).filter(|it| !it.is_empty() && it.len() <= ADDRESS_BYTES) {
        Some(address) if is_index => SitemapEntry::Sitemap(address),
        Some(address) => SitemapEntry::Page(address),
        None => SitemapEntry::Invalid,
    }
}

/// The line of an offset, counted from 1.
fn line_at(text: &[u8], offset: usize) -> u64 {
    let before = &text[..offset.min(text.len())];
    before.split(|&byte| byte == b'\n').count() as u64
}

/// The root element of a format in XML, and its path.
struct Root {
    name: &'static str,
    /// The elements from that below the root to that of the address.
    path: &'static [&'static str],
}

/// The index, whose addresses are those of sitemaps.
const INDEX: &str = "sitemapindex";

/// Atom, in which the address is an attribute.
const ATOM: &str = "feed";

/// The formats of the protocol; RSS 2.0, RSS 1.0 and Atom.
const ROOTS: [Root; 5] = [
    Root { name: "urlset", path: &["url", "loc"] },
    Root { name: INDEX, path: &["sitemap", "loc"] },
    Root { name: "rss", path: &["channel", "item", "link"] },
    Root { name: "RDF", path: &["item", "link"] },
    Root { name: ATOM, path: &["entry", "link"] },
];

/// The values of `rel` for the page of an entry (RFC 4287 section 4.2.7.2).
const ALTERNATE: [&str; 2] = ["alternate", "http://www.iana.org/assignments/relation/alternate"];

/// The address that is being read.
struct Address {
    /// Its text; `None` if it is invalid.
    text: Option<String>,
}

impl Address {
    fn push(&mut self, more: Option<&str>) {
        match (&mut self.text, more) {
            (Some(text), Some(more)) if text.len() + more.len() <= 2 * ADDRESS_BYTES => {
                text.push_str(more);
            }
            _ => self.text = None,
        }
    }
}

/// Reads the document. An error is its offset and a sentence.
fn xml(text: &str, each: &mut impl FnMut(SitemapEntry<'_>)) -> Result<(), (usize, String)> {
    let mut reader = Reader::from_str(text);
    let mut depth = 0_usize;
    let mut root: Option<&Root> = None;
    let mut own_prefix = String::new();
    // The number of open elements below the root that are those of the path.
    let mut matched = 0;
    let mut address: Option<Address> = None;
    loop {
        let at = |reader: &Reader<&[u8]>| usize::try_from(reader.buffer_position()).unwrap_or(0);
        let event = reader.read_event().map_err(|error| {
            let offset = usize::try_from(reader.error_position()).unwrap_or(0);
            let cause = error.to_string();
            (offset, format!("expected well-formed XML, but found: {}", Untrusted::new(&cause)))
        })?;
        let is_end = matches!(event, Event::End(_) | Event::Empty(_));
        match event {
            Event::Start(start) | Event::Empty(start) => {
                depth += 1;
                if depth > ELEMENT_DEPTH {
                    let message =
                        format!("expected at most {ELEMENT_DEPTH} nested elements, but found more");
                    return Err((at(&reader), message));
                }
                let name = start.name();
                let name: &str = name.as_ref();
                let prefix = prefix(name);
                let local = &name[prefix.len()..];
                match root {
                    Some(Root { name: of, path }) if depth > 1 => {
                        let is_next = matched + 2 == depth && path.get(matched) == Some(&local);
                        let is_last = is_next && depth == path.len() + 1;
                        // The addresses of images are `image:loc`.
                        let is_own = prefix.is_empty() || prefix == own_prefix;
                        if is_next && (is_own || !is_last) {
                            matched += 1;
                            if is_last && *of == ATOM {
                                atom_link(&start, each);
                            } else if is_last {
                                address = Some(Address { text: Some(String::new()) });
                            }
                        }
                    }
                    _ => {
                        prefix.clone_into(&mut own_prefix);
                        root = Some(of_root(local).map_err(|message| (at(&reader), message))?);
                    }
                }
            }
            Event::Text(text) => {
                if let Some(address) = &mut address {
                    address.push(Some(&text.xml10_content()));
                }
            }
            Event::CData(text) => {
                if let Some(address) = &mut address {
                    address.push(Some(&text.xml10_content()));
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(address) = &mut address {
                    let char = reference.resolve_char_ref().ok().flatten();
                    match char {
                        Some(char) => address.push(Some(char.encode_utf8(&mut [0; 4]))),
                        // The entities of a document type are unknown.
                        None => address.push(resolve_predefined_entity(&reference)),
                    }
                }
            }
            Event::Eof if depth > 0 => {
                let message = "expected the end of an element, but found the end of the sitemap";
                return Err((text.len(), message.to_owned()));
            }
            Event::Eof if root.is_none() => {
                return Err((
                    text.len(),
                    format!("expected {}, but the sitemap has no element", roots()),
                ));
            }
            Event::Eof => return Ok(()),
            Event::End(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
        if is_end {
            if matched + 1 == depth {
                if let Some(Address { text }) = address.take() {
                    each(entry(text.as_deref(), root.is_some_and(|it| it.name == INDEX)));
                }
                matched = matched.saturating_sub(1);
            }
            depth = depth.saturating_sub(1);
        }
    }
}

/// Passes the address of a link in an entry of Atom, if it is that of the page.
fn atom_link(link: &BytesStart<'_>, each: &mut impl FnMut(SitemapEntry<'_>)) {
    let value = |name| {
        let attribute = link.try_get_attribute(name).ok()??;
        Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
    };
    if value("rel").is_none_or(|rel| ALTERNATE.contains(&&*rel)) {
        each(entry(value("href").as_deref(), false));
    }
}

/// The root with a name.
fn of_root(name: &str) -> Result<&'static Root, String> {
    ROOTS.iter().find(|root| root.name == name).ok_or_else(|| {
        format!("expected {}, but found `<{}>`", roots(), Untrusted::new(name).limited_to(40))
    })
}

/// All root elements, for messages.
fn roots() -> String {
    let names = ROOTS.map(|root| format!("`<{}>`", root.name));
    format!("one of {}", names.join(", "))
}

/// The prefix of a name with its colon.
fn prefix(name: &str) -> &str {
    name.find(':').map_or("", |colon| &name[..=colon])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urls::compressed;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        let result = read_sitemap(text.as_bytes(), |entry| {
            found.push(match entry {
                SitemapEntry::Page(url) => url.to_owned(),
                SitemapEntry::Sitemap(url) => format!("index {url}"),
                SitemapEntry::Invalid => "invalid".to_owned(),
            });
        });
        if let Err(error) = result {
            found.push(error);
        }
        assert_eq!(found, expected, "{text}");
    }

    fn of_urls(entries: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<urlset xmlns=\"x\">{entries}</urlset>\n")
    }

    #[test]
    fn addresses_of_pages_are_read() {
        check(&of_urls("<url><loc>a:b</loc><lastmod>x</lastmod></url>"), &["a:b"]);
        check(
            &of_urls("<url><lastmod/><loc>\n a&amp;b&#x26;c&#99;<![CDATA[&d]]> </loc></url>"),
            &["a&b&cc&d"],
        );
        check(&of_urls("<url><image:image><image:loc>x</image:loc></image:image></url>"), &[]);
        check(&of_urls("<url><image:loc>x</image:loc><loc>y</loc></url>"), &["y"]);
        check(
            &of_urls("<url><loc/></url><url><loc> </loc></url><other><loc>x</loc></other>"),
            &["invalid"; 2],
        );
        check(
            "<s:urlset xmlns:s='x'><s:url><s:loc>a</s:loc><i:loc>b</i:loc></s:url></s:urlset>",
            &["a"],
        );
        check("\u{feff} <urlset/>", &[]);
        check(
            &of_urls(&format!("<url><loc>{}</loc></url>", "a".repeat(ADDRESS_BYTES + 1))),
            &["invalid"],
        );
    }

    #[test]
    fn an_index_has_sitemaps() {
        check(
            "<sitemapindex><sitemap><loc>a</loc></sitemap><url><loc>b</loc></url></sitemapindex>",
            &["index a"],
        );
    }

    #[test]
    fn the_pages_of_a_feed_are_the_alternate_links_of_its_entries() {
        check(
            "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><link href='home'/>
             <link rel='self' href='x'/><entry><link rel='replies' href='x'/><link rel='enclosure' href='x'/>
             <link rel='alternate' type='text/html' href='a?b&amp;c'/><source><link href='x'/></source></entry>
             <entry><link href=' b '></link><media:link href='x'/><content><link href='x'/></content></entry>
             <entry><link rel='http://www.iana.org/assignments/relation/alternate' href='c'/></entry>
             <entry><link rel='alternate'/><link href='&x;'/></entry></feed>",
            &["a?b&c", "b", "c", "invalid", "invalid"],
        );
        check(
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='a'/></a:entry></a:feed>",
            &["a"],
        );
        check(
            "<rss version='2.0'><channel><link>home</link><image><link>x</link></image>
             <item><link>a?b&amp;c</link><atom:link href='x'/><guid>x</guid><source><link>x</link></source></item>
             <item><link><![CDATA[b]]></link></item><item><link/></item></channel><item><link>x</link></item></rss>",
            &["a?b&c", "b", "invalid"],
        );
        check(
            "<rdf:RDF><channel><link>home</link></channel><item><link>a</link><dc:link>x</dc:link></item></rdf:RDF>",
            &["a"],
        );
        // A sitemap has no feed in it, and a feed no sitemap.
        check(&of_urls("<item><link>x</link></item><entry><link href='x'/></entry>"), &[]);
        check("<feed><url><loc>x</loc></url></feed>", &[]);
    }

    #[test]
    fn a_text_file_is_a_list() {
        check("\u{feff}https://a/\n\nhttps://b/\r\n", &["https://a/", "https://b/"]);
        check("", &[]);
        check(
            "User-agent: *\n",
            &["expected a sitemap in XML, or a list of URLs, but found `User-agent: *`"],
        );
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let bomb = "<!DOCTYPE urlset [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
                    <urlset><url><loc>https://h/&b;</loc></url><url><loc>&x;</loc></url><url><loc>c</loc></url></urlset>";
        check(bomb, &["invalid", "invalid", "c"]);
    }

    #[test]
    fn errors_have_a_line() {
        check(
            "<html>\n</html>",
            &[
                "expected one of `<urlset>`, `<sitemapindex>`, `<rss>`, `<RDF>`, `<feed>`, but found `<html>` (line 1)",
            ],
        );
        check(
            "<!-- x -->\n",
            &[
                "expected one of `<urlset>`, `<sitemapindex>`, `<rss>`, `<RDF>`, `<feed>`, but the sitemap has no element (line 2)",
            ],
        );
        check(
            "<urlset>\n<url><loc>a</loc>",
            &["a", "expected the end of an element, but found the end of the sitemap (line 2)"],
        );
        check(
            "<urlset/>\n<html/>",
            &[
                "expected one of `<urlset>`, `<sitemapindex>`, `<rss>`, `<RDF>`, `<feed>`, but found `<html>` (line 2)",
            ],
        );
        let deep = of_urls(&"<a>".repeat(ELEMENT_DEPTH));
        check(&deep, &["expected at most 64 nested elements, but found more (line 2)"]);
        let error = read_sitemap(&b"<urlset>\n\n<a></b>"[..], |_| ()).expect_err("not well-formed");
        assert!(error.ends_with(" (line 3)"), "{error}");
        let error = read_sitemap(&b"<urlset>\n\xff"[..], |_| ()).expect_err("not UTF-8");
        assert!(error.ends_with(" (line 2)"), "{error}");
    }

    #[test]
    fn compressed_sitemaps_are_read_up_to_a_limit() {
        let mut number = 0;
        let data = compressed(of_urls("<url><loc>a</loc></url>").as_bytes());
        read_sitemap(&data[..], |_| number += 1).expect("a sitemap");
        assert_eq!(number, 1);
        let large = vec![b' '; SITEMAP_BYTES + 1];
        assert!(read_sitemap(&large, |_| ()).is_err());
        assert!(read_sitemap(&compressed(&large), |_| ()).is_err());
    }
}
