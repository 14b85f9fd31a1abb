//! Keyword arguments of a client. Their errors begin with the name of the argument.

use std::error::Error as _;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyUnicodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use verger::Dialect;
use verger::access::Profile;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::limits::{AT_ONCE, LONGEST_PAUSE, Limits, PAUSE, PER_ADDRESS, Range, TOTAL};
use verger_fetch::net::{Proxy, Roots};
use verger_fetch::polite::Politeness;
use verger_fetch::store::{SqliteOptions, SqliteStore, StoreError};

use crate::text;

/// Keyword arguments of a client. `None` is the default.
pub(super) struct Options<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'a, 'py> Options<'a, 'py> {
    pub(super) const fn new(options: &'a Bound<'py, PyDict>) -> Self {
        Self(options)
    }

    fn given(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.given(name)? else { return Ok(None) };
        value.extract::<T>().map(Some).map_err(|error| {
            let (py, error): (_, PyErr) = (self.0.py(), error.into());
            let message = format!("{name}: {}", error.value(py));
            if error.is_instance_of::<PyUnicodeError>(py) {
                // A lone surrogate. This class takes no single message.
                return PyValueError::new_err(message);
            }
            PyErr::from_type(error.get_type(py), message)
        })
    }

    /// The items of a list.
    fn list<T: FromPyObjectOwned<'py>>(&self, name: &str, kind: &str) -> PyResult<Vec<T>> {
        if let Some(value) = self.given(name)? {
            text::items(name, kind, &value)?;
        }
        Ok(self.get(name)?.unwrap_or_default())
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> PyResult<bool> {
        Ok(self.get(name)?.unwrap_or(default))
    }

    /// A number of seconds in a range.
    fn seconds(&self, name: &str, range: Range<Duration>) -> PyResult<Option<Duration>> {
        let Some(seconds) = self.get::<f64>(name)? else { return Ok(None) };
        let duration = Duration::try_from_secs_f64(seconds).ok();
        let Some(duration) = duration.filter(|it| (range.least..=range.most).contains(it)) else {
            let (least, most) = (range.least.as_secs_f64(), range.most.as_secs_f64());
            let expected = if range.most == Duration::MAX {
                format!("{least} seconds or more")
            } else {
                format!("{least} to {most} seconds")
            };
            return Err(invalid(name, format!("expected {expected}, but found {seconds}")));
        };
        Ok(Some(duration))
    }

    /// A whole number in a range.
    fn number(&self, name: &str, range: Range<usize>) -> PyResult<Option<usize>> {
        let Some(value) = self.given(name)? else { return Ok(None) };
        let number = match self.get::<i64>(name) {
            Err(error) if error.is_instance_of::<PyOverflowError>(self.0.py()) => None,
            number => number?.and_then(|number| usize::try_from(number).ok()),
        };
        let Range { least, most, .. } = range;
        if let Some(number) = number.filter(|number| (least..=most).contains(number)) {
            return Ok(Some(number));
        }
        let most = if most == usize::MAX { "or more".to_owned() } else { format!("to {most}") };
        Err(invalid(name, format!("expected {least} {most}, but found {value}")))
    }

    pub(super) fn identity(&self, user_agent: &str) -> PyResult<Identity> {
        let identity = Identity::new(user_agent).map_err(|error| invalid("user_agent", error))?;
        let Some(address) = self.get::<String>("from_address")? else { return Ok(identity) };
        identity.with_from(&address).map_err(|error| invalid("from_address", error))
    }

    pub(super) fn limits(&self) -> PyResult<Limits> {
        let mut limits = Limits::default();
        if let Some(seconds) = self.seconds("timeout", TOTAL)? {
            limits = limits.with_timeout(seconds).map_err(text::value_error)?;
        }
        if let Some(number) = self.number("max_connections_per_address", PER_ADDRESS)? {
            limits.per_address = number;
        }
        Ok(limits)
    }

    pub(super) fn dialect(&self) -> PyResult<Dialect> {
        self.get::<String>("dialect")?.map_or(Ok(Dialect::RFC9309), |name| text::dialect(&name))
    }

    pub(super) fn access_profile(&self) -> PyResult<Profile> {
        let name = self.get::<String>("access_profile")?;
        name.map_or(Ok(Profile::default()), |name| text::access_profile(&name))
    }

    pub(super) fn max_age(&self) -> PyResult<Option<Duration>> {
        self.seconds("max_age", ANY_TIME)
    }

    pub(super) fn proxy(&self) -> PyResult<Option<Proxy>> {
        let url = self.get::<String>("proxy")?;
        url.map(|url| Proxy::new(&url).map_err(|error| invalid("proxy", error))).transpose()
    }

    pub(super) fn guard(&self) -> PyResult<Guard> {
        let nets = self.list::<String>("allow_nets", "networks")?;
        nets.iter().try_fold(Guard::new(), |guard, net| {
            let net = parse_net(net).map_err(|error| invalid("allow_nets", error))?;
            Ok(guard.with_allowed_net(net))
        })
    }

    pub(super) fn roots(&self) -> PyResult<Roots> {
        let files = self.list::<PathBuf>("ca_files", "paths")?;
        files.iter().try_fold(Roots::mozilla(), |roots, path| {
            let pem = std::fs::read(path)
                .map_err(|error| os_error("ca_files", &error.to_string(), &error, path))?;
            let name = format!("ca_files: {}", path.display());
            roots.with_pem(&pem).map_err(|error| invalid(&name, error))
        })
    }

    pub(super) fn politeness(&self) -> PyResult<Politeness> {
        let mut politeness = Politeness::default();
        if let Some(pause) = self.seconds("pause", PAUSE)? {
            politeness.pause = pause;
        }
        if let Some(longest) = self.seconds("max_pause", LONGEST_PAUSE)? {
            politeness.longest_pause = longest;
        }
        politeness.longest_wait = self.seconds("max_wait", ANY_TIME)?;
        if let Some(requests) = self.number("max_requests_per_site", AT_ONCE)? {
            politeness.at_once = requests;
        }
        politeness.visit_times = self.flag("visit_times", true)?;
        Ok(politeness)
    }

    pub(super) fn store(&self) -> PyResult<Option<Arc<SqliteStore>>> {
        let bytes = self.number("max_store_bytes", ANY_SIZE)?;
        let Some(path) = self.get::<PathBuf>("store")? else { return Ok(None) };
        // The store would create it, and a mistyped path would be an empty store.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some((folder, error)) = folder.and_then(|it| Some((it, it.metadata().err()?))) {
            return Err(os_error("store", &error.to_string(), &error, folder));
        }
        let mut options = SqliteOptions::default();
        if let Some(bytes) = bytes {
            options = options.with_most_bytes(bytes as u64);
        }
        let store = self.0.py().detach(|| SqliteStore::open_blocking(&path, options));
        Ok(Some(Arc::new(store.map_err(|error| store_error(&error, &path))?)))
    }
}

const ANY_TIME: Range<Duration> =
    Range { least: Duration::ZERO, default: Duration::ZERO, most: Duration::MAX };

const ANY_SIZE: Range<usize> = Range { least: 0, default: 0, most: usize::MAX };

fn invalid(name: &str, error: impl Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {error}"))
}

fn store_error(error: &StoreError, path: &Path) -> PyErr {
    match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
        Some(source) => os_error("store", &error.to_string(), source, path),
        None => PyOSError::new_err(format!("store: {}: {error}", path.display())),
    }
}

/// An `OSError`, or the subclass for the number of the error, such as `FileNotFoundError`.
fn os_error(name: &str, message: &str, error: &io::Error, path: &Path) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        return PyOSError::new_err(format!("{name}: {}: {message}", path.display()));
    };
    let path = path.as_os_str().to_owned();
    let message = format!("{name}: {}", message.replace(&format!(" (os error {number})"), ""));
    if cfg!(windows) {
        PyOSError::new_err((0, message, path, number))
    } else {
        PyOSError::new_err((number, message, path))
    }
}
