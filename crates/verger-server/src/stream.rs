//! Streams of questions: `POST /v1/check` with `application/x-ndjson`.
//!
//! # Flow
//!
//! The response begins at once. Each time the client takes data, [`Stream::next`] reads as many
//! lines as have arrived and writes their answers in order. A prepared answer is written directly.
//! Another one becomes a task, and the answers after it wait in a queue. While the queue is full
//! nothing is read, so a client that does not take its answers stops sending.
//!
//! # Invariants
//!
//! - Answers are in the order of the questions, one line for each URL.
//! - Memory is bounded: two lines, [`STREAM_WAITING`] tasks, of which [`STREAM_EXPLAINED`] explain,
//!   [`STREAM_BYTES`] of answers that wait, and one piece of output. The tasks of a line share all
//!   of it but the URL.
//! - An accepted line is answered, also when the service stops.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt as _, stream};
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use verger::access::Timestamp;
use verger_json::{AnswerError, Id};

use crate::answers::{ANSWER_BYTES, Ask};
use crate::app::App;
use crate::asked_url::AskedUrl;
use crate::limits::{CHUNK_BYTES, LINE_BYTES, STREAM_BYTES, STREAM_EXPLAINED, STREAM_WAITING};
use crate::problem::{Errors, INTERNAL, Problem};
use crate::question::{Question, message};
use crate::request::{check_coding, query};
use crate::response::write_json;
use crate::stopping::Stopping;
use crate::telemetry::{Counts, place};

/// Answers the questions of a body as they arrive.
pub(crate) fn answers(app: &Arc<App>, request: Request<Body>) -> Result<Response, Problem> {
    check_coding(request.headers())?;
    query(request.uri().query(), [])?;
    let stream = Stream::new(Arc::clone(app), request.into_body());
    let pieces = stream::unfold(stream, |mut stream| async move {
        let piece = stream.next().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), stream))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let media = HeaderValue::from_static("application/x-ndjson");
    response.headers_mut().insert(CONTENT_TYPE, media);
    Ok(response)
}

struct Stream {
    app: Arc<App>,
    body: Body,
    stopping: Stopping,
    /// Received bytes that are not yet read.
    input: BytesMut,
    /// Number of the last line that was read.
    line: u64,
    /// Whether the rest of a line that is too long is skipped.
    skips: bool,
    /// The line of the last number, if some of its URLs are not yet answered.
    rest: Option<Rest>,
    /// Time at which the current, incomplete line or the next one must be complete.
    deadline: Instant,
    queue: VecDeque<Queued>,
    /// Tasks of the queue.
    waiting: usize,
    /// Bytes of finished answers of the queue.
    bytes: usize,
    /// Prepared answers that are not yet counted.
    prepared: Counts,
    has_ended: bool,
}

/// The end of a line with many URLs.
struct Rest {
    /// Without URLs.
    question: Arc<Question<'static>>,
    urls: std::vec::IntoIter<AskedUrl<'static>>,
}

/// The answers of a line that come after a task.
enum Queued {
    Ready(Vec<u8>),
    /// A task, and the number of its line.
    Task(JoinHandle<Vec<u8>>, u64),
}

impl Stream {
    fn new(app: Arc<App>, body: Body) -> Self {
        let stopping = app.stopping.clone();
        let deadline = Instant::now() + app.settings.idle_time;
        Self {
            app,
            body,
            stopping,
            input: BytesMut::new(),
            line: 0,
            skips: false,
            rest: None,
            deadline,
            queue: VecDeque::new(),
            waiting: 0,
            bytes: 0,
            prepared: Counts::default(),
            has_ended: false,
        }
    }

    /// The next piece of answers; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        // The client has taken the answers before; it may have waited for them.
        self.deadline = Instant::now() + self.app.settings.idle_time;
        let mut out = Vec::with_capacity(CHUNK_BYTES + ANSWER_BYTES);
        loop {
            self.take_finished(&mut out);
            self.read_lines(&mut out);
            if out.len() >= CHUNK_BYTES {
                return Some(out.into());
            }
            let reads = !self.has_ended && !self.is_full();
            if !reads && self.queue.is_empty() {
                return (!out.is_empty()).then(|| out.into());
            }
            // Answers are sent before anything is awaited.
            if !out.is_empty() {
                let arrived = if reads { self.body.frame().now_or_never() } else { None };
                match arrived {
                    Some(frame) => self.receive(frame.map(Result::ok).unwrap_or_default()),
                    None => return Some(out.into()),
                }
                continue;
            }
            self.wait(reads).await;
        }
    }

    fn is_full(&self) -> bool {
        let explains = self.rest.as_ref().is_some_and(|rest| rest.question.explain);
        self.is_full_for(explains)
    }

    /// Whether a question need not wait until other answers are sent.
    fn has_room(&self, question: &Question<'_>, out: &[u8]) -> bool {
        out.len() < CHUNK_BYTES && !self.is_full_for(question.explain)
    }

    /// Whether a question must wait for the answers of others.
    fn is_full_for(&self, explains: bool) -> bool {
        let most = if explains { STREAM_EXPLAINED } else { STREAM_WAITING };
        self.waiting >= most || self.bytes >= STREAM_BYTES
    }

    /// Waits for a line, for the first task, or for the end.
    async fn wait(&mut self, reads: bool) {
        let Self { body, queue, stopping, deadline, waiting, .. } = self;
        let first = async {
            match queue.front_mut() {
                Some(Queued::Task(task, line)) => task.await.unwrap_or_else(|_| lost(*line)),
                _ => std::future::pending().await,
            }
        };
        let frame = async {
            if reads {
                timeout_at(*deadline, body.frame()).await
            } else {
                std::future::pending().await
            }
        };
        let is_stopping = async {
            if reads {
                stopping.begins().await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            answer = first => {
                *waiting -= 1;
                self.bytes += answer.len();
                if let Some(front) = self.queue.front_mut() {
                    *front = Queued::Ready(answer);
                }
            }
            frame = frame => match frame {
                Ok(frame) => {
                    let frame = frame.map(Result::ok).unwrap_or_default();
                    self.receive(frame);
                }
                Err(_) if !self.queue.is_empty() => {
                    // The client waits for an answer.
                    self.deadline = Instant::now() + self.app.settings.idle_time;
                }
                Err(_) => {
                    let seconds = self.app.settings.idle_time.as_secs();
                    self.end(&format!("no question arrived within {seconds} s"));
                }
            },
            () = is_stopping => {
                self.end("the service is stopping; send the remaining questions again");
            }
        }
    }

    /// Takes a frame of the body; `None` is its end, also after an error.
    fn receive(&mut self, frame: Option<hyper::body::Frame<Bytes>>) {
        let Some(frame) = frame else {
            self.has_ended = true;
            // The last line may lack its end.
            if !self.input.is_empty() || self.skips {
                self.input.extend_from_slice(b"\n");
            }
            return;
        };
        if let Ok(data) = frame.into_data() {
            self.input.extend_from_slice(&data);
        }
    }

    /// Ends the input with an error.
    fn end(&mut self, error: &str) {
        self.has_ended = true;
        self.input.clear();
        let mut answer = Vec::new();
        write_error(&mut answer, None, self.line + 1, error.to_owned());
        self.push_ready(answer);
    }

    /// Moves finished answers from the front of the queue.
    fn take_finished(&mut self, out: &mut Vec<u8>) {
        while out.len() < CHUNK_BYTES {
            match self.queue.front_mut() {
                Some(Queued::Ready(answer)) => {
                    self.bytes -= answer.len();
                    out.append(answer);
                }
                Some(Queued::Task(task, line)) if task.is_finished() => {
                    // It is finished, so this does not wait.
                    let Some(answer) = task.now_or_never() else { return };
                    self.waiting -= 1;
                    out.extend(answer.unwrap_or_else(|_| lost(*line)));
                }
                _ => return,
            }
            self.queue.pop_front();
        }
    }

    /// Answers the lines that have arrived.
    fn read_lines(&mut self, out: &mut Vec<u8>) {
        let app = Arc::clone(&self.app);
        let now = app.answers.now();
        // Taken, so that the queue can be changed while a line is borrowed.
        let mut input = std::mem::take(&mut self.input);
        let (mut read, mut ignored, before) = (0, 0, self.line);
        while out.len() < CHUNK_BYTES && !self.is_full() {
            if let Some(rest) = self.rest.take() {
                self.read_rest(&app, rest, now, out);
                continue;
            }
            let Some(end) = input[read..].iter().position(|byte| *byte == b'\n') else { break };
            let line = input[read..read + end].trim_ascii();
            read += end + 1;
            self.line += 1;
            if std::mem::take(&mut self.skips) || line.is_empty() {
                ignored += 1;
                continue;
            }
            if line.len() > LINE_BYTES {
                self.answer_error(out, None, self.line, too_long());
            } else {
                self.read_line(&app, line, now, out);
            }
        }
        app.answers.metrics.prepared(&mut self.prepared);
        if read > 0 {
            app.answers.metrics.streamed.increment(self.line - before - ignored);
            drop(input.split_to(read));
            self.deadline = Instant::now() + self.app.settings.idle_time;
        }
        if input.len() > LINE_BYTES && !input.contains(&b'\n') {
            input.clear();
            if !std::mem::replace(&mut self.skips, true) {
                self.answer_error(out, None, self.line + 1, too_long());
            }
        }
        self.input = input;
    }

    /// Answers the URLs of a line as long as there is room.
    fn read_line(&mut self, app: &Arc<App>, line: &[u8], now: Timestamp, out: &mut Vec<u8>) {
        match question(line, app.settings.max_urls) {
            Ok(mut question) => {
                let mut urls = std::mem::take(&mut question.urls).into_iter().peekable();
                let mut answers = |url: &AskedUrl<'_>| {
                    self.has_room(&question, out)
                        && self.write_prepared(app, app.answers.ask(&question, url), now, out)
                };
                while urls.next_if(&mut answers).is_some() {}
                if urls.peek().is_some() {
                    // Few lines come to this point, so only these are copied.
                    let urls: Vec<_> = urls.map(AskedUrl::into_owned).collect();
                    let question = Arc::new(question.into_owned());
                    self.read_rest(app, Rest { question, urls: urls.into_iter() }, now, out);
                }
            }
            Err(error) => self.answer_error(out, Id::find(line).as_ref(), self.line, error),
        }
    }

    /// Answers the rest of a line as long as there is room.
    fn read_rest(&mut self, app: &Arc<App>, mut rest: Rest, now: Timestamp, out: &mut Vec<u8>) {
        loop {
            if !self.has_room(&rest.question, out) {
                self.rest = Some(rest).filter(|rest| rest.urls.len() > 0);
                return;
            }
            let Some(url) = rest.urls.next() else { return };
            let ask = app.answers.ask(&rest.question, &url);
            if !self.write_prepared(app, ask, now, out) {
                self.start(app, &rest.question, url);
            }
        }
    }

    /// Writes an answer that is prepared.
    fn write_prepared(
        &mut self,
        app: &App,
        ask: Ask<'_>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> bool {
        let mut answer = Vec::new();
        let into = if self.queue.is_empty() { &mut *out } else { &mut answer };
        let Some((reason, _)) = app.answers.write_prepared(ask, now, into) else { return false };
        into.push(b'\n');
        self.prepared[place(reason)] += 1;
        if !answer.is_empty() {
            self.push_ready(answer);
        }
        true
    }

    /// Answers a URL of a line in a task.
    fn start(&mut self, app: &Arc<App>, question: &Arc<Question<'static>>, url: AskedUrl<'static>) {
        let (app, question) = (Arc::clone(app), Arc::clone(question));
        let check = async move {
            let mut answer = Vec::with_capacity(ANSWER_BYTES);
            let wait = app.wait(question.wait);
            app.answers.write(app.answers.ask(&question, &url), wait, &mut answer).await;
            answer.push(b'\n');
            answer
        };
        self.waiting += 1;
        self.queue.push_back(Queued::Task(tokio::spawn(check), self.line));
    }

    fn answer_error(&mut self, out: &mut Vec<u8>, id: Option<&Id>, line: u64, error: String) {
        let mut answer = Vec::new();
        write_error(&mut answer, id, line, error);
        if self.queue.is_empty() {
            out.extend_from_slice(&answer);
        } else {
            self.push_ready(answer);
        }
    }

    fn push_ready(&mut self, answer: Vec<u8>) {
        self.bytes += answer.len();
        match self.queue.back_mut() {
            Some(Queued::Ready(last)) => last.extend_from_slice(&answer),
            _ => self.queue.push_back(Queued::Ready(answer)),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        for queued in &self.queue {
            if let Queued::Task(task, _) = queued {
                task.abort();
            }
        }
    }
}

/// Reads a line. The error is a sentence.
fn question(line: &[u8], max_urls: usize) -> Result<Question<'_>, String> {
    if line.first() != Some(&b'{') {
        let found = verger::quoted(&line[..line.len().min(100)]);
        return Err(format!("expected a JSON object, but found {found}"));
    }
    let keys = serde_json::from_slice(line).map_err(|error| message(&error))?;
    Question::of(keys, max_urls).map_err(Errors::first)
}

fn write_error(out: &mut Vec<u8>, id: Option<&Id>, line: u64, error: String) {
    write_json(out, &AnswerError::new(None, Some(line), error).with_id(id));
    out.push(b'\n');
}

/// The answer of a task that has panicked.
fn lost(line: u64) -> Vec<u8> {
    tracing::error!("the answer to a question of a stream has panicked");
    let mut answer = Vec::new();
    let error = INTERNAL.to_owned();
    write_error(&mut answer, None, line, error);
    answer
}

fn too_long() -> String {
    format!("expected a line of at most {LINE_BYTES} bytes, but found more")
}
