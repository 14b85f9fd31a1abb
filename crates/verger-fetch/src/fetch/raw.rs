//! Requests whose target is sent as it is: in no form of a URL, unlike those of an HTTP library.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::Fetcher;
use crate::failure::{Failure, Incomplete, NetworkError, Phase, ProtocolError};
use crate::net::{Alpn, Budget, Slot, within};

impl Fetcher {
    /// Sends the head of a request by HTTP/1.1 to the host of a URL, and returns the status and the
    /// field `Location`.
    pub(crate) async fn raw_status(
        &self,
        url: &Url,
        head: &[u8],
        slot: &Slot,
    ) -> Result<(u16, Option<String>), Failure> {
        self.guard.check_url(url).map_err(Failure::Refused)?;
        // A proxy would change the target.
        let net = self.net.as_ref().ok_or(NetworkError::Protocol(ProtocolError::Unsendable))?;
        let budget = Budget::new(self.limits.total, Some(slot));
        let exchange = async {
            let mut stream = Box::pin(net.connect(url, Alpn::Http1, &budget)).await?.stream;
            let cut = |_| NetworkError::Incomplete(Incomplete::Head);
            let mut text = Vec::new();
            let answer = async {
                stream.write_all(head).await.map_err(cut)?;
                stream.flush().await.map_err(cut)?;
                let most = self.limits.head_bytes;
                while text.len() < most && !final_head(&text).1 {
                    // A head that is cut is enough if it has the status.
                    if !matches!(stream.read_buf(&mut text).await, Ok(1..)) {
                        break;
                    }
                }
                Ok(())
            };
            within(self.limits.head, Phase::Head, answer).await?;
            let (head, _) = final_head(&text);
            let first = head.first().ok_or(NetworkError::Incomplete(Incomplete::Head))?;
            let status =
                status_of(first).ok_or(NetworkError::Protocol(ProtocolError::Malformed))?;
            let location = head.iter().find_map(|line| {
                let (name, value) = str::from_utf8(line).ok()?.split_once(':')?;
                name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
            });
            Ok((status, location))
        };
        Box::pin(budget.limit(exchange))
            .await
            .unwrap_or(Err(NetworkError::Timeout(Phase::Total).into()))
    }
}

/// The complete lines of the head after those of interim responses (RFC 9110 section 15.2), and
/// whether it ends.
fn final_head(text: &[u8]) -> (Vec<&[u8]>, bool) {
    let mut lines = text
        .split_inclusive(|&octet| octet == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n").map(<[u8]>::trim_ascii_end));
    loop {
        let mut is_whole = false;
        let in_head = |line: &&[u8]| {
            is_whole = line.is_empty();
            !is_whole
        };
        let head: Vec<_> = lines.by_ref().take_while(in_head).collect();
        let is_interim = head.first().and_then(|line| status_of(line)).is_some_and(|it| it < 200);
        if !(is_whole && is_interim) {
            return (head, is_whole);
        }
    }
}

fn status_of(line: &[u8]) -> Option<u16> {
    let digits = line.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interim_responses_and_bodies_are_no_part_of_a_head() {
        let found = |text: &'static str| {
            let (head, is_whole) = final_head(text.as_bytes());
            let head = head.iter().map(|line| str::from_utf8(line).expect("UTF-8"));
            (head.collect::<Vec<_>>(), is_whole)
        };
        let of_403 = (vec!["HTTP/1.1 403 Forbidden", "A: b"], true);
        assert_eq!(found("HTTP/1.1 403 Forbidden\r\nA: b\r\n\r\nLocation: /x\n\n"), of_403);
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\n\n\
                     HTTP/1.1 403 Forbidden\nA: b\n\n";
        assert_eq!(found(early), of_403);
        assert_eq!(found("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 20"), (vec![], false));
        assert_eq!(found("HTTP/1.1 200 OK\r\nA: b\r\nC"), (vec!["HTTP/1.1 200 OK", "A: b"], false));
        assert_eq!(found(""), (vec![], false));
    }
}
