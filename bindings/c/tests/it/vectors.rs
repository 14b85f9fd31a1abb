//! The conformance suite and hostile inputs through every function that answers a question.

use std::ffi::{CStr, CString, c_char};
use std::{ptr, slice};

use serde_json::Value;
use verger::*;

use crate::common::suite::{decoded, suite};

fn parts(bytes: &[u8]) -> (*const c_char, usize) {
    (bytes.as_ptr().cast(), bytes.len())
}

fn text_of(text: &Text) -> &[u8] {
    if text.data.is_null() {
        return &[];
    }
    // SAFETY: the library returned it, and its object still exists.
    unsafe { slice::from_raw_parts(text.data.cast(), text.len) }
}

fn empty_verdict() -> Verdict {
    Verdict {
        allowed: true,
        temporary: true,
        reason: ptr::null(),
        kind: RuleKind::None,
        pattern: Text { data: ptr::null(), len: 0 },
        line: 0,
        column: 0,
        group_line: 0,
    }
}

/// Asks each function, and returns the one answer of all.
fn ask(body: &[u8], agent: &[u8], url: &[u8], dialect: &CStr) -> (bool, usize, String) {
    let ((body, body_len), (agent, agent_len), (url, url_len)) =
        (parts(body), parts(agent), parts(url));
    let dialect = dialect.as_ptr();
    // SAFETY: all pointers are from slices of these lengths; objects are freed once, at the end.
    unsafe {
        let mut robots = ptr::null_mut();
        assert_eq!(verger_robots_parse(body, body_len, dialect, &raw mut robots), Status::Ok);
        let mut verdict = empty_verdict();
        let status = verger_robots_check(robots, agent, agent_len, url, url_len, &raw mut verdict);
        assert_eq!(status, Status::Ok);
        let mut once = true;
        let status = verger_is_allowed(
            body,
            body_len,
            agent,
            agent_len,
            url,
            url_len,
            dialect,
            &raw mut once,
        );
        assert_eq!((status, once), (Status::Ok, verdict.allowed));
        let again = verger_robots_is_allowed(robots, agent, agent_len, url, url_len);
        assert_eq!(again, verdict.allowed);

        let (mut compiled, mut stored) = (ptr::null_mut(), ptr::null_mut());
        let status =
            verger_policy_compile(body, body_len, agent, agent_len, dialect, &raw mut compiled);
        assert_eq!(status, Status::Ok);
        let bytes = verger_policy_bytes(compiled);
        assert_eq!(verger_policy_from_bytes(bytes.data, bytes.len, &raw mut stored), Status::Ok);
        let mut of_file = ptr::null_mut();
        assert_eq!(verger_robots_policy(robots, agent, agent_len, &raw mut of_file), Status::Ok);
        for policy in [compiled, stored, of_file] {
            let mut found = empty_verdict();
            assert_eq!(verger_policy_check(policy, url, url_len, &raw mut found), Status::Ok);
            assert_eq!(verger_policy_is_allowed(policy, url, url_len), verdict.allowed);
            let summary = |it: &Verdict| {
                let reason = CStr::from_ptr(it.reason).to_owned();
                (it.allowed, reason, it.kind, text_of(&it.pattern).to_vec(), it.line, it.group_line)
            };
            assert_eq!(summary(&found), summary(&verdict));
            verger_policy_free(policy);
        }

        let mut explained = OwnedText { data: ptr::null_mut(), len: 0 };
        let status =
            verger_robots_explain(robots, agent, agent_len, url, url_len, &raw mut explained);
        assert_eq!(status, Status::Ok);
        let sentence = CStr::from_ptr(explained.data).to_str().expect("UTF-8").to_owned();
        assert_eq!(sentence.len(), explained.len, "an explanation contains no NUL");
        assert_eq!(sentence.starts_with("allowed"), verdict.allowed, "{sentence}");
        verger_string_free(explained);

        let reason = CStr::from_ptr(verdict.reason).to_str().expect("UTF-8").to_owned();
        verger_robots_free(robots);
        (verdict.allowed, verdict.line, reason)
    }
}

#[test]
fn every_function_answers_questions_of_each_kind() {
    let file =
        b"User-agent: *\nDisallow: /a*b$\nCrawl-delay: 2\n\nUser-agent: x\nAllow:\nSitemap: /s\n";
    let agents: [&[u8]; 4] = [b"x", b"y/1.0 (+https://y.example)", b"", b"\xff"];
    let urls: [&[u8]; 5] = [b"/a/b", b"https://shop.example/robots.txt", b"", b"x", b"/\xff?%"];
    for dialect in [c"rfc9309", c"google", c"orig1994"] {
        for body in [&file[..], b"", b"\xff\xfeU\0"] {
            for agent in agents {
                for url in urls {
                    let (_, line, reason) = ask(body, agent, url, dialect);
                    assert_eq!(line > 0, reason == "rule", "{dialect:?} {url:?}");
                }
            }
        }
    }
    assert_eq!(sitemaps(file), ["/s"]);
}

#[test]
#[cfg_attr(miri, ignore = "Miri reads the suite for an hour")]
fn every_function_gives_the_answers_of_the_suite() {
    let suite = suite();
    let mut count = 0;
    for case in suite["verdicts"].as_array().expect("cases") {
        let agent = case["agent"].as_str().expect("an agent");
        let (body, url) = (decoded(case, "robots"), decoded(case, "url"));
        for (dialect, expected) in case["expect"].as_object().expect("answers by dialect") {
            let dialect = CString::new(dialect.as_str()).expect("no NUL");
            let (allowed, line, reason) = ask(&body, agent.as_bytes(), &url, &dialect);
            assert_eq!(Some(allowed), expected["allowed"].as_bool(), "{case}");
            assert_eq!(line as u64, expected["line"].as_u64().unwrap_or(0), "{case}");
            if let Some(expected) = expected["reason"].as_str() {
                assert_eq!(reason, expected, "{case}");
            }
            count += 1;
        }
    }
    assert!(count > 1_000, "{count} answers");

    for case in suite["crawl_delays"].as_array().expect("cases") {
        let body = decoded(case, "robots");
        let (text, len) = parts(&body);
        let agent = case["agent"].as_str().expect("an agent").as_bytes();
        let (mut robots, mut seconds) = (ptr::null_mut(), f64::NAN);
        // SAFETY: as in `ask`.
        let status = unsafe {
            verger_robots_parse(text, len, ptr::null(), &raw mut robots);
            let (agent, agent_len) = parts(agent);
            let status = verger_robots_crawl_delay(robots, agent, agent_len, &raw mut seconds);
            verger_robots_free(robots);
            status
        };
        match case["seconds"].as_f64() {
            Some(expected) => {
                assert_eq!((status, seconds.to_bits()), (Status::Ok, expected.to_bits()), "{case}");
            }
            None => assert_eq!(status, Status::None, "{case}"),
        }
    }
    for case in suite["sitemaps"].as_array().expect("cases") {
        let body = decoded(case, "robots");
        let expected: Vec<&str> =
            case["urls"].as_array().expect("URLs").iter().filter_map(Value::as_str).collect();
        assert_eq!(sitemaps(&body), expected, "{case}");
    }
}

fn sitemaps(body: &[u8]) -> Vec<String> {
    let (text, len) = parts(body);
    let (mut robots, mut found) = (ptr::null_mut(), Vec::new());
    // SAFETY: as in `ask`.
    unsafe {
        verger_robots_parse(text, len, ptr::null(), &raw mut robots);
        let mut one = Text { data: ptr::null(), len: 0 };
        while verger_robots_sitemap(robots, found.len(), &raw mut one) == Status::Ok {
            found.push(String::from_utf8_lossy(text_of(&one)).into_owned());
        }
        verger_robots_free(robots);
    }
    found
}

#[test]
#[cfg(feature = "hostile")]
#[cfg_attr(miri, ignore = "the inputs are megabytes")]
fn hostile_input_gets_the_expected_answer() {
    use verger_testkit::hostile::{self, LIMIT};
    use verger_testkit::suite::{Case, NamedCrawler};

    let mut count = 0;
    for case in hostile::suite().verdicts {
        let Case { robots, crawler: NamedCrawler::Token(agent), url, .. } = &case else { continue };
        // These cases name crawlers by literal tokens; here such text can be a header (REP-AMB-13).
        if case.file == "agents.toml" || robots.len() > LIMIT / 4 {
            continue;
        }
        for (dialect, expected) in &case.expect {
            let dialect = CString::new(dialect.as_str()).expect("a name");
            let (found, ..) = ask(robots, agent.as_bytes(), url, &dialect);
            assert_eq!(found, expected.allowed, "{}, {dialect:?}", case.name);
            count += 1;
        }
        if robots.len() <= LIMIT / 8 {
            // The same bytes in the wrong places.
            ask(robots, robots, robots, c"rfc9309");
            sitemaps(robots);
        }
    }
    assert!(count > 400, "{count} answers");
}

#[test]
fn missing_pointers_and_unknown_names_are_errors_and_never_allowed() {
    let (body, len) = parts(b"User-agent: *\nAllow: /\n");
    let (agent, agent_len) = parts(b"ExampleBot");
    let (url, url_len) = parts(b"/x");
    // SAFETY: NULL is permitted everywhere; all other pointers are from slices.
    unsafe {
        let mut robots = ptr::null_mut();
        let unknown = c"rfc".as_ptr();
        assert_eq!(
            verger_robots_parse(body, len, unknown, &raw mut robots),
            Status::UnknownDialect
        );
        assert!(robots.is_null());
        assert_eq!(
            verger_robots_parse(ptr::null(), 1, ptr::null(), &raw mut robots),
            Status::NullPointer
        );
        assert_eq!(
            verger_robots_parse(body, len, ptr::null(), ptr::null_mut()),
            Status::NullPointer
        );
        assert_eq!(
            verger_robots_parse(body, usize::MAX, ptr::null(), &raw mut robots),
            Status::InvalidLength
        );
        assert!(robots.is_null());
        let mut verdict = empty_verdict();
        let status =
            verger_robots_check(ptr::null(), agent, agent_len, url, url_len, &raw mut verdict);
        assert_eq!((status, verdict.allowed), (Status::NullPointer, false));
        assert_eq!(CStr::from_ptr(verdict.reason), c"failed");
        assert!(!verger_robots_is_allowed(ptr::null(), agent, agent_len, url, url_len));
        assert!(!verger_policy_is_allowed(ptr::null(), url, url_len));
        let mut allowed = true;
        let status =
            verger_is_allowed(body, len, agent, agent_len, url, url_len, unknown, &raw mut allowed);
        assert_eq!((status, allowed), (Status::UnknownDialect, false));
        let mut policy = ptr::null_mut();
        let (damaged, damaged_len) = parts(b"no policy");
        let status = verger_policy_from_bytes(damaged, damaged_len, &raw mut policy);
        assert_eq!((status, policy.is_null()), (Status::InvalidPolicy, true));
        assert_eq!(verger_policy_bytes(ptr::null()).len, 0);
        verger_robots_free(ptr::null_mut());
        verger_policy_free(ptr::null_mut());
        verger_string_free(OwnedText { data: ptr::null_mut(), len: 0 });
        let mut robots_url = OwnedText { data: ptr::null_mut(), len: 0 };
        let (data, data_len) = parts(b"data:,x");
        assert_eq!(verger_robots_url(data, data_len, &raw mut robots_url), Status::NotAUrl);
        let (site, site_len) = parts(b"https://Shop.example:8443/x?y");
        assert_eq!(verger_robots_url(site, site_len, &raw mut robots_url), Status::Ok);
        assert_eq!(CStr::from_ptr(robots_url.data), c"https://shop.example:8443/robots.txt");
        verger_string_free(robots_url);
    }
}

#[test]
fn an_empty_rule_that_allows_has_its_own_kind() {
    let (robots, len) = parts(b"User-agent: *\nDisallow:\n");
    let ((agent, agent_len), (url, url_len)) = (parts(b"ExampleBot"), parts(b"/x"));
    let dialect = c"koster1996".as_ptr();
    // SAFETY: all pointers are from slices of these lengths; the file is freed once, at the end.
    unsafe {
        let (mut parsed, mut verdict) = (ptr::null_mut(), empty_verdict());
        assert_eq!(verger_robots_parse(robots, len, dialect, &raw mut parsed), Status::Ok);
        let status = verger_robots_check(parsed, agent, agent_len, url, url_len, &raw mut verdict);
        assert_eq!((status, verdict.allowed, verdict.line), (Status::Ok, true, 2));
        assert_eq!(verdict.kind, RuleKind::Disallow);
        verger_robots_free(parsed);
    }
}
