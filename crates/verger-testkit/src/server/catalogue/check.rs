//! Checks of a client against the claims of an entry and the general claims.

use std::time::Duration;

use crate::hostile::unescaped;
use crate::server::{Record, World};

use super::entry::{Attack, Layer};
use super::expect::{Claim, Class, Flag, Observed, Retry};
use super::profile::Profile;

/// Maximum length of a body by default, in bytes (REP-SYNTAX-8).
const LONGEST_BODY: usize = 512_000;

/// Requests of one ask: the first and five redirects (REP-ACCESS-23).
const MOST_REQUESTS: usize = 6;

/// Maximum number of dials: addresses tried for one host, for each of these requests.
const MOST_DIALS: usize = 16 * MOST_REQUESTS;

/// Permitted multiple of the deadline: once for the client and once for a busy machine.
const DEADLINES: u32 = 2;

/// Maximum effect of Retry-After. In the default profile it is also the maximum freshness.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Fields that a robots client has no reason to send.
const NO_FIELDS: [&str; 4] = ["Authorization", "Cookie", "Proxy-Authorization", "Referer"];

/// Commands that a robots client may use.
const COMMANDS: [&str; 15] = [
    "USER", "PASS", "TYPE", "MODE", "STRU", "EPSV", "PASV", "SIZE", "MDTM", "RETR", "QUIT", "FEAT",
    "SYST", "NOOP", "OPTS",
];

impl Attack {
    /// Returns the problems of the answers, one answer for each ask in order, and of the requests
    /// in the world's record.
    ///
    /// In addition to the classes and claims, it always checks these: no dial to an address without
    /// a service; at most six requests for an ask, all GET, without Cookie, Authorization or
    /// Referer; a body only with rules, and at most 512,000 bytes of it; displayed texts escaped;
    /// at most twice the deadline. For FTP: an anonymous login, read-only commands, RETR only of
    /// `robots.txt`.
    pub fn judge(&self, world: &World, observed: &[Observed]) -> Vec<String> {
        problems(self, None, &world.record(), observed)
    }

    /// The same in another access profile, by its name in `docs/access.md`.
    pub fn judge_in(&self, profile: &str, world: &World, observed: &[Observed]) -> Vec<String> {
        problems(self, Some(profile), &world.record(), observed)
    }
}

/// Returns the problems, in the default profile or another.
fn problems(
    entry: &Attack,
    profile: Option<&str>,
    record: &Record,
    observed: &[Observed],
) -> Vec<String> {
    let mut wrong = Vec::new();
    if observed.len() != entry.asks.len() {
        let (wanted, found) = (entry.asks.len(), observed.len());
        wrong.push(format!("expected {wanted} observations, but found {found}"));
    }
    let profile = Profile::named(profile);
    for (at, (ask, seen)) in entry.asks.iter().zip(observed).enumerate() {
        let wanted = profile.classes(ask, at > 0);
        if !wanted.contains(&seen.class) {
            wrong.push(format!("{}: expected {wanted:?}, but found {:?}", ask.url, seen.class));
        }
        always_observed(seen, &mut wrong);
    }
    always_recorded(entry, record, &mut wrong);
    for claim in &entry.claims {
        if let Some(complaint) = claimed(claim, &profile, record, observed) {
            wrong.push(complaint);
        }
    }
    wrong
}

fn always_observed(seen: &Observed, wrong: &mut Vec<String>) {
    if let Some(body) = &seen.body {
        if !matches!(seen.class, Class::Rules | Class::RulesTruncated) {
            wrong.push(format!("a body is followed where the class is {:?}", seen.class));
        }
        if body.len() > LONGEST_BODY {
            wrong.push(format!(
                "expected a body of {LONGEST_BODY} bytes at most, but found {}",
                body.len()
            ));
        }
    }
    for text in &seen.shown {
        if let Some(at) = unescaped(text.as_bytes()) {
            wrong.push(format!("a text is shown with a live byte at {at}: {text:?}"));
        }
    }
    if let Some((spent, deadline)) = seen.time
        && spent > deadline * DEADLINES
    {
        wrong.push(format!("the deadline was {deadline:?}, but it took {spent:?}"));
    }
}

fn always_recorded(entry: &Attack, record: &Record, wrong: &mut Vec<String>) {
    for stray in &record.strays {
        wrong.push(format!("{stray} was dialled"));
    }
    let asks = entry.asks.len();
    if record.requests.len() > MOST_REQUESTS * asks {
        wrong.push(format!("{} requests for {asks} asks", record.requests.len()));
    }
    if record.dials.len() > MOST_DIALS * asks {
        wrong.push(format!("{} dials for {asks} asks", record.dials.len()));
    }
    // An HTTP/2 request is recorded as raw bytes, so its fields cannot be read here.
    for request in record.requests.iter().filter(|request| !request.head.starts_with(b"PRI ")) {
        if request.method() != "GET" {
            wrong.push(format!("expected GET, but found {:?}", request.method()));
        }
        for name in NO_FIELDS {
            if let Some(value) = request.field(name) {
                wrong.push(format!("{name} was sent: {value:?}"));
            }
        }
    }
    for line in &record.commands {
        let line = String::from_utf8_lossy(line).into_owned();
        let (verb, argument) = line.split_once(' ').unwrap_or((&line, ""));
        let verb = verb.to_ascii_uppercase();
        let is_login = verb != "USER" || argument.eq_ignore_ascii_case("anonymous");
        let is_robots = verb != "RETR" || ["/robots.txt", "robots.txt"].contains(&argument);
        if !COMMANDS.contains(&verb.as_str()) || !is_login || !is_robots {
            wrong.push(format!("the command {line:?} was sent"));
        }
    }
    if entry.layer != Layer::Ftp && !record.commands.is_empty() {
        wrong.push("FTP was spoken".to_owned());
    }
}

fn claimed(
    claim: &Claim,
    profile: &Profile<'_>,
    record: &Record,
    observed: &[Observed],
) -> Option<String> {
    let unless = |holds: bool, found: &dyn std::fmt::Debug| {
        (!holds).then(|| format!("expected {claim:?}, but found {found:?}"))
    };
    match claim {
        Claim::Body(wanted) => {
            let mut bodies = observed.iter().filter(|seen| seen.class == Class::Rules);
            let other =
                bodies.find_map(|seen| seen.body.as_ref().filter(|body| *body != wanted))?;
            let short = |body: &[u8]| body[..body.len().min(60)].escape_ascii().to_string();
            let (wanted, other) = (short(wanted), short(other));
            Some(format!("expected the body \"{wanted}\", but found \"{other}\""))
        }
        &Claim::Requests(least, most) => {
            let found = record.requests.len();
            unless((least..=most).contains(&found), &found)
        }
        Claim::Visits(wanted) => {
            let found: Vec<_> =
                record.requests.iter().map(|request| plain(&request.url())).collect();
            unless(found == *wanted, &found)
        }
        Claim::Dials(most) => unless(record.dials.len() <= *most, &record.dials.len()),
        Claim::NeverSent(text) => {
            let holds = |bytes: &[u8]| {
                bytes.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
            };
            let heads = record.requests.iter().map(|request| &request.head);
            let sent = heads.chain(&record.commands).find(|bytes| holds(bytes))?;
            unless(false, &sent.escape_ascii().to_string())
        }
        Claim::FieldAtMost(name, most) => {
            let mut values = record.requests.iter().filter_map(|request| request.field(name));
            values.find(|value| value.len() > *most).map(|value| {
                format!("expected {most} bytes of {name} at most, but found {}", value.len())
            })
        }
        Claim::Reports(flag) => {
            let flags = observed.last()?.flags.as_ref()?;
            unless(flags.contains(flag), flags)
        }
        Claim::ReportsNot(flag) => {
            let has = |seen: &&Observed| {
                seen.flags.as_ref().is_some_and(|flags: &Vec<Flag>| flags.contains(flag))
            };
            observed.iter().find(has).and_then(|seen| unless(false, &seen.flags))
        }
        Claim::Fresh(least, most) => {
            let fresh = observed.first()?.fresh_for?;
            let most = if *most == DAY { profile.longest } else { *most };
            unless((*least..=most).contains(&fresh), &fresh)
        }
        Claim::RetryWithinDay => {
            let late = |seen: &&Observed| matches!(seen.retry, Retry::After(time) if time > DAY);
            observed.iter().find(late).and_then(|seen| unless(false, &seen.retry))
        }
        Claim::RetryIgnored => {
            let some = |seen: &&Observed| matches!(seen.retry, Retry::After(time) if time > Duration::ZERO);
            observed.iter().find(some).and_then(|seen| unless(false, &seen.retry))
        }
        Claim::BeforeDeadline => {
            let late = |seen: &&Observed| seen.time.is_some_and(|(spent, limit)| spent >= limit);
            observed.iter().find(late).and_then(|seen| unless(false, &seen.time))
        }
    }
}

/// A URL with its host in lower case and without a default port.
fn plain(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, target) = rest.split_at(at);
    let default = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(default).unwrap_or(&authority);
    format!("{scheme}://{authority}{target}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::catalogue::entry::{HOST, rules};
    use crate::server::{Request, Setup};

    fn entry(claims: Vec<Claim>) -> Attack {
        let mut entry = Attack::new("H000", "an example", Setup::new(), vec![Class::Rules]);
        entry.claims = claims;
        entry
    }

    fn asked(head: &str) -> Record {
        let head = format!("{head}\r\n\r\n").into_bytes();
        let request = Request { connection: 0, is_secure: false, head };
        Record { requests: vec![request], ..Record::default() }
    }

    fn count(entry: &Attack, record: &Record, seen: Observed) -> usize {
        problems(entry, None, record, &[seen]).len()
    }

    fn good() -> Record {
        asked(&format!("GET /robots.txt HTTP/1.1\r\nHost: {HOST}"))
    }

    #[test]
    fn a_correct_client_gets_no_complaint() {
        let url = format!("http://{HOST}/robots.txt");
        let entry = entry(vec![Claim::Visits(vec![url]), Claim::Requests(1, 1)]);
        assert_eq!(count(&entry, &good(), Observed::new(Class::Rules)), 0);
    }

    #[test]
    fn another_class_or_number_of_answers_is_wrong() {
        let entry = entry(Vec::new());
        assert_eq!(count(&entry, &good(), Observed::new(Class::Allow)), 1);
        assert_eq!(problems(&entry, None, &good(), &[]).len(), 1);
    }

    #[test]
    fn another_profile_has_its_own_class() {
        let mut entry = entry(Vec::new());
        entry.asks[0].elsewhere.push(("strict", Class::Blocked));
        let rules = [Observed::new(Class::Rules)];
        assert_eq!(problems(&entry, Some("archive"), &good(), &rules), Vec::<String>::new());
        assert_eq!(problems(&entry, Some("google"), &good(), &rules), Vec::<String>::new());
        assert_eq!(problems(&entry, Some("strict"), &good(), &rules).len(), 1);
    }

    #[test]
    fn strays_credentials_and_unexpected_commands_are_always_wrong() {
        let entry = entry(Vec::new());
        let mut record = asked("POST / HTTP/1.1\r\ncookie: a");
        record.strays.push(([10, 0, 0, 1], 80).into());
        record.commands = vec![b"DELE x".to_vec(), b"USER me".to_vec(), b"RETR x".to_vec()];
        // Method, Cookie, the stray, three commands, and any use of FTP.
        assert_eq!(count(&entry, &record, Observed::new(Class::Rules)), 7);
    }

    #[test]
    fn bodies_texts_and_times_are_judged_if_reported() {
        let entry = entry(vec![Claim::Body(rules()), Claim::BeforeDeadline]);
        let second = Duration::from_secs(1);
        let mut seen = Observed::new(Class::Rules);
        seen.body = Some(vec![b'#'; LONGEST_BODY + 1]);
        seen.shown = vec!["\x1b[2J".to_owned()];
        seen.time = Some((second * 3, second));
        // Too long, other bytes, an unescaped text, past two deadlines, past one.
        assert_eq!(count(&entry, &good(), seen), 5);
    }

    #[test]
    fn each_claim_can_be_broken() {
        let second = Duration::from_secs(1);
        let mut seen = Observed::new(Class::Rules);
        seen.body = Some(Vec::new());
        seen.flags = Some(vec![Flag::SoftHtml]);
        seen.fresh_for = Some(second);
        seen.retry = Retry::After(DAY * 2);
        seen.time = Some((second, second));
        let claims = [
            Claim::Body(rules()),
            Claim::Requests(2, 3),
            Claim::Visits(Vec::new()),
            Claim::Dials(0),
            Claim::NeverSent("SHOP.example"),
            Claim::FieldAtMost("Host", 3),
            Claim::Reports(Flag::Downgraded),
            Claim::ReportsNot(Flag::SoftHtml),
            Claim::Fresh(second * 2, second * 3),
            Claim::RetryWithinDay,
            Claim::RetryIgnored,
            Claim::BeforeDeadline,
        ];
        let mut record = good();
        record.dials.push(([93, 184, 216, 34], 80).into());
        for claim in claims {
            assert_eq!(count(&entry(vec![claim.clone()]), &record, seen.clone()), 1, "{claim:?}");
        }
    }
}
