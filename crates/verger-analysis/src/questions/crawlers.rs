//! The crawlers for which files are analysed: those that groups name, and one that none names.

use std::collections::HashSet;

use verger::{Crawler, Robots};

/// The names on the user-agent lines of some files, without `*`, in the order of their first line.
/// Upper and lower case are equal. Names that are not UTF-8 are missing: no crawler has them.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::named_crawlers;
///
/// let before = Robots::parse("User-agent: GPTBot\nUser-agent: *\nDisallow: /\n");
/// let after = Robots::parse("User-agent: CCBot\nUser-agent: gptbot\nDisallow: /\n");
/// assert_eq!(named_crawlers(&[&before, &after]), ["GPTBot", "CCBot"]);
/// ```
pub fn named_crawlers<'r>(files: &[&'r Robots]) -> Vec<&'r str> {
    let mut known = HashSet::new();
    let agents = files.iter().flat_map(|robots| robots.groups()).flat_map(|group| group.agents());
    agents
        .filter(|agent| !agent.is_star())
        .filter_map(|agent| str::from_utf8(agent.name()).ok())
        .filter(|name| !name.is_empty() && known.insert(name.to_ascii_lowercase()))
        .collect()
}

/// Returns the names of the crawlers of a comparison, each once: `*` for an
/// [unnamed one](unnamed_crawler), the given ones, and [those of groups](named_crawlers). These are
/// last, because at most [`CRAWLERS`](crate::limits::CRAWLERS) are compared.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::compared_names;
///
/// let robots = Robots::parse("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n");
/// assert_eq!(compared_names(["ccbot"], &[&robots]), ["*", "ccbot", "GPTBot"]);
/// ```
pub fn compared_names<'a, G>(given: G, files: &[&'a Robots]) -> Vec<String>
where
    G: IntoIterator<Item = &'a str>,
{
    let mut known = HashSet::new();
    let all = [OTHERS].into_iter().chain(given).chain(named_crawlers(files));
    all.filter(|name| known.insert(name.to_ascii_lowercase())).map(str::to_owned).collect()
}

/// The name of all crawlers that no group names.
pub const OTHERS: &str = "*";

/// The crawler with a [compared name](compared_names): the [unnamed one](unnamed_crawler) of the
/// files for [`OTHERS`], and the result of `read` for any other name.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, Robots};
/// use verger_analysis::compared_crawler;
///
/// let robots = Robots::parse("User-agent: a\nDisallow: /\n");
/// let crawler = |name| compared_crawler(name, &[&robots], |name| Crawler::new(name));
/// assert_eq!(crawler("a"), Crawler::new("a"));
/// assert!(robots.is_allowed(&crawler("*"), "/"));
/// ```
pub fn compared_crawler<F>(name: &str, files: &[&Robots], read: F) -> Crawler
where
    F: FnOnce(&str) -> Crawler,
{
    if name == OTHERS { unnamed_crawler(files) } else { read(name) }
}

/// Returns a crawler that no group of the files names, so that only groups for `*` apply to it.
///
/// Some dialects search for the name of a group in that of the crawler, or the other way round: the
/// token neither contains a name of the files nor is part of one. If names of single letters leave
/// no such token, it avoids only equal names.
///
/// # Examples
///
/// ```
/// use verger::{Dialect, Robots};
/// use verger_analysis::unnamed_crawler;
///
/// let robots = Dialect::KOSTER1996.parse("User-agent: Google*\nDisallow: /\n");
/// assert!(!robots.is_allowed("*", "/"), "this dialect finds `*` in the name");
/// assert!(robots.is_allowed(&unnamed_crawler(&[&robots]), "/"));
/// ```
pub fn unnamed_crawler(files: &[&Robots]) -> Crawler {
    // For each letter, its longest run in a name, and whether a name consists of it.
    let mut letters: Vec<(usize, bool, u8)> = (b'a'..=b'z').map(|it| (0, false, it)).collect();
    let agents = files.iter().flat_map(|robots| robots.groups()).flat_map(|group| group.agents());
    for agent in agents.filter(|agent| !agent.is_star()) {
        for run in agent.name().chunk_by(u8::eq_ignore_ascii_case) {
            let letter = run[0].to_ascii_lowercase();
            let index = usize::from(letter.wrapping_sub(b'a'));
            if let Some((longest, is_name, _)) = letters.get_mut(index) {
                *longest = run.len().max(*longest);
                *is_name |= run.len() == agent.name().len();
            }
        }
    }
    let free = letters.iter().filter(|(_, is_name, _)| !is_name).min();
    let (longest, _, letter) = free.or(letters.iter().min()).copied().unwrap_or((0, false, b'x'));
    Crawler::new(char::from(letter).to_string().repeat(longest + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_names_an_unnamed_crawler() {
        for names in ["Google*", "a*", "* x", "a\nUser-agent: aaa\nUser-agent: bAAAAb", "zebra"] {
            for dialect in verger::Dialect::PUBLISHED {
                let robots = dialect.parse(&format!("User-agent: {names}\nDisallow: /\n"));
                let crawler = unnamed_crawler(&[&robots]);
                let mut agents = robots.groups().flat_map(|group| group.agents());
                // `* x` is `*` in some dialects.
                let is_for_everybody = agents.any(|agent| agent.is_star());
                let is_allowed = robots.is_allowed(&crawler, "/x");
                assert_eq!(is_allowed, !is_for_everybody, "{dialect}: {names}");
            }
        }
    }
}
