//! Lists of directives: the value of a header line, the content of a meta element.
//!
//! Items are separated by commas (REP-PAGE-2), with two complications: a header line may name
//! agents (REP-PAGE-11), and a date may contain a comma (REP-PAGE-13).

use std::ops::Range;

use crate::date;
use crate::directive::{
    Directive, ParsedDirective, UNAVAILABLE_AFTER, has_no_commas, plain, takes_value,
};

/// Whether `agent:` is allowed before items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentPrefixes {
    /// In a header line.
    Allowed,
    /// In a meta element, whose name is its crawler.
    None,
}

/// A non-empty item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// The agent of its prefix.
    pub(crate) agent: Option<&'a [u8]>,
    /// As written, without the prefix.
    pub(crate) text: &'a [u8],
    pub(crate) parsed: ParsedDirective,
}

/// The items of a list.
///
/// Linear: every byte is read a fixed number of times.
pub(crate) struct Items<'a> {
    list: &'a [u8],
    /// Start of the next item; after the end if there is none.
    at: usize,
    prefixes: AgentPrefixes,
    agent: Option<&'a [u8]>,
}

impl<'a> Items<'a> {
    pub(crate) fn new(list: &'a [u8], prefixes: AgentPrefixes) -> Self {
        Self { list, at: 0, prefixes, agent: None }
    }

    /// The end of the item that begins here.
    fn end(&self, start: usize) -> usize {
        let rest = self.list.get(start..).unwrap_or_default();
        start + rest.iter().position(|&octet| octet == b',').unwrap_or(rest.len())
    }

    /// The range without white space at its ends.
    fn trimmed(&self, place: Range<usize>) -> Range<usize> {
        let text = &self.list[place.clone()];
        let start = place.end - text.trim_ascii_start().len();
        start..start + text.trim_ascii().len()
    }

    /// The text before the first colon of a range, and the range after it.
    fn at_colon(&self, place: Range<usize>) -> Option<(&'a [u8], Range<usize>)> {
        let colon = self.list[place.clone()].iter().position(|&octet| octet == b':')?;
        let colon = place.start + colon;
        let head = &self.list[self.trimmed(place.start..colon)];
        Some((head, self.trimmed(colon + 1..place.end)))
    }

    /// Removes `agent:` from the start of an item (REP-PAGE-11). In the middle of a list it begins
    /// another scope (REP-PAGE-14), which includes the following items (REP-AMB-59).
    fn take_prefixes(&mut self, mut place: Range<usize>) -> Range<usize> {
        while let Some((head, rest)) = self.at_colon(place.clone()) {
            // REP-PAGE-13: after a date, the colon can be that of its time.
            if date::has_time(&self.list[place.clone()]) {
                break;
            }
            // REP-PAGE-12: a directive is not an agent, also if it takes no value.
            if takes_value(head) || has_no_commas(head) || plain(head).is_some() {
                break;
            }
            // An empty name means every crawler, as do `*` in the Robots-Tag draft (REP-PAGE-30)
            // and `robots` in meta elements.
            let is_everybody =
                head.is_empty() || head == b"*" || head.eq_ignore_ascii_case(b"robots");
            self.agent = (!is_everybody).then_some(head);
            place = rest;
        }
        place
    }

    /// REP-PAGE-13: the range of a date, with the parts after its commas.
    fn whole_date(&mut self, mut date: Range<usize>, mut end: usize) -> Range<usize> {
        while end < self.list.len() {
            let next = self.end(end + 1);
            let joined = self.trimmed(date.start..next);
            let is_date = |place: &Range<usize>| date::parse(&self.list[place.clone()]).is_some();
            // The rest of an invalid date belongs to it.
            let is_rest = || !is_date(&date) && date::is_rest(&self.list[end + 1..next]);
            if !is_date(&joined) && !is_rest() {
                break;
            }
            (date, end) = (joined, next);
            self.at = end + 1;
        }
        date
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        while self.at <= self.list.len() {
            let end = self.end(self.at);
            let mut place = self.trimmed(self.at..end);
            self.at = end + 1;
            if self.prefixes == AgentPrefixes::Allowed {
                place = self.take_prefixes(place);
            }
            // REP-PAGE-2: empty items are skipped.
            if place.is_empty() {
                continue;
            }
            let (name, value) = match self.at_colon(place.clone()) {
                None => (&self.list[place.clone()], None),
                Some((name, value)) => (name, Some(value)),
            };
            let value = value.map(|mut value| {
                if name.eq_ignore_ascii_case(UNAVAILABLE_AFTER) {
                    value = self.whole_date(value, end);
                    place.end = value.end.max(place.end);
                }
                &self.list[value]
            });
            let parsed = Directive::read(name, value);
            return Some(Item { agent: self.agent, text: &self.list[place], parsed });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::UNKNOWN;

    /// Agent, text and, for a directive, its written form.
    fn shown(item: Item<'_>) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let agent = item.agent.map(|agent| format!("{}: ", text(agent))).unwrap_or_default();
        match item.parsed {
            Ok(directive) => format!("{agent}{directive}"),
            Err(UNKNOWN) => format!("{agent}unknown {}", text(item.text)),
            Err(_) => format!("{agent}invalid {}", text(item.text)),
        }
    }

    #[track_caller]
    fn check(prefixes: AgentPrefixes, list: &str, expected: &[&str]) {
        let found: Vec<String> = Items::new(list.as_bytes(), prefixes).map(shown).collect();
        assert_eq!(found, expected, "{list}");
    }

    #[test]
    fn items_are_separated_by_commas_and_empty_ones_are_skipped() {
        for prefixes in [AgentPrefixes::Allowed, AgentPrefixes::None] {
            check(prefixes, " , NoIndex ,,\tnofollow", &["noindex", "nofollow"]);
            check(prefixes, "", &[]);
            check(prefixes, ",,,", &[]);
            check(prefixes, "noindex nofollow, a", &["invalid noindex nofollow", "unknown a"]);
            let others = ["noindex; nofollow", "none;", "noindex; max-snippet: 20", "all|index"];
            for list in others {
                check(prefixes, &format!("{list}, all"), &[&format!("invalid {list}"), "all"]);
            }
            check(prefixes, "noindex; x, all users", &["unknown noindex; x", "unknown all users"]);
        }
    }

    #[test]
    fn prefixes_begin_scopes_in_header_lines_only() {
        let list = "noindex, Googlebot : nofollow, none, otherbot: max-snippet: 5";
        check(
            AgentPrefixes::Allowed,
            list,
            &["noindex", "Googlebot: nofollow", "Googlebot: none", "otherbot: max-snippet:5"],
        );
        check(AgentPrefixes::None, "googlebot: noindex", &["unknown googlebot: noindex"]);
        check(AgentPrefixes::Allowed, "a: b: noindex", &["b: noindex"]);
        check(AgentPrefixes::Allowed, "a:, noindex", &["a: noindex"]);
        for everybody in ["*", "", "ROBOTS"] {
            check(
                AgentPrefixes::Allowed,
                &format!("a: all, {everybody}: noindex"),
                &["a: all", "noindex"],
            );
        }
    }

    #[test]
    fn directives_with_values_are_not_agents() {
        check(AgentPrefixes::Allowed, "max-snippet: 20", &["max-snippet:20"]);
        check(AgentPrefixes::Allowed, "max-new: 20, noindex", &["unknown max-new: 20", "noindex"]);
        for list in ["noindex: true", "NoAI:1", "noindex:", "noindex : noai"] {
            check(
                AgentPrefixes::Allowed,
                &format!("{list}, all"),
                &[&format!("invalid {list}"), "all"],
            );
        }
    }

    #[test]
    fn dates_contain_commas_and_colons() {
        let date = "unavailable_after:2010-06-25T15:00:00Z";
        for list in [
            "unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, noindex",
            "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT , noindex",
            "unavailable_after: Fri Jun 25 15:00:00 2010, noindex",
            "unavailable_after:2010-06-25T15:00:00Z,noindex",
            "unavailable_after: Fri, 25 Jun 2010, 15:00, GMT, noindex",
        ] {
            for prefixes in [AgentPrefixes::Allowed, AgentPrefixes::None] {
                check(prefixes, list, &[date, "noindex"]);
            }
        }
        check(
            AgentPrefixes::Allowed,
            "a: unavailable_after: 2010-06-25",
            &["a: unavailable_after:2010-06-25T00:00:00Z"],
        );
    }

    #[test]
    fn a_bad_date_does_not_affect_the_next_item() {
        check(
            AgentPrefixes::Allowed,
            "unavailable_after: Fri, 31 Feb 2010 15:00:00 GMT, noindex",
            &["invalid unavailable_after: Fri, 31 Feb 2010 15:00:00 GMT", "noindex"],
        );
        check(
            AgentPrefixes::Allowed,
            "unavailable_after: junk, noindex",
            &["invalid unavailable_after: junk", "noindex"],
        );
        check(AgentPrefixes::Allowed, "unavailable_after:", &["invalid unavailable_after:"]);
        for prefixes in [AgentPrefixes::Allowed, AgentPrefixes::None] {
            for date in [
                "Fri",
                "Friday, 25-Jun-10 15:00:00 XYZ",
                "Fri, Jun 25, 2010 15:00:00",
                "June 25th, 2010, 15:00 XYZ",
            ] {
                let date = format!("unavailable_after: {date}");
                let expected = format!("invalid {date}");
                check(prefixes, &date, &[&expected]);
                for next in ["noindex", "max-snippet:20"] {
                    check(prefixes, &format!("{date}, {next}"), &[&expected, next]);
                }
            }
        }
        // A date that is valid without the time after it.
        for (date, time) in [
            ("2010-06-25", "3:00 PM"),
            ("25 Jun 2010", "15:00 XYZ"),
            ("2010-06-25", "at 15:00"),
            ("2010-06-25", "T15:00:00Z"),
            ("25 Jun 2010", "3 PM, GMT+02:00"),
        ] {
            let mut expected = vec!["unavailable_after:2010-06-25T00:00:00Z".to_owned()];
            expected.extend(time.split(", ").map(|part| format!("unknown {part}")));
            expected.push("noindex".to_owned());
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            for prefixes in [AgentPrefixes::Allowed, AgentPrefixes::None] {
                check(prefixes, &format!("unavailable_after: {date}, {time}, noindex"), &expected);
            }
        }
        check(
            AgentPrefixes::Allowed,
            "unavailable_after: soon, at 15:00, a: noindex",
            &["invalid unavailable_after: soon", "unknown at 15:00", "a: noindex"],
        );
        for agent in ["googlebot", "360Spider", "May"] {
            check(
                AgentPrefixes::Allowed,
                &format!("unavailable_after: Friday, {agent}: noindex"),
                &["invalid unavailable_after: Friday", &format!("{agent}: noindex")],
            );
        }
    }
}
