//! Data that may be compressed with gzip.

use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::GzDecoder;

/// The first bytes of gzip.
const MARK: &[u8] = &[0x1f, 0x8b];

/// A reader whose first bytes were read and are put back.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;
/// Compressed data from a member on, with the bytes of its beginning that were read.
type Compressed<R> = Chain<&'static [u8], BufReader<Whole<R>>>;

/// Plain or decompressed data.
#[derive(Debug)]
pub struct Plain<R: Read> {
    data: Data<R>,
    /// The number of bytes that may still be decompressed.
    left: u64,
    has_trailing_bytes: bool,
}

#[derive(Debug)]
enum Data<R: Read> {
    Plain(Whole<R>),
    /// A member of gzip (RFC 1952 section 2.2).
    Member(Box<GzDecoder<Compressed<R>>>),
    /// The end of the last member.
    End,
}

impl<R: Read> Plain<R> {
    /// Reads the first bytes. Compressed data may have `limit` bytes after decompression; more are
    /// an error.
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn new(mut reader: R, limit: u64) -> io::Result<Self> {
        let mut start = Vec::new();
        reader.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
        let is_gzip = start == MARK;
        let whole = Cursor::new(start).chain(reader);
        let data = if is_gzip { member(&[], BufReader::new(whole)) } else { Data::Plain(whole) };
        Ok(Self { data, left: limit, has_trailing_bytes: false })
    }

    /// Whether the data was read to its end, and bytes after the last member of gzip were ignored.
    pub fn has_trailing_bytes(&self) -> bool {
        self.has_trailing_bytes
    }
}

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let decoder = match &mut self.data {
                Data::Plain(reader) => return reader.read(buffer),
                Data::Member(decoder) => decoder,
                Data::End => return Ok(0),
            };
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                let left = self.left.checked_sub(read as u64);
                let error = || io::Error::other("the data is too large after decompression");
                self.left = left.ok_or_else(error)?;
                return Ok(read);
            }
            // Other bytes after the members are ignored, as gzip(1) does.
            let mut next = Vec::new();
            decoder.get_mut().take(MARK.len() as u64).read_to_end(&mut next)?;
            self.has_trailing_bytes = !next.is_empty() && next != MARK;
            self.data = match std::mem::replace(&mut self.data, Data::End) {
                Data::Member(decoder) if next == MARK => {
                    member(MARK, decoder.into_inner().into_inner().1)
                }
                _ => Data::End,
            };
        }
    }
}

fn member<R: Read>(start: &'static [u8], rest: BufReader<Whole<R>>) -> Data<R> {
    Data::Member(Box::new(GzDecoder::new(start.chain(rest))))
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
        with_trailing(data, limit).map(|(read, _)| read)
    }

    fn with_trailing(data: &[u8], limit: u64) -> Result<(Vec<u8>, bool), String> {
        let mut read = Vec::new();
        let mut plain = Plain::new(data, limit).map_err(|error| error.to_string())?;
        plain.read_to_end(&mut read).map_err(|error| error.to_string())?;
        Ok((read, plain.has_trailing_bytes()))
    }

    #[test]
    fn other_bytes_after_the_members_are_ignored_and_reported() {
        let member = compressed(b"ab");
        for (tail, expected) in [
            (&b""[..], Ok((b"ab".to_vec(), false))),
            (b"\n<!-- a comment -->", Ok((b"ab".to_vec(), true))),
            (&[0; 9_000], Ok((b"ab".to_vec(), true))),
            // A mark is two bytes.
            (b"\x1f", Ok((b"ab".to_vec(), true))),
            (b"\x1f\x1f\x8b", Ok((b"ab".to_vec(), true))),
            (&member, Ok((b"abab".to_vec(), false))),
        ] {
            assert_eq!(with_trailing(&[&member[..], tail].concat(), 9), expected);
        }
        let twice = [&member[..], &member, b"x", &member].concat();
        assert_eq!(with_trailing(&twice, 9), Ok((b"abab".to_vec(), true)));
        // A member that is cut or damaged is not a tail.
        assert!(all(&twice[..member.len() + 12], 9).is_err());
        let mut damaged = twice;
        let checksum = member.len() - 5;
        damaged[checksum] ^= 1;
        assert!(all(&damaged, 9).is_err());
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
