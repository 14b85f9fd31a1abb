//! All rules, one file each. The module documentation of a rule is its page for users.

use verger::diagnostic::Severity::{Error, Note, Warning};

use crate::rule::{Category, Check, Rule};

/// Declares the rules: the module, the code (the same with `-` for `_`), category, severity, and
/// the kind of its check.
macro_rules! rules {
    ($($module:ident $code:literal, $category:ident, $severity:ident, $check:ident;)*) => {
        $(mod $module;)*

        /// All rules, by category.
        pub static RULES: &[Rule] = &[
            $(Rule {
                code: $code,
                severity: $severity,
                category: Category::$category,
                check: Check::$check($module::check),
                source: include_str!(concat!(stringify!($module), ".rs")),
            },)*
        ];
    };
}

rules! {
    misspelt_key "misspelt-key", Syntax, Warning, Diagnostic;
    pattern_without_slash "pattern-without-slash", Rules, Error, Diagnostic;
    repeated_rule "repeated-rule", Rules, Note, File;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_different_and_pages_begin_with_them() {
        let codes: BTreeSet<_> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes.len(), RULES.len());
        for rule in RULES {
            let page = rule.page();
            assert!(page.starts_with(&format!("# {}\n\n", rule.code)), "{}", rule.code);
            for heading in ["## Why is this a problem?", "## Example"] {
                assert!(page.contains(heading), "{}: no heading {heading}", rule.code);
            }
            assert!(rule.summary().ends_with('.'), "{}: {}", rule.code, rule.summary());
        }
    }
}
