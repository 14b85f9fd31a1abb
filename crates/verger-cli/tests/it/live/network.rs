//! Flags about connections.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use std::io::{Read as _, Write as _};

use crate::live::site::{MEMORY, NEAR, ok, site, verger};

/// Connections to all sites of a test.
#[derive(Default)]
struct Connections {
    /// Number of open connections, and its maximum.
    count: Mutex<(usize, usize)>,
    one_more: Condvar,
}

impl Connections {
    fn most(&self) -> usize {
        self.count.lock().unwrap().1
    }

    /// Answers after `wanted` connections have been open at once.
    fn serve(&self, mut stream: TcpStream, wanted: usize) {
        let mut count = self.count.lock().unwrap();
        count.0 += 1;
        count.1 = count.1.max(count.0);
        self.one_more.notify_all();
        let too_few = |count: &mut (usize, usize)| count.1 < wanted;
        drop(self.one_more.wait_timeout_while(count, PATIENCE, too_few).unwrap());
        // A connection over the limit would arrive now.
        std::thread::sleep(Duration::from_millis(100));
        let _ = stream.read(&mut [0; 4096]).unwrap();
        // Before the answer, because the client can connect again after it.
        self.count.lock().unwrap().0 -= 1;
        stream.write_all(ok("").as_bytes()).unwrap();
    }
}

/// A signal to a process.
#[cfg(unix)]
fn signal(name: &str, process: u32) {
    let done = std::process::Command::new("kill").args([name, &process.to_string()]).status();
    assert!(done.unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_stopped_process_reads_robots_txt_once_more() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let arguments = ["check", "--agent", "ExampleBot", "--timeout", "1", NEAR[0], NEAR[1], &url];
    let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .args(["--store", MEMORY])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut first, _) = listener.accept().unwrap();
    let _ = first.read(&mut [0; 4096]).unwrap();
    signal("-STOP", process.id());
    // Longer than the time for the fetch.
    std::thread::sleep(Duration::from_secs(4));
    signal("-CONT", process.id());
    let (mut second, _) = listener.accept().unwrap();
    let _ = second.read(&mut [0; 4096]).unwrap();
    second.write_all(ok("User-agent: *\nDisallow: /x\n").as_bytes()).unwrap();
    drop(second);
    assert_eq!(process.wait().unwrap().code(), Some(1));
    let mut answer = String::new();
    process.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(answer.contains("line 2"), "{answer}");
    drop(first);
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_process_opens_its_store_later() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().canonicalize().unwrap().join("store.sqlite.lock");
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    let (site, _) = site(&[ok("")]);
    let url = format!("http://{site}/x");
    let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["check", "--agent", "ExampleBot", "--timeout", "4", NEAR[0], NEAR[1], &url])
        .arg("--store")
        .arg(folder.path().join("store.sqlite"))
        .spawn()
        .unwrap();
    let files = Path::new("/proc").join(process.id().to_string()).join("fd");
    let waits = || {
        let files = files.read_dir().into_iter().flatten().flatten();
        files.filter_map(|file| file.path().read_link().ok()).any(|path| path == lock)
    };
    while !waits() {
        std::thread::sleep(Duration::from_millis(1));
    }
    signal("-STOP", process.id());
    // Longer than the wait for the lock.
    std::thread::sleep(Duration::from_secs(6));
    signal("-CONT", process.id());
    drop(held);
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

/// Longer than the run.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sites on one address, each in a thread, that answer after `wanted` connections have been open at
/// once.
fn sites(number: usize, wanted: usize) -> (Vec<SocketAddr>, Arc<Connections>) {
    let connections = Arc::new(Connections::default());
    let sites = (0..number).map(|_| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let site = listener.local_addr().unwrap();
        let connections = Arc::clone(&connections);
        std::thread::spawn(move || {
            listener.incoming().for_each(|stream| connections.serve(stream.unwrap(), wanted));
        });
        site
    });
    (sites.collect(), connections)
}

#[test]
fn connections_to_one_address_are_limited() {
    for (flags, expected) in [(&["--max-connections-per-address", "1"][..], 1), (&[], 4)] {
        let (sites, connections) = sites(6, expected);
        let urls =
            sites.iter().map(|site| format!("http://{site}/\n")).collect::<Vec<_>>().concat();
        let arguments = ["check", "--agent", "ExampleBot", "--urls-from", "-"];
        let output = verger(Path::new(MEMORY), &[&arguments[..], &NEAR, flags].concat(), &urls);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let most = connections.most();
        assert!(most >= expected, "{most} {flags:?}");
        assert!(most <= expected, "{most} {flags:?}");
    }
}

#[test]
fn the_number_of_connections_has_bounds() {
    for number in ["0", "257", "-1", "many"] {
        let flag = format!("--max-connections-per-address={number}");
        let output = verger(Path::new(MEMORY), &["fetch", &flag, "https://shop.example"], "");
        let message = String::from_utf8(output.stderr).unwrap();
        let expected = "for '--max-connections-per-address <N>': expected a number from 1 to 256\n";
        assert!(message.contains(expected), "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}
