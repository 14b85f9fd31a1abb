//! The thread that passes results to Python.
//!
//! Only this thread waits for the interpreter lock, which may take long. So waiting results hold
//! up no other task and need no further threads.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use pyo3::prelude::*;

use super::outcome::{Fault, Outcome};

/// Calls functions of Python with the results of tasks.
///
/// Its thread ends when this value and all its [`Done`] are dropped and the last result is
/// delivered. Nothing waits for that: a thread may be the one that drops this value, and Python
/// suspends it for ever if the interpreter shuts down while it waits for the lock.
pub(super) struct Delivery(Sender<Delivered>);

/// A function of Python that takes a result and an exception, and the arguments.
type Delivered = (Py<PyAny>, Outcome);

impl Delivery {
    /// # Errors
    ///
    /// If the thread cannot start.
    pub(super) fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new().name("answers".to_owned()).spawn(move || deliver(&receiver))?;
        Ok(Self(sender))
    }

    /// A recipient of one result.
    pub(super) fn recipient(&self, done: Py<PyAny>) -> Done {
        Done { done: Some(done), queue: self.0.clone() }
    }
}

/// A recipient of one result. It gets [`Fault::Closed`] if its task ends without a result.
pub(super) struct Done {
    done: Option<Py<PyAny>>,
    queue: Sender<Delivered>,
}

impl Done {
    pub(super) fn send(mut self, outcome: Outcome) {
        self.settle(outcome);
    }

    fn settle(&mut self, outcome: Outcome) {
        if let Some(done) = self.done.take() {
            // The error would mean that the thread has panicked.
            let _ = self.queue.send((done, outcome));
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.settle(Err(Fault::Closed));
    }
}

fn deliver(queue: &Receiver<Delivered>) {
    while let Ok(first) = queue.recv() {
        // `None`: the interpreter is shutting down.
        Python::try_attach(|py| {
            call(py, first);
            while let Ok(next) = queue.try_recv() {
                call(py, next);
            }
        });
    }
}

fn call(py: Python<'_>, (done, outcome): Delivered) {
    let (result, error) = match outcome.map(|found| found.into_python(py)) {
        Ok(Ok(result)) => (result, py.None()),
        Ok(Err(error)) => (py.None(), error.into_value(py).into_any()),
        Err(fault) => (py.None(), fault.into_error(py).into_value(py).into_any()),
    };
    if let Err(error) = done.call1(py, (result, error)) {
        error.write_unraisable(py, None);
    }
}
