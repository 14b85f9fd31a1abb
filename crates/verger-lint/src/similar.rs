//! Similar codes of rules.

use strsim::osa_distance;

use crate::rule::Rule;

/// The code of one of these rules that an unknown name probably means: at most two slips.
pub(crate) fn rule(name: &str, rules: &[Rule]) -> Option<&'static str> {
    let codes = rules.iter().map(|rule| rule.code);
    // Codes are short; this also bounds the time for a hostile name.
    let near = codes.filter(|code| code.len().abs_diff(name.len()) <= SLIPS_OF_CODE);
    let near = near.map(|code| (osa_distance(code, name), code));
    near.filter(|(edits, _)| *edits <= SLIPS_OF_CODE).min().map(|(_, code)| code)
}

/// Maximum number of slips in the code of a rule: codes are less similar than names of crawlers.
const SLIPS_OF_CODE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_rule_may_have_two_slips() {
        for (name, expected) in [
            ("mispelt-key", Some("misspelt-key")),
            ("dead_rules", Some("dead-rule")),
            ("spelling", None),
        ] {
            assert_eq!(rule(name, crate::RULES), expected, "{name}");
        }
    }
}
