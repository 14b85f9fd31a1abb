//! Certificates and ends of connections, over TLS.

use std::io::ErrorKind;

use verger_testkit::server::{
    Certificate, Kind, PUBLIC, RULES, Script, ScriptedResponse, ServerAction, Service, Setup, Site,
    Tls, World, frame,
};

use super::client::{Heard, ask, connect, shake_hands};
use super::soon;

const HOST: &str = "shop.example";

async fn world(tls: Tls, script: Script) -> World {
    let service = Service::Https(tls, Site::always(script));
    Setup::new().host(HOST).place(443, service).start().await.expect("a world")
}

async fn handshake(tls: Tls, host: &str) -> Result<Heard, String> {
    let world = world(tls, ScriptedResponse::rules().script()).await;
    let stream = connect(&world, 443).await;
    let shaken = shake_hands(&world, stream, host, &["http/1.1"]).await;
    let mut stream = shaken.map_err(|error| error.to_string())?;
    Ok(soon(ask(&mut stream, host, "/robots.txt")).await)
}

#[tokio::test]
async fn a_good_certificate_is_good_for_names_and_addresses() {
    for host in [HOST.to_owned(), PUBLIC.to_string()] {
        let heard = handshake(Tls::default(), &host).await.unwrap();
        assert!(matches!(&heard, Heard::Closed(bytes) if bytes.ends_with(RULES)), "{heard:?}");
    }
}

#[tokio::test]
async fn bad_certificates_fail_for_their_stated_reason() {
    let cases = [
        (Certificate::Expired, "expired"),
        (Certificate::NotYetValid, "not valid yet"),
        (Certificate::SelfSigned, "UnknownIssuer"),
        (Certificate::UnknownCa, "BadSignature|UnknownIssuer"),
        (Certificate::WrongName, "not valid for name"),
        (Certificate::TopLevelWildcard, "not valid for name"),
        (Certificate::CriticalExtension, "UnsupportedCriticalExtension|critical"),
        (Certificate::NameConstraint, "NameConstraintViolation"),
        (Certificate::LongChain(99), "MaximumPathDepthExceeded|UnknownIssuer|Maximum"),
    ];
    for (certificate, reasons) in cases {
        let error = handshake(Tls::with(certificate), HOST).await.unwrap_err();
        let is_it = reasons.split('|').any(|reason| error.contains(reason));
        assert!(is_it, "{certificate:?}: {error}");
    }
    // Valid for the name but not for the address.
    assert!(handshake(Tls::with(Certificate::NamesOnly), HOST).await.is_ok());
    let error =
        handshake(Tls::with(Certificate::NamesOnly), &PUBLIC.to_string()).await.unwrap_err();
    assert!(error.contains("not valid for name"), "{error}");
}

#[tokio::test]
async fn a_short_chain_is_good() {
    assert!(handshake(Tls::with(Certificate::LongChain(2)), HOST).await.is_ok());
}

#[tokio::test]
async fn a_fragmented_server_hello_completes_the_handshake() {
    let tls = Tls { fragment: Some(16), ..Tls::default() };
    let heard = handshake(tls, HOST).await.unwrap();
    assert!(heard.bytes().ends_with(RULES), "{heard:?}");
}

#[tokio::test]
async fn a_cut_sends_no_close_notify_and_a_close_does() {
    for (step, is_cut) in [(ServerAction::Close, false), (ServerAction::Cut, true)] {
        let world = world(Tls::default(), Script::text("a").then(step)).await;
        let stream = connect(&world, 443).await;
        let mut stream = shake_hands(&world, stream, HOST, &[]).await.unwrap();
        let heard = soon(ask(&mut stream, HOST, "/")).await;
        let wanted = if is_cut {
            Heard::Failed(b"a".into(), ErrorKind::UnexpectedEof)
        } else {
            Heard::Closed(b"a".into())
        };
        assert_eq!(heard, wanted);
        assert!(world.record().requests[0].is_secure);
    }
}

#[tokio::test]
async fn http_2_is_only_for_clients_that_offer_it() {
    let settings = frame(Kind::Settings, 0, 0, b"");
    let setup = Setup::new().host(HOST).place(443, Service::Http2(Script::text(&settings)));
    let world = setup.start().await.unwrap();
    let stream = connect(&world, 443).await;
    let mut stream = shake_hands(&world, stream, HOST, &["h2"]).await.unwrap();
    // An unusual client that offers h2 and sends HTTP/1.1 also gets an answer.
    assert_eq!(soon(ask(&mut stream, HOST, "/")).await, Heard::Closed(settings));
    let stream = connect(&world, 443).await;
    let error = shake_hands(&world, stream, HOST, &["http/1.1"]).await.unwrap_err();
    assert!(error.to_string().contains("NoApplicationProtocol"), "{error}");
}
