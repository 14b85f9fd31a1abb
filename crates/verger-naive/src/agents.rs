//! Names to find in the groups for a crawler.

use super::lines::is_white;

/// The names to find for a crawler (REP-AMB-13): each token of the chain, or its words if it is not
/// a token.
pub(crate) fn names(tokens: &[&str]) -> Vec<String> {
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

/// The words of a header; those in parentheses come first.
fn words(header: &str) -> Vec<String> {
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    let mut word = String::new();
    let mut depth = 0;
    let mut is_first = true;
    // A final blank ends the last word.
    for c in header.chars().chain([' ']) {
        if !c.is_ascii() || !separates(c as u8) {
            word.push(c);
            continue;
        }
        if depth > 0 {
            inside.extend(products(&word));
        } else if !word.is_empty() {
            if is_first {
                outside.extend(first_name(&word));
            }
            is_first = false;
            outside.extend(products(&word));
        }
        word.clear();
        if c == '(' {
            depth += 1;
        } else if c == ')' && depth > 0 {
            depth -= 1;
        }
    }
    // Further words of a header are ignored.
    inside.truncate(256);
    outside.truncate(256);
    inside.append(&mut outside);
    inside
}

/// The name at the start of a first word, if the word has characters that a product token cannot
/// have.
fn first_name(word: &str) -> Option<String> {
    if word.contains('@') || word.contains("://") {
        return None;
    }
    let name: String = word.chars().take_while(|c| !"/*#".contains(*c)).collect();
    if name.chars().all(is_legal) || !name.chars().all(|c| c.is_ascii_graphic()) {
        None
    } else {
        not_shared(&name)
    }
}

/// The names in a word; none in URLs and email addresses.
fn products(word: &str) -> Vec<String> {
    let mut text = word.to_owned();
    if text.contains('@') {
        return Vec::new();
    }
    if let Some(at) = text.find("://") {
        text.truncate(at);
        while text.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            text.pop();
        }
        // The text before the scheme is a separator, or part of it.
        text.pop();
    }
    let mut names = Vec::new();
    for run in text.split(|c| "+*#\"'`<>|=[]{}\\:".contains(c)) {
        let parts: Vec<&str> = run.split('/').collect();
        for (at, part) in parts.iter().enumerate() {
            let has_letters_only = part.chars().all(|c| c.is_ascii_alphabetic());
            // A number is a product only if it has a version.
            let has_version = parts.get(at + 1).is_some_and(|version| !version.is_empty());
            let is_number = !part.contains(|c: char| !c.is_ascii_digit() && !"._".contains(c));
            let is_name = part.chars().all(is_legal)
                && (at == 0 || has_letters_only)
                && (has_version || !is_number);
            if is_name {
                names.extend(not_shared(part));
            }
        }
    }
    names
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

fn not_shared(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let is_shared = SHARED_NAMES.split(' ').any(|shared| shared == lower);
    if name.is_empty() || is_shared { None } else { Some(name.to_owned()) }
}

fn separates(byte: u8) -> bool {
    is_white(byte) || b"\r\n\0();,".contains(&byte)
}

/// Names of browsers, systems and devices, separated by blanks: REP-AMB-13 makes them data.
const SHARED_NAMES: &str = ".net 5x aarch64 amd64 android apple applewebkit arm arm64 armv7l armv8l build chrome \
    chromium clr compatible cpu crios cros debian edg edga edge edgios en en-gb en-us fedora \
    firefox freebsd fxios gecko headlesschrome i386 i586 i686 intel ios ipad iphone ipod \
    khtml like linux mac mac_powerpc macintosh macos mobile mozilla msie netbsd nexus nt \
    openbsd opera opr os pixel ppc presto rv safari samsungbrowser sv1 tablet touch trident \
    u ubuntu version vivaldi webkit win32 win64 windows wow64 wv x x11 x64 x86 x86_64 \
    yabrowser";
