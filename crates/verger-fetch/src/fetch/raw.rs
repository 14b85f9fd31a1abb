//! Requests whose target is sent as it is: in no form of a URL, unlike those of an HTTP library.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::Fetcher;
use crate::failure::{Failure, Incomplete, NetworkError, Phase, ProtocolError};
use crate::limits::STATUS_LINE_BYTES;
use crate::net::{Alpn, Budget, Slot, within};

impl Fetcher {
    /// Sends the head of a request by HTTP/1.1 to the host of a URL, and returns the status.
    pub(crate) async fn raw_status(
        &self,
        url: &Url,
        head: &[u8],
        slot: &Slot,
    ) -> Result<u16, Failure> {
        self.guard.check_url(url).map_err(Failure::Refused)?;
        // A proxy would change the target.
        let net = self.net.as_ref().ok_or(NetworkError::Protocol(ProtocolError::Unsendable))?;
        let budget = Budget::new(self.limits.total, Some(slot));
        let exchange = async {
            let mut stream = Box::pin(net.connect(url, Alpn::Http1, &budget)).await?.stream;
            let cut = |_| NetworkError::Incomplete(Incomplete::Head);
            let mut line = Vec::new();
            let answer = async {
                stream.write_all(head).await.map_err(cut)?;
                stream.flush().await.map_err(cut)?;
                while !line.contains(&b'\n') && line.len() < STATUS_LINE_BYTES {
                    if stream.read_buf(&mut line).await.map_err(cut)? == 0 {
                        break;
                    }
                }
                Ok(())
            };
            within(self.limits.head, Phase::Head, answer).await?;
            if line.is_empty() {
                return Err(NetworkError::Incomplete(Incomplete::Head).into());
            }
            let status = line.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
            let status = status.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            status.ok_or(Failure::Network(NetworkError::Protocol(ProtocolError::Malformed)))
        };
        Box::pin(budget.limit(exchange))
            .await
            .unwrap_or(Err(NetworkError::Timeout(Phase::Total).into()))
    }
}
