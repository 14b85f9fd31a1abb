//! A runtime on a separate thread.

use std::io;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};

use tokio::runtime::{Builder, EnterGuard, Handle};
use tokio::task::{self, AbortHandle};

use crate::limits::{ENDING, START_DESCRIPTORS};
use crate::lock;

/// Runs tasks on one thread, also while no caller waits for them. With it, a program without
/// `async` uses a [`RobotsClient`](crate::client::RobotsClient).
///
/// Dropping it aborts the tasks at their next `await` and joins the thread. Blocking calls get at
/// most a second. A task on the thread may drop it too; then nothing is waited for.
///
/// Tokio's multi-threaded runtime is not used: it panics if a thread cannot start, for example
/// because of `ulimit -u`.
#[derive(Debug)]
pub struct Background {
    handle: Handle,
    /// Ends the thread when it is aborted.
    running: AbortHandle,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// If the thread cannot start: too many processes or open files, or too little memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_fetch::background::Background;
    /// use verger_fetch::client::RobotsClient;
    /// use verger_fetch::fetch::Identity;
    ///
    /// let background = Background::start()?;
    /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
    /// let client = {
    ///     let _inside = background.enter();
    ///     RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true).build()?
    /// };
    /// assert!(background.block_on(client.check("mailto:a@shop.example"))?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start() -> io::Result<Self> {
        check_resources(1)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let running = runtime.spawn(std::future::pending::<()>());
        let abort = running.abort_handle();
        let run = move || {
            // The error means that the task was aborted.
            let _ = runtime.block_on(running);
            runtime.shutdown_timeout(ENDING);
        };
        let thread = thread::Builder::new().name("fetches".to_owned()).spawn(run)?;
        Ok(Self { handle, running: abort, thread: Some(thread) })
    }

    /// Starts a task.
    pub fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> task::JoinHandle<T> {
        self.handle.spawn(future)
    }

    /// Runs a future on the calling thread.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Makes this runtime current for code that requires one.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }
}

/// Checks that a runtime of tokio with this number of threads can start: tokio panics without file
/// descriptors or threads.
///
/// # Errors
///
/// The error of the operating system.
pub fn check_resources(threads: usize) -> io::Result<()> {
    let _descriptors: Vec<_> =
        (0..START_DESCRIPTORS / 2).map(|_| io::pipe()).collect::<io::Result<_>>()?;
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // All threads run at the same time.
        let _closed = lock(&gate);
        let wait = || drop(lock(&gate));
        (0..threads).try_for_each(|_| thread::Builder::new().spawn_scoped(scope, wait).map(drop))
    })
}

impl Drop for Background {
    fn drop(&mut self) {
        self.running.abort();
        // A task that owns this runs on the thread itself, and a thread cannot join itself.
        let is_elsewhere = |it: &JoinHandle<()>| it.thread().id() != thread::current().id();
        if let Some(thread) = self.thread.take().filter(is_elsewhere) {
            // The error means that a task panicked. Its `JoinHandle` has reported that.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Duration;

    use tokio::sync::Notify;

    use super::*;

    #[test]
    fn tasks_run_in_the_background_and_end_with_the_thread() {
        let background = Background::start().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let other = sender.clone();
        background.spawn(async move { sender.send(1) });
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(1));
        background.spawn(async move {
            std::future::pending::<()>().await;
            other.send(2)
        });
        assert_eq!(background.block_on(async { 3 }), 3);
        drop(background);
        assert!(receiver.recv().is_err());
    }

    #[test]
    fn a_task_may_be_the_last_owner() {
        let background = Arc::new(Background::start().unwrap());
        let (sender, receiver) = std::sync::mpsc::channel();
        let (owner, waiting) = (Arc::clone(&background), sender.clone());
        background.spawn(async move {
            std::future::pending::<()>().await;
            waiting.send("a task that waits")
        });
        let is_alone = Arc::new(Notify::new());
        let notified = Arc::clone(&is_alone);
        background.spawn(async move {
            notified.notified().await;
            drop(owner);
            sender.send("dropped")
        });
        drop(background);
        is_alone.notify_one();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok("dropped"));
        // The other task has ended too.
        let end = receiver.recv_timeout(Duration::from_secs(60));
        assert_eq!(end, Err(RecvTimeoutError::Disconnected));
    }
}
