//! URLs: mostly ones that a rule of the file matches, or almost matches.

use super::draft::Draft;
use super::form::Form;
use super::octet::Octet;
use super::pattern::{Rule, insert};
use super::spell::{respelt, sample};

/// Generates a URL for a file with these rules.
pub(super) fn url(draft: &mut Draft, rules: &[Rule]) -> Vec<u8> {
    let path = path(draft, rules);
    let url = shaped(draft, path);
    record_forms(draft, &url);
    url
}

/// Path and query, beginning with a slash.
fn path(draft: &mut Draft, rules: &[Rule]) -> Vec<u8> {
    let mut path = match chosen(draft, rules) {
        Some(rule) => derived(draft, &rule.pattern),
        None => draft.pick(&PATHS).to_vec(),
    };
    if !path.starts_with(b"/") {
        path.insert(0, b'/');
    }
    for octet in Octet::ALL {
        let form = Form::in_url(octet);
        if draft.tries(form) {
            let sample = sample(octet, draft);
            if draft.chance(50) {
                path.extend(sample);
            } else {
                insert(draft, &mut path, &sample);
            }
        }
    }
    if draft.tries(Form::UrlDoubledSlash) {
        insert(draft, &mut path, b"//");
    }
    if draft.tries(Form::UrlDotSegments) {
        let dots = draft.pick(&[b"/../".as_slice(), b"/./", b"/.."]);
        insert(draft, &mut path, dots);
    }
    path
}

const PATHS: [&[u8]; 6] = [b"/", b"/a", b"/index.html", b"/fish/a?q=1", b"/private/b", b"/~joe/"];

/// A rule to derive a URL from, preferably one that disallows.
fn chosen<'r>(draft: &mut Draft, rules: &'r [Rule]) -> Option<&'r Rule> {
    if rules.is_empty() || draft.chance(6) {
        return None;
    }
    let mut rule = &rules[draft.below(rules.len())];
    for _ in 0..2 {
        if rule.allow {
            rule = &rules[draft.below(rules.len())];
        }
    }
    // Deriving from a longer one costs too much.
    (rule.pattern.len() < 2000).then_some(rule)
}

/// A path that matches a pattern, or almost: stars filled, octets respelt, a suffix added.
fn derived(draft: &mut Draft, pattern: &[u8]) -> Vec<u8> {
    const FILLS: [&[u8]; 8] = [b"", b"", b"a", b"x/y", b"?q=", b"ab", b"/", b"*"];
    let (body, anchored) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let mut path = Vec::new();
    for &octet in body {
        if octet == b'*' {
            path.extend(draft.pick(&FILLS));
        } else {
            path.push(octet);
        }
    }
    let percent = if draft.chance(35) { 12 } else { 0 };
    let kept: &[u8] = if draft.chance(70) { b"/" } else { b"" };
    let mut path = respelt(draft, &path, percent, kept);
    if draft.chance(15) {
        mutate(draft, &mut path);
    }
    let goes_on = if anchored { 20 } else { 50 };
    if draft.chance(goes_on) {
        const TAILS: [&[u8]; 8] =
            [b"/", b"a", b".html", b"?x=1", b"/b/c", b"index.html", b"$", b"?u=http://i/"];
        path.extend(draft.pick(&TAILS));
    }
    path
}

/// A near miss.
fn mutate(draft: &mut Draft, path: &mut Vec<u8>) {
    if path.len() < 2 {
        return;
    }
    let at = 1 + draft.below(path.len() - 1);
    match draft.below(5) {
        0 => path.truncate(at),
        1 => drop(path.remove(at)),
        2 => path[at] = b'b',
        3 => path.insert(at, b'a'),
        _ => {
            draft.record(Form::UrlOtherCase);
            path.make_ascii_uppercase();
        }
    }
}

/// Adds scheme, host and fragment to a path, or omits the path.
fn shaped(draft: &mut Draft, path: Vec<u8>) -> Vec<u8> {
    const WHOLE: [Form; 14] = [
        Form::UrlWithoutPath,
        Form::UrlQueryWithoutPath,
        Form::UrlFragmentWithoutPath,
        Form::UrlBareQuery,
        Form::UrlEmpty,
        Form::UrlRobotsTxt,
        Form::UrlLikeRobotsTxt,
        Form::UrlOtherScheme,
        Form::UrlSemicolon,
        Form::UrlBackslashHost,
        Form::UrlRelative,
        Form::UrlBarePath,
        Form::UrlWithoutAuthority,
        Form::UrlAnotherInside,
    ];
    let path_text = path.as_slice();
    match draft.uses_one(&WHOLE) {
        Some(Form::UrlWithoutPath) => return base(draft),
        Some(Form::UrlQueryWithoutPath) => {
            return [&base(draft), b"?".as_slice(), path_text].concat();
        }
        Some(Form::UrlFragmentWithoutPath) => {
            return [&base(draft), b"#".as_slice(), path_text].concat();
        }
        Some(Form::UrlBareQuery) => return [b"?", path_text].concat(),
        Some(Form::UrlEmpty) => return Vec::new(),
        Some(Form::UrlRobotsTxt) => {
            let path = draft.pick(&["/robots.txt", "/robots.txt#a", "/%72obots.txt"]);
            return [&base(draft), path.as_bytes()].concat();
        }
        Some(Form::UrlLikeRobotsTxt) => {
            let path = draft.pick(&[
                "/robots.txt?",
                "/robots.txt?a",
                "/robots.txt/",
                "/Robots.txt",
                "//robots.txt",
                "/a/robots.txt",
                "/robots%2Etxt/",
                "/robots.tx",
            ]);
            return [&base(draft), path.as_bytes()].concat();
        }
        Some(Form::UrlOtherScheme) => {
            let start = draft.pick(&["mailto:a@h.example", "data:", "file://", "x:", "about:"]);
            return [start.as_bytes(), path_text].concat();
        }
        Some(Form::UrlSemicolon) => return [b"http://h.example;p", path_text].concat(),
        Some(Form::UrlBackslashHost) => return [b"http://h.example\\p", path_text].concat(),
        Some(Form::UrlRelative) => return path_text[1..].to_vec(),
        Some(Form::UrlWithoutAuthority) => {
            let start = draft.pick(&["http:", "http://", "https:/", "ftp:"]);
            return [start.as_bytes(), path_text].concat();
        }
        Some(Form::UrlAnotherInside) => {
            return [&base(draft), path_text, b"?u=http://i.example/a".as_slice()].concat();
        }
        Some(_) => return path,
        None => {}
    }
    if draft.chance(10) {
        draft.record(Form::UrlBarePath);
        return path;
    }
    let mut url = [base(draft), path].concat();
    if draft.uses(Form::UrlQuestionOnly) {
        url.push(b'?');
    }
    if draft.uses(Form::UrlFragment) {
        url.extend(draft.pick(&[b"#a".as_slice(), b"#", b"#/a?b", b"#a#b"]));
    }
    url
}

/// Scheme and authority.
fn base(draft: &mut Draft) -> Vec<u8> {
    let scheme = match () {
        () if draft.uses(Form::UrlHostedScheme) => draft.pick(&["ftp", "gopher", "x+y-1.0"]),
        () if draft.uses(Form::UrlSchemeInUpperCase) => draft.pick(&["HTTP", "Https"]),
        () => draft.pick(&["http", "https"]),
    };
    let user = if draft.uses(Form::UrlUserinfo) { draft.pick(&["u:p@", "@", "a@b@"]) } else { "" };
    let host = if draft.uses(Form::UrlIpv6) { "[::1]" } else { "h.example" };
    let port = if draft.uses(Form::UrlPort) { draft.pick(&[":8080", ":", ":0"]) } else { "" };
    format!("{scheme}://{user}{host}{port}").into_bytes()
}

/// Records the forms of a URL.
fn record_forms(draft: &mut Draft, url: &[u8]) {
    let scheme = url.windows(3).position(|three| three == b"://").map_or(0, |at| at + 3);
    let path = &url[scheme..];
    let from = path.iter().position(|octet| b"/?#".contains(octet)).unwrap_or(path.len());
    for octet in Octet::all_in(&path[from..]) {
        draft.record(Form::in_url(octet));
    }
    let holds = |part: &[u8]| path[from..].windows(part.len()).any(|window| window == part);
    if holds(b"//") {
        draft.record(Form::UrlDoubledSlash);
    }
    if holds(b"/../") || holds(b"/./") || url.ends_with(b"/..") {
        draft.record(Form::UrlDotSegments);
    }
}
