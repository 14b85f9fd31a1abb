//! Findings that claim to be proved, checked by the engine on the corpus and on generated files: a
//! line without effect can be removed, and a URL shows what the finding says.
//!
//! `VERGER_CASES` multiplies the number of generated files.

use std::collections::BTreeSet;

use verger::{Crawler, Dialect, Robots, Span, Untrusted};
use verger_analysis::unnamed_crawler;
use verger_lint::{Finding, Settings, lint};
use verger_registry::Registry;
use verger_testkit::corpus::corpus;
use verger_testkit::generate::{case, cases, is_thorough, url_for};
use verger_testkit::parallel::map;
use verger_testkit::shared::say;

/// Number of findings of each rule that are checked in a file.
const SAMPLE: usize = 12;

/// Every third file of the corpus is checked by the thorough suite, every 36th by the default one.
/// All of them take a minute.
const FILES: [usize; 2] = [3, 36];

#[test]
fn findings_hold() {
    let mut settings = Settings::default();
    let rules =
        ["dead-rule", "redundant-rule", "group-drops-star", "group-opens-all", "other-reading"];
    settings.select = rules.map(str::to_owned).into();
    settings.portable = Dialect::PUBLISHED.to_vec();
    let files = corpus()
        .unwrap()
        .unwrap_or_default()
        .into_values()
        .step_by(FILES[usize::from(!is_thorough())]);
    let generated = (0..cases(80)).map(|index| case(41, index).robots);
    let texts: Vec<Vec<u8>> = files.chain(generated).collect();
    let shares = map(&texts, |text| {
        let mut checked = [0; 5];
        check_findings(text, &settings, &mut checked);
        checked
    });
    let checked: Vec<usize> = (0..5).map(|at| shares.iter().map(|it| it[at]).sum()).collect();
    say(&format!("checked findings of {:?}: {checked:?}", settings.select));
    assert!(checked.iter().all(|count| *count > 0), "{checked:?}");
}

/// Checks a sample of the findings of a file, and counts them by rule.
fn check_findings(text: &[u8], settings: &Settings, checked: &mut [usize; 5]) {
    let report = lint(text, settings);
    // Spans of a decoded or cut text are not those of the file.
    if report.text != text {
        return;
    }
    let robots = Robots::parse(text);
    for (at, code) in settings.select.iter().enumerate() {
        let findings: Vec<_> =
            report.findings.iter().filter(|finding| finding.rule.code == code).collect();
        let step = findings.len().div_ceil(SAMPLE).max(1);
        for finding in findings.into_iter().step_by(step) {
            match at {
                0 | 1 => {
                    let spans: Vec<_> = superfluous(finding).take(SAMPLE).collect();
                    assert!(!spans.is_empty(), "{}", finding.message);
                    for span in spans {
                        line_can_be_removed(text, &robots, (span, &finding.message));
                    }
                }
                2 | 3 => crawler_may_do_more(text, &robots, finding),
                _ => dialects_differ(text, &robots, finding),
            }
            checked[at] += 1;
        }
    }
}

/// The crawlers that a file names, and an unnamed one.
fn crawlers(robots: &Robots) -> Vec<Crawler> {
    let agents = robots.groups().flat_map(|group| group.agents());
    let names: BTreeSet<String> = agents
        .filter(|agent| !agent.is_star())
        .filter_map(|agent| String::from_utf8(agent.name().to_ascii_lowercase()).ok())
        .collect();
    names.into_iter().chain(["unnamed-crawler".to_owned()]).map(Crawler::new).collect()
}

/// The places of the superfluous rules: that of the finding, unless it is that of `Disallow: /`,
/// and those that were gathered with it.
fn superfluous(finding: &Finding) -> impl Iterator<Item = Span> {
    let labelled = |text| finding.labels.iter().filter(move |label| label.text == text);
    let by_closing = labelled("changes nothing");
    let main = by_closing.clone().next().is_none().then_some(finding.span);
    main.into_iter().chain(by_closing.chain(labelled("likewise")).map(|label| label.span))
}

/// Without the line, all answers are the same.
fn line_can_be_removed(text: &[u8], robots: &Robots, (span, message): (Span, &str)) {
    let is_end = |octet: &u8| matches!(octet, b'\n' | b'\r');
    let start = text[..span.start].iter().rposition(is_end).map_or(0, |at| at + 1);
    let end = text[span.end..].iter().position(is_end);
    let end = end.map_or(text.len(), |at| span.end + at);
    // A comment remains, so that no line ends are joined.
    let without = [&text[..start], b"#", &text[end..]].concat();
    let without = Robots::parse(&without);
    let groups = |robots: &Robots| robots.groups().len();
    if groups(robots) != groups(&without) {
        // The last rule of a group keeps the groups around it apart.
        return;
    }
    let pattern = text[span.range()].to_vec();
    let path = String::from_utf8_lossy(&pattern).replace('*', "x");
    let path = format!("/{}", path.trim_end_matches('$').trim_start_matches('/'));
    let mut urls = vec![path.clone().into_bytes(), format!("{path}z/index.html").into_bytes()];
    urls.extend((0..12).map(|index| url_for(text, 42, index)));
    for crawler in crawlers(robots) {
        let policies = [robots, &without].map(|it| it.policy(&crawler).without_explanation());
        for url in &urls {
            let [before, after] = policies.each_ref().map(|it| it.is_allowed(url));
            let url = String::from_utf8_lossy(url);
            assert_eq!(before, after, "{message}: {url}\n{}", String::from_utf8_lossy(text));
        }
    }
}

/// The named crawler may fetch the URL, and others may not.
fn crawler_may_do_more(text: &[u8], robots: &Robots, finding: &Finding) {
    let Some(url) = &finding.url else { return };
    let value = &text[finding.span.start..finding.span.end];
    let mut agents = robots.groups().flat_map(|group| group.agents());
    let agent = agents.find(|agent| agent.span() == finding.span).map(|agent| agent.name());
    let name = str::from_utf8(agent.unwrap_or(value)).expect("a name in UTF-8");
    assert!(robots.is_allowed(&Crawler::new(name), url), "{}: {url}", finding.message);
    assert!(!robots.is_allowed("unnamed-crawler", url), "{}: {url}", finding.message);
}

/// Each dialect of the message answers otherwise than RFC 9309.
fn dialects_differ(text: &[u8], robots: &Robots, finding: &Finding) {
    let url = finding.url.as_ref().expect("every finding has a URL");
    let (here, there) = finding.message.split_once(", but dialect").expect("two readers");
    let quoted = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let shown = quoted(here).first().cloned();
    assert!(!quoted(there).is_empty());
    for dialect in quoted(there) {
        let dialect: Dialect = dialect.parse().expect("a published dialect");
        let other = dialect.parse(text);
        // Some dialects find the names of groups in that of a crawler.
        let agents = [robots, &other].into_iter().flat_map(Robots::groups);
        let agents = agents.flat_map(|group| group.agents()).map(|agent| agent.name());
        // The message has an escaped name, or the beginning of a long one.
        let named = |shown: &String| {
            let mut names = agents.filter_map(|name| str::from_utf8(name).ok());
            let name = names.find(|name| {
                let (name, shown) = (Untrusted::new(name).to_string(), shown.to_ascii_lowercase());
                let name = name.to_ascii_lowercase();
                shown.strip_suffix('…').map_or(name == shown, |start| name.starts_with(start))
            });
            // A search engine, perhaps by a group for its documented fallback.
            let known = Registry::bundled().find(shown).filter(|_| name.is_none());
            known.map_or_else(|| Crawler::new(name.unwrap_or(shown)), |it| it.rules().clone())
        };
        let crawler = shown.as_ref().map(named);
        let crawler = crawler.unwrap_or_else(|| unnamed_crawler(&[robots, &other]));
        let is_open = robots.is_allowed(&crawler, url);
        let shown = text.escape_ascii();
        assert_eq!(is_open, here.contains(" allows "), "{}: {url}: \"{shown}\"", finding.message);
        let is_other = is_open != other.is_allowed(&crawler, url);
        assert!(is_other, "{}: {url}: \"{shown}\"", finding.message);
    }
}
