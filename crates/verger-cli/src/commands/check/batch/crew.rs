//! Blocks on all cores, and what comes of them in order.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::answering::{Answering, Part};
use super::block::{Block, End};
use crate::error::Error;
use crate::limits::{ALONE_BYTES, BLOCKS_PER_THREAD, IN_WORK_BYTES};

/// Threads that answer blocks.
pub(super) struct Crew {
    with: Arc<Answering>,
    threads: usize,
    /// Started when there is something to share.
    jobs: Option<Sender<Job>>,
    /// In the order of the lines.
    in_work: VecDeque<(Parts, End, usize)>,
    /// Bytes of the blocks in work.
    bytes: usize,
}

struct Job {
    block: Block,
    done: Sender<Vec<Part>>,
}

/// What comes of a block, or will.
enum Parts {
    Done(Vec<Part>),
    Coming(Receiver<Vec<Part>>),
}

impl Crew {
    pub(super) fn new(with: Arc<Answering>, threads: usize) -> Self {
        Self { with, threads, jobs: None, in_work: VecDeque::new(), bytes: 0 }
    }

    /// Takes a block. A short one that comes alone is answered at once, which is sooner than to hand it over.
    pub(super) fn take(&mut self, block: Block) -> Result<(), Error> {
        let (bytes, end) = (block.bytes(), block.end);
        let is_alone = self.in_work.is_empty() && end.may_wait && bytes < ALONE_BYTES;
        let parts = if self.threads < 2 || is_alone {
            Parts::Done(self.with.answer(&block))
        } else {
            let (done, coming) = channel();
            // It is there as long as a thread is; then nothing is coming either, which is told below.
            let _ = self.jobs()?.send(Job { block, done });
            Parts::Coming(coming)
        };
        self.bytes += bytes;
        self.in_work.push_back((parts, end, bytes));
        Ok(())
    }

    /// Whether something must be waited for before the next block.
    pub(super) fn is_full(&self) -> bool {
        let most = if self.threads < 2 { 1 } else { self.threads * BLOCKS_PER_THREAD };
        self.in_work.len() >= most || self.bytes > IN_WORK_BYTES
    }

    /// What has come of the first block; waits for it. `None` where nothing is in work.
    pub(super) fn next(&mut self) -> Option<Result<(Vec<Part>, End), Error>> {
        let (parts, end, bytes) = self.in_work.pop_front()?;
        self.bytes -= bytes;
        let parts = match parts {
            Parts::Done(parts) => Ok(parts),
            Parts::Coming(coming) => coming.recv().map_err(|_| {
                Error::new("could not answer the batch: a thread that answers it has died")
            }),
        };
        Some(parts.map(|parts| (parts, end)))
    }

    fn jobs(&mut self) -> Result<&Sender<Job>, Error> {
        let jobs = match self.jobs.take() {
            Some(jobs) => jobs,
            None => start(&self.with, self.threads)?,
        };
        Ok(self.jobs.insert(jobs))
    }
}

/// Starts threads that end when nobody can send them a job any more.
fn start(with: &Arc<Answering>, threads: usize) -> Result<Sender<Job>, Error> {
    let (sender, receiver) = channel::<Job>();
    let receiver = Arc::new(Mutex::new(receiver));
    for number in 0..threads {
        let (with, receiver) = (Arc::clone(with), Arc::clone(&receiver));
        let work = move || {
            loop {
                // One waits for the next job, the others for their turn to wait.
                let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job { block, done }) = job else { return };
                // Nobody waits for it where the reader of the answers has left.
                let _ = done.send(with.answer(&block));
            }
        };
        let started = thread::Builder::new().name(format!("answers {number}")).spawn(work);
        started.map_err(|error| Error::starting("a thread that answers the batch", &error))?;
    }
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Lines;
    use std::io;
    use verger::Dialect;

    /// The answers of so many threads, as one text.
    fn answers(threads: usize, text: &str) -> String {
        let reader = io::Cursor::new(text.to_owned().into_bytes());
        let mut lines = Lines::of(Box::new(reader), "x".into());
        let mut crew = Crew::new(Arc::new(Answering::new(Dialect::RFC9309, false)), threads);
        let mut all = Vec::new();
        let mut take = |crew: &mut Crew| {
            let Some(parts) = crew.next() else { return false };
            for part in parts.unwrap().0 {
                let Part::Written { json, .. } = part else { panic!("{part:?}") };
                all.extend(json);
            }
            true
        };
        while let Some(mut block) = Block::read(&mut lines) {
            block.end.may_wait = false;
            crew.take(block).unwrap();
            if crew.is_full() {
                take(&mut crew);
            }
        }
        while take(&mut crew) {}
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn answers_of_many_threads_come_in_the_order_of_the_lines() {
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
        assert!(one == answers(4, &text), "four threads answer otherwise than one");
    }

    #[test]
    fn a_thread_that_dies_is_an_error_and_no_end() {
        let (jobs, dead) = channel();
        drop(dead);
        let with = Arc::new(Answering::new(Dialect::RFC9309, false));
        let mut crew = Crew { jobs: Some(jobs), ..Crew::new(with, 2) };
        crew.take(Block::default()).unwrap();
        assert_eq!(
            crew.next().unwrap().unwrap_err().to_string(),
            "could not answer the batch: a thread that answers it has died"
        );
        assert!(crew.next().is_none());
    }

    #[test]
    fn what_is_in_work_is_bounded() {
        let long = "a".repeat(100_000);
        let line = format!(r#"{{"robots":"","agent":"x","url":"/{long}"}}"#) + "\n";
        let reader = io::Cursor::new(line.repeat(2_000).into_bytes());
        let mut lines = Lines::of(Box::new(reader), "x".into());
        let mut crew = Crew::new(Arc::new(Answering::new(Dialect::RFC9309, false)), 64);
        while !crew.is_full() {
            let mut block = Block::read(&mut lines).expect("the crew is full before");
            block.end.may_wait = false;
            crew.take(block).unwrap();
        }
        assert!(crew.bytes <= IN_WORK_BYTES + crate::limits::BLOCK_BYTES + 2 * long.len());
    }
}
