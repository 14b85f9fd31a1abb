//! `--proxy`: the proxy that is used, and errors.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use crate::live::site::{DISALLOW_X, answer, ok, read_head};

/// A proxy with one response to all requests, and the requests so far.
pub(crate) fn proxy(answer: String) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let (address, requests) = (listener.local_addr().unwrap(), Arc::default());
    let heard: Arc<Mutex<Vec<String>>> = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = read_head(&mut stream);
            heard.lock().unwrap().push(String::from_utf8(head).unwrap());
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, requests)
}

/// Runs the program with these environment variables and no others about proxies.
pub(crate) fn verger(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let names =
        ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    for name in names {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .args(["--store", "memory"])
        .envs(variables.iter().copied())
        .env_remove("SSL_CERT_FILE")
        .output()
        .unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const URL: &str = "http://shop.example/x";
const CHECK: [&str; 4] = ["check", "--agent", "ExampleBot", URL];

#[test]
fn all_commands_use_the_proxy() {
    for (command, code) in [
        (&CHECK[..], 1),
        (&["fetch", URL], 0),
        (&["inspect", URL], 0),
        (&["page", "--agent", "ExampleBot", "http://shop.example/y"], 0),
    ] {
        let (at, requests) = proxy(ok(DISALLOW_X));
        let output = verger(&[command, &["--proxy", &format!("http://{at}")]].concat(), &[]);
        assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
        let requests = requests.lock().unwrap();
        assert!(requests[0].starts_with("GET http://shop.example/robots.txt HTTP/1.1\r\n"));
        assert_eq!(requests.len(), if command[0] == "page" { 2 } else { 1 }, "{command:?}");
    }
}

#[test]
fn the_environment_is_used_only_on_request() {
    let (at, requests) = proxy(ok(DISALLOW_X));
    let (url, none) = (format!("http://{at}"), "http://127.0.0.1:1");
    let all: Vec<_> = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"]
        .map(|name| (name, url.as_str()))
        .to_vec();
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let site = format!("http://{closed}/x");
    let direct = ["check", "--agent", "ExampleBot", &site, "--allow-net", "127.0.0.1"];
    let output = verger(&direct, &all);
    assert!(text(&output.stdout).contains("could not connect: connection refused"), "{output:?}");
    assert!(requests.lock().unwrap().is_empty());

    let env = [&CHECK[..], &["--proxy", "env"]].concat();
    for variables in [
        &[("HTTPS_PROXY", url.as_str())][..],
        &[("https_proxy", &url)],
        &[("HTTPS_PROXY", &url), ("https_proxy", none)],
        &[("HTTPS_PROXY", ""), ("https_proxy", &url)],
    ] {
        let output = verger(&env, variables);
        assert_eq!(output.status.code(), Some(1), "{variables:?}: {output:?}");
        assert_eq!(std::mem::take(&mut *requests.lock().unwrap()).len(), 1, "{variables:?}");
    }
    for variables in [&[][..], &[("HTTPS_PROXY", "")], &[("HTTP_PROXY", &url), ("ALL_PROXY", &url)]]
    {
        let output = verger(&env, variables);
        let expected = "error: could not use `--proxy env`: expected the environment variable `HTTPS_PROXY` \
                        or `https_proxy`, but found neither\n\nhint: `--proxy URL` names a proxy\n";
        assert_eq!((text(&output.stderr).as_str(), output.status.code()), (expected, Some(2)));
    }
    let output = verger(&env, &[("HTTPS_PROXY", "socks5://u:secret@127.0.0.1:1")]);
    let expected = "error: could not use the environment variable `HTTPS_PROXY`: expected the scheme \
                    `http`\n\nhint: a proxy with an `http` URL serves https sites as well; others \
                    are not supported\n";
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), (expected, Some(2)));
}

#[test]
fn an_invalid_proxy_is_an_error_that_does_not_show_it() {
    for (url, expected) in [
        ("", "expected a URL such as `http://proxy.example:3128`"),
        ("u:secret@proxy.example:3128", "expected a URL such as `http://proxy.example:3128`"),
        ("https://u:secret@proxy.example:3128", "expected the scheme `http`"),
        ("http://u:secret@proxy.example", "missing the port"),
        ("http://u:secret@proxy.example:1/x", "expected nothing after the port"),
        (
            "http://u:secret%0A@proxy.example:1",
            "expected a user without a colon, and no control characters",
        ),
    ] {
        let output = verger(&[&CHECK[..], &["--proxy", url]].concat(), &[]);
        let message = text(&output.stderr);
        assert!(
            message.starts_with(&format!("error: could not use `--proxy`: {expected}\n\nhint: ")),
            "{message}"
        );
        assert!(!message.contains("secret"), "{message}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    }
    // Offline, no proxy is needed.
    let output = verger(&[&CHECK[..], &["--proxy", "env", "--offline"]].concat(), &[]);
    assert!(!text(&output.stderr).contains("could not use"), "{output:?}");
}

#[test]
fn a_rejection_by_the_proxy_is_not_a_failure_of_the_site() {
    let wanted = answer("407 Proxy Authentication Required", "Proxy-Authenticate: Basic\r\n", "");
    let filtered = answer("403 Filtered", "", "");
    let credentials =
        "`--proxy http://user:password@host:port` sends a user and password to the proxy";
    let rights = "the proxy may restrict its users, sites and ports";
    for (response, url, message, detail, hint) in [
        (
            &wanted,
            URL,
            "the proxy requires a valid user and password (status 407)",
            407,
            credentials,
        ),
        (
            &wanted,
            "https://shop.example/x",
            "the proxy requires a valid user and password (status 407)",
            407,
            credentials,
        ),
        (&filtered, URL, "the proxy rejected the request (status 403)", 403, rights),
        (
            &filtered,
            "https://shop.example/x",
            "the proxy rejected the request (status 403)",
            403,
            rights,
        ),
    ] {
        let (at, _) = proxy(response.clone());
        let by = format!("http://u:secret@{at}");
        let command = ["check", "--agent", "ExampleBot", url, "--proxy", &by];
        let output = verger(&command, &[]);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(err.starts_with("error: 1 of 1 URLs could not be answered\n"), "{err}");
        assert!(out.contains(message) && err.contains(hint), "{out}{err}");
        let output = verger(&[&command[..], &["--format", "json"]].concat(), &[]);
        let answers: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let decision = &answers[0]["decision"];
        let expected = serde_json::json!({ "status": detail });
        assert_eq!(decision["failure"]["kind"], "proxy", "{decision}");
        assert_eq!(decision["failure"]["detail"], expected, "{decision}");
        assert_eq!(answers[0]["allowed"], false);
        assert!(!(out + &err + &answers.to_string()).contains("secret"));
    }
}

#[test]
fn an_unreachable_proxy_is_named_in_the_error() {
    let output = verger(&[&CHECK[..], &["--proxy", "http://127.0.0.1:1"]].concat(), &[]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("could not connect to the proxy: connection refused"), "{out}");
    assert!(err.contains("hint: `--proxy` sets the host and port of the proxy"), "{err}");
    assert!(out.starts_with("disallow  ") && out.contains("  not answered: "), "{out}");
    assert_eq!(output.status.code(), Some(2));
}
