//! Witnesses: URLs that show a difference, with as few `//` as possible and as short as possible.

use core::fmt;

use verger::Untrusted;

use crate::limits::WITNESS_CHECKS;
use crate::patterns::glob::Glob;
use crate::undecided::Undecided;

/// A URL that shows an answer: in normal form, and confirmed by the engine.
///
/// `Display` is the URL.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_analysis::{Analysis, Budget, PatternState};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nAllow: /cart/help\n");
/// let state = Analysis::new(&robots, "ExampleBot").pattern_state("/cart*", &mut Budget::default());
/// let PatternState::Mixed { open, closed } = state else { panic!() };
/// assert_eq!(closed.witness.url(), "https://example.com/cart");
/// assert_eq!(open.witness.target(), "/cart/help");
/// assert!(open.witness.is_shortest());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Witness {
    length: usize,
    url: String,
    target_start: usize,
    shortest: bool,
}

impl Witness {
    pub(crate) fn new(url: String, origin: &str, found: &FoundText, length: usize) -> Self {
        Self { length, url, target_start: origin.len(), shortest: found.shortest }
    }

    /// The URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Path and query of the URL.
    pub fn target(&self) -> &str {
        self.url.get(self.target_start..).unwrap_or_default()
    }

    /// The target for people; the whole URL if the target begins with `//`, because readers take
    /// the text after it for a host.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::{Analysis, Budget, PatternState};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a\nDisallow: //a\n");
    /// let analysis = Analysis::new(&robots, "ExampleBot");
    /// let shown = |pattern: &str| match analysis.pattern_state(pattern, &mut Budget::default()) {
    ///     PatternState::Closed { example } => example.witness.shown_target().to_owned(),
    ///     _ => panic!(),
    /// };
    /// assert_eq!((shown("/a"), shown("//a")), ("/a".into(), "https://example.com//a".into()));
    /// ```
    pub fn shown_target(&self) -> &str {
        let target = self.target();
        if target.starts_with("//") { &self.url } else { target }
    }

    /// The length of the target in octets: in the dialect's normal form, or between dialects with
    /// different normal forms, as in the URL.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Whether no shorter URL with as few `//` shows the same. Otherwise the search was given up;
    /// the witness is correct.
    pub const fn is_shortest(&self) -> bool {
        self.shortest
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Untrusted::new(&self.url), f)
    }
}

/// A text that shows an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundText {
    pub(crate) text: Vec<u8>,
    pub(crate) shortest: bool,
}

impl FoundText {
    /// The cost of a text with this length; see [`cost`].
    pub(crate) fn cost(&self, length: usize) -> Cost {
        cost(&self.text, length)
    }
}

/// The number of `//`, and the length. The former counts first, because servers and people read
/// `//` in several ways.
pub(crate) type Cost = (usize, usize);

/// The cost of a text with this length in octets.
pub(crate) fn cost(text: &[u8], length: usize) -> Cost {
    (text.windows(2).filter(|pair| pair == b"//").count(), length)
}

/// The cheapest text of a pattern for which `works` is true, of those with a symbol or nothing at
/// each star. It must be true if all stars are filled, and remain true if further stars are filled:
/// a rule that matches a text with more symbols also matches the text with fewer of them, because
/// its own stars take the symbol.
///
/// # Errors
///
/// As `works`.
pub(crate) fn shortest(
    glob: &Glob,
    fresh: u8,
    mut works: impl FnMut(&[u8]) -> Result<bool, Undecided>,
) -> Result<FoundText, Undecided> {
    let stars = glob.stars();
    let canon = glob.canon(fresh);
    if stars > WITNESS_CHECKS {
        return Ok(FoundText { text: canon, shortest: false });
    }
    // No text of the pattern has fewer `//` than the canonical one.
    let (fewest, _) = cost(&canon, 0);
    let mut works =
        |text: &[u8]| -> Result<bool, Undecided> { Ok(cost(text, 0).0 == fewest && works(text)?) };
    let empty = glob.filled(fresh, |_| false);
    if works(&empty)? {
        return Ok(FoundText { text: empty, shortest: true });
    }
    // A star without which not even all others suffice is filled in every solution.
    let mut needed = vec![true; stars];
    if stars > 1 {
        for (star, needed) in needed.iter_mut().enumerate() {
            *needed = !works(&glob.filled(fresh, |other| other != star))?;
        }
    }
    let least = glob.filled(fresh, |star| needed[star]);
    let others: Vec<usize> = (0..stars).filter(|&star| !needed[star]).collect();
    if others.is_empty() || works(&least)? {
        return Ok(FoundText { text: least, shortest: true });
    }
    let mut checks = 0;
    for count in 1..=others.len() {
        let mut chosen: Vec<usize> = (0..count).collect();
        loop {
            let is_filled = |star| needed[star] || chosen.iter().any(|&at| others[at] == star);
            let text = glob.filled(fresh, is_filled);
            if works(&text)? {
                return Ok(FoundText { text, shortest: true });
            }
            checks += 1;
            if checks > WITNESS_CHECKS {
                return Ok(FoundText { text: shorter(glob, fresh, works)?, shortest: false });
            }
            if !next_choice(&mut chosen, others.len()) {
                break;
            }
        }
    }
    Ok(FoundText { text: canon, shortest: true })
}

/// The next choice of positions below `end`, in ascending order; false after the last one.
fn next_choice(chosen: &mut [usize], end: usize) -> bool {
    let count = chosen.len();
    for place in (0..count).rev() {
        if chosen[place] + (count - place) < end {
            chosen[place] += 1;
            for later in place + 1..count {
                chosen[later] = chosen[later - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// A text in which no filled star can be emptied alone.
fn shorter(
    glob: &Glob,
    fresh: u8,
    mut works: impl FnMut(&[u8]) -> Result<bool, Undecided>,
) -> Result<Vec<u8>, Undecided> {
    let mut filled = vec![true; glob.stars()];
    for star in 0..filled.len() {
        filled[star] = false;
        if !works(&glob.filled(fresh, |star| filled[star]))? {
            filled[star] = true;
        }
    }
    Ok(glob.filled(fresh, |star| filled[star]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::glob::tests::globs;

    /// The shortest text that no blocker matches.
    #[track_caller]
    fn check(pattern: &str, blockers: &[&str], expected: &str) {
        let blockers: Vec<Glob> = blockers.iter().flat_map(|blocker| globs(blocker)).collect();
        let glob = &globs(pattern)[0];
        let works = |text: &[u8]| Ok(!blockers.iter().any(|blocker| blocker.matches(text)));
        let found = shortest(glob, b'z', works).expect("no budget");
        assert_eq!((&*found.text, found.shortest), (expected.as_bytes(), true));
    }

    #[test]
    fn as_few_stars_as_possible_are_filled() {
        check("/a*b*c", &[], "/abc");
        check("/a*b*c", &["/ab"], "/azbc");
        check("/a*b*c", &["/*bc"], "/abzc");
        check("/a*b*c", &["/ab", "/*bc"], "/azbzc");
        check("/a*b*c$", &["/abc"], "/azbc");
        check("/a*", &["/a$"], "/az");
        check("/*a*a*a", &["/*aa"], "/azaza");
        check("/*a*b*c", &["/abc", "/zabc"], "/azbc");
    }

    #[test]
    fn slashes_are_beside_each_other_only_if_they_must_be() {
        check("/*/a", &[], "/z/a");
        check("*/*/a", &[], "/z/z/a");
        check("/*/*a*/$", &["/z/a/"], "/z/za/");
        check("/*//*/a", &[], "/z//z/a");
        check("//a", &[], "//a");
        check("/*?/*/a", &[], "/?/z/a");
    }

    #[test]
    fn a_long_search_ends_with_a_text_that_cannot_be_shortened_at_one_place() {
        let glob = &globs(&format!("/{}", "a*".repeat(20)))[0];
        let many = |text: &[u8]| Ok(text.split(|&symbol| symbol == b'z').count() > 10);
        let found = shortest(glob, b'z', many).expect("no budget");
        assert!(!found.shortest);
        assert_eq!(found.text.split(|&symbol| symbol == b'z').count(), 11);
        let glob = &globs(&format!("/{}", "a*".repeat(WITNESS_CHECKS + 1)))[0];
        let found = shortest(glob, b'z', |_| Ok(true)).expect("no budget");
        assert!(!found.shortest);
    }

    #[test]
    fn all_choices_are_made_once() {
        let mut chosen = vec![0, 1, 2];
        let mut count = 1;
        while next_choice(&mut chosen, 7) {
            count += 1;
        }
        assert_eq!((count, chosen), (35, vec![4, 5, 6]));
    }
}
