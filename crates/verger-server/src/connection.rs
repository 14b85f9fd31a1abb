//! Connections: their limits of number and time.
//!
//! # Flow
//!
//! [`serve`] accepts connections of a listener up to the limit. Each runs in a task with HTTP/1.1.
//! The stream notes in a [`Watch`] whether the connection waits for a request, receives its head or
//! answers it; a timer of the task closes it when a phase takes too long. HTTP/2 and TLS are left to
//! a proxy.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::limits::{ACCEPT_PAUSE, HEAD_BYTES, REJECTION_TIME, REJECTIONS, TICK};
use crate::problem::Problem;
use crate::telemetry::Numbers;

/// Times of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) header: Duration,
    pub(crate) idle: Duration,
}

/// Answers one request.
pub(crate) trait Handle: Send + Sync + 'static {
    fn handle(
        &self,
        request: Request<Incoming>,
        from: SocketAddr,
        running: Running,
    ) -> impl Future<Output = Response<Body>> + Send;

    fn numbers(&self) -> &Numbers;
}

/// A milliseconds clock that a task advances, so that noting a time costs nothing.
#[derive(Debug, Default)]
pub(crate) struct CoarseClock(AtomicU64);

impl CoarseClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Advances the clock for ever.
    pub(crate) async fn run(self: Arc<Self>) {
        let start = Instant::now();
        loop {
            sleep(TICK).await;
            let passed = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.0.store(passed, Ordering::Relaxed);
        }
    }
}

/// The phase of a connection, and its begin.
#[derive(Debug)]
struct Watch {
    clock: Arc<CoarseClock>,
    phase: AtomicU8,
    since: AtomicU64,
    /// Begin of a write that the client does not take, plus one; 0 without one.
    stalled: AtomicU64,
    /// Number of requests that are answered or whose body is written.
    running: AtomicUsize,
}

const IDLE: u8 = 0;
const HEAD: u8 = 1;

impl Watch {
    fn enter(&self, phase: u8) {
        self.since.store(self.clock.now(), Ordering::Relaxed);
        self.phase.store(phase, Ordering::Relaxed);
    }

    /// Whether the phase has taken too long.
    fn is_late(&self, times: Times) -> bool {
        let now = self.clock.now();
        let passed = |since: u64| Duration::from_millis(now.saturating_sub(since));
        let stalled = self.stalled.load(Ordering::Relaxed);
        if stalled > 0 && passed(stalled - 1) > times.idle {
            return true;
        }
        if self.running.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let most =
            if self.phase.load(Ordering::Relaxed) == HEAD { times.header } else { times.idle };
        passed(self.since.load(Ordering::Relaxed)) > most
    }
}

/// A running request. Its connection has no other limit of time until this is dropped.
#[derive(Debug)]
pub(crate) struct Running(Arc<Watch>);

impl Running {
    fn new(watch: &Arc<Watch>) -> Self {
        watch.running.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(watch))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.enter(IDLE);
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream that notes the phase of its connection.
#[derive(Debug)]
struct Watched {
    stream: TcpStream,
    watch: Arc<Watch>,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let watch = &self.watch;
        if buffer.filled().len() > before
            && watch.running.load(Ordering::Relaxed) == 0
            && watch.phase.load(Ordering::Relaxed) == IDLE
        {
            watch.enter(HEAD);
        }
        Poll::Ready(Ok(()))
    }
}

impl Watched {
    /// Notes whether the client takes data.
    fn noted<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let watch = &self.watch;
        match &written {
            Poll::Pending => {
                let now = watch.clock.now() + 1;
                let _ =
                    watch.stalled.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
            }
            Poll::Ready(_) => {
                watch.stalled.store(0, Ordering::Relaxed);
                watch.since.store(watch.clock.now(), Ordering::Relaxed);
            }
        }
        written
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.noted(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Limits and state of all connections.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) places: Arc<Semaphore>,
    pub(crate) rejections: Arc<Semaphore>,
    pub(crate) clock: Arc<CoarseClock>,
    pub(crate) times: Times,
    /// True when the service stops.
    pub(crate) stop: watch::Receiver<bool>,
}

impl Connections {
    pub(crate) fn new(most: usize, times: Times, stop: watch::Receiver<bool>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(most)),
            rejections: Arc::new(Semaphore::new(REJECTIONS)),
            clock: Arc::default(),
            times,
            stop,
        }
    }
}

/// Accepts connections until the service stops, then waits for the end of all of them.
pub(crate) async fn serve<H: Handle>(
    listener: TcpListener,
    handler: Arc<H>,
    connections: Arc<Connections>,
) {
    let mut stop = connections.stop.clone();
    let mut tasks = JoinSet::new();
    let has_warned = AtomicBool::new(false);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // The client has gone, or no descriptor is free.
                if !has_warned.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "connections are not accepted for now");
                }
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        has_warned.store(false, Ordering::Relaxed);
        let _ = stream.set_nodelay(true);
        if let Ok(place) = Arc::clone(&connections.places).try_acquire_owned() {
            let (handler, connections) = (Arc::clone(&handler), Arc::clone(&connections));
            tasks.spawn(async move {
                handler.numbers().connections.increment(1.0);
                connect(stream, from, &handler, &connections).await;
                handler.numbers().connections.decrement(1.0);
                drop(place);
            });
            continue;
        }
        handler.numbers().refused_connections.increment(1);
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
async fn connect<H: Handle>(
    stream: TcpStream,
    from: SocketAddr,
    handler: &Arc<H>,
    connections: &Connections,
) {
    let clock = Arc::clone(&connections.clock);
    let watch = Arc::new(Watch {
        since: clock.now().into(),
        clock,
        phase: AtomicU8::new(IDLE),
        stalled: AtomicU64::new(0),
        running: AtomicUsize::new(0),
    });
    let answer = |request| {
        let running = Running::new(&watch);
        let handler = Arc::clone(handler);
        async move { Ok::<_, Infallible>(handler.handle(request, from, running).await) }
    };
    let stream = TokioIo::new(Watched { stream, watch: Arc::clone(&watch) });
    let mut builder = http1::Builder::new();
    // The watch has the times; another timer would cost each request, and so would another number
    // of fields than the 100 that hyper permits.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES);
    let connection = builder.serve_connection(stream, service_fn(answer));
    let mut connection = std::pin::pin!(connection);
    let mut stop = connections.stop.clone();
    let mut is_stopping = *stop.borrow();
    if is_stopping {
        connection.as_mut().graceful_shutdown();
    }
    let mut tick = std::pin::pin!(sleep(TICK));
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection has ended");
                }
                return;
            }
            () = &mut tick => {
                if watch.is_late(connections.times) {
                    tracing::debug!("a connection is closed: it took too long");
                    return;
                }
                tick.as_mut().reset(Instant::now() + TICK);
            }
            _ = stop.wait_for(|stop| *stop), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

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
