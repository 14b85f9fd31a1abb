//! Evidence for the operators of crawlers: a folder for each crawler that disobeyed a rule that its
//! operator had read.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::iter;
use std::net::IpAddr;
use std::path::Path;

use askama::Template;
use verger::access::{Profile, Timestamp};
use verger::{Origin, Untrusted, quoted};
use verger_audit::log::Request;
use verger_audit::{History, Judged, Verdict, Version};
use verger_registry::{Crawler, Registry};

use crate::args::Audit;
use crate::cut_address::cut;
use crate::error::Error;
use crate::input::shown;
use crate::limits::{
    EVIDENCE_BYTES, EVIDENCE_FETCHES, EVIDENCE_LINE_BYTES, EVIDENCE_LINES, EVIDENCE_PROOFS,
    EVIDENCE_RULES, FOLDER_CHARS,
};
use crate::proof::is_in;
use crate::sentence::{brief, counted, joined, many};

/// The evidence of a run, in bounded memory.
pub(crate) struct Evidence<'a> {
    folder: &'a Path,
    args: &'a Audit,
    /// Tokens of the crawlers whose requests can be evidence; all if there are none.
    agents: Vec<String>,
    /// The last successful fetches of robots.txt by each reader and site, in order of time.
    fetches: HashMap<(String, usize), VecDeque<Fetch>>,
    cases: BTreeMap<(usize, String), Case>,
    bytes: usize,
    /// Requests that disobeyed, without the line of the fetch on which they rest.
    pub(crate) lost: u64,
}

/// A line of a log with a successful fetch of robots.txt.
struct Fetch {
    at: Timestamp,
    /// The token of the crawler that fetched.
    token: String,
    /// Whether the copy was confirmed (304): an earlier fetch brought it.
    is_renewal: bool,
    line: String,
    address: Option<IpAddr>,
    proof: String,
}

/// One crawler that disobeyed one site.
#[derive(Default)]
struct Case {
    times: Times,
    /// Requests whose identity the owner of the site accepts without a proof.
    unproved: u64,
    lines: Vec<String>,
    /// The lines of the fetches on which the requests rest.
    fetches: BTreeSet<(Timestamp, String)>,
    /// Requests that rest on a fetch by another crawler of the operator, and these crawlers.
    by_others: u64,
    others: BTreeSet<String>,
    /// The rules by the index of their version and their line.
    rules: BTreeMap<(usize, usize), RuleCase>,
    /// The proofs of each address: one list can have several copies.
    proofs: BTreeMap<(IpAddr, String), Times>,
}

/// The number of requests and their times.
#[derive(Clone, Copy, Default)]
struct Times {
    requests: u64,
    first: Timestamp,
    last: Timestamp,
}

impl Times {
    fn add(&mut self, at: Timestamp) {
        self.first = if self.requests == 0 { at } else { self.first.min(at) };
        self.last = self.last.max(at);
        self.requests += 1;
    }
}

/// The requests that one rule forbids.
struct RuleCase {
    times: Times,
    /// The earliest time of a fetch on which a request rests.
    received: Timestamp,
    url: String,
    /// The line with the rule.
    text: String,
}

impl<'a> Evidence<'a> {
    /// Evidence for a new or empty folder.
    ///
    /// # Errors
    ///
    /// The past was not seen, or the folder has files, or it cannot be made.
    pub(crate) fn new(
        folder: &'a Path,
        args: &'a Audit,
        agents: Vec<String>,
        histories: &[(Origin, History)],
    ) -> Result<Self, Error> {
        if histories.iter().any(|(_, history)| history.is_single()) {
            let expected = "expected the robots.txt of the past for `--evidence`";
            return Err(Error::new(format!("{expected}, but found one file")).with_hint(
                "one file does not show what a crawler had received: `--history git:BRANCH:FILE`, or a folder \
                 of dated files",
            ));
        }
        let failed = |error: io::Error| Error::io("write", &shown(folder), &error);
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            let expected = "expected a new or empty folder for the evidence";
            return Err(Error::new(format!("{expected}, but {} has files", shown(folder))));
        }
        Ok(Self {
            folder,
            args,
            agents,
            fetches: HashMap::new(),
            cases: BTreeMap::new(),
            bytes: 0,
            lost: 0,
        })
    }

    /// Takes note of a request.
    pub(crate) fn add(&mut self, log: &str, request: &Request<'_>, judged: &Judged<'_>) {
        let (Some(at), Some(origin), Some(token), Some(identity)) =
            (request.at, judged.origin, judged.crawler, &judged.identity)
        else {
            return;
        };
        let (address, proof) = (identity.address.or(request.peer), || identity.to_string());
        // The crawlers of an operator share what they have fetched.
        let reader = || {
            let operator = Registry::bundled().find(token).and_then(Crawler::operator);
            (operator.unwrap_or(token).to_owned(), origin)
        };
        // What is cut in texts.
        let client = if self.args.show_addresses { [None; 2] } else { [address, request.peer] };
        match judged.verdict {
            // Only these bring or confirm a text.
            Verdict::RobotsTxt if matches!(request.status, Some(200 | 304)) => {
                // The crawler had the file then.
                let Some(at) = judged.fetched else { return };
                let line = line_with_place(log, request, &client);
                let is_renewal = request.status == Some(304);
                let fetches = self.fetches.entry(reader()).or_default();
                let place = fetches.partition_point(|it| it.at <= at);
                let (token, proof) = (token.to_owned(), proof());
                fetches.insert(place, Fetch { at, token, is_renewal, line, address, proof });
                if fetches.len() > EVIDENCE_FETCHES {
                    // The fetch that brought the text is kept as long as its renewals.
                    fetches.remove(usize::from(fetches[1].is_renewal));
                }
            }
            Verdict::DisallowedKnown
                if judged.is_accepted && judged.is_counted && is_in(&self.agents, token) =>
            {
                let read = (judged.received, judged.fetched_by);
                let is_it = |it: &Fetch| (Some(it.at), Some(&*it.token)) == read;
                let fetches = self.fetches.get(&reader());
                let found = fetches.and_then(|all| Some((all, all.iter().rposition(is_it)?)));
                // Without the line of its fetch, an accusation cannot be shown.
                let (Some((fetches, place)), Some((_, &Version { from, .. }))) =
                    (found, judged.version)
                else {
                    self.lost += 1;
                    return;
                };
                let fetch = &fetches[place];
                let originals = fetches.range(..place).filter(|it| !it.is_renewal);
                // Crawlers of Google can renew what another one fetched.
                let original = originals.max_by_key(|it| (it.token == fetch.token, it.at));
                let original = original.filter(|it| fetch.is_renewal && it.at >= from);
                let line = line_with_place(log, request, &client);
                let case = self.cases.entry((origin, token.to_owned())).or_default();
                case.times.add(at);
                case.unproved += u64::from(judged.flags.unproved);
                if fetch.token != token {
                    case.by_others += 1;
                    case.others.insert(brief(&fetch.token).to_string());
                }
                for fetch in [Some(fetch), original].into_iter().flatten() {
                    // The first ones brought the rules; the others confirm them.
                    if case.fetches.len() < EVIDENCE_LINES {
                        case.fetches.insert((fetch.at, fetch.line.clone()));
                    }
                    case.add_proof(fetch.address, fetch.proof.clone(), fetch.at);
                }
                if case.lines.len() < EVIDENCE_LINES && self.bytes < EVIDENCE_BYTES {
                    self.bytes += line.len();
                    case.lines.push(line);
                }
                case.add_rule(at, request, judged, &client);
                case.add_proof(address, proof(), at);
            }
            _ => {}
        }
    }

    /// Writes all folders, and returns their number.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(crate) fn finish(&self, histories: &[(Origin, History)]) -> Result<usize, Error> {
        let mut names = BTreeSet::new();
        for ((origin, token), case) in &self.cases {
            let (origin, history) = &histories[*origin];
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            let plain = token.chars().map(|c| if is_plain(c) { c } else { '_' });
            let plain: String = plain.take(FOLDER_CHARS).collect();
            let numbered = (2_u64..).map(|number| format!("{plain}-{number}"));
            let mut all = iter::once(plain.clone()).chain(numbered);
            let name = all.find(|name| names.insert(name.to_ascii_lowercase()));
            let folder = self.folder.join(name.unwrap_or_default());
            let versions = case.rules.keys();
            let versions = versions.filter_map(|(at, _)| Some((*at, history.versions().get(*at)?)));
            let versions: BTreeMap<_, _> = versions.collect();
            let known = Registry::bundled().find(token);
            let profile = known.map_or(Profile::RFC9309, Crawler::access_profile);
            let others: Vec<_> = case.others.iter().cloned().collect();
            let summary = Summary {
                case,
                name: brief(token).to_string(),
                operator: known.and_then(Crawler::operator),
                page: known.and_then(Crawler::documentation),
                site: origin,
                requests: counted(case.times.requests, "request"),
                is_proved: case.unproved == 0,
                versions: &versions,
                by_others: counted(case.by_others, "request"),
                others: joined(&others, "or").unwrap_or_default(),
                minutes: self.args.lifetime.unwrap_or(profile.default_lifetime).as_secs() / 60,
                shows_addresses: self.args.show_addresses,
            };
            let fetches: String = case.fetches.iter().map(|(_, line)| &**line).collect();
            let texts = [
                ("requests.log", case.lines.concat()),
                ("fetches.log", fetches),
                ("identity.txt", self.proofs(case)),
                ("summary.md", summary.to_string() + "\n"),
            ];
            let files = texts.map(|(name, text)| (name.to_owned(), text.into_bytes())).into_iter();
            let robots = versions.iter().filter_map(|(at, version)| {
                Some((format!("robots-{}.txt", at + 1), version.text.as_deref()?.to_vec()))
            });
            fs::create_dir_all(&folder)
                .map_err(|error| Error::io("write", &shown(&folder), &error))?;
            for (file, bytes) in files.chain(robots) {
                let path = folder.join(file);
                fs::write(&path, bytes)
                    .map_err(|error| Error::io("write", &shown(&path), &error))?;
            }
        }
        Ok(self.cases.len())
    }

    fn proofs(&self, case: &Case) -> String {
        let mut text = String::new();
        for ((address, proof), Times { first, last, .. }) in &case.proofs {
            let address = if self.args.show_addresses {
                address.to_string()
            } else {
                cut(address.to_canonical())
            };
            let _ = writeln!(text, "{address}, requests from {first} to {last}\n{proof}");
        }
        text
    }
}

impl Case {
    /// Keeps a proof of an address, unless there are too many.
    fn add_proof(&mut self, address: Option<IpAddr>, proof: String, at: Timestamp) {
        let Some(address) = address else { return };
        let key = (address, proof);
        if self.proofs.len() < EVIDENCE_PROOFS || self.proofs.contains_key(&key) {
            self.proofs.entry(key).or_default().add(at);
        }
    }

    fn add_rule(
        &mut self,
        at: Timestamp,
        request: &Request<'_>,
        judged: &Judged<'_>,
        client: &[Option<IpAddr>],
    ) {
        let (Some((at_version, version)), Some(line)) = (judged.version, judged.line) else {
            return;
        };
        let key = (at_version, line);
        if self.rules.len() >= EVIDENCE_RULES && !self.rules.contains_key(&key) {
            return;
        }
        let received = judged.received.unwrap_or(at);
        let new = || RuleCase {
            times: Times::default(),
            received,
            text: version.text.as_deref().and_then(|text| line_of(text, line)).unwrap_or_default(),
            url: without_addresses(&brief(&*request.target).to_string(), client),
        };
        let rule = self.rules.entry(key).or_insert_with(new);
        rule.times.add(at);
        rule.received = rule.received.min(received);
    }
}

/// The summary for the operator, in Markdown.
#[derive(Template)]
#[template(path = "evidence.md", escape = "none")]
struct Summary<'a> {
    case: &'a Case,
    name: String,
    operator: Option<&'a str>,
    page: Option<&'a str>,
    site: &'a Origin,
    requests: String,
    is_proved: bool,
    versions: &'a BTreeMap<usize, &'a Version>,
    /// The requests that rest on fetches by other crawlers of the operator, and these.
    by_others: String,
    others: String,
    /// How long a copy is in force.
    minutes: u64,
    shows_addresses: bool,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A line of a robots.txt, which ends at CR, LF or both.
pub(crate) fn line_of(text: &[u8], number: usize) -> Option<String> {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    let line = text.split(['\r', '\n']).nth(number.checked_sub(1)?)?;
    Some(line.trim().to_owned())
}

/// Foreign text as code in a cell of a table in Markdown.
fn table_cell(text: &str) -> String {
    quoted(text).replace('|', "\\|")
}

/// A line of a log after its place, escaped. The addresses of its client are cut.
fn line_with_place(log: &str, request: &Request<'_>, client: &[Option<IpAddr>]) -> String {
    let raw = &request.raw[..request.raw.len().min(EVIDENCE_LINE_BYTES)];
    let text = without_addresses(&Untrusted::new(raw).to_string(), client);
    format!("{log}:{}: {text}\n", request.line)
}

/// A text in which these addresses are [cut]. Everything else stays, because it is evidence: other
/// numbers can look like addresses.
fn without_addresses(text: &str, addresses: &[Option<IpAddr>]) -> String {
    let is_other = |c: char| !c.is_ascii_hexdigit() && !".:[]".contains(c);
    let pieces = text.split_inclusive(is_other).map(|piece| {
        let word = piece.trim_end_matches(is_other);
        let word_cut = cut_word(word, addresses).unwrap_or_else(|| word.to_owned());
        word_cut + &piece[word.len()..]
    });
    pieces.collect()
}

/// A cut address, perhaps with a port; `None` if a word is none of these addresses.
fn cut_word(word: &str, addresses: &[Option<IpAddr>]) -> Option<String> {
    // `a::` ends with colons of its own.
    let bare = word.trim_matches(['[', ']', '.', ':']);
    let host = word.rsplit_once(':').map_or("", |(host, _)| host).trim_matches(['[', ']']);
    let mut forms = [word, bare, host].into_iter();
    let (form, address) = forms.find_map(|it| Some((it, it.parse::<IpAddr>().ok()?)))?;
    let address = address.to_canonical();
    let is_known = addresses.iter().flatten().any(|it| it.to_canonical() == address);
    is_known.then(|| word.replacen(form, &cut(address), 1))
}

#[cfg(test)]
mod tests;
