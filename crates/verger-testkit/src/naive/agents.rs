//! Names that a crawler is looked for by.

use super::lines::is_white;

/// REP-AMB-13: each token of the chain, or the words in it when it is no token.
pub(super) fn names(tokens: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for token in tokens {
        let is_token = !token.bytes().any(|b| separates(b) && b != b')' || b"/*#".contains(&b));
        let words = if is_token { Vec::new() } else { words(token) };
        if words.is_empty() {
            names.push((*token).to_owned());
        }
        names.extend(words);
    }
    names
}

/// The words of a header, those in parentheses first.
fn words(header: &str) -> Vec<String> {
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    let mut word = String::new();
    let mut depth = 0;
    // A blank behind the text ends its last word.
    for c in header.chars().chain([' ']) {
        if !c.is_ascii() || !separates(c as u8) {
            word.push(c);
            continue;
        }
        let list = if depth > 0 { &mut inside } else { &mut outside };
        list.extend(product(&word));
        word.clear();
        if c == '(' {
            depth += 1;
        } else if c == ')' && depth > 0 {
            depth -= 1;
        }
    }
    inside.append(&mut outside);
    // A header has no more words that count.
    inside.truncate(256);
    inside
}

/// The name in a word; `None` for URLs, versions, and names of browsers.
fn product(word: &str) -> Option<String> {
    if word.contains(':') {
        return None;
    }
    let mut parts = word.splitn(2, '/');
    let name = parts.next().unwrap_or_default();
    let version = parts.next().unwrap_or_default();
    if name.is_empty() || name.contains(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
    {
        return None;
    }
    if version.is_empty() && !name.contains(|c: char| c.is_ascii_alphabetic() || c == '-') {
        return None;
    }
    let lower = name.to_lowercase();
    if SHARED_NAMES.split(' ').any(|shared| shared == lower) { None } else { Some(name.to_owned()) }
}

fn separates(byte: u8) -> bool {
    is_white(byte) || b"\r\n\0();,".contains(&byte)
}

/// Names of browsers, systems and devices, separated by blanks: REP-AMB-13 makes them data.
pub const SHARED_NAMES: &str = ".net 5x aarch64 amd64 android apple applewebkit arm arm64 armv7l armv8l build chrome \
    chromium clr compatible cpu crios cros debian edg edga edge edgios en en-gb en-us fedora \
    firefox freebsd fxios gecko headlesschrome i386 i586 i686 intel ios ipad iphone ipod \
    khtml like linux mac mac_powerpc macintosh macos mobile mozilla msie netbsd nexus nt \
    openbsd opera opr os pixel ppc presto rv safari samsungbrowser sv1 tablet touch trident \
    u ubuntu version vivaldi webkit win32 win64 windows wow64 wv x x11 x64 x86 x86_64 \
    yabrowser";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_version_is_read_as_a_header() {
        let compatible = "Mozilla/5.0 (compatible; GPTBot/1.2)";
        for (text, expected) in [
            ("f", "f"),
            ("f/1.0", "f"),
            ("MJ12bot/v1.4.8", "MJ12bot"),
            ("GPTBot (+https://x)", "GPTBot"),
            (compatible, "GPTBot"),
            ("a/1 (b; c) d", "b c a d"),
            ("008/1 10.0 1_2", "008"),
            ("Mozilla/5.0", "Mozilla/5.0"),
            ("*", "*"),
            (")f", ")f"),
            ("", ""),
        ] {
            assert_eq!(names(&[text]).join(" "), expected, "{text}");
        }
        assert_eq!(names(&["a/1", "b"]), ["a", "b"]);
    }
}
