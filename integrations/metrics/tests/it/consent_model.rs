//! The engine's restrictions against a naive model: verdicts for many URLs of each file.

use std::collections::BTreeSet;

use verger::{AsCrawler, Dialect, Robots};
use verger_analysis::unnamed_crawler;
use verger_metrics::{Consent, Restriction};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::shared::{Lacking, say, skip_loudly};

#[test]
fn restrictions_are_those_that_verdicts_show() {
    let Some(files) = corpus().expect("the archive is sound") else {
        let why = format!("../shared/{CORPUS} is not there");
        return skip_loudly("restrictions on real files", Lacking::Data, &why);
    };
    let (mut agents, mut undecided) = (0, 0);
    for (site, body) in &files {
        let consent = Consent::of(body, Dialect::RFC9309);
        let robots = Dialect::RFC9309.parse(body);
        let urls = urls(&robots);
        let unnamed = unnamed_crawler(&[&robots]);
        let mut seen = BTreeSet::new();
        let mut check = |found: Option<Restriction>, naive: Restriction, agent: &str| match found {
            Some(found) => {
                assert_eq!(found, naive, "{site}: {agent}");
                agents += 1;
                seen.insert(found);
            }
            None => undecided += 1,
        };
        check(consent.star, naive(&robots, &unnamed, &urls), "*");
        for (agent, restriction) in &consent.agents {
            check(*restriction, naive(&robots, &**agent, &urls), agent);
        }
        if let Some(all) = consent.all_agents {
            let expected = match seen.iter().copied().collect::<Vec<_>>()[..] {
                [one] => one,
                _ => Restriction::Some,
            };
            assert_eq!(all, expected, "{site}: all agents");
        }
    }
    assert!(undecided * 1_000 < agents, "{undecided} of {agents} undecided");
    say(&format!("consent: {agents} agents of {} files: 0 differences", files.len()));
}

/// URLs that the rules of a file are about, and some that they are not.
fn urls(robots: &Robots) -> Vec<String> {
    let mut urls: BTreeSet<String> = ["/", "/~", "/~/~?~"].map(str::to_owned).into();
    for rule in robots.groups().flat_map(|group| group.rules()) {
        let Ok(pattern) = str::from_utf8(rule.pattern()) else { continue };
        let pattern = pattern.trim_end_matches('$').trim_start_matches('*');
        let pattern =
            if pattern.starts_with('/') { pattern.to_owned() } else { format!("/{pattern}") };
        for star in ["", "~/~"] {
            let url = pattern.replace('*', star);
            urls.extend([format!("{url}~"), url]);
        }
    }
    urls.into_iter().collect()
}

fn naive<C: AsCrawler + ?Sized>(robots: &Robots, crawler: &C, urls: &[String]) -> Restriction {
    let (mut allowed, mut disallowed) = (false, false);
    for url in urls {
        // Always allowed, and no part of the site.
        if url == "/robots.txt" {
            continue;
        }
        if robots.is_allowed(crawler, url) {
            allowed = true;
        } else {
            disallowed = true;
        }
        if allowed && disallowed {
            return Restriction::Some;
        }
    }
    if disallowed { Restriction::All } else { Restriction::None }
}
