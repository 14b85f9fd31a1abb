//! Connections: their limits of number and time.
//!
//! # Flow
//!
//! [`serve`] accepts connections of a listener up to the limit. Each runs in a task with HTTP/1.1.
//! hyper limits the time for a head ([`HeadTimer`]), and [`TimeoutStream`] the time without a
//! written byte; handlers limit the rest. HTTP/2 and TLS are left to a proxy.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::rt::{Sleep, Timer};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use crate::app::App;
use crate::limits::{ACCEPT_PAUSE, HEAD_BYTES, REJECTION_TIME, REJECTIONS};
use crate::problem::Problem;

/// Limits of all connections.
#[derive(Debug)]
pub(crate) struct Connections {
    app: Arc<App>,
    router: Router,
    places: Arc<Semaphore>,
    rejections: Arc<Semaphore>,
}

impl Connections {
    pub(crate) fn new(most: usize, app: Arc<App>, router: Router) -> Self {
        let [places, rejections] = [most, REJECTIONS].map(|most| Arc::new(Semaphore::new(most)));
        Self { app, router, places, rejections }
    }
}

/// Accepts connections until the service stops, then waits for the end of all of them.
pub(crate) async fn serve(listener: TcpListener, connections: Arc<Connections>) {
    let metrics = &connections.app.answers.metrics;
    let mut stopping = connections.app.stopping.clone();
    let mut tasks = JoinSet::new();
    let mut has_warned = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            _ = stopping.begins() => break,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // The client has gone, or no descriptor is free.
                if !std::mem::replace(&mut has_warned, true) {
                    tracing::warn!(%error, "cannot accept connections at the moment");
                }
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        has_warned = false;
        let _ = stream.set_nodelay(true);
        if let Ok(place) = Arc::clone(&connections.places).try_acquire_owned() {
            let connections = Arc::clone(&connections);
            tasks.spawn(async move {
                let metrics = &connections.app.answers.metrics;
                metrics.connections.increment(1.0);
                connect(stream, from, &connections).await;
                metrics.connections.decrement(1.0);
                drop(place);
            });
            continue;
        }
        metrics.refused_connections.increment(1);
        if let Ok(place) = Arc::clone(&connections.rejections).try_acquire_owned() {
            tasks.spawn(async move {
                let _ = timeout(REJECTION_TIME, reject(stream)).await;
                drop(place);
            });
        }
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

/// Runs one connection.
async fn connect(stream: TcpStream, from: SocketAddr, connections: &Connections) {
    let Connections { app, router, .. } = connections;
    let answer = |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(from);
        router.clone().call(request)
    };
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(app.settings.idle_time));
    let mut stopping = app.stopping.clone();
    let mut builder = http1::Builder::new();
    // Another number of fields than the 100 that hyper permits would cost each request.
    builder
        .timer(HeadTimer(Arc::clone(app)))
        .header_read_timeout(app.settings.idle_time + app.settings.header_time)
        .max_buf_size(HEAD_BYTES);
    let stream = TokioIo::new(Box::pin(stream));
    let mut connection = pin!(builder.serve_connection(stream, service_fn(answer)));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stopping.begins() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection has ended");
    }
}

/// The timer for heads of requests. If the service stops, no head is awaited.
#[derive(Clone, Debug)]
struct HeadTimer(Arc<App>);

impl Timer for HeadTimer {
    fn sleep(&self, time: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(std::time::Instant::now() + time)
    }

    fn sleep_until(&self, end: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        let mut stopping = self.0.stopping.clone();
        Box::pin(HeadSleep(Box::pin(async move {
            tokio::select! {
                () = sleep_until(end.into()) => {}
                _ = stopping.begins() => {}
            }
        })))
    }
}

struct HeadSleep(Pin<Box<dyn Future<Output = ()> + Send + Sync>>);

impl Future for HeadSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl Sleep for HeadSleep {}

/// Answers a connection beyond the limit.
async fn reject(mut stream: TcpStream) -> io::Result<()> {
    let body = Problem::busy("the service has too many connections").json();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n\
         Content-Length: {}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await?;
    // Closing with unread data would reset the connection before the client has read the answer.
    let mut rest = [0; 1_024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
