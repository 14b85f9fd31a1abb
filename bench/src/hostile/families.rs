//! Families: a hostile line repeated up to the size limit, and a URL of 8 KiB.
//!
//! Each tests one operation that may be slow in a matcher or a parser. The entries of the testkit
//! are small and many; these are large and specific.

use verger_testkit::hostile::{LIMIT, ORIGIN};

use super::cases::Case;

/// Length of the path, in bytes.
const PATH: usize = 8192;

/// All families.
pub(crate) fn all() -> Vec<Case> {
    let mut all = literals();
    all.extend(successors());
    all.extend(normal_forms());
    all.extend(cheap_rules());
    all.extend(tables());
    all.extend(extensions());
    all.extend(expensive_literals());
    for (number, case) in (1..).zip(&mut all) {
        case.name = format!("F{number:02} {}", case.name);
    }
    all
}

/// Lines for everybody up to the size limit, and a path.
fn family(name: impl Into<String>, line: impl Fn(usize) -> String, path: impl AsRef<str>) -> Case {
    filled(name, "user-agent:*\n", line, path)
}

fn filled(
    name: impl Into<String>,
    head: &str,
    line: impl Fn(usize) -> String,
    path: impl AsRef<str>,
) -> Case {
    let mut robots = head.to_owned();
    for number in 0.. {
        let line = line(number);
        if robots.len() + line.len() > LIMIT {
            break;
        }
        robots.push_str(&line);
    }
    let url = format!("{ORIGIN}/{}", path.as_ref());
    Case { name: name.into(), robots: robots.into_bytes(), urls: vec![url.into_bytes()] }
}

/// A text repeated up to a length in bytes.
fn run(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

/// Literals that do not occur.
fn literals() -> Vec<Case> {
    let mut all = vec![
        family("a byte that is not there", |_| "allow:*b\n".into(), run("a", PATH)),
        family("the shortest rules, without colon", |_| "allow *b\n".into(), run("a", PATH)),
        family("two bytes, the first everywhere", |_| "allow:*ab\n".into(), run("a", PATH)),
        family("16 stars", |_| format!("allow:{}b\n", "*a".repeat(16)), run("a", PATH)),
        family("8 000 stars", |_| format!("allow:{}b\n", "*a".repeat(8000)), run("a", PATH)),
    ];
    // Searches for rare bytes first use a table of typical frequencies: `z` is rare, `e` is not.
    for length in [2, 8, 31, 64, 1000] {
        let literal = run("z", length);
        all.push(family(
            format!("{length} rare bytes everywhere and a common one nowhere"),
            |_| format!("allow:*{literal}e\n"),
            run("z", PATH),
        ));
        all.push(family(
            format!("{length} rare bytes everywhere, one less before each common one"),
            |_| format!("allow:*{literal}e\n"),
            run(&format!("{}e", run("z", length - 1)), PATH),
        ));
    }
    // The path contains every word of twelve letters over two, so only longer literals are absent.
    let path = de_bruijn(12).repeat(2);
    let absent = absent_words(&path, 13);
    all.push(family(
        "13 letters over two, all shorter words there",
        |number| format!("allow:*{}\n", absent[number % absent.len()]),
        &path,
    ));
    // Each block of the path differs from the word only in its last octets.
    for word in ["abbabaabbaab", "abbabaabbaababbabaababbabaabbab"] {
        all.push(family(
            format!("{} letters over two, another one wrong in each of its places", word.len()),
            |_| format!("allow:*{word}\n"),
            nearly(word),
        ));
    }
    // Words of three octets each, longer than a vector: escapes make patterns and paths long.
    for (what, octet, other, count) in [
        ("escaped marks", "|", "}", 43),
        ("escaped marks", "|", "}", 85),
        ("letters", "a", "b", 64),
        ("letters", "a", "b", 128),
    ] {
        all.push(family(
            format!("{count} {what}, another one wrong in each place"),
            |_| format!("allow:*{}\n", octet.repeat(count)),
            run(&format!("{}{other}", octet.repeat(count - 1)), PATH),
        ));
    }
    all.push(family(
        "86 escaped marks everywhere and another one nowhere",
        |_| format!("allow:*{}}}\n", "|".repeat(86)),
        run("|", PATH),
    ));
    // The index of a policy files all rules by `abcd`, which occurs everywhere.
    all.push(family(
        "an index that leads to all rules, which nearly match",
        |number| format!("allow:*abcd*{}*{}\n", "|".repeat(43), key(number).to_uppercase()),
        "abcdaanq".repeat(12) + &run(&format!("{}}}", "|".repeat(42)), PATH - 96),
    ));
    // Found by lattice reduction: for the multiplier of a case-folding rolling hash modulo 2^64,
    // this word and 24 times `m` collide. A former search of targets by this hash took eight
    // seconds.
    let word = "pnpjmnmnnlpmoipkjlmoomko";
    let run_of_m = run("m", 4000);
    all.push(family(
        "an escaped literal with the hash of every window",
        |_| format!("allow:*%6D{run_of_m}{word}\n"),
        run("m", PATH),
    ));
    all.push(family(
        "a literal with the hash of every window of an escaped path",
        |_| format!("allow:*{run_of_m}{word}\n"),
        format!("%61{}", run("m", PATH - 3)),
    ));
    all
}

/// Literals that are expensive for one search algorithm, near the thresholds between algorithms.
fn expensive_literals() -> Vec<Case> {
    // Too long for comparison with blocks of a text, and so short that memmem compares at every
    // position.
    let mut all: Vec<Case> = [16, 17, 24, 32]
        .map(|count| {
            let literal = run("a", count);
            let nearly = format!("{}b", run("a", count - 1));
            family(
                format!("{count} letters, another one wrong in each place"),
                |_| format!("allow:*{literal}\n"),
                run(&nearly, PATH),
            )
        })
        .into();
    // A policy stores equivalent rules once, so these differ.
    let (literal, nearly) = (run("a", 24), format!("{}b", run("a", 23)));
    all.push(family(
        "24 letters, another one wrong in each place, and something else in each rule",
        |number| format!("allow:*{literal}*{number}\n"),
        run(&nearly, PATH),
    ));
    // An index finds thousands of occurrences, all before the position or far after it, and blocks
    // do not exclude them.
    for (count, gap) in [(2, 1500), (3, 1500), (4, 1500), (6, 400), (6, 1000)] {
        let literal = run("a", count);
        let nearly = run(&format!("{}b", run("a", count - 1)), gap);
        let piece = format!("b{nearly}b{literal}");
        let before = format!("{}c", run("a", PATH / 2));
        let times = (PATH - before.len()) / piece.len();
        all.push(family(
            format!("{count} letters {times} times, far apart, and before that everywhere"),
            |_| format!("allow:*c{}d\n", format!("*{literal}").repeat(times)),
            format!("{before}{}", piece.repeat(times)),
        ));
    }
    all.push(family(
        "two letters far away, and from there on everywhere",
        |_| "allow:*aa*aabc\n".into(),
        format!("{}{}", run("ab", PATH / 2), run("a", PATH / 2)),
    ));
    all
}

/// Literals that occur, but not after the one before them.
fn successors() -> Vec<Case> {
    [2, 8, 31]
        .map(|length| {
            let literal = format!("{}e", run("z", length));
            let before = literal.repeat(3);
            family(
                format!("three literals, the second of {length} rare bytes far away"),
                |_| format!("allow:*x*{literal}*w\n"),
                format!("{before}x{}e", run("z", PATH - before.len() - 2)),
            )
        })
        .into()
}

/// Paths and patterns that are not in normal form.
fn normal_forms() -> Vec<Case> {
    let mut all = Vec::new();
    for (what, path) in [
        ("one escaped letter in the path", format!("%61{}", run("a", PATH - 3))),
        ("a path of escaped letters", run("%61", PATH)),
        ("a path of spaces", run(" ", PATH)),
        ("a path of letters beyond ASCII", run("é", PATH)),
    ] {
        all.push(family(what, |_| "allow:*b\n".into(), &path));
        all.push(family(format!("{what}, end anchored"), |_| "allow:*b$\n".into(), &path));
    }
    for (what, rule) in [
        ("an escaped letter in each rule", "allow:*%62\n"),
        ("an escape in lower case in each rule", "allow:*%aa\n"),
        ("a letter beyond ASCII in each rule", "allow:*é\n"),
        ("a brace in each rule", "allow:*{\n"),
        ("an index page in each rule", "allow:*b/index.htm\n"),
        ("an index page beyond ASCII in each rule", "allow:*é/index.htm\n"),
    ] {
        all.push(family(what, |_| rule.into(), run("a", PATH)));
    }
    let prefix = run("%61", 6000);
    all.push(family(
        "long escaped prefixes that almost match",
        |_| format!("allow:/{prefix}b\n"),
        run("a", PATH),
    ));
    all
}

/// The maximum number of rules.
fn cheap_rules() -> Vec<Case> {
    vec![
        family("rules that all match", |_| "allow:/\n".into(), run("a", PATH)),
        family("stars that all match", |_| "allow *\n".into(), run("a", PATH)),
        family("rules that say nothing", |_| "allow:\n".into(), run("a", PATH)),
        family(
            "long prefixes that almost match",
            |_| format!("allow:/{}b\n", run("a", PATH - 1)),
            run("a", PATH),
        ),
    ]
}

/// The maximum memory per byte.
fn tables() -> Vec<Case> {
    [
        ("groups without an agent, with an empty rule", "useragent:\nallow:\n"),
        ("groups with a name and an empty rule", "useragent:a\nallow:\n"),
        ("groups of the crawler that asks", "useragent:FooBot\nallow:/\n"),
        ("agents without names", "useragent:\n"),
        ("agents of one letter", "useragent:a\n"),
        ("agents without colon", "useragent a\n"),
    ]
    .map(|(what, line)| filled(what, "", |_| line.into(), "x"))
    .into()
}

/// Records other than rules.
fn extensions() -> Vec<Case> {
    let alphabet = "a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z";
    vec![
        filled(
            "one Content-Usage line of different keys",
            "user-agent:*\ncontent-usage:a",
            |number| format!(",{}", key(number)),
            "x",
        ),
        filled(
            "one Content-Signal line",
            "user-agent:*\ncontent-signal:a=b",
            |_| ",a=b".into(),
            "x",
        ),
        family("Content-Usage lines", |_| "content-usage:/*b a=y\n".into(), run("a", PATH)),
        family(
            "Clean-param lines against parameters",
            |_| format!("clean-param:{alphabet}\n"),
            format!("?{}", run("1&", PATH)),
        ),
        family("sitemaps", |number| format!("sitemap:{number:x}\n"), "x"),
        family("junk", |_| "x\n".into(), "x"),
    ]
}

/// The key of a dictionary with this number.
fn key(number: usize) -> String {
    let mut rest = number;
    let mut key = String::new();
    loop {
        key.push(char::from(b"abcdefghijklmnopqrstuvwxyz"[rest % 26]));
        rest /= 26;
        if rest == 0 {
            return key;
        }
    }
}

/// A text over two letters that contains every word of a length once: the letter `b` before `a`.
fn de_bruijn(length: u32) -> String {
    let words = 1_usize << length;
    let mut seen = vec![false; words];
    let mut text = run("a", length as usize);
    let mut word = 0;
    seen[0] = true;
    loop {
        let next = |letter: usize| (word << 1 | letter) & (words - 1);
        let Some(letter) = [1, 0].into_iter().find(|&letter| !seen[next(letter)]) else {
            return text;
        };
        word = next(letter);
        seen[word] = true;
        text.push(if letter == 1 { 'b' } else { 'a' });
    }
}

/// A word repeated, with a different wrong letter each time.
fn nearly(word: &str) -> String {
    let mut path = Vec::new();
    for time in 0..PATH / word.len() {
        let start = path.len();
        path.extend(word.bytes());
        path[start + time * 7 % word.len()] ^= b'a' ^ b'b';
    }
    String::from_utf8(path).expect("letters")
}

/// The words of a length over two letters that a text does not contain.
fn absent_words(text: &str, length: u32) -> Vec<String> {
    (0..1_u32 << length)
        .map(|word| (0..length).map(|bit| if word >> bit & 1 == 1 { 'b' } else { 'a' }).collect())
        .filter(|word: &String| !text.contains(&**word))
        .collect()
}
