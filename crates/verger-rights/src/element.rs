//! The known elements of RSL 1.0, and mistakes in the others.

use std::collections::BTreeMap;

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
        let mistake = |kind: &str, known: Names, found: &str| {
            let known = if known.is_empty() { format!("no {kind}") } else { known.join(", ") };
            format!("expected {known} in `{name}`, but found {}", quoted(found))
        };
        for attribute in node.attributes() {
            let found = attribute.name();
            let known = attributes.iter().find(|it| **it == found);
            match (known, attribute.namespace()) {
                (Some(known), None) => {
                    element.attributes.insert(known, attribute.value().trim().to_owned());
                }
                (_, None | Some(RSL_NAMESPACE)) => {
                    element.mistakes.push(mistake("attribute", attributes, found));
                }
                // Those of other namespaces are extensions.
                _ => {}
            }
        }
        for child in node.children().filter(Node::is_element) {
            let found = child.tag_name().name();
            let is_foreign = child.tag_name().namespace() != Some(RSL_NAMESPACE);
            match children.iter().find(|it| **it == found) {
                Some(known) if !is_foreign => {
                    let mut child = Self::of(child);
                    if !matches!(*known, "content" | "license") {
                        element.mistakes.append(&mut child.mistakes);
                    }
                    element.elements.entry(known).or_default().push(child);
                }
                _ => element.mistakes.push(mistake("element", children, found)),
            }
        }
        let texts = node.children().filter(Node::is_text);
        let text: String = texts.filter_map(|it| it.text()).collect();
        text.trim().clone_into(&mut element.text);
        if !children.is_empty() && !element.text.is_empty() {
            element.mistakes.push(mistake("text", &[], &element.text));
        }
        element
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
