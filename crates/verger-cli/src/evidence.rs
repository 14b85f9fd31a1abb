//! Evidence for the operators of crawlers: a folder for each crawler that disobeyed a rule that it
//! had read.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use verger::Untrusted;
use verger::access::Timestamp;
use verger_audit::log::Request;
use verger_audit::{History, Judged, Verdict, Version};
use verger_registry::Registry;

use crate::error::Error;
use crate::input::shown;
use crate::limits::{
    EVIDENCE_ADDRESSES, EVIDENCE_BYTES, EVIDENCE_FETCHES, EVIDENCE_LINE_BYTES, EVIDENCE_LINES,
    EVIDENCE_RULES,
};
use crate::sentence::{brief, counted, quoted};

/// The evidence of a run, in bounded memory.
pub(crate) struct Evidence {
    folder: PathBuf,
    shows_addresses: bool,
    /// Requests of other crawlers and times are not evidence.
    filter: Filter,
    /// The last fetches of robots.txt by each reader and site.
    fetches: HashMap<(String, usize), VecDeque<Fetch>>,
    cases: BTreeMap<(usize, String), Case>,
    bytes: usize,
}

/// The requests that can be evidence.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Tokens of crawlers; all if there are none.
    pub(crate) agents: Vec<String>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
}

impl Filter {
    fn includes(&self, token: &str, at: Timestamp) -> bool {
        (self.agents.is_empty() || self.agents.iter().any(|it| it.eq_ignore_ascii_case(token)))
            && self.since.is_none_or(|since| since <= at)
            && self.until.is_none_or(|until| at < until)
    }
}

/// A line of a log with a fetch of robots.txt.
#[derive(Clone)]
struct Fetch {
    at: Timestamp,
    line: String,
}

/// One crawler that disobeyed one site.
#[derive(Default)]
struct Case {
    requests: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    lines: Vec<String>,
    fetches: BTreeMap<Timestamp, String>,
    /// The rules by the index of their version and their line.
    rules: BTreeMap<(usize, usize), RuleCase>,
    /// The requests by rules beyond [`EVIDENCE_RULES`].
    other_rules: u64,
    /// The proof for each address.
    proofs: BTreeMap<IpAddr, String>,
    /// Requests from addresses whose proof is not in `proofs`.
    other_addresses: u64,
}

/// The requests that one rule forbids.
struct RuleCase {
    requests: u64,
    first: Timestamp,
    /// The time of the fetch that the first request rests on.
    received: Timestamp,
    url: String,
    /// The line with the rule.
    text: String,
}

impl Evidence {
    /// Evidence for a new or empty folder.
    ///
    /// # Errors
    ///
    /// The folder has files, or cannot be made.
    pub(crate) fn new(folder: &Path, shows_addresses: bool, filter: Filter) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::io("write", &shown(folder), &error);
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            let message = format!(
                "expected a new or empty folder for the evidence, but {} has files",
                shown(folder)
            );
            return Err(Error::new(message));
        }
        Ok(Self {
            folder: folder.to_owned(),
            shows_addresses,
            filter,
            fetches: HashMap::new(),
            cases: BTreeMap::new(),
            bytes: 0,
        })
    }

    /// Takes note of a request. `address` is that of the client; `proof` writes the proof of its identity.
    pub(crate) fn add(
        &mut self,
        log: &str,
        request: &Request<'_>,
        judged: &Judged<'_>,
        address: Option<IpAddr>,
        proof: impl FnOnce() -> String,
    ) {
        let (Some(at), Some(origin), Some(token)) = (request.at, judged.origin, judged.crawler)
        else {
            return;
        };
        // The crawlers of an operator share what they have fetched.
        let operator = Registry::bundled().find(token).and_then(|crawler| crawler.operator());
        let reader = || (operator.unwrap_or(token).to_owned(), origin);
        match judged.verdict {
            Verdict::RobotsTxt => {
                let line = self.line(log, request);
                let fetches = self.fetches.entry(reader()).or_default();
                if fetches.len() == EVIDENCE_FETCHES {
                    fetches.pop_front();
                }
                fetches.push_back(Fetch { at, line });
            }
            Verdict::DisallowedKnown if judged.is_accepted && self.filter.includes(token, at) => {
                let line = self.line(log, request);
                let fetches = self.fetches.get(&reader());
                let fetch =
                    judged.received.and_then(|time| fetches?.iter().rfind(|it| it.at == time));
                let case = self.cases.entry((origin, token.to_owned())).or_default();
                case.requests += 1;
                case.first = Some(case.first.map_or(at, |first| first.min(at)));
                case.last = case.last.max(Some(at));
                case.fetches.extend(fetch.map(|fetch| (fetch.at, fetch.line.clone())));
                if case.lines.len() < EVIDENCE_LINES && self.bytes < EVIDENCE_BYTES {
                    self.bytes += line.len();
                    case.lines.push(line);
                }
                case.add_rule(at, request, judged);
                match address {
                    Some(address) if case.proofs.contains_key(&address) => {}
                    Some(address) if case.proofs.len() < EVIDENCE_ADDRESSES => {
                        case.proofs.insert(address, proof());
                    }
                    _ => case.other_addresses += 1,
                }
            }
            _ => {}
        }
    }

    /// A line of a log after its place, escaped.
    fn line(&self, log: &str, request: &Request<'_>) -> String {
        let raw = &request.raw[..request.raw.len().min(EVIDENCE_LINE_BYTES)];
        let text = Untrusted::new(raw).to_string();
        let text = if self.shows_addresses { text } else { without_addresses(&text) };
        format!("{log}:{}: {text}\n", request.line)
    }

    /// Writes all folders, and returns their number.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(crate) fn finish(&self, histories: &[(verger::Origin, History)]) -> Result<usize, Error> {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for ((origin, token), case) in &self.cases {
            let (origin, history) = &histories[*origin];
            let mut name: String = token
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' })
                .take(FOLDER_CHARS)
                .collect();
            let count = names.entry(name.to_ascii_lowercase()).or_default();
            *count += 1;
            if *count > 1 {
                let _ = write!(name, "-{count}");
            }
            let folder = self.folder.join(name);
            let mut files = vec![
                ("requests.log".to_owned(), case.lines.concat().into_bytes()),
                (
                    "fetches.log".to_owned(),
                    case.fetches.values().cloned().collect::<String>().into_bytes(),
                ),
                ("identity.txt".to_owned(), self.proofs(case).into_bytes()),
            ];
            let mut texts = Vec::new();
            let mut versions: Vec<usize> = case.rules.keys().map(|(version, _)| *version).collect();
            versions.dedup();
            for at in versions {
                let Some(version) = history.versions().get(at) else { continue };
                let Some(text) = &version.text else { continue };
                let file = format!("robots-{}.txt", at + 1);
                files.push((file.clone(), text.to_vec()));
                texts.push((at, file, version));
            }
            let summary = case.summary(token, &origin.to_string(), &texts, self.shows_addresses);
            files.push(("summary.md".to_owned(), summary.into_bytes()));
            fs::create_dir_all(&folder)
                .map_err(|error| Error::io("write", &shown(&folder), &error))?;
            for (file, bytes) in files {
                let path = folder.join(file);
                fs::write(&path, bytes)
                    .map_err(|error| Error::io("write", &shown(&path), &error))?;
            }
        }
        Ok(self.cases.len())
    }

    fn proofs(&self, case: &Case) -> String {
        // Cut addresses can be equal.
        let mut proofs: BTreeMap<String, usize> = BTreeMap::new();
        for (address, proof) in &case.proofs {
            let address = address.to_string();
            let address = if self.shows_addresses { address } else { without_addresses(&address) };
            *proofs.entry(format!("{address}\n{proof}")).or_default() += 1;
        }
        let mut text = String::new();
        for (proof, count) in proofs {
            let count = if count > 1 { format!("{count} addresses like ") } else { String::new() };
            let _ = writeln!(text, "{count}{proof}");
        }
        if case.other_addresses > 0 {
            let _ = writeln!(text, "requests from further addresses: {}", case.other_addresses);
        }
        text
    }
}

impl Case {
    fn add_rule(&mut self, at: Timestamp, request: &Request<'_>, judged: &Judged<'_>) {
        let (Some((at_version, version)), Some(line)) = (judged.version, judged.line) else {
            return;
        };
        let key = (at_version, line);
        if self.rules.len() >= EVIDENCE_RULES && !self.rules.contains_key(&key) {
            self.other_rules += 1;
            return;
        }
        let new = || RuleCase {
            requests: 0,
            first: at,
            received: judged.received.unwrap_or(at),
            text: version.text.as_deref().and_then(|text| line_of(text, line)).unwrap_or_default(),
            url: brief(&*request.target).to_string(),
        };
        self.rules.entry(key).or_insert_with(new).requests += 1;
    }

    /// The summary for the operator, in Markdown.
    fn summary(
        &self,
        token: &str,
        site: &str,
        texts: &[(usize, String, &Version)],
        shows_addresses: bool,
    ) -> String {
        let known = Registry::bundled().find(token);
        let operator = known.and_then(|crawler| crawler.operator());
        let name = brief(token).to_string();
        let time = |time: Option<Timestamp>| time.map_or_else(String::new, |it| it.to_string());
        let (first, last) = (time(self.first), time(self.last));
        let requests = counted(self.requests, "request");
        let mut text = format!("# {name} disobeyed the robots.txt of {site}\n\n");
        let page = known.and_then(|crawler| crawler.documentation());
        let page = page.map(|page| format!(" ({page})")).unwrap_or_default();
        let _ =
            writeln!(text, "To {}, operator of {name}{page}\n", operator.unwrap_or("the operator"));
        let _ = writeln!(
            text,
            "From {first} to {last}, your crawler {name} sent {requests} to {site} for URLs that its \
             robots.txt disallows for this crawler. Before each of them, your crawler had received the rule: \
             it had fetched `/robots.txt`, and its copy was still in force.\n"
        );
        text += "| requests | first | URL, for example | rule | robots.txt | received |\n";
        text += "|---:|---|---|---|---|---|\n";
        for ((version, line), case) in &self.rules {
            let file = texts.iter().find(|(at, ..)| at == version).map_or("", |(_, file, _)| file);
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} on line {line} | `{file}` | {} |",
                case.requests,
                case.first,
                table_cell(&case.url),
                table_cell(&case.text),
                case.received
            );
        }
        if self.other_rules > 0 {
            let _ = writeln!(text, "\n{} by further rules.", counted(self.other_rules, "request"));
        }
        text += "\n## Files\n\n";
        let lines = self.lines.len();
        let all = if lines as u64 == self.requests {
            String::new()
        } else {
            format!(" the first {lines} of")
        };
        let _ = writeln!(
            text,
            "- `requests.log`:{all} the lines of the access log, each after its file and its number"
        );
        text += "- `fetches.log`: the lines of the fetches of `/robots.txt` with which the crawler received the rules\n";
        for (_, file, version) in texts {
            let hash = version.sha256().unwrap_or_default();
            let _ = writeln!(
                text,
                "- `{file}`: the text that was served from {} on ({}), SHA-256 `{hash}`",
                version.from,
                brief(&version.name)
            );
        }
        text += "- `identity.txt`: the proof that the requests came from this crawler, for each address\n";
        if !shows_addresses {
            text += "\nThe last part of addresses is cut in these files; ask us for whole ones.\n";
        }
        let _ = write!(
            text,
            "\n## How this was judged\n\n\
             Verger {} judged each request by the text that the crawler itself had last received. A request \
             counts only if\n\n\
             - the identity of its sender is proved by data that you publish, or is accepted by the owner of the site,\n\
             - the log has an earlier successful fetch of `/robots.txt` by one of your crawlers,\n\
             - the text that was served then disallows the URL for this crawler,\n\
             - and this copy was in force: RFC 9309 permits 24 hours (section 2.4), and more while \
             `/robots.txt` is unreachable (section 2.3.1.4).\n\n\
             Requests that only a newer rule forbids are not counted.\n",
            env!("CARGO_PKG_VERSION")
        );
        text
    }
}

/// A line of a robots.txt, which ends at CR, LF or both.
fn line_of(text: &[u8], number: usize) -> Option<String> {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    let line = text.split(['\r', '\n']).nth(number.checked_sub(1)?)?;
    Some(line.trim().to_owned())
}

/// Foreign text as code in a cell of a table in Markdown.
fn table_cell(text: &str) -> String {
    quoted(text).replace('|', "\\|")
}

/// A text whose addresses are cut: of IPv4 the last number is 0, of IPv6 everything after the first
/// three groups.
fn without_addresses(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_hexdigit() || ".:[]".contains(c);
    let mut cut = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let other = after.find(is_part).unwrap_or(after.len());
        cut += &cut_address(word).unwrap_or_else(|| word.to_owned());
        cut += &after[..other];
        rest = &after[other..];
    }
    cut
}

/// A cut address, perhaps with a port; `None` if a word is none.
fn cut_address(word: &str) -> Option<String> {
    let cut = |address: IpAddr| match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            IpAddr::from([a, b, c, 0])
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            IpAddr::from([a, b, c, 0, 0, 0, 0, 0])
        }
    };
    if let Ok(address) = word.parse::<SocketAddr>() {
        return Some(SocketAddr::new(cut(address.ip()), address.port()).to_string());
    }
    let bare = word.trim_matches(['[', ']', '.', ':']);
    // `a::` ends with colons of its own.
    let found = [word, bare].into_iter().find_map(|text| Some((text, text.parse().ok()?)));
    let (text, address) = found?;
    Some(word.replacen(text, &cut(address).to_string(), 1))
}

/// Characters of the name of a folder.
const FOLDER_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_parts_of_addresses_are_cut() {
        for (line, expected) in [
            ("66.249.66.17 - - [x]", "66.249.66.0 - - [x]"),
            ("2001:db8:1:2::7 - -", "2001:db8:1:: - -"),
            ("http h 192.0.2.7:2817 10.0.0.1:80", "http h 192.0.2.0:2817 10.0.0.0:80"),
            ("\"203.0.113.9, 198.51.100.255\"", "\"203.0.113.0, 198.51.100.0\""),
            ("for=\"[2001:db8:cafe::17]:4711\"", "for=\"[2001:db8:cafe::]:4711\""),
            ("::ffff:192.0.2.7", "192.0.2.0"),
            ("10/Mar/2026:13:55:36 /a.b.c HTTP/1.1", "10/Mar/2026:13:55:36 /a.b.c HTTP/1.1"),
            ("é 192.0.2.7", "é 192.0.2.0"),
            ("", ""),
        ] {
            assert_eq!(without_addresses(line), expected);
        }
    }
}
