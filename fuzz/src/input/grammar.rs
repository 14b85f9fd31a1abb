//! A small grammar of robots.txt files and URLs with few words, so that rules often match, tie or
//! almost match.

use arbitrary::{Result, Unstructured};

use super::{Asker, Question};

/// Chooses a question.
pub(super) fn question(choices: &mut Unstructured<'_>) -> Result<Question> {
    let row = choices.arbitrary::<u16>()?.into();
    let asker = asker(choices)?;
    let url = url_text(choices)?;
    let robots = robots_text(choices)?;
    Ok(Question { asker, url, robots, row })
}

fn asker(choices: &mut Unstructured<'_>) -> Result<Asker> {
    let shape: u8 = choices.arbitrary()?;
    let mut asker = Asker {
        is_union: shape & 1 != 0,
        ignores_star: shape & 0x0E == 0x0E,
        ignores_robots: shape & 0x70 == 0x70,
        tokens: vec![word(choices, &TOKENS)?],
    };
    let further = match shape >> 6 {
        0 | 1 => 0,
        2 => 2,
        // Around the maximum number of tokens in the one-shot answer.
        _ => choices.int_in_range(13..=17)?,
    };
    for _ in 0..further {
        asker.tokens.push(word(choices, &TOKENS)?);
    }
    Ok(asker)
}

/// Chooses the text of a URL, or a similar text.
pub(crate) fn url_text(choices: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut url = choices.choose(&PREFIXES)?.as_bytes().to_vec();
    atoms(choices, &mut url, 12)?;
    Ok(url)
}

/// Chooses a robots.txt.
pub(crate) fn robots_text(choices: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let shape: u8 = choices.arbitrary()?;
    let end = ["\n", "\n", "\n", "\r\n", "\r"][usize::from(shape) % 5];
    let mut text = Vec::new();
    if shape.is_multiple_of(16) {
        text.extend("\u{feff}".as_bytes());
    }
    // Few names and sometimes many lines: the index of names is used above a threshold.
    let lines = if shape > 0xF0 { 80 } else { 24 };
    choices.arbitrary_loop(Some(1), Some(lines), |choices| {
        line(choices, &mut text)?;
        let odd_end = choices.ratio(1, 16)?;
        text.extend(if odd_end { choices.choose(&ENDS)?.as_bytes() } else { end.as_bytes() });
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    let encoded = match shape {
        0xE0 => utf_16(&text, u16::to_le_bytes, [0xFF, 0xFE]),
        0xE1 => utf_16(&text, u16::to_be_bytes, [0xFE, 0xFF]),
        _ => text,
    };
    Ok(encoded)
}

fn line(choices: &mut Unstructured<'_>, text: &mut Vec<u8>) -> Result<()> {
    let kind: u8 = choices.arbitrary()?;
    match kind % 16 {
        0..=3 => {
            text.extend(choices.choose(&AGENT_KEYS)?.as_bytes());
            text.extend(word(choices, &TOKENS)?.bytes());
            text.extend(choices.choose(&AGENT_TAILS)?.as_bytes());
        }
        4..=10 => {
            text.extend(choices.choose(&RULE_KEYS)?.as_bytes());
            atoms(choices, text, 8)?;
        }
        11 | 12 => {
            text.extend(choices.choose(&RECORDS)?.as_bytes());
            if choices.arbitrary()? {
                atoms(choices, text, 6)?;
            }
        }
        13 => {}
        14 => text.extend(choices.choose(&JUNK)?.as_bytes()),
        _ => {
            let length = choices.int_in_range(0..=12)?;
            text.extend(choices.bytes(length.min(choices.len()))?);
        }
    }
    Ok(())
}

/// Appends a few atoms of paths to a text.
fn atoms(choices: &mut Unstructured<'_>, text: &mut Vec<u8>, most: u32) -> Result<()> {
    choices.arbitrary_loop(Some(0), Some(most), |choices| {
        let at: u8 = choices.arbitrary()?;
        match ATOMS.get(usize::from(at) % (ATOMS.len() + 1)) {
            Some(atom) => text.extend(*atom),
            None => text.push(choices.arbitrary()?),
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })
}

fn word(choices: &mut Unstructured<'_>, words: &[&str]) -> Result<String> {
    Ok((*choices.choose(words)?).to_owned())
}

fn utf_16(text: &[u8], bytes: fn(u16) -> [u8; 2], mark: [u8; 2]) -> Vec<u8> {
    let units = String::from_utf8_lossy(text).encode_utf16().flat_map(bytes).collect::<Vec<_>>();
    [&mark[..], &units].concat()
}

const TOKENS: [&str; 16] = [
    "a",
    "b",
    "bot",
    "Robot",
    "robot/1.0",
    "Fig Tree",
    "MJ12bot",
    "",
    "*",
    "YandexBot",
    "yandex",
    "bingbot",
    "MSNBOT",
    "a-b_c",
    "é",
    "ab",
];

const AGENT_KEYS: [&str; 8] = [
    "User-agent: ",
    "User-agent: ",
    "user-agent:",
    "USERAGENT :",
    "user agent: ",
    "User-agent ",
    "User-agentx: ",
    " \tuser-agent\t:\t",
];

const AGENT_TAILS: [&str; 8] = ["", "", "", " x", "/2", ", b", " # c", ";*"];

const RULE_KEYS: [&str; 16] = [
    "Disallow: /",
    "Disallow: /",
    "Allow: /",
    "Allow: /",
    "Disallow: ",
    "Allow: ",
    "Disallow: *",
    "Allow: *",
    "disalow:/",
    "Allow /",
    "Disallow : /",
    "allowance: /",
    "disallow:\u{b}/",
    "Allow: //",
    "Disallow: %2F",
    "Disallow: /a",
];

const RECORDS: [&str; 16] = [
    "Crawl-delay: 1.5",
    "Crawl-delay: 99999",
    "Request-rate: 1/10m 1300-1659",
    "Visit-time: 1700-0459",
    "Sitemap: https://h/",
    "site-map: /",
    "Content-Usage: train-ai=n",
    "Content-Usage: /a search=y",
    "Content-Signal: search=no, ai-train=yes",
    "Content-Signal: /",
    "License: https://h/l",
    "Clean-param: a&b /",
    "Clean-param: ",
    "Host: h:80",
    "Noindex: /",
    "X-Other: ",
];

const JUNK: [&str; 8] = ["# c", " ", "\t", ": /", "junk", "two words", "<html>", "a b c"];

const ENDS: [&str; 6] = ["\n\n", "\r\r", "\r\n", "\n\r", "", "\u{85}"];

const PREFIXES: [&str; 20] = [
    "https://h/",
    "/",
    "https://h/a",
    "",
    "http://h",
    "?",
    "//h/",
    "mailto:",
    "ftp://h/",
    "HTTP:/",
    "https://u:p@h:81/",
    "file:///",
    "x://",
    "x://h/",
    "https://h;",
    "a/b?",
    "https://h/robots.txt",
    "/robots.txt",
    "data:,/",
    "http:",
];

const ATOMS: [&[u8]; 31] = [
    b"/",
    b"/",
    b"a",
    b"a",
    b"b",
    b"ab",
    b"*",
    b"*",
    b"$",
    b"?",
    b"%61",
    b"%2F",
    b"%2f",
    b"%2A",
    b"%24",
    b"%",
    b"\xC3\xA9",
    b"%C3%A9",
    b"%c3%a9",
    b"index.html",
    b"index.htm",
    b".",
    b" ",
    b"=",
    b"&",
    b";",
    b"#",
    b"robots.txt",
    b"%7e",
    b"~",
    b"\0",
];
