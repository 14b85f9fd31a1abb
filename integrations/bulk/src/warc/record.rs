//! The records of a WARC file, by ISO 28500 (WARC 1.0 and 1.1), and of an ARC file.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use super::arc::fields as arc_fields;
use super::members::Members;
use crate::error::is_damage;
use crate::format::{Format, format_of};
use crate::limits::{BLOCK_BYTES, WARC_HEAD_BYTES};
use crate::remote::ReadSeek;

/// Bytes that are read at once.
const STEP: usize = 64 * 1024;

/// Beginnings of records: WARC 1.0 and 1.1, and the drafts 0.17 and 0.18, which have the same form.
const VERSIONS: [&[u8]; 2] = [b"WARC/1.", b"WARC/0.1"];

const LONG_HEAD: &str = "the head is too long";

/// Reads the records of a file.
pub(crate) struct WarcReader {
    members: BufReader<Members>,
    is_arc: bool,
    /// Offset in the member of the next byte.
    at: u64,
    /// Offset of the record in the member.
    record_start: u64,
    /// The first line of the next record and its offset, if it was read to find the end of a
    /// record.
    next: Option<(u64, Vec<u8>)>,
    in_member: bool,
}

/// One record.
#[derive(Debug, Default)]
pub(crate) struct Record {
    fields: Vec<(String, String)>,
    /// The block, up to [`BLOCK_BYTES`].
    pub(crate) block: Vec<u8>,
    /// Whether the block is longer.
    pub(crate) is_cut: bool,
}

/// The next item of a file.
#[derive(Debug)]
pub(crate) struct Found {
    /// Offset in the file; in a compressed one, that of its member.
    pub(crate) at: u64,
    /// The record; of a damaged one only if its head has a right form, as far as it can be read.
    pub(crate) record: Option<Record>,
    /// The reason why a record or member is damaged. Reading continues after it.
    pub(crate) damage: Option<String>,
}

/// The end of a damaged record.
enum Damage {
    Io(io::Error),
    /// The head is damaged; the next record may be in the same member.
    Head(&'static str),
    /// As `Head`, but only the block is damaged.
    Block(&'static str),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl WarcReader {
    /// The name of the file says whether it is an ARC file.
    pub(crate) fn new(file: Box<dyn ReadSeek>, name: &str) -> io::Result<Self> {
        Ok(Self {
            members: BufReader::with_capacity(STEP, Members::of(file)?),
            is_arc: format_of(Path::new(name)) == Some(Format::Arc),
            at: 0,
            record_start: 0,
            next: None,
            in_member: false,
        })
    }

    /// The next record, or a damaged one; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If the operating system cannot read the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Found>> {
        loop {
            if !self.in_member {
                // The rest of a damaged member.
                self.members.consume(self.members.buffer().len());
                (self.at, self.record_start, self.next) = (0, 0, None);
                match self.members.get_mut().next() {
                    Ok(true) => self.in_member = true,
                    Ok(false) => return Ok(None),
                    Err(error) => {
                        return self.damaged(Damage::Io(error), Record::default()).map(Some);
                    }
                }
            }
            let mut record = Record::default();
            match self.record(&mut record) {
                Ok(true) => {
                    let (at, record) = (self.offset(), Some(record));
                    return Ok(Some(Found { at, record, damage: None }));
                }
                Ok(false) => self.in_member = false,
                Err(damage) => return self.damaged(damage, record).map(Some),
            }
        }
    }

    /// Offset of the current record in the file; in a compressed file, that of its member.
    fn offset(&self) -> u64 {
        let members = self.members.get_ref();
        members.start + if members.is_plain() { self.record_start } else { 0 }
    }

    fn damaged(&mut self, damage: Damage, record: Record) -> io::Result<Found> {
        let at = self.offset();
        let (reason, record) = match damage {
            Damage::Io(error) if is_damage(&error) => {
                let end = self.skip_member()?.map_or(String::new(), |end| format!("; {end}"));
                let damage = Some(format!("{error}{end}"));
                // Its URL and date end the rules before it, also if they are damaged.
                let record = Some(record).filter(|record| !record.fields.is_empty());
                return Ok(Found { at, record, damage });
            }
            Damage::Io(error) => return Err(error),
            Damage::Head(reason) => (reason, None),
            Damage::Block(reason) => (reason, Some(record)),
        };
        if self.skip_to_record().is_err() {
            self.skip_member()?;
        }
        Ok(Found { at, record, damage: Some(reason.to_owned()) })
    }

    /// Continues after the current member. Ends with a reason if its compressed file cannot be read
    /// further.
    fn skip_member(&mut self) -> io::Result<Option<String>> {
        self.in_member = false;
        match self.members.get_mut().skip_damaged() {
            Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
            skipped => skipped.map(|()| None),
        }
    }

    /// Reads the next record of the member. False at its end.
    fn record(&mut self, record: &mut Record) -> Result<bool, Damage> {
        let (start, first) = if let Some(next) = self.next.take() {
            next
        } else {
            self.skip_line_ends()?;
            (self.at, self.line()?)
        };
        if first.is_empty() {
            return Ok(false);
        }
        self.record_start = start;
        if !first.ends_with(b"\n") {
            return Err(no_line_end(&first));
        }
        if self.is_arc {
            record.fields = arc_fields(&first).ok_or(Damage::Head(
                "expected a line `URL IP-address Archive-date Content-type Archive-length`",
            ))?;
        } else {
            self.fields(&first, &mut record.fields)?;
        }
        let length = record.field("Content-Length").and_then(|text| text.parse::<u64>().ok());
        let Some(length) = length else {
            return Err(Damage::Block("expected a field `Content-Length` with a number"));
        };
        self.block(record, length)?;
        Ok(true)
    }

    /// Reads the head of a WARC record after its first line.
    fn fields(&mut self, version: &[u8], fields: &mut Vec<(String, String)>) -> Result<(), Damage> {
        if !is_version(version) {
            return Err(Damage::Head("expected a line that begins with `WARC/1.` or `WARC/0.1`"));
        }
        let mut bytes = version.len();
        loop {
            let line = self.line()?;
            let line = line.strip_suffix(b"\n").ok_or_else(|| no_line_end(&line))?;
            let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
            bytes += line.len();
            if bytes > WARC_HEAD_BYTES {
                return Err(Damage::Head(LONG_HEAD));
            }
            if line.is_empty() {
                return Ok(());
            }
            match line.split_once(':') {
                // A folded line continues the field before it.
                _ if line.starts_with([' ', '\t']) => {
                    if let Some((_, value)) = fields.last_mut() {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                }
                Some((name, value)) => {
                    fields.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                None => return Err(Damage::Head("expected a header field with a colon")),
            }
        }
    }

    fn block(&mut self, record: &mut Record, length: u64) -> Result<(), Damage> {
        let mut left = length;
        while left > 0 {
            let found = self.members.fill_buf()?;
            if found.is_empty() {
                return Err(Damage::Block("the block is shorter than its declared length"));
            }
            let take = found.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let room = BLOCK_BYTES.saturating_sub(record.block.len());
            record.block.extend_from_slice(&found[..take.min(room)]);
            record.is_cut |= take > room;
            self.consume(take);
            left -= take as u64;
        }
        // Two line ends follow, or one in ARC files. Other bytes show that the length is wrong. The
        // read beyond them is also the one that verifies the checksum of a member, before its
        // record is used.
        let ends = self.skip_line_ends()?;
        match self.peek()? {
            None => Ok(()),
            // In a compressed member, other bytes show damage that the checksum would detect. A
            // single line end can belong to the block.
            Some(_) if ends >= 2 && self.members.get_ref().is_plain() && !self.is_arc => Ok(()),
            Some(_) if self.reads_next()? => Ok(()),
            Some(_) => Err(Damage::Block("the block is longer than its declared length")),
        }
    }

    /// Skips to the next line that begins a record, in this member.
    fn skip_to_record(&mut self) -> io::Result<()> {
        while self.peek()?.is_some() && !self.reads_next()? {}
        Ok(())
    }

    /// Reads a line. True if it begins a record, as whose first line it is kept.
    fn reads_next(&mut self) -> io::Result<bool> {
        let (start, line) = (self.at, self.line()?);
        let is_first = if self.is_arc {
            line.ends_with(b"\n") && arc_fields(&line).is_some()
        } else {
            is_version(&line)
        };
        self.next = is_first.then_some((start, line));
        Ok(is_first)
    }

    /// The next line with its end; without one at the end of the member, or if it is too long.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let mut head = self.members.by_ref().take(WARC_HEAD_BYTES as u64);
        self.at += head.read_until(b'\n', &mut line)? as u64;
        Ok(line)
    }

    /// Skips line ends, and returns their number.
    fn skip_line_ends(&mut self) -> io::Result<usize> {
        let mut ends = 0;
        while let Some(byte @ (b'\r' | b'\n')) = self.peek()? {
            ends += usize::from(byte == b'\n');
            self.consume(1);
        }
        Ok(ends)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.members.fill_buf()?.first().copied())
    }

    fn consume(&mut self, bytes: usize) {
        self.members.consume(bytes);
        self.at += bytes as u64;
    }
}

impl Record {
    /// The value of a header field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The URL of a header field, without the angle brackets of some writers.
    pub(crate) fn url(&self, name: &str) -> Option<&str> {
        let url = self.field(name)?;
        Some(url.strip_prefix('<').and_then(|url| url.strip_suffix('>')).unwrap_or(url))
    }
}

/// The damage of a line of a head.
fn no_line_end(line: &[u8]) -> Damage {
    Damage::Head(if line.len() < WARC_HEAD_BYTES { "the head is cut" } else { LONG_HEAD })
}

fn is_version(bytes: &[u8]) -> bool {
    VERSIONS.iter().any(|version| bytes.starts_with(version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write as _};

    fn record(kind: &str, block: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// The types of the records, or `!` for a damaged one.
    fn read(bytes: &[u8]) -> Vec<String> {
        read_as("x.warc", bytes)
    }

    fn read_as(name: &str, bytes: &[u8]) -> Vec<String> {
        let mut reader = WarcReader::new(Box::new(Cursor::new(bytes.to_vec())), name).unwrap();
        let mut found = Vec::new();
        while let Some(next) = reader.next().unwrap() {
            found.push(match next.record.filter(|_| next.damage.is_none()) {
                Some(record) => {
                    let block = String::from_utf8_lossy(&record.block).into_owned();
                    format!("{}:{block}", record.field("warc-type").unwrap_or_default())
                }
                None => "!".to_owned(),
            });
        }
        found
    }

    #[test]
    fn records_of_plain_and_compressed_files_are_read() {
        let (a, b) = (record("response", "a"), record("request", ""));
        let expected = ["response:a", "request:"];
        assert_eq!(read(format!("{a}{b}").as_bytes()), expected);
        assert_eq!(read(&gzip(&format!("{a}{b}"))), expected);
        assert_eq!(read(&[gzip(&a), gzip(&b)].concat()), expected);
        let zstd = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).unwrap();
        assert_eq!(read(&[zstd(&a), zstd(&b)].concat()), expected);
        assert_eq!(read(&[gzip(&a), vec![0; 20], gzip(&b), vec![0; 9]].concat()), expected);
        assert_eq!(read(b""), [""; 0]);
    }

    #[test]
    fn drafts_of_the_format_are_read() {
        for version in ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"] {
            let one = record("response", "a").replace("WARC/1.0", version);
            assert_eq!(read(one.repeat(2).as_bytes()), ["response:a"; 2], "{version}");
            let cut = "WARC/0.17\r\nno colon\r\n\r\n";
            assert_eq!(read(format!("{cut}{one}").as_bytes()), ["!", "response:a"], "{version}");
        }
    }

    #[test]
    fn records_have_their_offset_and_damaged_blocks_their_head() {
        let (long, bad) = (record("response", &"a".repeat(3 * STEP)), "WARC/1.0\r\nx\r\n\r\n");
        let cut = "WARC/1.0\r\nWARC-Type: revisit\r\nContent-Length: 9\r\n\r\nabc";
        let file = Cursor::new(format!("{long}{bad}{long}{cut}"));
        let mut reader = WarcReader::new(Box::new(file), "x.warc").unwrap();
        let mut found = Vec::new();
        while let Some(Found { at, record, damage }) = reader.next().unwrap() {
            let kind = |record: Record| record.field("WARC-Type").unwrap_or("").to_owned();
            found.push((at, damage.map(|_| record.map(kind))));
        }
        let ends = [long.len(), long.len() + bad.len(), 2 * long.len() + bad.len()];
        let [second, third, last] = ends.map(|end| end as u64);
        let expected = [
            (0, None),
            (second, Some(None)),
            (third, None),
            (last, Some(Some("revisit".to_owned()))),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_damaged_member_is_skipped_alone() {
        let (a, b) = (record("response", &"a".repeat(3_000)), record("request", "b"));
        for compress in [gzip, |text: &str| {
            let mut encoder = zstd::bulk::Compressor::new(1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.compress(text.as_bytes()).unwrap()
        }] {
            let (first, second) = (compress(&a), compress(&b));
            for at in 10..first.len() {
                let mut bytes = first.clone();
                bytes[at] ^= 0x55;
                let found = read(&[bytes, second.clone()].concat());
                assert_eq!(found.last().map(String::as_str), Some("request:b"), "{at}: {found:?}");
                let found: Vec<_> =
                    found.iter().map(|it| it.chars().take(9).collect::<String>()).collect();
                // The checksum of the member detects every flip.
                assert!(found[..found.len() - 1].iter().all(|it| it == "!"), "{at}: {found:?}");
                assert!(found.len() > 1, "{at}");
            }
            for length in 1..first.len() {
                let found = read(&[&second[..], &first[..length], &second[..]].concat());
                assert_eq!(
                    found.last().map(String::as_str),
                    Some("request:b"),
                    "{length}: {found:?}"
                );
                assert!(found[..found.len() - 1].contains(&"!".to_owned()), "{length}: {found:?}");
                let found = read(&[&second[..], &first[..length]].concat());
                assert_eq!(found[0], "request:b");
                assert!(found.contains(&"!".to_owned()), "{length}: {found:?}");
            }
        }
    }

    #[test]
    fn a_damaged_record_of_a_plain_file_is_skipped_alone() {
        let good = record("request", "b");
        for bad in [
            "WARC/1.0\r\nWARC-Type: response\r\n\r\n\r\n\r\n",
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\nab\r\n\r\n",
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nab\r\n\r\n",
            "WARC/1.0\r\nno colon\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
            "WARC/2.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
            "WARC/0.9\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
            "garbage\r\n",
        ] {
            let found = read(format!("{good}{bad}{good}").as_bytes());
            assert_eq!(found, ["request:b", "!", "request:b"], "{bad}");
        }
        let cut = record("response", "abc");
        assert_eq!(read(&cut.as_bytes()[..cut.len() - 5]), ["!"]);
    }

    #[test]
    fn long_blocks_are_cut_and_the_next_record_is_found() {
        let long = record("response", &"a".repeat(BLOCK_BYTES + 10));
        let found = read(format!("{long}{}", record("request", "b")).as_bytes());
        assert_eq!(found[0].len(), "response:".len() + BLOCK_BYTES);
        assert_eq!(found[1], "request:b");
    }

    #[test]
    fn records_of_arc_files_are_read() {
        let version = "1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n";
        let of = |url: &str, block: &str| {
            format!("{url} 192.0.2.1 20010423054508 text/plain {}\n{block}", block.len())
        };
        let head = of("filedesc://x.arc", version);
        let [a, b] = ["a", "b\n\n"].map(|block| of("http://h.example/", block));
        let head_read = format!("warcinfo:{version}");
        let expected = [&*head_read, "response:a", "response:b\n\n"];
        let read = |bytes: &[u8]| read_as("x.arc.gz", bytes);
        for between in ["\n", "\r\n\n", ""] {
            // Without a line end, the block must have its own.
            let a = if between.is_empty() { of("http://h.example/", "a\n") } else { a.clone() };
            let found = read(format!("{head}{between}{a}{between}{b}{between}").as_bytes());
            assert_eq!(found[0], head_read, "{between:?}");
            let found: Vec<_> = found.iter().map(|it| it.trim_end()).collect();
            assert_eq!(found[1..], ["response:a", "response:b"], "{between:?}");
        }
        let [head, a, b] = [head, a, b].map(|record| record + "\n");
        assert_eq!(read(&[gzip(&head), gzip(&a), gzip(&b)].concat()), expected);
        // One record alone is damaged.
        let long = a.replace(" 1\n", " 9999\n");
        let short =
            of("http://h.example/", "User-agent: *\nDisallow: /\n").replace(" 26\n", " 14\n");
        let bad_line = a.replace("http:", "http");
        let kinds = |found: Vec<String>| -> String {
            found.iter().map(|it| it.chars().next().unwrap()).collect()
        };
        // In a plain file, the length of the record before a damaged line is in doubt, too.
        for (damaged, plain) in [(&short, "wr!r"), (&bad_line, "w!r"), (&long, "wr!")] {
            let found = read([&*head, &a, damaged, "\n", &b].concat().as_bytes());
            assert_eq!(kinds(found), plain, "{damaged}");
            let found = read(&[&head, &a, damaged, &b].map(|record| gzip(record)).concat());
            assert_eq!(kinds(found), "wr!r", "{damaged}");
        }
    }
}
