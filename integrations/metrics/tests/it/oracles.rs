//! Published statistics against the original code, on 4,231 files and on generated ones.
//!
//! The originals are not part of this repository. Tests run them from checkouts at these paths, and
//! are skipped without:
//!
//! - `VERGER_CUSTOM_METRICS`: <https://github.com/HTTPArchive/custom-metrics> (needs Node.js);
//! - `VERGER_ROBOTSTXT_EXPERIMENTS`: <https://github.com/commoncrawl/robotstxt-experiments> (needs
//!   Python);
//! - `VERGER_DATA_PROVENANCE`: <https://github.com/Data-Provenance-Initiative/Data-Provenance-Collection>
//!   (needs Python).

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use verger::Dialect;
use verger_metrics::{
    CaptureOutcome, CaptureStatistics, Consent, Fetched, Pack, RobotsTxt, Table, Tally,
};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::shared::{Lacking, say, skip_loudly};

#[test]
fn http_archive_s_metric_is_that_of_its_script() {
    let oracle = Oracle {
        variable: "VERGER_CUSTOM_METRICS",
        repository: "https://github.com/HTTPArchive/custom-metrics",
        script: "dist/robots_txt.js",
        program: "node",
        driver: "http_archive.mjs",
        generated: 20_000,
    };
    let Some((responses, lines)) = oracle.run() else { return };
    for (response, line) in responses.iter().zip(&lines) {
        let metric = RobotsTxt::of(&response.fetched()).expect("no product of agents and records");
        let found = json!({
            "redirected": metric.redirected,
            "status": metric.status,
            "content_type": metric.content_type,
            "size": metric.size,
            "size_kib": metric.size_kib(),
            "over_google_limit": metric.over_google_limit(),
            "comment_count": metric.comment_count,
            "record_counts": {
                "by_type": metric.by_type,
                "by_useragent": metric.by_useragent,
            },
        });
        assert_same(&with_floats(found), &with_floats(line.clone()), response);
    }
    check_almanac(&responses, &lines);
    say(&format!("HTTP Archive: {} files: 0 differences", lines.len()));
}

/// The Almanac's tables by its definitions, from the results of the script.
fn check_almanac(responses: &[Response], metrics: &[Json]) {
    let mut tally = Tally::new(Pack::HttpArchive);
    for response in responses {
        tally.add(Some(&response.fetched())).expect("no product of agents and records");
    }
    let tables = tally.tables();
    let rows = |name: &str| -> Vec<Json> {
        let table = tables.iter().find(|table| table.name == name).expect("a table");
        let lines = table.to_json_lines();
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let all = metrics.len();
    let count = |is: &dyn Fn(&Json) -> bool| metrics.iter().filter(|metric| is(metric)).count();
    let status = |metric: &Json| metric["status"].as_u64();
    for row in rows("robots_txt_status_codes") {
        let code: u64 = row["status_code"].as_str().expect("a status").parse().expect("a number");
        assert_eq!(row["total"], count(&|metric| status(metric) == Some(code)));
    }
    let sizes = &rows("robots_txt_size")[0];
    let kib = |metric: &Json| metric["size_kib"].as_f64().expect("a number");
    for (name, low, high) in [
        ("pct_0_100", 0.0, 100.0),
        ("pct_100_200", 100.0, 200.0),
        ("pct_200_300", 200.0, 300.0),
        ("pct_300_400", 300.0, 400.0),
        ("pct_400_500", 400.0, 500.0),
        ("pct_gt500", 500.0, f64::INFINITY),
    ] {
        let found = count(&|metric| kib(metric) > low && kib(metric) <= high);
        assert_share(&sizes[name], found, all);
    }
    assert_share(&sizes["pct_0"], count(&|metric| kib(metric) == 0.0), all);

    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut named: HashMap<&str, [usize; 2]> = HashMap::new();
    for metric in metrics {
        let agents = metric["record_counts"]["by_useragent"].as_object().expect("an object");
        for (agent, counts) in agents {
            *used.entry(agent).or_default() += 1;
            let keys = ["allow", "disallow", "crawl_delay", "noindex", "other"];
            let rules: u64 = keys.iter().filter_map(|key| counts[*key].as_u64()).sum();
            let is_plain = agent.chars().all(|it| it >= ' ' && it != '"' && it != '\\');
            if rules > 0 && is_plain && !agent.is_empty() {
                let [sites, with_200] = named.entry(agent).or_default();
                *sites += 1;
                *with_200 += usize::from(status(metric) == Some(200));
            }
        }
    }
    let usage = rows("robots_txt_user_agent_usage");
    assert_eq!(usage.len(), used.len());
    for row in &usage {
        let expected = used[row["user_agent"].as_str().expect("a name")];
        assert_eq!(row["sites"], expected);
        assert_share(&row["pct"], expected, all);
    }
    let rows = rows("user_agent_named");
    assert_eq!(rows.len(), named.len());
    for row in &rows {
        let [sites, with_200] = named[row["agent"].as_str().expect("a name")];
        assert_eq!(row["sites_with_agent"], sites);
        assert_eq!(row["sites_with_agent_among_200"], with_200);
        assert_share(&row["pct_of_all_sites"], sites, all);
    }
}

#[test]
fn common_crawl_s_statistics_are_those_of_its_job() {
    let oracle = Oracle {
        variable: "VERGER_ROBOTSTXT_EXPERIMENTS",
        repository: "https://github.com/commoncrawl/robotstxt-experiments",
        script: "src/cc-pyspark/robotstxt_statistics.py",
        program: "python3",
        driver: "common_crawl.py",
        generated: 20_000,
    };
    let Some((responses, lines)) = oracle.run() else { return };
    for (response, line) in responses.iter().zip(&lines) {
        let found = CaptureStatistics::of(&response.fetched()).expect("no product of agents");
        let is = |outcome| u64::from(found.outcome == outcome);
        let found = json!({
            "counts": emitted(&found),
            "not_200": is(CaptureOutcome::NotHttp200),
            "not_text": is(CaptureOutcome::NotPlainText),
            "lines": found.lines,
            "directives": found.directives,
        });
        let mut expected = line.clone();
        let counts = expected["counts"].as_array_mut().expect("a list");
        for count in counts.iter_mut().filter(|count| count[0] == "(ruleset)") {
            // JSON in JSON.
            let rulesets: Json =
                serde_json::from_str(count[1].as_str().expect("text")).expect("JSON");
            count[1] = rulesets["https://a.example/"].clone();
        }
        counts.sort_by_cached_key(ToString::to_string);
        assert_same(&found, &expected, response);
    }
    say(&format!("Common Crawl: {} files: 0 differences", lines.len()));
}

/// The statistics in the form in which the job emits them, sorted.
fn emitted(found: &CaptureStatistics) -> Vec<Json> {
    let mut counts = Vec::new();
    let lines = [
        ("(bom stripped)", u64::from(found.bom_stripped)),
        ("(comment line)", found.comment_lines),
        ("(empty line)", found.empty_lines),
        ("(unknown line)", found.unknown_lines),
    ];
    counts.extend(lines.iter().filter(|it| it.1 > 0).map(|(name, it)| json!([name, null, it])));
    let unknown = found.unknown_directives.iter();
    counts.extend(unknown.map(|(name, it)| json!(["(unknown directive)", name, it])));
    for (directive, values) in &found.values {
        counts.extend(values.iter().map(|(value, it)| json!([directive, value, it])));
    }
    if found.outcome == CaptureOutcome::Counted {
        let rulesets: BTreeMap<&str, Json> = found
            .rulesets
            .iter()
            .map(|(agent, rules)| {
                let mut lists = serde_json::Map::new();
                for (name, list) in [("allow", &rules.allow), ("disallow", &rules.disallow)] {
                    if !list.is_empty() {
                        lists.insert(name.to_owned(), json!(list));
                    }
                }
                (&**agent, Json::Object(lists))
            })
            .collect();
        counts.push(json!(["(ruleset)", rulesets, 1]));
    }
    counts.sort_by_cached_key(ToString::to_string);
    counts
}

#[test]
fn the_published_restrictions_are_those_of_the_data_provenance_initiative() {
    let oracle = Oracle {
        variable: "VERGER_DATA_PROVENANCE",
        repository: "https://github.com/Data-Provenance-Initiative/Data-Provenance-Collection",
        script: "src/web_analysis/parse_robots.py",
        program: "python3",
        driver: "consent.py",
        // It takes the product of files and names.
        generated: 500,
    };
    let Some((responses, lines)) = oracle.run() else { return };
    let (table, lines) = lines.split_first().expect("a table");
    let mut tally = Tally::new(Pack::Consent);
    for (response, line) in responses.iter().zip(lines) {
        let fetched = response.fetched();
        let consent = Consent::of(fetched.body, Dialect::RFC9309).expect("few agents");
        let agents = consent.agents.iter().map(|(name, it)| (&**name, it.published.name()));
        let mut found: BTreeMap<&str, &str> = agents.collect();
        found.insert("*All Agents*", consent.all_agents.published.name());
        if consent.names_star {
            found.insert("*", consent.star.published.name());
        }
        assert_same(&json!(found), line, response);
        tally.add(Some(&fetched)).expect("few agents");
    }
    let tables = tally.tables();
    let published: &Table = &tables[0];
    let rows = published.to_json_lines();
    assert_eq!(published.rows.len(), table.as_object().expect("an object").len());
    for row in rows.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON")) {
        let expected = &table[row["agent"].as_str().expect("a name")];
        assert_eq!(row["observed"], expected["counter"], "{row}");
        assert!(
            ["all", "some", "none"].iter().all(|it| row[it] == expected[it]),
            "{row} {expected}"
        );
    }
    say(&format!("Data Provenance Initiative: {} files: 0 differences", lines.len()));
}

/// The code of a published statistic.
struct Oracle {
    /// Names the checkout.
    variable: &'static str,
    repository: &'static str,
    /// The path in the checkout.
    script: &'static str,
    /// Runs the driver.
    program: &'static str,
    /// Runs the script, in `tests/oracles`.
    driver: &'static str,
    /// The number of generated files.
    generated: usize,
}

impl Oracle {
    /// Responses, and the lines that the driver prints about them.
    fn run(&self) -> Option<(Vec<Response>, Vec<Json>)> {
        let test = format!("{} as an oracle", self.repository);
        let Some(checkout) = std::env::var_os(self.variable).map(PathBuf::from) else {
            let why = format!("{} is not set to a checkout of it", self.variable);
            skip_loudly(&test, Lacking::Data, &why);
            return None;
        };
        let script = checkout.join(self.script);
        assert!(script.is_file(), "expected {} in {}", self.script, self.variable);
        let Some(files) = corpus().expect("the archive is sound") else {
            skip_loudly(&test, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
            return None;
        };
        let bodies = files.into_values().chain(generated(self.generated));
        let responses: Vec<Response> = bodies.enumerate().map(Response::numbered).collect();
        let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.driver).with_extension("bin");
        std::fs::write(&input, responses.iter().flat_map(Response::encoded).collect::<Vec<u8>>())
            .expect("a temporary file");
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(self.driver);
        let output = Command::new(self.program)
            .args([&driver, &script, &input])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stderr(Stdio::inherit())
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{} failed", self.driver);
        let output = String::from_utf8(output.stdout).expect("UTF-8");
        let lines: Vec<Json> =
            output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(lines.len() >= responses.len(), "a result for each file");
        Some((responses, lines))
    }
}

/// A file with a status and a media type, which real files of the archive lack.
struct Response {
    status: u16,
    media_type: &'static str,
    body: Vec<u8>,
}

impl Response {
    /// One of ten has another status, one of seven another media type.
    fn numbered((number, body): (usize, Vec<u8>)) -> Self {
        const TYPES: [&str; 4] =
            ["text/html; charset=utf-8", "", "Text/Plain;x", "application/json"];
        let status = if number % 10 == 3 { [404, 403, 503, 301][number % 4] } else { 200 };
        let media_type = if number % 7 == 2 { TYPES[number % 4] } else { "text/plain" };
        Self { status, media_type, body }
    }

    fn fetched(&self) -> Fetched<'_> {
        Fetched {
            body: &self.body,
            status: Some(self.status),
            content_type: Some(self.media_type),
            detected_type: None,
            redirected: Some(self.status % 2 == 1),
        }
    }

    fn encoded(&self) -> Vec<u8> {
        let length = |length: usize| u32::try_from(length).expect("a small file").to_le_bytes();
        let status = u32::from(self.status).to_le_bytes();
        let head = [status, length(self.media_type.len()), length(self.body.len())];
        [&head.concat(), self.media_type.as_bytes(), &self.body].concat()
    }
}

/// Files of pieces that the readings disagree on.
fn generated(number: usize) -> impl Iterator<Item = Vec<u8>> {
    const PIECES: [&[u8]; 62] = [
        b"User-agent",
        b"user-agent",
        b"User_agent",
        b"USER-AGENT",
        b"Allow",
        b"Disallow",
        b"disallow",
        b"Crawl-delay",
        b"Sitemap",
        b"Noindex",
        b"Host",
        b"Clean-param",
        b"Request-rate",
        b"key1",
        b":",
        b":",
        b":",
        b":",
        b": ",
        b": ",
        b" :",
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\n\n",
        b" ",
        b"\t",
        b"\x0b",
        b"\x0c",
        b"#",
        b" #",
        b"\n#",
        b"/",
        b"/",
        b"*",
        b"*",
        b"?",
        b"$",
        b"a",
        b"b",
        b"A",
        b"-",
        b"_",
        b"\xc2\xa0",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xe2\x80\x8b",
        b"\xef\xbb\xbf",
        b"\x1c",
        b"\x1f",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b"\xce\xa3",
        b"\xe2\x84\xaa",
        b"\xf0\x9d\x84\x9e",
        b"<html",
        b"<!DOCTYPE html",
        b"\"",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        // Knuth's multiplier; the upper bits are good enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    (0..number).map(move |_| {
        let pieces = next(40);
        (0..pieces).flat_map(|_| PIECES[next(PIECES.len())].iter().copied()).collect()
    })
}

fn assert_same(found: &Json, expected: &Json, response: &Response) {
    let text = String::from_utf8_lossy(&response.body);
    let text: String = text.chars().take(2_000).collect();
    assert!(found == expected, "found {found}\nexpected {expected}\n{text:?}");
}

fn assert_share(found: &Json, part: usize, whole: usize) {
    let found = found.as_f64().expect("a share");
    #[expect(clippy::cast_precision_loss, reason = "few files")]
    let expected = part as f64 / whole as f64;
    assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
}

/// The value with all numbers as floats: JSON has one kind of number.
fn with_floats(value: Json) -> Json {
    match value {
        Json::Number(number) => json!(number.as_f64()),
        Json::Array(list) => list.into_iter().map(with_floats).collect(),
        Json::Object(map) => map.into_iter().map(|(key, it)| (key, with_floats(it))).collect(),
        other => other,
    }
}
