//! HTTP/2 (H202 to H215).
//!
//! The server supports nothing else, so an HTTP/1.1 client finds no common protocol: unreachable.

use crate::server::{
    END_HEADERS, END_STREAM, Kind, PADDED, RULES, Script, ServerAction, Service, Setup, fields,
    frame,
};

use super::entry::{Attack, HOST, rules};
use super::expect::{Claim, Class};

const NEVER: &[Class] = &[Class::Unreachable];
const EITHER: &[Class] = &[Class::Unreachable, Class::Rules];

pub(super) fn entries() -> Vec<Attack> {
    let flood = |bytes: Vec<u8>| Script::text(settings()).then(ServerAction::Forever(bytes));
    let say = |all: &[Vec<u8>]| Script::text(settings()).then_text(all.concat()).then_never();
    let status = fields(&[(":status", "200")]);
    let head = |flags, block: &[u8]| frame(Kind::Headers, flags, 1, block);
    let good_head = || head(END_HEADERS, &status);
    let body = || frame(Kind::Data, END_STREAM, 1, RULES);
    let mut promise = 2_u32.to_be_bytes().to_vec();
    promise.extend(fields(&[(":method", "GET"), (":scheme", "https"), (":path", "/evil")]));
    let mut padded = vec![0];
    padded.extend(RULES);
    let pairs =
        [frame(Kind::Headers, END_HEADERS, 1, &status), frame(Kind::ResetStream, 0, 1, &[0; 4])];
    // Status 200, a field of 4,000 bytes that is stored in the table, then one byte for each copy
    // of it.
    let mut bomb = vec![0x88, 0x40, 1, b'a', 0x7f, 0xa1, 0x1e];
    bomb.extend([b'a'; 4000]);
    bomb.extend([0xbe; 4200]);
    vec![
        entry("H202", "settings without end", flood(settings()), NEVER),
        entry("H203", "pings without end", flood(frame(Kind::Ping, 0, 0, &[0; 8])), NEVER),
        entry("H204", "resets without end", flood(pairs.concat()), NEVER),
        entry(
            "H205",
            "continuations without end",
            Script::text(settings()).then_text(head(0, &status)).then(ServerAction::Forever(
                frame(Kind::Continuation, 0, 1, &fields(&[("x-a", "1")])),
            )),
            NEVER,
        ),
        entry(
            "H206",
            "empty data without end",
            Script::text(settings()).then_text(good_head()).then(ServerAction::Forever(frame(
                Kind::Data,
                0,
                1,
                b"",
            ))),
            NEVER,
        ),
        entry("H207", "fields of 16 MB out of 8 KB", say(&[head(END_HEADERS, &bomb)]), NEVER),
        entry("H208", "settings and nothing more", say(&[]), NEVER),
        entry("H209", "goes away first", say(&[frame(Kind::GoAway, 0, 0, &[0; 8])]), NEVER),
        entry(
            "H210",
            "promises an unrequested response",
            say(&[frame(Kind::PushPromise, END_HEADERS, 1, &promise), good_head(), body()]),
            EITHER,
        ),
        entry(
            "H211",
            "padding of no byte, which is permitted",
            say(&[good_head(), frame(Kind::Data, END_STREAM | PADDED, 1, &padded)]),
            EITHER,
        ),
        entry(
            "H212",
            "no status",
            say(&[head(END_HEADERS, &fields(&[("x-a", "1")])), body()]),
            NEVER,
        ),
        entry(
            "H213",
            "a capital in the name of a field",
            say(&[head(END_HEADERS, &fields(&[(":status", "200"), ("X-A", "1")])), body()]),
            NEVER,
        ),
        entry(
            "H214",
            "answers another stream",
            say(&[
                frame(Kind::Headers, END_HEADERS, 3, &status),
                frame(Kind::Data, END_STREAM, 3, RULES),
            ]),
            NEVER,
        ),
        entry(
            "H215",
            "trailers twice",
            say(&[
                good_head(),
                frame(Kind::Data, 0, 1, RULES),
                head(END_HEADERS | END_STREAM, &fields(&[("x-a", "1")])),
                head(END_HEADERS | END_STREAM, &fields(&[("x-a", "1")])),
            ]),
            EITHER,
        ),
    ]
}

fn settings() -> Vec<u8> {
    frame(Kind::Settings, 0, 0, b"")
}

fn entry(id: &'static str, what: &str, script: Script, classes: &[Class]) -> Attack {
    let setup = Setup::new().host(HOST).place(443, Service::Http2(script));
    Attack::new(id, format!("HTTP/2: {what}"), setup, classes.to_vec())
        .asking(format!("https://{HOST}/"))
        .claim(Claim::Body(rules()))
        .claim(Claim::NeverSent("/evil"))
}
