//! Servers that are not Redis, or a hostile one: an error in time, and no answer.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use verger_fetch::store::Store as _;
use verger_redis::{RedisOptions, RedisStore};

use crate::common::records::{key, record};
use crate::server::run;
use crate::site::{Site, client};

/// Answers a command of the client.
type Answer = &'static (dyn Fn(&mut TcpStream) + Sync);

#[test]
fn replies_that_are_not_of_redis_are_errors_in_time() {
    let answers: [(&str, Answer); 9] = [
        ("a web server", &|stream| send(stream, WEB)),
        ("silence", &|_| thread::sleep(SILENCE)),
        ("a reply that is cut", &|stream| send(stream, b"$100\r\nVRGR")),
        ("a reply of a gigabyte", &endless),
        ("deeply nested replies", &nested),
        ("control characters", &|stream| send(stream, b"-ERR \x1b[2Jtext\x07\r\n")),
        ("a wrong type of reply", &|stream| send(stream, b":7\r\n")),
        ("an unknown type of reply", &|stream| send(stream, b"?\x00\r\n")),
        ("a closed connection", &|_| {}),
    ];
    for (what, answer) in answers {
        refused(&format!("redis://127.0.0.1:{}/", serve(answer)), what);
    }
}

#[test]
fn a_server_without_tls_is_refused_for_a_secure_url() {
    let port = serve(&|stream| send(stream, b"+OK\r\n"));
    refused(&format!("rediss://127.0.0.1:{port}/"), "a secure URL");
}

const WEB: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";

const SILENCE: Duration = Duration::from_secs(3);

fn send(stream: &mut TcpStream, bytes: &[u8]) {
    // The client may have closed it.
    drop(stream.write_all(bytes));
}

fn endless(stream: &mut TcpStream) {
    send(stream, b"$1000000000\r\n");
    let piece = vec![b'x'; 64 * 1024];
    while stream.write_all(&piece).is_ok() {}
}

fn nested(stream: &mut TcpStream) {
    for _ in 0..1000 {
        if stream.write_all(&b"*1\r\n".repeat(1000)).is_err() {
            return;
        }
    }
}

/// A server that accepts the greeting of a client, then answers each command like this.
fn serve(answer: Answer) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                let mut has_greeted = false;
                while let Ok(1..) = stream.read(&mut bytes) {
                    if has_greeted {
                        answer(&mut stream);
                        return;
                    }
                    has_greeted = true;
                    let greetings = String::from_utf8_lossy(&bytes).matches("SETINFO").count();
                    send(&mut stream, &b"+OK\r\n".repeat(greetings));
                    if greetings == 0 {
                        return answer(&mut stream);
                    }
                }
            });
        }
    });
    port
}

fn refused(url: &str, what: &str) {
    let site = Site::start();
    run(async {
        let options = RedisOptions::new("ExampleBot");
        let store = Arc::new(RedisStore::open(url, options).unwrap());
        let begun = Instant::now();
        let error = store.get(&key("a.example")).await.unwrap_err();
        let shown = error.to_string();
        assert!(!shown.chars().any(char::is_control), "{what}: {shown:?}");
        assert!(store.replace(None, record("a.example", 1)).await.is_err(), "{what}");
        assert!(store.last_answer("a.example").await.is_err(), "{what}");
        assert!(store.list(None, 1).await.is_err(), "{what}");
        let client = client(site.address(), 0).store(store).build().unwrap();
        assert!(!client.check("http://a.example/no").await.unwrap().is_allowed());
        assert!(client.check("http://a.example/yes").await.unwrap().is_allowed());
        assert!(begun.elapsed() < SILENCE * 3, "{what}: {:?}", begun.elapsed());
    });
    assert_eq!(site.fetches(), 1, "{what}");
}

/// One Redis follows no redirection; a Cluster follows those of the nodes that it trusts.
#[test]
fn a_redirection_to_another_host_is_not_followed() {
    let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = other.local_addr().unwrap();
    let reply: &'static [u8] = Box::leak(format!("-MOVED 1 {at}\r\n").into_bytes().into());
    let port = serve(Box::leak(Box::new(move |stream: &mut TcpStream| send(stream, reply))));
    refused(&format!("redis://127.0.0.1:{port}/"), "a redirection");
    other.set_nonblocking(true).unwrap();
    assert!(other.accept().is_err(), "the other host is connected");
}
