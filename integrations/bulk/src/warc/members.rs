//! The members of a WARC or ARC file: gzip members, zstd frames, or the whole plain file.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder;

use crate::limits::{ZSTD_DICTIONARY_BYTES, ZSTD_WINDOW_LOG};
use crate::remote::ReadSeek;

/// Bytes of the file that are read at once.
const FILE_BUFFER: usize = 256 * 1024;

/// Magic of a gzip member with the only compression method there is.
const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];

/// Magic of a zstd frame.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Magic of the frame with the dictionary of the file, by the specification of WARC in zstd.
const DICTIONARY: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

/// A file as a sequence of members. `read` returns 0 at the end of each.
pub(crate) struct Members {
    /// The beginning of each member; empty for a plain file.
    magic: &'static [u8],
    state: State,
    /// Offset of the current member in the file.
    pub(crate) start: u64,
    dictionary: Vec<u8>,
}

enum State {
    Between(Input),
    Plain(Input),
    Gzip(Box<GzDecoder<Input>>),
    Zstd(Decoder<'static, Input>),
    /// After an error of a decoder that could not be created.
    Lost,
}

/// A buffered file with its position.
pub(crate) struct Input {
    reader: BufReader<Box<dyn ReadSeek>>,
    position: u64,
}

impl Members {
    pub(crate) fn of(file: Box<dyn ReadSeek>) -> io::Result<Self> {
        let reader = BufReader::with_capacity(FILE_BUFFER, file);
        let mut input = Input { reader, position: 0 };
        let beginning = input.fill_buf()?;
        let magic = if beginning.starts_with(&GZIP[..2]) {
            GZIP
        } else if beginning.starts_with(ZSTD) || beginning.starts_with(DICTIONARY) {
            ZSTD
        } else {
            &[]
        };
        let mut members =
            Self { magic, state: State::Between(input), start: 0, dictionary: Vec::new() };
        members.read_dictionary()?;
        Ok(members)
    }

    /// Whether the file is not compressed.
    pub(crate) fn is_plain(&self) -> bool {
        self.magic.is_empty()
    }

    /// Begins the next member. False at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<bool> {
        let Some(mut input) = self.take_input() else { return Ok(false) };
        if !self.is_plain() {
            skip_zeros(&mut input)?;
        }
        self.start = input.position;
        if input.fill_buf()?.is_empty() {
            self.state = State::Between(input);
            return Ok(false);
        }
        self.state = match self.magic {
            GZIP => State::Gzip(Box::new(GzDecoder::new(input))),
            ZSTD => {
                let mut decoder = Decoder::with_dictionary(input, &self.dictionary)?.single_frame();
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                State::Zstd(decoder)
            }
            _ => State::Plain(input),
        };
        Ok(true)
    }

    /// Continues after a damaged member: at the next magic after its beginning. A plain file has
    /// no such place, and continues where it is.
    pub(crate) fn skip_damaged(&mut self) -> io::Result<()> {
        let Some(mut input) = self.take_input() else { return Ok(()) };
        if !self.is_plain() {
            input.seek(self.start + 1)?;
            input.find(self.magic)?;
        }
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

    /// Reads the dictionary frame at the beginning of a zstd file.
    fn read_dictionary(&mut self) -> io::Result<()> {
        let State::Between(input) = &mut self.state else { return Ok(()) };
        if !input.fill_buf()?.starts_with(DICTIONARY) {
            return Ok(());
        }
        let mut head = [0; 8];
        input.read_exact(&mut head)?;
        let [.., a, b, c, d] = head;
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > ZSTD_DICTIONARY_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the dictionary is too long"));
        }
        let mut dictionary = vec![0; length as usize];
        input.read_exact(&mut dictionary)?;
        if dictionary.starts_with(ZSTD) {
            let mut decoder = Decoder::with_buffer(dictionary.as_slice())?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            let mut plain = Vec::new();
            decoder.take(u64::from(ZSTD_DICTIONARY_BYTES)).read_to_end(&mut plain)?;
            dictionary = plain;
        }
        self.dictionary = dictionary;
        Ok(())
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
        let read = self.reader.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.reader.consume(amount);
    }
}
