//! Keyword arguments of a client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use verger::access::Profile;
use verger_fetch::guard::{Guard, parse_net};
use verger_fetch::net::Roots;
use verger_fetch::polite::Politeness;
use verger_fetch::store::{SqliteOptions, SqliteStore};

use crate::text::value_error;

/// Keyword arguments of a client.
pub(super) struct Options<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'a, 'py> Options<'a, 'py> {
    pub(super) const fn new(options: &'a Bound<'py, PyDict>) -> Self {
        Self(options)
    }

    pub(super) fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.0.get_item(name)?.filter(|value| !value.is_none()) else {
            return Ok(None);
        };
        value.extract::<T>().map(Some).map_err(|error| {
            let (py, error): (_, PyErr) = (self.0.py(), error.into());
            PyErr::from_type(error.get_type(py), format!("{name}: {}", error.value(py)))
        })
    }

    pub(super) fn text(&self, name: &str, default: &str) -> PyResult<String> {
        Ok(self.get(name)?.unwrap_or_else(|| default.to_owned()))
    }

    pub(super) fn seconds(&self, name: &str) -> PyResult<Option<Duration>> {
        let seconds = self.get::<f64>(name)?;
        let duration = seconds.map(Duration::try_from_secs_f64).transpose();
        duration.map_err(|_| PyValueError::new_err(format!("{name}: expected seconds, at least 0")))
    }

    pub(super) fn access_profile(&self) -> PyResult<Profile> {
        self.text("access_profile", "rfc9309")?
            .parse()
            .map_err(|error: verger::UnknownName| value_error(error))
    }

    pub(super) fn guard(&self) -> PyResult<Guard> {
        let nets = self.get::<Vec<String>>("allow_nets")?.unwrap_or_default();
        nets.iter().try_fold(Guard::new(), |guard, net| {
            Ok(guard.with_allowed_net(parse_net(net).map_err(value_error)?))
        })
    }

    pub(super) fn roots(&self) -> PyResult<Roots> {
        let files = self.get::<Vec<PathBuf>>("ca_files")?.unwrap_or_default();
        files.iter().try_fold(Roots::mozilla(), |roots, path| {
            let pem = std::fs::read(path)
                .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
            roots.with_pem(&pem).map_err(value_error)
        })
    }

    pub(super) fn politeness(&self) -> PyResult<Politeness> {
        let mut politeness = Politeness::default();
        if let Some(pause) = self.seconds("pause")? {
            politeness = politeness.with_pause(pause).map_err(value_error)?;
        }
        if let Some(longest) = self.seconds("max_pause")? {
            politeness = politeness.with_longest_pause(longest).map_err(value_error)?;
        }
        if let Some(wait) = self.seconds("max_wait")? {
            politeness = politeness.with_longest_wait(wait);
        }
        if let Some(requests) = self.get("max_requests_per_site")? {
            politeness = politeness.with_at_once(requests).map_err(value_error)?;
        }
        if let Some(heeds) = self.get("visit_times")? {
            politeness = politeness.with_visit_times(heeds);
        }
        Ok(politeness)
    }

    pub(super) fn store(&self) -> PyResult<Option<Arc<SqliteStore>>> {
        let Some(path) = self.get::<PathBuf>("store")? else { return Ok(None) };
        let mut options = SqliteOptions::default();
        if let Some(bytes) = self.get("max_store_bytes")? {
            options = options.with_most_bytes(bytes);
        }
        let store = SqliteStore::open_blocking(&path, options)
            .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
        Ok(Some(Arc::new(store)))
    }
}
