//! A pool of threads that answers blocks, and returns the results in order.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::block::{Block, End};
use super::worker::{Part, Worker};
use crate::error::Error;
use crate::limits::{BLOCKS_PER_THREAD, POOL_BYTES};

/// Threads that answer blocks.
pub(super) struct Pool {
    threads: usize,
    jobs: Sender<Job>,
    /// Results in the order of the blocks, with the bytes of each block.
    results: VecDeque<(Receiver<Vec<Part>>, End, usize)>,
    /// Bytes of all blocks.
    bytes: usize,
}

struct Job {
    block: Block,
    done: Sender<Vec<Part>>,
}

impl Pool {
    /// Starts the threads. They end when the pool is dropped.
    pub(super) fn start(worker: &Arc<Worker>, threads: usize) -> Result<Self, Error> {
        let (jobs, receiver) = channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..threads {
            let (worker, receiver) = (Arc::clone(worker), Arc::clone(&receiver));
            let work = move || {
                loop {
                    // One thread waits for a job, and the others wait for the lock.
                    let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job { block, done }) = job else { return };
                    // Fails if the pool was dropped.
                    let _ = done.send(worker.answer(&block));
                }
            };
            let started = thread::Builder::new().name(format!("answers {number}")).spawn(work);
            started
                .map_err(|error| Error::io("start", "a thread that answers the batch", &error))?;
        }
        Ok(Self { threads, jobs, results: VecDeque::new(), bytes: 0 })
    }

    /// Adds a block.
    pub(super) fn add(&mut self, block: Block) {
        let (bytes, end) = (block.bytes(), block.end);
        let (done, result) = channel();
        // Fails if all threads have panicked; then `next` fails, too.
        let _ = self.jobs.send(Job { block, done });
        self.bytes += bytes;
        self.results.push_back((result, end, bytes));
    }

    /// Whether a result must be removed before the next block.
    pub(super) fn is_full(&self) -> bool {
        self.results.len() >= self.threads * BLOCKS_PER_THREAD || self.bytes > POOL_BYTES
    }

    /// Waits for the result of the first block; `None` if the pool is empty.
    pub(super) fn next(&mut self) -> Option<Result<(Vec<Part>, End), Error>> {
        let (result, end, bytes) = self.results.pop_front()?;
        self.bytes -= bytes;
        let parts = result.recv();
        let parts =
            parts.map_err(|_| Error::new("could not answer the batch: a thread has panicked"));
        Some(parts.map(|parts| (parts, end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Lines;
    use std::io;
    use verger::Dialect;

    fn pool(threads: usize) -> Pool {
        Pool::start(&Arc::new(Worker::new(Dialect::RFC9309, false)), threads).unwrap()
    }

    /// The answers of this number of threads, as one text.
    fn answers(threads: usize, text: &str) -> String {
        let reader = io::Cursor::new(text.to_owned().into_bytes());
        let mut lines = Lines::new(Box::new(reader), "x".into(), None);
        let mut pool = pool(threads);
        let mut all = Vec::new();
        let mut collect = |pool: &mut Pool| {
            let Some(parts) = pool.next() else { return false };
            for part in parts.unwrap().0 {
                let Part::Json { json, .. } = part else { panic!("{part:?}") };
                all.extend(json);
            }
            true
        };
        while let Some(block) = Block::read(&mut lines) {
            pool.add(block);
            if pool.is_full() {
                collect(&mut pool);
            }
        }
        while collect(&mut pool) {}
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn answers_of_many_threads_are_in_the_order_of_the_lines() {
        // Some lines take a thousand times as long as others.
        let line = |at: usize| {
            let rules = "Allow: /*a*b*c*d\\n".repeat(if at.is_multiple_of(97) { 2_000 } else { 1 });
            let url = format!("/{at}{}", "a".repeat(at % 50));
            format!(r#"{{"id":{at},"robots":"User-agent: *\n{rules}","agent":"x","url":"{url}"}}"#)
        };
        let text: String = (0..20_000).map(|at| line(at) + "\n").collect();
        let one = answers(1, &text);
        let ids =
            one.lines().map(|line| line[6..].split(',').next().unwrap().parse::<usize>().unwrap());
        assert!(ids.eq(0..20_000));
        assert!(one == answers(4, &text), "four threads answer differently from one");
    }

    #[test]
    fn a_panic_of_a_thread_is_an_error_and_not_the_end_of_input() {
        let (jobs, receiver) = channel();
        drop(receiver);
        let mut pool = Pool { jobs, ..pool(2) };
        pool.add(Block::default());
        assert_eq!(
            pool.next().unwrap().unwrap_err().to_string(),
            "could not answer the batch: a thread has panicked"
        );
        assert!(pool.next().is_none());
    }

    #[test]
    fn the_bytes_of_the_pool_are_bounded() {
        let long = "a".repeat(100_000);
        let line = format!(r#"{{"robots":"","agent":"x","url":"/{long}"}}"#) + "\n";
        let reader = io::Cursor::new(line.repeat(2_000).into_bytes());
        let mut lines = Lines::new(Box::new(reader), "x".into(), None);
        let mut pool = pool(64);
        while !pool.is_full() {
            pool.add(Block::read(&mut lines).expect("more blocks than the pool takes"));
        }
        assert!(pool.bytes <= POOL_BYTES + crate::limits::BLOCK_BYTES + 2 * long.len());
    }
}
