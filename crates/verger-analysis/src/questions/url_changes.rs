//! Given URLs whose answers differ between two policies.

use crate::limits::LISTED_URL_BYTES;
use crate::questions::analysis::Analysis;
use crate::questions::compare::Direction;
use crate::questions::count::Count;
use crate::questions::frequent::Frequent;

/// Numbers of given URLs whose answers differ between two policies, for instance of a sitemap or of
/// an access log.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Analysis, Direction, UrlChanges};
///
/// let before = Robots::parse("User-agent: *\nDisallow: /cart\n");
/// let after = Robots::parse("User-agent: *\nDisallow: /cart/\nDisallow: /old/\n");
/// let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "ExampleBot"));
/// let mut changes = UrlChanges::new(&before, &after);
/// // URLs with their weights: here, numbers of requests.
/// for (url, requests) in [("/cart", 20), ("/cart/1", 5), ("/old/a", 7), ("/old/b", 1), ("/", 50)] {
///     changes.add(url, requests);
/// }
/// assert_eq!((changes.opened().weight, changes.closed().weight, changes.total().urls), (20, 8, 5));
/// let top = changes.top(1);
/// assert_eq!((top[0].url.as_slice(), top[0].direction), (&b"/cart"[..], Direction::Opened));
/// ```
#[derive(Clone, Debug)]
pub struct UrlChanges<'x, 'b, 'a> {
    before: &'x Analysis<'b>,
    after: &'x Analysis<'a>,
    opened: Count,
    closed: Count,
    unchanged: Count,
    not_urls: Count,
    opened_urls: Frequent,
    closed_urls: Frequent,
}

/// A given URL whose answer changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedUrl {
    /// The URL, as it was given.
    pub url: Vec<u8>,
    /// The change.
    pub direction: Direction,
    /// How often it was given, at least.
    pub count: Count,
}

impl<'x, 'b, 'a> UrlChanges<'x, 'b, 'a> {
    /// Counts of no URL yet, for two policies.
    pub fn new(before: &'x Analysis<'b>, after: &'x Analysis<'a>) -> Self {
        let [opened, closed, unchanged, not_urls] = [Count::default(); 4];
        let (opened_urls, closed_urls) = (Frequent::default(), Frequent::default());
        Self { before, after, opened, closed, unchanged, not_urls, opened_urls, closed_urls }
    }

    /// Forgets all single URLs, and sets the memory for those to come, in bytes for both
    /// directions; the default is 32 MiB. With less, rare URLs are forgotten earlier; all are
    /// counted.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::{Analysis, UrlChanges};
    ///
    /// let (open, closed) = (Robots::parse(""), Robots::parse("User-agent: *\nDisallow: /\n"));
    /// let [before, after] = [&open, &closed].map(|robots| Analysis::new(robots, "ExampleBot"));
    /// let mut changes = UrlChanges::new(&before, &after).with_list_bytes(0);
    /// changes.add("/a", 1);
    /// assert_eq!((changes.closed().urls, changes.top(9).len()), (1, 0));
    /// ```
    #[must_use]
    pub fn with_list_bytes(mut self, bytes: usize) -> Self {
        for urls in [&mut self.opened_urls, &mut self.closed_urls] {
            *urls = Frequent::within(bytes / 2);
        }
        self
    }

    /// Counts one more URL, or a path that begins with `/`.
    ///
    /// # Complexity
    ///
    /// Two checks.
    pub fn add<U: AsRef<[u8]> + ?Sized>(&mut self, url: &U, weight: u64) {
        let url = url.as_ref();
        let is_url = |side: &Analysis<'_>| side.robots().dialect().reads_url(url);
        if !is_url(self.before) || !is_url(self.after) {
            return self.not_urls.add(weight);
        }
        let (count, urls) = match (self.before.policy.allows(url), self.after.policy.allows(url)) {
            (false, true) => (&mut self.opened, &mut self.opened_urls),
            (true, false) => (&mut self.closed, &mut self.closed_urls),
            _ => return self.unchanged.add(weight),
        };
        count.add(weight);
        if url.len() <= LISTED_URL_BYTES {
            urls.add(url, weight);
        }
    }

    /// URLs that were disallowed and are allowed.
    pub const fn opened(&self) -> Count {
        self.opened
    }

    /// URLs that were allowed and are disallowed.
    pub const fn closed(&self) -> Count {
        self.closed
    }

    /// Texts that are neither a URL nor a path, in one of the dialects. They count nowhere else.
    pub const fn not_urls(&self) -> Count {
        self.not_urls
    }

    /// All URLs.
    pub fn total(&self) -> Count {
        self.opened.and(self.closed).and(self.unchanged)
    }

    /// The changed URLs with the highest weights, the highest first, at most this number.
    ///
    /// If there are more than 65,536 different URLs, or they take too much memory, rare ones are
    /// forgotten and numbers are too low.
    pub fn top(&self, number: usize) -> Vec<ChangedUrl> {
        let directions =
            [(Direction::Opened, &self.opened_urls), (Direction::Closed, &self.closed_urls)];
        let listed = directions.into_iter().flat_map(|(direction, urls)| {
            let changed = move |(url, count): (&Vec<u8>, &Count)| ChangedUrl {
                url: url.clone(),
                direction,
                count: *count,
            };
            urls.top(number).into_iter().map(changed)
        });
        let mut top: Vec<ChangedUrl> = listed.collect();
        top.sort_by(|left, right| {
            right.count.weight.cmp(&left.count.weight).then_with(|| left.url.cmp(&right.url))
        });
        top.truncate(number);
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Robots;

    #[test]
    fn repeated_urls_are_listed_once_and_long_ones_are_only_counted() {
        let (before, after) = (Robots::parse(""), Robots::parse("User-agent: *\nDisallow: /\n"));
        let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "x"));
        let mut changes = UrlChanges::new(&before, &after);
        let long = format!("/{}", "a".repeat(LISTED_URL_BYTES));
        for url in ["/a", "/b", "/b", &long, "a", "/robots.txt"] {
            changes.add(url, 3);
        }
        assert_eq!(changes.closed(), Count { urls: 4, weight: 12 });
        assert_eq!((changes.not_urls().urls, changes.total().urls), (1, 5));
        let top: Vec<(Vec<u8>, u64)> =
            changes.top(9).into_iter().map(|it| (it.url, it.count.weight)).collect();
        assert_eq!(top, [(b"/b".to_vec(), 6), (b"/a".to_vec(), 3)]);
        assert_eq!(changes.top(1).len(), 1);
    }
}
