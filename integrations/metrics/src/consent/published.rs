//! The parser and the classes of the Data Provenance Initiative's script.

use std::collections::{BTreeMap, HashMap};

use super::Restriction;
use crate::fetched::{Memory, TooLarge};

/// The rules of a file as the script reads them.
#[derive(Debug, Default)]
pub(super) struct File {
    /// By the name in its first spelling.
    agents: BTreeMap<String, Rules>,
}

/// The rules of an agent without those that have a `?`, which the script does not count.
#[derive(Debug, Default)]
struct Rules {
    allow: Vec<String>,
    disallow: Vec<String>,
}

impl File {
    pub(super) fn of(text: &str) -> Result<Self, TooLarge> {
        let mut file = Self::default();
        let mut memory = Memory::of_file();
        // The first spelling of each name in lower case.
        let mut spellings: HashMap<String, String> = HashMap::new();
        let mut current: Vec<String> = Vec::new();
        // As published: this stays true after the first record of the file.
        let mut has_records = false;
        for line in text.split(is_line_end) {
            let line = line.split('#').next().unwrap_or_default().trim_matches(is_space);
            let Some((key, value)) = record(line) else { continue };
            if key == Key::Agent {
                let spelling = spellings
                    .entry(value.to_lowercase())
                    .or_insert_with(|| {
                        file.agents.entry(value.to_owned()).or_default();
                        value.to_owned()
                    })
                    .clone();
                if has_records {
                    current.clear();
                }
                current.push(spelling);
                continue;
            }
            has_records = true;
            if matches!(key, Key::Other) || value.contains('?') {
                continue;
            }
            memory.take(current.len(), value.len())?;
            for agent in &current {
                let Some(rules) = file.agents.get_mut(agent) else { continue };
                let rules = if key == Key::Allow { &mut rules.allow } else { &mut rules.disallow };
                rules.push(value.to_owned());
            }
        }
        Ok(file)
    }

    pub(super) fn star(&self) -> Restriction {
        self.agents.get("*").map_or(Restriction::None, Rules::restriction)
    }

    pub(super) fn names_star(&self) -> bool {
        self.agents.contains_key("*")
    }

    /// Agents, except `*` and the two names that the script uses for itself.
    pub(super) fn agents(&self) -> impl Iterator<Item = (&str, Restriction)> {
        let agents = self.agents.iter().map(|(name, rules)| (&**name, rules.restriction()));
        agents.filter(|(name, _)| !["*", "ERRORS", "Sitemaps"].contains(name))
    }
}

impl Rules {
    fn restriction(&self) -> Restriction {
        let is_empty = matches!(&*self.disallow, []) || self.disallow == [""];
        if is_empty || self.allow == self.disallow {
            Restriction::None
        } else if self.disallow.iter().any(|rule| rule == "/") && self.allow.is_empty() {
            Restriction::All
        } else {
            Restriction::Some
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Agent,
    Allow,
    Disallow,
    /// `Crawl-delay` and `Sitemap`.
    Other,
}

/// A record: one of the keys directly followed by a colon.
fn record(line: &str) -> Option<(Key, &str)> {
    const KEYS: [(&str, Key); 5] = [
        ("user-agent", Key::Agent),
        ("allow", Key::Allow),
        ("disallow", Key::Disallow),
        ("crawl-delay", Key::Other),
        ("sitemap", Key::Other),
    ];
    let (key, value) = line.split_once(':')?;
    // The Kelvin sign and the capital I with a dot are letters of these keys in lower case, the
    // latter with a further letter.
    let lowered = key.to_lowercase();
    let (_, key) = KEYS.into_iter().find(|(name, _)| lowered == *name)?;
    Some((key, value.trim_matches(is_space)))
}

/// Ends of lines for `splitlines` of Python.
fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Letters that `strip` of Python removes.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(text: &str) -> Vec<(String, &'static str)> {
        let file = File::of(text).unwrap();
        file.agents().map(|(name, it)| (name.to_owned(), it.name())).collect()
    }

    fn named<'a>(found: &'a [(String, &'static str)]) -> Vec<(&'a str, &'static str)> {
        found.iter().map(|(name, class)| (&**name, *class)).collect()
    }

    #[test]
    fn only_the_first_group_has_several_agents() {
        let text = "User-agent: a\nUser-agent: b\nDisallow: /\nUser-agent: c\nUser-agent: d\nDisallow: /\n";
        let found = agents(text);
        assert_eq!(named(&found), [("a", "all"), ("b", "all"), ("c", "none"), ("d", "all")]);
    }

    #[test]
    fn spellings_are_one_agent_with_the_first_name() {
        let found = agents("User-agent: A\nDisallow: /\nuser-agent: a\nAllow: /x\n");
        assert_eq!(named(&found), [("A", "some")]);
    }

    #[test]
    fn a_key_has_no_white_space_before_its_colon() {
        assert_eq!(named(&agents("User-agent: a\nDisallow : /\n")), [("a", "none")]);
        assert_eq!(named(&agents("  User-agent: a\n\tDISALLOW:/\n")), [("a", "all")]);
        assert_eq!(named(&agents("\u{feff}User-agent: a\n")), []);
    }

    #[test]
    fn lines_end_as_in_python() {
        assert_eq!(named(&agents("User-agent: a\u{b}Disallow: /")), [("a", "all")]);
        assert_eq!(named(&agents("User-agent: a\u{2028}Disallow: /#x")), [("a", "all")]);
        // The unit separator is white space, and ends no line.
        assert_eq!(named(&agents("User-agent: a\u{1f}\nDisallow: /")), [("a", "all")]);
    }

    #[test]
    fn names_of_the_script_itself_are_no_agents() {
        assert_eq!(named(&agents("User-agent: Sitemaps\nUser-agent: ERRORS\nDisallow: /")), []);
    }
}
