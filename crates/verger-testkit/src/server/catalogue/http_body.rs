//! Connections and bodies that do not end, or do not begin (H001 to H014).

use crate::server::{Answer, Certificate, Script, Service, Setup, Site, Step, Tls};

use super::tls_records::{alert, server_hello};
use super::{Claim, Class, Entry, HOST, good, raw};

pub(super) fn entries() -> Vec<Entry> {
    let endless = |step: Step| Answer::new(200).head().then(step);
    let chunked =
        |step: Step| Answer::new(200).field("Transfer-Encoding", "chunked").head().then(step);
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend(b"#".repeat(65_536));
    chunk.extend(b"\r\n");
    let mut half = b"User-agent: *\n".to_vec();
    half.extend([b'#'; 600]);
    let cut = Answer::new(200).field("Content-Length", "2000").head().then_text(half);
    vec![
        Entry::http(
            "H001",
            "a body without a length and without an end",
            endless(Step::Forever(vec![b'#'; 4096])),
            &[Class::RulesTruncated],
        )
        .claim(Claim::BeforeDeadline),
        Entry::http(
            "H002",
            "chunks without end",
            chunked(Step::Forever(chunk)),
            &[Class::RulesTruncated],
        )
        .claim(Claim::BeforeDeadline),
        Entry::http(
            "H003",
            "chunks of one byte without end",
            chunked(Step::Forever(b"1\r\n#\r\n".to_vec())),
            &[Class::RulesTruncated, Class::Unreachable],
        ),
        unreachable("H004", "a body that drips", endless(Step::DripForever(b"# \n".to_vec()))),
        unreachable(
            "H005",
            "a head that drips",
            Script::text("HTTP/1.1 200 OK\r\n").then(Step::DripForever(b"X-A: 1\r\n".to_vec())),
        ),
        unreachable("H006", "accepts and stays silent", Script::of(Step::Never)),
        raw_unreachable("H007", "accepts and resets", Script::of(Step::Reset)),
        raw_unreachable("H008", "accepts and closes", Script::of(Step::Close)),
        unreachable("H009", "resets in the middle of the body", cut.then_reset()),
        Entry::new(
            "H010",
            "never accepts: the first packet is lost",
            Setup::new().host(HOST).place(80, Service::Silent),
            vec![Class::Unreachable],
        ),
        Entry::new(
            "H011",
            "refuses the connection",
            Setup::new().host(HOST).place(80, Service::Refused),
            vec![Class::Unreachable],
        ),
        raw_unreachable(
            "H012",
            "speaks TLS on a plain port",
            Script::of(Step::Hear).then_text(alert(70)),
        ),
        Entry::new(
            "H013",
            "speaks plain HTTP on the port for TLS",
            Setup::new()
                .host(HOST)
                .place(443, Service::Raw(Script::of(Step::Hear).then_all(good()))),
            vec![Class::Unreachable],
        )
        .asking(format!("https://{HOST}/")),
        Entry::new(
            "H014",
            "stalls behind its ServerHello",
            Setup::new().host(HOST).place(
                443,
                Service::Raw(
                    Script::of(Step::Hear).then_text(server_hello(0x0303, &[])).then_never(),
                ),
            ),
            vec![Class::Unreachable],
        )
        .asking(format!("https://{HOST}/")),
    ]
}

fn unreachable(id: &'static str, what: &str, script: Script) -> Entry {
    Entry::http(id, what, script, &[Class::Unreachable])
}

fn raw_unreachable(id: &'static str, what: &str, script: Script) -> Entry {
    Entry::new(id, what, raw(script), vec![Class::Unreachable])
}

/// A host with a site over TLS, for the entries about TLS.
pub(super) fn secure(tls: Tls, site: Site) -> Setup {
    Setup::new().host(HOST).place(443, Service::Https(tls, site))
}

/// A host that is correct except for its certificate.
pub(super) fn secure_with(certificate: Certificate) -> Setup {
    secure(Tls::with(certificate), Site::always(good()))
}
