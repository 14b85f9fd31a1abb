//! The elements of a licence as a tree, with namespaces resolved.

use quick_xml::NsReader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use verger::Untrusted;

use crate::limits::{DEPTH, ENTRIES};

/// An element in the namespace of its format.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Self>,
}

impl Element {
    /// An attribute without a prefix, trimmed.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.trim())
    }

    /// The children with a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |it| it.name == name)
    }

    fn of(start: &BytesStart<'_>) -> Result<Self, String> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| broken(&error))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| broken(&error))?.into_owned();
            attributes.push((attribute.key.as_ref().to_owned(), value));
        }
        let name: &str = start.local_name().into_inner();
        Ok(Self { name: name.to_owned(), attributes, ..Self::default() })
    }
}

/// Reads a document whose root is in a namespace. Elements of other namespaces are skipped.
///
/// # Errors
///
/// The document is not well-formed, its root is in no or another namespace, or it exceeds a limit.
/// Entities that a document type declares are not expanded, and are an error.
pub(crate) fn read(text: &str, namespace: &str) -> Result<Element, String> {
    let mut reader = NsReader::from_str(text);
    let mut open: Vec<Option<Element>> = Vec::new();
    let mut count = 0;
    loop {
        let (place, event) = reader.read_resolved_event().map_err(|error| broken(&error))?;
        let is_own = matches!(place, ResolveResult::Bound(Namespace(it)) if it == namespace);
        let mut ended = None;
        match event {
            Event::Start(start) => {
                count += 1;
                if open.len() == DEPTH || count > ENTRIES {
                    let most = format!("{ENTRIES} elements, nested at most {DEPTH} times");
                    return Err(format!("expected at most {most}, but found more"));
                }
                if open.is_empty() && !is_own {
                    return Err(format!("expected an element in the namespace `{namespace}`"));
                }
                let is_own = is_own && open.iter().all(Option::is_some);
                open.push(if is_own { Some(Element::of(&start)?) } else { None });
            }
            Event::Empty(start) if open.is_empty() && !is_own => {
                let found = Untrusted::new(start.local_name().into_inner()).limited_to(40);
                return Err(format!("expected the namespace `{namespace}` of `{found}`"));
            }
            Event::Empty(start) if is_own && open.iter().all(Option::is_some) => {
                count += 1;
                ended = Some(Element::of(&start)?);
            }
            Event::End(_) => ended = open.pop().flatten(),
            Event::Text(text) => push(&mut open, &text.xml10_content()),
            Event::CData(text) => push(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                let char = reference.resolve_char_ref().map_err(|error| broken(&error))?;
                let mut bytes = [0; 4];
                let text = match char {
                    Some(char) => Some(&*char.encode_utf8(&mut bytes)),
                    None => resolve_predefined_entity(&reference),
                };
                push(&mut open, text.ok_or("expected no entity of a document type")?);
            }
            Event::Eof => return Err("expected a whole XML document".to_owned()),
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
        if let Some(element) = ended {
            match open.last_mut() {
                Some(Some(parent)) => parent.children.push(element),
                Some(None) => {}
                None => return Ok(element),
            }
        }
    }
}

fn push(open: &mut [Option<Element>], text: &str) {
    if let Some(Some(element)) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn broken(error: &dyn std::fmt::Display) -> String {
    let error = error.to_string();
    format!("expected well-formed XML, but found: {}", Untrusted::new(&error))
}
