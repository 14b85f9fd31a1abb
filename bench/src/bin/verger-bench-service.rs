//! `verger-bench-service`: the throughput of the service compared with that of plain handlers, side
//! by side in one run.
//!
//! ```sh
//! cargo run --release --manifest-path bench/Cargo.toml --features service \
//!     --bin verger-bench-service -- [ORIGINS] [SECONDS]
//! ```
//!
//! It needs `wrk` (`apt-get install wrk`). The process has the service, with a record for each of
//! 10,000 origins in memory, and a plain axum service:
//!
//! - `GET` of one answer, compared with a handler that returns a constant of the same size;
//! - a stream of 1,000 questions in each request, compared with a handler that parses the same
//!   questions and writes lines of the length of the answers.
//!
//! Runs alternate, and the table has the median of each. The microseconds are processor time of
//! this process for a request or a question: they hardly depend on other programs. The p99 is that
//! of `wrk` with requests one after the other on each connection.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http_body_util::BodyExt as _;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};
use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::fetch::Identity;
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response as Fetched};
use verger_fetch::store::{MemoryStore, Store as _};
use verger_server::settings::Settings;
use verger_server::{Parts, Server};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let origins: usize = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let seconds: u32 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let runtime = || Builder::new_multi_thread().enable_all().build();
    let (ours, plain) = (runtime()?, runtime()?);
    let store = Arc::new(MemoryStore::bounded(4 << 30));
    let settings = Settings {
        listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
        cache_bytes: 1 << 30,
        ..Settings::default()
    };
    // The records of the service: others would be fetched.
    let token = Identity::new(&settings.user_agent)?.token();
    let options = ReadOptions::new(Profile::RFC9309).with_identity(&token);
    let files: usize = ours.block_on(fill(&store, origins, &options))?;
    let server = ours.block_on(async {
        let mut parts = Parts::default();
        parts.store = Some(store);
        Server::start_with(settings, parts).await
    })?;
    let service = server.addresses()[0];
    let folder = std::env::temp_dir().join(format!("verger-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let questions = questions(origins);
    std::fs::write(folder.join("questions.jsonl"), &questions)?;
    // Each origin is asked twice, so that its decision is prepared.
    let all: String = (0..origins).fold(String::new(), |mut all, at| {
        for _ in 0..2 {
            let _ = writeln!(all, r#"{{"agent":"GPTBot","url":"https://site{at}.example/p"}}"#);
        }
        all
    });
    let answers = post_lines(service, &all)?;
    let answer = answers.len() / (origins * 2);
    let plain_at = plain.block_on(start_plain(answer))?;
    println!(
        "{origins} origins, robots.txt of {} bytes, answers of {answer} bytes",
        files / origins
    );
    println!();
    println!(
        "| load | plain /s | service /s | share | plain µs | service µs | plain p99 | service p99 |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let lines = questions.lines().count();
    for (name, script, path, plain_path, connections, factor) in [
        ("single checks, 32 connections", SINGLE, "/v1/check", "/constant", 32, 1),
        ("single checks, 1 connection", SINGLE, "/v1/check", "/constant", 1, 1),
        ("streams of 1,000 questions", STREAM, "/v1/check", "/echo", 4, lines),
    ] {
        let file = folder.join("load.lua");
        let run = |at: SocketAddr, path: &str| -> Result<Run> {
            let script = script
                .replace("PATH", path)
                .replace("ORIGINS", &origins.to_string())
                .replace("QUESTIONS", &folder.join("questions.jsonl").to_string_lossy());
            std::fs::write(&file, script)?;
            wrk(at, &file, connections, seconds)
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            theirs.push(run(plain_at, plain_path)?);
            ours.push(run(service, path)?);
        }
        let (ours, theirs) = (median_run(ours), median_run(theirs));
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let factor = factor as f64;
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} % | {:.2} | {:.2} | {} | {} |",
            theirs.rate * factor,
            ours.rate * factor,
            ours.rate / theirs.rate * 100.0,
            theirs.work * 1e6 / factor,
            ours.work * 1e6 / factor,
            theirs.p99,
            ours.p99,
        );
    }
    std::fs::remove_dir_all(&folder)?;
    ours.block_on(server.stop());
    Runtime::shutdown_background(plain);
    Ok(())
}

/// Runs of each handler.
const ROUNDS: usize = 5;

/// Random origins and paths.
const SINGLE: &str = r#"
local seed = 0
function setup(thread) thread:set("id", seed); seed = seed + 1 end
function init(args) math.randomseed(id) end
function request()
  return wrk.format("GET", "PATH?agent=GPTBot&url=https://site" .. math.random(0, ORIGINS - 1) ..
    ".example/products/" .. math.random(0, 99999) .. "?page=2")
end
"#;

/// The same questions in each request.
const STREAM: &str = r#"
local file = io.open("QUESTIONS", "rb")
wrk.method, wrk.path, wrk.body = "POST", "PATH", file:read("*a")
wrk.headers["Content-Type"] = "application/x-ndjson"
"#;

/// One run of `wrk`.
#[derive(Clone, Debug)]
struct Run {
    /// Requests per second.
    rate: f64,
    /// Seconds of processors for a request.
    work: f64,
    p99: String,
}

fn median_run(mut runs: Vec<Run>) -> Run {
    runs.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    runs[runs.len() / 2].clone()
}

fn wrk(at: SocketAddr, script: &Path, connections: usize, seconds: u32) -> Result<Run> {
    let before = processor_time();
    let output = Command::new("wrk")
        .args([
            "--latency",
            "-t1",
            "-c",
            &connections.to_string(),
            "-d",
            &format!("{seconds}s"),
            "-s",
        ])
        .arg(script)
        .arg(format!("http://{at}/"))
        .output()
        .map_err(|error| format!("wrk: {error}; `apt-get install wrk` installs it"))?;
    let text = String::from_utf8(output.stdout)?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|rest| rest.trim().to_owned()).ok_or_else(|| format!("no {name} in {text}"))
    };
    if text.contains("Non-2xx") || text.contains("Socket errors") {
        return Err(text.into());
    }
    let requests = text.lines().find_map(|line| line.trim().split_once(" requests in "));
    let requests: f64 = requests.ok_or("no count")?.0.parse()?;
    let work = (processor_time() - before) / requests;
    Ok(Run { rate: value("Requests/sec:")?.parse()?, work, p99: value("99%")? })
}

/// Puts a record for each origin into the store. Returns the bytes of all files.
async fn fill(store: &MemoryStore, origins: usize, options: &ReadOptions) -> Result<usize> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let now = Timestamp::from_seconds(now);
    let mut bytes = 0;
    for at in 0..origins {
        let origin = Origin::from_parts("https", &format!("site{at}.example"), None)?;
        let response = Fetched::new(now, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Fetched { status: Some(200), ..response });
        let robots = robots(at);
        bytes += robots.len();
        attempt.file = Some(File::new(&origin, robots, now));
        let record =
            OriginRecord::new(options.key(&origin)).after(None, options, attempt, 0).shared;
        store.put(Arc::new(record.ok_or("the file is new")?)).await?;
    }
    Ok(bytes)
}

/// A robots.txt with two groups and some wildcards, of the size of most real ones.
fn robots(at: usize) -> String {
    let mut text = String::from(
        "# robots.txt of a shop\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /private/\n\nUser-agent: *\n",
    );
    for rule in 0..20 + at % 20 {
        let _ = writeln!(text, "Disallow: /area{}/{rule}/*?sort=", at % 7);
    }
    text.push_str("Allow: /\nSitemap: https://shop.example/sitemap.xml\n");
    text
}

/// The questions of a request with a stream.
fn questions(origins: usize) -> String {
    (0..1_000).fold(String::new(), |mut all, at| {
        let site = at * 7_919 % origins;
        let _ = writeln!(
            all,
            r#"{{"agent":"GPTBot","url":"https://site{site}.example/products/{at}?page=2"}}"#
        );
        all
    })
}

/// Sends a stream of lines, and returns the body of the response.
fn post_lines(at: SocketAddr, lines: &str) -> Result<String> {
    use std::io::{Read as _, Write as _};
    let stream = std::net::TcpStream::connect(at)?;
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        lines.len()
    );
    let (mut writer, text) = (stream.try_clone()?, format!("{head}{lines}"));
    let writing = std::thread::spawn(move || writer.write_all(text.as_bytes()));
    let (mut stream, mut response) = (stream, String::new());
    stream.read_to_string(&mut response)?;
    writing.join().map_err(|_| "the writer panicked")??;
    let body = response.split_once("\r\n\r\n").ok_or("no head")?.1;
    // Lines of chunks are few.
    Ok(body.lines().filter(|line| line.starts_with('{')).collect::<Vec<_>>().join("\n"))
}

/// Seconds of processors that this process has used.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split(' ');
    let ticks = fields.skip(12).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The constants of the plain handlers.
#[derive(Clone, Debug)]
struct Constants {
    answer: Bytes,
}

/// Starts the plain service, with answers of this length.
async fn start_plain(length: usize) -> Result<SocketAddr> {
    let answer = Bytes::from([&b"x".repeat(length)[..], b"\n"].concat());
    let router = Router::new()
        .route("/constant", get(constant))
        .route("/echo", post(echo))
        .with_state(Constants { answer });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

async fn constant(State(constants): State<Constants>) -> Bytes {
    constants.answer
}

/// The keys of a question, as the service reads them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "parsed only")]
struct Keys<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    agent: Option<Cow<'a, str>>,
    agents: Option<Vec<String>>,
    union: Option<bool>,
    crawler: Option<String>,
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    url_b64: Option<String>,
    urls: Option<Vec<String>>,
    dialect: Option<String>,
    wait_ms: Option<u64>,
    explain: Option<bool>,
}

/// Parses questions, and writes a constant for each.
async fn echo(State(constants): State<Constants>, body: Body) -> Response {
    let state = (body, BytesMut::new(), constants.answer);
    let pieces = stream::unfold(state, |(mut body, mut input, answer)| async move {
        let frame = body.frame().await?.ok()?;
        input.extend_from_slice(&frame.into_data().ok()?);
        let (mut out, mut read) = (Vec::with_capacity(64 * 1024), 0);
        while let Some(end) = input[read..].iter().position(|byte| *byte == b'\n') {
            let keys: Keys<'_> = serde_json::from_slice(&input[read..read + end]).ok()?;
            std::hint::black_box(&keys);
            read += end + 1;
            out.extend_from_slice(&answer);
        }
        drop(input.split_to(read));
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(out)), (body, input, answer)))
    });
    Response::new(Body::from_stream(pieces))
}
