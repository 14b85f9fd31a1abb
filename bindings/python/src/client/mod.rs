//! The robots client.
//!
//! One thread runs all requests of a client. A call starts a task there and passes a function that
//! takes its result: a blocking call waits for it without holding the interpreter lock, an
//! asynchronous one wakes its event loop.

mod decision;
mod objects;
mod options;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use verger::{Crawler, Dialect, Origin, Reason};
use verger_fetch::background::Background;
use verger_fetch::client::{self, CheckError, FetchedPage, RobotsClient, TurnError};
use verger_fetch::store::{MemoryStore, SqliteStore, Store};

pub(crate) use self::decision::Decision;
pub(crate) use self::objects::{Page, Permit};
use self::options::Options;
use crate::crawler::Agent;
use crate::text::{self, value_error};

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

/// A client that is not closed.
#[derive(Clone)]
struct Open {
    core: Core,
    runtime: Arc<Background>,
    store: Option<Arc<SqliteStore>>,
}

/// The part of a client that its tasks use. A task that owned the runtime would keep it alive.
#[derive(Clone)]
struct Core {
    client: RobotsClient,
    crawler: Arc<Crawler>,
    dialect: Dialect,
}

/// A result on its way to Python.
enum Found {
    Decision(verger_fetch::decision::Decision),
    Decisions(Vec<Result<verger_fetch::decision::Decision, CheckError>>),
    Permit(client::Permit),
    Page(Box<FetchedPage>),
    Urls(Vec<client::SitemapUrl>),
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
        let crawler = Arc::new(Agent::of(agent)?.to_crawler()?);
        let runtime = Background::start()
            .map_err(|error| PyOSError::new_err(format!("could not start a thread: {error}")))?;
        let options = Options::new(options);
        let (dialect, store) = (options.dialect()?, options.store()?);
        let mut builder =
            RobotsClient::builder(Crawler::clone(&crawler), options.identity(user_agent)?)
                .dialect(dialect)
                .access(options.access_profile()?)
                .guard(options.guard()?)
                .limits(options.limits()?)
                .roots(options.roots()?)
                .politeness(options.politeness()?)
                .offline(options.flag("offline", false)?)
                .answers_while_refreshing(options.flag("answers_while_refreshing", true)?)
                .http2_for_robots(options.flag("http2_for_robots", false)?);
        builder = match &store {
            Some(store) => builder.store(Arc::clone(store) as Arc<dyn Store>),
            None => builder.store(Arc::new(MemoryStore::new())),
        };
        if let Some(proxy) = options.proxy()? {
            builder = builder.proxy(proxy);
        }
        if let Some(age) = options.max_age()? {
            builder = builder.max_age(age);
        }
        let client = {
            let _inside = runtime.enter();
            builder.build().map_err(value_error)?
        };
        let core = Core { client, crawler, dialect };
        let open = Open { core, runtime: Arc::new(runtime), store };
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
        let crawler = agent.map(|agent| Agent::of(agent)?.to_crawler()).transpose()?;
        let dialect = dialect.map(text::dialect).transpose()?;
        self.run(py, done, |core| async move {
            let Core { client, crawler: own, dialect: usual } = core;
            let crawler = crawler.map_or(own, Arc::new);
            let decision = client.check_as(&crawler, &dialect.unwrap_or(usual), &url).await?;
            Ok(Found::Decision(decision))
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
            text::urls(urls)?.map(|url| url_text(&url?)).collect::<PyResult<_>>()?;
        self.run(py, done, |Core { client, .. }| async move {
            Ok(Found::Decisions(client.check_all(urls).await))
        })
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
        self.run(py, done, |Core { client, .. }| async move {
            Ok(Found::Permit(client.turn(&url).await?))
        })
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
        self.run(py, done, |Core { client, .. }| async move {
            Ok(Found::Page(Box::new(client.get(&url).await?)))
        })
    }

    /// Starts fetching robots.txt again. The result is the decision for the URL.
    #[pyo3(signature = (url, done = None))]
    fn refresh(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let url = url_text(url)?;
        self.run(py, done, |Core { client, .. }| async move {
            client.refresh(&origin(&url)?).await?;
            Ok(Found::Decision(client.check(&url).await?))
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
        let url = url_text(url)?;
        self.run(py, done, |Core { client, .. }| async move {
            let origin = origin(&url)?;
            // An empty list would mean that the file names no sitemap.
            let decision = client.check(&format!("{origin}/")).await?;
            if decision.reason() == Reason::Unreachable {
                let next = decision.next_try().unwrap_or_default();
                let again_in = next.since(decision.decided_at());
                return Err(
                    TurnError::Unreachable { decision: Box::new(decision), again_in }.into()
                );
            }
            Ok(Found::Urls(client.sitemaps(&origin).await?))
        })
    }

    /// Ends all tasks, and writes what the store has not written yet.
    fn close(&self, py: Python<'_>) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Open { core, runtime, store }) = open else { return };
        if self.process != std::process::id() {
            // The thread belongs to the parent process; joining it would wait forever.
            std::mem::forget((core, runtime, store));
            return;
        }
        py.detach(|| {
            drop(core);
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
        task: impl FnOnce(Core) -> T,
    ) -> PyResult<Py<PyAny>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this client was made before a fork; make one in each process",
            ));
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(Open { core, runtime, .. }) = open else {
            return Err(PyRuntimeError::new_err("the client is closed"));
        };
        let task = task(core);
        let Some(done) = done else { return wait(py, &runtime, task) };
        let task = runtime.spawn(task);
        let abort = task.abort_handle();
        // The interpreter lock may take long, and must not hold up other tasks.
        runtime.spawn(async move {
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
                Py::new(py, Permit::new(permit, decision, waited))?.into_any()
            }
            Self::Page(page) => {
                let decision = Py::new(py, Decision::of(py, page.decision().clone())?)?;
                Py::new(py, Page::new(*page, decision))?.into_any()
            }
            Self::Urls(urls) => {
                let urls = urls.into_iter().filter_map(|sitemap| sitemap.url);
                PyList::new(py, urls.collect::<Vec<_>>())?.into_any().unbind()
            }
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
            Self::Check(error) => errors.getattr("CheckError")?.call1((worded(&error),)),
            Self::Closed => {
                errors.getattr("CheckError")?.call1(("the client was closed meanwhile",))
            }
            Self::Turn(error) => {
                let message = worded(&error);
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
                        errors.getattr("WaitTooLong")?.call1((message, again_in.as_secs_f64()))
                    }
                    TurnError::Busy { .. } | TurnError::Held { .. } => {
                        errors.getattr("ClientBusy")?.call1((message,))
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

/// A message with the names of Python.
fn worded(message: &impl ToString) -> String {
    message.to_string().replace("`per_address`", "`max_connections_per_address`")
}

/// The origin of a URL whose robots.txt is requested.
fn origin(url: &str) -> Result<Origin, TurnError> {
    let origin = Origin::of(url).map_err(CheckError::InvalidUrl)?;
    origin.ok_or(TurnError::Scheme)
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
