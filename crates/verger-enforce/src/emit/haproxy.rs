//! `HAProxy`: access lists and rules of a frontend.
//!
//! Expressions are in single quotes, in which nothing is special; an expression has no single
//! quote.

use core::fmt::Write as _;

use verger_identity::ipnet::IpNet;

use super::{Answer, Choices, Compiled, Output, Target, USUAL};
use crate::expression::Syntax;
use crate::limits::PAGE_BYTES;
use crate::plan::{Plan, Unproved};

/// `HAProxy` refuses targets with spaces.
const SYNTAX: Syntax = Syntax { head: "", ..USUAL };

/// The path as most servers read it: decoded, slashes merged, dot segments removed. A segment with
/// the `..` that removes it is matched like a pair of brackets.
const SERVED: &str = r#"path,url_dec,regsub('"/+"','"/"',g),regsub('"/(?:[.]/)+"','"/"',g),regsub('"/[.]$"','"/"'),regsub('"/[.][.]$"','"/../"'),regsub('"(/(?![.][.]/)[^/]+(?1)*/[.][.])(?=/)"','""',g),regsub('"^(?:/[.][.])+(?=/)"','""')"#;

/// Malformed escapes, which `url_dec` does not read, and dot segments that are left because there
/// were too many for the regular expression.
const UNREADABLE: &str = "^[^ ?]*%(?![0-9A-Fa-f]{2})|^[^ ]* .*/[.][.](?:/|$)";

/// The reason why a page cannot be sent.
pub(super) fn problem_of(page: &str) -> Option<&'static str> {
    if page.contains(['\'', '\n', '\r', '\0']) {
        return Some("HAProxy: expected a page of one line without `'`");
    }
    (page.len() > PAGE_BYTES).then_some("HAProxy: expected a page of at most 15,000 bytes")
}

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Output {
    let refuse = match &choices.answer {
        Answer::Status(status) => format!("deny deny_status {status}"),
        Answer::Close => "reject".to_owned(),
        Answer::Redirect(url) => format!("redirect code 302 location {url}"),
        Answer::Page(page) => {
            format!("return status 403 content-type text/html string '{page}'")
        }
    };
    let compiled = Compiled::of(plan, &SYNTAX);
    let guide = "Add these lines to the frontend, before other `http-request` rules";
    let mut text = compiled.heading(Target::Haproxy, choices, guide);
    let mut line = |line: String| {
        let _ = writeln!(text, "    {line}");
    };
    line("http-request set-var(txn.verger_path) str(/)".to_owned());
    line(format!("http-request set-var(txn.verger_path) {SERVED}"));
    line("http-request set-var(txn.verger) str(),concat(\" \",txn.verger_path)".to_owned());
    line("http-request set-var(txn.verger) pathq,concat(\" \",txn.verger_path)".to_owned());
    line(format!("acl verger_exempt var(txn.verger) -m reg '{}'", SYNTAX.exempt()));
    line(format!("acl verger_unreadable var(txn.verger) -m reg '{UNREADABLE}'"));
    line("acl verger_done var(txn.verger_done) -m bool".to_owned());
    let done = "http-request set-var(txn.verger_done) bool(true) if";
    line(format!("{done} verger_exempt"));
    let rules = |list: Option<usize>, condition: &str, line: &mut dyn FnMut(String)| {
        let Some(comparisons) = compiled.comparisons(list) else { return };
        let mut is_served = false;
        line(format!("http-request {refuse} if {condition} !verger_done verger_unreadable"));
        let raw = comparisons.raw.iter().map(|it| (false, it));
        for (served, it) in raw.chain(comparisons.served.iter().map(|it| (true, it))) {
            if served && !is_served {
                is_served = true;
                line("http-request unset-var(txn.verger_allowed)".to_owned());
            }
            let expression = format!("{{ var(txn.verger) -m reg '{}' }}", it.expression);
            let open = format!("{condition} !verger_done !verger_allowed {expression}");
            if it.allows {
                line(format!("http-request set-var(txn.verger_allowed) bool(true) if {open}"));
            } else {
                line(format!("http-request {refuse} if {open}"));
            }
        }
    };
    if compiled.classes.iter().any(|class| class.addresses.is_some()) {
        let (proxies, field) = choices.proxies;
        line("http-request set-var(txn.verger_src) src".to_owned());
        addresses(proxies).for_each(|some| line(format!("acl verger_proxy src {some}")));
        if !proxies.is_empty() {
            let last = format!("req.hdr_ip({field},-1)");
            line(format!("http-request set-var(txn.verger_src) {last} if verger_proxy"));
        }
    }
    line("acl verger_allowed var(txn.verger_allowed) -m bool".to_owned());
    for (number, class) in (1..).zip(&compiled.classes) {
        for names in &class.names {
            line(format!("acl verger_named_{number} req.fhdr(user-agent) -m reg -i '{names}'"));
        }
        let mut condition = format!("verger_named_{number}");
        if let Some(all) = class.addresses {
            for some in addresses(all) {
                line(format!("acl verger_from_{number} var(txn.verger_src) -m ip {some}"));
            }
            let unproved = format!("verger_named_{number} !verger_from_{number}");
            match plan.unproved {
                Some(Unproved::Star) => rules(plan.star, &unproved, &mut line),
                _ => line(format!("http-request {refuse} if !verger_done {unproved}")),
            }
            condition = format!("verger_named_{number} verger_from_{number}");
        }
        rules(class.list, &condition, &mut line);
        line(format!("{done} verger_named_{number}"));
    }
    rules(plan.others(), "", &mut line);
    compiled.output(text)
}

/// Addresses for a line, which has at most 64 words.
fn addresses(all: &[IpNet]) -> impl Iterator<Item = String> {
    all.chunks(32).map(|some| some.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}
