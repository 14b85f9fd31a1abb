//! Claims of a letter to an operator.

use crate::audit::{CLOSED, dated, evidence, log};

#[test]
fn a_letter_names_the_lifetime_that_was_used() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let visits = [(3, 2, "/"), (4, 1, "/"), (5, 0, "/"), (5, 2, "/private/a")];
    let late = log(&[&[(2, 3, "/robots.txt")], &visits[..]].concat());
    assert!(evidence(&late, &history, &[], "GPTBot").is_err(), "the copy is too old");
    let [_, letter, _] = evidence(&late, &history, &["--lifetime", "7d"], "GPTBot").unwrap();
    assert!(letter.contains("for 168 hours, by RFC 9309"), "{letter}");
    let short = log(&[(2, 3, "/robots.txt"), (2, 4, "/private/a")]);
    let [_, letter, _] = evidence(&short, &history, &["--lifetime", "90m"], "GPTBot").unwrap();
    assert!(letter.contains("for 90 minutes, by RFC 9309"), "{letter}");
    let early = log(&[(2, 3, "/robots.txt"), (3, 2, "/private/a")]);
    let [_, letter, _] = evidence(&early, &history, &[], "GPTBot").unwrap();
    assert!(letter.contains("for 24 hours, by RFC 9309"), "{letter}");
}

#[test]
fn a_letter_names_the_crawler_that_fetched_the_rules() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let visits = log(&[(3, 2, "/"), (3, 20, "/"), (4, 3, "/robots.txt"), (4, 4, "/private/a")]);
    let [_, letter, _] = evidence(&visits, &history, &[], "GPTBot").unwrap();
    assert!(letter.contains("Before it, GPTBot had received the rule"), "{letter}");
    assert!(!letter.contains("no copy of its own"), "{letter}");
    // The last request is one of another crawler of the operator, which documents that they share
    // copies.
    let visits = visits.replace("GPTBot/1.2", "Googlebot/2.1").replace("20.171.206.10", GOOGLE);
    let (before, last) = visits.split_at(visits.rfind(GOOGLE).unwrap());
    let last = last.replace("Googlebot/2.1", "Googlebot-Image/1.0");
    let visits = before.to_owned() + &last;
    let [_, letter, _] = evidence(&visits, &history, &[], "Googlebot-Image").unwrap();
    for part in [
        "Before it, another crawler of the same operator had received the rule",
        "For 1 request, Googlebot had fetched it, and Googlebot-Image had no copy of its own in force.",
    ] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
}

#[test]
fn evidence_has_the_fetch_that_the_crawler_itself_renewed() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let [own, other, renewal, visit] =
        [(3, "/robots.txt"), (4, "/robots.txt"), (5, "/robots.txt"), (6, "/private/a")]
            .map(|(hour, path)| log(&[(3, hour, path)]));
    let other = other.replace("GPTBot/1.2", "OAI-SearchBot/1.0").replace("171.206.10", "42.10.180");
    let visits = [own, other, renewal.replace(" 200 35 ", " 304 0 "), visit].concat();
    let [fetches, ..] = evidence(&visits, &history, &[], "GPTBot").unwrap();
    let lines: Vec<_> = fetches.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("GPTBot")), "{fetches}");
}

#[test]
fn evidence_says_for_which_times_a_copy_of_a_list_is_the_proof() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let visits = log(&[(3, 3, "/robots.txt"), (3, 4, "/private/a")]);
    let all = visits.clone() + &visits.replace("Sep", "Nov") + &visits.replace("03/Sep", "14/Nov");
    let [_, _, proofs] = evidence(&all, &history, &[], "GPTBot").unwrap();
    let lines: Vec<_> = proofs.lines().filter(|line| line.contains("requests")).collect();
    let expected = [
        "20.171.206.x, requests from 2026-09-03T03:00:00Z to 2026-09-03T04:00:00Z",
        "20.171.206.x, requests from 2026-11-03T03:00:00Z to 2026-11-14T04:00:00Z",
    ];
    assert_eq!(lines, expected, "{proofs}");
    assert!(proofs.contains(" (copy of 2026-") && proofs.contains(" (outdated copy of 2026-"));
}

/// An address of Google's crawlers.
const GOOGLE: &str = "66.249.66.1";
