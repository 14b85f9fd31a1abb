//! A plain HTTP client on a socket, which can send anything.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Opens a connection.
pub(crate) fn connect(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends bytes and reads one response; `None` if the connection is closed without one.
pub(crate) fn exchange(to: SocketAddr, bytes: &[u8]) -> Option<Response> {
    let mut stream = connect(to);
    // The service may answer and close before everything is sent.
    let _ = stream.write_all(bytes);
    response(&mut stream)
}

/// Reads one response.
pub(crate) fn response(stream: &mut impl io::Read) -> Option<Response> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            Ok(_) => return None,
            Err(error) if is_closed(&error) => return None,
            Err(error) => panic!("{error} after {}", String::from_utf8_lossy(&head)),
        }
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_owned(), value.trim().to_owned())
        })
        .collect();
    if (100..200).contains(&status) {
        return response(stream);
    }
    let mut found = Response { status, headers, body: Vec::new() };
    if found.header("transfer-encoding") == Some("chunked") {
        while let Some(chunk) = chunk(stream) {
            found.body.extend(chunk);
        }
    } else if let Some(length) =
        found.header("content-length").map(|it| it.parse::<usize>().unwrap())
        && !matches!(status, 204 | 304)
    {
        let mut body = vec![0; length];
        match stream.read_exact(&mut body) {
            Ok(()) => found.body = body,
            // A response to HEAD has a length and no body.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            Err(error) if is_closed(&error) => {}
            Err(error) => panic!("{error}"),
        }
    }
    Some(found)
}

/// Reads one chunk; `None` for the last one or a closed connection.
pub(crate) fn chunk(stream: &mut impl io::Read) -> Option<Vec<u8>> {
    let mut size = Vec::new();
    let mut byte = [0];
    while !size.ends_with(b"\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => size.push(byte[0]),
            Ok(_) => return None,
            Err(error) if is_closed(&error) => return None,
            Err(error) => panic!("{error}"),
        }
    }
    let size = usize::from_str_radix(std::str::from_utf8(&size).unwrap().trim(), 16).unwrap();
    let mut data = vec![0; size + 2];
    stream.read_exact(&mut data).ok()?;
    data.truncate(size);
    (size > 0).then_some(data)
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
    )
}

/// A request without a body.
pub(crate) fn get(to: SocketAddr, path: &str) -> Response {
    send(to, "GET", path, &[], b"")
}

/// A request with JSON.
pub(crate) fn post(to: SocketAddr, path: &str, json: &str) -> Response {
    send(to, "POST", path, &[("Content-Type", "application/json")], json.as_bytes())
}

/// Any valid request.
pub(crate) fn send(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Response {
    exchange(to, &request(to, method, path, headers, body)).expect("a response")
}

/// The bytes of a request, after which the connection is closed.
pub(crate) fn request(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || matches!(method, "POST" | "PUT") {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

/// A text in a query or path.
pub(crate) fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}
