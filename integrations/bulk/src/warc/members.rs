//! The members of a WARC file: gzip members, zstd frames, or the whole plain file.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder;

use crate::limits::{ZSTD_DICTIONARY_BYTES, ZSTD_WINDOW_LOG};
use crate::source::Source;

/// Bytes of the file that are read at once.
const FILE_BUFFER: usize = 256 * 1024;

/// Magic of a gzip member with the only compression method there is.
const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];

/// Magic of a zstd frame.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Magic of the frame with the dictionary of the file, by the specification of WARC in zstd.
const DICTIONARY: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

/// A file, or ranges of it, as a sequence of members. `read` returns 0 at the end of each.
pub(crate) struct Members {
    kind: Kind,
    state: State,
    /// The ranges that are not read yet.
    ranges: VecDeque<Range<u64>>,
    /// Offset of the current member in the file.
    pub(crate) start: u64,
    /// Read from the beginning of the file, when the first zstd frame is.
    dictionary: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Gzip,
    Zstd,
}

enum State {
    Between(Input),
    Plain(Input),
    Gzip(Box<GzDecoder<Input>>),
    Zstd(Decoder<'static, Input>),
    /// After an error of a decoder that could not be created.
    Lost,
}

/// A buffered range of a file, with its position.
pub(crate) struct Input {
    reader: BufReader<Source>,
    position: u64,
    end: u64,
}

impl Members {
    /// Reads the members in some ranges of a file.
    pub(crate) fn new(source: Source, ranges: &[Range<u64>]) -> Self {
        let reader = BufReader::with_capacity(FILE_BUFFER, source);
        let state = State::Between(Input { reader, position: 0, end: 0 });
        let ranges = ranges.iter().cloned().collect();
        Self { kind: Kind::Plain, state, ranges, start: 0, dictionary: None }
    }

    /// Whether the file is not compressed.
    pub(crate) fn is_plain(&self) -> bool {
        self.kind == Kind::Plain
    }

    /// Begins the next member. False at the end of the last range.
    pub(crate) fn next(&mut self) -> io::Result<bool> {
        loop {
            let Some(mut input) = self.take_input() else { return Ok(false) };
            if self.kind != Kind::Plain {
                skip_zeros(&mut input)?;
            }
            self.start = input.position;
            if !input.fill_buf()?.is_empty() {
                self.begin_member(input)?;
                return Ok(true);
            }
            self.state = State::Between(input);
            let Some(range) = self.ranges.pop_front() else { return Ok(false) };
            self.begin_range(range)?;
        }
    }

    fn begin_member(&mut self, input: Input) -> io::Result<()> {
        self.state = match self.kind {
            Kind::Plain => State::Plain(input),
            Kind::Gzip => State::Gzip(Box::new(GzDecoder::new(input))),
            Kind::Zstd => {
                let dictionary = self.dictionary.as_deref().unwrap_or_default();
                let mut decoder = Decoder::with_dictionary(input, dictionary)?.single_frame();
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                State::Zstd(decoder)
            }
        };
        Ok(())
    }

    fn begin_range(&mut self, range: Range<u64>) -> io::Result<()> {
        let State::Between(input) = &mut self.state else { return Ok(()) };
        self.start = range.start;
        input.end = range.end;
        input.seek(range.start)?;
        let beginning = input.fill_buf()?;
        if beginning.is_empty() && !range.is_empty() {
            let message = "the file ends before this record";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        self.kind = if beginning.starts_with(&GZIP[..2]) {
            Kind::Gzip
        } else if beginning.starts_with(ZSTD) || beginning.starts_with(DICTIONARY) {
            Kind::Zstd
        } else {
            Kind::Plain
        };
        if self.kind == Kind::Zstd && self.dictionary.is_none() {
            let found = read_dictionary(input);
            if found.is_err() {
                // Without its dictionary, nothing in the file is readable.
                self.state = State::Lost;
            }
            self.dictionary = Some(found?);
        }
        Ok(())
    }

    /// Continues after a damaged member: at the next magic after its beginning. A plain file has
    /// no such place, and continues where it is.
    pub(crate) fn skip_damaged(&mut self) -> io::Result<()> {
        let Some(mut input) = self.take_input() else { return Ok(()) };
        let magic = match self.kind {
            Kind::Plain => {
                self.state = State::Plain(input);
                return Ok(());
            }
            Kind::Gzip => GZIP,
            Kind::Zstd => ZSTD,
        };
        input.seek(self.start + 1)?;
        input.find(magic)?;
        self.state = State::Between(input);
        Ok(())
    }

    fn take_input(&mut self) -> Option<Input> {
        match std::mem::replace(&mut self.state, State::Lost) {
            State::Between(input) | State::Plain(input) => Some(input),
            State::Gzip(decoder) => Some(decoder.into_inner()),
            State::Zstd(decoder) => Some(decoder.finish()),
            State::Lost => None,
        }
    }
}

impl Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Plain(input) => input.read(buffer),
            State::Gzip(decoder) => decoder.read(buffer),
            State::Zstd(decoder) => decoder.read(buffer),
            State::Between(_) | State::Lost => Ok(0),
        }
    }
}

impl Input {
    fn seek(&mut self, position: u64) -> io::Result<()> {
        // Keeps the buffer, if the place is inside.
        self.reader.seek_relative(position.wrapping_sub(self.position).cast_signed())?;
        self.position = position;
        Ok(())
    }

    /// Goes to the next place with these bytes, or to the end.
    fn find(&mut self, magic: &[u8]) -> io::Result<()> {
        let mut matched = 0;
        loop {
            let buffer = self.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            for (at, &byte) in buffer.iter().enumerate() {
                // No magic contains its first byte twice.
                matched = if byte == magic[matched] {
                    matched + 1
                } else {
                    usize::from(byte == magic[0])
                };
                if matched == magic.len() {
                    let end = self.position + at as u64 + 1;
                    return self.seek(end - magic.len() as u64);
                }
            }
            let length = buffer.len();
            self.consume(length);
        }
    }
}

/// Reads the dictionary frame at the beginning of a zstd file. Continues after it, or where a later
/// range begins.
fn read_dictionary(input: &mut Input) -> io::Result<Vec<u8>> {
    let (start, end) = (input.position, std::mem::replace(&mut input.end, u64::MAX));
    input.seek(0)?;
    let mut dictionary = Vec::new();
    if input.fill_buf()?.starts_with(DICTIONARY) {
        let mut head = [0; 8];
        input.read_exact(&mut head)?;
        let [.., a, b, c, d] = head;
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > ZSTD_DICTIONARY_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the dictionary is too long"));
        }
        dictionary = vec![0; length as usize];
        input.read_exact(&mut dictionary)?;
    }
    if dictionary.starts_with(ZSTD) {
        let mut decoder = Decoder::with_buffer(dictionary.as_slice())?;
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        let mut plain = Vec::new();
        decoder.take(u64::from(ZSTD_DICTIONARY_BYTES)).read_to_end(&mut plain)?;
        dictionary = plain;
    }
    input.end = end;
    input.seek(start.max(input.position))?;
    Ok(dictionary)
}

/// Skips the zeros with which some writers fill the end of a file.
fn skip_zeros(input: &mut Input) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let zeros = buffer.iter().take_while(|&&byte| byte == 0).count();
        if zeros == 0 {
            return Ok(());
        }
        input.consume(zeros);
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut found = self.fill_buf()?;
        let read = found.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let found = if left == 0 { &[] } else { self.reader.fill_buf()? };
        Ok(&found[..found.len().min(left)])
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.reader.consume(amount);
    }
}
