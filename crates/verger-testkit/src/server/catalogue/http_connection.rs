//! Connections and bodies that do not end, or do not begin (H001 to H014). Certificates and
//! handshakes (H015 to H034).

use crate::server::{
    Certificate, PUBLIC, RULES, Script, ScriptedResponse, ServerAction, Service, Setup, Site, Tls,
};

use super::entry::{Attack, HOST, good, raw};
use super::expect::{Claim, Class};
use super::tls_records::{alert, certificates_head, close_notify, filler, protocol, server_hello};

pub(super) fn bodies() -> Vec<Attack> {
    let endless = |step: ServerAction| ScriptedResponse::new(200).head().then(step);
    let chunked = |step: ServerAction| {
        ScriptedResponse::new(200).field("Transfer-Encoding", "chunked").head().then(step)
    };
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend(b"#".repeat(65_536));
    chunk.extend(b"\r\n");
    let mut half = b"User-agent: *\n".to_vec();
    half.extend([b'#'; 600]);
    let cut = ScriptedResponse::new(200).field("Content-Length", "2000").head().then_text(half);
    vec![
        Attack::http(
            "H001",
            "a body without a length and without an end",
            endless(ServerAction::Forever(vec![b'#'; 4096])),
            &[Class::RulesTruncated],
        )
        .claim(Claim::BeforeDeadline),
        Attack::http(
            "H002",
            "chunks without end",
            chunked(ServerAction::Forever(chunk)),
            &[Class::RulesTruncated],
        )
        .claim(Claim::BeforeDeadline),
        Attack::http(
            "H003",
            "chunks of one byte without end",
            chunked(ServerAction::Forever(b"1\r\n#\r\n".to_vec())),
            &[Class::RulesTruncated, Class::Unreachable],
        ),
        unreachable(
            "H004",
            "a body that drips",
            endless(ServerAction::DripForever(b"# \n".to_vec())),
        ),
        unreachable(
            "H005",
            "a head that drips",
            Script::text("HTTP/1.1 200 OK\r\n")
                .then(ServerAction::DripForever(b"X-A: 1\r\n".to_vec())),
        ),
        unreachable("H006", "accepts and stays silent", Script::of(ServerAction::Never)),
        raw_unreachable("H007", "accepts and resets", Script::of(ServerAction::Reset)),
        raw_unreachable("H008", "accepts and closes", Script::of(ServerAction::Close)),
        unreachable("H009", "resets in the middle of the body", cut.then_reset()),
        Attack::new(
            "H010",
            "never accepts: the first packet is lost",
            Setup::new().host(HOST).place(80, Service::Silent),
            vec![Class::Unreachable],
        ),
        Attack::new(
            "H011",
            "refuses the connection",
            Setup::new().host(HOST).place(80, Service::Refused),
            vec![Class::Unreachable],
        ),
        raw_unreachable(
            "H012",
            "speaks TLS on a plain port",
            Script::of(ServerAction::AwaitInput).then_text(alert(70)),
        ),
        Attack::new(
            "H013",
            "speaks plain HTTP on the port for TLS",
            Setup::new()
                .host(HOST)
                .place(443, Service::Raw(Script::of(ServerAction::AwaitInput).then_all(good()))),
            vec![Class::Unreachable],
        )
        .asking(format!("https://{HOST}/")),
        Attack::new(
            "H014",
            "stalls after its ServerHello",
            Setup::new().host(HOST).place(
                443,
                Service::Raw(
                    Script::of(ServerAction::AwaitInput)
                        .then_text(server_hello(0x0303, &[]))
                        .then_never(),
                ),
            ),
            vec![Class::Unreachable],
        )
        .asking(format!("https://{HOST}/")),
    ]
}

fn unreachable(id: &'static str, what: &str, script: Script) -> Attack {
    Attack::http(id, what, script, &[Class::Unreachable])
}

fn raw_unreachable(id: &'static str, what: &str, script: Script) -> Attack {
    Attack::new(id, what, raw(script), vec![Class::Unreachable])
}

/// A host with a site over TLS, for the bodies about TLS.
pub(super) fn secure(tls: Tls, site: Site) -> Setup {
    Setup::new().host(HOST).place(443, Service::Https(tls, site))
}

/// A host that is correct except for its certificate.
pub(super) fn secure_with(certificate: Certificate) -> Setup {
    secure(Tls::with(certificate), Site::always(good()))
}

const CERTIFICATES: &[(&str, &str, Certificate)] = &[
    ("H015", "an expired certificate", Certificate::Expired),
    ("H016", "a certificate signed by itself", Certificate::SelfSigned),
    ("H017", "a certificate for another name", Certificate::WrongName),
    ("H018", "a certificate of an unknown CA", Certificate::UnknownCa),
    ("H019", "a certificate with an unknown critical extension", Certificate::CriticalExtension),
    ("H020", "a certificate that is not valid yet", Certificate::NotYetValid),
    ("H021", "a certificate against a name constraint", Certificate::NameConstraint),
    ("H022", "a certificate for a whole top-level domain", Certificate::TopLevelWildcard),
    ("H024", "a chain of a hundred certificates", Certificate::LongChain(99)),
];

/// Claimed length of a certificates message: 16 MiB minus one byte.
const HUGE: u32 = 0xff_ffff;

pub(super) fn handshakes() -> Vec<Attack> {
    let mut all: Vec<Attack> = CERTIFICATES
        .iter()
        .map(|&(id, what, certificate)| refused(id, what, secure_with(certificate)))
        .collect();
    let cut = ScriptedResponse::rules().without_length().script().then(ServerAction::Cut);
    let hello = |extensions: &[u8]| server_hello(0x0303, extensions);
    all.extend([
        refused(
            "H023",
            "an address that the certificate does not name",
            secure_with(Certificate::NamesOnly),
        )
        .asking(format!("https://{PUBLIC}/")),
        refused(
            "H025",
            "a certificates message of 16 MB",
            handshake(
                Script::text(hello(&[]))
                    .then_text(certificates_head(HUGE))
                    .then(ServerAction::Forever(filler())),
            ),
        ),
        refused(
            "H028",
            "knows TLS 1.0 only",
            handshake(Script::text(server_hello(0x0301, &[])).then_never()),
        ),
        refused(
            "H030",
            "chooses h3 over TCP",
            handshake(Script::text(hello(&protocol(b"h3"))).then_never()),
        ),
        refused(
            "H031",
            "chooses a protocol that was not offered",
            handshake(Script::text(hello(&protocol(b"gopher"))).then_never()),
        ),
        refused(
            "H032",
            "a body without a length that ends without close_notify",
            secure(Tls::default(), Site::always(cut)),
        ),
        refused(
            "H033",
            "says goodbye in the handshake",
            handshake(Script::text(hello(&[])).then_text(close_notify()).then_never()),
        ),
    ]);
    let fragments = Tls { fragment: Some(16), ..Tls::default() };
    let mut fragmented = refused(
        "H034",
        "its ServerHello in records of sixteen bytes, which is permitted",
        secure(fragments, Site::always(good())),
    );
    fragmented.asks[0].classes = vec![Class::Rules, Class::Unreachable];
    all.push(fragmented.claim(Claim::Body(RULES.to_vec())));
    all
}

fn refused(id: &'static str, what: &str, setup: Setup) -> Attack {
    Attack::new(id, what, setup, vec![Class::Unreachable]).asking(format!("https://{HOST}/"))
}

fn handshake(script: Script) -> Setup {
    let script = Script::of(ServerAction::AwaitInput).then_all(script);
    Setup::new().host(HOST).place(443, Service::Raw(script))
}
