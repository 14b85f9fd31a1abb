//! FTP: possible replies to each step, and the source of the data.

use std::time::Duration;

use crate::failure::{
    ConnectError, Failure, FtpStep, Incomplete, NetworkError, Phase, ProtocolError,
};
use crate::fetch::FetchReport;
use crate::guard::RefusalReason;
use crate::limits::{FTP_LINE_BYTES, IDLE, Limits};

use crate::fetch::tests::world::{Act, RULES, World};

const URL: &str = "ftp://shop.example/robots.txt";

fn send(text: &str) -> Act {
    Act::Send(format!("{text}\r\n").into_bytes())
}

/// A whole session, as commands and replies.
fn session() -> Vec<Act> {
    vec![
        send("220 ready"),
        Act::Command("USER anonymous"),
        send("331 password?"),
        Act::Command("PASS anonymous@"),
        send("230 welcome"),
        Act::Command("TYPE I"),
        send("200 ok"),
        Act::Command("EPSV"),
        send("229 Entering Extended Passive Mode (|||40000|)"),
        Act::Command("RETR robots.txt"),
        send("150 here it comes"),
        send("226 done"),
    ]
}

/// The positions of the replies in a session.
const GREETING: usize = 0;
const USER: usize = 2;
const PASS: usize = 4;
const TYPE: usize = 6;
const EPSV: usize = 8;
const RETR: usize = 10;
const DONE: usize = 11;

/// The session with another reply at one position, after which the server waits.
fn replying(place: usize, reply: &str) -> Vec<Act> {
    let mut session = session();
    session.truncate(place);
    session.extend([send(reply), Act::Hang]);
    session
}

fn world(control: Vec<Act>) -> World {
    World::new()
        .name("shop.example", &["1.1.1.1"])
        .script("1.1.1.1:21", control)
        .script("1.1.1.1:40000", vec![Act::Send(RULES.into())])
}

async fn fetched(control: Vec<Act>) -> FetchReport {
    world(control).fetch(URL).await
}

#[tokio::test]
async fn file_is_fetched_with_an_anonymous_login() {
    let world = world(session());
    let fetched = world.fetch(URL).await;
    assert_eq!(fetched.failure, None);
    assert_eq!(fetched.body, RULES.as_bytes());
    assert_eq!(fetched.status, Some(226));
    assert_eq!(fetched.hops[0].peer, Some("1.1.1.1:21".parse().unwrap()));
    assert_eq!(world.dialled(), ["1.1.1.1:21", "1.1.1.1:40000"]);
}

#[tokio::test]
async fn ipv6_servers_get_the_same_commands() {
    let world = World::new()
        .name("shop.example", &["2606:4700::1111"])
        .script("[2606:4700::1111]:21", session())
        .script("[2606:4700::1111]:40000", vec![Act::Send(RULES.into())]);
    assert_eq!(world.fetch(URL).await.failure, None);
}

#[tokio::test]
async fn login_without_a_password_and_long_banners_are_accepted() {
    let mut short = session();
    short[USER] = send("230 welcome");
    short.drain(USER + 1..=PASS);
    assert_eq!(fetched(short).await.failure, None);

    let mut long = session();
    long[GREETING] = send("220-hello\r\n 230 not the end\r\n220 ready");
    assert_eq!(fetched(long).await.failure, None);

    let mut later = session();
    later.insert(0, send("120 in a minute"));
    assert_eq!(fetched(later).await.failure, None);
}

#[tokio::test]
async fn rep_access_11_only_550_to_retr_means_that_the_file_is_missing() {
    let fetched_550 = fetched(replying(RETR, "550 no such file")).await;
    assert_eq!(fetched_550.failure, Some(Failure::Status(404)));
    assert_eq!((fetched_550.status, fetched_550.hops[0].status), (Some(550), Some(550)));

    for (place, step, codes) in [
        (GREETING, FtpStep::Greeting, &[110, 120, 150, 200, 230, 331, 421, 500, 530, 550][..]),
        (USER, FtpStep::Login, &[220, 332, 421, 500, 530, 550]),
        (PASS, FtpStep::Login, &[331, 332, 421, 500, 530, 550]),
        (TYPE, FtpStep::Type, &[421, 500, 501, 504, 550]),
        (EPSV, FtpStep::Passive, &[227, 421, 500, 522, 550]),
        (RETR, FtpStep::Retrieve, &[200, 226, 421, 425, 426, 450, 451, 500, 530, 551, 552, 553]),
    ] {
        for &code in codes {
            let mut control = replying(place, &format!("{code} x"));
            if code == 120 {
                // Without another reply the client would wait.
                control.pop();
            }
            let code = (code != 120).then_some(code);
            let outcome = fetched(control).await.failure;
            let expected = Some(Failure::Network(NetworkError::Ftp { step, code }));
            assert_eq!(outcome, expected, "{step:?} {code:?}");
        }
    }
}

#[tokio::test]
async fn invalid_replies_are_refused() {
    for reply in ["22 x", "2200 x", "abc", "000 x", "999 x", "", "SSH-2.0-x", "HTTP/1.1 400 x"] {
        for (place, step) in [
            (GREETING, FtpStep::Greeting),
            (USER, FtpStep::Login),
            (EPSV, FtpStep::Passive),
            (RETR, FtpStep::Retrieve),
        ] {
            let outcome = fetched(replying(place, reply)).await.failure;
            let expected = Some(Failure::Network(NetworkError::Ftp { step, code: None }));
            assert_eq!(outcome, expected, "{step:?} {reply:?}");
        }
    }
}

#[tokio::test]
async fn replies_are_limited() {
    let nothing = Some(Failure::Network(NetworkError::Ftp { step: FtpStep::Greeting, code: None }));
    for forever in [vec![b'2'; FTP_LINE_BYTES], b"220-x\r\n".to_vec()] {
        let control = vec![send("220-x"), Act::Forever(forever, Duration::ZERO)];
        assert_eq!(fetched(control).await.failure, nothing);
    }
}

#[tokio::test]
async fn unrequested_reply_ends_the_session() {
    let mut control = session();
    control[GREETING] = send("220 ready\r\n230 already logged in");
    assert_eq!(
        fetched(control).await.failure,
        Some(Failure::Network(NetworkError::Ftp { step: FtpStep::Login, code: None }))
    );
}

#[tokio::test]
async fn data_connections_go_only_to_the_address_of_the_server() {
    for reply in [
        "227 Entering Passive Mode (127,0,0,1,156,64)",
        "229 (|1|127.0.0.1|40000|)",
        "229 (||10.0.0.1|40000|)",
        "229 (|||22|)",
        "229 (|||0|)",
        "229 (|||65536|)",
        "229 junk",
    ] {
        let world = world(replying(EPSV, reply));
        let outcome = world.fetch(URL).await.failure;
        let is_passive = matches!(
            outcome,
            Some(Failure::Network(NetworkError::Ftp { step: FtpStep::Passive, code: Some(_) }))
        );
        assert!(is_passive, "{reply}: {outcome:?}");
        assert_eq!(world.dialled(), ["1.1.1.1:21"], "{reply}");
    }
    // A port of another protocol, on the server's own machine.
    let world = world(replying(EPSV, "229 (|||6379|)"));
    let Some(Failure::Refused(refusal)) = world.fetch(URL).await.failure else { panic!("refused") };
    assert_eq!(refusal.reason(), RefusalReason::Port);
    assert_eq!(world.dialled(), ["1.1.1.1:21"]);
}

#[tokio::test]
async fn path_with_a_line_end_is_refused_before_a_connection() {
    for path in ["robots.txt%0d%0aDELE%20x", "robots.txt%0aDELE", "robots.txt%00"] {
        let world = world(session());
        let outcome = world.fetch(&format!("ftp://shop.example/{path}")).await.failure;
        let expected = Some(Failure::Network(NetworkError::Protocol(ProtocolError::FtpPath)));
        assert_eq!(outcome, expected, "{path}");
        assert!(world.dialled().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn file_is_complete_only_if_the_server_confirms_it() {
    for (reply, expected) in [
        ("226 done", None),
        ("250 done", None),
        ("426 aborted", Some(Failure::Network(NetworkError::Incomplete(Incomplete::Body)))),
        ("451 error", Some(Failure::Network(NetworkError::Incomplete(Incomplete::Body)))),
        ("550 x", Some(Failure::Network(NetworkError::Incomplete(Incomplete::Body)))),
    ] {
        assert_eq!(fetched(replying(DONE, reply)).await.failure, expected, "{reply}");
    }
    let mut gone = session();
    gone.truncate(DONE);
    assert_eq!(
        fetched(gone).await.failure,
        Some(Failure::Network(NetworkError::Ftp { step: FtpStep::Complete, code: None }))
    );
}

#[tokio::test]
async fn endless_file_is_cut_at_the_limit() {
    let world = World::new()
        .name("shop.example", &["1.1.1.1"])
        .script("1.1.1.1:21", replying(DONE, "226 done"))
        .script("1.1.1.1:40000", vec![Act::Forever(vec![b'#'; 10_000], Duration::ZERO)]);
    let fetched = world.fetch(URL).await;
    assert_eq!(fetched.failure, None);
    assert_eq!((fetched.body.len(), fetched.truncated), (Limits::default().body, true));
}

#[tokio::test(start_paused = true)]
async fn silence_in_any_step_is_a_timeout() {
    for place in [GREETING, USER, PASS, TYPE, EPSV, RETR, DONE] {
        let mut control = session();
        control.truncate(place);
        control.push(Act::Hang);
        let fetched = fetched(control).await;
        assert_eq!(
            fetched.failure,
            Some(Failure::Network(NetworkError::Timeout(Phase::Idle))),
            "{place}"
        );
        assert_eq!(fetched.time.as_secs(), IDLE.default.as_secs(), "{place}");
    }
    let world = World::new()
        .name("shop.example", &["1.1.1.1"])
        .script("1.1.1.1:21", replying(DONE, "226 done"))
        .script("1.1.1.1:40000", vec![Act::Hang]);
    let fetched = world.fetch(URL).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Idle))));
}

#[tokio::test(start_paused = true)]
async fn peer_is_reported_even_after_the_total_timeout() {
    let slow = session().into_iter().flat_map(|act| [Act::Wait(Duration::from_secs(4)), act]);
    let fetched = fetched(slow.collect()).await;
    assert_eq!(fetched.failure, Some(Failure::Network(NetworkError::Timeout(Phase::Total))));
    assert_eq!(fetched.hops[0].peer, Some("1.1.1.1:21".parse().unwrap()));
}

#[tokio::test]
async fn refused_data_connection_is_a_network_error() {
    let world = World::new().name("shop.example", &["1.1.1.1"]).script("1.1.1.1:21", session());
    assert_eq!(
        world.fetch(URL).await.failure,
        Some(Failure::Network(NetworkError::Connect(ConnectError::Refused)))
    );
}
