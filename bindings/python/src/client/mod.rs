//! The robots client.
//!
//! One thread runs all requests of a client. A call starts a task there. A blocking call waits for
//! its result without the interpreter lock. For an asynchronous call a second thread passes the
//! result to a function, which wakes the event loop.

mod decision;
mod delivery;
mod objects;
mod options;
mod outcome;

use std::fmt::Write as _;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::runtime::Builder;
use tokio::task::AbortHandle;
use verger::{Crawler, Dialect, Origin, Reason};
use verger_fetch::background::Background;
use verger_fetch::client::{CheckError, RobotsClient, TurnError};
use verger_fetch::store::{MemoryStore, SqliteStore, Store};

pub(crate) use self::decision::Decision;
use self::delivery::Delivery;
pub(crate) use self::delivery::stop_answers;
pub(crate) use self::objects::{Page, Permit, directives};
use self::options::Options;
use self::outcome::{Fault, Found, Outcome};
use crate::crawler::{Agent, Names};
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
struct Open {
    core: Core,
    runtime: Background,
    store: Option<Arc<SqliteStore>>,
    /// Started by the first asynchronous call.
    delivery: Option<Delivery>,
}

/// The part of a client that its tasks use. A task that owned the runtime would keep it alive.
#[derive(Clone)]
struct Core {
    client: RobotsClient,
    crawler: Arc<Crawler>,
    dialect: Dialect,
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
        let crawler = Arc::new(Agent::of(agent, Names::of(&Dialect::RFC9309))?.to_crawler()?);
        let runtime = Background::start().map_err(thread_error)?;
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
        let open = Open { core, runtime, store, delivery: None };
        Ok(Self { open: Mutex::new(Some(open)), process: std::process::id() })
    }

    /// Starts a check. `done` is called with the result or the exception; without it, the call
    /// blocks.
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
        let crawler = agent
            .map(|agent| Agent::of(agent, Names::of(&Dialect::RFC9309))?.to_crawler())
            .transpose()?;
        let dialect = dialect.map(text::dialect).transpose()?;
        self.run(py, done, |core| async move {
            let Core { client, crawler: own, dialect: usual } = core;
            let crawler = crawler.map_or(own, Arc::new);
            let decision = client.check_as(crawler, &dialect.unwrap_or(usual), &url).await?;
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
        let urls = text::urls(urls)?;
        let urls: Vec<String> = text::url_octets(&urls)?.iter().map(|url| escaped(url)).collect();
        self.run(py, done, |Core { client, .. }| async move {
            Ok(Found::Decisions(client.check_all(urls).await))
        })
    }

    /// Starts waiting for a turn.
    #[pyo3(signature = (url, done = None))]
    fn turn(&self, url: &Bound<'_, PyAny>, done: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        self.run_about(url, done, |client, url| async move {
            Ok(Found::Permit(client.turn(&url).await?))
        })
    }

    /// Starts fetching a page.
    #[pyo3(signature = (url, done = None))]
    fn get(&self, url: &Bound<'_, PyAny>, done: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        self.run_about(url, done, |client, url| async move {
            Ok(Found::Page(Box::new(client.get(&url).await?)))
        })
    }

    /// Starts fetching robots.txt again. The result is the decision for the URL.
    #[pyo3(signature = (url, done = None))]
    fn refresh(&self, url: &Bound<'_, PyAny>, done: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        self.run_about(url, done, |client, url| async move {
            client.refresh(&origin(&url)?).await?;
            Ok(Found::Decision(client.check(&url).await?))
        })
    }

    /// Starts looking up the sitemaps of a site.
    #[pyo3(signature = (url, done = None))]
    fn sitemaps(&self, url: &Bound<'_, PyAny>, done: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        self.run_about(url, done, |client, url| async move {
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
        if self.is_inherited() {
            return;
        }
        let open = self.lock().take();
        py.detach(|| open.map_or((), Open::end));
    }

    /// Whether it has no tasks: it was closed, or belongs to the parent process.
    #[getter]
    fn closed(&self) -> bool {
        self.is_inherited() || self.lock().is_none()
    }
}

impl Drop for ClientCore {
    fn drop(&mut self) {
        // No lock: after a fork, a thread of the parent may hold it for ever.
        let mut open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if self.is_inherited() {
            // Its threads are those of the parent; joining them would not end.
            std::mem::forget(open);
            return;
        }
        Python::try_attach(|py| {
            // Ending takes up to a second, and other threads of Python run meanwhile.
            py.detach(|| open.take().map_or((), Open::end));
        });
        // `try_attach` does nothing if the interpreter is shutting down.
        if let Some(open) = open {
            open.end();
        }
    }
}

impl Open {
    /// Ends all tasks, and closes the store. A permit may still own it; then the last one closes
    /// it.
    fn end(self) {
        let Self { core, runtime, store, delivery } = self;
        drop((core, runtime, delivery));
        let closing = store.and_then(Arc::into_inner).map(SqliteStore::close);
        if let (Some(closing), Ok(runtime)) = (closing, Builder::new_current_thread().build()) {
            runtime.block_on(closing);
        }
    }
}

impl ClientCore {
    /// Whether a fork copied it. Its threads do not exist in this process.
    fn is_inherited(&self) -> bool {
        self.process != std::process::id()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a task about a URL.
    fn run_about<T: Future<Output = Outcome> + Send + 'static>(
        &self,
        url: &Bound<'_, PyAny>,
        done: Option<Py<PyAny>>,
        task: impl FnOnce(RobotsClient, String) -> T,
    ) -> PyResult<Py<PyAny>> {
        let (py, url) = (url.py(), url_text(url)?);
        self.run(py, done, |core| task(core.client, url))
    }

    /// Runs a task: blocks until its end, or calls `done` then.
    fn run<T: Future<Output = Outcome> + Send + 'static>(
        &self,
        py: Python<'_>,
        done: Option<Py<PyAny>>,
        task: impl FnOnce(Core) -> T,
    ) -> PyResult<Py<PyAny>> {
        if self.is_inherited() {
            return Err(PyRuntimeError::new_err(
                "this client was created before a fork; create one in each process",
            ));
        }
        let mut guard = self.lock();
        let Some(Open { core, runtime, delivery, .. }) = &mut *guard else {
            return Err(PyRuntimeError::new_err("the client is closed"));
        };
        let task = task(core.clone());
        if let Some(done) = done {
            let delivery = match delivery {
                Some(delivery) => delivery,
                None => delivery.insert(Delivery::start()?),
            };
            let done = delivery.recipient(done);
            let task = runtime.spawn(async move { done.send(task.await) });
            drop(guard);
            return Ok(Py::new(py, Task(task.abort_handle()))?.into_any());
        }
        let (sender, receiver) = mpsc::channel();
        let task = runtime.spawn(async move {
            // An error: nobody waits any longer.
            let _ = sender.send(task.await);
        });
        // Another thread may close the client while this one waits.
        drop(guard);
        wait(py, receiver, &task.abort_handle())
    }
}

/// Waits for a result without the interpreter lock, and looks for signals meanwhile.
fn wait(py: Python<'_>, results: Receiver<Outcome>, task: &AbortHandle) -> PyResult<Py<PyAny>> {
    // `detach` takes what other threads may share.
    let results = Mutex::new(results);
    loop {
        match py.detach(|| {
            results.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS_EVERY)
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

fn thread_error(error: io::Error) -> PyErr {
    PyOSError::new_err(format!("could not start a thread: {error}"))
}

/// A task that can be cancelled.
#[pyclass(frozen, module = "verger._verger")]
pub(crate) struct Task(AbortHandle);

#[pymethods]
impl Task {
    fn cancel(&self) {
        self.0.abort();
    }
}

/// The origin of a URL whose robots.txt is requested.
fn origin(url: &str) -> Result<Origin, TurnError> {
    let origin = Origin::of(url).map_err(CheckError::InvalidUrl)?;
    origin.ok_or(TurnError::Scheme)
}

/// The text of a URL.
fn url_text(url: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(escaped(&text::bytes("url", url)?))
}

/// A URL whose bytes that are not UTF-8 are percent-encoded, as a client sends them: any other
/// character in their place would be another URL.
fn escaped(url: &[u8]) -> String {
    let mut text = String::with_capacity(url.len());
    for chunk in url.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
