//! Outputs for products that cannot run here, by evaluators of their languages.

use std::path::Path;

use verger::access::Timestamp;
use verger::{Crawler, Robots};
use verger_enforce::{Plan, Target};
use verger_identity::Lists;
use verger_testkit::generate::cases;
use verger_testkit::hostile::Invocation;
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::cases::{USUAL, must_refuse, served_path, targets};
use crate::proof::{BROWSERS, NAMED, ORDINARY, plan};
use crate::servers::{CHOICES, written};

/// A random file, with the rules of these pieces.
fn file(pieces: &[&str], rng: &mut fastrand::Rng) -> String {
    let mut text = "User-agent: GPTBot\n".to_owned();
    for _ in 0..rng.usize(1..6) {
        text += if rng.bool() { "Allow: /" } else { "Disallow: /" };
        for _ in 0..rng.usize(0..5) {
            text += rng.choice(pieces).expect("pieces");
        }
        text += "\n";
    }
    text
}

/// Random requests of a crawler: the path and the query of each, and what must be answered. Without
/// malformed escapes, and with characters only.
fn requests(
    robots: &Robots,
    rng: &mut fastrand::Rng,
) -> impl Iterator<Item = (String, String, Vec<u8>, bool)> {
    let found = targets(robots, &[], 50, rng).into_iter().filter_map(|target| {
        let text = String::from_utf8(target.clone()).ok()?;
        let is_escape = |part: &str| {
            part.len() > 1 && part.bytes().take(2).all(|octet| octet.is_ascii_hexdigit())
        };
        if !text.split('%').skip(1).all(is_escape) {
            return None;
        }
        let path = text.split('?').next().expect("a part");
        let served = served_path(path.as_bytes(), USUAL);
        let expected = must_refuse(robots, &Crawler::new("GPTBot"), &target, USUAL);
        Some((text, String::from_utf8(served.clone()).ok()?, served, expected))
    });
    found.collect::<Vec<_>>().into_iter()
}

/// A reader of an expression of Cloudflare, with the fields of a request.
struct Reader<'e> {
    rest: &'e str,
    agent: &'e str,
    subject: &'e str,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.rest.trim_start().strip_prefix(word);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn any(&mut self) -> bool {
        let mut found = self.all();
        while self.take("or ") {
            found |= self.all();
        }
        found
    }

    fn all(&mut self) -> bool {
        let mut found = self.one();
        while self.take("and ") {
            found &= self.one();
        }
        found
    }

    fn one(&mut self) -> bool {
        if self.take("not ") {
            return !self.one();
        }
        if self.take("(") {
            let found = self.any();
            assert!(self.take(")"), "{}", self.rest);
            return found;
        }
        let text = if self.take("http.user_agent ") {
            self.agent
        } else {
            let is_subject =
                self.take("concat(raw.http.request.uri, \" \", http.request.uri.path) ");
            assert!(is_subject, "{}", self.rest);
            self.subject
        };
        assert!(self.take("matches r\""), "{}", self.rest);
        let (expression, rest) = self.rest.split_once('"').expect("its end");
        self.rest = rest;
        regex_lite::Regex::new(expression).expect("an expression").is_match(text)
    }
}

/// A normal path, in escapes.
fn escaped(path: &[u8]) -> String {
    let mut normal = String::new();
    for &octet in path {
        if octet.is_ascii_graphic() && !b"%?#\"<>\\^{|}`*$".contains(&octet) {
            normal.push(char::from(octet));
        } else {
            normal.extend(["%".to_owned(), format!("{octet:02X}")]);
        }
    }
    normal
}

fn cloudflare_refuses(output: &str, agent: &str, target: &str, path: &str) -> bool {
    let subject = format!("{target} {path}");
    output.lines().filter(|line| !line.starts_with('#')).any(|rule| {
        assert!(rule.len() <= 4_096, "{}", rule.len());
        let mut reader = Reader { rest: rule, agent, subject: &subject };
        let found = reader.any();
        assert_eq!(reader.rest, "");
        found
    })
}

/// Requests about policies of Anubis, each with its expected answer. `cel.py` evaluates them.
#[derive(Default)]
struct Requests {
    lines: String,
    expected: Vec<(bool, String)>,
}

impl Requests {
    fn add(&mut self, policy: &str, agent: &str, target: &str, path: &str, expected: bool) {
        let expression = policy.split_once("expression: |\n").expect("an expression").1;
        self.lines += &serde_json::json!([expression, agent, target, path]).to_string();
        self.lines += "\n";
        self.expected.push((expected, format!("{agent} {target}\n{policy}")));
    }

    /// Asks all of them. `VERGER_CEL` names a Python with `cel-python`.
    fn check(self) {
        let Some(python) = std::env::var_os("VERGER_CEL") else {
            return skip_loudly("policies of Anubis", Lacking::Tool, "VERGER_CEL is not set");
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/cel.py");
        let (arguments, input) = (vec![script.into()], self.lines.into_bytes());
        let evaluator = Invocation { arguments, input, ..Invocation::default() };
        let written = evaluator.run(Path::new(&python)).expect("Python");
        let answers = String::from_utf8(written.stdout).expect("text");
        let errors = String::from_utf8_lossy(&written.stderr);
        assert_eq!(answers.lines().count(), self.expected.len(), "{errors}");
        let refused = self.expected.iter().filter(|it| it.0).count();
        assert!(refused > 0 && refused < self.expected.len(), "{refused} are refused");
        for (found, (expected, request)) in answers.lines().zip(&self.expected) {
            assert_eq!(found, expected.to_string(), "{request}");
        }
    }
}

#[test]
fn rules_of_cloudflare_answer_as_the_engine() {
    let pieces =
        ["/", "*", "a", "b", "%61", "E", "2", "20", "%20", "%2F", "?", "x=", "\u{e9}", "$", "~"];
    let mut rng = fastrand::Rng::with_seed(42);
    let mut refused = [0; 2];
    for _ in 0..cases(4) {
        let text = file(&pieces, &mut rng);
        let robots = Robots::parse(&text);
        let plan = plan(&robots).expect("a plan");
        let Some(output) = written(&plan, Target::Cloudflare) else { continue };
        if !output.missing.is_empty() {
            continue;
        }
        for (target, _, path, expected) in requests(&robots, &mut rng) {
            let found = cloudflare_refuses(&output.text, "GPTBot/1.2", &target, &escaped(&path));
            assert_eq!(found, expected, "{target}\n{text}{}", output.text);
            refused[usize::from(found)] += 1;
        }
    }
    assert!(refused.iter().all(|&count| count > 20), "{refused:?}");
}

#[test]
#[ignore = "thorough suite: needs cel-python"]
fn a_policy_of_anubis_answers_as_the_engine() {
    let pieces = ["/", "a", "b", "%61", "E", "2", "20", "%20", "\u{e9}", "$", "~", ":"];
    let mut rng = fastrand::Rng::with_seed(43);
    let mut requested = Requests::default();
    for _ in 0..cases(5) {
        let text = file(&pieces, &mut rng);
        let robots = Robots::parse(&text);
        let plan = plan(&robots).expect("a plan");
        let Some(output) = written(&plan, Target::Anubis) else { continue };
        assert_eq!(output.missing, [], "{text}");
        for (target, path, octets, _) in requests(&robots, &mut rng) {
            // Anubis has the decoded path only.
            let query = target.split_once('?').map_or("", |_| "?");
            let mut url: Vec<u8> = octets;
            url.extend(query.bytes());
            let expected = must_refuse(&robots, &Crawler::new("GPTBot"), &url, USUAL);
            if !path.contains(['%', '?', '*', '$', '#']) {
                requested.add(&output.text, "GPTBot/1.2", &target, &path, expected);
            }
        }
    }
    requested.check();
}

#[test]
fn a_file_that_refuses_nothing_has_no_expression_of_cloudflare() {
    let robots = Robots::parse("User-agent: GPTBot\nAllow: /\nDisallow: /\n");
    let output = written(&plan(&robots).expect("a plan"), Target::Cloudflare).expect("rules");
    assert!(output.text.lines().all(|line| line.starts_with('#')), "{}", output.text);
}

#[test]
fn cloudflare_reads_names_as_the_servers_do() {
    let rules = ordinary(Target::Cloudflare);
    for (headers, expected) in [(BROWSERS, false), (NAMED, true)] {
        for header in headers {
            assert_eq!(cloudflare_refuses(&rules, header, "/x", "/x"), expected, "{header}");
        }
    }
    assert!(!cloudflare_refuses(&rules, "GPTBot/1.2", "/robots.txt?x", "/robots.txt"));
}

#[test]
#[ignore = "thorough suite: needs cel-python"]
fn anubis_reads_names_as_the_servers_do() {
    let policy = ordinary(Target::Anubis);
    let mut requested = Requests::default();
    for (headers, expected) in [(BROWSERS, false), (NAMED, true)] {
        for header in headers {
            requested.add(&policy, header, "/x", "/x", expected);
        }
    }
    requested.add(&policy, "GPTBot/1.2", "/robots.txt?x", "/robots.txt", false);
    requested.add(&policy, BROWSERS[0], "//x", "//x", false);
    requested.add(&policy, "GPTBot/1.2", "//robots.txt", "/.well-known/../x", true);
    requested.check();
}

/// The output for a file that names crawlers.
fn ordinary(target: Target) -> String {
    let robots = Robots::parse(ORDINARY);
    let plan =
        Plan::of(&robots, &verger_enforce::Options::default(), Lists::bundled(), Timestamp::EPOCH);
    plan.expect("a plan").emit(target, &CHOICES).expect("rules").text
}

#[test]
fn the_page_shows_the_outputs() {
    let page = include_str!("../../../../docs/enforce.md");
    let plan = plan(&Robots::parse("User-agent: GPTBot\nDisallow: /private\n")).expect("a plan");
    let block = |fence: &str| {
        let found = page.split(&format!("```{fence}\n")).nth(1).expect("a block");
        found.split("\n```").next().expect("its end")
    };
    let anubis = plan.emit(Target::Anubis, &CHOICES).expect("a policy").text;
    assert!(anubis.contains(&format!("expression: |\n    {}\n", block("cel"))), "{anubis}");
    let form = page.split("They have the form\n\n```text\n").nth(1).expect("the form");
    let mut rest = plan.emit(Target::Cloudflare, &CHOICES).expect("rules").text;
    for part in form.split("…))\n```").next().expect("its end").split('…') {
        rest = rest.split_once(part).expect(part).1.to_owned();
    }
    assert!(rest.ends_with("\")))\n"), "{rest}");
}

/// Attempts to reach a closed path: what is sent, and what it means.
const ATTEMPTS: [(&str, &str); 10] = [
    ("/private", "/private"),
    ("/%70rivate", "/private"),
    ("//private", "//private"),
    ("/./private", "/./private"),
    ("/x/../private", "/x/../private"),
    ("/x/%2e%2E/private", "/x/../private"),
    ("/x%2f..%2fprivate", "/x/../private"),
    ("/private%00", "/private\0"),
    ("/.well-known/../private", "/.well-known/../private"),
    ("/x/..", "/x/.."),
];

const OPEN: [&str; 6] =
    ["/", "/x", "/Private", "/.well-known/private", "/x/.y/..z/", "/robots.txt"];

fn private(target: Target) -> String {
    let plan = plan(&Robots::parse("User-agent: GPTBot\nDisallow: /private\n")).expect("a plan");
    plan.emit(target, &CHOICES).expect("rules").text
}

#[test]
fn cloudflare_refuses_attempts_also_without_normalisation() {
    let rules = private(Target::Cloudflare);
    for (path, _) in ATTEMPTS {
        assert!(cloudflare_refuses(&rules, "GPTBot/1.2", path, path), "{path}");
        assert!(!cloudflare_refuses(&rules, BROWSERS[0], path, path), "{path}");
    }
    for path in OPEN {
        assert!(!cloudflare_refuses(&rules, "GPTBot/1.2", path, path), "{path}");
    }
}

#[test]
#[ignore = "thorough suite: needs cel-python"]
fn anubis_refuses_attempts_also_without_normalisation() {
    let policy = private(Target::Anubis);
    let mut requested = Requests::default();
    for (path, decoded) in ATTEMPTS {
        requested.add(&policy, "GPTBot/1.2", path, decoded, true);
        requested.add(&policy, BROWSERS[0], path, decoded, false);
    }
    for path in OPEN {
        requested.add(&policy, "GPTBot/1.2", path, path, false);
    }
    requested.check();
}
