//! The tags of a page, as html5gum finds them, without its text.

use std::cell::Cell;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, Error, ForwardingEmitter, Span, State, StringReader, Tokenizer};

/// The attributes that decide on anything. Others are not stored: a tag can have very many.
const ATTRIBUTES: [&str; 12] = [
    "color",
    "content",
    "data-nosnippet",
    "encoding",
    "face",
    "href",
    "http-equiv",
    "name",
    "property",
    "rel",
    "size",
    "type",
];

/// A start tag or an end tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    /// In lower case.
    pub(super) name: Vec<u8>,
    pub(super) is_end: bool,
    /// Whether it ends with `/>`.
    pub(super) is_self_closing: bool,
    /// Offset of its `<`.
    pub(super) start: usize,
    /// The names are some of [`ATTRIBUTES`].
    attributes: Vec<(&'static str, String)>,
}

impl Tag {
    /// The value of an attribute, character references decoded; the first of several with that
    /// name. REP-PAGE-7.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Finds the tags of a text, in order. Unfinished tags at its end are ignored.
///
/// `has_cdata`: whether `<![CDATA[` begins a section of text, as in elements of SVG and MathML.
pub(super) fn tags<'t>(text: &'t str, has_cdata: &'t Cell<bool>) -> Tags<'t> {
    let inner = CallbackEmitter::new(Collector::default());
    Tokenizer::new_with_emitter(text, TagEmitter { inner, has_cdata })
}

/// An iterator of tags.
pub(super) type Tags<'t> = Tokenizer<StringReader<'t>, TagEmitter<'t>>;

/// The state of the tokenizer after a start tag in HTML, if the element contains only text.
pub(super) fn text_state(name: &[u8]) -> Option<State> {
    Some(match name {
        b"script" => State::ScriptData,
        b"plaintext" => State::PlainText,
        b"textarea" | b"title" => State::RcData,
        b"iframe" | b"noembed" | b"noframes" | b"noscript" | b"style" | b"xmp" => State::RawText,
        _ => return None,
    })
}

/// An emitter that drops text, comments and errors.
#[derive(Debug)]
pub(super) struct TagEmitter<'t> {
    inner: CallbackEmitter<Collector, Tag, usize>,
    has_cdata: &'t Cell<bool>,
}

impl ForwardingEmitter for TagEmitter<'_> {
    type Token = Tag;

    fn inner(&mut self) -> &mut impl Emitter<Token = Tag> {
        &mut self.inner
    }

    fn emit_string(&mut self, _: &[u8]) {}

    fn push_comment(&mut self, _: &[u8]) {}

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.has_cdata.get()
    }
}

/// Joins the events of a tag.
#[derive(Debug, Default)]
struct Collector {
    tag: Tag,
    /// Whether the next value belongs to the last of the stored attributes.
    is_stored: bool,
}

impl Callback<Tag, usize> for Collector {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Tag> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Tag { name: name.to_vec(), start: span.start, ..Tag::default() };
            }
            CallbackEvent::AttributeName { name } => {
                let stored = ATTRIBUTES.into_iter().find(|it| it.as_bytes() == name);
                let stored = stored.filter(|name| self.tag.attribute(name).is_none());
                self.is_stored = stored.is_some();
                self.tag.attributes.extend(stored.map(|name| (name, String::new())));
            }
            CallbackEvent::AttributeValue { value } if self.is_stored => {
                if let Some((_, stored)) = self.tag.attributes.last_mut() {
                    *stored = String::from_utf8_lossy(value).into_owned();
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                self.tag.is_self_closing = self_closing;
                return Some(std::mem::take(&mut self.tag));
            }
            CallbackEvent::EndTag { name } => {
                let (name, start) = (name.to_vec(), span.start);
                return Some(Tag { name, start, is_end: true, ..Tag::default() });
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let has_cdata = Cell::new(false);
        let mut tags = tags(page, &has_cdata);
        let mut found = Vec::new();
        while let Some(Ok(tag)) = tags.next() {
            let (end, closing) = (tag.is_end, tag.is_self_closing);
            let slash = |there: bool| if there { "/" } else { "" };
            let name = String::from_utf8_lossy(&tag.name);
            found.push(format!("{}{name}{}@{}", slash(end), slash(closing), tag.start));
            if let Some(state) = text_state(&tag.name).filter(|_| !end) {
                tags.set_state(state);
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
        // Offsets count bytes, and both octets of a line end.
        check("\r\n\0é&amp;日\r<a\r\nb='\r\n&lt;'>\n<b>", &["a@14", "b@30"]);
    }

    #[test]
    fn elements_of_text_end_at_their_end_tag() {
        check("<title><b></titlex></TITLE ><b>", &["title@0", "/title@19", "b@28"]);
        check("<style><b></style", &["style@0"]);
        check("<plaintext><b></plaintext>", &["plaintext@0"]);
        check("<script><!--</script><a>", &["script@0", "/script@12", "a@21"]);
        check("<script><!--<script></script></script>", &["script@0", "/script@29"]);
        check("<script><!-->\n<script></script>", &["script@0", "/script@22"]);
        check("<script><!--<scripty></script>", &["script@0", "/script@21"]);
        check("<script><!--<script>--></script>", &["script@0", "/script@23"]);
    }

    #[track_caller]
    fn check_attributes(page: &str, expected: [Option<&str>; 3]) {
        let has_cdata = Cell::new(false);
        let Some(Ok(tag)) = tags(page, &has_cdata).last() else { panic!("no tag in {page}") };
        assert_eq!(["name", "content", "size"].map(|name| tag.attribute(name)), expected, "{page}");
    }

    #[test]
    fn the_first_attribute_of_a_name_counts() {
        let page = "<a name x content=d CONTENT='e f'size =\n\"h\"/i= =name>";
        check_attributes(page, [Some(""), Some("d"), Some("h")]);
        check_attributes("<a =name=b name>", [Some(""), None, None]);
        // Those of an end tag are not those of the next tag.
        check_attributes("</b name=c><a>", [None; 3]);
    }

    #[test]
    fn references_are_decoded_as_in_attributes() {
        let page = "<a name='no&#105;nd&#x65;x&comma;&nbsp' content='?a=b&copy=c&amp;d' \
                    size='a\r\nb\rc\nd\0&#13;&#0;&#x110000;&nothing;&#x80;&&#xg;'>";
        let size = "a\nb\nc\nd\u{fffd}\r\u{fffd}\u{fffd}&nothing;€&&#xg;";
        check_attributes(page, [Some("noindex,\u{a0}"), Some("?a=b&copy=c&d"), Some(size)]);
    }
}
