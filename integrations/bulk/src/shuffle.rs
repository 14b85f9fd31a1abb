//! Files of the work folder: records by partition.
//!
//! A task writes one file with the records for all partitions; a later task reads its partition
//! from the files of all tasks. Records of a partition keep their order.
//!
//! # Format
//!
//! Blocks, each compressed: the records of one partition, each after its length. Then the list of
//! blocks, and in the last eight bytes the length of this list.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::limits::{RECORD_BYTES, SHUFFLE_BLOCK_BYTES, SHUFFLE_BYTES};

/// Compression of blocks: the fastest.
const LEVEL: i32 = 1;

/// Writes the file of a task.
#[derive(Debug)]
pub(crate) struct ShuffleWriter<'p> {
    path: &'p Path,
    file: BufWriter<File>,
    position: u64,
    buffers: Vec<Vec<u8>>,
    /// Number of records in each buffer.
    records: Vec<u32>,
    buffered: usize,
    blocks: Vec<Block>,
}

/// A block of a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Block {
    partition: u32,
    offset: u64,
    compressed: u32,
    bytes: u32,
    records: u32,
}

impl<'p> ShuffleWriter<'p> {
    pub(crate) fn new(path: &'p Path, partitions: usize) -> Result<Self> {
        let file = File::create(path).map_err(|error| Error::io("write", path, &error))?;
        Ok(Self {
            path,
            file: BufWriter::new(file),
            position: 0,
            buffers: vec![Vec::new(); partitions],
            records: vec![0; partitions],
            buffered: 0,
            blocks: Vec::new(),
        })
    }

    /// Adds a record to a partition.
    pub(crate) fn add(&mut self, partition: usize, record: &impl Serialize) -> Result<()> {
        let buffer = &mut self.buffers[partition];
        let start = buffer.len();
        buffer.extend_from_slice(&[0; 4]);
        *buffer = postcard::to_extend(record, std::mem::take(buffer))
            .map_err(|error| Error::new(format!("could not encode a record: {error}")))?;
        let length = u32::try_from(buffer.len() - start - 4).unwrap_or(u32::MAX);
        buffer[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.buffered += buffer.len() - start;
        self.records[partition] += 1;
        if buffer.len() >= SHUFFLE_BLOCK_BYTES {
            self.flush_one(partition)?;
        }
        if self.buffered >= SHUFFLE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes the list of blocks.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        let list = postcard::to_stdvec(&self.blocks)
            .map_err(|error| Error::new(format!("could not encode a list: {error}")))?;
        let length = (list.len() as u64).to_le_bytes();
        let mut write = || {
            self.file.write_all(&list)?;
            self.file.write_all(&length)?;
            self.file.flush()
        };
        write().map_err(|error| Error::io("write", self.path, &error))
    }

    fn flush(&mut self) -> Result<()> {
        (0..self.buffers.len()).try_for_each(|partition| self.flush_one(partition))
    }

    fn flush_one(&mut self, partition: usize) -> Result<()> {
        let bytes = std::mem::take(&mut self.buffers[partition]);
        if bytes.is_empty() {
            return Ok(());
        }
        let compressed = zstd::bulk::compress(&bytes, LEVEL);
        let written = compressed.and_then(|bytes| self.file.write_all(&bytes).map(|()| bytes));
        let compressed = written.map_err(|error| Error::io("write", self.path, &error))?.len();
        self.blocks.push(Block {
            partition: u32::try_from(partition).unwrap_or(u32::MAX),
            offset: self.position,
            compressed: u32::try_from(compressed).unwrap_or(u32::MAX),
            bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            records: std::mem::take(&mut self.records[partition]),
        });
        self.position += compressed as u64;
        self.buffered -= bytes.len();
        Ok(())
    }
}

/// Reads the file of a task.
#[derive(Debug)]
pub(crate) struct ShuffleReader<'p> {
    path: &'p Path,
    blocks: Vec<Block>,
}

impl<'p> ShuffleReader<'p> {
    pub(crate) fn open(path: &'p Path) -> Result<Self> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(path)?;
            let end = file.seek(SeekFrom::End(-8))?;
            let mut length = [0; 8];
            file.read_exact(&mut length)?;
            let length = u64::from_le_bytes(length);
            let start = end.checked_sub(length).ok_or(io::ErrorKind::InvalidData)?;
            file.seek(SeekFrom::Start(start))?;
            let mut list = vec![0; usize::try_from(length).unwrap_or_default()];
            file.read_exact(&mut list)?;
            Ok(list)
        };
        let list = read().map_err(|error| Error::io("read", path, &error))?;
        let blocks = postcard::from_bytes(&list).map_err(|error| damaged(path, &error))?;
        Ok(Self { path, blocks })
    }

    /// The bytes that the records of a partition take in memory, roughly.
    pub(crate) fn bytes(&self, partition: usize) -> u64 {
        let blocks = self.blocks.iter().filter(|block| block.partition as usize == partition);
        let bytes = |it: &Block| u64::from(it.bytes) + RECORD_BYTES * u64::from(it.records);
        blocks.map(bytes).sum()
    }

    /// Reads the records of a partition, in the order in which they were added.
    pub(crate) fn read<T: DeserializeOwned>(
        self,
        partition: usize,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.cursor(partition);
        while let Some(record) = cursor.next()? {
            each(record)?;
        }
        Ok(())
    }

    /// The records of a partition, one after the other.
    pub(crate) fn cursor(self, partition: usize) -> Cursor<'p> {
        let is_of = |block: &Block| block.partition as usize == partition;
        let blocks: Vec<Block> = self.blocks.into_iter().filter(is_of).collect();
        Cursor { path: self.path, blocks: blocks.into_iter(), bytes: Vec::new(), at: 0 }
    }
}

/// Reads the records of a partition from the files of all tasks.
pub(crate) fn read_all<T: DeserializeOwned>(
    files: &[PathBuf],
    partition: usize,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    files.iter().try_for_each(|file| ShuffleReader::open(file)?.read(partition, &mut each))
}

/// A place among the records of a partition. One block is in memory, and the file is open only
/// while a block is read: a task can have a thousand cursors, more than systems permit open files.
#[derive(Debug)]
pub(crate) struct Cursor<'p> {
    path: &'p Path,
    blocks: std::vec::IntoIter<Block>,
    bytes: Vec<u8>,
    at: usize,
}

impl Cursor<'_> {
    /// The next record.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        if self.at == self.bytes.len() {
            let Some(block) = self.blocks.next() else { return Ok(None) };
            let mut compressed = vec![0; block.compressed as usize];
            let mut read = || {
                let mut file = File::open(self.path)?;
                file.seek(SeekFrom::Start(block.offset))?;
                file.read_exact(&mut compressed)?;
                zstd::bulk::decompress(&compressed, block.bytes as usize)
            };
            self.bytes = read().map_err(|error| Error::io("read", self.path, &error))?;
            self.at = 0;
        }
        let cut = || damaged(self.path, &"a record is cut");
        let rest = &self.bytes[self.at..];
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let record = rest.get(..length).ok_or_else(cut)?;
        self.at += 4 + length;
        let record = postcard::from_bytes(record).map_err(|error| damaged(self.path, &error))?;
        Ok(Some(record))
    }
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::format(path, "a file of the work folder", error)
        .with_hint("`--restart` begins again without the work folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_by_partition_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut writer = ShuffleWriter::new(&path, 3).unwrap();
        for number in 0..10_u32 {
            writer.add(number as usize % 2, &(number, "x".repeat(number as usize))).unwrap();
            if number == 5 {
                writer.flush().unwrap();
            }
        }
        writer.finish().unwrap();
        for (partition, expected) in
            [(0, vec![0, 2, 4, 6, 8]), (1, vec![1, 3, 5, 7, 9]), (2, vec![])]
        {
            let mut found = Vec::new();
            let each = |(number, text): (u32, String)| {
                assert_eq!(text.len(), number as usize);
                found.push(number);
                Ok(())
            };
            let reader = ShuffleReader::open(&path).unwrap();
            let bytes = reader.bytes(partition);
            reader.read(partition, each).unwrap();
            assert_eq!(found, expected);
            assert_eq!(bytes > 0, !expected.is_empty());
        }
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut writer = ShuffleWriter::new(&path, 1).unwrap();
        writer.add(0, &"text").unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let read =
                ShuffleReader::open(&path).and_then(|reader| reader.read(0, |_: String| Ok(())));
            assert!(read.is_err() || length == 0 && bytes.is_empty(), "{length}");
        }
    }
}
