//! Flags about connections.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use std::io::{Read as _, Write as _};

use crate::site::{MEMORY, NEAR, ok, verger};

/// Sites on one address that answer slowly, each in a thread, and the most that were asked at once.
fn slow_sites(count: usize) -> (Vec<SocketAddr>, Arc<AtomicUsize>) {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let serve = |mut stream: TcpStream, open: &AtomicUsize, most: &AtomicUsize| {
        most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let _ = stream.read(&mut [0; 4096]).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        // Before the answer: the client is free to connect again as soon as it has it.
        open.fetch_sub(1, Ordering::SeqCst);
        stream.write_all(ok("").as_bytes()).unwrap();
    };
    let sites = (0..count).map(|_| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let site = listener.local_addr().unwrap();
        let (open, most) = (Arc::clone(&open), Arc::clone(&most));
        std::thread::spawn(move || {
            listener.incoming().for_each(|stream| serve(stream.unwrap(), &open, &most));
        });
        site
    });
    (sites.collect(), most)
}

#[test]
fn connections_to_one_address_are_limited() {
    for (flags, expected) in [(&["--max-connections-per-address", "1"][..], 1), (&[], 4)] {
        let (sites, most) = slow_sites(6);
        let urls =
            sites.iter().map(|site| format!("http://{site}/\n")).collect::<Vec<_>>().concat();
        let arguments = ["check", "--agent", "ExampleBot", "--urls-from", "-"];
        let output = verger(Path::new(MEMORY), &[&arguments[..], &NEAR, flags].concat(), &urls);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(most.load(Ordering::SeqCst), expected, "{flags:?}");
    }
}

#[test]
fn the_number_of_connections_has_bounds() {
    for number in ["0", "257", "-1", "many"] {
        let flag = format!("--max-connections-per-address={number}");
        let output = verger(Path::new(MEMORY), &["fetch", &flag, "https://shop.example"], "");
        let told = String::from_utf8(output.stderr).unwrap();
        let expected = "for '--max-connections-per-address <N>': expected a number from 1 to 256\n";
        assert!(told.contains(expected), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
}
