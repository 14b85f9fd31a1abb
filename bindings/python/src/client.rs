//! The robots client.
//!
//! One thread runs all requests of a client. A call starts a task there and passes a function that
//! takes its result: a blocking call waits for it without holding the interpreter lock, an
//! asynchronous one wakes its event loop.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use verger::Origin;
use verger::access::Profile;
use verger_fetch::background::Background;
use verger_fetch::client::{self, CheckError, FetchedPage, RobotsClient, TurnError};
use verger_fetch::decision;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::limits::Limits;
use verger_fetch::net::{Proxy, Roots};
use verger_fetch::polite::Politeness;
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_page::Combine;

use crate::crawler::Agent;
use crate::robots::Robots;
use crate::text;
use crate::verdict::Rule;

/// Time between two looks for signals such as Ctrl-C while a call blocks.
const SIGNALS_EVERY: Duration = Duration::from_millis(50);

/// The native part of `verger.Client` and `verger.AsyncClient`.
#[pyclass(frozen, module = "verger._verger")]
pub(crate) struct ClientCore {
    /// `None` after `close`.
    open: Mutex<Option<Open>>,
    /// The process that made it: threads do not survive a fork.
    process: u32,
}

/// The parts of a client that is not closed.
#[derive(Clone)]
struct Open {
    client: RobotsClient,
    runtime: Arc<Background>,
    store: Option<Arc<SqliteStore>>,
}

/// A result on its way to Python.
enum Found {
    Decision(decision::Decision),
    Decisions(Vec<Result<decision::Decision, CheckError>>),
    Permit(client::Permit),
    Page(Box<FetchedPage>),
    Urls(Vec<client::SitemapUrl>),
    Nothing,
}

/// An error on its way to Python.
enum Fault {
    Check(CheckError),
    Turn(TurnError),
    /// The runtime ended first.
    Closed,
}

type Outcome = Result<Found, Fault>;

impl From<CheckError> for Fault {
    fn from(error: CheckError) -> Self {
        Self::Check(error)
    }
}

impl From<TurnError> for Fault {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Check(error) => Self::Check(error),
            error => Self::Turn(error),
        }
    }
}

#[pymethods]
impl ClientCore {
    #[new]
    #[pyo3(signature = (agent, user_agent, options))]
    fn new(
        agent: &Bound<'_, PyAny>,
        user_agent: &str,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let crawler = match Agent::of(agent)? {
            Agent::Crawler(crawler) => crawler.0.clone(),
            Agent::Text(text) => verger::Crawler::from_user_agent(&text).map_err(value_error)?,
        };
        let runtime = Background::start()
            .map_err(|error| PyOSError::new_err(format!("could not start a thread: {error}")))?;
        let options = Options(options);
        let mut identity = Identity::new(user_agent).map_err(value_error)?;
        if let Some(address) = options.get::<String>("from_address")? {
            identity = identity.with_from(&address).map_err(value_error)?;
        }
        let mut limits = Limits::default();
        if let Some(seconds) = options.seconds("timeout")? {
            limits = limits.with_timeout(seconds).map_err(value_error)?;
        }
        if let Some(number) = options.get("max_connections_per_address")? {
            limits = limits.with_per_address(number).map_err(value_error)?;
        }
        let store = options.store()?;
        let mut builder = RobotsClient::builder(crawler, identity)
            .dialect(text::dialect(&options.text("dialect", "rfc9309")?)?)
            .access(options.profile()?)
            .guard(options.guard()?)
            .limits(limits)
            .roots(options.roots()?)
            .politeness(options.politeness()?)
            .offline(options.get("offline")?.unwrap_or(false))
            .answers_while_refreshing(options.get("answers_while_refreshing")?.unwrap_or(true))
            .http2_for_robots(options.get("http2_for_robots")?.unwrap_or(false));
        builder = match &store {
            Some(store) => builder.store(Arc::clone(store) as Arc<dyn Store>),
            None => builder.store(Arc::new(MemoryStore::new())),
        };
        if let Some(url) = options.get::<String>("proxy")? {
            builder = builder.proxy(Proxy::new(&url).map_err(value_error)?);
        }
        if let Some(age) = options.seconds("max_age")? {
            builder = builder.max_age(age);
        }
        let client = {
            let _inside = runtime.enter();
            builder.build().map_err(value_error)?
        };
        let open = Open { client, runtime: Arc::new(runtime), store };
        Ok(Self { open: Mutex::new(Some(open)), process: std::process::id() })
    }

    /// Starts a check. `done` is called with the result or the exception; without it, the call blocks.
    #[pyo3(signature = (url, done = None, agent = None, dialect = None))]
    fn check(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
        agent: Option<&Bound<'_, PyAny>>,
        dialect: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let url = url_text(url)?;
        let other = match (agent, dialect) {
            (None, None) => None,
            (agent, dialect) => {
                let crawler = match agent.map(Agent::of).transpose()? {
                    Some(Agent::Crawler(crawler)) => Some(crawler.0.clone()),
                    Some(Agent::Text(text)) => {
                        Some(verger::Crawler::from_user_agent(&text).map_err(value_error)?)
                    }
                    None => None,
                };
                let crawler = crawler
                    .ok_or_else(|| PyValueError::new_err("dialect: expected an agent, too"))?;
                Some((Arc::new(crawler), text::dialect(dialect.unwrap_or("rfc9309"))?))
            }
        };
        self.run(py, done, |client| async move {
            Ok(Found::Decision(match other {
                None => client.check(&url).await?,
                Some((crawler, dialect)) => client.check_as(&crawler, &dialect, &url).await?,
            }))
        })
    }

    /// Starts checks of many URLs.
    #[pyo3(signature = (urls, done = None))]
    fn check_all(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let urls: Vec<String> =
            urls.try_iter()?.map(|url| url_text(&url?)).collect::<PyResult<_>>()?;
        self.run(
            py,
            done,
            |client| async move { Ok(Found::Decisions(client.check_all(urls).await)) },
        )
    }

    /// Starts waiting for a turn.
    #[pyo3(signature = (url, done = None))]
    fn turn(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let url = url_text(url)?;
        self.run(py, done, |client| async move { Ok(Found::Permit(client.turn(&url).await?)) })
    }

    /// Starts fetching a page.
    #[pyo3(signature = (url, done = None))]
    fn get(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let url = url_text(url)?;
        self.run(
            py,
            done,
            |client| async move { Ok(Found::Page(Box::new(client.get(&url).await?))) },
        )
    }

    /// Starts fetching robots.txt again.
    #[pyo3(signature = (url, done = None))]
    fn refresh(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let origin = origin(&url_text(url)?)?;
        self.run(py, done, |client| async move {
            client.refresh(&origin).await?;
            Ok(Found::Nothing)
        })
    }

    /// Starts looking up the sitemaps of a site.
    #[pyo3(signature = (url, done = None))]
    fn sitemaps(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let origin = origin(&url_text(url)?)?;
        self.run(py, done, |client| async move { Ok(Found::Urls(client.sitemaps(&origin).await?)) })
    }

    /// Ends all tasks, and writes what the store has not written yet.
    fn close(&self, py: Python<'_>) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Open { client, runtime, store }) = open else { return };
        if self.process != std::process::id() {
            // The thread belongs to the parent process; joining it would wait forever.
            std::mem::forget((client, runtime, store));
            return;
        }
        py.detach(|| {
            drop(client);
            // A permit or a task may still own it; then the last of them closes it.
            if let Some(store) = store.and_then(Arc::into_inner) {
                runtime.block_on(store.close());
            }
            drop(runtime);
        });
    }
}

impl ClientCore {
    /// Runs a task: blocks until its end, or calls `done` then.
    fn run<T: Future<Output = Outcome> + Send + 'static>(
        &self,
        py: Python<'_>,
        done: Option<Py<PyAny>>,
        task: impl FnOnce(RobotsClient) -> T,
    ) -> PyResult<Py<PyAny>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this client was made before a fork; make one in each process",
            ));
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(Open { client, runtime, .. }) = open else {
            return Err(PyRuntimeError::new_err("the client is closed"));
        };
        let task = task(client);
        let Some(done) = done else { return wait(py, &runtime, task) };
        let task = runtime.spawn(task);
        let abort = task.abort_handle();
        // The interpreter lock may take long, and must not hold up other tasks.
        let blocking = runtime.spawn(async move {
            let outcome = task.await.unwrap_or(Err(Fault::Closed));
            tokio::task::spawn_blocking(move || {
                // `None`: the interpreter is shutting down.
                Python::try_attach(|py| {
                    let (result, error) = match outcome.map(|found| found.into_python(py)) {
                        Ok(Ok(result)) => (result, py.None()),
                        Ok(Err(error)) => (py.None(), error.into_value(py).into_any()),
                        Err(fault) => (py.None(), fault.into_error(py).into_value(py).into_any()),
                    };
                    if let Err(error) = done.call1(py, (result, error)) {
                        error.write_unraisable(py, None);
                    }
                });
            });
        });
        drop(blocking);
        Ok(Py::new(py, Task(abort))?.into_any())
    }
}

/// Waits for a task without the interpreter lock, and looks for signals meanwhile.
fn wait(
    py: Python<'_>,
    runtime: &Background,
    task: impl Future<Output = Outcome> + Send + 'static,
) -> PyResult<Py<PyAny>> {
    let (sender, receiver) = mpsc::channel();
    // `detach` takes what other threads may share.
    let receiver = Mutex::new(receiver);
    let task = runtime.spawn(async move {
        // An error: nobody waits any longer.
        let _ = sender.send(task.await);
    });
    loop {
        match py.detach(|| {
            receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS_EVERY)
        }) {
            Ok(Ok(found)) => return found.into_python(py),
            Ok(Err(fault)) => return Err(fault.into_error(py)),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    task.abort();
                    return Err(signal);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(Fault::Closed.into_error(py)),
        }
    }
}

impl Found {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Decision(decision) => Py::new(py, Decision::of(py, decision)?)?.into_any(),
            Self::Decisions(decisions) => {
                let list = PyList::empty(py);
                for decision in decisions {
                    match decision {
                        Ok(decision) => list.append(Decision::of(py, decision)?)?,
                        Err(error) => {
                            list.append(Fault::Check(error).into_error(py).into_value(py))?
                        }
                    }
                }
                list.into_any().unbind()
            }
            Self::Permit(permit) => {
                let decision = Py::new(py, Decision::of(py, permit.decision().clone())?)?;
                let waited = permit.waited().as_secs_f64();
                let permit = Mutex::new(Some(permit));
                Py::new(py, Permit { permit, decision, waited })?.into_any()
            }
            Self::Page(page) => {
                let decision = Py::new(py, Decision::of(py, page.decision().clone())?)?;
                Py::new(py, Page { page: *page, decision })?.into_any()
            }
            Self::Urls(urls) => {
                let urls = urls.into_iter().filter_map(|sitemap| sitemap.url);
                PyList::new(py, urls.collect::<Vec<_>>())?.into_any().unbind()
            }
            Self::Nothing => py.None(),
        })
    }
}

impl Fault {
    /// The exception, an instance of a class of `verger._errors`.
    fn into_error(self, py: Python<'_>) -> PyErr {
        self.exception(py).map_or_else(|error| error, PyErr::from_value)
    }

    fn exception(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let errors = py.import("verger._errors")?;
        match self {
            Self::Check(CheckError::InvalidUrl(error)) => {
                errors.getattr("InvalidUrl")?.call1((error.to_string(),))
            }
            Self::Check(error) => errors.getattr("CheckError")?.call1((error.to_string(),)),
            Self::Closed => {
                errors.getattr("CheckError")?.call1(("the client was closed meanwhile",))
            }
            Self::Turn(error) => {
                let message = error.to_string();
                match error {
                    TurnError::Disallowed(decision) => {
                        let decision = Py::new(py, Decision::of(py, *decision)?)?;
                        errors.getattr("Disallowed")?.call1((message, decision))
                    }
                    TurnError::Unreachable { decision, again_in } => {
                        let decision = Py::new(py, Decision::of(py, *decision)?)?;
                        let again_in = again_in.as_secs_f64();
                        errors.getattr("Unreachable")?.call1((message, decision, again_in))
                    }
                    TurnError::TooLong { again_in, .. } => {
                        errors.getattr("TooLong")?.call1((message, again_in.as_secs_f64()))
                    }
                    TurnError::Busy { .. } | TurnError::Held { .. } => {
                        errors.getattr("Busy")?.call1((message,))
                    }
                    TurnError::Scheme => errors.getattr("InvalidUrl")?.call1((message,)),
                    TurnError::Offline => errors.getattr("Offline")?.call1((message,)),
                    _ => errors.getattr("TurnError")?.call1((message,)),
                }
            }
        }
    }
}

/// A task that can be cancelled.
#[pyclass(frozen, module = "verger._verger")]
pub(crate) struct Task(tokio::task::AbortHandle);

#[pymethods]
impl Task {
    fn cancel(&self) {
        self.0.abort();
    }
}

/// A verdict of a client with its evidence: which file, fetched when, from where.
///
/// A decision is true if the URL is allowed. `str()` explains it.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Decision {
    inner: decision::Decision,
    /// The rules of the site.
    #[pyo3(get)]
    robots: Py<Robots>,
}

impl Decision {
    fn of(py: Python<'_>, inner: decision::Decision) -> PyResult<Self> {
        let robots = Py::new(py, Robots { inner: Arc::clone(inner.robots()) })?;
        Ok(Self { inner, robots })
    }
}

#[pymethods]
impl Decision {
    /// Whether the crawler may fetch the URL now.
    #[getter]
    fn allowed(&self) -> bool {
        self.inner.is_allowed()
    }

    /// The reason, as in `Verdict.reason`.
    #[getter]
    fn reason(&self) -> &'static str {
        self.inner.reason().name()
    }

    /// The URL as checked, in normal form.
    #[getter]
    fn url(&self) -> &str {
        self.inner.url().as_str()
    }

    /// The deciding rule; `None` if no rule decided.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.inner.verdict().rule().map(Rule::of)
    }

    /// The line of the deciding rule, from 1; `None` if no rule decided.
    #[getter]
    fn line(&self) -> Option<usize> {
        self.inner.verdict().rule().map(|rule| rule.position().line)
    }

    /// Seconds until another answer is possible, if robots.txt could not be fetched; `None` otherwise.
    #[getter]
    fn retry_in(&self) -> Option<f64> {
        self.inner.retry_in().map(|time| time.as_secs_f64())
    }

    /// Seconds until a request may be sent, as far as it is known now.
    #[getter]
    fn delay(&self) -> f64 {
        self.inner.delay().as_secs_f64()
    }

    /// Source of the record: `"fetch"`, `"store"`, `"offline"` or `"nothing"`.
    #[getter]
    fn source(&self) -> &'static str {
        self.inner.source().name()
    }

    /// The failure of the last fetch of robots.txt; `None` if it succeeded.
    #[getter]
    fn failure(&self) -> Option<String> {
        self.inner.failure().map(ToString::to_string)
    }

    /// Whether the client or its network failed, not the site: nothing is known of the site then.
    #[getter]
    fn is_fault(&self) -> bool {
        self.inner.fault().is_some()
    }

    /// The evidence as JSON: key `decision` of the program's answers (`docs/json.md`).
    fn evidence_json(&self) -> PyResult<String> {
        let keys = verger_json::decision::DecisionKeys::of(&self.inner);
        serde_json::to_string(&keys).map_err(value_error)
    }

    /// The evidence as a dictionary: URLs, redirects, times, hash, validators, cause.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.evidence_json()?,))
    }

    fn __bool__(&self) -> bool {
        self.inner.is_allowed()
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Decision: {}>", self.inner)
    }
}

/// Permission for one request, given when its turn came.
///
/// Report the response, so that the pause after it is right. Leaving a `with` block without a report
/// releases the turn.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Permit {
    permit: Mutex<Option<client::Permit>>,
    /// The decision that allows the URL.
    #[pyo3(get)]
    decision: Py<Decision>,
    /// Seconds that the turn was waited for.
    #[pyo3(get)]
    waited: f64,
}

impl Permit {
    fn take(&self) -> Option<client::Permit> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl Permit {
    /// Reports the response.
    ///
    /// Args:
    ///     status: the status of the response.
    ///     headers: its header fields, a mapping or pairs of name and value; `Retry-After` counts.
    ///
    /// Returns:
    ///     The URL of a redirect, which needs another turn; `None` otherwise.
    #[pyo3(signature = (status, headers = None))]
    fn report(
        &self,
        py: Python<'_>,
        status: u16,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
        if let Some(headers) = headers {
            let pairs = if headers.hasattr("items")? {
                headers.call_method0("items")?
            } else {
                headers.clone()
            };
            for pair in pairs.try_iter()? {
                let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
                let name = text::bytes("header name", &name)?;
                let name = String::from_utf8_lossy(&name).into_owned();
                fields.push((name, text::bytes("header value", &value)?.into_owned()));
            }
        }
        let Some(permit) = self.take() else { return Ok(None) };
        Ok(py.detach(|| permit.report_response(status, fields)).map(String::from))
    }

    /// Reports that there was no response.
    fn report_failure(&self, py: Python<'_>) {
        if let Some(permit) = self.take() {
            py.detach(|| permit.report_failure());
        }
    }

    /// Releases the turn without a report.
    fn release(&self, py: Python<'_>) {
        let permit = self.take();
        py.detach(|| drop(permit));
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.release(py);
    }
}

/// A page fetched by a client, through its redirects.
#[pyclass(frozen, module = "verger")]
pub(crate) struct Page {
    page: FetchedPage,
    /// The decision that allowed the last URL.
    #[pyo3(get)]
    decision: Py<Decision>,
}

#[pymethods]
impl Page {
    /// The URL that answered.
    #[getter]
    fn url(&self) -> &str {
        self.page.url().as_str()
    }

    /// The last status; `None` without a response.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.page.status()
    }

    /// Whether there is a complete response with status 2xx.
    #[getter]
    fn ok(&self) -> bool {
        self.page.is_success()
    }

    /// The outcome in words.
    #[getter]
    fn outcome(&self) -> String {
        self.page.outcome().to_string()
    }

    /// The header fields of the last response: names in lower case, values as received.
    #[getter]
    fn headers(&self, py: Python<'_>) -> Vec<(String, Py<PyBytes>)> {
        let field =
            |(name, value): (&str, &[u8])| (name.to_owned(), PyBytes::new(py, value).unbind());
        self.page.fields().map(field).collect()
    }

    /// The decoded body; empty without success.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.page.body())
    }

    /// Whether the body was cut at the size limit.
    #[getter]
    fn truncated(&self) -> bool {
        self.page.is_truncated()
    }

    /// Seconds that all turns were waited for.
    #[getter]
    fn waited(&self) -> f64 {
        self.page.waited().as_secs_f64()
    }

    /// Returns the directives for the crawler in robots meta elements and `X-Robots-Tag`:
    /// `["noindex", "max-snippet:50"]`.
    ///
    /// Args:
    ///     combine: the vendor whose way to combine several statements applies: "google", "bing",
    ///         "yandex", ….
    #[pyo3(signature = (combine = "google"))]
    fn directives(&self, combine: &str) -> PyResult<Vec<String>> {
        let combine: Combine =
            combine.parse().map_err(|error: verger::UnknownName| value_error(error))?;
        Ok(self
            .page
            .directives(&combine)
            .iter()
            .map(|found| found.directive().to_string())
            .collect())
    }

    /// Whether the page asks not to be indexed, as Google reads it.
    #[getter]
    fn noindex(&self) -> bool {
        self.page.directives(&Combine::GOOGLE).noindex()
    }

    /// Whether the page asks not to follow its links, as Google reads it.
    #[getter]
    fn nofollow(&self) -> bool {
        self.page.directives(&Combine::GOOGLE).nofollow()
    }

    fn __repr__(&self) -> String {
        format!("<Page {}: {}>", self.page.url(), self.page.outcome())
    }
}

/// Keyword arguments of a client.
struct Options<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Options<'_, 'py> {
    fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.0.get_item(name)?.filter(|value| !value.is_none()) else {
            return Ok(None);
        };
        value.extract::<T>().map(Some).map_err(|error| {
            let (py, error): (_, PyErr) = (self.0.py(), error.into());
            PyErr::from_type(error.get_type(py), format!("{name}: {}", error.value(py)))
        })
    }

    fn text(&self, name: &str, default: &str) -> PyResult<String> {
        Ok(self.get(name)?.unwrap_or_else(|| default.to_owned()))
    }

    fn seconds(&self, name: &str) -> PyResult<Option<Duration>> {
        let seconds = self.get::<f64>(name)?;
        let duration = seconds.map(Duration::try_from_secs_f64).transpose();
        duration.map_err(|_| PyValueError::new_err(format!("{name}: expected seconds, at least 0")))
    }

    fn profile(&self) -> PyResult<Profile> {
        self.text("profile", "rfc9309")?
            .parse()
            .map_err(|error: verger::UnknownName| value_error(error))
    }

    fn guard(&self) -> PyResult<Guard> {
        let nets = self.get::<Vec<String>>("allow_nets")?.unwrap_or_default();
        nets.iter().try_fold(Guard::new(), |guard, net| {
            Ok(guard.with_allowed_net(parse_net(net).map_err(value_error)?))
        })
    }

    fn roots(&self) -> PyResult<Roots> {
        let files = self.get::<Vec<PathBuf>>("ca_files")?.unwrap_or_default();
        files.iter().try_fold(Roots::mozilla(), |roots, path| {
            let pem = std::fs::read(path)
                .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
            roots.with_pem(&pem).map_err(value_error)
        })
    }

    fn politeness(&self) -> PyResult<Politeness> {
        let mut politeness = Politeness::default();
        if let Some(pause) = self.seconds("pause")? {
            politeness = politeness.with_pause(pause).map_err(value_error)?;
        }
        if let Some(longest) = self.seconds("longest_pause")? {
            politeness = politeness.with_longest_pause(longest).map_err(value_error)?;
        }
        if let Some(wait) = self.seconds("longest_wait")? {
            politeness = politeness.with_longest_wait(wait);
        }
        if let Some(requests) = self.get("at_once")? {
            politeness = politeness.with_at_once(requests).map_err(value_error)?;
        }
        if let Some(heeds) = self.get("visit_times")? {
            politeness = politeness.with_visit_times(heeds);
        }
        Ok(politeness)
    }

    fn store(&self) -> PyResult<Option<Arc<SqliteStore>>> {
        let Some(path) = self.get::<PathBuf>("store")? else { return Ok(None) };
        let mut options = SqliteOptions::default();
        if let Some(bytes) = self.get("store_bytes")? {
            options = options.with_most_bytes(bytes);
        }
        let store = SqliteStore::open_blocking(&path, options)
            .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
        Ok(Some(Arc::new(store)))
    }
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The text of a URL. A lone surrogate is no part of any URL, and stays invalid.
fn url_text(url: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = url.cast::<PyString>()
        && let Ok(text) = text.to_str()
    {
        return Ok(text.to_owned());
    }
    Ok(String::from_utf8_lossy(&text::bytes("url", url)?).into_owned())
}

fn origin(url: &str) -> PyResult<Origin> {
    Origin::of(url)
        .map_err(value_error)?
        .ok_or_else(|| PyValueError::new_err(format!("no robots.txt for: {url}")))
}
