//! Rules: the matching ones, the deciding one, and the reasons why the others lose.

use std::cmp::Reverse;

use verger::dialect::{EmptyRule, Precedence};
use verger::{Dialect, RuleKind, Standing};

use super::glob::Glob;

/// A matching rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contender {
    /// Its index in the list of rules.
    pub(crate) rule: usize,
    /// Whether it allows.
    pub(crate) allows: bool,
    /// Its length for comparison.
    pub(crate) length: usize,
    /// Whether it matches only by its directory.
    pub(crate) by_directory: bool,
    /// Its standing.
    pub(crate) standing: Standing,
}

/// The matching rules for a target, of rules in file order.
pub(crate) fn contest<'p>(
    rules: impl Iterator<Item = (RuleKind, &'p [u8])>,
    target: &[u8],
    dialect: &Dialect,
) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = rules
        .enumerate()
        .filter_map(|(rule, (kind, raw))| {
            let (allows, length, by_directory) = matching(kind, raw, target, dialect)?;
            let standing = Standing::Decides;
            Some(Contender { rule, allows, length, by_directory, standing })
        })
        .collect();
    let Some(winner) = winner(&contenders, dialect.precedence) else {
        return contenders;
    };
    for contender in &mut contenders {
        contender.standing = standing(contender, &winner, dialect.precedence);
    }
    contenders
}

/// Effect of a rule: whether it allows, its length, whether it matches by its directory.
fn matching(
    kind: RuleKind,
    raw: &[u8],
    target: &[u8],
    dialect: &Dialect,
) -> Option<(bool, usize, bool)> {
    let allows = kind == RuleKind::Allow;
    if raw.is_empty() {
        // REP-AMB-2.
        return match dialect.empty_rule {
            EmptyRule::Inert => None,
            EmptyRule::Allows => Some((true, 0, false)),
            _ => Some((allows, 0, false)),
        };
    }
    let whole = Glob::new(raw, dialect);
    if whole.matches(target) {
        return Some((allows, whole.length(), false));
    }
    if !allows || !dialect.index_html_allows_directory {
        return None;
    }
    let directory = Glob::of_directory(raw, dialect)?;
    directory.matches(target).then(|| (true, directory.length(), true))
}

/// The table before REP-MATCH-10.
fn winner(contenders: &[Contender], precedence: Precedence) -> Option<Contender> {
    if precedence == Precedence::FirstMatch {
        return contenders.first().copied();
    }
    // The longest rule; of several, one that allows; of several, the first one.
    let rank = |it: &&Contender| (it.length, it.allows, Reverse(it.rule));
    contenders.iter().max_by_key(rank).copied()
}

fn standing(contender: &Contender, winner: &Contender, precedence: Precedence) -> Standing {
    if contender.rule == winner.rule {
        Standing::Decides
    } else if precedence == Precedence::FirstMatch {
        Standing::Later
    } else if contender.length < winner.length {
        Standing::Shorter
    } else if contender.allows != winner.allows {
        Standing::LosesTie
    } else {
        Standing::Repeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Standing::{Decides, Later, LosesTie, Repeats, Shorter};

    #[test]
    fn losing_rules_have_a_reason() {
        use RuleKind::{Allow, Disallow};
        let rules: [(RuleKind, &[u8]); 5] =
            [(Disallow, b"/a"), (Disallow, b"/ab"), (Allow, b"/ab"), (Allow, b"/*b"), (Allow, b"")];
        let standings = |dialect| -> Vec<Standing> {
            contest(rules.into_iter(), b"/ab", &dialect).iter().map(|it| it.standing).collect()
        };
        assert_eq!(standings(Dialect::RFC9309), [Shorter, LosesTie, Decides, Repeats]);
        assert_eq!(standings(Dialect::BAIDU), [Decides, Later, Later, Later, Later]);
    }
}
