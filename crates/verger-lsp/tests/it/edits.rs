//! Random edits: the state equals that of a fresh read.

use serde_json::{Value, json};

use crate::client::{Client, offset};

/// Parts of texts, hostile ones too.
const PIECES: [&str; 22] = [
    "User-agent: *\n",
    "User-agent: GPTBot\r\n",
    "Disallow: /a",
    "Disallow: /a\n",
    "Allow: /*.x$\r",
    "\r",
    "\n",
    "\r\n",
    "é",
    "😀",
    "\u{feff}",
    "\0",
    "#",
    ":",
    "*",
    "$",
    " ",
    "\u{2028}",
    "Sitemap: https://a.b/\n",
    "Crawl-delay: 5\n",
    "\u{fffd}",
    "",
];

/// A small generator of numbers (xorshift): the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// The answers about a file that depend on its whole text.
fn answers(client: &mut Client, uri: &str) -> Vec<Value> {
    ["formatting", "documentSymbol"].map(|method| client.ask_about(method, uri, None)).into()
}

#[test]
fn after_ten_thousand_random_edits_the_state_is_that_of_a_fresh_read() {
    const SESSIONS: usize = 10;
    const CHANGES: usize = 20;
    const EDITS: usize = 50;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut client = Client::new();
    for session in 0..SESSIONS {
        let uri = format!("file:///edited/{session}/robots.txt");
        let mut text = String::new();
        client.open(&uri, &text);
        for version in 0..CHANGES {
            let mut changes = Vec::new();
            for _ in 0..EDITS {
                let mut lines = [random.below(30), random.below(30)];
                lines.sort_unstable();
                // Large texts would be emptied more often than filled.
                let is_long = text.len() > 1_000;
                let [first, last] = if is_long { lines } else { [lines[0]; 2] };
                let start = json!({ "line": first, "character": random.below(12) });
                let end = json!({ "line": last, "character": random.below(16) });
                let [from, to] = [offset(&text, &start), offset(&text, &end)];
                let pieces = (0..random.below(4)).map(|_| PIECES[random.below(PIECES.len())]);
                let new: String = pieces.collect();
                if from <= to {
                    text.replace_range(from..to, &new);
                    changes.push(json!({ "range": { "start": start, "end": end }, "text": new }));
                }
            }
            client.change(&uri, i32::try_from(version).unwrap() + 2, json!(changes));
        }
        let fresh = format!("file:///fresh/{session}/robots.txt");
        let edited = answers(&mut client, &uri);
        client.open(&fresh, &text);
        assert_eq!(edited, answers(&mut client, &fresh), "session {session}: {text:?}");
        let found = [&uri, &fresh].map(|uri| {
            client.change(uri, 1_000, json!([]));
            // Those of one pass, and those of the analysis.
            let _ = client.diagnosed(uri, 1_000);
            client.diagnosed(uri, 1_000)
        });
        assert_eq!(found[0].len(), found[1].len());
        for (edited, fresh) in found[0].iter().zip(&found[1]) {
            let keys = ["range", "code", "message", "severity"];
            assert_eq!(keys.map(|key| &edited[key]), keys.map(|key| &fresh[key]));
        }
    }
    client.end();
}
