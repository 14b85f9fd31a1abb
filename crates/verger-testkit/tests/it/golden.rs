//! Dialect `google` against the answers of Google's library about 4,231 real files.

use verger::{Dialect, Policy};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::golden::{GoldenAnswers, VERDICTS, answers};
use verger_testkit::parallel::map;
use verger_testkit::shared::{Lacking, say, skip_loudly};
use verger_testkit::suite::explains_alike;

/// The differences for one file, and the number of compared answers.
fn differences(robots: &[u8], answers: &GoldenAnswers) -> (usize, Vec<String>) {
    let parsed = Dialect::GOOGLE.parse(robots);
    let mut compared = 0;
    let mut differences = Vec::new();
    for (agent, expected) in &answers.verdicts {
        let policy = Dialect::GOOGLE.policy(robots, agent.as_str());
        if policy != parsed.policy(agent.as_str()) {
            differences.push(format!("{}: {agent}: policies differ", answers.file));
        }
        let policy = Policy::from_bytes(policy.as_bytes()).expect("a policy is one");
        for (url, &expected) in answers.urls.iter().zip(expected) {
            compared += 1;
            let verdict = parsed.check(agent.as_str(), url);
            let check = verdict.is_allowed();
            let once = Dialect::GOOGLE.is_allowed(robots, agent.as_str(), url);
            if let Err(difference) = explains_alike(&policy.check(url), &verdict) {
                differences.push(format!("{}: {agent} {url}: policy: {difference}", answers.file));
            }
            if (check, once) != (expected, expected) {
                differences.push(format!(
                    "{}: {agent} {url}: expected {expected}, check {check}, one-shot {once}",
                    answers.file
                ));
            }
        }
    }
    (compared, differences)
}

#[test]
fn google_dialect_gives_every_recorded_answer_of_google_s_library() {
    const TEST: &str = "golden answers of Google's library";
    let Some(files) = corpus().unwrap() else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
    };
    let Some(answers) = answers().unwrap() else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{VERDICTS} is not there"));
    };
    let results = map(answers.iter(), |answers| {
        let robots = files.get(&answers.file).expect("answers are about files of the corpus");
        differences(robots, answers)
    });
    let compared: usize = results.iter().map(|(compared, _)| compared).sum();
    let found: Vec<String> = results.into_iter().flat_map(|(_, found)| found).collect();
    say(&format!("golden: {compared} answers, {} differences", found.len()));
    assert!(found.is_empty(), "{}", found[..found.len().min(20)].join("\n"));
    assert_eq!(compared, 423_100);
}
