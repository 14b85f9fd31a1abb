//! Patterns of a rule in normal form, for programs that compare rules with each other.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::dialect::Dialect;
use crate::parse::RuleKind;
use crate::pattern::Pattern;
use crate::rule::{directory_of, empty_rule_allows};
use crate::text::Text;

/// A pattern of a rule in a dialect's normal form, cut at its stars (REP-MATCH-16, REP-MATCH-20).
///
/// It matches a target in normal form that begins with the first literal and then has the other
/// literals in this order, with any text between them. The target ends with the last literal if the
/// pattern [is anchored](Self::is_anchored), and with any text otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RulePattern<'a> {
    literals: Vec<Cow<'a, [u8]>>,
    anchored: bool,
    allows: bool,
    length: usize,
}

impl Dialect {
    /// The patterns by which a rule decides, in normal form.
    ///
    /// Usually one. None for an empty rule without effect; an empty rule with effect has an empty
    /// pattern (REP-AMB-2). Two for an allowed index page in a dialect in which it also allows its
    /// directory: the page, then the directory (REP-MATCH-30). Both belong to the same rule, and
    /// the first one that matches gives the length of the rule.
    ///
    /// # Complexity
    ///
    /// Linear in the pattern. Literals that are already in normal form are borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Dialect, RuleKind};
    ///
    /// let patterns = Dialect::RFC9309.rule_patterns(RuleKind::Disallow, "/%7Efred/*.php$");
    /// assert_eq!(patterns.len(), 1);
    /// assert!(patterns[0].literals().eq([&b"/~fred/"[..], b".php"]));
    /// assert!(patterns[0].is_anchored() && !patterns[0].allows());
    /// assert_eq!(patterns[0].length(), 13);
    ///
    /// // An empty Disallow has no effect in most dialects.
    /// assert_eq!(Dialect::RFC9309.rule_patterns(RuleKind::Disallow, ""), []);
    /// assert!(Dialect::KOSTER1996.rule_patterns(RuleKind::Disallow, "")[0].allows());
    ///
    /// // Google: an allowed index page also allows its directory.
    /// let patterns = Dialect::GOOGLE.rule_patterns(RuleKind::Allow, "/help/index.html");
    /// assert!(patterns[1].literals().eq([b"/help/"]) && patterns[1].is_anchored());
    /// ```
    pub fn rule_patterns<'a, P: AsRef<[u8]> + ?Sized>(
        &self,
        kind: RuleKind,
        pattern: &'a P,
    ) -> Vec<RulePattern<'a>> {
        let raw = pattern.as_ref();
        if raw.is_empty() {
            let allows = empty_rule_allows(kind, self);
            let pattern = |allows| RulePattern::new(Pattern::new(raw, self), allows);
            return allows.map(pattern).into_iter().collect();
        }
        let allows = kind == RuleKind::Allow;
        let directory = directory_of(kind, raw, self);
        let patterns = [Some(Pattern::new(raw, self)), directory];
        patterns.into_iter().flatten().map(|pattern| RulePattern::new(pattern, allows)).collect()
    }
}

impl<'a> RulePattern<'a> {
    fn new(pattern: Pattern<'a>, allows: bool) -> Self {
        let literals = pattern.literals().map(|text| match text {
            Text::Normal(text) => Cow::Borrowed(text),
            Text::Read(octets) => Cow::Owned(octets.collect()),
        });
        let literals = literals.collect();
        Self { literals, anchored: pattern.anchored, allows, length: pattern.len() }
    }

    /// The texts between the stars, in normal form: at least one. The first is empty for a pattern
    /// that begins with a star, the last for one that ends with a star; adjacent stars have an
    /// empty text between them.
    pub fn literals(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.literals.iter().map(|literal| &**literal)
    }

    /// Whether a final `$` requires the end of the target (REP-MATCH-17).
    pub const fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Whether the rule allows. An empty `Disallow` may (REP-AMB-2).
    pub const fn allows(&self) -> bool {
        self.allows
    }

    /// The length by which rules are compared: octets of the normal form, with `*` and `$`
    /// (REP-MATCH-10 to REP-MATCH-12).
    pub const fn length(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleKind::{Allow, Disallow};
    use alloc::string::String;

    /// The patterns of a rule, as text: `+` or `-`, the literals with `*` between them, `$`, the
    /// length.
    #[track_caller]
    fn check(dialect: Dialect, kind: RuleKind, raw: &str, expected: &[&str]) {
        let found: Vec<String> = dialect
            .rule_patterns(kind, raw)
            .iter()
            .map(|pattern| {
                let literals: Vec<_> = pattern.literals().collect();
                let text = alloc::string::ToString::to_string(&crate::Untrusted::new(
                    &literals.join(&b'*'),
                ));
                let sign = if pattern.allows() { '+' } else { '-' };
                let end = if pattern.is_anchored() { "$" } else { "" };
                alloc::format!("{sign}{text}{end} {}", pattern.length())
            })
            .collect();
        assert_eq!(found, expected, "{dialect:?} {kind:?} {raw}");
    }

    #[test]
    fn patterns_are_in_normal_form() {
        check(Dialect::RFC9309, Disallow, "/%7efr%65d/*a$b$", &["-/~fred/*a%24b$ 14"]);
        check(Dialect::GOOGLE, Disallow, "/%7efr%65d é$$", &["-/%7Efr%65d %C3%A9$$ 19"]);
        check(Dialect::BOOK, Disallow, "/%2541%2f*$", &["-/%41%2F*$ 9"]);
        check(Dialect::ORIG1994, Disallow, "/a b[", &["-/a%20b%5B 9"]);
    }

    #[test]
    fn stars_cut_a_pattern_and_count() {
        check(Dialect::RFC9309, Allow, "*", &["+* 1"]);
        check(Dialect::RFC9309, Allow, "**a*$", &["+**a*$ 5"]);
        check(Dialect::RFC9309, Allow, "$", &["+$ 1"]);
    }

    #[test]
    fn empty_rules_follow_the_dialect() {
        check(Dialect::RFC9309, Disallow, "", &[]);
        check(Dialect::BAIDU, Disallow, "", &["+ 0"]);
        check(Dialect::BOOK, Disallow, "", &["- 0"]);
        check(Dialect::BOOK, Allow, "", &["+ 0"]);
    }

    #[test]
    fn only_an_allowed_index_page_has_two_patterns() {
        check(Dialect::GOOGLE, Allow, "/*/index.htm*", &["+/*/index.htm* 13", "+/*/$ 4"]);
        check(Dialect::GOOGLE, Disallow, "/index.html", &["-/index.html 11"]);
        check(Dialect::RFC9309, Allow, "/index.html", &["+/index.html 11"]);
    }
}
