//! The open elements, with the elements of SVG and MathML.
//!
//! A simplified form of the HTML standard's tree construction (13.2.6). It finds whether a tag is
//! in HTML, SVG or MathML, whether it is in a template, and the end of an element.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::tags::Tag;
use crate::limits::HTML_DEPTH;

/// The open elements of a page.
#[derive(Debug, Default)]
pub(super) struct OpenElements<'t> {
    open: Vec<Open<'t>>,
    /// The innermost open element of each name, as an index.
    innermost: HashMap<ElementName<'t>, usize>,
    /// Indices of the elements that limit the effect of an end tag.
    scope_boundaries: Vec<usize>,
    templates: usize,
}

#[derive(Debug)]
struct Open<'t> {
    name: &'t str,
    kind: ElementKind,
    /// The open element of the same name around it.
    outer: Option<usize>,
    /// The first element of the series of foreign elements that ends with this one; the next index
    /// for an element of HTML.
    foreign_from: usize,
    mark: Option<usize>,
}

/// The kind of an element, which decides on the parsing of tags in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementKind {
    Html,
    Template,
    Svg,
    MathMl,
    /// `annotation-xml` of MathML, which may contain an `svg`.
    Annotation,
    /// An element of MathML that contains HTML except for two elements.
    MathMlTextIntegrationPoint,
    /// An element of SVG or MathML that contains HTML.
    HtmlIntegrationPoint,
}

impl ElementKind {
    const fn is_html(self) -> bool {
        matches!(self, Self::Html | Self::Template)
    }
}

/// A name in any case.
#[derive(Clone, Copy, Debug)]
struct ElementName<'t>(&'t str);

impl PartialEq for ElementName<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Eq for ElementName<'_> {}

impl Hash for ElementName<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.bytes().for_each(|octet| state.write_u8(octet.to_ascii_lowercase()));
    }
}

/// There are more open elements than [`HTML_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooDeep;

impl<'t> OpenElements<'t> {
    fn innermost(&self) -> ElementKind {
        self.open.last().map_or(ElementKind::Html, |open| open.kind)
    }

    /// Whether the innermost element is not in HTML's namespace. Only there are CDATA sections.
    pub(super) fn is_foreign(&self) -> bool {
        !self.innermost().is_html()
    }

    pub(super) const fn is_in_template(&self) -> bool {
        self.templates > 0
    }

    /// Opens the element of a start tag if it is one of SVG or MathML; closes those that cannot
    /// contain the tag. Returns whether it was opened; otherwise [`enter`](Self::enter) opens an
    /// element of HTML.
    pub(super) fn enter_foreign(&mut self, tag: &Tag<'t>) -> Result<bool, TooDeep> {
        let kind = match self.innermost() {
            ElementKind::Html | ElementKind::Template | ElementKind::HtmlIntegrationPoint => {
                return Ok(false);
            }
            ElementKind::MathMlTextIntegrationPoint
                if !tag.is_one_of(&["mglyph", "malignmark"]) =>
            {
                return Ok(false);
            }
            ElementKind::Annotation if tag.is("svg") => return Ok(false),
            kind => kind,
        };
        if leaves_foreign(tag) {
            self.leave_foreign();
            return Ok(false);
        }
        let kind = match kind {
            ElementKind::Svg if tag.is_one_of(&["desc", "foreignobject", "title"]) => {
                ElementKind::HtmlIntegrationPoint
            }
            ElementKind::Svg => ElementKind::Svg,
            _ if tag.is_one_of(&["mi", "mn", "mo", "ms", "mtext"]) => {
                ElementKind::MathMlTextIntegrationPoint
            }
            _ if tag.is("annotation-xml") && holds_html(tag) => ElementKind::HtmlIntegrationPoint,
            _ if tag.is("annotation-xml") => ElementKind::Annotation,
            _ => ElementKind::MathMl,
        };
        self.push(tag, kind, None)?;
        Ok(true)
    }

    /// Opens an element of HTML. `mark` is returned when it is closed.
    pub(super) fn enter(&mut self, tag: &Tag<'t>, mark: Option<usize>) -> Result<(), TooDeep> {
        const VOID: [&str; 19] = [
            "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image",
            "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr",
        ];
        let kind = match tag.name.len() {
            3 if tag.is("svg") => ElementKind::Svg,
            4 if tag.is("math") => ElementKind::MathMl,
            8 if tag.is("template") => ElementKind::Template,
            _ if tag.is_one_of(&VOID) => return Ok(()),
            _ => ElementKind::Html,
        };
        self.push(tag, kind, mark)
    }

    fn push(
        &mut self,
        tag: &Tag<'t>,
        kind: ElementKind,
        mark: Option<usize>,
    ) -> Result<(), TooDeep> {
        // An element of HTML is open even with a self-closing tag.
        if tag.is_self_closing && !matches!(kind, ElementKind::Html | ElementKind::Template) {
            return Ok(());
        }
        if self.open.len() == HTML_DEPTH {
            return Err(TooDeep);
        }
        let index = self.open.len();
        let outer = self.innermost.insert(ElementName(tag.name), index);
        if !matches!(kind, ElementKind::Html | ElementKind::Svg | ElementKind::MathMl) {
            self.scope_boundaries.push(index);
        }
        self.templates += usize::from(kind == ElementKind::Template);
        let foreign_from = match self.open.last() {
            _ if kind.is_html() => index + 1,
            Some(around) => around.foreign_from,
            None => index,
        };
        self.open.push(Open { name: tag.name, kind, outer, foreign_from, mark });
        Ok(())
    }

    /// Closes the innermost element with an end tag's name, and the elements in it; `closed` is
    /// called with their marks.
    pub(super) fn close(&mut self, tag: &Tag<'_>, mut closed: impl FnMut(usize)) {
        if tag.is_one_of(&["body", "html"]) {
            // The following content is still inside.
            return;
        }
        if tag.is_one_of(&["br", "p"]) && !self.open.is_empty() {
            self.leave_foreign();
        }
        let Some(&index) = self.innermost.get(&ElementName(tag.name)) else { return };
        let is_foreign = self.open.last().is_some_and(|open| open.foreign_from <= index);
        let is_out_of_reach =
            self.scope_boundaries.last().is_some_and(|&boundary| boundary > index);
        if is_out_of_reach && !is_foreign && self.open[index].kind != ElementKind::Template {
            return;
        }
        while self.open.len() > index {
            self.pop().into_iter().for_each(&mut closed);
        }
    }

    /// Closes the elements of SVG and MathML that cannot contain a tag of HTML.
    fn leave_foreign(&mut self) {
        while matches!(
            self.innermost(),
            ElementKind::Svg | ElementKind::MathMl | ElementKind::Annotation
        ) {
            self.pop();
        }
    }

    /// Closes the innermost element and returns its mark.
    fn pop(&mut self) -> Option<usize> {
        let Open { name, kind, outer, mark, .. } = self.open.pop()?;
        match outer {
            Some(outer) => self.innermost.insert(ElementName(self.open[outer].name), outer),
            None => self.innermost.remove(&ElementName(name)),
        };
        if self.scope_boundaries.last() == Some(&self.open.len()) {
            self.scope_boundaries.pop();
        }
        self.templates -= usize::from(kind == ElementKind::Template);
        mark
    }
}

/// Whether a start tag ends the SVG or MathML around it.
fn leaves_foreign(tag: &Tag<'_>) -> bool {
    #[rustfmt::skip]
    const LEAVE: [&str; 44] = [
        "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em",
        "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing",
        "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strike", "strong",
        "sub", "sup", "table", "tt", "u", "ul", "var",
    ];
    let is_styled = || ["color", "face", "size"].iter().any(|it| tag.attribute(it).is_some());
    tag.is_one_of(&LEAVE) || tag.is("font") && is_styled()
}

/// Whether an `annotation-xml` contains HTML.
fn holds_html(tag: &Tag<'_>) -> bool {
    tag.attribute("encoding").is_some_and(|encoding| {
        ["text/html", "application/xhtml+xml"].iter().any(|it| encoding.eq_ignore_ascii_case(it))
    })
}
