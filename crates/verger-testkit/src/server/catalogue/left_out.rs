//! Rows without an entry.

/// Rows of the four layers without an entry, each with the reason.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("H026", "SHA-1 signature: ring makes none, so the handshake would fail for another reason"),
    (
        "H027",
        "RSA key of 512 bits: ring makes none, so the handshake would fail for another reason",
    ),
    ("H029", "renegotiation: rustls never asks for it, and a hand-made one needs its own TLS 1.2"),
    ("N092", "answer for another name: the wire format is the resolver library's"),
    ("N093", "wrong id: the wire format is the resolver library's"),
    ("N094", "compressed name in a loop: the wire format is the resolver library's"),
    ("N114", "NSEC3 loop: the wire format is the resolver library's"),
    ("N115", "costly name compression: the wire format is the resolver library's"),
    ("N116", "http_proxy: the environment belongs to a process of its own"),
    ("N117", "ALL_PROXY: the environment belongs to a process of its own"),
    ("N118", "NO_PROXY: the environment belongs to a process of its own"),
    ("N119", "no resolv.conf: the resolver is injected here"),
    ("N120", "a resolv.conf of 10 MB: the resolver is injected here"),
];
