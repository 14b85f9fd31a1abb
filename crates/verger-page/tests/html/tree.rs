//! The tree of html5ever, searched for the same elements.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, local_name, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

fn tree(page: &str) -> RcDom {
    parse_document(RcDom::default(), ParseOpts::default()).one(page)
}

/// The elements of HTML in order, without those in templates.
fn each_element(node: &Handle, visit: &mut impl FnMut(&str, &dyn Fn(&str) -> Option<String>)) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        if name.ns == ns!(html) {
            let attrs = attrs.borrow();
            let attribute = |wanted: &str| {
                let found = attrs.iter().find(|attribute| &*attribute.name.local == wanted);
                found.map(|attribute| attribute.value.to_string())
            };
            visit(&name.local, &attribute);
        }
        if name.ns == ns!(html) && name.local == local_name!("template") {
            return;
        }
    }
    for child in node.children.borrow().iter() {
        each_element(child, visit);
    }
}

/// Name and content of the meta elements that have both and are for crawlers.
pub(crate) fn metas(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    each_element(&tree(page).document, &mut |element, attribute| {
        let (name, content) = (attribute("name"), attribute("content"));
        match (element, name, content) {
            ("meta", Some(name), Some(content)) if is_robots(&name) => found.push((name, content)),
            _ => {}
        }
    });
    found
}

fn is_robots(name: &str) -> bool {
    name.trim_ascii().eq_ignore_ascii_case("robots")
}

/// The names of the elements that must not be quoted.
pub(crate) fn nosnippets(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_element(&tree(page).document, &mut |element, attribute| {
        let is_one = matches!(element, "span" | "div" | "section");
        if is_one && attribute("data-nosnippet").is_some() {
            found.push(element.to_owned());
        }
    });
    found
}
