//! Long comparisons on all processors.

use std::thread;

/// Calls `work` once on each processor, with the index and the total number of calls. Returns the
/// results in order of index.
fn on_all_processors<T: Send>(work: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || work(worker, workers))).collect();
        let results = handles.into_iter().map(thread::ScopedJoinHandle::join);
        results.map(|result| result.expect("the work of one processor is done")).collect()
    })
}

/// The results of `work` for all items, in any order.
///
/// # Panics
///
/// If `work` panics.
pub fn map<I, T: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Clone + Sync>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let items = items.into_iter();
    let share = |worker, workers| {
        items.clone().skip(worker).step_by(workers).map(&work).collect::<Vec<T>>()
    };
    on_all_processors(share).into_iter().flatten().collect()
}
