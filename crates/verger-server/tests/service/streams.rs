//! Streams of questions.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use verger_server::settings::Settings;
use verger_testkit::server::{Script, ServerAction, Site};

use crate::client::{chunk, connect, send};
use crate::world::{Service, rules, shop};

const NDJSON: [(&str, &str); 1] = [("Content-Type", "application/x-ndjson")];

fn ask(service: &Service, lines: &str) -> Vec<Value> {
    let response = send(service.at, "POST", "/v1/check", &NDJSON, lines.as_bytes());
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
    response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A stream that stays open.
struct Open(TcpStream);

impl Open {
    fn start(service: &Service) -> Self {
        let mut stream = connect(service.at);
        let head = format!(
            "POST /v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-ndjson\r\n\
             Transfer-Encoding: chunked\r\n\r\n",
            service.at
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self(stream)
    }

    fn write(&mut self, text: &str) {
        write!(self.0, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    }

    /// Reads the head of the response.
    fn head(&mut self) -> String {
        use std::io::Read as _;
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            self.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        String::from_utf8(head).unwrap()
    }

    fn lines(&mut self) -> Option<Vec<Value>> {
        let text = String::from_utf8(chunk(&mut self.0)?).unwrap();
        Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let slow = Script::new().then(ServerAction::Pause(Duration::from_millis(300)));
    let slow = slow.then_all(rules("User-agent: *\nDisallow: /\n"));
    let setup = shop().host("slow.example");
    let setup = setup.place(
        80,
        verger_testkit::server::Service::Http(
            Site::new().host("slow.example", slow).any(rules("User-agent: *\nDisallow: /cart\n")),
        ),
    );
    let service = Service::start(setup);
    let lines: String = (0..300)
        .map(|at| {
            let host = if at % 100 == 50 { "slow" } else { "shop" };
            format!("{{\"id\":{at},\"agent\":\"x\",\"url\":\"http://{host}.example/cart{at}\"}}\n")
        })
        .collect();
    let answers = ask(&service, &lines);
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (0..300).collect::<Vec<_>>());
    assert!(answers.iter().all(|answer| answer["allowed"] == false));
}

#[test]
fn lines_may_have_errors_several_urls_and_no_end() {
    let service = Service::shop();
    let answers = ask(
        &service,
        "\n{\"agent\":\"x\",\"urls\":[\"http://shop.example/a\",\"http://shop.example/cart\"]}\r\n  \n\
         nonsense\n{\"id\":\"q\",\"agent\":\"x\",\"url\":\"x\"}\n{\"id\":4,\"agent\":\"x\",\"robots_file\":\"/etc/passwd\"}\n\
         {\"agent\":\"x\",\"url\":\"http://shop.example/last\"}",
    );
    let shown: Vec<_> = answers
        .iter()
        .map(|answer| match answer["allowed"].as_bool() {
            Some(allowed) => allowed.to_string(),
            None => format!(
                "{}: {}",
                answer["error"]["line"],
                answer["error"]["message"].as_str().unwrap()
            ),
        })
        .collect();
    assert_eq!(shown[..2], ["true", "false"]);
    assert!(shown[2].starts_with("4: expected a JSON object, but found `nonsense`"), "{shown:?}");
    assert!(shown[3].starts_with("5: bad URL `x`"), "{shown:?}");
    assert!(shown[4].starts_with("6: unknown field `robots_file`"), "{shown:?}");
    assert_eq!(shown[5], "true");
    assert_eq!((&answers[3]["id"], &answers[4]["id"]), (&"q".into(), &4.into()));
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let service = Service::shop();
    let mut stream = Open::start(&service);
    let head = stream.head();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    for at in 0..5 {
        stream.write(&format!(
            "{{\"id\":{at},\"agent\":\"x\",\"url\":\"http://shop.example/{at}\"}}\n"
        ));
        let lines = stream.lines().unwrap();
        assert_eq!((lines.len(), &lines[0]["id"]), (1, &at.into()));
    }
}

#[test]
fn a_long_line_is_one_error() {
    let service = Service::shop();
    let long = "x".repeat(3_000_000);
    let question = "{\"agent\":\"x\",\"url\":\"http://shop.example/a\"}\n";
    let answers = ask(&service, &format!("{question}{long}\n{question}"));
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert!(answers[1]["error"]["message"].as_str().unwrap().contains("at most 65536 bytes"));
    assert_eq!((&answers[1]["error"]["line"], &answers[2]["allowed"]), (&2.into(), &true.into()));
}

#[test]
fn a_reader_that_takes_nothing_stops_the_stream_and_not_the_service() {
    let service = Service::with(shop(), |settings| Settings {
        idle_time: Duration::from_secs(1),
        ..settings
    });
    service.get("/v1/check?agent=x&url=http://shop.example/a");
    let mut stream = Open::start(&service);
    stream.0.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let line = "{\"agent\":\"x\",\"url\":\"http://shop.example/a\"}\n".repeat(1_000);
    // Until no more is taken: far less than was offered.
    let mut sent = 0;
    while sent < 100_000_000 {
        if write!(stream.0, "{:x}\r\n{line}\r\n", line.len()).is_err() {
            break;
        }
        sent += line.len();
    }
    assert!(sent < 50_000_000, "{sent} bytes were taken");
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn a_silent_stream_ends_with_an_error() {
    let service = Service::with(shop(), |settings| Settings {
        idle_time: Duration::from_secs(1),
        ..settings
    });
    let mut stream = Open::start(&service);
    stream.head();
    stream.write("{\"agent\":\"x\",");
    let lines = stream.lines().unwrap();
    assert!(
        lines[0]["error"]["message"].as_str().unwrap().contains("no question arrived within 1 s")
    );
    assert_eq!(stream.lines(), None);
}

#[test]
fn the_end_of_the_service_answers_accepted_lines_and_ends_the_stream() {
    let service = Service::shop();
    let mut stream = Open::start(&service);
    stream.head();
    stream.write("{\"id\":1,\"agent\":\"x\",\"url\":\"http://shop.example/a\"}\n");
    assert_eq!(stream.lines().unwrap()[0]["id"], 1);
    let stopping = std::thread::spawn(move || service.stop());
    let lines = stream.lines().unwrap();
    assert!(
        lines[0]["error"]["message"].as_str().unwrap().contains("the service is stopping"),
        "{lines:?}"
    );
    assert!(stopping.join().unwrap());
}
