//! The program through a real proxy (tinyproxy), to a real web server (nginx) with a certificate of
//! a private authority.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::Value;
use tempfile::TempDir;
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::live::proxy::{text, verger};
use crate::live::trust::{pem, pem_of};

/// A proxy that requires credentials, and a web server. Both end when this is dropped.
struct Place {
    folder: TempDir,
    servers: Vec<Child>,
    http: SocketAddr,
    https: SocketAddr,
    proxy: SocketAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        for server in &mut self.servers {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }
}

/// Whether a test can be run. It is skipped if a tool is missing, or fails if `CI` is set.
fn can_run(test: &str) -> bool {
    let has = |program: &str| Command::new(program).arg("-v").output().is_ok();
    for (is_there, package) in
        [(nginx().is_some(), "nginx-light"), (has("tinyproxy"), "tinyproxy-bin")]
    {
        if !is_there {
            skip_loudly(test, Lacking::Tool, &format!("{package} (Debian) is not installed"));
            return false;
        }
    }
    true
}

/// Path of nginx, which Debian installs outside of `PATH`.
fn nginx() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("-v").output().is_ok();
    ["nginx", "/usr/sbin/nginx"].into_iter().find(runs)
}

fn free() -> SocketAddr {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap()
}

impl Place {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut place =
            Self { folder, servers: Vec::new(), http: free(), https: free(), proxy: free() };
        place.write("robots.txt", "User-agent: *\nDisallow: /private\n");
        place.write("page.html", "<!doctype html><meta name=robots content=noindex><p>page");
        place.certify();
        place.write("nginx.conf", &place.nginx_configuration());
        place.write("tinyproxy.conf", &place.tinyproxy_configuration());
        place.run(&[nginx().unwrap(), "-c", &place.path("nginx.conf")], place.http);
        place.run(&["tinyproxy", "-d", "-c", &place.path("tinyproxy.conf")], place.proxy);
        place
    }

    /// Creates a certificate for 127.0.0.1 by a new authority.
    fn certify(&self) {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        self.write("ca.pem", &pem(issuer.der()));
        self.write("site.pem", &pem(certificate.der()));
        self.write("key.pem", &pem_of("PRIVATE KEY", &key.serialize_der()));
    }

    /// One process, which runs as the user of the test. The site redirects `/moved` from http to
    /// https.
    fn nginx_configuration(&self) -> String {
        let (folder, http, https) = (self.folder.path().display(), self.http, self.https);
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {folder}/{name};\n"))
            .concat();
        format!(
            "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n\
             events {{}}\nhttp {{\ntypes {{ text/html html; text/plain txt; }}\n\
             access_log {folder}/access.log;\n{temporary}server {{\nlisten {http};\nlisten {https} \
             ssl;\nssl_certificate {folder}/site.pem;\nssl_certificate_key {folder}/key.pem;\n\
             root {folder};\nlocation = /moved {{ return 301 https://{https}/page.html; }}\n}}\n}}\n"
        )
    }

    /// It resolves one name, that of the web server.
    fn tinyproxy_configuration(&self) -> String {
        let (folder, port, http) = (self.folder.path().display(), self.proxy.port(), self.http);
        format!(
            "Port {port}\nListen 127.0.0.1\nTimeout 20\nMaxClients 20\nAllow 127.0.0.1\n\
             LogFile \"{folder}/proxy.log\"\nLogLevel Connect\nBasicAuth crawler s3cret\n\
             Upstream http {http} \"shop.example\"\n"
        )
    }

    fn run(&mut self, command: &[&str], at: SocketAddr) {
        let mut process = Command::new(command[0]);
        process.args(&command[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        self.servers.push(process.spawn().unwrap());
        let begin = Instant::now();
        while TcpStream::connect(at).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(10), "{command:?} does not run");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn stop_site(&mut self) {
        let mut site = self.servers.remove(0);
        site.kill().unwrap();
        site.wait().unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// Requests that the proxy has accepted.
    fn proxied(&self) -> Vec<String> {
        let log = fs::read_to_string(self.folder.path().join("proxy.log")).unwrap_or_default();
        let request = |line: &str| line.split_once("): ").map(|(_, request)| request.to_owned());
        log.lines().filter(|line| line.contains("Request (file")).filter_map(request).collect()
    }

    /// Runs the program through the proxy, with the authority trusted.
    fn verger(&self, arguments: &[&str]) -> Output {
        let proxy = format!("http://crawler:s3cret@{}", self.proxy);
        let ca = self.path("ca.pem");
        verger(&[arguments, &["--proxy", &proxy, "--ca-file", &ca]].concat(), &[])
    }
}

/// Permits only the literal address of the site.
const NEAR: [&str; 2] = ["--allow-net", "127.0.0.1"];

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
#[ignore = "thorough suite"]
fn check_fetch_inspect_and_page_work_through_a_proxy() {
    if !can_run("a proxy") {
        return;
    }
    let place = Place::start();
    let (http, https) = (format!("http://{}", place.http), format!("https://{}", place.https));
    let mut before = 0;
    for (site, name) in [(&http, false), (&https, false), (&"http://shop.example".to_owned(), true)]
    {
        // A public name needs no network, because the proxy resolves it.
        let near = if name { &[][..] } else { &NEAR[..] };
        let start = if site.starts_with("https") {
            format!("CONNECT {} HTTP/1.1", place.https)
        } else {
            format!("GET {site}/robots.txt HTTP/1.1")
        };
        let (private, page) = (format!("{site}/private"), format!("{site}/page.html"));
        for (command, code, messages, requests) in [
            (&["check", "--agent", "ExampleBot", &private][..], 1, "disallow ", 1),
            (&["check", "--agent", "ExampleBot", &page], 0, "allow ", 1),
            (&["fetch", site], 0, "Disallow: /private", 1),
            (&["inspect", site], 0, "Disallow: /private", 1),
            (&["page", "--agent", "ExampleBot", &page], 1, "noindex", 2),
        ] {
            let output = place.verger(&[command, near].concat());
            let message = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{command:?}: {message}");
            assert!(message.contains(messages), "{command:?}: {message}");
            assert!(!message.contains("s3cret"), "{message}");
            let proxied = place.proxied();
            assert_eq!(proxied.len() - before, requests, "{command:?}: {proxied:?}");
            assert_eq!(proxied[before], start, "{command:?}");
            before = proxied.len();
        }
    }
    // From http to https.
    let moved = format!("{http}/moved");
    let output = place.verger(&[&["page", "--agent", "ExampleBot", &moved][..], &NEAR].concat());
    assert!(text(&output.stdout).contains("noindex"), "{output:?}");
    assert_eq!(place.proxied().len() - before, 4);
    // The site does not see the credentials for the proxy.
    let log = fs::read_to_string(place.folder.path().join("access.log")).unwrap();
    assert!(log.contains("GET /robots.txt") && !log.contains("s3cret"), "{log}");
}

#[test]
#[ignore = "thorough suite"]
fn certificate_of_an_unknown_authority_is_refused_through_a_proxy() {
    if !can_run("a certificate behind a proxy") {
        return;
    }
    let place = Place::start();
    let proxy = format!("http://crawler:s3cret@{}", place.proxy);
    let url = format!("https://{}/", place.https);
    let output = verger(&[&["fetch", &url, "--proxy", &proxy][..], &NEAR].concat(), &[]);
    let message = text(&output.stdout);
    assert!(
        message.contains("the certificate received through the proxy is from an unknown authority"),
        "{message}"
    );
}

#[test]
#[ignore = "thorough suite"]
fn the_guard_refuses_before_the_proxy_gets_a_request() {
    if !can_run("the guard before a proxy") {
        return;
    }
    let place = Place::start();
    let sites = [
        format!("http://{}", place.http),
        format!("https://{}", place.https),
        "http://localhost".to_owned(),
        "https://metadata.google.internal".to_owned(),
        "http://169.254.169.254".to_owned(),
        "http://[::1]".to_owned(),
        "http://shop.example:22".to_owned(),
        "ftp://shop.example".to_owned(),
    ];
    for site in &sites {
        let output = place.verger(&["check", "--agent", "ExampleBot", "--format", "json", site]);
        let failure = &json(&output)[0]["decision"]["failure"];
        assert_eq!(failure["kind"], "refused", "{site}: {failure}");
        assert_eq!(output.status.code(), Some(2), "{site}");
    }
    // A redirect into a private network is also refused.
    let page = "http://shop.example/moved";
    let output = place.verger(&["page", "--agent", "ExampleBot", page]);
    let message = text(&output.stderr);
    assert!(
        message.contains("Verger does not connect to 127.0.0.1: a loopback address"),
        "{message}"
    );
    let starts = ["GET http://shop.example/robots.txt ", "GET http://shop.example/moved "];
    let proxied = place.proxied();
    assert_eq!(proxied.len(), starts.len(), "{proxied:?}");
    assert!(proxied.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{proxied:?}");
}

#[test]
#[ignore = "thorough suite"]
fn failures_of_the_proxy_and_of_the_site_are_distinguished() {
    if !can_run("failures of a proxy") {
        return;
    }
    let mut place = Place::start();
    let sites = [format!("http://{}", place.http), format!("https://{}", place.https)];
    let store = place.path("store.sqlite");
    let fetch = |place: &Place, site: &str, proxy: &str| {
        let command = Command::new(env!("CARGO_BIN_EXE_verger"))
            .args(["fetch", "--format", "json", site, "--proxy", proxy, "--store", &store])
            .args(NEAR)
            .args(["--ca-file", &place.path("ca.pem")])
            .output()
            .unwrap();
        json(&command)[0].take()
    };
    let good = format!("http://crawler:s3cret@{}", place.proxy);
    for site in &sites {
        // tinyproxy has different statuses for wrong and for absent credentials. One of them allows
        // everything if a site sends it.
        for (credentials, status) in [("", 407), ("crawler:wrong@", 401)] {
            let proxy = format!("http://{credentials}{}", place.proxy);
            let fetched = fetch(&place, site, &proxy);
            let detail = serde_json::json!({ "status": status });
            assert_eq!(fetched["failure"]["detail"], detail, "{fetched}");
            assert_eq!(fetched["meaning"]["access"], "disallow_all", "{fetched}");
        }
        let fetched = fetch(&place, site, "http://127.0.0.1:1");
        let detail = serde_json::json!({ "connect": "refused" });
        assert_eq!(fetched["failure"]["detail"], detail, "{fetched}");
    }
    place.stop_site();
    for site in &sites {
        let fetched = fetch(&place, site, &good);
        let failure = &fetched["failure"];
        // tinyproxy reports an unreachable site with status 500, to CONNECT and to GET.
        let is_by_proxy = failure["kind"] == "proxy" && failure["detail"]["status"] == 500;
        let is_status = failure["kind"] == "status" && failure["detail"] == 500;
        assert!(if site.starts_with("https") { is_by_proxy } else { is_status }, "{fetched}");
        // No other host has answered, so the failure does not count.
        assert_eq!(fetched["access"], "unknown", "{fetched}");
    }
    assert!(Path::new(&store).exists());
}
