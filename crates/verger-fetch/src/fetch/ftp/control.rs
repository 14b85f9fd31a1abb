//! The control connection of FTP: one command, one reply.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::limits::{FTP_LINE_BYTES, FTP_REPLY_BYTES, FTP_REPLY_LINES, Limits};
use crate::net::{BoxStream, FtpStep, NetworkError, Phase, within};

/// A control connection.
pub(super) struct Control {
    stream: BoxStream,
    limits: Limits,
    /// Received but not parsed yet.
    pending: Vec<u8>,
    line: Vec<u8>,
    last_code: Option<u16>,
}

impl Control {
    pub(super) const fn new(stream: BoxStream, limits: Limits) -> Self {
        Self { stream, limits, pending: Vec::new(), line: Vec::new(), last_code: None }
    }

    /// The code of the last reply.
    pub(super) const fn last_code(&self) -> Option<u16> {
        self.last_code
    }

    /// The last line of the last reply.
    pub(super) fn last_line(&self) -> &[u8] {
        &self.line
    }

    /// Sends a command and reads the reply.
    pub(super) async fn ask(&mut self, step: FtpStep, command: &str) -> Result<u16, NetworkError> {
        let broken = NetworkError::Ftp { step, code: None };
        // A reply before its command answers something else. From then on every reply would be
        // assigned to the wrong command.
        if !self.pending.is_empty() {
            return Err(broken);
        }
        let line = format!("{command}\r\n");
        let write = async {
            self.stream.write_all(line.as_bytes()).await.map_err(|_| broken)?;
            self.stream.flush().await.map_err(|_| broken)
        };
        within(self.limits.idle(), Phase::Idle, write).await?;
        self.reply(step).await
    }

    /// Reads a reply of one or more lines (RFC 959 section 4.2).
    pub(super) async fn reply(&mut self, step: FtpStep) -> Result<u16, NetworkError> {
        let limits = self.limits;
        within(limits.idle(), Phase::Idle, self.read_reply(NetworkError::Ftp { step, code: None }))
            .await
    }

    async fn read_reply(&mut self, broken: NetworkError) -> Result<u16, NetworkError> {
        self.read_line(broken).await?;
        let code = code(&self.line).ok_or(broken)?;
        if self.line.get(3) == Some(&b'-') {
            let mut lines = 1;
            // A line with the same code and a space is the end; lines between may have any form.
            while self::code(&self.line) != Some(code) || self.line.get(3) == Some(&b'-') {
                lines += 1;
                if lines > FTP_REPLY_LINES {
                    return Err(broken);
                }
                self.read_line(broken).await?;
            }
        }
        self.last_code = Some(code);
        Ok(code)
    }

    /// Reads one line, without its end.
    async fn read_line(&mut self, broken: NetworkError) -> Result<(), NetworkError> {
        loop {
            if let Some(end) = self.pending.iter().position(|&octet| octet == b'\n') {
                self.line = self.pending.drain(..=end).collect();
                self.line.truncate(end);
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                return if end > FTP_LINE_BYTES { Err(broken) } else { Ok(()) };
            }
            if self.pending.len() > FTP_LINE_BYTES {
                return Err(broken);
            }
            let mut buffer = [0; FTP_REPLY_BYTES];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return Err(broken),
                Ok(count) => self.pending.extend_from_slice(&buffer[..count]),
            }
        }
    }
}

/// The code of a line: three digits, the first from 1 to 5, and then a space, a hyphen or nothing.
fn code(line: &[u8]) -> Option<u16> {
    let digits = line.get(..3).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    if !matches!(line.get(3), None | Some(b' ' | b'-')) || !matches!(digits[0], b'1'..=b'5') {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn reply(text: &[u8]) -> Option<u16> {
        let stream =
            Box::new(tokio::io::join(std::io::Cursor::new(text.to_vec()), tokio::io::sink()));
        Control::new(stream, Limits::default()).reply(FtpStep::Greeting).await.ok()
    }

    #[tokio::test]
    async fn replies_have_one_line_or_several() {
        for (text, expected) in [
            ("220 ready\r\n", Some(220)),
            ("220\r\n", Some(220)),
            ("220 bare line end\n", Some(220)),
            ("220-a\r\n b\r\n230 c\r\n220-d\r\n220 e\r\n", Some(220)),
            ("220-a\r\n220\r\n", Some(220)),
            ("220-a\r\n", None),
            ("220 no end", None),
            ("", None),
            ("22\r\n", None),
            ("2200 x\r\n", None),
            ("abc\r\n", None),
            ("000 x\r\n", None),
            ("999 x\r\n", None),
            ("HTTP/1.1 400 Bad Request\r\n", None),
            ("SSH-2.0-x\r\n", None),
        ] {
            assert_eq!(reply(text.as_bytes()).await, expected, "{text:?}");
        }
    }

    #[tokio::test]
    async fn lines_and_replies_are_bounded() {
        let line = |length: usize| format!("220 {}\r\n", "x".repeat(length - 5)).into_bytes();
        assert_eq!(reply(&line(FTP_LINE_BYTES)).await, Some(220));
        assert_eq!(reply(&line(FTP_LINE_BYTES + 1)).await, None);
        let lines =
            |count: usize| format!("{}220 x\r\n", "220-x\r\n".repeat(count - 1)).into_bytes();
        assert_eq!(reply(&lines(FTP_REPLY_LINES)).await, Some(220));
        assert_eq!(reply(&lines(FTP_REPLY_LINES + 1)).await, None);
    }
}
