//! The default resolver, against a name server on loopback.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::UdpSocket;
use verger_fetch::net::{DnsError, DnsResolver, Resolve};

const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;

/// The answer of a server for a name: a code and addresses.
type Answers = fn(&str) -> (u8, Vec<IpAddr>);

/// Listens, and answers the first question of each message.
async fn name_server(answers: Answers) -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let at = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = [0; 1500];
        while let Ok((count, from)) = socket.recv_from(&mut buffer).await {
            socket.send_to(&reply(&buffer[..count], answers), from).await.unwrap();
        }
    });
    at
}

/// A reply (RFC 1035 section 4).
fn reply(message: &[u8], answers: Answers) -> Vec<u8> {
    let mut labels = Vec::new();
    let mut at = 12;
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8(message[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    let kind = message[at + 2];
    let question = &message[12..at + 5];
    let (code, addresses) = answers(&labels.join("."));
    let wanted: Vec<_> =
        addresses.iter().filter(|address| address.is_ipv4() == (kind == 1)).collect();

    let mut reply = vec![message[0], message[1], 0x81, 0x80 | code, 0, 1];
    reply.extend_from_slice(&u16::try_from(wanted.len()).unwrap().to_be_bytes());
    reply.extend_from_slice(&[0; 4]);
    reply.extend_from_slice(question);
    for address in wanted {
        let data = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        reply.extend_from_slice(&[0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0]);
        reply.push(u8::try_from(data.len()).unwrap());
        reply.extend_from_slice(&data);
    }
    reply
}

#[tokio::test]
async fn addresses_and_dns_errors_are_distinguished() {
    let at = name_server(|name| {
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        match name {
            "both.example" => (0, addresses(&["1.1.1.1", "2606:4700::1111"])),
            "v4.example" => (0, addresses(&["1.1.1.1", "1.1.1.2"])),
            "v6.example" => (0, addresses(&["2606:4700::1111"])),
            "none.example" => (0, Vec::new()),
            "broken.example" => (SERVFAIL, Vec::new()),
            _ => (NXDOMAIN, Vec::new()),
        }
    })
    .await;
    let resolver = DnsResolver::asking(&[at]).unwrap();
    for (name, expected) in [
        ("both.example", Ok(&["1.1.1.1", "2606:4700::1111"][..])),
        ("v4.example", Ok(&["1.1.1.1", "1.1.1.2"][..])),
        ("v6.example", Ok(&["2606:4700::1111"][..])),
        ("none.example", Err(DnsError::NoAddress)),
        ("broken.example", Err(DnsError::Failed)),
        ("missing.example", Err(DnsError::NoSuchName)),
        ("a b.example..", Err(DnsError::Failed)),
    ] {
        let mut found = resolver
            .resolve(name)
            .await
            .map(|addresses| addresses.iter().map(ToString::to_string).collect::<Vec<_>>());
        if let Ok(addresses) = &mut found {
            addresses.sort();
        }
        let expected = expected.map(|texts| texts.iter().map(|&text| text.to_owned()).collect());
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn resolver_needs_a_server() {
    assert!(DnsResolver::asking(&[]).is_err());
}
