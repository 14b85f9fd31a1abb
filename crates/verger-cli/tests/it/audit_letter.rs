//! What a letter to an operator claims.

use crate::audit::{CLOSED, dated, evidence, log};

#[test]
fn a_letter_names_the_lifetime_that_was_used() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let log = log(&[(2, 3, "/robots.txt"), (5, 2, "/private/a")]);
    assert!(evidence(&log, &history, &[], "GPTBot").is_err(), "the copy is too old");
    let [_, letter] = evidence(&log, &history, &["--lifetime", "7d"], "GPTBot").unwrap();
    assert!(letter.contains("for 7 days, which the owner of the site chose (RFC"), "{letter}");
    let log = log.replace("05/Sep", "03/Sep");
    let [_, letter] = evidence(&log, &history, &[], "GPTBot").unwrap();
    assert!(letter.contains("for 24 hours, which RFC 9309 permits"), "{letter}");
}

#[test]
fn a_letter_names_the_crawler_that_fetched_the_rules() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let visits = log(&[(1, 3, "/"), (4, 3, "/robots.txt"), (4, 4, "/private/a")]);
    let [_, letter] = evidence(&visits, &history, &[], "GPTBot").unwrap();
    assert!(letter.contains("Before it, it had received the rule"), "{letter}");
    assert!(!letter.contains("no copy of its own"), "{letter}");
    // The last request is one of another crawler of the operator.
    let (before, last) = visits.split_at(visits.rfind("20.171.206.10").unwrap());
    let last = last.replace("GPTBot/1.2", "OAI-SearchBot/1.0").replace("20.171.206.10", SEARCH);
    let [_, letter] =
        evidence(&(before.to_owned() + &last), &history, &[], "OAI-SearchBot").unwrap();
    for part in [
        "Before it, another crawler of its operator had received the rule",
        "For 1 request, GPTBot had fetched it, and OAI-SearchBot had no copy of its own in force.",
    ] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
}

/// An address of `OAI-SearchBot`.
const SEARCH: &str = "20.42.10.177";
