//! Certificates of a private authority.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use verger_testkit::server::{ScriptedResponse, Service, Setup, Site, Tls};

/// A site at 127.0.0.1 with a certificate of a test CA. Returns the CA's certificate in PEM, and
/// the site's URL.
fn secure_site() -> (String, String) {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let place = ([127, 0, 0, 1], 443).into();
            let site = Site::always(ScriptedResponse::rules().script());
            let setup = Setup::new().place_at(place, Service::Https(Tls::default(), site));
            let world = setup.start().await.unwrap();
            let url = format!("https://{}/", world.dial(place).await.unwrap());
            sender.send((world.root().unwrap().to_vec(), url)).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let (root, url) = receiver.recv().unwrap();
    (pem(&root), url)
}

pub(crate) fn pem(der: &[u8]) -> String {
    pem_of("CERTIFICATE", der)
}

pub(crate) fn pem_of(what: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN {what}-----\n{}\n-----END {what}-----\n", lines.join("\n"))
}

fn verger(arguments: &[&str], variable: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .args(["--store", "memory", "--allow-net", "127.0.0.1"])
        .env("SSL_CERT_FILE", variable)
        .output()
        .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_private_authority_is_trusted_by_a_flag_or_the_environment() {
    let (root, url) = secure_site();
    let (other, _) = secure_site();
    let folder = tempfile::tempdir().unwrap();
    let (good, both) = (folder.path().join("good.pem"), folder.path().join("both.pem"));
    let other_file = folder.path().join("other.pem");
    fs::write(&good, &root).unwrap();
    fs::write(&other_file, &other).unwrap();
    fs::write(&both, format!("A list\n{other}{}{root}", pem(b"no certificate"))).unwrap();
    let [good, both, other] = [&good, &both, &other_file].map(|path| path.to_str().unwrap());
    let none = "";
    for (flags, variable, is_trusted) in [
        (&[][..], none, false),
        (&["--ca-file", other], none, false),
        (&["--ca-file", other], other, false),
        (&["--ca-file", good], none, true),
        (&["--ca-file", other, "--ca-file", good], none, true),
        (&["--ca-file", both], none, true),
        (&[], good, true),
        (&["--ca-file", other], both, true),
    ] {
        for (command, status) in [
            (&["check", "--agent", "x", &url][..], 0),
            (&["fetch", &url], 0),
            (&["inspect", &url], 0),
        ] {
            let output = verger(&[command, flags].concat(), Path::new(variable));
            let messages = text(output.stdout) + &text(output.stderr);
            let is_refused = messages.contains("the server's certificate is ");
            assert_eq!(is_refused, !is_trusted, "{command:?} {flags:?} {variable}: {messages}");
            if is_trusted {
                assert_eq!(output.status.code(), Some(status), "{messages}");
            }
        }
    }
}

#[test]
fn a_file_without_a_certificate_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    let at = path.to_str().unwrap();
    let of_flag = |file: &str| {
        let output = verger(&["fetch", "--ca-file", file, "https://127.0.0.1:1/"], Path::new(""));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        text(output.stderr).replace(at, "FILE")
    };
    assert_eq!(of_flag(at), "error: could not read `FILE`: No such file or directory\n");
    let message = "error: expected a file of certificates, but found standard input\n";
    assert_eq!(of_flag("-"), message);
    let none = "error: could not use `FILE`: it has no certificate in PEM (`BEGIN CERTIFICATE`)\n\n\
                hint: `openssl x509 -inform DER` converts a certificate in DER to PEM\n";
    let other = "error: could not use `FILE`: the PEM data is not an X.509 certificate\n";
    let damaged = "error: could not use `FILE`: the certificate in PEM is damaged\n";
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for (content, message) in [
        ("", none),
        (key, none),
        (&pem(b"no certificate"), other),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n", damaged),
        ("-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n", damaged),
    ] {
        fs::write(&path, content).unwrap();
        assert_eq!(of_flag(at), message);
    }
    let message =
        damaged.to_owned() + "\nhint: the environment variable `SSL_CERT_FILE` names this file\n";
    fs::write(&path, "-----BEGIN CERTIFICATE-----\nAAAA\n").unwrap();
    let output = verger(&["fetch", "https://127.0.0.1:1/"], &path);
    assert_eq!(text(output.stderr).replace(at, "FILE"), message);
    assert_eq!(output.status.code(), Some(2));
    // Offline, no certificate is needed.
    let output = verger(&["fetch", "--offline", "https://127.0.0.1:1/"], &path);
    assert!(!text(output.stderr).contains("could not use"));
}
