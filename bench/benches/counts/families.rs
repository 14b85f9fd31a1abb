//! The worst inputs in any size: a repeated line, and a path.
//!
//! Twice the bytes, or a path of twice the length, may cost twice the instructions, but not four
//! times. The bench `hostile` measures times at the size limit, for more inputs.

use verger::{Policy, Robots};

use crate::inputs::AGENT;

/// Length of the shorter text, in bytes: enough expensive rules for an index of the path, whose
/// cost does not depend on their number.
const TEXT: usize = 96 * 1024;

/// Length of the shorter path, in bytes.
const PATH: usize = 2 * 1024;

/// A text and a URL.
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) url: String,
}

/// The same, parsed.
pub(crate) struct Parsed {
    pub(crate) robots: Robots,
    pub(crate) url: String,
}

/// The same, compiled.
pub(crate) struct Compiled {
    pub(crate) policy: Policy,
    pub(crate) url: String,
}

impl From<Asked> for Parsed {
    fn from(asked: Asked) -> Self {
        Self { robots: Robots::parse(&asked.text), url: asked.url }
    }
}

impl From<Asked> for Compiled {
    fn from(asked: Asked) -> Self {
        Self { policy: Robots::parse(&asked.text).policy(AGENT), url: asked.url }
    }
}

/// A text and a URL of the usual size.
pub(crate) fn once<T: From<Asked>>(family: &str) -> T {
    asked(family, TEXT, PATH).into()
}

/// A text twice as long.
pub(crate) fn text<T: From<Asked>>(family: &str) -> T {
    asked(family, 2 * TEXT, PATH).into()
}

/// A URL twice as long.
pub(crate) fn url<T: From<Asked>>(family: &str) -> T {
    asked(family, TEXT, 2 * PATH).into()
}

fn asked(family: &str, bytes: usize, path: usize) -> Asked {
    let run = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    let (line, path): (Box<dyn Fn(usize) -> String>, String) = match family {
        "absent-byte" => (Box::new(|_| "allow:*b\n".into()), run("a", path)),
        "sixteen-stars" => {
            (Box::new(move |_| format!("allow:{}b\n", run("*a", 32))), run("a", path))
        }
        "near-misses" => (
            Box::new(move |_| format!("allow:*{}e\n", run("z", 31))),
            run(&format!("{}e", run("z", 30)), path),
        ),
        "distinct-words" => (Box::new(|at| format!("allow:*w{at}x\n")), run("w1w2w3", path)),
        "distinct-grams" => {
            (Box::new(|at| format!("disallow:/*a{at:04}b*c\n")), run("a0001b/", path))
        }
        "escaped-path" => (Box::new(|at| format!("allow:*{at}b\n")), run("%61", path)),
        "escaped-rules" => (Box::new(|at| format!("allow:*%62{at}\n")), run("a", path)),
        "nested-prefixes" => {
            (Box::new(|at| format!("allow:/{}b\n", run("a", at % 1_000))), run("a", path))
        }
        "shrinking-prefixes" => {
            let longest = (2 * bytes).isqrt();
            (
                Box::new(move |at| format!("allow:/{}\n", run("a", longest.saturating_sub(at)))),
                run("a", path),
            )
        }
        "one-octet-differs" => {
            let length = bytes.isqrt();
            let line = move |at: usize| {
                let alike = run("a", length.saturating_sub(at + 1));
                format!("allow:/{alike}b{}\n", run("a", at))
            };
            (Box::new(line), run("a", path))
        }
        "all-match" => (Box::new(|_| "allow:/\n".into()), run("a", path)),
        "stars-everywhere" => {
            (Box::new(|at| format!("allow:/{}*x\n", run("a", at % 100))), run("a", path))
        }
        "many-groups" => {
            (Box::new(|at| format!("user-agent:a{at}\nallow:/{at}\n")), run("a", path))
        }
        "agents-that-ask" => (Box::new(|_| "user-agent:GPTBot\nallow:/\n".into()), run("a", path)),
        "junk" => (Box::new(|_| "x\n".into()), run("a", path)),
        other => unreachable!("no family `{other}`"),
    };
    let mut text = String::from("user-agent:*\n");
    for at in 0.. {
        let line = line(at);
        if text.len() + line.len() > bytes {
            break;
        }
        text.push_str(&line);
    }
    Asked { text, url: format!("https://shop.example/{path}") }
}
