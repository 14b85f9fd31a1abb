//! Names, resolved by a name server of the system in a network namespace (thorough suite).
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::Command;

use verger_testkit::shared::{Lacking, skip_loudly};

use crate::live::site::{DISALLOW_X, MEMORY, NEAR, ok, read_head, verger};

/// Type of a question about IPv4; the server answers no other ones.
const A: u8 = 1;

#[test]
#[ignore = "thorough suite"]
fn names_are_resolved_by_a_server_that_answers_for_ipv4_only() {
    const INSIDE: &str = "VERGER_TEST_IN_NAMESPACE";
    const TEST: &str = "live::named::names_are_resolved_by_a_server_that_answers_for_ipv4_only";
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("resolv.conf");
    // Never appended.
    std::fs::write(&conf, "nameserver 127.0.0.1\nsearch corp.example\n").unwrap();
    let set_up = "ip link set lo up && mount --bind \"$1\" /etc/resolv.conf";
    let in_namespace = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rnm", "sh", "-c", &format!("{set_up} && {then}"), "sh"]).arg(&conf);
        command
    };
    if !in_namespace("true").status().is_ok_and(|status| status.success()) {
        return skip_loudly(TEST, Lacking::Data, "a network namespace is not allowed here");
    }
    // The servers must be in the namespace, so this test runs itself there.
    let mut command = in_namespace("exec \"$2\" --ignored --exact \"$3\" --nocapture");
    command.arg(std::env::current_exe().unwrap()).arg(TEST).env(INSIDE, "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
}

fn inside() {
    let names = UdpSocket::bind("127.0.0.1:53").unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 1500];
        while let Ok((count, from)) = names.recv_from(&mut buffer) {
            if let Some(reply) = reply(&buffer[..count]) {
                names.send_to(&reply, from).unwrap();
            }
        }
    });
    let web = TcpListener::bind("127.0.0.1:80").unwrap();
    std::thread::spawn(move || {
        for stream in web.incoming() {
            let mut stream = stream.unwrap();
            read_head(&mut stream);
            stream.write_all(ok(DISALLOW_X).as_bytes()).unwrap();
        }
    });
    for host in
        ["shop.example", "my_shop.example", "-shop.example", "shop-.example", "shop.example."]
    {
        let url = format!("http://{host}/x");
        let output =
            verger(Path::new(MEMORY), &["check", "--agent", "a", NEAR[0], NEAR[1], &url], "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("by `Disallow: /x` on line 2"), "{host}: {output:?}");
    }
    // Only with the search domain does the name exist.
    let other = ["check", "--agent", "a", NEAR[0], NEAR[1], "http://other.example/x"];
    let output = verger(Path::new(MEMORY), &other, "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the host does not exist"), "{output:?}");
}

/// The reply to a question (RFC 1035 section 4): 127.0.0.1, or NXDOMAIN for names that begin with
/// `other`, except in the search domain. `None` for another type, unless the name does not exist.
fn reply(message: &[u8]) -> Option<Vec<u8>> {
    let name = message.get(12..)?;
    let end = 12 + name.iter().position(|&byte| byte == 0)?;
    let is_unknown = name.starts_with(b"\x05other\x07example\x00");
    if message.get(end + 2) != Some(&A) && !is_unknown {
        return None;
    }
    let (code, count) = if is_unknown { (3, 0) } else { (0, 1) };
    let mut reply = vec![message[0], message[1], 0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0];
    reply.extend_from_slice(message.get(12..end + 5)?);
    if !is_unknown {
        reply.extend_from_slice(&[0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    Some(reply)
}
