//! HTTP/2: the entries of the catalogue about it, and correct servers.

use std::ops::RangeInclusive;
use std::sync::Arc;

use verger::Reason;
use verger_fetch::record::File;
use verger_testkit::server::catalogue::entries;
use verger_testkit::server::{
    END_HEADERS, END_STREAM, Kind, RULES, Script, ScriptedResponse, Service, Setup, Site, Tls,
    fields, frame,
};

use crate::client::catalogue::observe;
use crate::client::world::{client, run, short, start, test_each};

/// The entries of the catalogue about HTTP/2.
const IDS: RangeInclusive<&str> = "H202"..="H215";

#[test]
fn every_entry_about_http2_is_handled_if_it_is_offered() {
    let hostile: Vec<_> = entries().iter().filter(|entry| IDS.contains(&entry.id)).collect();
    assert_eq!(hostile.len(), 14, "the entries about HTTP/2");
    test_each(hostile, |entry| {
        let wrong = run(async {
            let world = Arc::new(entry.start().await.unwrap());
            let client = client(&world).limits(short()).http2_for_robots(true).build().unwrap();
            let mut observed = Vec::new();
            for ask in &entry.asks {
                observed.push(observe(&client, ask).await);
            }
            entry.judge(&world, &observed)
        });
        let what = || format!("{} {}: {}", entry.id, entry.what, wrong.join("; "));
        if wrong.is_empty() { Ok(()) } else { Err(what()) }
    });
}

/// A server with HTTP/2 only that answers the one request of each connection with these fields and
/// body.
pub(crate) fn speaking(head: &[(&str, &str)], body: &[u8]) -> Setup {
    // Frames have at most 16 KiB.
    let (last, pieces) = (body.len() / 16_384, body.chunks(16_384).enumerate());
    let data = pieces.map(|(at, piece)| {
        let flags = if at == last { END_STREAM } else { 0 };
        frame(Kind::Data, flags, 1, piece)
    });
    let script = Script::text(frame(Kind::Settings, 0, 0, b""))
        // The windows in the client's settings apply after the acknowledgement.
        .then_text(frame(Kind::Settings, ACK, 0, b""))
        .then_text(frame(Kind::Headers, END_HEADERS, 1, &fields(head)))
        .then_text(data.collect::<Vec<_>>().concat())
        .then_never();
    Setup::new().host("shop.example").place(443, Service::Http2(script))
}

/// The flag that acknowledges settings.
const ACK: u8 = 0x1;

const URL: &str = "https://shop.example/x";

#[test]
fn an_http2_server_is_read_only_if_http2_is_offered() {
    run(async {
        let world = start(speaking(&[(":status", "200")], RULES)).await;
        let offered = client(&world).http2_for_robots(true).build().unwrap();
        let decision = offered.check(URL).await.unwrap();
        assert_eq!(decision.file().unwrap().body.as_bytes(), RULES);
        assert_eq!(decision.reason(), Reason::Rule);

        let plain = client(&world).build().unwrap();
        assert_eq!(plain.check(URL).await.unwrap().reason(), Reason::Unreachable);
    });
}

#[test]
fn a_page_is_fetched_with_its_header_fields() {
    run(async {
        // The same response for robots.txt and for the page: none of its lines is a rule.
        let head = [(":status", "200"), ("x-robots-tag", "noindex"), ("content-type", "text/html")];
        let world = start(speaking(&head, b"<p>x</p>")).await;
        let client = client(&world).http2_for_robots(true).build().unwrap();
        let page = client.get(URL).await.unwrap();
        assert_eq!((page.failure(), page.body()), (None, &b"<p>x</p>"[..]));
        assert!(page.directives(&verger_page::Combine::GOOGLE).noindex());
        // Only fields are received, no pseudo-headers of the protocol.
        assert!(page.fields().all(|(name, _)| !name.starts_with(':')));
    });
}

#[test]
fn a_server_may_choose_http1() {
    run(async {
        for protocols in [vec![], vec![b"http/1.1".to_vec()]] {
            let tls = Tls { protocols, ..Tls::default() };
            let site = Site::always(ScriptedResponse::rules().script());
            let setup = Setup::new().host("shop.example").place(443, Service::Https(tls, site));
            let world = start(setup).await;
            let client = client(&world).http2_for_robots(true).build().unwrap();
            assert_eq!(client.check(URL).await.unwrap().reason(), Reason::Rule);
        }
    });
}

#[test]
fn a_body_of_another_length_than_announced_is_a_failure() {
    run(async {
        for announced in ["1", "1000"] {
            let world =
                start(speaking(&[(":status", "200"), ("content-length", announced)], RULES)).await;
            let client = client(&world).http2_for_robots(true).build().unwrap();
            assert_eq!(
                client.check(URL).await.unwrap().reason(),
                Reason::Unreachable,
                "{announced}"
            );
        }
    });
}

#[test]
fn a_body_is_cut_at_the_limit() {
    run(async {
        let body = [RULES, &b"#".repeat(600_000)].concat();
        let world = start(speaking(&[(":status", "200")], &body)).await;
        let client = client(&world).http2_for_robots(true).build().unwrap();
        let decision = client.check(URL).await.unwrap();
        let is_cut = decision.file().is_some_and(File::is_truncated);
        assert!(is_cut, "{:?}", decision.failure());
        assert_eq!(decision.file().unwrap().body.as_bytes(), &body[..512_000]);
    });
}
