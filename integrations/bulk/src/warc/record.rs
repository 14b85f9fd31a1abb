//! The records of a WARC file, by ISO 28500 (WARC 1.0 and 1.1), and of an ARC file.

use std::io::{self, Read as _};

use super::arc::fields as arc_fields;
use super::members::Members;
use crate::error::is_damage;
use crate::format::Format;
use crate::limits::{BLOCK_BYTES, WARC_HEAD_BYTES};
use crate::remote::ReadSeek;

/// Bytes that are read at once.
const STEP: usize = 64 * 1024;

/// Beginnings of records: WARC 1.0 and 1.1, and the drafts 0.17 and 0.18, which have the same form.
const VERSIONS: [&[u8]; 2] = [b"WARC/1.", b"WARC/0.1"];

/// Reads the records of a file.
pub(crate) struct WarcReader {
    members: Members,
    is_arc: bool,
    /// Bytes of the member that are read, and not yet used from `at` on.
    buffer: Vec<u8>,
    at: usize,
    /// Offset of the buffer in the member.
    buffer_start: u64,
    /// Offset of the record in the member.
    record_start: u64,
    in_member: bool,
}

/// One record.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Offset in the file; in a compressed one, that of its member.
    pub(crate) offset: u64,
    fields: Vec<(String, String)>,
    /// The block, up to [`BLOCK_BYTES`].
    pub(crate) block: Vec<u8>,
    /// Whether the block is longer.
    pub(crate) is_cut: bool,
}

/// The next item of a file.
#[derive(Debug)]
pub(crate) enum Found {
    Record(Record),
    /// A damaged record or member: its offset, the reason, and the record if its head is whole.
    /// Reading continues after it.
    Damaged(u64, String, Option<Record>),
    End,
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
    pub(crate) fn new(file: Box<dyn ReadSeek>, format: Format) -> io::Result<Self> {
        Ok(Self {
            members: Members::of(file)?,
            is_arc: format == Format::Arc,
            buffer: Vec::new(),
            at: 0,
            buffer_start: 0,
            record_start: 0,
            in_member: false,
        })
    }

    /// The next record, or a damaged one.
    ///
    /// # Errors
    ///
    /// If the operating system cannot read the file.
    pub(crate) fn next(&mut self) -> io::Result<Found> {
        loop {
            if !self.in_member {
                self.buffer.clear();
                (self.at, self.buffer_start, self.record_start) = (0, 0, 0);
                match self.members.next() {
                    Ok(true) => self.in_member = true,
                    Ok(false) => return Ok(Found::End),
                    Err(error) => return self.damaged(Damage::Io(error), Record::default()),
                }
            }
            let mut record = Record::default();
            match self.record(&mut record) {
                Ok(true) => return Ok(Found::Record(record)),
                Ok(false) => self.in_member = false,
                Err(damage) => return self.damaged(damage, record),
            }
        }
    }

    /// Offset of the current record in the file; in a compressed file, that of its member.
    fn offset(&self) -> u64 {
        self.members.start + if self.members.is_plain() { self.record_start } else { 0 }
    }

    fn damaged(&mut self, damage: Damage, record: Record) -> io::Result<Found> {
        let offset = self.offset();
        let (reason, record) = match damage {
            Damage::Io(error) if is_damage(&error) => {
                let end = self.skip_member()?.map_or(String::new(), |end| format!("; {end}"));
                return Ok(Found::Damaged(offset, format!("{error}{end}"), None));
            }
            Damage::Io(error) => return Err(error),
            Damage::Head(reason) => (reason, None),
            Damage::Block(reason) => (reason, Some(record)),
        };
        if self.skip_to_record().is_err() {
            self.skip_member()?;
        }
        Ok(Found::Damaged(offset, reason.to_owned(), record))
    }

    /// Continues after the current member. Ends with a reason if its compressed file cannot be read
    /// further.
    fn skip_member(&mut self) -> io::Result<Option<String>> {
        self.in_member = false;
        match self.members.skip_damaged() {
            Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
            skipped => skipped.map(|()| None),
        }
    }

    /// Reads the next record of the member. False at its end.
    fn record(&mut self, record: &mut Record) -> Result<bool, Damage> {
        // Line ends between records.
        loop {
            match self.peek()? {
                Some(b'\r' | b'\n') => self.at += 1,
                Some(_) => break,
                None => return Ok(false),
            }
        }
        self.record_start = self.buffer_start + self.at as u64;
        record.offset = self.offset();
        let Some(first) = self.line()? else { return Err(Damage::Head("the head is cut")) };
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
            let Some(line) = self.line()? else { return Err(Damage::Head("the head is cut")) };
            bytes += line.len();
            if bytes > WARC_HEAD_BYTES {
                return Err(Damage::Head("the head is too long"));
            }
            if line.is_empty() {
                return Ok(());
            }
            let line = String::from_utf8_lossy(&line).into_owned();
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
            if self.peek()?.is_none() {
                return Err(Damage::Block("the block is shorter than its declared length"));
            }
            let found = &self.buffer[self.at..];
            let take = found.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let room = BLOCK_BYTES.saturating_sub(record.block.len());
            record.block.extend_from_slice(&found[..take.min(room)]);
            record.is_cut |= take > room;
            self.at += take;
            left -= take as u64;
        }
        // Two line ends follow, or one in ARC files. Other bytes show that the length is wrong. The
        // read beyond them is also the one that verifies the checksum of a member, before its
        // record is used.
        let mut ends = 0;
        loop {
            match self.peek()? {
                Some(byte @ (b'\r' | b'\n')) => {
                    ends += u32::from(byte == b'\n');
                    self.at += 1;
                }
                None => return Ok(()),
                // In a compressed member, other bytes show damage that the checksum would detect.
                // A single line end can belong to the block.
                Some(_) if ends >= 2 && self.members.is_plain() && !self.is_arc => return Ok(()),
                Some(_) if self.is_at_record()? => return Ok(()),
                Some(_) => {
                    return Err(Damage::Block("the block is longer than its declared length"));
                }
            }
        }
    }

    /// Skips to the next line that begins a record, in this member.
    fn skip_to_record(&mut self) -> io::Result<()> {
        loop {
            if self.peek()?.is_none() || self.is_at_record()? {
                return Ok(());
            }
            let rest = &self.buffer[self.at..];
            self.at +=
                rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        }
    }

    fn is_at_record(&mut self) -> io::Result<bool> {
        if self.is_arc {
            let end = self.line_end()?;
            return Ok(end.is_some_and(|end| arc_fields(&self.buffer[self.at..][..end]).is_some()));
        }
        if self.buffer.len() - self.at < VERSIONS[1].len() {
            self.fill()?;
        }
        Ok(is_version(&self.buffer[self.at..]))
    }

    /// The next line without its end; `None` if the member ends before.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(end) = self.line_end()? else {
            self.at = self.buffer.len();
            return Ok(None);
        };
        let line = &self.buffer[self.at..][..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.at += end + 1;
        Ok(Some(line))
    }

    /// The length of the next line without its line feed, which is in the buffer then.
    fn line_end(&mut self) -> io::Result<Option<usize>> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(end) = rest[searched..].iter().position(|&byte| byte == b'\n') {
                return Ok(Some(searched + end));
            }
            searched = rest.len();
            if searched > WARC_HEAD_BYTES || !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(self.buffer.get(self.at).copied())
    }

    /// Reads more of the member. False at its end.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.at);
        self.buffer_start += self.at as u64;
        self.at = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + STEP, 0);
        let read = self.members.read(&mut self.buffer[length..]);
        self.buffer.truncate(length + read.as_ref().copied().unwrap_or(0));
        Ok(read? > 0)
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

fn is_version(bytes: &[u8]) -> bool {
    VERSIONS.iter().any(|version| bytes.starts_with(version))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::{Cursor, Write as _};

    fn record(kind: &str, block: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    pub(crate) fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// The types of the records, or `!` for a damaged one.
    fn read(bytes: &[u8]) -> Vec<String> {
        read_as(Format::Warc, bytes)
    }

    pub(crate) fn read_as(format: Format, bytes: &[u8]) -> Vec<String> {
        let mut reader = WarcReader::new(Box::new(Cursor::new(bytes.to_vec())), format).unwrap();
        let mut found = Vec::new();
        loop {
            match reader.next().unwrap() {
                Found::Record(record) => {
                    let block = String::from_utf8_lossy(&record.block).into_owned();
                    found
                        .push(format!("{}:{block}", record.field("warc-type").unwrap_or_default()));
                }
                Found::Damaged(..) => found.push("!".to_owned()),
                Found::End => return found,
            }
        }
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
        let mut reader = WarcReader::new(Box::new(file), Format::Warc).unwrap();
        let mut found = Vec::new();
        loop {
            found.push(match reader.next().unwrap() {
                Found::Record(record) => (record.offset, None),
                Found::Damaged(at, _, head) => {
                    let kind = |head: Record| head.field("WARC-Type").unwrap_or("").to_owned();
                    (at, Some(head.map(kind)))
                }
                Found::End => break,
            });
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
}
