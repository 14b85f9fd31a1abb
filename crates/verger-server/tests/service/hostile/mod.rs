//! The hostile requests of the catalogue, P001 to P151, against the program.
//!
//! Each has a row in one of the tables below, or a test that names it. The claims are: a small
//! problem of status 4xx, or a closed connection in time; no packet to a private address; other
//! clients are served; no response with internals. Entries that need scripted names or a broken
//! store run with the service in this process.

mod faults;
mod requests;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use verger_testkit::generate::is_thorough;
use verger_testkit::server::{Lookup, PUBLIC, Script, Setup, Site};

use self::requests::{bodies, destinations, files, heads};
use crate::client::{connect, exchange, get, request, response, send};
use crate::program::Program;
use crate::world::{Service, rules, shop};

/// A request as bytes, and the permitted statuses; 0 is a closed connection.
pub(crate) struct Raw {
    pub(crate) id: u16,
    pub(crate) bytes: Vec<u8>,
    pub(crate) statuses: &'static [u16],
}

/// All requests of the tables.
#[cfg(target_os = "linux")]
pub(crate) fn tables(at: SocketAddr) -> Vec<Raw> {
    [bodies(at), heads(at), destinations(at), files(at)].into_iter().flatten().collect()
}

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];

/// The program with short times, and a record of shop.example.
fn program(arguments: &[&str]) -> Program {
    let times = ["--header-seconds", "1", "--body-seconds", "1", "--idle-seconds", "1"];
    let program = Program::start(&[&times[..], arguments].concat());
    import(program.at, &[]);
    program
}

fn import(at: SocketAddr, headers: &[(&str, &str)]) {
    let body = br#"{"robots":"User-agent: *\nDisallow: /cart\n"}"#;
    let headers = [JSON, headers].concat();
    let created = send(at, "PUT", "/v1/origins/http%3A%2F%2Fshop.example", &headers, body);
    assert_eq!(created.status, 201, "{created:?}");
}

/// A good client is served.
#[track_caller]
fn assert_alive(at: SocketAddr) {
    let answer = get(at, "/v1/check?agent=x&url=http://shop.example/cart");
    assert_eq!((answer.status, &answer.json()["allowed"]), (200, &false.into()), "{answer:?}");
}

/// The problems of these requests.
fn judge(at: SocketAddr, requests: Vec<Raw>) -> Vec<String> {
    std::thread::scope(|scope| {
        let runs: Vec<_> = requests
            .iter()
            .map(|raw| {
                scope.spawn(move || {
                    let begun = Instant::now();
                    let found = exchange(at, &raw.bytes);
                    let status = found.as_ref().map_or(0, |found| found.status);
                    let mut wrong = Vec::new();
                    if !raw.statuses.contains(&status) {
                        wrong.push(format!("status {status}, expected {:?}", raw.statuses));
                    }
                    if begun.elapsed() > Duration::from_secs(30) {
                        wrong.push(format!("took {:?}", begun.elapsed()));
                    }
                    if let Some(found) = found.filter(|found| found.status >= 400) {
                        let is_problem =
                            found.header("content-type") == Some("application/problem+json");
                        // The parser of HTTP itself answers without a body.
                        if !is_problem && !found.body.is_empty() {
                            wrong.push(format!("no problem document: {found:?}"));
                        }
                        let text = String::from_utf8_lossy(&found.body).into_owned();
                        for internal in ["src/", ".rs", "panicked", "/root", "thread", "serde"] {
                            if text.contains(internal) {
                                wrong.push(format!("internals: {text}"));
                            }
                        }
                        if found.body.len() > 4_096 {
                            wrong.push(format!("{} bytes", found.body.len()));
                        }
                        if found
                            .headers
                            .iter()
                            .any(|(name, _)| name.to_lowercase().starts_with("access-control"))
                        {
                            wrong.push("CORS headers".to_owned());
                        }
                    }
                    wrong.iter().map(|wrong| format!("P{:03}: {wrong}", raw.id)).collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    })
}

/// Entries with a separate test.
const TESTS: &[(&str, &[u16])] = &[
    ("slow_clients_are_closed", &[20, 21, 44]),
    ("pipelined_requests_are_answered", &[37]),
    ("half_open_connections_make_room", &[45]),
    ("smuggled_requests_are_not_answered", &[51, 52]),
    ("clients_that_close_early_change_nothing", &[46]),
    ("names_with_private_addresses_are_refused", &[75, 76, 77, 78, 83]),
    ("check::ten_thousand_questions_share_one_fetch", &[93]),
    ("tokens", &[112, 113, 114, 115, 116, 117, 119, 120, 121, 122]),
    ("program::tokens_are_read_again_and_broken_files_change_nothing", &[118, 141]),
    ("limits::a_rate_is_kept_for_each_address", &[123]),
    ("program::a_log_is_json_lines_without_foreign_text", &[128]),
    ("floods_are_shed", &[132, 133]),
    ("limits::requests_beyond_the_limit_are_told_to_come_back", &[134]),
    ("slow_sites_do_not_delay_others", &[135, 136, 137]),
    ("memory_is_bounded", &[138]),
    ("a_failing_store_changes_no_answer", &[139]),
    ("the_end_is_bounded", &[140]),
    ("bad_settings_end_the_program", &[142, 143, 144, 145]),
    ("few_descriptors_are_enough", &[146]),
    ("clocks_may_jump", &[147]),
    ("dead_name_servers_are_an_outage", &[148, 149]),
    ("panics_are_one_problem_each", &[150, 151]),
];

#[test]
fn every_entry_of_the_catalogue_has_a_row() {
    let at = ([127, 0, 0, 1], 1).into();
    let tables = [bodies(at), heads(at), destinations(at), files(at)];
    let rows = tables.iter().flatten().map(|raw| raw.id);
    let found: BTreeSet<u16> =
        rows.chain(TESTS.iter().flat_map(|(_, ids)| ids.iter().copied())).collect();
    assert_eq!(found, (1..=151).collect());
    if let Some(path) = verger_testkit::shared::shared("hostile.jsonl") {
        let text = std::fs::read_to_string(path).unwrap();
        let ids = text.lines().filter_map(|line| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            (entry["layer"] == "api")
                .then(|| entry["id"].as_str().unwrap()[1..].parse::<u16>().unwrap())
        });
        assert_eq!(found, ids.collect());
    }
}

#[test]
fn hostile_requests_get_small_problems() {
    let mut program = program(&["--max-urls", "1000"]);
    let at = program.at;
    let mut wrong = Vec::new();
    for table in [bodies(at), heads(at), destinations(at), files(at)] {
        wrong.extend(judge(at, table));
        assert_alive(at);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(program.runs());
    #[cfg(target_os = "linux")]
    assert!(program.memory() < 300_000_000, "{}", program.memory());
    assert_eq!(program.end("TERM"), Some(0));
}

#[test]
fn slow_clients_are_closed() {
    let program = program(&[]);
    let at = program.at;
    let post = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    );
    // The first bytes, and the byte that drips.
    let runs: [(&str, &str, &[u16]); 3] =
        [(&post, " ", &[408]), ("GET / HTTP/1.1\r\nX: ", "a", &[0]), ("", "", &[0])];
    std::thread::scope(|scope| {
        for (start, drip, statuses) in runs {
            scope.spawn(move || {
                let mut stream = connect(at);
                stream.write_all(start.as_bytes()).unwrap();
                let begun = Instant::now();
                let mut writer = stream.try_clone().unwrap();
                let dripping = std::thread::spawn(move || {
                    while begun.elapsed() < Duration::from_secs(20)
                        && writer.write_all(drip.as_bytes()).is_ok()
                    {
                        std::thread::sleep(Duration::from_millis(100));
                        if drip.is_empty() {
                            break;
                        }
                    }
                });
                let status = response(&mut stream).map_or(0, |found| found.status);
                assert!(statuses.contains(&status), "{start:?}: {status}");
                assert!(
                    begun.elapsed() < Duration::from_secs(15),
                    "{start:?}: {:?}",
                    begun.elapsed()
                );
                drop(stream);
                dripping.join().unwrap();
            });
        }
    });
    assert_alive(at);
}

#[test]
fn pipelined_requests_are_answered() {
    let program = program(&[]);
    let mut stream = connect(program.at);
    let one = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", program.at);
    stream.write_all(one.repeat(1_000).as_bytes()).unwrap();
    let answered =
        (0..1_000).take_while(|_| response(&mut stream).is_some_and(|it| it.status == 200)).count();
    assert_eq!(answered, 1_000);
}

#[test]
fn half_open_connections_make_room() {
    let program = program(&["--max-connections", "50"]);
    let held: Vec<TcpStream> =
        (0..200).filter_map(|_| TcpStream::connect(program.at).ok()).collect();
    for mut stream in &held {
        let _ = stream.write_all(b"GET / HT");
    }
    let begun = Instant::now();
    let bytes = request(program.at, "GET", "/healthz", &[], b"");
    while exchange(program.at, &bytes).is_none_or(|found| found.status != 200) {
        assert!(begun.elapsed() < Duration::from_secs(20), "no room");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_alive(program.at);
}

#[test]
fn smuggled_requests_are_not_answered() {
    let program = program(&[]);
    let smuggled = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", program.at);
    let head = |lines: &str| {
        format!(
            "POST /v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{lines}\r\n",
            program.at
        )
    };
    let cases = [
        // The proxy counts bytes, the service would read chunks.
        head(&format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", 5 + smuggled.len()))
            + "0\r\n\r\n"
            + &smuggled,
        // The other way around.
        head("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n")
            + &format!("{:x}\r\n{smuggled}\r\n0\r\n\r\n", smuggled.len()),
    ];
    // Nor after a probe.
    let probes = cases.clone().map(|bytes| bytes.replacen("/v1/check", "/healthz", 1));
    for bytes in cases.into_iter().chain(probes) {
        let mut stream = connect(program.at);
        stream.write_all(bytes.as_bytes()).unwrap();
        let first = response(&mut stream).map_or(0, |found| found.status);
        assert!(matches!(first, 0 | 400 | 405), "{first}");
        assert_eq!(response(&mut stream), None, "a smuggled request is answered");
    }
    assert_alive(program.at);
}

#[test]
fn clients_that_close_early_change_nothing() {
    let program = program(&[]);
    for _ in 0..50 {
        let mut stream = connect(program.at);
        stream.write_all(&request(program.at, "GET", "/v1/crawlers", &[], b"")).unwrap();
        let mut some = [0; 10];
        let _ = stream.read(&mut some);
    }
    assert_alive(program.at);
}

#[test]
fn names_with_private_addresses_are_refused() {
    let private = [10, 0, 0, 1].into();
    let setup = Setup::web("shop.example", Site::always(rules("")))
        .name("private.example", [Lookup::addresses([private])])
        .name("mixed.example", [Lookup::addresses([PUBLIC, private])])
        .name("flips.example", [Lookup::addresses([PUBLIC]), Lookup::addresses([private])])
        .name("self.example", [Lookup::addresses([[127, 0, 0, 1].into()])])
        .host("moves.example");
    let moved =
        verger_testkit::server::ScriptedResponse::redirect(302, "http://10.0.0.1/robots.txt")
            .script();
    let setup = setup.place(
        80,
        verger_testkit::server::Service::Http(
            Site::new().host("moves.example", moved).any(rules("User-agent: *\nDisallow: /\n")),
        ),
    );
    let service = Service::start(setup);
    for (host, statuses) in [
        ("private", &[403][..]),
        ("mixed", &[403]),
        // The address that was checked is the one that is used.
        ("flips", &[200]),
        ("self", &[403]),
        ("moves", &[200, 403]),
    ] {
        let found = service.get(&format!("/v1/check?agent=x&url=http://{host}.example/"));
        assert!(statuses.contains(&found.status), "{host}: {found:?}");
        let json = found.json();
        let answer = if found.status == 403 { &json["answer"] } else { &json };
        assert_eq!(answer["allowed"], false, "{host}: {json}");
    }
    assert_eq!(service.world.record().strays, []);
}

#[cfg(unix)]
#[test]
fn tokens() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, token: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, token).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (ask, admin) = ("a".repeat(32), "b".repeat(64));
    let program = Program::start(&[
        "--token-file",
        &file("ask", &ask),
        "--admin-token-file",
        &file("admin", &admin),
    ]);
    let at = program.at;
    let bearer = |token: &str| format!("Bearer {token}");
    let check = "/v1/check?agent=x&url=http://shop.example/";
    import(at, &[("Authorization", &bearer(&admin))]);
    let with = |path: &str, value: &str| request(at, "GET", path, &[("Authorization", value)], b"");
    let shop = "/v1/origins/http%3A%2F%2Fshop.example";
    let put = |path: &str| {
        let headers = [("Content-Type", "application/json"), ("Authorization", &bearer(&ask))];
        request(at, "PUT", path, &headers, br#"{"robots":""}"#)
    };
    let spoofed = format!(
        "GET /metrics HTTP/1.1\r\nHost: admin.internal\r\nAuthorization: {}\r\nConnection: close\r\n\r\n",
        bearer(&ask)
    );
    let rows: Vec<Raw> = [
        (112, request(at, "GET", check, &[], b""), &[401][..]),
        (113, with(check, &bearer(&"c".repeat(32))), &[401]),
        (114, request(at, "GET", &format!("{check}&token={ask}"), &[], b""), &[401]),
        (115, with(check, &bearer(&ask[..31])), &[401]),
        (115, with(check, &bearer(&format!("{ask}a"))), &[401]),
        (116, with(check, &format!("Bearer {ask}\r\n {ask}")), &[0, 400, 401]),
        (117, with(check, &bearer(&"a".repeat(1_000_000))), &[0, 400, 431]),
        (119, put(shop), &[403]),
        // Nothing is imported there.
        (119, put(&format!("{shop}/refresh")), &[405]),
        (119, put("/v1/check"), &[405]),
        (119, put("/nothing"), &[404]),
        (120, request(at, "PUT", shop, JSON, br#"{"robots":""}"#), &[401]),
        (121, request(at, "GET", "/metrics", &[], b""), &[401]),
        (122, spoofed.into_bytes(), &[421]),
    ]
    .into_iter()
    .map(|(id, bytes, statuses)| Raw { id, bytes, statuses })
    .collect();
    let wrong = judge(at, rows);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (path, value, status) in [(check, bearer(&ask), 200), ("/metrics", bearer(&admin), 200)] {
        assert_eq!(exchange(at, &with(path, &value)).unwrap().status, status);
    }
    assert_eq!(get(at, "/healthz").status, 200);
}

#[test]
fn floods_are_shed() {
    let program = program(&["--rate", "50", "--max-connections", "100"]);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..50)
            .map(|_| {
                scope.spawn(|| {
                    let path = "/v1/check?agent=x&url=http://shop.example/";
                    let bytes = request(program.at, "GET", path, &[], b"");
                    (0..20)
                        .map(|_| exchange(program.at, &bytes).map_or(0, |it| it.status))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert!(count(429) > 500 && count(200) >= 90, "{statuses:?}");
    assert_eq!(count(200) + count(429) + count(503) + count(0), 1_000, "{statuses:?}");
    std::thread::sleep(Duration::from_secs(1));
    assert_alive(program.at);
}

#[test]
fn slow_sites_do_not_delay_others() {
    let setup = (0..300).fold(shop(), |setup, at| setup.host(&format!("silent{at}.example")));
    let silent = Script::new().then_never();
    let site =
        Site::new().host("shop.example", rules("User-agent: *\nDisallow: /cart\n")).any(silent);
    let service = Service::start(setup.place(80, verger_testkit::server::Service::Http(site)));
    let good = "/v1/check?agent=x&url=http://shop.example/cart";
    assert_eq!(service.get(good).status, 200);
    std::thread::scope(|scope| {
        for number in 0..10 {
            let service = &service;
            scope.spawn(move || {
                // 1,000 questions about one silent site, then about thirty.
                let urls = |of: &dyn Fn(usize) -> usize| {
                    let urls: Vec<_> = (0..1_000)
                        .map(|at| format!("\"http://silent{}.example/{at}\"", of(at)))
                        .collect();
                    format!(r#"{{"agent":"x","wait_ms":1500,"urls":[{}]}}"#, urls.join(","))
                };
                for body in [urls(&|_| 0), urls(&|at| number * 30 + at % 30)] {
                    let found = service.post("/v1/check", &body);
                    let answers = found.json();
                    let answers = answers.as_array().unwrap();
                    assert!(
                        answers.len() == 1_000
                            && answers.iter().all(|answer| answer["allowed"] == false)
                    );
                }
            });
        }
        for _ in 0..20 {
            let begun = Instant::now();
            assert_eq!(service.get(good).status, 200);
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
            std::thread::sleep(Duration::from_millis(50));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    let program = program(&["--cache-mb", "1"]);
    let ask = |number: usize| {
        let lines: String = (0..2_000)
            .map(|at| {
                let crawler = number * 2_000 + at;
                format!(
                    "{{\"agent\":\"bot{crawler}\",\"url\":\"http://shop.example/{}\"}}\n",
                    at % 7
                )
                .repeat(2)
            })
            .collect();
        let media = [("Content-Type", "application/x-ndjson")];
        let found = send(program.at, "POST", "/v1/check", &media, lines.as_bytes());
        assert_eq!(found.text().lines().count(), 4_000);
    };
    ask(0);
    let before = program.memory();
    let times = if is_thorough() { 15 } else { 4 };
    (1..=times).for_each(ask);
    let grown = program.memory().saturating_sub(before);
    assert!(grown < 3_000_000 + times * 1_000_000, "{grown} bytes after {before}");
}
