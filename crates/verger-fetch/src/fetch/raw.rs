//! Requests whose target is sent as it is: in no form of a URL, unlike those of an HTTP library.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::Fetcher;
use crate::failure::{Failure, Incomplete, NetworkError, Phase, ProtocolError};
use crate::net::{Alpn, Budget, Slot, within};

impl Fetcher {
    /// Sends the head of a request by HTTP/1.1 to the host of a URL, and returns the status and the field
    /// `Location`.
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
                while text.len() < most && !lines(&text).any(<[u8]>::is_empty) {
                    // A head that is cut is enough if it has the status.
                    if !matches!(stream.read_buf(&mut text).await, Ok(1..)) {
                        break;
                    }
                }
                Ok(())
            };
            within(self.limits.head, Phase::Head, answer).await?;
            if lines(&text).next().is_none() {
                return Err(NetworkError::Incomplete(Incomplete::Head).into());
            }
            let status = text.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
            let status = status.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            let status = status.ok_or(NetworkError::Protocol(ProtocolError::Malformed))?;
            let location = lines(&text).find_map(|line| {
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

/// The complete lines of a head.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head.split_inclusive(|&octet| octet == b'\n');
    lines.filter_map(|line| line.strip_suffix(b"\n").map(<[u8]>::trim_ascii_end))
}
