//! Names of user-agent lines, for rules about known crawlers.

use verger::{Group, Span};
use verger_registry::{Crawler, Registry};

use crate::file::File;

/// A name of a user-agent line, which is neither `*` nor a User-Agent header.
pub(crate) struct Name<'f> {
    pub(crate) text: &'f str,
    /// The place of the whole value.
    pub(crate) span: Span,
    /// The crawler of this name or with this fallback.
    pub(crate) crawler: Option<&'static Crawler>,
}

/// The names of all user-agent lines.
pub(crate) fn names<'f>(file: &'f File<'f>) -> impl Iterator<Item = Name<'f>> {
    file.robots.groups().flat_map(|group| names_of(&group))
}

/// The names of a group.
pub(crate) fn names_of<'f>(group: &Group<'f>) -> impl Iterator<Item = Name<'f>> + use<'f> {
    let agents = group.agents().filter(|agent| !agent.is_star() && !is_header(agent.value()));
    agents.filter_map(|agent| {
        let text = str::from_utf8(agent.name()).ok().filter(|name| !name.is_empty())?;
        Some(Name { text, span: agent.span(), crawler: Registry::bundled().find(text) })
    })
}

/// Whether a name is a word for many crawlers, and the name of none.
pub(crate) fn is_generic(name: &[u8]) -> bool {
    const WORDS: &str = "ai all any bot bots crawl crawler crawlers everybody everyone llm llms robot \
                         robots spider spiders";
    WORDS.split(' ').any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether the value of a user-agent line is a header that begins as those of browsers do.
pub(crate) fn is_header(value: &[u8]) -> bool {
    value.len() > HEADER.len() && value[..HEADER.len()].eq_ignore_ascii_case(HEADER)
}

const HEADER: &[u8] = b"Mozilla/";
