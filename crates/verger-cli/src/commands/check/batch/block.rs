//! Lines of a batch, read in blocks by a thread of their own.

use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::error::Error;
use crate::input::Lines;
use crate::limits::{BLOCK_BYTES, BLOCK_LINES, BLOCKS_READ};

/// Some lines in a row.
#[derive(Debug, Default)]
pub(super) struct Block {
    texts: Vec<u8>,
    lines: Vec<(u64, Range<usize>, Option<Error>)>,
    pub(super) end: End,
}

/// Where a block ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// The number of its last line.
    pub(super) line: u64,
    /// How much has been read of how many bytes, where that is known.
    pub(super) progress: Option<(u64, u64)>,
    /// Whether the next line may take its time, because whoever writes it waits for an answer.
    pub(super) may_wait: bool,
}

impl Block {
    /// Reads the lines that are there, so many at most; `None` behind the last one.
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
        block.end.line = lines.number();
        block.end.progress = lines.progress();
        (!block.lines.is_empty()).then_some(block)
    }

    /// Each line with its number, or why it could not be read.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u64, &[u8], Option<&Error>)> {
        let text = |range: &Range<usize>| self.texts.get(range.clone()).unwrap_or_default();
        self.lines.iter().map(move |(number, range, error)| (*number, text(range), error.as_ref()))
    }

    /// How many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        self.texts.len()
    }
}

/// Blocks that are read a few ahead of who takes them.
pub(super) struct Blocks {
    /// The end is sent as well, so that a reader that dies is not taken for it.
    receiver: Receiver<Option<Block>>,
    has_ended: bool,
}

impl Blocks {
    /// Begins to read.
    ///
    /// The thread is left to itself: it may wait for a line when nobody wants any more.
    pub(super) fn read_ahead(mut lines: Lines) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel(BLOCKS_READ);
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
        started.map_err(|error| Error::starting("a thread that reads the batch", &error))?;
        Ok(Self { receiver, has_ended: false })
    }

    /// The next one, where it is there already. That there will be none is told by [`next`](Self::next).
    pub(super) fn next_if_there(&mut self) -> Option<Block> {
        let block = self.receiver.try_recv().ok()?;
        self.has_ended = block.is_none();
        block
    }

    /// The next one; waits for it. `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<Block>, Error> {
        if self.has_ended {
            return Ok(None);
        }
        let block = self.receiver.recv().map_err(|_| {
            Error::new("could not read the rest of the batch: the thread that reads it has died")
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
    fn a_block_ends_where_the_next_line_is_not_there_yet() {
        let parts = b"a\n\nb\n".chain(&b"c\nd"[..]);
        let mut lines = Lines::of(Box::new(parts), "x".into());
        let first = Block::read(&mut lines).unwrap();
        assert_eq!((numbers(&first), first.end.may_wait), (vec![1, 3], true));
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()), [4]);
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()), [5]);
        assert!(Block::read(&mut lines).is_none());
    }

    #[test]
    fn a_block_holds_so_many_lines() {
        let text = "x\n".repeat(BLOCK_LINES + 1).into_bytes();
        let mut lines = Lines::of(Box::new(io::Cursor::new(text)), "x".into());
        assert_eq!(numbers(&Block::read(&mut lines).unwrap()).len(), BLOCK_LINES);
    }

    #[test]
    fn behind_the_last_block_there_is_none_however_often_it_is_asked_for() {
        let lines = Lines::of(Box::new(io::Cursor::new(b"a\n")), "x".into());
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        assert_eq!(numbers(&blocks.next().unwrap().unwrap()), [1]);
        for _ in 0..2 {
            assert!(blocks.next().unwrap().is_none());
            assert!(blocks.next_if_there().is_none());
        }
    }

    #[test]
    fn a_reader_that_dies_is_an_error_and_no_end() {
        struct Deadly;
        impl Read for Deadly {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("the reader dies, as this test wants it");
            }
        }
        let lines = Lines::of(Box::new(b"a\n".chain(Deadly)), "x".into());
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        assert_eq!(numbers(&blocks.next().unwrap().unwrap()), [1]);
        for _ in 0..2 {
            assert_eq!(
                blocks.next().unwrap_err().to_string(),
                "could not read the rest of the batch: the thread that reads it has died"
            );
            assert!(blocks.next_if_there().is_none());
        }
    }

    #[test]
    fn of_endless_input_no_more_is_read_than_a_few_blocks() {
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
        let lines = Lines::of(Box::new(Endless(Arc::clone(&read))), "x".into());
        let mut blocks = Blocks::read_ahead(lines).unwrap();
        // A writer that is slow: it takes one block, and then nothing, until the reader stands still.
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
        let most = (BLOCKS_READ + 3) * (BLOCK_BYTES + crate::limits::INPUT_BYTES);
        assert!(before <= most, "{before} bytes were read, {most} may be");
    }
}
