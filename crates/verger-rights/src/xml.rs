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

    /// The first attribute that is not known; those with a prefix are extensions.
    pub(crate) fn unknown_attribute(&self, known: &[&str]) -> Option<&str> {
        let mut names = self.attributes.iter().map(|(name, _)| name.as_str());
        names.find(|it| !it.contains(':') && *it != "xmlns" && !known.contains(it))
    }

    /// The children with a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |it| it.name == name)
    }

    fn of(start: &BytesStart<'_>, is_own: bool) -> Result<Self, String> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| broken(&error))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| broken(&error))?.into_owned();
            attributes.push((attribute.key.as_ref().to_owned(), value));
        }
        let name: &str = start.local_name().into_inner();
        // No name of the format has a space.
        let name = if is_own { name.to_owned() } else { format!("{name} of another namespace") };
        Ok(Self { name, attributes, ..Self::default() })
    }
}

/// Reads a document whose root is in a namespace. Elements of other namespaces have
/// names that no element of the format has.
///
/// # Errors
///
/// The document is not well-formed, its root is in no or another namespace, or it exceeds a limit.
/// Entities that a document type declares are not expanded, and are an error.
pub(crate) fn read(text: &str, namespace: &str) -> Result<Element, String> {
    let mut reader = NsReader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut count = 0;
    loop {
        let (place, event) = reader.read_resolved_event().map_err(|error| broken(&error))?;
        let is_own = matches!(place, ResolveResult::Bound(Namespace(it)) if it == namespace);
        let mut ended = None;
        if let Event::Start(start) | Event::Empty(start) = &event {
            count += 1;
            if open.len() == DEPTH || count > ENTRIES {
                let most = format!("{ENTRIES} elements, nested at most {DEPTH} times");
                return Err(format!("expected at most {most}, but found more"));
            }
            if root.is_some() {
                return Err("expected nothing after the first element, but found more".to_owned());
            }
            if open.is_empty() && !is_own {
                let found = Untrusted::new(start.local_name().into_inner()).limited_to(40);
                return Err(format!("expected the namespace `{namespace}` of `{found}`"));
            }
        }
        match event {
            Event::Start(start) => open.push(Element::of(&start, is_own)?),
            Event::Empty(start) => ended = Some(Element::of(&start, is_own)?),
            Event::End(_) => ended = open.pop(),
            Event::Text(text) => push(&mut open, &text.xml10_content())?,
            Event::CData(text) => push(&mut open, &text.xml10_content())?,
            Event::GeneralRef(reference) => {
                let char = reference.resolve_char_ref().map_err(|error| broken(&error))?;
                let mut bytes = [0; 4];
                let text = match char {
                    Some(char) => Some(&*char.encode_utf8(&mut bytes)),
                    None => resolve_predefined_entity(&reference),
                };
                push(&mut open, text.ok_or("expected no entity of a document type")?)?;
            }
            Event::Eof => {
                let root = root.filter(|_| open.is_empty());
                return root.ok_or_else(|| "expected a whole XML document".to_owned());
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        if let Some(element) = ended {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => root = Some(element),
            }
        }
    }
}

/// Adds text to the open element. Outside of the root there is only white space.
fn push(open: &mut [Element], text: &str) -> Result<(), String> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err("expected no text outside of the first element".to_owned()),
    }
    Ok(())
}

fn broken(error: &dyn std::fmt::Display) -> String {
    let error = error.to_string();
    format!("expected well-formed XML, but found: {}", Untrusted::new(&error))
}
