//! Open inputs: local files, and objects that are read in pieces.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::iter;
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;

use crate::limits::{JOINED_GAP, PIECE_BYTES, PIECES_AHEAD};
use crate::remote::{Object, Pending, Version, is_remote};

/// An open input. Positions are those of the file or object.
#[derive(Debug)]
pub(crate) struct Source {
    inner: Inner,
    position: u64,
    end: u64,
}

#[derive(Debug)]
enum Inner {
    File(File),
    Object(Pieces),
}

/// An object in pieces: one that is read, and some that are requested.
#[derive(Debug)]
struct Pieces {
    object: Object,
    version: Option<Version>,
    /// The ranges that will be read, in order.
    ranges: Vec<Range<u64>>,
    start: u64,
    piece: Bytes,
    ahead: VecDeque<(Range<u64>, Pending)>,
}

impl Source {
    /// Opens a file or object.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if !is_remote(path) {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            // A pipe has no length.
            let end = if metadata.is_file() { metadata.len() } else { u64::MAX };
            return Ok(Self { inner: Inner::File(file), position: 0, end });
        }
        let object = Object::of(path)?;
        let version = object.version()?;
        let end = version.bytes;
        Ok(Self::of_object(object, Some(version), iter::once(0..end).collect()))
    }

    /// Opens a file or object, to read some ranges in order. Only they are requested, and small gaps
    /// between them. The end of the last one is the end of the input.
    pub(crate) fn open_ranges(path: &Path, ranges: &[Range<u64>]) -> io::Result<Self> {
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(JOINED_GAP) => {
                    last.end = last.end.max(range.end);
                }
                _ => joined.push(range.clone()),
            }
        }
        if is_remote(path) {
            return Ok(Self::of_object(Object::of(path)?, None, joined));
        }
        let end = joined.last().map_or(0, |last| last.end);
        let source = Self::open(path)?;
        Ok(Self { end: end.min(source.end), ..source })
    }

    fn of_object(object: Object, version: Option<Version>, ranges: Vec<Range<u64>>) -> Self {
        let end = ranges.last().map_or(0, |last| last.end);
        let (piece, ahead) = (Bytes::new(), VecDeque::new());
        let pieces = Pieces { object, version, ranges, start: 0, piece, ahead };
        Self { inner: Inner::Object(pieces), position: 0, end }
    }

    /// The position of its end.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }
}

impl Pieces {
    /// The piece from a place on: to the next bound of a range.
    fn piece_at(&self, position: u64) -> Range<u64> {
        let bound = match self.ranges.get(self.range_after(position)) {
            Some(range) if position < range.start => range.start,
            Some(range) => range.end,
            None => position,
        };
        position..bound.min(position.saturating_add(PIECE_BYTES))
    }

    /// The piece after a place.
    fn next_piece(&self, position: u64) -> Option<Range<u64>> {
        let range = self.ranges.get(self.range_after(position))?;
        Some(self.piece_at(range.start.max(position)))
    }

    /// The first range that ends after a place.
    fn range_after(&self, position: u64) -> usize {
        self.ranges.partition_point(|range| range.end <= position)
    }

    /// The bytes from a place before the end on. Empty if the object ends before.
    fn bytes_at(&mut self, position: u64) -> io::Result<&[u8]> {
        let read = self.start..self.start + self.piece.len() as u64;
        if !read.contains(&position) {
            while self.ahead.front().is_some_and(|(range, _)| !range.contains(&position)) {
                self.ahead.pop_front();
            }
            let (range, pending) = match self.ahead.pop_front() {
                Some(piece) => piece,
                None => self.request(self.piece_at(position))?,
            };
            let mut next = self.ahead.back().map_or(range.end, |(range, _)| range.end);
            while self.ahead.len() < PIECES_AHEAD
                && let Some(piece) = self.next_piece(next)
            {
                next = piece.end;
                let requested = self.request(piece)?;
                self.ahead.push_back(requested);
            }
            self.piece = Bytes::new();
            (self.start, self.piece) = (range.start, pending.wait()?);
        }
        let at = usize::try_from(position - self.start).unwrap_or(usize::MAX);
        Ok(self.piece.get(at..).unwrap_or_default())
    }

    fn request(&self, piece: Range<u64>) -> io::Result<(Range<u64>, Pending)> {
        Ok((piece.clone(), self.object.request(piece, self.version.as_ref())?))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        if room == 0 {
            return Ok(0);
        }
        let read = match &mut self.inner {
            Inner::File(file) => file.read(&mut buffer[..room])?,
            Inner::Object(pieces) => pieces.bytes_at(self.position)?.read(&mut buffer[..room])?,
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.end.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        let position = position.ok_or(io::ErrorKind::InvalidInput)?;
        if let Inner::File(file) = &mut self.inner {
            file.seek(SeekFrom::Start(position))?;
        }
        self.position = position;
        Ok(position)
    }
}
