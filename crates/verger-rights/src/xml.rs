//! The elements of a licence as a tree, with namespaces resolved.

use roxmltree::{Document, Node};
use verger::Untrusted;

use crate::limits::{DEPTH, ENTRIES, NAMESPACES};

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

    /// The first attribute that is not known; those of other namespaces are extensions.
    pub(crate) fn unknown_attribute(&self, known: &[&str]) -> Option<&str> {
        let mut names = self.attributes.iter().map(|(name, _)| name.as_str());
        names.find(|it| !known.contains(it))
    }

    /// The children with a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |it| it.name == name)
    }

    fn of(node: Node<'_, '_>, namespace: &str, depth: usize) -> Result<Self, String> {
        if depth == DEPTH {
            return Err(format!("expected elements nested at most {DEPTH} times, but found more"));
        }
        let source = node.document().input_text();
        let is_default = |it: &&roxmltree::Namespace<'_>| it.name().is_none();
        let is_odd = |it: &str| it.contains(char::REPLACEMENT_CHARACTER);
        // The parser allows these, and replaces references to no character by U+FFFD; one that is in the text
        // is refused, too.
        if node.namespaces().filter(is_default).count() > 1
            || node.namespaces().any(|it| it.name().is_some() && it.uri().is_empty())
            || source[node.range()].starts_with("<:")
            || node.attributes().any(|it| source[it.range()].starts_with(':') || is_odd(it.value()))
            || node.children().any(|it| it.is_text() && it.text().is_some_and(is_odd))
        {
            return Err(broken(
                "a name that begins with a colon, two default namespaces, a prefix for none, or a reference to no character",
            ));
        }
        let attributes = node.attributes().filter_map(|it| match it.namespace() {
            None => Some((it.name().to_owned(), it.value().to_owned())),
            // No name of the format has a space.
            Some(found) if found == namespace => {
                Some((format!("{} in the namespace of RSL", it.name()), String::new()))
            }
            Some(_) => None,
        });
        let name = node.tag_name();
        let is_own = name.namespace() == Some(namespace);
        let foreign = if is_own { "" } else { " of another namespace" };
        let texts = node.children().filter(Node::is_text).filter_map(|it| it.text());
        let children = node.children().filter(Node::is_element);
        Ok(Self {
            name: format!("{}{foreign}", name.name()),
            attributes: attributes.collect(),
            text: texts.collect(),
            children: children
                .map(|it| Self::of(it, namespace, depth + 1))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Reads a document whose root is in a namespace. Elements of other namespaces, and attributes of
/// this one, have names that none of the format has.
///
/// # Errors
///
/// The document is not well-formed, its root is in no or another namespace, it has a document type,
/// which can state attributes and entities, or it exceeds a limit.
///
/// # Complexity
///
/// Quadratic in the attributes of one element and in the namespaces, which limits bound.
pub(crate) fn read(text: &str, namespace: &str) -> Result<Element, String> {
    // Before the parser, which compares all attributes of an element, and copies all namespaces.
    for (mark, most) in [("<", 2 * ENTRIES), ("=", ENTRIES), ("xmlns", NAMESPACES)] {
        if text.matches(mark).count() > most {
            return Err(format!("expected at most {most} of `{mark}`, but found more"));
        }
    }
    // The parser takes `a:xmlns` for `xmlns`, and in some forms a declaration for an instruction.
    if text.contains(":xmlns") {
        return Err(broken(":xmlns"));
    }
    let document = Document::parse(text).map_err(|error| broken(&error.to_string()))?;
    let mut instructions = document.descendants().filter_map(|it| it.pi());
    if instructions.any(|it| it.target.eq_ignore_ascii_case("xml")) || !is_declared(text) {
        return Err(broken("an XML declaration in the wrong place or form"));
    }
    let root = document.root_element();
    if root.tag_name().namespace() != Some(namespace) {
        let found = Untrusted::new(root.tag_name().name()).limited_to(40);
        return Err(format!("expected the namespace `{namespace}` of `{found}`"));
    }
    Element::of(root, namespace, 0)
}

/// Whether the values of the declaration, if any, are those of XML 1 in UTF-8. The parser does not read them.
fn is_declared(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let declaration = text.strip_prefix("<?xml ").and_then(|it| it.split_once("?>"));
    let parts: Vec<_> = declaration.unwrap_or_default().0.split(['"', '\'']).collect();
    parts.chunks_exact(2).all(|pair| match pair[0].trim_matches([' ', '\t', '\r', '\n', '=']) {
        "version" => ["1.0", "1.1"].contains(&pair[1]),
        "encoding" => pair[1].eq_ignore_ascii_case("utf-8"),
        _ => ["yes", "no"].contains(&pair[1]),
    })
}

fn broken(error: &str) -> String {
    format!("expected well-formed XML, but found: {}", Untrusted::new(error))
}
