//! The audit of a log: a verdict for each request, and the counts.

use std::cmp::Reverse;
use std::collections::HashMap;

use verger::Origin;
use verger::access::Timestamp;
use verger_identity::{Identifier, Identity, Verdict as Proved, may_be_cut};
use verger_registry::Purpose;

use crate::history::History;
use crate::judge::{Judged, Judgement};
use crate::knowledge::{Fetch, Knowledge, Reading, Shared};
use crate::limits::FETCHES;
use crate::log::{Request, absolute, path_of, split_port};
use crate::options::Options;
use crate::rate::Paced;
use crate::report::{CrawlerReport, FetchReport, Report};
use crate::site::{LOCAL_MARGIN, MARGIN, Question, Site};
use crate::tally::Tally;
use crate::verdict::Verdict;
use crate::visitor::{Visitors, Who};

/// The only operator whose documentation says that its crawlers may share a copy: "How Google
/// interprets the robots.txt specification", section "Caching".
const SHARING: &str = "Google";

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
/// let identify = |claim: &_| identifier.identify(claim, at(0));
/// assert_eq!(audit.add(&request(2_000, "/robots.txt"), identify).verdict, Verdict::RobotsTxt);
/// let judged = audit.add(&request(2_100, "/cart/1"), identify);
/// assert_eq!((judged.verdict, judged.line), (Verdict::DisallowedKnown, Some(2)));
/// // Without an address, nothing is proved.
/// assert!(judged.flags.unproved);
/// assert_eq!(audit.finish().verdicts.get(Verdict::DisallowedKnown), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Audit<'a> {
    options: Options,
    sites: Vec<Site>,
    visitors: Visitors<'a>,
    /// The fetches of the crawlers of an operator, by origin and reader.
    shared: HashMap<(usize, usize), Shared>,
    /// The results that a crawler itself received, by origin and crawler: those of others must not
    /// accuse it.
    own: HashMap<(usize, usize), Knowledge>,
    /// By crawler, origin, and whether it is proved.
    rows: HashMap<(usize, Option<usize>, bool), Tally>,
    report: Report,
}

/// A fetch of robots.txt by anybody: the index of the origin, the end, and what it
/// [received](Site::receive).
type Fetched = (usize, Timestamp, Option<(usize, bool)>);

impl<'a> Audit<'a> {
    /// Creates an audit with the histories of the origins, in the order of their indices.
    pub fn new(
        histories: Vec<(Origin, History)>,
        identifier: &'a Identifier,
        options: Options,
    ) -> Self {
        let sites = histories.into_iter().map(|(origin, history)| Site::new(origin, history));
        let sites: Vec<_> = sites.collect();
        let names = sites.iter().flat_map(Site::names).collect();
        let visitors = Visitors::new(identifier, names, options.lifetime);
        Self {
            options,
            sites,
            visitors,
            shared: HashMap::new(),
            own: HashMap::new(),
            rows: HashMap::new(),
            report: Report::default(),
        }
    }

    /// Marks the fetches before this as unknown: lines of the log are missing here, perhaps such
    /// fetches, so the requests after this are judged as if the log began.
    pub fn gap(&mut self) {
        self.sites.iter_mut().for_each(|site| site.seen = None);
        let shared = self.shared.values_mut().map(|it| &mut it.knowledge);
        shared.chain(self.own.values_mut()).for_each(|it| *it = Knowledge::default());
    }

    /// Judges the next request of the log.
    ///
    /// `identify` is [`Identifier::identify`], or the same with look-ups. It is called for a
    /// request that names a crawler or is signed, unless the result is known: it is stored by the
    /// address, the header and the fields of proxies of a client, as long as the lists of addresses
    /// prove the same. A request [after a loss](Request::is_after_loss) is one after a
    /// [gap](Self::gap).
    pub fn add(
        &mut self,
        request: &Request<'_>,
        identify: impl FnOnce(&verger_identity::Request) -> Identity<'a>,
    ) -> Judged<'_> {
        // Nobody knows what a fetch at an unknown time has received.
        let is_lost = request.written().is_none() && request.is_for_robots_txt();
        if request.is_after_loss || is_lost {
            self.gap();
        }
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
        let mut fetch = None;
        // A client can keep a connection open for days: its beginning does not show when the log
        // begins.
        if let (Some(at), Some(origin)) = (request.written(), origin) {
            let site = &mut self.sites[origin];
            let is_fetch = request.is_fetch();
            site.see(at, is_fetch && matches!(request.fetch_status(), Some(200 | 304)));
            if request.is_local {
                site.margin = LOCAL_MARGIN;
            }
            let at = site.end_of(at);
            fetch = is_fetch.then(|| (origin, at, site.receive(request, at)));
        }
        let who = self.visitors.who(request, identify);
        // 29: anybody uses a library, and a name of a group can be that of a program of an
        // operator.
        let is_named = who.as_ref().is_some_and(|who| self.visitors.crawlers[who.crawler].is_known);
        let mut contradicts = false;
        if let Some(fetch) = fetch.filter(|_| !is_named) {
            for reader in self.visitors.listed(request) {
                contradicts |= self.doubt(request, fetch, reader);
            }
        }
        let Some(who) = who else {
            if is_counted {
                self.report.verdicts.add(Verdict::NotACrawler);
            }
            return Judged { origin, contradicts, is_counted, ..Judged::default() };
        };
        let mut judgement = self.judge(request, origin, fetch, &who);
        judgement.contradicts |= contradicts;
        self.count(request, origin, who, judgement, is_counted)
    }

    /// Notes a fetch that may have been one of a reader. Returns whether it is before a request of an
    /// earlier line that was accused, by more than a slow response takes.
    fn doubt(
        &mut self,
        request: &Request<'_>,
        (origin, at, received): Fetched,
        reader: usize,
    ) -> bool {
        // Of several versions, all must forbid (29).
        let has_file =
            request.fetch_status() == Some(200) && received.is_none_or(|(_, is_it)| is_it);
        let shared = self.shared.entry((origin, reader)).or_default();
        let latest = &mut shared.doubts[usize::from(has_file)];
        *latest = (*latest).max(Some(at));
        let is_file = matches!(request.fetch_status(), Some(200 | 304));
        let version = received.filter(|(_, is_it)| is_file && *is_it).map(|(version, _)| version);
        shared.accused_without(version) > request.written().map(|it| it.after(MARGIN))
    }

    /// Judges a crawler's request.
    fn judge(
        &mut self,
        request: &Request<'_>,
        origin: Option<usize>,
        fetch: Option<Fetched>,
        who: &Who<'_>,
    ) -> Judgement {
        let visitor = &self.visitors.crawlers[who.crawler];
        let reader = visitor.reader;
        if who.proof == Proved::Failed {
            let contradicts = fetch.is_some_and(|fetch| self.doubt(request, fetch, reader));
            return Judgement { contradicts, ..Judgement::of(Verdict::Impostor) };
        }
        let profiles = &self.visitors.readers[reader];
        if request.is_for_robots_txt() {
            let mut judgement = Judgement::of(Verdict::RobotsTxt);
            // The file that a person asked for is not read as rules by other crawlers.
            let is_read = visitor.purpose != Some(Purpose::UserTriggered);
            if let Some((origin, at, received)) = fetch {
                let version = received.and_then(|(version, is_it)| is_it.then_some(version));
                judgement.has_other_body = received.is_some() && version.is_none();
                let site = &self.sites[origin];
                let fetch = Fetch {
                    at,
                    status: request.fetch_status(),
                    version: version.filter(|it| site.history.versions()[*it].text.is_some()),
                    is_only: site.is_only(at),
                    by: who.crawler,
                    is_proved: who.proof == Proved::Verified,
                    after: Vec::new(),
                };
                judgement.flags.refused_robots_txt = fetch.is_refused();
                let (status, is_proved) = (request.status, fetch.is_proved);
                // Nobody knows what other spellings get (9).
                let version = version.filter(|_| status == fetch.status);
                let shared = self.shared.entry((origin, reader)).or_default();
                shared.latest.push(FetchReport { at, status, version, is_proved });
                shared.latest.drain(..shared.latest.len().saturating_sub(FETCHES));
                if is_read {
                    let is_file = matches!(fetch.status, Some(200 | 304));
                    let version = fetch.version.filter(|_| is_file);
                    judgement.contradicts = shared.accused_without(version) > request.written();
                    judgement.fetched = fetch.status.map(|_| at);
                    let own = self.own.entry((origin, who.crawler)).or_default();
                    own.add(fetch.clone(), profiles);
                    shared.knowledge.add(fetch, profiles);
                }
            } else if let Some((origin, at)) = origin.zip(request.written())
                && is_read
                && request.freshens()
            {
                self.shared.entry((origin, reader)).or_default().knowledge.freshen(at);
                self.own.entry((origin, who.crawler)).or_default().freshen(at);
            }
            return judgement;
        }
        if visitor.purpose == Some(Purpose::UserTriggered) {
            return Judgement::of(Verdict::UserTriggered);
        }
        let target = &*request.target;
        // OPTIONS has the target `*`, and of other URLs nobody knows the server.
        let is_url = target.starts_with(b"/") || absolute(target).is_some();
        let Some((origin, at)) = origin.zip(request.at).filter(|_| is_url) else {
            return Judgement::of(Verdict::Unknown);
        };
        let question = Question {
            crawler: (who.crawler, &visitor.rules),
            reading: Reading {
                profile: &profiles[visitor.profile],
                row: visitor.profile,
                margin: self.sites[origin].margin,
            },
            at,
            begun: self.sites[origin].begun(request, at),
            target,
            is_target_unclear: request.is_target_unclear,
            robots_at_edge: self.options.robots_at_edge,
        };
        let site = &mut self.sites[origin];
        let shared = self.shared.get(&(origin, reader)).map(|it| &it.knowledge);
        let mut judgement = site.judge(&question, shared);
        // 26
        if judgement.verdict.is_accusation() {
            let own = site.judge(&question, self.own.get(&(origin, who.crawler)));
            if visitor.operator != Some(SHARING) || own.verdict != Verdict::DisallowedUnread {
                judgement = own;
            }
        }
        // 29
        let since = judgement.received.map(|(since, _)| since);
        let is_same = since.is_some_and(|since| site.forbids(&question, since));
        let [without, with] =
            self.shared.get(&(origin, reader)).map(|it| it.doubts).unwrap_or_default();
        let doubt = if is_same { without } else { without.max(with) };
        let is_doubted = doubt.is_some_and(|doubt| {
            judgement.verdict.is_accusation()
                && at < doubt.after(question.lifetime() + site.margin)
                && since.is_none_or(|since| since <= doubt)
        });
        // 32
        let own = self.own.get(&(origin, who.crawler));
        let knowledge = if visitor.operator == Some(SHARING) { shared } else { own };
        judgement.paced_from = site.paced_from(judgement.in_force, &question, knowledge);
        let is_proved = who.proof == Proved::Verified && !judgement.flags.unproved;
        judgement.flags.unproved |= is_doubted;
        let is_evidence = is_proved && !is_doubted || self.options.accepts(visitor);
        if judgement.verdict.is_accusation() && is_evidence {
            let is_known = judgement.verdict == Verdict::DisallowedKnown;
            let by = judgement.decided.filter(|_| is_known).map(|(version, _)| version);
            let accused = &mut self.shared.entry((origin, reader)).or_default().accused;
            let latest = accused.entry(by).or_insert(at);
            *latest = at.max(*latest);
        }
        judgement
    }

    /// The index of the origin of a request; of any scheme without one.
    fn site_of(&self, request: &Request<'_>) -> Option<usize> {
        let Some(authority) = request.host.as_deref() else {
            return (self.sites.len() == 1).then_some(0);
        };
        let (host, port) = split_port(authority)?;
        let is_it = |origin: &Origin| {
            let default = if origin.scheme() == "https" { 443 } else { 80 };
            origin.host().as_bytes().eq_ignore_ascii_case(host)
                && request.scheme.is_none_or(|scheme| origin.scheme() == scheme)
                && port.is_none_or(|port| origin.port().unwrap_or(default) == port)
        };
        let found = || (0..self.sites.len()).filter(|at| is_it(&self.sites[*at].origin));
        // Without a port in the log, the origin with the default port is meant.
        let is_usual = |at: &usize| self.sites[*at].origin.port().is_none();
        only(found()).or_else(|| only(found().filter(is_usual)))
    }

    /// Counts a judged request of a crawler.
    fn count(
        &mut self,
        request: &Request<'_>,
        origin: Option<usize>,
        who: Who<'a>,
        judgement: Judgement,
        is_counted: bool,
    ) -> Judged<'_> {
        let Judgement { verdict, mut flags, decided, in_force, .. } = judgement;
        let visitor = &self.visitors.crawlers[who.crawler];
        flags.unproved |= who.proof != Proved::Verified;
        let is_proved = !flags.unproved;
        let tally = self.rows.entry((who.crawler, origin, is_proved)).or_default();
        let crawler = (who.crawler, &visitor.rules);
        let (path, target) = (path_of(&request.target), &*request.target);
        let mut site = origin.map(|origin| &mut self.sites[origin]);
        // 32: the pages of a redirect are counted once.
        let is_redirect = matches!(request.status, Some(301 | 302 | 303 | 307 | 308));
        if verdict >= Verdict::Unknown
            && !is_redirect
            && let Some(at) = request.at
        {
            let compiled = match (&mut site, in_force) {
                (Some(site), Some(version)) => site.compile(version, crawler),
                _ => None,
            };
            let is_end = request.end == request.at;
            let paced = Paced { at, is_end, known_from: judgement.paced_from };
            flags.too_fast = tally.recent.add(paced, compiled.map_or(&[], |it| &it.limits));
        }
        if let (Some(site), Some(version)) = (&mut site, in_force)
            && is_proved
            && is_counted
            && verdict > Verdict::Unknown
            && visitor.purpose == Some(Purpose::Training)
        {
            tally.row.preferences += u64::from(site.forbids_training(version, crawler, target));
        }
        let top_verdicts = &self.options.top_verdicts;
        let is_asked = top_verdicts.is_empty() || top_verdicts.contains(&verdict);
        if verdict >= Verdict::CouldNotRead && is_counted && is_asked {
            let rule = || {
                let compiled = site?.compile(decided?.0, crawler)?;
                Some(compiled.policy.check(target).rule()?.to_string())
            };
            tally.add_path(path, (verdict, decided), rule);
        }
        if is_counted {
            tally.add(verdict, flags, request.at);
            self.report.cut_addresses += u64::from(who.identity.address.is_some_and(may_be_cut));
            self.report.verdicts.add(verdict);
            self.report.backwards += u64::from(flags.backwards);
            self.report.other_bodies += u64::from(judgement.has_other_body);
            self.report.unclear_targets +=
                u64::from(request.is_target_unclear && verdict == Verdict::Unknown);
        }
        let version = decided.and_then(|(version, _)| {
            Some((version, self.sites.get(origin?)?.history.versions().get(version)?))
        });
        Judged {
            verdict,
            flags,
            crawler: Some(&visitor.token),
            identity: Some(who.identity),
            origin,
            version,
            line: decided.and_then(|(_, line)| line),
            fetched: judgement.fetched,
            received: judgement.received.map(|(since, _)| since),
            fetched_by: judgement.received.map(|(_, by)| &*self.visitors.crawlers[by].token),
            contradicts: judgement.contradicts,
            is_accepted: is_proved || self.options.accepts(visitor),
            is_counted,
        }
    }

    /// The report about the requests so far.
    pub fn finish(self) -> Report {
        let mut report = self.report;
        report.history = self.sites.into_iter().map(Site::report).collect();
        let rows = self.rows.into_iter().filter(|(_, it)| it.row.verdicts.total() > 0);
        for ((crawler, origin, is_proved), tally) in rows {
            let visitor = &self.visitors.crawlers[crawler];
            let shared = origin.and_then(|it| self.shared.get(&(it, visitor.reader)));
            report.crawlers.push(CrawlerReport {
                token: visitor.token.clone(),
                operator: visitor.operator.map(str::to_owned),
                purpose: visitor.purpose.map(Purpose::name),
                origin,
                is_proved,
                is_accepted: is_proved || self.options.accepts(visitor),
                fetches: shared.map(|it| it.latest.clone()).unwrap_or_default(),
                ..tally.finish()
            });
        }
        // Also of a row of proved requests and one of accepted ones, the order is the same each
        // time.
        report.crawlers.sort_by_cached_key(|row| {
            let known = row.verdicts.get(Verdict::DisallowedKnown);
            let unread = row.verdicts.get(Verdict::DisallowedUnread);
            let rank = (row.is_accepted, known, unread, row.verdicts.total());
            (Reverse(rank), row.token.clone(), row.origin, Reverse(row.is_proved))
        });
        report
    }
}

/// The item, if it is the only one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Version;
    use crate::limits::HEADERS;

    #[test]
    fn memory_is_bounded_by_crawlers_and_rules() {
        let identifier = Identifier::default();
        let text = Some(b"User-agent: *\nDisallow: /\n"[..].into());
        let mut history = History::new();
        history.add(Version { from: Timestamp::EPOCH, text, name: "robots.txt".to_owned() });
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
            audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
        }
        assert!(audit.visitors.headers.len() <= HEADERS);
        assert_eq!((audit.rows.len(), audit.shared.len()), (1, 0));
        let report = audit.finish();
        let [row] = &report.crawlers[..] else { panic!("{report:#?}") };
        assert_eq!(row.verdicts.total(), 40_000);
    }
}
