//! Long comparisons on all processors.

use std::thread;

/// Calls `work` once on each processor, with the index and the total number of calls. Returns the
/// results in order of index.
///
/// # Panics
///
/// If `work` panics.
pub fn on_all_processors<T: Send>(work: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || work(worker, workers))).collect();
        let results = handles.into_iter().map(thread::ScopedJoinHandle::join);
        results.map(|result| result.expect("the work of one processor is done")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_is_worked_on_once() {
        let shares: Vec<usize> =
            on_all_processors(|worker, workers| (0..100).skip(worker).step_by(workers).sum());
        assert_eq!(shares.into_iter().sum::<usize>(), 4950);
    }
}
