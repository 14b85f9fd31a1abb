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
                    Ok(Some(message)) => to.send(message).await.is_ok(),
                    Ok(None) => true,
                    Err(answer) => send(&answers, &answer).await.is_ok(),
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

/// The next line, or the answer to one that is too long; `None` at the end.
async fn next_line(read: &mut (impl AsyncBufRead + Unpin)) -> Option<Result<Vec<u8>, Value>> {
    let (mut line, mut is_long) = (Vec::new(), false);
    loop {
        let mut part = (&mut *read).take(LINE_BYTES);
        part.read_until(b'\n', &mut line).await.ok()?;
        let is_whole = line.ends_with(b"\n") || part.limit() > 0;
        match (is_whole, is_long) {
            (false, _) => (is_long, line) = (true, Vec::new()),
            (true, true) => {
                let message = format!("expected a line of at most {LINE_BYTES} bytes");
                return Some(Err(error(ErrorCode::PARSE_ERROR, &message, &Value::Null)));
            }
            (true, false) => return (!line.is_empty()).then_some(Ok(line)),
        }
    }
}

/// The message of a line, or the answer to one that is no message. `None` for a blank line and for
/// a notification, which gets no answer.
fn message(line: &[u8]) -> Result<Option<Received>, Value> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|it| error(ErrorCode::PARSE_ERROR, &it.to_string(), &Value::Null))?;
    match &value["id"] {
        Value::Null if value["method"].is_string() => Ok(None),
        id => {
            let id = Some(id).filter(|it| it.is_string() || it.is_i64()).unwrap_or(&Value::Null);
            Err(error(ErrorCode::INVALID_REQUEST, "expected a message of JSON-RPC 2.0", id))
        }
    }
}

/// An answer with an `id` that can be null, unlike those of the SDK.
fn error(code: ErrorCode, message: &str, id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
