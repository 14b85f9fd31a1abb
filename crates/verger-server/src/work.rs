//! Work that uses the processor for long: evaluations and comparisons of files.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::limits::{WORK_WAIT, WORK_WAITING};
use crate::problem::Problem;

/// Runs work on other threads, limited so that questions are still answered.
#[derive(Debug)]
pub(crate) struct Work {
    /// One for each core: work uses the processor all the time.
    places: Arc<Semaphore>,
    /// Also for waiting work.
    queue: Semaphore,
    most: usize,
}

impl Work {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places = Arc::new(Semaphore::new(cores));
        let most = cores + WORK_WAITING;
        Self { places, queue: Semaphore::new(most), most }
    }

    /// Pieces of work that run or wait.
    pub(crate) fn len(&self) -> usize {
        self.most - self.queue.available_permits()
    }

    /// Runs a piece of work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || Problem::busy("the service evaluates too many files");
        let _queued = self.queue.try_acquire().map_err(|_| busy())?;
        let place = timeout(WORK_WAIT, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or_else(busy)?;
        let task = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        task.await.map_err(|_| {
            tracing::error!("an evaluation has panicked");
            Problem::internal()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Kind;

    #[tokio::test]
    async fn a_panic_is_a_problem_and_frees_its_place() {
        let work = Work::new();
        for _ in 0..10 {
            let failed = work.run(|| -> () { panic!("deliberate") }).await;
            assert_eq!(failed.unwrap_err().kind(), Kind::Internal);
        }
        assert_eq!((work.run(|| 7).await.unwrap(), work.len()), (7, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_work_is_limited_in_number_and_time() {
        let work = Arc::new(Work::new());
        let all = work
            .places
            .clone()
            .acquire_many_owned(u32::try_from(work.places.available_permits()).unwrap());
        let held = all.await.unwrap();
        let waiting: Vec<_> = (0..work.most)
            .map(|_| {
                let work = Arc::clone(&work);
                tokio::spawn(async move { work.run(|| ()).await.map_err(|problem| problem.kind()) })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(work.run(|| ()).await.unwrap_err().kind(), Kind::Busy);
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap(), Err(Kind::Busy));
        }
        drop(held);
        assert!(work.run(|| ()).await.is_ok());
    }
}
