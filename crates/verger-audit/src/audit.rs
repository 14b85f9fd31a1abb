//! The audit of a log: a verdict for each request, and the counts.

use std::collections::HashMap;
use std::time::Duration;

use verger::access::Timestamp;
use verger::{Dialect, Origin};
use verger_identity::{Identifier, Identity, Verdict as Proved};
use verger_registry::Purpose;

use crate::history::{History, Version};
use crate::judge::{Judgement, Question};
use crate::knowledge::{Fetch, InForce, Knowledge, Known, refuses};
use crate::limits::ZONE_SECONDS;
use crate::log::Request;
use crate::report::{CrawlerReport, FetchReport, Report};
use crate::site::{Site, before};
use crate::tally::Tally;
use crate::verdict::{Counts, Flags, Verdict};
use crate::visitor::{Visitor, Visitors, Who};

/// Choices for an [`Audit`].
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers build it")]
pub struct Options {
    /// Whether a cache in front of the server may have answered requests for robots.txt, so that the
    /// log does not have all of them.
    pub robots_at_edge: bool,
    /// Tokens of crawlers whose unproved requests may be evidence.
    pub accept_unproved: Vec<String>,
    /// How long a crawler may use a robots.txt; by default that of its access profile, 24 hours.
    pub lifetime: Option<Duration>,
    /// The first time of requests that are counted. Earlier ones are judged: their fetches of
    /// robots.txt count.
    pub since: Option<Timestamp>,
    /// The end of the time of requests that are counted.
    pub until: Option<Timestamp>,
}

/// Judges the requests of a log, in order.
///
/// Its memory is bounded by crawlers and rules, not by requests.
///
/// # Examples
///
/// ```
/// use verger::access::Timestamp;
/// use verger_audit::{Audit, History, Options, Verdict, Version, log::Request};
/// use verger_identity::Identifier;
///
/// let at = Timestamp::from_seconds;
/// let mut history = History::new();
/// let text = Some(b"User-agent: *\nDisallow: /cart\n"[..].into());
/// history.add(Version { from: at(1_000), text, name: "commit 1".to_owned() });
///
/// let identifier = Identifier::default();
/// let origin = "https://shop.example".parse()?;
/// let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
/// let request = |second, target: &'static str| Request {
///     at: Some(at(second)),
///     target: target.as_bytes().into(),
///     status: Some(200),
///     user_agent: Some(b"ExampleCrawler GPTBot/1.2"[..].into()),
///     ..Request::default()
/// };
/// assert_eq!(audit.add(&request(2_000, "/robots.txt"), None).verdict, Verdict::RobotsTxt);
/// let judged = audit.add(&request(2_100, "/cart/1"), None);
/// assert_eq!((judged.verdict, judged.line), (Verdict::DisallowedKnown, Some(2)));
/// // Without an address, nothing is proved.
/// assert!(judged.flags.unproved);
/// assert_eq!(audit.finish().with(Verdict::DisallowedKnown, false), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Audit<'a> {
    options: Options,
    sites: Vec<Site>,
    visitors: Visitors<'a>,
    /// By origin and reader.
    knowledge: HashMap<(usize, usize), Knowledge>,
    /// The latest fetch of robots.txt by somebody with the name of a crawler whose proof failed, by
    /// origin and crawler: it may have been the crawler, at an address that its list does not have yet.
    doubts: HashMap<(usize, usize), Timestamp>,
    /// The texts that a crawler itself received, by origin and crawler: that others of its operator received
    /// more must not accuse it.
    own: HashMap<(usize, usize), Knowledge>,
    /// By crawler, origin, and whether it is proved.
    rows: HashMap<(usize, Option<usize>, bool), Tally>,
    report: Report,
}

/// The verdict about a request, and the facts on which it rests.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Judged<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// Further facts about the request.
    pub flags: Flags,
    /// The token of the crawler; `None` if it is not one. A token that only a group has is foreign
    /// text.
    pub crawler: Option<&'a str>,
    /// The index of the origin.
    pub origin: Option<usize>,
    /// The version whose rule decided, with its index in the history; `None` if nothing forbids the
    /// URL or nothing is known.
    pub version: Option<(usize, &'a Version)>,
    /// The line of the deciding rule.
    pub line: Option<usize>,
    /// The time at which the crawler received the file that decided, or renewed it.
    pub received: Option<Timestamp>,
    /// Whether it may be evidence: proved, or [accepted](Options::accept_unproved).
    pub is_accepted: bool,
    /// Whether it is within the time that is counted ([`Options::since`], [`Options::until`]).
    pub is_counted: bool,
}

impl<'a> Audit<'a> {
    /// With the histories of the origins, in the order of their indices.
    pub fn new(
        histories: Vec<(Origin, History)>,
        identifier: &'a Identifier,
        options: Options,
    ) -> Self {
        let sites = histories.into_iter().map(|(origin, history)| Site::new(origin, history));
        let sites: Vec<_> = sites.collect();
        let names = sites.iter().flat_map(Site::names).collect();
        let visitors = Visitors::new(identifier, names, options.lifetime);
        let (knowledge, own, rows) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self {
            options,
            sites,
            visitors,
            knowledge,
            doubts: HashMap::new(),
            own,
            rows,
            report: Report::default(),
        }
    }

    /// Says that lines of the log are missing here: fetches of robots.txt may be among them, so the
    /// requests after this are judged as if the log began.
    pub fn gap(&mut self) {
        self.sites.iter_mut().for_each(|site| site.seen = None);
        self.knowledge.values_mut().chain(self.own.values_mut()).for_each(Knowledge::forget);
    }

    /// Judges the next request of the log.
    ///
    /// `identity` is the result of look-ups for this request; without it, only published lists and
    /// signatures prove the identity.
    pub fn add(&mut self, request: &Request<'_>, identity: Option<&Identity<'_>>) -> Judged<'_> {
        let origin = self.site_of(request);
        let is_counted = self.options.counts(request.at);
        if is_counted {
            let report = &mut self.report;
            report.requests += 1;
            report.without_time += u64::from(request.at.is_none());
            report.without_user_agent += u64::from(request.user_agent.is_none());
            report.other_hosts += u64::from(origin.is_none());
            if let Some(at) = request.at {
                report.from = Some(report.from.map_or(at, |from| from.min(at)));
                report.to = report.to.max(Some(at));
            }
        }
        if let (Some(at), Some(origin)) = (request.at, origin) {
            self.sites[origin].see(at);
            if request.is_local {
                self.sites[origin].error = Duration::from_secs(ZONE_SECONDS);
            }
        }
        let Some(who) = self.visitors.who(request, identity) else {
            if is_counted {
                self.report.verdicts.add(Verdict::NotACrawler);
            }
            return Judged {
                verdict: Verdict::NotACrawler,
                flags: Flags::default(),
                crawler: None,
                origin,
                version: None,
                line: None,
                received: None,
                is_accepted: false,
                is_counted,
            };
        };
        let judgement = self.judge(request, origin, who);
        self.count(request, origin, who, judgement)
    }

    /// Judges a crawler's request.
    fn judge(&mut self, request: &Request<'_>, origin: Option<usize>, who: Who) -> Judgement {
        let place = origin.zip(request.at);
        let is_robots_txt = path_of(&request.target) == b"/robots.txt";
        let fetch = place.filter(|_| is_robots_txt && matches!(&*request.method, b"" | b"GET"));
        if who.proof == Proved::Failed {
            if let Some((origin, at)) = fetch {
                let latest = self.doubts.entry((origin, who.crawler)).or_insert(at);
                *latest = at.max(*latest);
            }
            return Judgement::of(Verdict::Impostor);
        }
        let visitor = self.visitors.crawler(who.crawler);
        let profiles = &self.visitors.reader(visitor.reader).profiles;
        if is_robots_txt {
            let mut judgement = Judgement::of(Verdict::RobotsTxt);
            if let Some((origin, at)) = fetch {
                let site = &self.sites[origin];
                let version = site.served_at(at);
                let has_text = version.is_some_and(|it| site.history.versions()[it].text.is_some());
                let is_proved = who.proof == Proved::Verified;
                let fetch = || Fetch::new(at, request.status, (version, has_text), is_proved);
                judgement.is_refused = fetch().is_refused();
                let shared = self.knowledge.entry((origin, visitor.reader)).or_default();
                shared.add(fetch(), profiles);
                self.own.entry((origin, who.crawler)).or_default().add(fetch(), profiles);
            }
            return judgement;
        }
        if visitor.purpose == Some(Purpose::UserTriggered) {
            return Judgement::of(Verdict::UserTriggered);
        }
        let target = &*request.target;
        // OPTIONS has the target `*`.
        let is_url = target.starts_with(b"/") || Dialect::RFC9309.reads_url(target);
        let Some((origin, at)) = place.filter(|_| is_url) else {
            return Judgement::of(Verdict::Unknown);
        };
        let profile = &profiles[visitor.profile];
        let lifetime = profile.default_lifetime;
        let knowledge = self.knowledge.get(&(origin, visitor.reader));
        let known =
            knowledge.map_or(Known::UNSEEN, |it| it.at(at, (visitor.profile, profile), lifetime));
        let robots_at_edge = self.options.robots_at_edge;
        let crawler = (who.crawler, &*visitor.rules);
        let question = Question { crawler, at, target, lifetime, robots_at_edge };
        let error = self.sites[origin].error;
        let site = &mut self.sites[origin];
        let mut judgement = site.judge(&question, &known);
        if judgement.verdict == Verdict::DisallowedKnown && !robots_at_edge {
            let (row, own) = ((visitor.profile, profile), self.own.get(&(origin, who.crawler)));
            let mut before = knowledge.into_iter().flat_map(|it| it.before(at, row, lifetime));
            let own = own.map_or(InForce::Unseen, |it| it.at(at, row, lifetime).in_force);
            let is_its_own = match own {
                InForce::Unseen | InForce::Expired | InForce::Forgotten => true,
                _ => site.forbade(&question, (own, at)),
            };
            if !is_its_own || !before.all(|before| site.forbade(&question, before)) {
                judgement.verdict = Verdict::Grace;
            }
        }
        let has_doubt = self.doubts.get(&(origin, who.crawler)).is_some_and(|doubt| {
            at < doubt.after(lifetime) && judgement.received.is_none_or(|since| since <= *doubt)
        });
        judgement.is_proved &= !(has_doubt && judgement.verdict.is_accusation());
        if error.is_zero() || !judgement.verdict.is_accusation() {
            return judgement;
        }
        // Local times may jump, and those of several logs may be of different zones.
        let earlier = knowledge.map_or(Known::UNSEEN, |it| {
            it.at(before(at, error), (visitor.profile, profile), lifetime)
        });
        let is_sure =
            judgement.verdict == Verdict::DisallowedKnown || earlier.in_force == known.in_force;
        if is_sure && !known.is_backwards {
            return judgement;
        }
        let Judgement { is_refused, is_backwards, .. } = judgement;
        Judgement { is_refused, is_backwards, ..Judgement::of(Verdict::Unknown) }
    }

    /// The index of the origin of a request.
    fn site_of(&self, request: &Request<'_>) -> Option<usize> {
        let all = || self.sites.iter().map(|site| &site.origin).enumerate();
        let Some(authority) = request.host.as_deref() else {
            return (self.sites.len() == 1).then_some(0);
        };
        let (host, port) = split_port(authority);
        let is_it = |origin: &Origin| {
            let default = if origin.scheme() == "https" { 443 } else { 80 };
            origin.host().as_bytes().eq_ignore_ascii_case(host)
                && request.scheme.is_none_or(|scheme| origin.scheme() == scheme)
                && port.is_none_or(|port| origin.port().unwrap_or(default) == port)
        };
        let found = || all().filter(|(_, origin)| is_it(origin));
        // Without a port in the log, the origin with the default port is meant.
        let only = |count: usize, first: Option<usize>| if count == 1 { first } else { None };
        let usual = || found().filter(|(_, origin)| origin.port().is_none());
        only(found().count(), found().next().map(|(at, _)| at))
            .or_else(|| only(usual().count(), usual().next().map(|(at, _)| at)))
    }

    /// Counts a judged request of a crawler.
    fn count(
        &mut self,
        request: &Request<'_>,
        origin: Option<usize>,
        who: Who,
        judgement: Judgement,
    ) -> Judged<'_> {
        let Judgement { verdict, decided, in_force, .. } = judgement;
        let visitor = self.visitors.crawler(who.crawler);
        let is_proved = who.proof == Proved::Verified && judgement.is_proved;
        let row = self.rows.entry((who.crawler, origin, is_proved)).or_default();
        let mut flags = Flags {
            unproved: !is_proved,
            refused_robots_txt: judgement.is_refused,
            backwards: judgement.is_backwards,
            too_fast: false,
        };
        let crawler = (who.crawler, &*visitor.rules);
        let (path, target) = (path_of(&request.target), &*request.target);
        let mut site = origin.map(|origin| &mut self.sites[origin]);
        if verdict >= Verdict::Unknown
            && let Some(at) = request.at
        {
            let compiled = match (&mut site, in_force) {
                (Some(site), Some(version)) => site.compile(version, crawler),
                _ => None,
            };
            flags.too_fast = row.recent.add(at, compiled.map_or(&[], |it| &it.limits));
        }
        let is_counted = self.options.counts(request.at);
        if let (Some(site), Some(version)) = (&mut site, in_force)
            && is_proved
            && is_counted
            && visitor.purpose == Some(Purpose::Training)
        {
            row.preferences += u64::from(site.forbids_training(version, crawler, target));
        }
        if verdict >= Verdict::CouldNotRead && is_counted {
            let rule = || site?.rule(decided?.0, crawler, target);
            row.paths.add(path, (verdict, decided), request.at, rule);
        }
        if is_counted {
            row.add(verdict, flags, request.at);
            if let Some(address) = who.address.or(request.peer) {
                row.add_address(address);
            }
            self.report.verdicts.add(verdict);
            self.report.backwards += u64::from(flags.backwards);
        }
        let version = decided.and_then(|(version, _)| {
            Some((version, self.sites.get(origin?)?.history.versions().get(version)?))
        });
        Judged {
            verdict,
            flags,
            crawler: Some(&visitor.token),
            origin,
            version,
            line: decided.and_then(|(_, line)| line),
            received: judgement.received,
            is_accepted: is_proved || self.options.accepts(visitor),
            is_counted,
        }
    }

    /// The report about the requests so far.
    pub fn finish(self) -> Report {
        let mut report = self.report;
        report.history = self.sites.iter().map(Site::report).collect();
        let rows = self.rows.into_iter().filter(|(_, row)| row.verdicts.total() > 0);
        for ((crawler, origin, is_proved), row) in rows {
            let visitor = self.visitors.crawler(crawler);
            let knowledge = origin.and_then(|it| self.knowledge.get(&(it, visitor.reader)));
            let (fetches, fetches_total) = knowledge.map_or((Vec::new(), 0), |knowledge| {
                let (fetches, total) = knowledge.fetches();
                (fetches.map(FetchReport::of).collect(), total)
            });
            report.crawlers.push(CrawlerReport {
                token: visitor.token.clone(),
                operator: visitor.operator.map(str::to_owned),
                purpose: visitor.purpose.map(Purpose::name),
                origin,
                is_proved,
                is_accepted: is_proved || self.options.accepts(visitor),
                verdicts: row.verdicts,
                too_fast: row.too_fast,
                refused_robots_txt: row.refused_robots_txt,
                preferences: row.preferences,
                addresses: row.addresses.len(),
                fetches,
                fetches_total,
                bucket_seconds: row.timeline.seconds,
                timeline: row.timeline.buckets(),
                top: row.paths.top(),
                first: row.first,
                last: row.last,
            });
        }
        let rank = |verdicts: &Counts| {
            let count = |verdict| std::cmp::Reverse(verdicts.get(verdict));
            let accused = [Verdict::DisallowedKnown, Verdict::DisallowedUnread].map(count);
            (accused, std::cmp::Reverse(verdicts.total()))
        };
        report.crawlers.sort_by(|a, b| {
            let order = b.is_accepted.cmp(&a.is_accepted);
            let order = order.then_with(|| rank(&a.verdicts).cmp(&rank(&b.verdicts)));
            order.then_with(|| (&a.token, a.origin).cmp(&(&b.token, b.origin)))
        });
        report
    }
}

impl Options {
    /// Whether a request is within the time that is counted; without a time, if all are.
    fn counts(&self, at: Option<Timestamp>) -> bool {
        at.map_or(self.since.is_none() && self.until.is_none(), |at| {
            self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
        })
    }

    fn accepts(&self, visitor: &Visitor) -> bool {
        self.accept_unproved.iter().any(|token| token.eq_ignore_ascii_case(&visitor.token))
    }
}

impl FetchReport {
    /// Whether its status refuses the file. Most crawlers read that as permission.
    pub fn is_refusal(&self) -> bool {
        self.status.is_some_and(refuses)
    }

    fn of(fetch: &Fetch) -> Self {
        let Fetch { at, status, version, is_proved, .. } = *fetch;
        Self { at, status, version, is_proved }
    }
}

/// The path of a target, without scheme, authority and query.
fn path_of(target: &[u8]) -> &[u8] {
    let find = |text: &[u8], octets: &[u8]| text.iter().position(|octet| octets.contains(octet));
    let path = if target.starts_with(b"/") {
        target
    } else {
        let authority = target.windows(3).take(SCHEME_BYTES).position(|three| three == b"://");
        let rest = authority.map_or(target, |at| &target[at + 3..]);
        authority.map_or(target, |_| &rest[find(rest, b"/?#").unwrap_or(rest.len())..])
    };
    &path[..find(path, b"?#").unwrap_or(path.len())]
}

/// Longer schemes of URLs are not used in requests.
const SCHEME_BYTES: usize = 16;

/// Host and port of an authority.
fn split_port(authority: &[u8]) -> (&[u8], Option<u16>) {
    let bracket = authority.iter().rposition(|octet| *octet == b']').unwrap_or(0);
    let colon = authority[bracket..].iter().position(|octet| *octet == b':');
    let Some(colon) = colon.map(|at| at + bracket) else { return (authority, None) };
    let port = std::str::from_utf8(&authority[colon + 1..]).ok().and_then(|text| text.parse().ok());
    (&authority[..colon], port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{ADDRESSES, HEADERS, IDENTITIES};

    #[test]
    fn memory_is_bounded_by_crawlers_and_rules() {
        let identifier = Identifier::default();
        let history = History::single(&b"User-agent: *\nDisallow: /\n"[..], "robots.txt");
        let origin = "https://shop.example".parse().expect("an origin");
        let mut audit = Audit::new(vec![(origin, history)], &identifier, Options::default());
        for number in 0..40_000_u32 {
            let (agent, path) = (format!("x{number}/1.0 Bytespider"), format!("/{number}"));
            let request = Request {
                at: Some(Timestamp::from_seconds(1_800_000_000 + u64::from(number) * 60)),
                peer: Some(std::net::Ipv4Addr::from_bits(number).into()),
                target: path.as_bytes().into(),
                user_agent: Some(agent.as_bytes().into()),
                ..Request::default()
            };
            audit.add(&request, None);
        }
        let (headers, identities) = audit.visitors.stored();
        assert!(headers <= HEADERS && identities <= IDENTITIES, "{headers} {identities}");
        assert_eq!((audit.rows.len(), audit.knowledge.len()), (1, 0));
        let report = audit.finish();
        let [row] = &report.crawlers[..] else { panic!("{report:#?}") };
        assert_eq!((row.addresses, row.verdicts.total()), (ADDRESSES, 40_000));
    }
}
