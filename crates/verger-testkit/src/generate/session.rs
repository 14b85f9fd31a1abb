//! Sessions: a crawler that caches the files of several sites and checks URLs.
//!
//! Rule values begin with `/` or are empty, and URLs are spelt as Perl's URI module spells them.
//! For these the 1994 crawler answers as Perl's does.

use super::draft::Draft;
use super::form::Form;
use super::pattern::Rule;
use super::profile::{FormSet, Profile};
use super::{bytes, file, url};

/// A sequence of events for one crawler.
#[derive(Clone, Debug)]
pub struct Session {
    /// The crawler's first name.
    pub name: String,
    /// The events after that.
    pub steps: Vec<Step>,
    /// The forms that occur.
    pub forms: FormSet,
}

/// An event, with its time in seconds since 1970.
#[derive(Clone, Debug)]
pub enum Step {
    /// The crawler receives the robots.txt of a site.
    Parse {
        /// Time of the event.
        now: u64,
        /// URL of the file.
        url: String,
        /// The file.
        text: Vec<u8>,
        /// Last second in which the file is fresh.
        fresh_until: Option<u64>,
    },
    /// The crawler checks a URL.
    Ask {
        /// Time of the event.
        now: u64,
        /// The URL.
        url: String,
    },
    /// The crawler is renamed.
    Rename(String),
}

/// A session during generation.
struct Script {
    now: u64,
    steps: Vec<Step>,
    /// The sites with a file, and the rules of their newest file.
    sites: Vec<(Site, Vec<Rule>)>,
}

#[derive(Clone, Copy, Debug)]
struct Site {
    scheme: &'static str,
    host: &'static str,
}

const NAMES: [&str; 6] = ["fox", "Fig_Tree", "otter-news", "Robot", "FooBot", "MJ12bot"];
const HOSTS: [&str; 4] = ["h.example", "i.example", "[::1]", "10.0.0.1"];
const HOSTS_WITH_PORTS: [&str; 3] = ["h.example:8080", "h.example:443", "i.example:80"];

/// Generates the session of a seed and an index.
pub fn session(seed: u64, index: u64) -> Session {
    let mut draft = Draft::new(Profile::Sites, seed, index);
    let short = draft.pick(&NAMES).to_owned();
    let mut script = Script { now: 1_000_000_000, steps: Vec::new(), sites: Vec::new() };
    for _ in 0..=draft.below(3) {
        parse(&mut draft, &mut script, &short);
        for _ in 0..=draft.below(4) {
            ask(&mut draft, &mut script);
        }
        rename(&mut draft, &mut script, &short);
    }
    let name = long_name(&mut draft, &short);
    Session { name, steps: script.steps, forms: draft.forms() }
}

/// A name whose first word, without its version, is the short name.
fn long_name(draft: &mut Draft, short: &str) -> String {
    let version = if draft.uses(Form::SiteNameVersion) { "/1.0" } else { "" };
    let words = if draft.uses(Form::SiteNameWords) { " (x; +http://h.example/bot)" } else { "" };
    format!("{short}{version}{words}")
}

fn parse(draft: &mut Draft, script: &mut Script, name: &str) {
    script.now += draft.below(100) as u64;
    let site = match script.sites.last() {
        Some((site, _)) if draft.uses(Form::SiteReplaced) => *site,
        _ => site(draft),
    };
    let mut file = file::file(draft, &[name.to_owned()]);
    if draft.uses(Form::SiteFileEmpty) {
        file.lines.clear();
    }
    file.lines.retain(|line| has_rule_of_path_or_none(line));
    let text = bytes::bytes(draft, &file.lines);
    let fresh_until = match () {
        () if draft.uses(Form::SiteFreshByDefault) => None,
        () if draft.uses(Form::SiteStale) => Some(script.now - 1 - draft.below(50) as u64),
        () if draft.uses(Form::SiteFreshLast) => Some(script.now),
        () => Some(script.now + 1 + draft.below(500) as u64),
    };
    let url = format!("{}://{}/robots.txt", site.scheme, site.host);
    script.steps.push(Step::Parse { now: script.now, url, text, fresh_until });
    // `Allow` did not exist in 1994.
    file.rules.retain(|rule| !rule.allow);
    script.sites.push((site, file.rules));
}

fn site(draft: &mut Draft) -> Site {
    let scheme = draft.pick(&["http", "http", "https"]);
    let has_port = draft.uses(Form::SiteOtherPort);
    let host = if has_port { draft.pick(&HOSTS_WITH_PORTS) } else { draft.pick(&HOSTS) };
    Site { scheme, host }
}

fn ask(draft: &mut Draft, script: &mut Script) {
    // Check in the last second of a file, or in the next one.
    script.now += draft.pick(&[0, 0, 1, 60]);
    let (mut site, rules) = script.sites[draft.below(script.sites.len())].clone();
    if draft.uses(Form::SiteOtherScheme) {
        site.scheme = if site.scheme == "http" { "https" } else { "http" };
    }
    if draft.uses(Form::SiteUnknown) {
        site.host = draft.pick(&["j.example", "h.example:1", "example"]);
    }
    let port = match site.scheme {
        _ if site.host.ends_with(|last: char| last.is_ascii_digit()) => "",
        "http" if draft.uses(Form::SiteDefaultPort) => ":80",
        _ if draft.uses(Form::SiteDefaultPort) => ":443",
        _ => "",
    };
    let path = in_perl_spelling(&without_host(&url::path(draft, &rules)));
    let tail = if draft.chance(5) { "#a" } else { "" };
    let whole = match () {
        () if draft.chance(2) => format!("mailto:a@{}", site.host),
        () if draft.chance(2) => format!("ftp://{}{path}", site.host),
        () => format!("{}://{}{port}{path}{tail}", site.scheme, site.host),
    };
    script.steps.push(Step::Ask { now: script.now, url: whole });
}

fn rename(draft: &mut Draft, script: &mut Script, name: &str) {
    if draft.chance(30) && draft.uses(Form::SiteRenamed) {
        let other = draft.pick(&["yak", "foxes/2", "Ro"]);
        script.steps.push(Step::Rename(other.to_owned()));
    } else if draft.uses(Form::SiteSameName) {
        script.steps.push(Step::Rename(format!("{name}/7 again")));
    }
}

/// Whether a line is not a `Disallow`, or is one with an empty value or a path. Perl resolves other
/// values against the URL of the file.
fn has_rule_of_path_or_none(line: &[u8]) -> bool {
    let end = line.iter().position(|&octet| octet == b'#').unwrap_or(line.len());
    let Some(colon) = line[..end].iter().position(|&octet| octet == b':') else {
        return true;
    };
    if !trimmed(&line[..colon]).eq_ignore_ascii_case(b"disallow") {
        return true;
    }
    let value = trimmed(&line[colon + 1..end]);
    value.is_empty() || value.starts_with(b"/")
}

fn trimmed(text: &[u8]) -> &[u8] {
    let is_white = |octet: &u8| matches!(octet, b' ' | b'\t' | 0x0B | 0x0C);
    let start = text.iter().position(|octet| !is_white(octet)).unwrap_or(text.len());
    let end = text.iter().rposition(|octet| !is_white(octet)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// A path derived from a rule with a host, mostly without the host.
fn without_host(path: &[u8]) -> Vec<u8> {
    match path.strip_prefix(b"//") {
        Some(rest) => {
            let slash = rest.iter().position(|&octet| octet == b'/').unwrap_or(0);
            [b"/", rest[slash..].strip_prefix(b"/").unwrap_or(b"")].concat()
        }
        None => path.to_vec(),
    }
}

/// Escapes the octets that Perl's URI module would escape, and `#`.
fn in_perl_spelling(path: &[u8]) -> String {
    let is_left =
        |octet: u8| octet.is_ascii_alphanumeric() || b";/?:@&=+$,-_.!~*'()%".contains(&octet);
    path.iter()
        .map(
            |&octet| {
                if is_left(octet) { char::from(octet).to_string() } else { format!("%{octet:02X}") }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_with_paths_remain() {
        for line in
            ["Disallow: /a", "disallow :", "Disallow: #x", "Disallow://h/a", "User-agent: x", "x"]
        {
            assert!(has_rule_of_path_or_none(line.as_bytes()), "{line}");
        }
        for line in ["Disallow: a", " DISALLOW\t: *", "disallow:\u{A0}/"] {
            assert!(!has_rule_of_path_or_none(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn urls_have_the_spelling_of_perl() {
        assert_eq!(in_perl_spelling("/a b\"é[%7e#".as_bytes()), "/a%20b%22%C3%A9%5B%7e%23");
        assert_eq!(without_host(b"//h.example/a"), b"/a");
        assert_eq!(without_host(b"/a//b"), b"/a//b");
    }
}
