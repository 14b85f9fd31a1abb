//! URLs for a file: some that its rules match, some that they almost match, some common ones.

use fastrand::Rng;

/// Number of URLs for each file.
pub(crate) const PER_SITE: usize = 20;

/// URLs for the file of a host.
pub(crate) fn of(host: &str, robots: &[u8], random: &mut Rng) -> Vec<String> {
    let patterns = patterns(robots);
    let paths = (0..PER_SITE).map(|number| match patterns.len() {
        0 => any(random),
        count => {
            let pattern = patterns[random.usize(..count)];
            match number % 5 {
                0 | 1 => matching(pattern, random),
                2 => near(pattern, random),
                _ => any(random),
            }
        }
    });
    paths.map(|path| format!("https://{host}{path}")).collect()
}

/// The patterns of the rules that can be part of a URL.
fn patterns(robots: &[u8]) -> Vec<&str> {
    let lines = robots.split(|byte| matches!(byte, b'\n' | b'\r'));
    let patterns = lines.filter_map(|line| {
        let line = std::str::from_utf8(line).ok()?;
        let (key, value) = line.split_once(':')?;
        let is_rule =
            ["allow", "disallow"].iter().any(|rule| key.trim().eq_ignore_ascii_case(rule));
        let pattern = value.split('#').next()?.trim();
        let is_plain = pattern.bytes().all(|byte| byte.is_ascii_graphic());
        (is_rule && is_plain && pattern.starts_with(['/', '*'])).then_some(pattern)
    });
    patterns.collect()
}

/// A path that matches the pattern.
fn matching(pattern: &str, random: &mut Rng) -> String {
    let (body, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |body| (body, true));
    let mut path = String::new();
    for (number, literal) in body.split('*').enumerate() {
        if number > 0 {
            path.push_str(&word(random));
        }
        path.push_str(literal);
    }
    if !is_whole && random.bool() {
        path.push_str(&word(random));
        path.push_str(["", "/", ".html", "?page=2"][random.usize(..4)]);
    }
    if path.starts_with('/') { path } else { format!("/{path}") }
}

/// A path that almost matches.
fn near(pattern: &str, random: &mut Rng) -> String {
    let mut path = matching(pattern, random);
    if path.len() > 3 {
        let at = random.usize(2..path.len());
        // Patterns are ASCII.
        path.truncate(at);
        path.push_str(&word(random));
    }
    path
}

/// A path that is common on the Web.
fn any(random: &mut Rng) -> String {
    let (one, two) = (word(random), word(random));
    match random.u8(..8) {
        0 => "/".to_owned(),
        1 => format!("/{one}.html"),
        2 => format!("/search?q={one}&page=2"),
        3 => format!("/{one}/{two}/{}", random.u32(..100_000)),
        4 => format!("/{one}/%E6%97%A5/{two}"),
        5 => format!("/images/{one}-{two}.jpg?v=3"),
        6 => format!("/{one}-{two}/#top"),
        _ => format!("/{one}/{two}/index.php?id={}", random.u16(..)),
    }
}

/// A word with natural sequences of letters, so that texts compress and compare like real ones.
pub(super) fn word(random: &mut Rng) -> String {
    let syllables = 1 + usize::from(random.bool()) + usize::from(random.bool());
    (0..syllables).map(|_| SYLLABLES[random.usize(..SYLLABLES.len())]).collect()
}

const SYLLABLES: &[&str] = &[
    "ad", "ar", "ca", "cal", "co", "con", "de", "en", "ex", "for", "ge", "in", "la", "li", "log",
    "ma", "me", "min", "na", "news", "or", "pa", "pro", "re", "ro", "sea", "shop", "si", "ta",
    "tem", "ti", "tor", "use", "ver", "view", "wp",
];

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Robots;

    #[test]
    fn a_url_generated_from_a_pattern_matches_it() {
        let mut random = Rng::with_seed(5);
        for pattern in ["/a/b", "/*.pdf$", "*/x*y", "/shop/*?"] {
            let robots = Robots::parse(&format!("user-agent: *\ndisallow: {pattern}\n"));
            for _ in 0..20 {
                let path = matching(pattern, &mut random);
                assert!(!robots.check("a", &path).is_allowed(), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn patterns_that_cannot_stand_in_a_url_are_left_out() {
        let robots = "Disallow: /a # b\nallow:*c\nDisallow: d\nDisallow: /é\nSitemap: /x\n";
        assert_eq!(patterns(robots.as_bytes()), ["/a", "*c"]);
    }
}
