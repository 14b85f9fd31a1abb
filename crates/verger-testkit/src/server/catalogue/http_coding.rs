//! Content codings (H075 to H094).

use crate::server::{
    RULES, Script, ScriptedResponse, brotli, deflate, gzip, gzip_bomb, gzip_with, written, zstd,
};

use super::entry::{Attack, rules};
use super::expect::{Claim, Class};

/// At most one coding is decoded; an undecodable body disallows.
const NEVER: &[Class] = &[Class::Unreachable];
const EITHER: &[Class] = &[Class::Rules, Class::Unreachable];
const EMPTY: &[Class] = &[Class::Rules];
const CUT: &[Class] = &[Class::RulesTruncated];

/// Flags in the head of a gzip member.
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;

pub(super) fn entries() -> Vec<Attack> {
    let mut all = bombs();
    all.extend(damaged());
    all.extend(labels());
    let rules_twice: Vec<u8> = gzip(b"User-agent: *\n")
        .into_iter()
        .chain((1..1000).flat_map(|_| gzip(b"Disallow: /x\n")))
        .collect();
    let mut members = b"User-agent: *\n".to_vec();
    members.extend(b"Disallow: /x\n".repeat(999));
    all.push(
        coded("H083", "gzip of a thousand members", "gzip", &rules_twice, EITHER)
            .claim(Claim::Body(members)),
    );
    let mut extra = u16::MAX.to_le_bytes().to_vec();
    extra.extend(b"\0".repeat(u16::MAX.into()));
    for (id, what, flags, fields) in [
        ("H092", "gzip with an extra field of 64 KB", FEXTRA, extra),
        ("H093", "gzip with a line feed in its file name", FNAME, b"a\nb\0".to_vec()),
    ] {
        let body = gzip_with(flags, &fields, RULES);
        all.push(coded(id, what, "gzip", &body, EITHER).claim(Claim::Body(rules())));
    }
    all
}

fn bombs() -> Vec<Attack> {
    let bomb = |coding: &str, script: Script| {
        ScriptedResponse::new(200).field("Content-Encoding", coding).head().then_all(script)
    };
    let twice = gzip(&written(&gzip_bomb(100)));
    let mut nested = rules();
    for _ in 0..5 {
        nested = gzip(&nested);
    }
    let brotli_bomb = brotli(&vec![b'#'; 16 * 1024 * 1024]).unwrap_or_default();
    vec![
        Attack::http(
            "H075",
            "gzip of 100 KB that becomes 100 MB",
            bomb("gzip", gzip_bomb(100)),
            CUT,
        ),
        Attack::http(
            "H076",
            "gzip of 10 MB that becomes 10 GB",
            bomb("gzip", gzip_bomb(10_240)),
            CUT,
        ),
        coded(
            "H077",
            "a gzip bomb in gzip, named once: undone once",
            "gzip",
            &twice,
            &[Class::Rules, Class::Unreachable],
        )
        .claim(Claim::Body(written(&gzip_bomb(100)))),
        coded("H078", "gzip twice", "gzip, gzip", &gzip(&gzip(RULES)), NEVER),
        coded("H079", "gzip five times", "gzip, gzip, gzip, gzip, gzip", &nested, NEVER),
        coded(
            "H080",
            "brotli of some bytes that becomes 16 MB",
            "br",
            &brotli_bomb,
            &[Class::RulesTruncated, Class::Unreachable],
        ),
        coded(
            "H081",
            "zstd with a window of 2 GiB",
            "zstd",
            &zstd(21, RULES),
            &[Class::Unreachable, Class::Rules],
        )
        .claim(Claim::Body(rules())),
    ]
}

fn damaged() -> Vec<Attack> {
    let whole = gzip(RULES);
    let mut wrong_sum = whole.clone();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    let mut only_head = whole[..10].to_vec();
    only_head.extend_from_slice(RULES);
    vec![
        coded("H084", "gzip without its last bytes", "gzip", &whole[..whole.len() - 12], NEVER),
        coded("H085", "gzip with a wrong checksum", "gzip", &wrong_sum, NEVER),
        coded("H086", "the head of gzip on plain text", "gzip", &only_head, NEVER),
        coded("H087", "plain text that is called gzip", "gzip", RULES, NEVER),
        coded("H094", "no byte that is called gzip", "gzip", b"", EMPTY),
    ]
}

fn labels() -> Vec<Attack> {
    let br = brotli(RULES).unwrap_or_default();
    let many = ["identity"; 1000].join(", ");
    vec![
        coded("H082", "deflate without the frame of zlib", "deflate", &deflate(RULES), EITHER)
            .claim(Claim::Body(rules())),
        coded("H088", "an unknown coding", "foo", RULES, NEVER),
        coded("H089", "brotli, which need not be asked for", "br", &br, EITHER)
            .claim(Claim::Body(rules())),
        coded("H090", "a thousand codings", &many, RULES, NEVER),
        coded("H091", "gzip by its old name", "x-gzip", &gzip(RULES), EITHER)
            .claim(Claim::Body(rules())),
    ]
}

fn coded(id: &'static str, what: &str, coding: &str, body: &[u8], classes: &[Class]) -> Attack {
    let answer = ScriptedResponse::new(200).field("Content-Encoding", coding).body(body);
    Attack::http(id, what, answer.script(), classes)
}
