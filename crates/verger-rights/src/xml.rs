//! Strict reading of XML with namespaces.

use roxmltree::{Attribute, Document, Error, Namespace, Node, ParsingOptions};
use verger::Untrusted;

use crate::limits::{ENTRIES, NAMESPACES, NODES};

/// Reads a document.
///
/// # Errors
///
/// The document is not well-formed, it has a document type, which can state attributes and
/// entities, or it exceeds a limit.
///
/// # Complexity
///
/// Quadratic in the attributes of one element and in the namespaces, which limits bound.
pub(crate) fn read(text: &str) -> Result<Document<'_>, String> {
    // Before the parser, which compares all attributes of an element, and copies all namespaces.
    for (mark, most) in [("=", ENTRIES), ("xmlns", NAMESPACES)] {
        if text.matches(mark).count() > most {
            return Err(format!("expected at most {most} of `{mark}`, but found more"));
        }
    }
    // The parser takes `a:xmlns` for `xmlns`, and in some forms a declaration for an instruction.
    if text.contains(":xmlns") {
        return Err(broken(":xmlns"));
    }
    let options = ParsingOptions { nodes_limit: NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        Error::NodesLimitReached => {
            format!("expected at most {NODES} elements and texts, but found more")
        }
        error => broken(&error.to_string()),
    })?;
    let mut instructions = document.descendants().filter_map(|it| it.pi());
    if instructions.any(|it| it.target.eq_ignore_ascii_case("xml")) || !is_declared(text) {
        return Err(broken("an XML declaration in the wrong place or form"));
    }
    if document.descendants().any(is_odd) {
        return Err(broken(
            "a name that begins with a colon, two default namespaces, a prefix for none, or a \
             reference to no character",
        ));
    }
    Ok(document)
}

/// Whether the parser allows something in a node that is not well-formed. It replaces references to
/// no character by U+FFFD; one that is in the text is refused, too.
fn is_odd(node: Node<'_, '_>) -> bool {
    let source = node.document().input_text();
    let is_default = |it: &&Namespace<'_>| it.name().is_none();
    let is_replaced = |it: &str| it.contains(char::REPLACEMENT_CHARACTER);
    let is_odd_attribute =
        |it: Attribute<'_, '_>| source[it.range()].starts_with(':') || is_replaced(it.value());
    node.is_text() && node.text().is_some_and(is_replaced)
        || node.is_element()
            && (node.namespaces().filter(is_default).count() > 1
                || node.namespaces().any(|it| it.name().is_some() && it.uri().is_empty())
                || source[node.range()].starts_with("<:")
                || node.attributes().any(is_odd_attribute))
}

/// Whether the values of the declaration, if any, are those of XML 1 in UTF-8. The parser does not
/// read them.
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
