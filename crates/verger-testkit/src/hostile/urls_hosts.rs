//! URLs for tests of host or port: addresses in every spelling, ports, names.
//!
//! The live interpretations are those of the WHATWG URL standard, as implemented by the `url` crate
//! 2.5.8. The guard of the client tests which hosts and ports are permitted, not this table.
//! Offline, hosts are ignored: the target is always `/`.

use super::entry::Entry;
use super::expect::{Live, Offline, Target};
use super::urls::entry;

use Authority::{Host, Invalid, Port};

/// A row: id, URL, authority of the request.
type Row = (&'static str, &'static str, Authority);

#[derive(Clone, Copy)]
enum Authority {
    /// This host, over http, at the default port.
    Host(&'static str),
    /// The host `h`, with this scheme and port.
    Port(&'static str, u16),
    /// None: not a URL.
    Invalid,
}

pub(super) fn entries() -> Vec<Entry> {
    [("address as host", ADDRESSES), ("port", PORTS), ("host name", NAMES)]
        .iter()
        .flat_map(|(what, rows)| rows.iter().map(|&row| form(what, row)))
        .collect()
}

fn form(what: &str, (id, url, authority): Row) -> Entry {
    let (scheme, host, port) = match authority {
        Host(host) => ("http", host, 80),
        Port(scheme, port) => (scheme, "h", port),
        Invalid => ("", "", 0),
    };
    let live = match authority {
        Invalid => Live::Invalid,
        Host(_) | Port(..) => Live::Request { scheme, host, port, target: b"/".into() },
    };
    let target = Target { rfc9309: Offline::Target(b"/".into()), google: b"/".into(), live };
    entry(id, format!("{what}: {}", url.escape_debug()), url.into(), target)
}

const ADDRESSES: &[Row] = &[
    ("U037", "http://[::1", Invalid),
    ("U038", "http://[::1]", Host("[::1]")),
    ("U039", "http://[::1]:80/", Host("[::1]")),
    ("U040", "http://[::ffff:127.0.0.1]/", Host("[::ffff:7f00:1]")),
    ("U041", "http://[fe80::1%25eth0]/", Invalid),
    ("U042", "http://[v1.x]/", Invalid),
    ("U043", "http://[]/", Invalid),
    ("U044", "http://]/", Invalid),
    ("U045", "http://h]/", Invalid),
    ("U046", "http://[1::2::3]/", Invalid),
    ("U047", "http://256.1.1.1/", Invalid),
    ("U048", "http://1.2.3.4.5/", Invalid),
    ("U049", "http://0x7f.1/", Host("127.0.0.1")),
    ("U050", "http://2130706433/", Host("127.0.0.1")),
    ("U051", "http://0177.0.0.1/", Host("127.0.0.1")),
    ("U052", "http://127.1/", Host("127.0.0.1")),
    ("U053", "http://0/", Host("0.0.0.0")),
    ("U054", "http://1.2.3.08/", Invalid),
];

const PORTS: &[Row] = &[
    ("U055", "http://h:0/", Port("http", 0)),
    ("U056", "http://h:80/", Host("h")),
    ("U057", "http://h:443/", Port("http", 443)),
    ("U058", "https://h:443/", Port("https", 443)),
    ("U059", "http://h:65535/", Port("http", 65535)),
    ("U060", "http://h:65536/", Invalid),
    ("U061", "http://h:99999999999/", Invalid),
    ("U062", "http://h:-1/", Invalid),
    ("U063", "http://h:8a/", Invalid),
    ("U064", "http://h:/", Host("h")),
    ("U065", "http://h: 80/", Invalid),
    ("U066", "http://h:080/", Host("h")),
    ("U067", "http://h:\u{668}\u{660}/", Invalid),
];

const NAMES: &[Row] = &[
    ("U083", "http://EXAMPLE.com/", Host("example.com")),
    ("U084", "http://example.com./", Host("example.com.")),
    ("U085", "http://a..b/", Host("a..b")),
    ("U086", "http://-a/", Host("-a")),
    ("U087", "http://a_b/", Host("a_b")),
    ("U088", "http://xn--/", Invalid),
    ("U089", "http://xn--example-.org/", Invalid),
    ("U090", "http://xn--a/", Invalid),
    ("U091", "http://fa\u{df}.de/", Host("xn--fa-hia.de")),
    ("U092", "http://stra\u{df}e.de/", Host("xn--strae-oqa.de")),
    ("U093", "http://exa\u{ad}mple.com/", Host("example.com")),
    ("U094", "http://\u{202e}moc/", Invalid),
    ("U095", "http://127\u{3002}0\u{3002}0\u{3002}1/", Host("127.0.0.1")),
    ("U096", "http://\u{2460}\u{2461}\u{2466}.0.0.1/", Host("127.0.0.1")),
    ("U097", "http://h\u{2100}x/", Invalid),
    ("U098", "http://\u{ff48}/", Host("h")),
    ("U099", "http://a\u{200b}.b/", Host("a.b")),
    ("U100", "http://\u{430}pple.com/", Host("xn--pple-43d.com")),
];
