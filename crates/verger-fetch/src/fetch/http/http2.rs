//! One request by HTTP/2, on a connection that negotiated it in TLS.
//!
//! Hyper bounds frames, fields and streams, but a server can send endless frames without content.
//! The meter counts every byte of the connection against the limit for the framing of HTTP/1.1. All
//! time limits apply as there.

use std::sync::{Arc, Mutex};

use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http2;
use hyper::rt::Executor;
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::meter::{Meter, Reading};
use super::{Target, body, drive};
use crate::failure::{Incomplete, NetworkError, Phase, ProtocolError};
use crate::fetch::http_client::{HttpRequest, HttpResponse};
use crate::limits::Limits;
use crate::lock;
use crate::net::{BoxStream, within};

/// Sends a request on a connected stream.
pub(super) async fn ask(
    stream: BoxStream,
    request: &HttpRequest<'_>,
    limits: &Limits,
) -> Result<HttpResponse, NetworkError> {
    let to_send = request.to_hyper(Target::Url)?;
    let (meter, reading) = Meter::of_frames(stream, *limits);
    let tasks = Tasks::default();
    let _end = AbortOnDrop(tasks.clone());
    let mut builder = http2::Builder::new(tasks);
    builder.max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX));
    let handshake = builder.handshake(TokioIo::new(meter));
    let reading = Frames(reading);
    let head = async {
        let (mut sender, connection) =
            handshake.await.map_err(|error| reading.head_error(&error))?;
        Ok((sender.send_request(to_send), connection))
    };
    let began = Instant::now();
    let (response, connection) = within(limits.head, Phase::Head, head).await?;
    let left = limits.head.saturating_sub(began.elapsed());
    let exchange = async {
        let head = async { response.await.map_err(|error| reading.head_error(&error)) };
        let response = within(left, Phase::Head, head).await?;
        if response.headers().len() > limits.head_fields {
            return Err(NetworkError::TooManyFields);
        }
        Ok(HttpResponse::of(response, request, limits, &reading).await)
    };
    drive(connection, exchange).await
}

/// The meter of a connection with frames.
struct Frames(Reading);

impl Frames {
    fn head_error(&self, error: &hyper::Error) -> NetworkError {
        self.0.fault().unwrap_or_else(|| {
            if error.is_closed() || error.is_canceled() || error.is_incomplete_message() {
                NetworkError::Incomplete(Incomplete::Head)
            } else {
                NetworkError::Protocol(ProtocolError::Malformed)
            }
        })
    }
}

impl body::Version for Frames {
    fn error(&self, _: &hyper::Error) -> NetworkError {
        self.0.fault().unwrap_or(NetworkError::Incomplete(Incomplete::Body))
    }

    /// Hyper treats a stream that was reset without an error, or cancelled, as ended, because a
    /// server may do so after a whole response. Here missing data is an error.
    fn has_ended(&self, incoming: &Incoming) -> bool {
        incoming.is_end_stream()
    }

    /// The protocol itself detects frames that do not add up to Content-Length.
    fn is_more_than(&self, _: usize) -> bool {
        false
    }
}

/// The tasks that Hyper runs beside the connection.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<JoinSet<()>>>);

impl<F> Executor<F> for Tasks
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, future: F) {
        let mut tasks = lock(&self.0);
        tasks.spawn(async move {
            future.await;
        });
    }
}

/// Aborts the tasks at the end of the fetch.
struct AbortOnDrop(Tasks);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        lock(&self.0.0).abort_all();
    }
}
