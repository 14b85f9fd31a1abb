//! Two sites that fail: one whose file was fetched before, and one that never served its file.

use crate::outage::crawler::{Crawler, DAY};
use crate::outage::profiles::{Answer, Row};
use crate::outage::site::{Serves, Site};

/// The two sites.
pub(crate) struct Pair {
    known: Site,
    unknown: Site,
}

impl Pair {
    pub(crate) fn start() -> Self {
        Self { known: Site::start(), unknown: Site::start() }
    }

    /// A crawler that fetched the file of the first site at time 0. From then on both sites fail.
    pub(crate) fn crawler(&mut self, row: &Row, known: Serves, unknown: Serves) -> Crawler {
        let crawler = Crawler::new();
        self.known.serves(Serves::File);
        assert_eq!(crawler.ask(0, row.name, &self.known.origin), Answer::Rules);
        self.known.serves(known);
        self.unknown.serves(unknown);
        crawler
    }

    /// Checks both sites in one run. The argument of `expected` is the age of the copy in days.
    #[track_caller]
    pub(crate) fn expect(
        &self,
        crawler: &Crawler,
        row: &Row,
        at: u64,
        expected: impl Fn(Option<u64>) -> Answer,
    ) {
        let found = crawler.ask_all(at, row.name, self.origins());
        let expected = [expected(Some(at / DAY)), expected(None)];
        assert_eq!(found, expected, "{}, with and without a copy, {at} s", row.name);
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> usize {
        self.known.requests() + self.unknown.requests()
    }

    pub(crate) fn origins(&self) -> [&str; 2] {
        [&self.known.origin, &self.unknown.origin]
    }
}
