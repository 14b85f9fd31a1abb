//! Patterns as lists of units.

use verger::Dialect;

use super::form::{Side, normal};

/// A parsed pattern.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    units: Vec<Unit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// This octet of the normal form.
    Octet(u8),
    /// Any octets.
    Star,
    /// The end of the target.
    End,
}

impl Glob {
    /// Parses a pattern as a dialect reads it (REP-MATCH-16, REP-MATCH-17).
    pub(crate) fn new(raw: &[u8], dialect: &Dialect) -> Self {
        let mut units = Vec::new();
        let mut literal = Vec::new();
        let finish = |literal: &mut Vec<u8>, units: &mut Vec<Unit>| {
            units.extend(normal(literal, Side::Pattern, dialect).into_iter().map(Unit::Octet));
            literal.clear();
        };
        for (at, &octet) in raw.iter().enumerate() {
            let operator = match octet {
                b'*' => Some(Unit::Star),
                b'$' if at + 1 == raw.len() => Some(Unit::End),
                _ => None,
            };
            if let Some(operator) = operator.filter(|_| dialect.wildcards) {
                finish(&mut literal, &mut units);
                units.push(operator);
            } else {
                literal.push(octet);
            }
        }
        finish(&mut literal, &mut units);
        Self { units }
    }

    /// REP-MATCH-30: the pattern for the directory of an index page.
    pub(crate) fn of_directory(raw: &[u8], dialect: &Dialect) -> Option<Self> {
        let slash = raw.iter().rposition(|&octet| octet == b'/')?;
        let is_index = raw[slash..].starts_with(b"/index.htm");
        is_index.then(|| {
            let mut directory = Self::new(&raw[..=slash], dialect);
            directory.units.push(Unit::End);
            directory
        })
    }

    /// REP-MATCH-11, REP-MATCH-12.
    pub(crate) fn length(&self) -> usize {
        self.units.len()
    }

    /// Whether it matches a target in normal form. Tracks all positions at once, unit by unit.
    pub(crate) fn matches(&self, target: &[u8]) -> bool {
        let mut places = vec![false; target.len() + 1];
        places[0] = true;
        for unit in &self.units {
            places = match unit {
                Unit::Octet(octet) => step(&places, |at| target.get(at) == Some(octet)),
                Unit::Star => {
                    let first = places.iter().position(|&is_there| is_there);
                    (0..places.len()).map(|at| first.is_some_and(|first| at >= first)).collect()
                }
                Unit::End => (0..places.len()).map(|at| at == target.len() && places[at]).collect(),
            };
        }
        places.contains(&true)
    }
}

/// The positions after matching one octet.
fn step(places: &[bool], is_taken: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut next = vec![false; places.len()];
    for at in 0..places.len() - 1 {
        next[at + 1] = places[at] && is_taken(at);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: &Dialect, pattern: &str, target: &str, expected: bool) {
        let glob = Glob::new(pattern.as_bytes(), dialect);
        assert_eq!(glob.matches(target.as_bytes()), expected, "{pattern} {target}");
    }

    #[test]
    fn operators_are_those_of_the_dialect() {
        check(&Dialect::RFC9309, "/a*c$", "/abcc", true);
        check(&Dialect::RFC9309, "/a*c$", "/abcd", false);
        check(&Dialect::RFC9309, "/a$b", "/a%24b", true);
        check(&Dialect::BOOK, "/a*c$", "/abcc", false);
        check(&Dialect::BOOK, "/a*c$", "/a*c$d", true);
        check(&Dialect::RFC9309, "", "/", true);
    }

    #[test]
    fn operators_count_as_length() {
        assert_eq!(Glob::new("/é*$".as_bytes(), &Dialect::RFC9309).length(), 9);
        let directory = Glob::of_directory(b"/d/index.html", &Dialect::GOOGLE).expect("widens");
        assert_eq!(directory.length(), 4);
        assert!(directory.matches(b"/d/") && !directory.matches(b"/d/x"));
    }
}
