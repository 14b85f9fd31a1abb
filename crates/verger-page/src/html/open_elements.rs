//! The open elements, with the elements of SVG and MathML.
//!
//! A simplified form of the HTML standard's tree construction (13.2.6). It finds whether a tag is
//! in HTML, SVG or MathML, whether it is in a template, and the end of an element.

use std::collections::HashMap;
use std::rc::Rc;

use super::tags::Tag;
use crate::limits::HTML_DEPTH;

/// The open elements of a page.
#[derive(Debug, Default)]
pub(super) struct OpenElements {
    open: Vec<Open>,
    /// The innermost open element of each name, as an index.
    innermost: HashMap<Rc<[u8]>, usize>,
    /// Indices of the elements that limit the effect of an end tag.
    scope_boundaries: Vec<usize>,
    templates: usize,
}

#[derive(Debug)]
struct Open {
    name: Rc<[u8]>,
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

/// There are more open elements than [`HTML_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooDeep;

impl OpenElements {
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
    pub(super) fn enter_foreign(&mut self, tag: &Tag) -> Result<bool, TooDeep> {
        let kind = match self.innermost() {
            ElementKind::Html | ElementKind::Template | ElementKind::HtmlIntegrationPoint => {
                return Ok(false);
            }
            ElementKind::MathMlTextIntegrationPoint
                if !matches!(&*tag.name, b"mglyph" | b"malignmark") =>
            {
                return Ok(false);
            }
            ElementKind::Annotation if tag.name == b"svg" => return Ok(false),
            kind => kind,
        };
        if leaves_foreign(tag) {
            self.leave_foreign();
            return Ok(false);
        }
        let kind = match (kind, &*tag.name) {
            (ElementKind::Svg, b"desc" | b"foreignobject" | b"title") => {
                ElementKind::HtmlIntegrationPoint
            }
            (ElementKind::Svg, _) => ElementKind::Svg,
            (_, b"mi" | b"mn" | b"mo" | b"ms" | b"mtext") => {
                ElementKind::MathMlTextIntegrationPoint
            }
            (_, b"annotation-xml") if holds_html(tag) => ElementKind::HtmlIntegrationPoint,
            (_, b"annotation-xml") => ElementKind::Annotation,
            _ => ElementKind::MathMl,
        };
        self.push(tag, kind, None)?;
        Ok(true)
    }

    /// Opens an element of HTML. `mark` is returned when it is closed.
    pub(super) fn enter(&mut self, tag: &Tag, mark: Option<usize>) -> Result<(), TooDeep> {
        let kind = match &*tag.name {
            b"svg" => ElementKind::Svg,
            b"math" => ElementKind::MathMl,
            b"template" => ElementKind::Template,
            b"area" | b"base" | b"basefont" | b"bgsound" | b"br" | b"col" | b"embed" | b"frame"
            | b"hr" | b"image" | b"img" | b"input" | b"keygen" | b"link" | b"meta" | b"param"
            | b"source" | b"track" | b"wbr" => return Ok(()),
            _ => ElementKind::Html,
        };
        self.push(tag, kind, mark)
    }

    fn push(&mut self, tag: &Tag, kind: ElementKind, mark: Option<usize>) -> Result<(), TooDeep> {
        // An element of HTML is open even with a self-closing tag.
        if tag.is_self_closing && !matches!(kind, ElementKind::Html | ElementKind::Template) {
            return Ok(());
        }
        if self.open.len() == HTML_DEPTH {
            return Err(TooDeep);
        }
        let index = self.open.len();
        let known = self.innermost.get_key_value(&*tag.name).map(|(name, _)| Rc::clone(name));
        let name = known.unwrap_or_else(|| Rc::from(&*tag.name));
        let outer = self.innermost.insert(Rc::clone(&name), index);
        if !matches!(kind, ElementKind::Html | ElementKind::Svg | ElementKind::MathMl) {
            self.scope_boundaries.push(index);
        }
        self.templates += usize::from(kind == ElementKind::Template);
        let foreign_from = match self.open.last() {
            _ if kind.is_html() => index + 1,
            Some(around) => around.foreign_from,
            None => index,
        };
        self.open.push(Open { name, kind, outer, foreign_from, mark });
        Ok(())
    }

    /// Closes the innermost element with an end tag's name, and the elements in it; `closed` is
    /// called with their marks.
    pub(super) fn close(&mut self, tag: &Tag, mut closed: impl FnMut(usize)) {
        if matches!(&*tag.name, b"body" | b"html") {
            // The following content is still inside.
            return;
        }
        if matches!(&*tag.name, b"br" | b"p") && !self.open.is_empty() {
            self.leave_foreign();
        }
        let Some(&index) = self.innermost.get(&*tag.name) else { return };
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
            Some(outer) => self.innermost.insert(name, outer),
            None => self.innermost.remove(&name),
        };
        if self.scope_boundaries.last() == Some(&self.open.len()) {
            self.scope_boundaries.pop();
        }
        self.templates -= usize::from(kind == ElementKind::Template);
        mark
    }
}

/// Whether a start tag ends the SVG or MathML around it.
fn leaves_foreign(tag: &Tag) -> bool {
    match &*tag.name {
        b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code" | b"dd" | b"div"
        | b"dl" | b"dt" | b"em" | b"embed" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6"
        | b"head" | b"hr" | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta" | b"nobr"
        | b"ol" | b"p" | b"pre" | b"ruby" | b"s" | b"small" | b"span" | b"strike" | b"strong"
        | b"sub" | b"sup" | b"table" | b"tt" | b"u" | b"ul" | b"var" => true,
        b"font" => ["color", "face", "size"].iter().any(|it| tag.attribute(it).is_some()),
        _ => false,
    }
}

/// Whether an `annotation-xml` contains HTML.
fn holds_html(tag: &Tag) -> bool {
    tag.attribute("encoding").is_some_and(|encoding| {
        ["text/html", "application/xhtml+xml"].iter().any(|it| encoding.eq_ignore_ascii_case(it))
    })
}
