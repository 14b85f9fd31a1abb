//! Generated robots.txt files, in the shape of those of the Web.
//!
//! # Scope
//!
//! Shape, not content: sizes, groups, kinds and lengths of patterns, comments, sitemaps, line ends.
//! The test kit has unusual and hostile lines.

use std::fmt::Write as _;

use fastrand::Rng;

use super::shape;
use super::urls::{self, word};
use crate::set::Site;

/// Generates files; the same for the same seed on every machine.
///
/// Their sizes are spread evenly over the quantiles and then shuffled, so that every seed has the
/// same mean and the same largest file.
pub(super) fn sites(seed: u64, count: usize) -> Vec<Site> {
    let mut random = Rng::with_seed(seed);
    let mut sizes: Vec<usize> = (0..count).map(|number| size(number, count)).collect();
    random.shuffle(&mut sizes);
    let numbered = sizes.into_iter().enumerate();
    let sites = numbered.map(|(number, size)| {
        let mut random = random.fork();
        let host = format!("site-{number:05}.example");
        let bytes = File::new(&mut random, &host).write(size).into_bytes();
        let urls = urls::of(&host, &bytes, &mut random);
        Site::new(host, bytes, urls)
    });
    sites.collect()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "few files, none large"
)]
fn size(number: usize, count: usize) -> usize {
    // The last file has the maximum size.
    let share = if number + 1 == count { 1.0 } else { (number as f64 + 0.5) / count as f64 };
    shape::quantile(shape::SIZES, share) as usize
}

/// A file during generation.
struct File<'a> {
    random: &'a mut Rng,
    host: &'a str,
    /// Preferred folder names of this site, so that rules share prefixes.
    folders: Vec<String>,
    end: &'static str,
    text: String,
}

impl<'a> File<'a> {
    fn new(random: &'a mut Rng, host: &'a str) -> Self {
        let folders = (0..random.usize(3..12)).map(|_| word(random)).collect();
        let end = if random.f64() < shape::CRLF { "\r\n" } else { "\n" };
        Self { random, host, folders, end, text: String::new() }
    }

    fn write(mut self, size: usize) -> String {
        let groups = shape::draw(shape::GROUPS, self.random);
        if size > 400 && self.random.bool() {
            let comment = format!("# robots.txt of {}", self.host);
            self.line(&comment);
        }
        // Most of a file is the `*` group. The other groups are short, and come before or after it.
        let is_first = self.random.bool();
        let others = groups.saturating_sub(1).min(size / 60);
        if !is_first {
            self.others(others, size / 2);
        }
        let room = if is_first { size - (size / 2).min(others * 50) } else { size };
        self.group("*", room.saturating_sub(60), usize::MAX);
        if is_first {
            self.others(others, size.saturating_sub(60));
        }
        while self.text.len() + 60 < size {
            let number = self.random.u16(..);
            let sitemap = format!("Sitemap: https://{}/sitemap-{number}.xml", self.host);
            self.line(&sitemap);
            if self.random.u8(..3) > 0 {
                // Rules for everybody fill the rest.
                self.group("*", size.saturating_sub(60), usize::MAX);
            }
        }
        self.text
    }

    fn others(&mut self, count: usize, until: usize) {
        for _ in 0..count {
            if self.text.len() >= until {
                return;
            }
            let agent = self.agent();
            if self.random.bool() {
                self.group(&agent, 0, 1);
            } else {
                let rules = self.random.usize(1..12);
                self.group(&agent, until, rules);
            }
        }
    }

    /// A group with at least one rule, and more rules up to a size and a number.
    fn group(&mut self, agent: &str, until: usize, rules: usize) {
        self.line(&format!("User-agent: {agent}"));
        if self.random.u8(..20) == 0 {
            let delay = self.random.u8(1..30);
            self.line(&format!("Crawl-delay: {delay}"));
        }
        if rules == 1 || until < 60 {
            self.line(if agent == "*" { "Disallow:" } else { "Disallow: /" });
            return;
        }
        for _ in 0..rules {
            if self.text.len() >= until {
                break;
            }
            self.rule();
        }
        self.line("");
    }

    fn rule(&mut self) {
        if self.random.u8(..30) == 0 {
            let comment = format!("# {} {}", word(self.random), word(self.random));
            self.line(&comment);
        }
        let kind = if self.random.f64() < shape::ALLOW { "Allow" } else { "Disallow" };
        let pattern = self.pattern();
        self.line(&format!("{kind}: {pattern}"));
    }

    fn pattern(&mut self) -> String {
        let length = shape::draw(shape::PATTERNS, self.random);
        let form = self.random.f64();
        if form < shape::LITERAL {
            return self.literal(length);
        }
        if form < shape::LITERAL + shape::LEADING_STAR {
            let root = if self.random.bool() { "/" } else { "" };
            return match self.random.u8(..4) {
                0 => format!("{root}*?{}=", word(self.random)),
                1 => format!("{root}*.{}$", self.random.choice(EXTENSIONS).unwrap_or(&"pdf")),
                2 => format!("{root}*&{}=", word(self.random)),
                _ => format!("{root}*{}", self.literal(length.saturating_sub(2))),
            };
        }
        let mut pattern = self.literal(length.saturating_sub(4));
        match self.random.u8(..4) {
            0 => pattern.push('$'),
            1 => pattern.push_str("*?"),
            2 => {
                let _ = write!(pattern, "*/{}", word(self.random));
            }
            _ => pattern.push_str("/*"),
        }
        pattern
    }

    /// A path of about this length, usually below a folder of the site.
    fn literal(&mut self, length: usize) -> String {
        let mut path = String::from("/");
        if self.random.u8(..4) > 0 {
            path.push_str(&self.folders[self.random.usize(..self.folders.len())]);
            path.push('/');
        }
        while path.len() < length {
            path.push_str(&word(self.random));
            let next = ["/", "-", "_", ".php", "?id=", "/"];
            path.push_str(next[self.random.usize(..next.len())]);
        }
        path.truncate(length.max(2));
        path
    }

    fn agent(&mut self) -> String {
        if self.random.bool() {
            return (*self.random.choice(AGENTS).unwrap_or(&"Googlebot")).to_owned();
        }
        let mut name = word(self.random);
        name.push_str(["bot", "Bot", "Spider", "-crawler"][self.random.usize(..4)]);
        name
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str(self.end);
    }
}

const EXTENSIONS: &[&str] = &["pdf", "php", "js", "css", "xml", "jpg", "aspx", "doc"];

/// Crawlers that files of the Web often name.
const AGENTS: &[&str] = &[
    "Googlebot",
    "bingbot",
    "GPTBot",
    "Mediapartners-Google",
    "Twitterbot",
    "Baiduspider",
    "Yandex",
    "AhrefsBot",
    "MJ12bot",
    "ia_archiver",
    "SemrushBot",
    "CCBot",
];

#[cfg(test)]
mod tests {
    use verger::Robots;

    use super::*;
    use crate::statistics::share;

    #[test]
    fn files_have_the_shape_of_those_of_the_web() {
        let sites = sites(1, 1_000);
        let mut sizes: Vec<usize> = sites.iter().map(|site| site.bytes.len()).collect();
        sizes.sort_unstable();
        let mean = sizes.iter().sum::<usize>() / sizes.len();
        assert!((3_200..5_200).contains(&mean), "mean {mean}");
        assert!((450..700).contains(&sizes[500]), "median {}", sizes[500]);
        assert!((50_000..100_000).contains(&sizes[990]), "p99 {}", sizes[990]);
        assert!(sizes[999] > 1_300_000, "largest {}", sizes[999]);
    }

    #[test]
    fn rules_have_the_shape_of_those_of_the_web() {
        let patterns: Vec<String> = sites(2, 400)
            .iter()
            .flat_map(|site| {
                let robots = Robots::parse(&site.bytes);
                let rules = robots.groups().flat_map(|group| group.rules());
                rules
                    .map(|rule| String::from_utf8_lossy(rule.pattern()).into_owned())
                    .collect::<Vec<_>>()
            })
            .filter(|pattern| !pattern.is_empty())
            .collect();
        let literal = patterns.iter().filter(|pattern| !pattern.contains(['*', '$'])).count();
        let literal = share(literal, patterns.len());
        assert!((0.76..0.86).contains(&literal), "literal {literal}");
        let leading =
            patterns.iter().filter(|pattern| pattern.starts_with('*') || pattern.starts_with("/*"));
        let leading = share(leading.count(), patterns.len());
        assert!((0.06..0.1).contains(&leading), "leading {leading}");
        let length = share(patterns.iter().map(String::len).sum(), patterns.len());
        assert!((15.0..21.0).contains(&length), "length {length}");
    }

    #[test]
    fn a_seed_gives_the_same_files_and_another_one_others() {
        let bytes = |seed| sites(seed, 20).into_iter().map(|site| site.bytes).collect::<Vec<_>>();
        assert_eq!(bytes(7), bytes(7));
        assert_ne!(bytes(7), bytes(8));
    }

    #[test]
    fn some_questions_hit_rules_and_some_do_not() {
        let sites = sites(3, 200);
        let asked: usize = sites.iter().map(|site| site.questions.len()).sum();
        let allowed = |site: &Site| {
            let robots = Robots::parse(&site.bytes);
            site.questions
                .iter()
                .filter(|one| robots.check("GPTBot", &one.url).rule().is_some())
                .count()
        };
        let hit = share(sites.iter().map(allowed).sum(), asked);
        assert!((0.15..0.7).contains(&hit), "{hit}");
    }
}
