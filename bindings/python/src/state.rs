//! Meaning and lifetime of fetch results.

use std::hash::{Hash, Hasher};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use verger::Dialect;
use verger::access::{Fetched, Kind, Meaning, Outcome, Profile, Timestamp};

use crate::crawler::{Agent, Names};
use crate::robots::Robots;
use crate::text::{self, bytes, header_fields, value_error};
use crate::verdict::Verdict;

/// Knowledge about the robots.txt of one origin: a result with its lifetime, or an outage.
///
/// For crawlers with their own HTTP client; `Client` has one. A state is immutable: `after` returns
/// the next one. Times are seconds since 1970.
///
/// >>> state = State()
/// >>> state.needs_fetch(1_700_000_000)
/// True
/// >>> state = state.after("network", 1_700_000_000)
/// >>> str(state.check(None, "ExampleBot", "https://shop.example/", 1_700_000_001))
/// 'disallowed: robots.txt cannot be fetched, so everything is disallowed until it can be'
#[pyclass(frozen, eq, hash, module = "verger")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct State {
    state: verger::access::State,
    profile: Profile,
}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.state, self.profile.name).hash(state);
    }
}

impl State {
    fn profile_of(&self, site_available: bool) -> Profile {
        if site_available { self.profile.with_site_available() } else { self.profile }
    }
}

/// Names of the published access profiles.
pub(crate) fn profiles() -> Vec<&'static str> {
    Profile::ALL.iter().map(|row| row.name).collect()
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (access_profile = "rfc9309"))]
    fn new(access_profile: &str) -> PyResult<Self> {
        Ok(Self {
            state: verger::access::State::UNKNOWN,
            profile: text::access_profile(access_profile)?,
        })
    }

    /// Returns the state after a fetch.
    ///
    /// Args:
    ///     outcome: the status of the last response after redirects; or `"not_modified"` (304 to a
    ///         conditional request), `"redirect_limit"`, `"broken_redirect"`, `"disallowed_hop"`,
    ///         `"accepted_empty"` (202 without a body), `"network"` (no complete response), or
    ///         `"local_fault"` (a fault of the crawler's own machine or network).
    ///     now: the time at which the fetch ended.
    ///     headers: the header fields of the response, a mapping or pairs of name and value.
    ///     jitter: any number, other for each origin; it spreads retries.
    #[pyo3(signature = (outcome, now, headers = None, jitter = 0))]
    fn after(
        &self,
        outcome: &Bound<'_, PyAny>,
        now: f64,
        headers: Option<&Bound<'_, PyAny>>,
        jitter: u64,
    ) -> PyResult<Self> {
        let fields = headers.map(header_fields).transpose()?.unwrap_or_default();
        let now = text::timestamp(now)?;
        let fetched = Fetched { jitter, ..Fetched::of(self::outcome(outcome)?, fields, now) };
        let state = self.state.after(&self.profile, fetched, now);
        Ok(Self { state, profile: self.profile })
    }

    /// Returns whether the response to a fetch with this outcome is the file to parse.
    fn is_file(&self, outcome: &Bound<'_, PyAny>) -> PyResult<bool> {
        let outcome = self::outcome(outcome)?;
        Ok(outcome != Outcome::NotModified && self.profile.meaning(outcome) == Meaning::Rules)
    }

    /// Returns whether robots.txt must be fetched before this state answers.
    fn needs_fetch(&self, now: f64) -> PyResult<bool> {
        Ok(self.state.needs_fetch(text::timestamp(now)?))
    }

    /// Returns whether the result may answer while it is fetched again: it is less than 24 hours
    /// old, and there is no outage.
    fn may_answer_while_refreshing(&self, now: f64) -> PyResult<bool> {
        Ok(self.state.may_answer_while_refreshing(text::timestamp(now)?))
    }

    /// Returns the verdict for a URL; `None` if robots.txt must be fetched first.
    ///
    /// Args:
    ///     robots: the last file; `None` without one.
    ///     agent: a product token, a User-Agent header, or a `Crawler`.
    ///     url: absolute, or a path.
    ///     now: the time of the question.
    ///     site_available: whether other URLs of the site answered recently (REP-CACHE-22).
    ///     without_fetch: a due fetch is impossible. There is a verdict then, in doubt disallowed
    ///         (REP-CACHE-26, REP-CACHE-28).
    #[pyo3(signature = (robots, agent, url, now, site_available = false, without_fetch = false))]
    fn check(
        &self,
        robots: Option<&Bound<'_, Robots>>,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        now: f64,
        site_available: bool,
        without_fetch: bool,
    ) -> PyResult<Option<Verdict>> {
        let agent = match robots {
            Some(robots) => robots.get().agent(agent)?,
            None => Agent::of(agent, Names::of(&Dialect::RFC9309))?,
        };
        let (agent, url, now) = (agent.as_ref(), bytes("url", url)?, text::timestamp(now)?);
        let profile = self.profile_of(site_available);
        let access = |state: &verger::access::State| {
            if without_fetch {
                state.access_without_fetch(&profile, now)
            } else {
                state.access(&profile, now)
            }
        };
        let file = robots.map(|robots| &robots.get().inner);
        let verdict = access(&self.state).verdict(file.map(|file| &**file), &agent, &*url);
        // A state whose file is lost is as good as none (REP-CACHE-26).
        let verdict = verdict
            .or_else(|| access(&verger::access::State::UNKNOWN).verdict(None, &agent, &*url));
        Ok(verdict.map(|verdict| Verdict::new(&verdict, file)))
    }

    /// Returns what may be fetched: `"rules"`, `"allow_all"`, `"disallow_all"` or `"unknown"`.
    #[pyo3(signature = (now, site_available = false))]
    fn access(&self, now: f64, site_available: bool) -> PyResult<&'static str> {
        let profile = self.profile_of(site_available);
        let kind: Kind = self.state.access(&profile, text::timestamp(now)?).kind();
        Ok(kind.name())
    }

    /// The time of the next fetch.
    #[getter]
    fn next_fetch(&self) -> u64 {
        self.state.next_try().seconds()
    }

    /// The end of the lifetime of the result; `None` without a result.
    #[getter]
    fn fresh_until(&self) -> Option<u64> {
        self.state.fresh_until().map(Timestamp::seconds)
    }

    /// The time of the fetch of the result; `None` without a result.
    #[getter]
    fn fetched_at(&self) -> Option<u64> {
        self.state.fetched_at().map(Timestamp::seconds)
    }

    /// Whether this state needs the last file.
    #[getter]
    fn has_copy(&self) -> bool {
        self.state.has_copy()
    }

    /// The number of failed fetches in a row.
    #[getter]
    fn failures(&self) -> u32 {
        self.state.failures()
    }

    /// The name of the access profile.
    #[getter]
    fn access_profile(&self) -> &'static str {
        self.profile.name
    }

    /// The maximum number of redirects to follow.
    #[getter]
    fn redirects(&self) -> u8 {
        self.profile.redirects
    }

    /// Whether a redirect from https to http may be followed.
    #[getter]
    fn follow_downgrades(&self) -> bool {
        self.profile.follow_downgrades
    }

    /// Whether a fetch ends at a redirect to a URL that its own site disallows (REP-ACCESS-22).
    #[getter]
    fn stops_at_disallowed_hop(&self) -> bool {
        self.profile.disallowed_hop.is_some()
    }

    /// Returns the state that `bytes(state)` stored, with its access profile.
    ///
    /// Raises:
    ///     ValueError: the bytes are damaged, or of another version.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        decoded(data).ok_or_else(|| value_error("data: expected the bytes of a state, undamaged"))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = self.state.encode().to_vec();
        bytes.extend_from_slice(self.profile.name.as_bytes());
        bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
        PyBytes::new(py, &bytes)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (slf.get().__bytes__(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        let (state, profile) = (self.state, self.profile);
        let next = state.next_try();
        let known = match (state.failures(), state.fetched_at()) {
            (0, None) => return format!("<State {profile}: not fetched yet>"),
            (0, Some(at)) => {
                let kind = state.access(&profile, at).kind();
                format!("{}, fetched at {at}", kind.name())
            }
            (failures, None) => format!("failures: {failures}"),
            (failures, Some(at)) => format!("failures: {failures}, after the file of {at}"),
        };
        format!("<State {profile}: {known}, next fetch at {next}>")
    }
}

/// Decodes the engine's form of a state, the name of its profile, and a checksum. One wrong bit
/// could open a site.
fn decoded(data: &[u8]) -> Option<State> {
    let (data, sum) = data.split_last_chunk()?;
    let (state, name) = data.split_at_checked(verger::access::State::BYTES)?;
    (u64::from_le_bytes(*sum) == checksum(data)).then_some(())?;
    let profile = str::from_utf8(name).ok()?.parse().ok()?;
    Some(State { state: verger::access::State::decode(state)?, profile })
}

/// The sum FNV-1a. Each step is invertible, so every change of one byte changes it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

fn outcome(object: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    if let Ok(status) = object.extract::<u16>() {
        return Ok(if status == 200 { Outcome::Success } else { Outcome::Status(status) });
    }
    let name: String = object.extract().map_err(|_| {
        PyTypeError::new_err("outcome: expected a status or the name of an outcome")
    })?;
    Ok(match &*name {
        "success" => Outcome::Success,
        "not_modified" => Outcome::NotModified,
        "accepted_empty" => Outcome::AcceptedEmpty,
        "redirect_limit" => Outcome::RedirectLimit,
        "broken_redirect" => Outcome::BrokenRedirect,
        "disallowed_hop" => Outcome::DisallowedHop,
        "network" => Outcome::Network,
        "local_fault" => Outcome::LocalFault,
        _ => {
            let known = "success, not_modified, accepted_empty, redirect_limit, broken_redirect, \
                disallowed_hop, network, local_fault";
            let message = format!("outcome: expected a status or one of {known}, but found {name}");
            return Err(PyValueError::new_err(message));
        }
    })
}
