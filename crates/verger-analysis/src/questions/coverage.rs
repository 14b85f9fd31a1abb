//! Coverage: the rules that decide given URLs.

use verger::Rule;

use crate::patterns::decision_list::Decider;
use crate::questions::analysis::Analysis;
use crate::questions::count::Count;
use crate::questions::prefixes::Prefixes;
use crate::undecided::Budget;

/// Numbers of URLs by the rules that decide them, for instance of a sitemap or of an access log.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::Analysis;
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nDisallow: /old/\n");
/// let analysis = Analysis::new(&robots, "ExampleBot");
/// // URLs with their weights: here, numbers of requests.
/// let coverage = analysis.coverage([
///     ("https://shop.example/", 20),
///     ("https://shop.example/cart", 5),
///     ("https://shop.example/cart?item=1", 3),
///     ("https://shop.example/help/returns", 7),
///     ("https://shop.example/help/sizes", 4),
/// ]);
/// assert_eq!((coverage.allowed().urls, coverage.disallowed().weight), (3, 8));
/// let unused = coverage.rules().find(|(_, count)| count.urls == 0).expect("a rule");
/// assert_eq!(unused.0.to_string(), "Disallow: /old/");
/// // No rule mentions this path.
/// let unmentioned = coverage.unmentioned_prefixes();
/// assert_eq!((&*unmentioned[0].prefix, unmentioned[0].count.weight), (&b"/help/"[..], 11));
/// ```
#[derive(Clone, Debug)]
pub struct Coverage<'a, 'r> {
    analysis: &'a Analysis<'r>,
    /// For each rule.
    rules: Vec<Count>,
    robots_txt: Count,
    no_rule: Count,
    not_urls: Count,
    disallowed: Count,
    prefixes: Prefixes,
}

/// A beginning of paths that no rule mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmentionedPrefix {
    /// The beginning, as in the URLs: it ends with `/` or `?`.
    pub prefix: Vec<u8>,
    /// The URLs that begin with it, at least.
    pub count: Count,
}

impl<'r> Analysis<'r> {
    /// Counts URLs, each with a weight, by the rules that decide them.
    ///
    /// # Complexity
    ///
    /// One check for each URL; bounded memory.
    pub fn coverage<U: AsRef<[u8]>>(
        &self,
        urls: impl IntoIterator<Item = (U, u64)>,
    ) -> Coverage<'_, 'r> {
        let mut coverage = Coverage {
            analysis: self,
            rules: vec![Count::default(); self.rules.len()],
            robots_txt: Count::default(),
            no_rule: Count::default(),
            not_urls: Count::default(),
            disallowed: Count::default(),
            prefixes: Prefixes::default(),
        };
        for (url, weight) in urls {
            coverage.add(&url, weight);
        }
        coverage
    }
}

impl<'r> Coverage<'_, 'r> {
    /// Counts one more URL, or a path that begins with `/`.
    pub fn add<U: AsRef<[u8]> + ?Sized>(&mut self, url: &U, weight: u64) {
        let url = url.as_ref();
        let dialect = self.analysis.robots.dialect();
        if !dialect.reads_url(url) {
            self.not_urls.add(weight);
            return;
        }
        // A single check cannot spend a whole budget, unless the URL has gigabytes.
        let decider = self.analysis.policy.decider(url, &mut Budget::default());
        let decider = decider.unwrap_or(Decider::NoRule);
        match decider {
            Decider::Rule(rule) => self.rules[rule as usize].add(weight),
            Decider::RobotsTxt => self.robots_txt.add(weight),
            Decider::NoRule => self.no_rule.add(weight),
        }
        if !self.analysis.order.allows(decider) {
            self.disallowed.add(weight);
        }
        self.prefixes.add(url, weight);
    }

    /// The rules that the crawler obeys, in file order, with the URLs that each decides.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (Rule<'r>, Count)> {
        self.analysis.rules.iter().copied().zip(self.rules.iter().copied())
    }

    /// URLs that are allowed because no rule matches or applies.
    pub const fn no_rule(&self) -> Count {
        self.no_rule
    }

    /// URLs of the robots.txt itself, where it is always allowed.
    pub const fn robots_txt(&self) -> Count {
        self.robots_txt
    }

    /// Texts that are neither a URL nor a path. They count nowhere else.
    pub const fn not_urls(&self) -> Count {
        self.not_urls
    }

    /// Allowed URLs.
    pub fn allowed(&self) -> Count {
        self.total().without(self.disallowed)
    }

    /// Disallowed URLs.
    pub const fn disallowed(&self) -> Count {
        self.disallowed
    }

    /// All URLs.
    pub fn total(&self) -> Count {
        let others = self.no_rule.and(self.robots_txt);
        self.rules.iter().fold(others, |total, count| total.and(*count))
    }

    /// Beginnings of paths that no rule mentions, those with the highest weight first.
    ///
    /// A rule mentions a path if its pattern begins with the path or with a part of it, not
    /// counting `/` alone and up to the first `*`: `/help/faq*` mentions `/help/`, `/*.pdf` and `/`
    /// mention no path. Of several nested beginnings only the shortest is listed.
    ///
    /// Beginnings of up to three segments are counted. If there are more than 65,536, or they take
    /// too much memory, rare ones are forgotten and numbers are too low.
    ///
    /// # Complexity
    ///
    /// O(n log n) in the number of different beginnings.
    pub fn unmentioned_prefixes(&self) -> Vec<UnmentionedPrefix> {
        let analysis = self.analysis;
        let is_mentioned = |prefix: &[u8]| analysis.mentions(prefix);
        let mut found: Vec<UnmentionedPrefix> = self
            .prefixes
            .shortest(is_mentioned)
            .into_iter()
            .map(|(prefix, count)| UnmentionedPrefix { prefix, count })
            .collect();
        found.sort_by(|left, right| {
            right.count.weight.cmp(&left.count.weight).then_with(|| left.prefix.cmp(&right.prefix))
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Dialect;

    const TEXT: &str =
        "User-agent: *\nDisallow: /a/x\nAllow: /a/x/y\nDisallow: /*.pdf\nDisallow: /%7Eb\n";

    #[test]
    fn urls_are_counted_by_their_deciding_rules() {
        let robots = Dialect::RFC9309.parse(TEXT);
        let analysis = Analysis::new(&robots, "x");
        let urls = ["/a/x", "/a/x/y", "/a/x/y.pdf", "/q", "/robots.txt", "https://h/a.pdf", "h/x"];
        let coverage = analysis.coverage(urls.map(|url| (url, 10)));
        let counts: Vec<u64> = coverage.rules().map(|(_, count)| count.urls).collect();
        // `Allow: /a/x/y` is as long as `Disallow: /*.pdf`.
        assert_eq!(counts, [1, 2, 1, 0]);
        let count = |urls: u64| Count { urls, weight: 10 * urls };
        assert_eq!((coverage.no_rule(), coverage.robots_txt()), (count(1), count(1)));
        assert_eq!((coverage.not_urls(), coverage.total()), (count(1), count(6)));
        assert_eq!((coverage.allowed(), coverage.disallowed()), (count(4), count(2)));
    }

    #[test]
    fn only_paths_without_a_rule_are_unmentioned() {
        let robots = Dialect::RFC9309.parse(TEXT);
        let analysis = Analysis::new(&robots, "x");
        let urls =
            ["/a/x", "/a/b/c", "/a/b/d", "/b/", "/b/c/d", "/~b/c/", "/%7Ebc/", "/?q", "/s?q"];
        let coverage = analysis.coverage(urls.map(|url| (url, 1)));
        let found: Vec<String> = coverage
            .unmentioned_prefixes()
            .iter()
            .map(|it| format!("{} {}", String::from_utf8_lossy(&it.prefix), it.count.urls))
            .collect();
        assert_eq!(found, ["/a/b/ 2", "/b/ 2", "/? 1", "/s? 1"]);
    }
}
