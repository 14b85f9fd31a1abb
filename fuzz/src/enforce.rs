//! Target `enforce`: rules of web servers.
//!
//! The intermediate form agrees with the engine. Every output is read by a tokenizer of its
//! grammar: it has known directives only, with texts in which nothing is special.

use verger::Robots;
use verger::access::Timestamp;
use verger_enforce::{Answer, Choices, Options, Plan, Target};
use verger_identity::Lists;

/// Checks the outputs for a robots.txt.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let robots = Robots::parse(bytes);
    let some = Options { agents: vec!["GPTBot".to_owned()], ..Options::default() };
    for options in [&some, &Options::default()] {
        let plan = Plan::of(&robots, options, Lists::bundled(), Timestamp::EPOCH).expect("a plan");
        assert_eq!(plan.prove(&robots).disagreement, None);
        let choices = Choices {
            answer: Answer::Status(403),
            sha256: "0",
            options: "none",
            approximate: true,
            proof: None,
            proxies: (&[], ""),
        };
        for target in Target::ALL {
            // An output can be too long.
            if let Ok(output) = plan.emit(target, &choices) {
                check(target, &output.text);
                assert_eq!(plan.emit(target, &choices).map(|it| it.text).ok(), Some(output.text));
            }
        }
    }
}

/// A token of a configuration: a word, or a quoted text.
#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
}

/// Checks that an output has known directives only.
fn check(target: Target, text: &str) {
    // The comments and the line of HAProxy with quotes inside of others contain nothing of a file.
    let is_fixed = |line: &str| {
        line.starts_with('#')
            || line.trim_start().starts_with("http-request set-var(txn.verger_path) path,")
    };
    let rules: Vec<&str> = text.lines().filter(|line| !is_fixed(line)).collect();
    let text = rules.join("\n");
    let quotes: &[(&str, &str)] = match target {
        Target::Caddy => &[("`", "`"), ("\"", "\"")],
        Target::Haproxy => &[("\"", "\""), ("'", "'")],
        Target::Varnish => &[("{\"", "\"}"), ("\"", "\"")],
        _ => &[("\"", "\"")],
    };
    let words: &[&str] = match target {
        Target::Nginx => &[
            "map",
            "default",
            "variables_hash_max_size",
            "variables_hash_bucket_size",
            "$http_user_agent",
        ],
        Target::Apache => {
            &["RewriteEngine", "On", "RewriteCond", "RewriteRule", "[NC]", "[OR]", "[F]"]
        }
        Target::Caddy => &[
            "(verger)",
            "map",
            "path_regexp",
            "verger",
            "(?s)^[/.]?(.*)$",
            "default",
            "no",
            "refused",
            "served",
            "others",
            "error",
            "403",
            "vars",
            "{http.request.header.User-Agent}",
        ],
        Target::Haproxy => &[
            "http-request",
            "acl",
            "deny",
            "deny_status",
            "403",
            "if",
            "-m",
            "reg",
            "-i",
            "bool",
            "bool(true)",
            "{",
            "}",
            "str(/)",
            "src",
            "req.fhdr(user-agent)",
            "set-var(txn.verger)",
            "set-var(txn.verger_path)",
            "set-var(txn.verger_done)",
            "set-var(txn.verger_allowed)",
            "unset-var(txn.verger_allowed)",
            "var(txn.verger)",
            "var(txn.verger_done)",
            "var(txn.verger_allowed)",
            "str(),concat(",
            "pathq,concat(",
            ",txn.verger_path)",
            "!verger_done",
            "!verger_allowed",
        ],
        Target::Anubis => &[
            "-",
            "name",
            "verger",
            "action",
            "DENY",
            "expression",
            "userAgent.matches",
            "r",
            "true",
            "false",
            "size",
            "query",
            ">",
            "0",
            "path",
            ".matches",
            "path.matches",
            "path.startsWith",
            "==",
        ],
        Target::Cloudflare => &[
            "http.user_agent",
            "matches",
            "r",
            "and",
            "or",
            "not",
            "concat",
            "raw.http.request.uri",
            "http.request.uri.path",
        ],
        _ => &[
            "sub",
            "true",
            "if",
            "else",
            "call",
            "return",
            "synth",
            "403",
            "unset",
            "set",
            "req.http.X-Verger",
            "req.http.User-Agent",
            "req.url",
            "regsub",
            "regsuball",
            "Allowed",
            "Always",
            "answered",
        ],
    };
    let is_known = |word: &str| {
        let is_own =
            |start: &str| word.strip_prefix(start).is_some_and(|rest| rest.starts_with("verger"));
        words.contains(&word)
            || ["", "$", "@", "{"].into_iter().any(is_own)
            || word.starts_with("class") && word[5..].bytes().all(|it| it.is_ascii_digit())
            || word.starts_with("path,url_dec,regsub(")
            || word.bytes().all(|it| it.is_ascii_digit())
            || word.starts_with("[S=")
    };
    let separators: &[char] = match target {
        Target::Nginx => &['{', '}', ';'],
        Target::Varnish => &['{', '}', ';', '(', ')', '~', '|', ',', '=', '+', '#'],
        Target::Anubis | Target::Cloudflare => &['(', ')', '?', ':', '+', '|', ','],
        _ => &[],
    };
    for token in tokens(&text, quotes, separators) {
        match token {
            Token::Word(word) => {
                let is_brace = target == Target::Caddy && matches!(word, "{" | "}");
                assert!(is_brace || is_known(word), "{target:?}: {word:?}");
            }
            Token::Text(text) => assert!(text.chars().all(is_plain), "{target:?}: {text:?}"),
        }
    }
}

/// Whether a character is in no set of special characters of a quoted text.
fn is_plain(character: char) -> bool {
    // The line end and the braces are those of Caddy's subject, `$` and `%{` those of nginx and
    // Apache.
    character.is_ascii_alphanumeric() || "^$()[]|?:*+.\\/%#{}~<>=!-_ ,@\n".contains(character)
}

/// The tokens of a text. Quoted texts end at the first closing quote.
fn tokens<'t>(text: &'t str, quotes: &[(&str, &str)], separators: &[char]) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|it: char| {
            it.is_ascii_whitespace()
                || separators.contains(&it)
                    && !quotes.iter().any(|(open, _)| open.len() > 1 && it == '{')
        });
        if rest.is_empty() {
            return tokens;
        }
        if let Some((open, close)) = quotes.iter().find(|(open, _)| rest.starts_with(open)) {
            let inner = &rest[open.len()..];
            let end =
                inner.find(close).unwrap_or_else(|| panic!("a quote without an end: {inner:?}"));
            tokens.push(Token::Text(&inner[..end]));
            rest = &inner[end + close.len()..];
            continue;
        }
        if rest.starts_with('{') && separators.contains(&'{') {
            rest = &rest[1..];
            continue;
        }
        let starts_quote = |at: usize| quotes.iter().any(|(open, _)| rest[at..].starts_with(open));
        let end = rest
            .char_indices()
            .find(|&(at, it)| {
                it.is_ascii_whitespace() || separators.contains(&it) || at > 0 && starts_quote(at)
            })
            .map_or(rest.len(), |(at, _)| at);
        tokens.push(Token::Word(&rest[..end]));
        rest = &rest[end..];
    }
}

/// Hostile files, as seeds.
pub(crate) const SEEDS: [&str; 8] = [
    "User-agent: *\nDisallow: /\"; } evil { \"\nDisallow: /'`\nDisallow: /a\\\nDisallow: /${x}%{y}\n",
    "User-agent: *\nDisallow: /(?#)[a-z]+|.^$*\nAllow: /\\x41\\\\\nDisallow: /\"}\nDisallow: /{\"\n",
    "User-agent: GPTBot\nDisallow: /a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p*q*r*s*t*u*v*w*x*y*z*\nAllow: /*$\n",
    "User-agent: a\"; b\nUser-agent: x.y_z-1\nUser-agent: [a]\nDisallow: /*?*=\nAllow: *%3F$\n",
    "User-agent: GPTBot\nDisallow: /*20*2x\nDisallow: *E9\nDisallow: /\u{e9}%FF*%c3%a9\nAllow: /%25%2F%3f\n",
    "User-agent: GPTBot\nDisallow: /robots.txt\nDisallow: /.well-known/\nAllow: //a/../b\n",
    "User-agent: *\nDisallow: / \u{0}x\nDisallow: /\t#\nDisallow: /\u{a0}\r\nAllow: /~\u{7f}\n",
    "User-agent: GPTBot\nDisallow: /*1*2*3*4\n",
];
