//! Execution of a script on a connection.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::script::{DRIP, Script, ServerAction};

/// Size of one write when the client's reads are not limited, in bytes.
const CHUNK: usize = 64 * 1024;

/// A connection, plain or TLS.
#[derive(Debug)]
pub(super) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// End of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The connection is closed.
    Closed,
    /// The connection remains open for the next request.
    Stays,
}

impl Wire {
    /// Executes a script.
    ///
    /// # Errors
    ///
    /// If the client has closed or reset the connection, which it may do.
    pub(super) async fn play(&mut self, script: &Script) -> io::Result<End> {
        for step in script.steps() {
            match step {
                ServerAction::Bytes(bytes) => self.write(bytes).await?,
                ServerAction::Times(bytes, times) => self.times(bytes, *times).await?,
                ServerAction::Forever(bytes) => loop {
                    self.times(bytes, CHUNK / bytes.len().max(1) + 1).await?;
                },
                ServerAction::Single(bytes) => self.single(bytes, false).await?,
                ServerAction::Drip(bytes) => self.single(bytes, true).await?,
                ServerAction::DripForever(bytes) => loop {
                    self.single(bytes, true).await?;
                },
                ServerAction::Pause(time) => tokio::time::sleep(*time).await,
                ServerAction::AwaitInput => drop(self.read(&mut [0; 4096]).await?),
                ServerAction::Never => return self.listen().await,
                ServerAction::Close => return self.close().await,
                ServerAction::Cut => {
                    self.tcp_mut().shutdown().await?;
                    return self.listen_to_tcp().await;
                }
                ServerAction::Reset => {
                    self.tcp().set_zero_linger()?;
                    return Ok(End::Closed);
                }
            }
        }
        if script.stays() { Ok(End::Stays) } else { self.close().await }
    }

    /// Reads some bytes; none at the end.
    pub(super) async fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into).await,
            Self::Tls(stream) => stream.read(into).await,
        }
    }

    /// Writes all of some bytes.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stream = self.writer();
        stream.write_all(bytes).await?;
        stream.flush().await
    }

    /// Closes the sending side, and waits for the client: closing with unread bytes would reset the
    /// connection.
    pub(super) async fn close(&mut self) -> io::Result<End> {
        self.writer().shutdown().await?;
        self.listen().await
    }

    fn writer(&mut self) -> &mut (dyn AsyncWrite + Send + Unpin) {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.as_mut(),
        }
    }

    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        }
    }

    fn tcp_mut(&mut self) -> &mut TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_mut().0,
        }
    }

    async fn times(&mut self, bytes: &[u8], times: usize) -> io::Result<()> {
        let in_one = (CHUNK / bytes.len().max(1)).clamp(1, times.max(1));
        let chunk = bytes.repeat(in_one);
        for _ in 0..times / in_one {
            self.write(&chunk).await?;
        }
        self.write(&chunk[..bytes.len() * (times % in_one)]).await
    }

    async fn single(&mut self, bytes: &[u8], slowly: bool) -> io::Result<()> {
        self.tcp().set_nodelay(true)?;
        for byte in bytes {
            self.write(&[*byte]).await?;
            if slowly {
                tokio::time::sleep(DRIP).await;
            }
        }
        Ok(())
    }

    async fn listen(&mut self) -> io::Result<End> {
        while self.read(&mut [0; 4096]).await? > 0 {}
        Ok(End::Closed)
    }

    async fn listen_to_tcp(&mut self) -> io::Result<End> {
        while self.tcp_mut().read(&mut [0; 4096]).await? > 0 {}
        Ok(End::Closed)
    }
}
