//! Small pairs of policies, and patterns to ask about.

use fastrand::Rng;
use verger::Dialect;

/// Two files that are alike, their dialects, and a pattern.
#[derive(Clone, Debug)]
pub struct SmallCase {
    /// The dialect of the first file.
    pub dialect: Dialect,
    /// A dialect with the same normal form: mostly the same one.
    pub other_dialect: Dialect,
    /// The first file.
    pub before: Vec<u8>,
    /// The second file.
    pub after: Vec<u8>,
    /// A pattern in the syntax of a rule.
    pub pattern: Vec<u8>,
}

/// Generates the case of a seed and an index: each published dialect in turn.
pub fn small_case(seed: u64, index: u64) -> SmallCase {
    let mut rng = Rng::with_seed(seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut generator = Generator { pieces: pieces(&mut rng), rng };
    let dialects = Dialect::PUBLISHED;
    let dialect = dialects[usize::try_from(index).unwrap_or(0) % dialects.len()];
    let alike: Vec<Dialect> =
        dialects.into_iter().filter(|other| other.normal_form == dialect.normal_form).collect();
    let other_dialect = match generator.rng.u8(..5) {
        0 => alike[generator.rng.usize(..alike.len())],
        _ => dialect,
    };
    let before = generator.rules(&[]);
    let after = generator.rules(&before);
    let pattern = match generator.rng.u8(..4) {
        0 => generator.like(&before),
        _ => generator.pattern(),
    };
    let (before, after) = (file(&before), file(&after));
    SmallCase { dialect, other_dialect, before, after, pattern }
}

/// A rule: its key and its pattern.
type Line = (&'static str, Vec<u8>);

fn file(rules: &[Line]) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for (key, pattern) in rules {
        file.extend([key.as_bytes(), b": ", pattern, b"\n"].concat());
    }
    file
}

struct Generator {
    rng: Rng,
    /// The vocabulary of this case.
    pieces: Vec<&'static [u8]>,
}

/// A few letters make overlaps frequent. Most cases have few other pieces, too.
fn pieces(rng: &mut Rng) -> Vec<&'static [u8]> {
    const USUAL: [&[u8]; 6] = [b"a", b"a", b"b", b"*", b"*", b"/"];
    #[rustfmt::skip]
    const OTHERS: [&str; 38] = [
        "%", "%2", "%2F", "%2f", "2", "F", "%41", "A", "%7E", "~", "%7c", "|", "7C", "C", "%25",
        "5", "%2A", "%24", "$", "?", "&", "//", "**", " ", "é", "%C3%A9", "3", "{", "'", "\"", "<",
        "/index.htm", "/index.html", "index.htm", "/robots.txt", "robots.txt", ".", "%2E",
    ];
    let mut pieces = USUAL.to_vec();
    for _ in 0..rng.usize(..5) {
        let other = OTHERS[rng.usize(..OTHERS.len())].as_bytes();
        // Twice, so that several rules contain it.
        pieces.extend([other, other]);
    }
    pieces
}

impl Generator {
    fn pattern(&mut self) -> Vec<u8> {
        let mut pattern = match self.rng.u8(..20) {
            0 => Vec::new(),
            1..=3 => b"*".to_vec(),
            _ => b"/".to_vec(),
        };
        let longest = if self.rng.u8(..8) == 0 { 10 } else { 5 };
        for _ in 0..self.rng.usize(..longest) {
            pattern.extend(self.pieces[self.rng.usize(..self.pieces.len())]);
        }
        if self.rng.u8(..5) == 0 {
            pattern.push(b'$');
        }
        // The parser removes white space at the ends.
        pattern.trim_ascii().to_vec()
    }

    fn key(&mut self) -> &'static str {
        if self.rng.bool() { "Allow" } else { "Disallow" }
    }

    /// A pattern of one of the rules, or one that is nearly the same.
    fn like(&mut self, rules: &[Line]) -> Vec<u8> {
        let Some((_, pattern)) = rules.get(self.rng.usize(..rules.len().max(1))) else {
            return self.pattern();
        };
        let mut pattern = pattern.clone();
        match self.rng.u8(..6) {
            0 => pattern.push(b'*'),
            1 => pattern.push(b'$'),
            2 => drop(pattern.pop()),
            3 => pattern.extend(self.pieces[self.rng.usize(..self.pieces.len())]),
            4 if !pattern.is_empty() => pattern.insert(self.rng.usize(..pattern.len()), b'*'),
            _ => {}
        }
        pattern.trim_ascii().to_vec()
    }

    /// Up to four rules, most of them similar to earlier ones or to those of the other file.
    fn rules(&mut self, others: &[Line]) -> Vec<Line> {
        let mut rules: Vec<Line> = Vec::new();
        if self.rng.u8(..3) > 0 {
            rules.extend_from_slice(others);
        }
        if rules.is_empty() {
            for _ in 0..self.rng.usize(..4) {
                let key = self.key();
                let pattern = match self.rng.u8(..3) {
                    0 => self.like(&rules),
                    _ => self.pattern(),
                };
                rules.push((key, pattern));
            }
        }
        for _ in 0..self.rng.usize(..3) {
            let at = self.rng.usize(..rules.len().max(1));
            let Some(rule) = rules.get(at).cloned() else { break };
            match self.rng.u8(..6) {
                0 => drop(rules.remove(at)),
                1 => rules[at].0 = self.key(),
                2 => rules[at].1 = self.like(others),
                3 if rules.len() < 4 => rules.insert(self.rng.usize(..rules.len()), rule),
                4 if rules.len() < 4 => {
                    let key = self.key();
                    rules.push((key, self.like(&[rule])));
                }
                _ => rules.reverse(),
            }
        }
        rules
    }
}
