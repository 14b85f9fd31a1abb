//! Certificates and handshakes (H015 to H034).

use crate::server::{Answer, Certificate, PUBLIC, RULES, Script, Service, Setup, Site, Step, Tls};

use super::http_body::{secure, secure_with};
use super::tls_records::{certificates_head, close_notify, filler, protocol, server_hello};
use super::{Class, Entry, HOST, good};

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

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = CERTIFICATES
        .iter()
        .map(|&(id, what, certificate)| refused(id, what, secure_with(certificate)))
        .collect();
    let cut = Answer::rules().without_length().script().then(Step::Cut);
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
                    .then(Step::Forever(filler())),
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
            "chooses a protocol that nobody offered",
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
    all.push(fragmented.claim(super::Claim::Body(RULES.to_vec())));
    all
}

fn refused(id: &'static str, what: &str, setup: Setup) -> Entry {
    Entry::new(id, what, setup, vec![Class::Unreachable]).asking(format!("https://{HOST}/"))
}

fn handshake(script: Script) -> Setup {
    let script = Script::of(Step::Hear).then_all(script);
    Setup::new().host(HOST).place(443, Service::Raw(script))
}
