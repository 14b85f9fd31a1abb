//! The tags of a page (HTML standard 13.2.5), without its text.

use std::ops::Range;

/// A start tag or an end tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    /// In the case of the page.
    pub(super) name: &'t str,
    pub(super) is_end: bool,
    /// Whether it ends with `/>`.
    pub(super) is_self_closing: bool,
    /// Offset of its `<`.
    pub(super) start: usize,
    attributes: &'t str,
}

impl<'t> Tag<'t> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Returns the raw value of an attribute; the first of several with that name.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        let mut cursor = Cursor { text: self.attributes, at: 0 };
        while let TagPart::Attribute { name: found, value } = cursor.step() {
            if self.attributes[found].eq_ignore_ascii_case(name) {
                return Some(&self.attributes[value]);
            }
        }
        None
    }
}

/// Finds the tags of a text, in order.
///
/// # Complexity
///
/// Linear in any text; no memory.
pub(super) struct Tags<'t> {
    cursor: Cursor<'t>,
}

impl<'t> Tags<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { cursor: Cursor { text, at: 0 } }
    }

    /// Returns the next tag. Unfinished tags at the end of the text are ignored.
    ///
    /// `has_cdata`: whether `<![CDATA[` begins a section of text here, as in elements of SVG and
    /// MathML.
    pub(super) fn next(&mut self, has_cdata: bool) -> Option<Tag<'t>> {
        let cursor = &mut self.cursor;
        loop {
            cursor.skip_until(|octet| octet == b'<');
            let start = cursor.at;
            match cursor.octet_at(1)? {
                b'a'..=b'z' | b'A'..=b'Z' => {
                    cursor.at += 1;
                    return cursor.tag(start, false);
                }
                b'/' => match cursor.octet_at(2)? {
                    b'a'..=b'z' | b'A'..=b'Z' => {
                        cursor.at += 2;
                        return cursor.tag(start, true);
                    }
                    _ => cursor.skip_past(2, ">")?,
                },
                b'!' if cursor.rest().starts_with("<!--") => cursor.skip_comment()?,
                b'!' if has_cdata && cursor.rest().starts_with("<![CDATA[") => {
                    cursor.skip_past(9, "]]>")?;
                }
                // Malformed comments, and the doctype.
                b'!' | b'?' => cursor.skip_past(2, ">")?,
                _ => cursor.at += 1,
            }
        }
    }

    /// Skips the text of an element that contains only text, up to its end tag.
    pub(super) fn skip_text(&mut self, start: &Tag<'_>) {
        const HOLD_TEXT: [&str; 8] =
            ["iframe", "noembed", "noframes", "noscript", "style", "textarea", "title", "xmp"];
        if start.is("script") {
            self.cursor.skip_script();
        } else if start.is("plaintext") {
            self.cursor.at = self.cursor.text.len();
        } else if start.is_one_of(&HOLD_TEXT) {
            self.cursor.skip_to_end_tag(start.name);
        }
    }
}

/// A position in a text.
#[derive(Clone, Copy, Debug)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// The result of parsing the next attribute of a tag.
enum TagPart {
    Attribute {
        name: Range<usize>,
        value: Range<usize>,
    },
    /// The tag ends here.
    End {
        is_self_closing: bool,
    },
    /// The text ends inside the tag.
    Unfinished,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The octet `ahead` octets from here.
    fn octet_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn skip_until(&mut self, ends: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&octet| ends(octet)).unwrap_or(rest.len());
    }

    /// Skips this number of octets, then everything up to the end of `text`; `None` if it does not
    /// occur.
    fn skip_past(&mut self, ahead: usize, text: &str) -> Option<()> {
        let from = self.at + ahead;
        self.at = from + self.text.get(from..)?.find(text)? + text.len();
        Some(())
    }

    fn skip_comment(&mut self) -> Option<()> {
        self.at += "<!--".len();
        for abrupt in [">", "->"] {
            if self.rest().starts_with(abrupt) {
                self.at += abrupt.len();
                return Some(());
            }
        }
        loop {
            self.at += self.rest().find("--")?;
            let end = ["-->", "--!>"].into_iter().find(|end| self.rest().starts_with(end));
            if let Some(end) = end {
                self.at += end.len();
                return Some(());
            }
            self.at += 1;
        }
    }

    /// Whether an end tag of this name begins here.
    fn is_end_tag(&self, name: &str) -> bool {
        let rest = self.rest().as_bytes();
        rest.starts_with(b"</") && is_name(&rest[2..], name)
    }

    fn skip_to_end_tag(&mut self, name: &str) {
        loop {
            self.skip_until(|octet| octet == b'<');
            if self.rest().is_empty() || self.is_end_tag(name) {
                return;
            }
            self.at += 1;
        }
    }

    /// Skips a script. Inside `<!-- <script> </script> -->` the end tag is ignored.
    fn skip_script(&mut self) {
        const NAME: &str = "script";
        let (mut is_comment, mut is_inner) = (false, false);
        loop {
            self.skip_until(|octet| octet == b'<' || octet == b'-');
            let rest = self.rest();
            if rest.is_empty() || (!is_inner && self.is_end_tag(NAME)) {
                return;
            }
            if !is_comment && rest.starts_with("<!--") {
                is_comment = true;
                // Its dashes may also be those of its end: `<!-->`.
                self.at += "<!".len();
            } else if is_comment && rest.starts_with("-->") {
                (is_comment, is_inner) = (false, false);
                self.at += "-->".len();
            } else {
                if is_inner && self.is_end_tag(NAME) {
                    is_inner = false;
                } else if is_comment
                    && rest.starts_with('<')
                    && is_name(&rest.as_bytes()[1..], NAME)
                {
                    is_inner = true;
                }
                self.at += 1;
            }
        }
    }

    /// Parses the tag whose name begins here.
    fn tag(&mut self, start: usize, is_end: bool) -> Option<Tag<'t>> {
        let from = self.at;
        self.skip_until(ends_name);
        let name = &self.text[from..self.at];
        let from = self.at;
        loop {
            match self.step() {
                TagPart::Attribute { .. } => {}
                TagPart::Unfinished => return None,
                TagPart::End { is_self_closing } => {
                    let attributes = &self.text[from..self.at];
                    return Some(Tag { name, is_end, is_self_closing, start, attributes });
                }
            }
        }
    }

    /// Parses the next attribute of a tag, or its end.
    fn step(&mut self) -> TagPart {
        loop {
            match self.octet_at(0) {
                None => return TagPart::Unfinished,
                Some(b'>') => {
                    self.at += 1;
                    return TagPart::End { is_self_closing: false };
                }
                Some(b'/') if self.octet_at(1) == Some(b'>') => {
                    self.at += 2;
                    return TagPart::End { is_self_closing: true };
                }
                Some(octet) if octet == b'/' || octet.is_ascii_whitespace() => self.at += 1,
                Some(_) => break,
            }
        }
        let from = self.at;
        // A `=` at the very start belongs to the name.
        self.at += 1;
        self.skip_until(|octet| ends_name(octet) || octet == b'=');
        let name = from..self.at;
        self.skip_until(|octet| !octet.is_ascii_whitespace());
        if self.octet_at(0) != Some(b'=') {
            return TagPart::Attribute { name, value: self.at..self.at };
        }
        self.at += 1;
        self.skip_until(|octet| !octet.is_ascii_whitespace());
        let value = match self.octet_at(0) {
            None => return TagPart::Unfinished,
            Some(b'>') => self.at..self.at,
            Some(quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                self.at = from;
                self.skip_until(|octet| octet == quote);
                if self.octet_at(0).is_none() {
                    return TagPart::Unfinished;
                }
                self.at += 1;
                from..self.at - 1
            }
            Some(_) => {
                let from = self.at;
                self.skip_until(|octet| octet == b'>' || octet.is_ascii_whitespace());
                from..self.at
            }
        };
        TagPart::Attribute { name, value }
    }
}

fn ends_name(octet: u8) -> bool {
    octet.is_ascii_whitespace() || matches!(octet, b'/' | b'>')
}

/// Whether a text begins with the whole name of a tag.
fn is_name(text: &[u8], name: &str) -> bool {
    let found = text.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()));
    found && text.get(name.len()).is_some_and(|&octet| ends_name(octet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let mut tags = Tags::new(page);
        let mut found = Vec::new();
        while let Some(tag) = tags.next(false) {
            let (end, closing) = (tag.is_end, tag.is_self_closing);
            let slash = |there: bool| if there { "/" } else { "" };
            found.push(format!("{}{}{}@{}", slash(end), tag.name, slash(closing), tag.start));
            if !end {
                tags.skip_text(&tag);
            }
        }
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn tags_are_found_between_text_and_comments() {
        check("a<b>c</b >", &["b@1", "/b@5"]);
        check("<a/><b / ><c d=e/><f g='>'/>", &["a/@0", "b@4", "c@10", "f/@18"]);
        check("<!--><a><!---><b><!-- -- > --!><c><!----><d>", &["a@5", "b@14", "c@31", "d@41"]);
        check("<!doctype a '>' ><?x <a>?></><b></ <c>x><d>", &["b@29", "d@40"]);
        check("< a><1><a", &[]);
        check("<a b='><c>", &[]);
        check("<a <b>", &["a@0"]);
    }

    #[test]
    fn elements_of_text_end_at_their_end_tag() {
        check("<title><b></titlex></TITLE ><b>", &["title@0", "/TITLE@19", "b@28"]);
        check("<style><b></style", &["style@0"]);
        check("<plaintext><b></plaintext>", &["plaintext@0"]);
        check("<script><!--</script><a>", &["script@0", "/script@12", "a@21"]);
        check("<script><!--<script></script></script>", &["script@0", "/script@29"]);
        check("<script><!-->\n<script></script>", &["script@0", "/script@22"]);
        check("<script><!--<scripty></script>", &["script@0", "/script@21"]);
        check("<script><!--<script>--></script>", &["script@0", "/script@23"]);
    }

    #[test]
    fn the_first_attribute_of_a_name_counts() {
        let page = "<a b c=d C='e f'g =\n\"h\"/i= =j>";
        let tag = Tags::new(page).next(false).unwrap();
        let names = ["b", "c", "g", "i", "a", "=j"];
        let values = names.map(|name| tag.attribute(name));
        assert_eq!(values, [Some(""), Some("d"), Some("h"), Some("=j"), None, None]);
        assert_eq!(Tags::new("<a =b=c>").next(false).unwrap().attribute("=b"), Some("c"));
    }
}
