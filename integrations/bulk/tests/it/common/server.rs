//! A server of objects: HTTP with ranges, and the part of S3 that reads and writes whole objects.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A running server. It ends with the tests.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    requests: Vec<String>,
    faults: Vec<Fault>,
}

/// The fault of the next response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A response without a body.
    Status(u16),
    /// The connection ends in the middle of the body.
    Cut,
    /// A response whose body ends before its range.
    Short,
    /// The whole object, though a range was requested.
    NoRange,
    /// None: the response is good.
    None,
    /// None, but the object is another one afterwards.
    Replaced,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self { address, state: Arc::default() };
        let accepting = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = accepting.clone();
                thread::spawn(move || while server.answer(&stream).is_some() {});
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        self.state().objects.insert(path.to_owned(), bytes.to_vec());
    }

    pub(crate) fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.state().objects.get(path).cloned()
    }

    /// The faults of the next responses.
    pub(crate) fn fail(&self, faults: &[Fault]) {
        self.state().faults = faults.iter().rev().copied().collect();
    }

    /// The requests since the last call, each with its method, path and range.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }

    /// The objects of a bucket below a folder.
    fn list(&self, path: &str) -> String {
        let (bucket, query) = path.split_once('?').unwrap_or_default();
        let prefix = query.split('&').find_map(|it| it.strip_prefix("prefix=")).unwrap_or_default();
        let folder = format!("{bucket}/{}", prefix.replace("%2F", "/"));
        let state = self.state();
        let found = state.objects.iter().filter_map(|(path, content)| {
            path.strip_prefix(&folder)?;
            let (key, size, tag) = (&path[bucket.len() + 1..], content.len(), tag(content));
            Some(format!(
                "<Contents><Key>{key}</Key><Size>{size}</Size><ETag>\"{tag}\"</ETag>\
                <LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
            ))
        });
        format!("<ListBucketResult>{}</ListBucketResult>", found.collect::<String>())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request. `None` after the end of the connection.
    fn answer(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let (mut request, mut range, mut length) = (String::new(), None, 0);
        reader.read_line(&mut request).ok().filter(|read| *read > 0)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("range: bytes=") {
                let (start, end) = value.split_once('-')?;
                range = Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()?));
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let mut words = request.split(' ');
        let (method, path) = (words.next()?, words.next()?.to_owned());
        let shown = range.map_or(String::new(), |(start, end)| format!(" {start}-{end}"));
        self.state().requests.push(format!("{method} {path}{shown}"));
        let fault = self.state().faults.pop();
        let found = self.get(&path);
        let (status, head, body) = match (method, found, fault) {
            (_, _, Some(Fault::Status(status))) => (status, String::new(), Vec::new()),
            ("PUT", ..) => {
                self.put(&path, &body);
                (200, String::new(), Vec::new())
            }
            ("DELETE", ..) => {
                self.state().objects.remove(&path);
                (204, String::new(), Vec::new())
            }
            // The beginning of an upload.
            ("POST", ..) => {
                let id = b"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
                (200, String::new(), id.to_vec())
            }
            ("GET", None, _) if path.contains("?list-type=2") => {
                (200, String::new(), self.list(&path).into_bytes())
            }
            (_, None, _) => (404, String::new(), b"<Error><Code>NoSuchKey</Code></Error>".to_vec()),
            (_, Some(object), _) => match range.filter(|_| fault != Some(Fault::NoRange)) {
                Some((start, _)) if start >= object.len() => (416, String::new(), Vec::new()),
                Some((start, end)) => {
                    let end = (end + 1).min(object.len());
                    let range = format!("bytes {start}-{}/{}", end - 1, object.len());
                    (206, format!("Content-Range: {range}\r\n"), object[start..end].to_vec())
                }
                None => (200, String::new(), object),
            },
        };
        let object = self.get(&path).unwrap_or_default();
        let tag = tag(&object);
        if fault == Some(Fault::Replaced) {
            self.put(&path, &vec![b'x'; object.len()]);
        }
        let mut stream = stream;
        let length = if fault == Some(Fault::Short) { body.len() / 2 } else { body.len() };
        let head = format!(
            "HTTP/1.1 {status} Status\r\n{head}Content-Length: {length}\r\nETag: \"{tag}\"\r\n\
            Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        let sent = match fault {
            _ if method == "HEAD" => 0,
            Some(Fault::Cut) => length / 2,
            _ => length,
        };
        stream.write_all(&body[..sent]).ok()?;
        if fault == Some(Fault::Cut) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return None;
        }
        Some(())
    }
}

/// The entity tag of an object.
fn tag(object: &[u8]) -> u32 {
    object.iter().fold(7_u32, |tag, byte| tag.rotate_left(5) ^ u32::from(*byte))
}
