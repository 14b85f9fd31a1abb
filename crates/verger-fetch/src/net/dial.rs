//! Connections by TCP.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;

use super::{BoxFuture, BoxStream, Dial};

/// Connects by TCP; the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpDial;

impl Dial for TcpDial {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            // A request is one write; waiting for more data has no benefit.
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as BoxStream)
        })
    }
}
