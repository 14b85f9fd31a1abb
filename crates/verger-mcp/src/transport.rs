//! Messages as lines of JSON.
//!
//! The reader of the SDK ignores a line that is not JSON or too long. Here it gets an error
//! (JSON-RPC 2.0 section 5.1), so that a client does not wait for ever.

use std::io;
use std::sync::Arc;

use rmcp::model::ErrorCode;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};
use tokio::sync::{Mutex, mpsc};

use crate::limits::LINE_BYTES;

type Received = RxJsonRpcMessage<RoleServer>;

/// The messages of one client.
pub(crate) struct Lines<W> {
    received: mpsc::Receiver<Received>,
    write: Arc<Mutex<W>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(crate) fn new(read: impl AsyncRead + Send + Unpin + 'static, write: W) -> Self {
        let (to, received) = mpsc::channel(1);
        let write = Arc::new(Mutex::new(write));
        let answers = Arc::clone(&write);
        // A task, because the SDK drops a pending `receive`.
        tokio::spawn(async move {
            let mut read = BufReader::new(read);
            while let Some(line) = next_line(&mut read).await {
                let goes_on = match line.and_then(|line| message(&line)) {
                    Ok(message) => to.send(message).await.is_ok(),
                    Err(error) => send(&answers, &error).await.is_ok(),
                };
                if !goes_on {
                    return;
                }
            }
        });
        Self { received, write }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move { send(&write, &message).await }
    }

    async fn receive(&mut self) -> Option<Received> {
        self.received.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

async fn send(write: &Mutex<impl AsyncWrite + Unpin>, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// The next line that is not blank, or the answer to one that is too long; `None` at the end.
async fn next_line(read: &mut (impl AsyncBufRead + Unpin)) -> Option<Result<Vec<u8>, Value>> {
    let (mut line, mut is_long) = (Vec::new(), false);
    loop {
        let mut part = (&mut *read).take(LINE_BYTES);
        let count = part.read_until(b'\n', &mut line).await.ok()?;
        if !line.ends_with(b"\n") && part.limit() == 0 {
            is_long = true;
        } else if is_long {
            let message = format!("expected a line of at most {LINE_BYTES} bytes");
            return Some(Err(error(ErrorCode::PARSE_ERROR, &message)));
        } else if count == 0 || !line.trim_ascii().is_empty() {
            return (count > 0).then_some(Ok(line));
        }
        line.clear();
    }
}

/// The message of a line, or the answer to one that is no message.
fn message(line: &[u8]) -> Result<Received, Value> {
    serde_json::from_slice(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)).map_err(|it| {
        let code = if it.is_data() { ErrorCode::INVALID_REQUEST } else { ErrorCode::PARSE_ERROR };
        error(code, &it.to_string())
    })
}

/// An answer to an unknown request: its `id` is null, which the SDK leaves out.
fn error(code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}})
}
