//! Data that may be compressed with gzip.

use std::io::{self, BufReader, Chain, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

/// The first bytes of gzip.
const MARK: &[u8] = &[0x1f, 0x8b];

/// A reader whose first bytes were read and are put back.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// Plain or decompressed data.
#[derive(Debug)]
pub struct Plain<R: Read> {
    data: Data<R>,
    /// The number of bytes that may still be decompressed.
    left: u64,
}

#[derive(Debug)]
enum Data<R: Read> {
    Plain(Whole<R>),
    Compressed(Box<MultiGzDecoder<BufReader<Whole<R>>>>),
}

impl<R: Read> Plain<R> {
    /// Reads the first bytes. Compressed data may have `limit` bytes after decompression; more are
    /// an error. Other bytes after it are an error of the kind
    /// [`InvalidData`](ErrorKind::InvalidData).
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn new(mut reader: R, limit: u64) -> io::Result<Self> {
        let mut start = Vec::new();
        reader.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
        let is_gzip = start == MARK;
        let whole = Cursor::new(start).chain(reader);
        let decoder = |whole| Box::new(MultiGzDecoder::new(BufReader::new(whole)));
        let data = if is_gzip { Data::Compressed(decoder(whole)) } else { Data::Plain(whole) };
        Ok(Self { data, left: limit })
    }
}

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let decoder = match &mut self.data {
            Data::Plain(reader) => return reader.read(buffer),
            Data::Compressed(decoder) => decoder,
        };
        let is_in_member = decoder.header().is_some();
        let read = decoder.read(buffer).map_err(|error| {
            // The member ended, and no other one begins. A few bytes are no header of one.
            let is_tail = is_in_member && decoder.header().is_none();
            if is_tail && matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::UnexpectedEof)
            {
                return io::Error::new(
                    ErrorKind::InvalidData,
                    "other bytes follow the compressed data",
                );
            }
            error
        })?;
        let left = self.left.checked_sub(read as u64);
        self.left =
            left.ok_or_else(|| io::Error::other("the data is too large after decompression"))?;
        Ok(read)
    }
}

#[cfg(test)]
pub(crate) fn compressed(data: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(data: &[u8], limit: u64) -> Result<Vec<u8>, String> {
        let mut read = Vec::new();
        let mut plain = Plain::new(data, limit).map_err(|error| error.to_string())?;
        plain.read_to_end(&mut read).map_err(|error| error.to_string())?;
        Ok(read)
    }

    #[test]
    fn other_bytes_after_the_members_are_an_error_of_their_own() {
        let member = compressed(b"ab");
        let twice = [&member[..], &member].concat();
        let mut damaged = twice.clone();
        damaged[member.len() - 5] ^= 1;
        let with = |tail: &[u8]| [&twice[..], tail].concat();
        for (data, text, error) in [
            (twice.clone(), "abab", None),
            (with(b"\n<!-- a comment -->"), "abab", Some(ErrorKind::InvalidData)),
            (with(&[0; 9_000]), "abab", Some(ErrorKind::InvalidData)),
            (with(b"\x1f\x1f\x8b\x08\0\0\0\0\0\0"), "abab", Some(ErrorKind::InvalidData)),
            // A cut header looks like a tail. Other cut or damaged data does not.
            (with(MARK), "abab", Some(ErrorKind::InvalidData)),
            (twice[..member.len() + 12].to_vec(), "aba", Some(ErrorKind::UnexpectedEof)),
            (damaged, "ab", Some(ErrorKind::InvalidInput)),
        ] {
            let (mut read, mut plain) = (Vec::new(), Plain::new(&data[..], 9).expect("memory"));
            let failed = plain.read_to_end(&mut read).err().map(|error| error.kind());
            assert_eq!((&read[..], failed), (text.as_bytes(), error), "{}", data.escape_ascii());
        }
    }

    #[test]
    fn compressed_data_is_recognised_by_its_mark() {
        for data in [&b""[..], b"a", b"ab", b"abc", &MARK[..1]] {
            assert_eq!(all(data, 0).as_deref(), Ok(data));
        }
        let mut twice = compressed(b"abc");
        assert_eq!(all(&twice, 3).as_deref(), Ok(&b"abc"[..]));
        twice.extend(compressed(b"de"));
        assert_eq!(all(&twice, 9).as_deref(), Ok(&b"abcde"[..]));
    }

    #[test]
    fn bombs_and_broken_data_are_errors() {
        let bomb = compressed(&vec![0; 1_000_000]);
        assert!(bomb.len() < 10_000);
        assert_eq!(
            all(&bomb, 999_999),
            Err("the data is too large after decompression".to_owned())
        );
        assert!(all(&bomb[..bomb.len() - 9], 9_999_999).is_err());
        assert!(all(&[0x1f, 0x8b, 0, 0], 10).is_err());
    }
}
