//! Connections: their limits of number and time.
//!
//! # Flow
//!
//! [`serve`] accepts connections of a listener up to the limit. Each runs in a task with HTTP/1.1.
//! The stream notes in a [`Watch`] whether the connection waits for a request, receives its head or
//! answers it. [`serve`] looks at all watches in an interval, and orders connections to end when a
//! phase takes too long or the service stops: a timer and a channel in each connection would cost
//! each request. HTTP/2 and TLS are left to a proxy.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use futures_util::task::AtomicWaker;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::limits::{ACCEPT_PAUSE, HEAD_BYTES, REJECTION_TIME, REJECTIONS, TICK};
use crate::problem::Problem;
use crate::stopping::Stopping;
use crate::telemetry::Metrics;

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

    fn metrics(&self) -> &Metrics;
}

/// A clock of milliseconds that advances in an interval, so that noting a time costs nothing.
#[derive(Debug)]
struct CoarseClock {
    start: Instant,
    now: AtomicU64,
}

impl CoarseClock {
    fn new() -> Self {
        Self { start: Instant::now(), now: AtomicU64::new(0) }
    }

    fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn advance(&self) {
        let passed = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.now.store(passed, Ordering::Relaxed);
    }
}

/// The phase of a connection, its start, and orders to the connection.
#[derive(Debug)]
struct Watch {
    clock: Arc<CoarseClock>,
    phase: AtomicU8,
    since: AtomicU64,
    /// Start of a stalled write, plus one; 0 if none.
    stalled: AtomicU64,
    /// Number of requests that are answered or whose body is written.
    running: AtomicUsize,
    /// Whether the phase may have taken too long, which the task of the connection decides.
    may_be_late: AtomicBool,
    /// Whether the connection shall end after its request.
    finishes: AtomicBool,
    task: AtomicWaker,
}

const IDLE: u8 = 0;
const HEAD: u8 = 1;

impl Watch {
    fn new(clock: Arc<CoarseClock>) -> Self {
        Self {
            since: clock.now().into(),
            clock,
            phase: AtomicU8::new(IDLE),
            stalled: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            may_be_late: AtomicBool::new(false),
            finishes: AtomicBool::new(false),
            task: AtomicWaker::new(),
        }
    }

    /// Sets a flag and wakes the task of the connection.
    fn order(&self, flag: &AtomicBool) {
        flag.store(true, Ordering::Release);
        self.task.wake();
    }

    fn enter(&self, phase: u8) {
        self.since.store(self.clock.now(), Ordering::Relaxed);
        self.phase.store(phase, Ordering::Relaxed);
    }

    /// Whether a head has begun and not ended.
    fn has_partial_head(&self) -> bool {
        self.running.load(Ordering::Acquire) == 0 && self.phase.load(Ordering::Relaxed) == HEAD
    }

    /// Whether the phase has taken too long.
    fn is_late(&self, times: Times) -> bool {
        let now = self.clock.now();
        let passed = |since: u64| Duration::from_millis(now.saturating_sub(since));
        let stalled = self.stalled.load(Ordering::Relaxed);
        if stalled > 0 && passed(stalled - 1) > times.idle {
            return true;
        }
        // After it, the time of the end of the last request is seen.
        if self.running.load(Ordering::Acquire) > 0 {
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
        self.0.running.fetch_sub(1, Ordering::Release);
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

/// The watches of the connections of a listener.
#[derive(Debug)]
struct Watches {
    clock: Arc<CoarseClock>,
    times: Times,
    all: Vec<Arc<Watch>>,
}

impl Watches {
    fn new(times: Times) -> Self {
        Self { clock: Arc::new(CoarseClock::new()), times, all: Vec::new() }
    }

    /// The watch of a new connection.
    fn add(&mut self) -> Arc<Watch> {
        let watch = Arc::new(Watch::new(Arc::clone(&self.clock)));
        self.all.push(Arc::clone(&watch));
        watch
    }

    /// Ends connections whose phase has taken too long, and forgets those that have ended.
    fn close_late(&mut self) {
        self.clock.advance();
        self.all.retain(|watch| Arc::strong_count(watch) > 1);
        for watch in self.all.iter().filter(|watch| watch.is_late(self.times)) {
            watch.order(&watch.may_be_late);
        }
    }

    /// Ends each connection after its running request.
    fn finish(&self) {
        self.all.iter().for_each(|watch| watch.order(&watch.finishes));
    }
}

/// Limits and state of all connections.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) places: Arc<Semaphore>,
    pub(crate) rejections: Arc<Semaphore>,
    pub(crate) times: Times,
    pub(crate) stopping: Stopping,
}

impl Connections {
    pub(crate) fn new(most: usize, times: Times, stopping: Stopping) -> Self {
        Self {
            places: Arc::new(Semaphore::new(most)),
            rejections: Arc::new(Semaphore::new(REJECTIONS)),
            times,
            stopping,
        }
    }
}

/// Accepts connections until the service stops, then waits for the end of all of them.
pub(crate) async fn serve<H: Handle>(
    listener: TcpListener,
    handler: Arc<H>,
    connections: Arc<Connections>,
) {
    let mut stopping = connections.stopping.clone();
    let mut tasks = JoinSet::new();
    let mut watches = Watches::new(connections.times);
    let mut ticks = interval(TICK);
    let has_warned = AtomicBool::new(false);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            _ = ticks.tick() => {
                watches.close_late();
                continue;
            }
            _ = stopping.begins() => break,
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
            let (handler, watch, times) = (Arc::clone(&handler), watches.add(), connections.times);
            tasks.spawn(async move {
                handler.metrics().connections.increment(1.0);
                connect(stream, from, &*handler, &watch, times).await;
                handler.metrics().connections.decrement(1.0);
                drop(place);
            });
            continue;
        }
        handler.metrics().refused_connections.increment(1);
        if let Ok(place) = Arc::clone(&connections.rejections).try_acquire_owned() {
            tasks.spawn(async move {
                let _ = timeout(REJECTION_TIME, reject(stream)).await;
                drop(place);
            });
        }
    }
    drop(listener);
    watches.finish();
    loop {
        tokio::select! {
            ended = tasks.join_next() => if ended.is_none() { return },
            _ = ticks.tick() => watches.close_late(),
        }
    }
}

/// Runs one connection.
async fn connect<H: Handle>(
    stream: TcpStream,
    from: SocketAddr,
    handler: &H,
    watch: &Arc<Watch>,
    times: Times,
) {
    let answer = |request| {
        let running = Running::new(watch);
        async move { Ok::<_, Infallible>(handler.handle(request, from, running).await) }
    };
    let stream = TokioIo::new(Watched { stream, watch: Arc::clone(watch) });
    let mut builder = http1::Builder::new();
    // The watch has the times; another timer would cost each request, and so would another number
    // of fields than the 100 that hyper permits.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES);
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service_fn(answer)));
    let mut is_finishing = false;
    let ended = poll_fn(|context| {
        // Before the orders are read, so that a later one wakes the task.
        watch.task.register(context.waker());
        // Decided here, because a request may have begun meanwhile.
        let may_be_late = watch.may_be_late.load(Ordering::Relaxed)
            && watch.may_be_late.swap(false, Ordering::Acquire);
        if may_be_late && watch.is_late(times) {
            return Poll::Ready(None);
        }
        if !is_finishing && watch.finishes.load(Ordering::Acquire) {
            is_finishing = true;
            if watch.has_partial_head() {
                return Poll::Ready(None);
            }
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(context).map(Some)
    });
    match ended.await {
        Some(Ok(())) => {}
        Some(Err(error)) => tracing::debug!(%error, "a connection has ended"),
        None => tracing::debug!("a connection is closed: no request came in time"),
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
