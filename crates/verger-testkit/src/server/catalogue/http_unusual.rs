//! Unusual but harmless responses of real servers (H301 to H307), and one that only looks harmless.
//! These entries were written for Verger.

use crate::server::{RULES, Script, ScriptedResponse, gzip, zlib};

use super::entry::{Attack, rules};
use super::expect::{Claim, Class};

pub(super) fn entries() -> Vec<Attack> {
    let rules_as = |id, what: &str, coding: &str, body: &[u8]| {
        let answer = ScriptedResponse::new(200).field("Content-Encoding", coding).body(body);
        Attack::http(id, what, answer.script(), &[Class::Rules]).claim(Claim::Body(rules()))
    };
    let padded = [gzip(RULES), vec![0; 512]].concat();
    let nothing = ScriptedResponse::new(200).field("Content-Encoding", "br").body(b"");
    let folded = b"HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\n\tc\r\nContent-Length: 27\r\n\r\n";
    vec![
        Attack::http("H301", "no byte that is called brotli", nothing.script(), &[Class::Rules])
            .claim(Claim::Body(Vec::new())),
        rules_as("H302", "a coding called none", "none", RULES),
        rules_as("H303", "a charset for a coding", "UTF-8", RULES),
        rules_as("H304", "zlib, called deflate", "deflate", &zlib(RULES)),
        rules_as("H305", "gzip filled up with zeros", "gzip", &padded),
        Attack::http(
            "H306",
            "a field folded twice",
            Script::text(folded).then_text(RULES),
            &[Class::Rules],
        )
        .claim(Claim::Body(rules())),
        Attack::http(
            "H307",
            "status 202 without a body",
            ScriptedResponse::new(202).script(),
            &[Class::Unreachable],
        )
        .elsewhere("google", Class::Rules)
        .elsewhere("google-old", Class::Rules)
        .elsewhere("yandex", Class::Allow),
    ]
}
