//! Results of tasks, and their form in Python.

use pyo3::prelude::*;
use pyo3::types::PyList;
use verger_fetch::client::{self, CheckError, FetchedPage, TurnError};

use super::{Decision, Page, Permit};

/// A result on its way to Python.
pub(super) enum Found {
    Decision(verger_fetch::decision::Decision),
    Decisions(Vec<Result<verger_fetch::decision::Decision, CheckError>>),
    Permit(client::Permit),
    Page(Box<FetchedPage>),
    Urls(Vec<client::SitemapUrl>),
}

/// An error on its way to Python.
pub(super) enum Fault {
    Check(CheckError),
    Turn(TurnError),
    /// The runtime ended first.
    Closed,
}

pub(super) type Outcome = Result<Found, Fault>;

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

impl Found {
    pub(super) fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
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
    pub(super) fn into_error(self, py: Python<'_>) -> PyErr {
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
                let (message, retry_in) = (worded(&error), error.retry_in());
                match error {
                    TurnError::Disallowed(decision) => {
                        let decision = Py::new(py, Decision::of(py, *decision)?)?;
                        errors.getattr("Disallowed")?.call1((message, decision))
                    }
                    TurnError::Unreachable { decision, .. } => {
                        let decision = Py::new(py, Decision::of(py, *decision)?)?;
                        let retry_in = retry_in.map(|time| time.as_secs_f64());
                        errors.getattr("Unreachable")?.call1((message, decision, retry_in))
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

/// A message with the names of Python.
pub(super) fn worded(message: &impl ToString) -> String {
    message.to_string().replace("`per_address`", "`max_connections_per_address`")
}
