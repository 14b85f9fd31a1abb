//! The thread that passes results to Python.
//!
//! Only this thread waits for the interpreter lock, which may take long. So waiting results hold
//! up no other task and need no further threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::outcome::{Fault, Outcome};

/// Calls functions of Python with the results of tasks.
///
/// Its thread ends when this value and all its [`Done`] are dropped and the last result is
/// delivered. Nothing waits for that, because this thread may itself drop the last reference to a
/// client.
pub(super) struct Delivery(Sender<Delivered>);

/// A function of Python that takes a result and an exception, and the arguments.
type Delivered = (Py<PyAny>, Outcome);

impl Delivery {
    /// # Errors
    ///
    /// `OSError` if the thread cannot start, `RuntimeError` if the interpreter is shutting down.
    pub(super) fn start() -> PyResult<Self> {
        if IS_STOPPED.load(Ordering::Relaxed) {
            return Err(PyRuntimeError::new_err("the interpreter is shutting down"));
        }
        let gate = Gate::new();
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new()
            .name("answers".to_owned())
            .spawn(move || deliver(&gate, &receiver))
            .map_err(super::thread_error)?;
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

fn deliver(gate: &Gate, queue: &Receiver<Delivered>) {
    while let Ok(first) = queue.recv() {
        let is_open = gate.lock();
        if !*is_open {
            return;
        }
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

/// Forbids the threads to call Python. It is registered with `atexit`.
///
/// Python ends a thread that executes its code while the interpreter shuts down, and unwinds its
/// stack. That crashes the process, because this library is on the stack, too.
#[pyfunction]
pub(crate) fn stop_answers(py: Python<'_>) {
    IS_STOPPED.store(true, Ordering::Relaxed);
    let gates = std::mem::take(&mut *gates());
    py.detach(|| {
        for gate in gates.iter().filter_map(Weak::upgrade).filter(|gate| !gate.is_inherited()) {
            *gate.lock() = false;
        }
    });
}

/// Whether a thread may call Python. It holds the lock while it does.
struct Gate {
    is_open: Mutex<bool>,
    process: u32,
}

/// Whether the interpreter is shutting down.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// The gates of all threads. Only holders of the interpreter lock take this lock, so a fork never
/// copies it in its locked state.
static GATES: Mutex<Vec<Weak<Gate>>> = Mutex::new(Vec::new());

impl Gate {
    fn new() -> Arc<Self> {
        let gate = Arc::new(Self { is_open: Mutex::new(true), process: std::process::id() });
        let mut gates = gates();
        gates.retain(|gate| gate.strong_count() > 0);
        gates.push(Arc::downgrade(&gate));
        gate
    }

    /// Whether a fork copied it, perhaps locked for ever.
    fn is_inherited(&self) -> bool {
        self.process != std::process::id()
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gates() -> MutexGuard<'static, Vec<Weak<Gate>>> {
    GATES.lock().unwrap_or_else(PoisonError::into_inner)
}
