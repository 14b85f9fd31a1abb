//! The known elements of RSL 1.0, and mistakes in the others.

use std::collections::BTreeMap;
use std::mem;

use roxmltree::Node;
use serde::Serialize;
use verger::quoted;

/// The namespace of RSL 1.0.
pub const RSL_NAMESPACE: &str = "https://rslstandard.org/rsl";

/// An element of a licence document, with its known parts. The texts are untrusted.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Element {
    /// Its attributes.
    #[serde(flatten)]
    pub attributes: BTreeMap<&'static str, String>,
    /// Its text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its child elements by name, in order.
    #[serde(flatten)]
    pub elements: BTreeMap<&'static str, Vec<Self>>,
    /// Mistakes in words: an unknown element, such as `permit`, an attribute or a text may be a
    /// restriction. Contents and licences have their own.
    #[serde(skip)]
    pub(crate) mistakes: Vec<String>,
}

impl Element {
    /// Reads an element of RSL.
    pub(crate) fn of(node: Node<'_, '_>) -> Self {
        let name = node.tag_name().name();
        let (children, attributes) = known(name);
        let mut element = Self::default();
        let mut mistakes = Vec::new();
        let mut expect = |known: Names, what: &str, found: &str, more: &str| {
            let none = format!("no {what}");
            let known = if known.is_empty() { none } else { known.join(", ") };
            let found = quoted(found);
            mistakes.push(format!("expected {known} in `{name}`, but found {found}{more}"));
        };
        for attribute in node.attributes() {
            let found = attribute.name();
            match (attribute.namespace(), attributes.iter().find(|it| **it == found)) {
                (None, Some(known)) => {
                    element.attributes.insert(known, attribute.value().trim().to_owned());
                }
                (None, None) => expect(attributes, "attribute", found, ""),
                (Some(RSL_NAMESPACE), _) => {
                    expect(attributes, "attribute", found, " with a prefix");
                }
                // Those of other namespaces are extensions.
                _ => {}
            }
        }
        for child in node.children() {
            element.text += child.text().filter(|_| child.is_text()).unwrap_or_default();
            let (namespace, found) = (child.tag_name().namespace(), child.tag_name().name());
            match children.iter().find(|it| **it == found) {
                _ if !child.is_element() => {}
                Some(known) if namespace == Some(RSL_NAMESPACE) => {
                    element.elements.entry(known).or_default().push(Self::of(child));
                }
                _ if namespace == Some(RSL_NAMESPACE) => expect(children, "element", found, ""),
                _ => expect(children, "element", found, " of another namespace"),
            }
        }
        element.text = element.text.trim().to_owned();
        if !children.is_empty() && !element.text.is_empty() {
            expect(children, "text", &element.text, "");
        }
        for (name, children) in &mut element.elements {
            if !["content", "license"].contains(name) {
                mistakes.extend(children.iter_mut().flat_map(|it| mem::take(&mut it.mistakes)));
            }
        }
        Self { mistakes, ..element }
    }

    /// The child elements with a name.
    pub(crate) fn all(&self, name: &str) -> &[Self] {
        self.elements.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// An attribute; empty if it is not there.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map(String::as_str).unwrap_or_default()
    }
}

type Names = &'static [&'static str];

/// The child elements and attributes of an element.
fn known(name: &str) -> (Names, Names) {
    match name {
        "rsl" => (&["content"], &["max-age"]),
        "content" => (
            &["license", "alternate", "schema", "copyright", "terms"],
            &["url", "server", "encrypted", "lastmod"],
        ),
        "license" => (&["permits", "prohibits", "payment", "reporting", "legal"], &[]),
        "payment" => (&["standard", "custom", "amount", "accepts"], &["type"]),
        "permits" | "prohibits" | "accepts" | "legal" | "alternate" | "schema" => (&[], &["type"]),
        "amount" => (&[], &["currency"]),
        "reporting" => (&[], &["type", "profile", "endpoint"]),
        "copyright" => (&[], &["type", "contactEmail", "contactUrl"]),
        _ => (&[], &[]),
    }
}
