//! Lines of a batch, read in blocks by a separate thread.

use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::error::Error;
use crate::input::Lines;
use crate::limits::{BLOCK_BYTES, BLOCK_LINES, BLOCKS_AHEAD};

/// Consecutive lines.
#[derive(Debug, Default)]
pub(super) struct Block {
    texts: Vec<u8>,
    lines: Vec<(u64, Range<usize>, Option<Error>)>,
    pub(super) end: End,
}

/// The end of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// Bytes that were read, and bytes in total, if known.
    pub(super) progress: Option<(u64, u64)>,
    /// Whether reading the next line can block, because its writer waits for an answer.
    pub(super) may_wait: bool,
}

impl Block {
    /// Reads the available lines, up to the limits of a block; `None` after the last line.
    pub(super) fn read(lines: &mut Lines) -> Option<Self> {
        let mut block = Self::default();
        while block.lines.len() < BLOCK_LINES && block.texts.len() < BLOCK_BYTES {
            let Some(read) = lines.advance() else { break };
            let start = block.texts.len();
            block.texts.extend_from_slice(lines.line());
            block.lines.push((lines.number(), start..block.texts.len(), read.err()));
            block.end.may_wait = lines.may_wait();
            if block.end.may_wait {
                break;
            }
        }
        block.end.progress = lines.progress();
        (!block.lines.is_empty()).then_some(block)
    }

    /// Each line with its number, or the error of reading it.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u64, &[u8], Option<&Error>)> {
        let text = |range: &Range<usize>| self.texts.get(range.clone()).unwrap_or_default();
        self.lines.iter().map(move |(number, range, error)| (*number, text(range), error.as_ref()))
    }

    /// Bytes of all lines.
    pub(super) fn bytes(&self) -> usize {
        self.texts.len()
    }
}

/// Blocks that are read ahead.
pub(super) struct Blocks {
    /// `None` is the end, which differs from a reader that panicked.
    receiver: Receiver<Option<Block>>,
    has_ended: bool,
}

impl Blocks {
    /// Starts reading.
    ///
    /// The thread is never joined: it can block on a line that is not needed.
    pub(super) fn read_ahead(mut lines: Lines) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel(BLOCKS_AHEAD);
        let read = move || {
            loop {
                let block = Block::read(&mut lines);
                let is_end = block.is_none();
                if sender.send(block).is_err() || is_end {
                    return;
                }
            }
        };
        let started = thread::Builder::new().name("reader".to_owned()).spawn(read);
        started.map_err(|error| Error::io("start", "a thread that reads the batch", &error))?;
        Ok(Self { receiver, has_ended: false })
    }

    /// The next block, if it is read already. Only [`next`](Self::next) reports the end.
    pub(super) fn next_if_read(&mut self) -> Option<Block> {
        let block = self.receiver.try_recv().ok()?;
        self.has_ended = block.is_none();
        block
    }

    /// Waits for the next block; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<Block>, Error> {
        if self.has_ended {
            return Ok(None);
        }
        let block = self.receiver.recv().map_err(|_| {
            Error::new("could not read the rest of the batch: the reading thread has panicked")
        })?;
        self.has_ended = block.is_none();
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Read};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn numbers(block: &Block) -> Vec<u64> {
        block.lines().map(|(number, ..)| number).collect()
    }

    #[test]
    fn a_block_ends_before_a_line_that_is_not_available_yet() {
        let parts = b"a\n\nb\n".chain(&b"c\nd"[..]);
        let mut lines = Lines::new(Box::new(parts), "x".into(), None);
        let first = Block::read(&mut lines).unwrap();
        assert_eq!((numbers(&first), first.end.may_wait), (vec![1, 3], true));
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()), [4]);
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()), [5]);
        assert!(Block::read(&mut lines).is_none());
    }

    #[test]
    fn a_block_has_a_limited_number_of_lines() {
        let text = "x\n".repeat(BLOCK_LINES + 1).into_bytes();
        let mut lines = Lines::new(Box::new(io::Cursor::new(text)), "x".into(), None);
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()).len(), BLOCK_LINES);
    }

    #[test]
    fn after_the_last_block_every_call_returns_none() {
        let lines = Lines::new(Box::new(io::Cursor::new(b"a\n")), "x".into(), None);
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        assert_eq!(numbers(&blocks.next().unwrap().unwrap()), [1]);
        for _ in 0..2 {
            assert!(blocks.next().unwrap().is_none());
            assert!(blocks.next_if_read().is_none());
        }
    }

    #[test]
    fn a_panic_of_the_reader_is_an_error_and_not_the_end_of_input() {
        struct Panicking;
        impl Read for Panicking {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("this test makes the reader panic");
            }
        }
        let lines = Lines::new(Box::new(b"a\n".chain(Panicking)), "x".into(), None);
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        assert_eq!(numbers(&blocks.next().unwrap().unwrap()), [1]);
        for _ in 0..2 {
            assert_eq!(
                blocks.next().unwrap_err().to_string(),
                "could not read the rest of the batch: the reading thread has panicked"
            );
            assert!(blocks.next_if_read().is_none());
        }
    }

    #[test]
    fn only_a_few_blocks_of_endless_input_are_read() {
        struct Endless(Arc<AtomicUsize>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                buffer.fill(b'\n');
                buffer.iter_mut().step_by(2).for_each(|octet| *octet = b'x');
                self.0.fetch_add(buffer.len(), Ordering::SeqCst);
                Ok(buffer.len())
            }
        }
        let read = Arc::new(AtomicUsize::new(0));
        let lines = Lines::new(Box::new(Endless(Arc::clone(&read))), "x".into(), None);
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        // A slow consumer: it takes one block, and then nothing until the reader stops.
        drop(blocks.next().unwrap());
        let mut before = 0;
        loop {
            thread::sleep(std::time::Duration::from_millis(100));
            let now = read.load(Ordering::SeqCst);
            if now == before {
                break;
            }
            before = now;
        }
        let most = (BLOCKS_AHEAD + 3) * (BLOCK_BYTES + crate::limits::INPUT_BYTES);
        assert!(before <= most, "{before} bytes were read, more than {most}");
    }
}
