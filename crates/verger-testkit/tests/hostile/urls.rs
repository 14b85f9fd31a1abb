//! URL texts: their targets, offline and live; classes; scope.

use std::collections::BTreeMap;
use std::str;

use libtest_mimic::Failed;
use url::Url;
use verger::{Dialect, Origin, OriginError, Permission, Reason, RobotRules};
use verger_testkit::hostile::{
    AGENT, CLASS_ROBOTS, Class, Expect, Layer, Live, ORIGIN, Offline, Target, entries,
};

use crate::always::{self, Asked};
use crate::judge::Complaints;
use crate::verdicts::{BOTH, expected};

const FORBID_ALL: &str = "User-agent: *\nDisallow: /\n";

/// The target of the URL.
pub(crate) fn target(url: &[u8], target: &Target, complaints: &mut Complaints) {
    let rfc9309 = Dialect::RFC9309.parse(FORBID_ALL);
    let explained = rfc9309.explain(AGENT, url);
    match &target.rfc9309 {
        Offline::Target(wanted) if wanted.bytes() == b"/robots.txt" => {
            complaints.unless_equal("reason", explained.verdict.reason(), Reason::RobotsTxtItself);
        }
        Offline::Target(wanted) => {
            let wanted = wanted.bytes();
            complaints.unless_equal("rfc9309: target", explained.target.as_deref(), Some(&*wanted));
            only_rule_for(url, &wanted, complaints);
        }
        Offline::NoRobots => {
            complaints.unless_equal(
                "reason",
                explained.verdict.reason(),
                Reason::NoRobotsForScheme,
            );
        }
        Offline::NotAUrl => {
            let verdict = explained.verdict;
            let found = (verdict.is_allowed(), verdict.reason());
            complaints.unless_equal("verdict", found, (false, Reason::NotAUrl));
        }
    }
    let google = Dialect::GOOGLE.parse(FORBID_ALL).explain(AGENT, url).target;
    complaints.unless_equal("google: target", google, Some(target.google.bytes()));
    live(url, &target.live, complaints);
}

/// A target is in normal form, so the rule `TARGET$` matches its URL and no longer one.
fn only_rule_for(url: &[u8], target: &[u8], complaints: &mut Complaints) {
    let mut unlimited = Dialect::RFC9309;
    unlimited.byte_limit = None;
    let text = [b"User-agent: *\nDisallow: ", target, b"$\n"].concat();
    let robots = unlimited.parse(&text);
    complaints.unless(!robots.check(AGENT, url).is_allowed(), || {
        "the rule that is its target does not match the URL".into()
    });
    let longer = [target, b"x"].concat();
    complaints.unless(robots.check(AGENT, &longer).is_allowed(), || {
        "the rule that is its target matches a longer one".into()
    });
}

/// The origin of the live interpretation, and the target that the URL parser would send.
fn live(url: &[u8], live: &Live, complaints: &mut Complaints) {
    let text = str::from_utf8(url);
    complaints.unless_equal("is text", text.is_ok(), !matches!(live, Live::NotText));
    let Ok(text) = text else {
        return;
    };
    let origin = Origin::of(text);
    match live {
        Live::NotText => {}
        Live::HostTooLong => {
            complaints.unless_equal("origin", origin, Err(OriginError::HostTooLong));
        }
        Live::Invalid => {
            complaints.unless(origin.is_err(), || format!("expected no URL, but found {origin:?}"));
            complaints.unless(Url::parse(text).is_err(), || "a WHATWG parser accepts it".into());
        }
        Live::NoRobots => complaints.unless_equal("origin", origin, Ok(None)),
        &Live::Request { scheme, host, port, ref target } => {
            let expected = Origin::from_parts(scheme, host, Some(port)).map(Some);
            complaints.unless_equal("origin", origin, expected);
            let sent = Url::parse(text).ok().map(|url| url[url::Position::BeforePath..].to_owned());
            let sent = sent.map(|sent| sent.split('#').next().unwrap_or_default().to_owned());
            let wanted = String::from_utf8(target.bytes()).ok();
            complaints.unless_equal("target of the request", sent, wanted);
        }
    }
}

/// The member of a class gets the answers of the class.
pub(crate) fn class(url: &[u8], class: &Class, complaints: &mut Complaints) {
    for (text, answers) in CLASS_ROBOTS.into_iter().zip(class.allowed) {
        for dialect in BOTH {
            let robots = always::parse(dialect, text.as_bytes(), complaints);
            let asked = Asked { text: text.as_bytes(), robots: &robots, crawler: AGENT };
            let allowed = asked.check(url, complaints);
            let what = format!("{dialect}: {}", text.escape_debug());
            complaints.unless_equal(&what, allowed, expected(answers, dialect));
        }
    }
}

/// The robots.txt of another origin does not apply.
pub(crate) fn out_of_scope(url: &[u8], origin: &str, complaints: &mut Complaints) {
    let url = str::from_utf8(url).unwrap_or_default();
    let covers = Origin::of(origin).ok().flatten().map(|origin| origin.covers(url));
    complaints.unless_equal("covered by the origin", covers, Some(false));
    let mut rules = RobotRules::new(AGENT);
    let robots_url = format!("{origin}/robots.txt");
    complaints.unless(rules.parse(&robots_url, FORBID_ALL, None, 0), || "not stored".into());
    complaints.unless(matches!(rules.allowed(url, 0), Permission::Unknown), || {
        "the robots.txt of another origin is asked".into()
    });
}

/// Two URLs are in one class if, and only if, they have one target.
pub(crate) fn classes_agree() -> Result<(), Failed> {
    let robots = Dialect::RFC9309.parse(FORBID_ALL);
    let mut targets: BTreeMap<Vec<u8>, &str> = BTreeMap::new();
    let mut classes: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for entry in entries(Layer::Url) {
        for claim in &entry.expect {
            let Expect::Class(class) = claim else { continue };
            let url = entry.bytes();
            debug_assert!(url.starts_with(ORIGIN.as_bytes()));
            // Absent for robots.txt itself, which rules do not concern.
            let target = robots.explain(AGENT, &url).target.unwrap_or_default();
            let class_of_target = *targets.entry(target.clone()).or_insert(class.name);
            let target_of_class = classes.entry(class.name).or_insert_with(|| target.clone());
            if class_of_target != class.name || *target_of_class != target {
                return Err(format!("{}: class {}", entry.id, class.name).into());
            }
        }
    }
    if classes.is_empty() { Err("no class".into()) } else { Ok(()) }
}
