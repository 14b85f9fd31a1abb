//! Long outages, by the table of `docs/access.md` (REP-CACHE-10 to REP-CACHE-14, REP-CACHE-25).

use crate::outage::crawler::{Crawler, DAY, can_run, daily};
use crate::outage::profiles::{Answer, PROFILES};
use crate::outage::site::{Serves, Site};

#[test]
#[ignore = "thorough suite"]
fn daily_failures_follow_the_table_of_the_profile() {
    if !can_run("daily failures") {
        return;
    }
    let (mut known, mut unknown) = (Site::start(), Site::start());
    for row in &PROFILES {
        let crawler = Crawler::new();
        known.serves(Serves::File);
        assert_eq!(crawler.ask(0, row.name, &known.origin), Answer::Rules);
        known.serves(Serves::Nothing);
        unknown.serves(Serves::Status(503));
        let before = unknown.requests();
        for visit in 0..=31 {
            let at = daily(visit);
            let found = crawler.ask_all(at, row.name, [&known.origin, &unknown.origin]);
            let expected = [Some(at / DAY), None].map(|copy_age| row.after_days(copy_age, visit));
            assert_eq!(found, expected, "{}, with and without a copy, {at} s", row.name);
        }
        assert_eq!(unknown.requests() - before, 32, "{}", row.name);
    }
}
