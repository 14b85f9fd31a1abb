//! The previous release and this one on one store, at the same time. `cargo xtask previous` builds
//! the previous one, and sets its path in `VERGER_PREVIOUS`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use verger_testkit::shared::{Lacking, skip_loudly};

/// A site that answers every request with the same rules.
fn site() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 2_048];
            let _ = stream.read(&mut head).unwrap();
            let rules = "User-agent: *\nDisallow: /private\n";
            let answer = format!(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=0\r\nContent-Length: {}\r\n\r\n{rules}",
                rules.len()
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

fn run(program: &Path, store: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).arg("--store").arg(store).output().unwrap()
}

#[test]
fn both_releases_answer_from_one_store_and_neither_damages_it() {
    let Some(previous) = std::env::var_os("VERGER_PREVIOUS") else {
        return skip_loudly(
            "two releases on one store",
            Lacking::Data,
            "VERGER_PREVIOUS is not set",
        );
    };
    let programs = [Path::new(&previous), Path::new(env!("CARGO_BIN_EXE_verger"))];
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let sites: Vec<SocketAddr> = (0..4).map(|_| site()).collect();
    thread::scope(|scope| {
        for worker in 0..4 {
            let (sites, store) = (&sites, &store);
            scope.spawn(move || {
                for round in 0..40 {
                    let program = programs[(worker + round) % 2];
                    let site = sites[(worker * 7 + round) % sites.len()];
                    let [private, public] =
                        ["private", "public"].map(|path| format!("http://{site}/{path}"));
                    let check = |url: &str| {
                        let access = ["rfc9309", "google"][round / 2 % 2];
                        let near = ["--allow-net", "127.0.0.1"];
                        let arguments = ["check", "--agent", "a", "--access", access];
                        run(program, store, &[&arguments[..], &near, &[url]].concat())
                    };
                    let (denied, allowed) = (check(&private), check(&public));
                    assert_eq!(denied.status.code(), Some(1), "{denied:?}");
                    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
                    if round % 5 == 0 {
                        let url = format!("http://{site}/");
                        let fetch = ["fetch", "--allow-net", "127.0.0.1", &url];
                        let fetched = run(program, store, &fetch);
                        assert_eq!(fetched.status.code(), Some(0), "{fetched:?}");
                    }
                }
            });
        }
    });
    let listed = run(programs[1], &store, &["cache", "list"]);
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), sites.len());
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> =
        names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.contains("damaged")), "nothing was set aside: {names:?}");
}
