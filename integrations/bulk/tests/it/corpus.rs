//! `policies` and `check` against the library and the answers of Google's library.

use std::sync::Arc;

use crate::common::{read_table, run, write_table};
use arrow_array::{BinaryArray, StringArray};
use verger::Dialect;
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::golden::{VERDICTS, answers};
use verger_testkit::shared::{Lacking, say, skip_loudly};

/// The golden URL at the site of a file; `None` for a text without an origin, which belongs to no
/// policy.
fn moved(origin: &str, url: &str) -> Option<String> {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.find(['/', '?', '#']).map_or("", |start| &rest[start..]),
        None if url.starts_with('/') => url,
        None => return None,
    };
    Some(format!("{origin}{rest}"))
}

/// `testdata/names.json`, but for crawlers that follow no robots.txt, which have no policy.
#[test]
fn names_have_the_answers_of_the_suite() {
    let cases: serde_json::Value =
        serde_json::from_str(include_str!("../../../../testdata/names.json")).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let names: Vec<_> = cases["names"].as_array().expect("names").iter().map(text).collect();
    let has_policy = |name: &str| !["Google-Safety", "FeedFetcher-Google"].contains(&name);
    for dialect in ["rfc9309", "google"] {
        let folder = tempfile::tempdir().expect("a folder");
        let files = cases["files"].as_array().expect("files").iter();
        let files: Vec<_> = files.filter(|file| file["dialect"] == dialect).collect();
        let origins: Vec<_> = (0..files.len()).map(|at| format!("https://f{at}.example")).collect();
        let urls = origins.iter().map(|origin| format!("{origin}{}", text(&cases["url"])));
        let robots = files.iter().map(|file| text(&file["robots"]));
        write_table(
            &folder.path().join("files.parquet"),
            vec![
                ("origin", Arc::new(StringArray::from_iter_values(&origins))),
                ("robots", Arc::new(StringArray::from_iter_values(robots))),
            ],
            1_000,
        );
        let urls = Arc::new(StringArray::from_iter_values(urls));
        write_table(&folder.path().join("urls.parquet"), vec![("url", urls)], 1_000);
        let mut arguments =
            vec!["policies", "files.parquet", "-o", "policies.parquet", "--dialect", dialect];
        let asked = names.iter().filter(|name| has_policy(name));
        arguments.extend(asked.flat_map(|name| ["--agent", name]));
        run(&arguments, folder.path(), 0);
        let check =
            ["check", "urls.parquet", "--policies", "policies.parquet", "-o", "out.parquet"];
        run(&check, folder.path(), 0);
        let rows = read_table(&folder.path().join("out.parquet"), &["url", "agent", "allowed"]);
        let mut count = 0;
        for (file, origin) in files.iter().zip(&origins) {
            for (name, answer) in names.iter().zip(text(&file["answers"]).chars()) {
                let url = format!("{origin}{}", text(&cases["url"]));
                let is_asked = |row: &&Vec<Option<String>>| {
                    (row[0].as_deref(), row[1].as_deref()) == (Some(&url), Some(name))
                };
                let Some(row) = rows.iter().find(is_asked) else { continue };
                count += 1;
                let expected = if answer == 'a' { "true" } else { "false" };
                assert_eq!(row[2].as_deref(), Some(expected), "{name}: {file}");
            }
        }
        assert_eq!(count, files.len() * names.iter().filter(|name| has_policy(name)).count());
    }
}

#[test]
fn answers_are_those_of_the_library_and_of_google() {
    const TEST: &str = "verger bulk on golden questions";
    let Some(files) = corpus().expect("the archive is sound") else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
    };
    let Some(answers) = answers().expect("the archive is sound") else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{VERDICTS} is not there"));
    };
    let folder = tempfile::tempdir().expect("a folder");
    let origins: Vec<String> =
        (0..answers.len()).map(|it| format!("https://f{it}.example")).collect();
    let robots = answers.iter().map(|about| files[&about.file].as_slice());
    write_table(
        &folder.path().join("files.parquet"),
        vec![
            ("origin", Arc::new(StringArray::from_iter_values(&origins))),
            ("robots", Arc::new(BinaryArray::from_iter_values(robots))),
        ],
        1_000,
    );
    // Golden agents are the same for every file.
    let agents: Vec<&str> = answers[0].verdicts.iter().map(|(agent, _)| agent.as_str()).collect();
    let (mut urls, mut expected, mut without_origin) = (Vec::new(), Vec::new(), 0);
    for (about, origin) in answers.iter().zip(&origins) {
        for (at, url) in about.urls.iter().enumerate() {
            let Some(url) = moved(origin, url) else {
                without_origin += agents.len();
                continue;
            };
            urls.push(url);
            for agent in &agents {
                let (_, verdicts) =
                    about.verdicts.iter().find(|(of, _)| of == agent).expect("an agent");
                expected.push((urls.len() - 1, *agent, verdicts[at]));
            }
        }
    }
    let column = StringArray::from_iter_values(&urls);
    write_table(&folder.path().join("urls.parquet"), vec![("url", Arc::new(column))], 10_000);

    let mut arguments =
        vec!["policies", "files.parquet", "-o", "policies.parquet", "--dialect", "google"];
    arguments.extend(agents.iter().flat_map(|agent| ["--token", agent]));
    run(&arguments, folder.path(), 0);
    let check = [
        "check",
        "urls.parquet",
        "--policies",
        "policies.parquet",
        "-o",
        "out.parquet",
        "--explain",
    ];
    run(&check, folder.path(), 0);

    let columns = ["url", "agent", "allowed", "reason", "line"];
    let rows = read_table(&folder.path().join("out.parquet"), &columns);
    assert_eq!(rows.len(), expected.len());
    for (at, (row, (url, agent, allowed))) in rows.iter().zip(&expected).enumerate() {
        assert_eq!(row[0].as_deref(), Some(urls[*url].as_str()));
        assert_eq!(row[1].as_deref(), Some(*agent));
        let found = row[2].as_deref();
        assert_eq!(found, Some(if *allowed { "true" } else { "false" }), "{agent} {}", urls[*url]);
        // Parsing a file for each row takes a minute.
        if at % 97 == 0 {
            let number = origins.iter().position(|it| urls[*url].starts_with(&format!("{it}/")));
            let Some(number) = number else { continue };
            let robots = Dialect::GOOGLE.parse(&files[&answers[number].file]);
            let verdict = robots.check(*agent, &urls[*url]);
            assert_eq!(row[3].as_deref(), Some(verdict.reason().name()));
            assert_eq!(row[4], verdict.rule().map(|rule| rule.position().line.to_string()));
        }
    }
    assert!(without_origin < rows.len() / 10, "{without_origin}");
    say(&format!(
        "bulk: {} rows: 0 differences; {without_origin} questions have no origin",
        rows.len()
    ));
}
