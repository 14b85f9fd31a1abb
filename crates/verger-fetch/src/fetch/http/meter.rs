//! A stream that counts the server's bytes before a parser reads them.
//!
//! Hyper limits one head, but a server can send an endless number of them. The meter knows enough
//! of HTTP/1 to separate heads from bodies. It counts the bytes of all heads, their fields, interim
//! responses, and the bytes after them. The first exceeded limit is stored and ends the stream.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::failure::{Incomplete, NetworkError};
use crate::limits::{FRAMING_FACTOR, Limits};
use crate::lock;
use crate::net::BoxStream;

/// A metered stream.
pub(super) struct Meter {
    stream: BoxStream,
    count: Arc<Mutex<Count>>,
    /// Bytes read since other tasks last had a turn.
    read: usize,
}

/// Bytes that a parser may get before other tasks and timers have a turn. Hyper reads a chunk's
/// size byte by byte: megabytes of zeros would hold up the deadlines of everything on the thread.
const READ_AT_ONCE: usize = 16 * 1024;

/// The counts of a meter; they outlive the stream.
#[derive(Clone)]
pub(super) struct Reading(Arc<Mutex<Count>>);

struct Count {
    limits: Limits,
    head_bytes: usize,
    fields: usize,
    interim: usize,
    /// The beginning of the current line, as long as a status line needs, and its length.
    line: [u8; STATUS_END],
    line_len: usize,
    /// The kind of the current head, after its status line.
    status: Option<Status>,
    in_body: bool,
    body_bytes: usize,
    fault: Option<NetworkError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Interim,
    Final,
}

/// `HTTP/1.1 100`.
const STATUS_END: usize = 12;

impl Meter {
    /// For a connection of HTTP/1.1: heads are separated from bodies.
    pub(super) fn new(stream: BoxStream, limits: Limits) -> (Self, Reading) {
        Self::beginning(stream, limits, false)
    }

    /// For a connection of HTTP/2: every byte counts as framing.
    #[cfg(feature = "http2")]
    pub(super) fn of_frames(stream: BoxStream, limits: Limits) -> (Self, Reading) {
        Self::beginning(stream, limits, true)
    }

    fn beginning(stream: BoxStream, limits: Limits, in_body: bool) -> (Self, Reading) {
        let count = Arc::new(Mutex::new(Count {
            limits,
            head_bytes: 0,
            fields: 0,
            interim: 0,
            line: [0; STATUS_END],
            line_len: 0,
            status: None,
            in_body,
            body_bytes: 0,
            fault: None,
        }));
        (Self { stream, count: Arc::clone(&count), read: 0 }, Reading(count))
    }
}

impl Reading {
    /// The error with which the meter ended the stream.
    pub(super) fn fault(&self) -> Option<NetworkError> {
        lock(&self.0).fault
    }

    /// Whether any byte was read.
    pub(super) fn has_begun(&self) -> bool {
        lock(&self.0).head_bytes > 0
    }

    /// Bytes after the head of the final response.
    pub(super) fn body_bytes(&self) -> usize {
        lock(&self.0).body_bytes
    }
}

impl Count {
    fn add(&mut self, mut bytes: &[u8]) -> Result<(), NetworkError> {
        while !self.in_body {
            let Some((&byte, rest)) = bytes.split_first() else { return Ok(()) };
            bytes = rest;
            self.head_bytes += 1;
            if self.head_bytes > self.limits.head_bytes {
                return Err(NetworkError::HeadTooLarge);
            }
            match byte {
                b'\n' => self.end_line()?,
                b'\r' => {}
                _ => {
                    if let Some(place) = self.line.get_mut(self.line_len) {
                        *place = byte;
                    }
                    self.line_len += 1;
                }
            }
        }
        self.body_bytes = self.body_bytes.saturating_add(bytes.len());
        if self.body_bytes > self.limits.wire_or_body().saturating_mul(FRAMING_FACTOR) {
            return Err(NetworkError::FramingTooLarge);
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), NetworkError> {
        match (self.status, self.line_len) {
            // Parsers skip empty lines before a status line.
            (None, 0) => {}
            (None, _) => {
                let is_interim = self.line[8..10] == *b" 1" && self.line[9..] != *b"101";
                self.status = Some(if is_interim { Status::Interim } else { Status::Final });
                self.fields = 0;
            }
            (Some(Status::Interim), 0) => {
                self.status = None;
                self.interim += 1;
                if self.interim > self.limits.interim {
                    return Err(NetworkError::TooManyInterim);
                }
            }
            (Some(Status::Final), 0) => self.in_body = true,
            (Some(_), _) => {
                self.fields += 1;
                if self.fields > self.limits.head_fields {
                    return Err(NetworkError::TooManyFields);
                }
            }
        }
        self.line = [0; STATUS_END];
        self.line_len = 0;
        Ok(())
    }
}

impl AsyncRead for Meter {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read >= READ_AT_ONCE {
            self.read = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        let bytes = &buffer.filled()[before..];
        self.read += bytes.len();
        let mut count = lock(&self.count);
        let outcome = match &result {
            Ok(()) => count.add(bytes),
            // Only TLS reports an end of the stream as an error: its own end is missing.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(NetworkError::Incomplete(Incomplete::TlsTruncated))
            }
            Err(_) => Ok(()),
        };
        if let Err(fault) = outcome {
            count.fault.get_or_insert(fault);
            return Poll::Ready(Err(io::Error::other(fault)));
        }
        Poll::Ready(result)
    }
}

impl AsyncWrite for Meter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(limits: Limits, text: &[u8], step: usize) -> (Option<NetworkError>, Count) {
        let (meter, _) = Meter::new(Box::new(tokio::io::empty()), limits);
        let Ok(count) = Arc::try_unwrap(meter.count) else { panic!("it has one owner") };
        let mut count = count.into_inner().unwrap();
        let fault = text.chunks(step).find_map(|chunk| count.add(chunk).err());
        (fault, count)
    }

    #[test]
    fn heads_end_at_the_same_byte_however_they_are_split() {
        let text = b"\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n\
            HTTP/1.1 200 OK\nA: 1\r\nB: 2\n\r\nbody\r\n\r\n";
        for step in 1..text.len() {
            let (fault, count) = count(Limits::default(), text, step);
            assert_eq!(fault, None);
            assert_eq!((count.interim, count.fields, count.body_bytes), (2, 2, 8), "{step}");
        }
    }

    #[test]
    fn one_more_than_a_limit_is_too_many() {
        let limits = Limits::default();
        let head = |fields: usize, size: usize| {
            let mut text = b"HTTP/1.1 200 OK\r\n".to_vec();
            (0..fields).for_each(|_| text.extend_from_slice(b"A: 1\r\n"));
            text.extend_from_slice(b"A: ");
            text.resize(size - 4, b'a');
            text.extend_from_slice(b"\r\n\r\n");
            text
        };
        for (text, expected) in [
            (head(99, 1_000), None),
            (head(100, 1_000), Some(NetworkError::TooManyFields)),
            (head(0, 65_536), None),
            (head(0, 65_537), Some(NetworkError::HeadTooLarge)),
            (b"HTTP/1.1 100 a\r\n\r\n".repeat(10), None),
            (b"HTTP/1.1 100 a\r\n\r\n".repeat(11), Some(NetworkError::TooManyInterim)),
        ] {
            assert_eq!(count(limits, &text, 1_000).0, expected);
        }
        let most = limits.wire * FRAMING_FACTOR;
        let mut text = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        text.resize(text.len() + most, b'0');
        assert_eq!(count(limits, &text, 65_536).0, None);
        text.push(b'0');
        assert_eq!(count(limits, &text, 65_536).0, Some(NetworkError::FramingTooLarge));
    }
}
