//! All rules, one file each. The module documentation of a rule is its page for users. Names that
//! most rules use are in `prelude.rs`.

mod absolute_pattern;
mod agent_cut;
mod agent_ignores_robots;
mod agent_list;
mod agents_joined;
mod answers_differ;
mod blank_in_pattern;
mod blank_line_in_group;
mod blocked_sitemap;
mod blocks_everything;
mod blocks_resources;
mod blocks_search_engine;
mod byte_order_mark;
mod case_variants;
mod conflicting_statements;
mod content_signal_key;
mod content_type;
mod contradictory_rules;
mod control_token;
mod counts_as_none;
mod crawl_delay_ignored;
mod crawl_delay_text;
mod dead_rule;
mod dollar_inside;
mod empty_group;
mod empty_key;
mod foreign_key;
mod foreign_sitemap;
mod foreign_space;
mod google_limit;
mod group_drops_star;
mod group_opens_all;
mod hash_in_pattern;
mod header_as_agent;
mod invalid_utf_8;
mod invalid_value;
mod joined_records;
mod license_in_group;
mod lighthouse;
mod line_too_long;
mod long_cache;
mod looks_like_html;
mod lower_case_escape;
mod malformed_percent;
mod many_nuls;
mod many_redirects;
mod missing_colon;
mod misspelt_agent;
mod misspelt_key;
mod mistakable_key;
mod names_nobody;
mod needless_escape;
mod no_record;
mod non_utf_8_escape;
mod not_honoured;
mod nul;
mod obsolete_record;
mod operator_as_agent;
mod other_reading;
mod outdated_registry;
mod oversized_rule;
mod pattern_list;
mod pattern_without_slash;
mod prelude;
mod record_outside_group;
mod redirected_away;
mod redundant_rule;
mod refused_crawler;
mod refused_file;
mod regular_expression;
mod repeated_crawl_delay;
mod repeated_rule;
mod retired_agent;
mod route_in_pattern;
mod rule_outside_group;
mod sitemap_not_absolute;
mod split_group;
mod trailing_star;
mod truncated;
mod unavailable;
mod unknown_category;
mod unknown_key;
mod unknown_preference;
mod unknown_suppression;
mod unused_suppression;
mod unusual_agent;
mod utf_16;
mod utf_32;
mod yandex_limit;

use verger::diagnostic::Severity::{Error, Note, Warning};

use crate::check::Check;
use crate::rule::{Category, Rule};

/// Lists the rules: the module, which is declared above so that rustfmt finds it, the code (the
/// same with `-` for `_`), category, severity and the kind of its check. The check of a diagnostic
/// returns a finding or an option of one. A `Reported` diagnostic needs none.
macro_rules! rules {
    (@check Diagnostic $module:ident) => {
        Check::Diagnostic(|file, found, finding| $module::check(file, found, finding).into())
    };
    (@check Reported $module:ident) => {
        Check::Diagnostic(|_, _, finding| Some(finding))
    };
    (@check $kind:ident $module:ident) => {
        Check::$kind($module::check)
    };
    ($($module:ident $code:literal, $category:ident, $severity:ident, $check:ident;)*) => {
        /// All rules, by category.
        pub static RULES: &[Rule] = &[
            $(Rule {
                code: $code,
                severity: $severity,
                category: Category::$category,
                source: include_str!(concat!(stringify!($module), ".rs")),
            },)*
        ];

        /// Their checks, in the same order.
        pub(crate) static CHECKS: &[Check] = &[$(rules!(@check $check $module),)*];
    };
}

rules! {
    utf_16 "utf-16", Syntax, Warning, Reported;
    utf_32 "utf-32", Syntax, Error, Reported;
    many_nuls "many-nuls", Syntax, Error, Reported;
    looks_like_html "looks-like-html", Syntax, Warning, Reported;
    byte_order_mark "byte-order-mark", Syntax, Error, Diagnostic;
    nul "nul", Syntax, Warning, Diagnostic;
    invalid_utf_8 "invalid-utf-8", Syntax, Warning, Diagnostic;
    foreign_space "foreign-space", Syntax, Warning, Diagnostic;
    no_record "no-record", Syntax, Error, Diagnostic;
    empty_key "empty-key", Syntax, Error, Reported;
    missing_colon "missing-colon", Syntax, Warning, Diagnostic;
    misspelt_key "misspelt-key", Syntax, Warning, Diagnostic;
    mistakable_key "mistakable-key", Syntax, Error, Diagnostic;
    joined_records "joined-records", Syntax, Error, File;
    unknown_key "unknown-key", Syntax, Note, Diagnostic;
    unknown_suppression "unknown-suppression", Syntax, Warning, Suppressions;
    unused_suppression "unused-suppression", Syntax, Note, Suppressions;

    rule_outside_group "rule-outside-group", Groups, Error, Diagnostic;
    blank_line_in_group "blank-line-in-group", Groups, Note, Diagnostic;
    agents_joined "agents-joined", Groups, Warning, Diagnostic;
    names_nobody "names-nobody", Groups, Error, Diagnostic;
    agent_list "agent-list", Groups, Error, Diagnostic;
    header_as_agent "header-as-agent", Groups, Error, File;
    agent_cut "agent-cut", Groups, Note, Diagnostic;
    unusual_agent "unusual-agent", Groups, Note, Diagnostic;
    misspelt_agent "misspelt-agent", Groups, Warning, File;
    operator_as_agent "operator-as-agent", Groups, Note, File;
    retired_agent "retired-agent", Groups, Note, File;
    control_token "control-token", Groups, Note, File;
    agent_ignores_robots "agent-ignores-robots", Groups, Note, File;
    outdated_registry "outdated-registry", Groups, Note, File;
    group_drops_star "group-drops-star", Groups, Note, Policies;
    group_opens_all "group-opens-all", Groups, Warning, Policies;
    split_group "split-group", Groups, Note, File;
    empty_group "empty-group", Groups, Note, Policies;

    pattern_without_slash "pattern-without-slash", Rules, Error, Diagnostic;
    pattern_list "pattern-list", Rules, Warning, File;
    blank_in_pattern "blank-in-pattern", Rules, Warning, File;
    absolute_pattern "absolute-pattern", Rules, Error, File;
    regular_expression "regular-expression", Rules, Warning, File;
    route_in_pattern "route-in-pattern", Rules, Warning, File;
    dollar_inside "dollar-inside", Rules, Warning, File;
    trailing_star "trailing-star", Rules, Note, File;
    hash_in_pattern "hash-in-pattern", Rules, Warning, File;
    malformed_percent "malformed-percent", Rules, Warning, Diagnostic;
    non_utf_8_escape "non-utf-8-escape", Rules, Note, File;
    needless_escape "needless-escape", Rules, Note, File;
    lower_case_escape "lower-case-escape", Rules, Note, File;
    repeated_rule "repeated-rule", Rules, Note, File;
    case_variants "case-variants", Rules, Note, File;
    contradictory_rules "contradictory-rules", Rules, Warning, File;
    dead_rule "dead-rule", Rules, Warning, Policies;
    redundant_rule "redundant-rule", Rules, Note, Policies;

    sitemap_not_absolute "sitemap-not-absolute", Statements, Warning, Diagnostic;
    foreign_sitemap "foreign-sitemap", Statements, Note, File;
    blocked_sitemap "blocked-sitemap", Statements, Warning, File;
    record_outside_group "record-outside-group", Statements, Warning, Reported;
    invalid_value "invalid-value", Statements, Error, Diagnostic;
    crawl_delay_text "crawl-delay-text", Statements, Warning, File;
    repeated_crawl_delay "repeated-crawl-delay", Statements, Warning, Diagnostic;
    crawl_delay_ignored "crawl-delay-ignored", Statements, Note, File;
    unknown_preference "unknown-preference", Statements, Error, Diagnostic;
    unknown_category "unknown-category", Statements, Warning, Diagnostic;
    content_signal_key "content-signal-key", Statements, Warning, File;
    conflicting_statements "conflicting-statements", Statements, Warning, File;
    license_in_group "license-in-group", Statements, Note, Diagnostic;
    not_honoured "not-honoured", Statements, Warning, Diagnostic;
    obsolete_record "obsolete-record", Statements, Note, File;

    truncated "truncated", Limits, Error, Diagnostic;
    google_limit "google-limit", Limits, Error, File;
    yandex_limit "yandex-limit", Limits, Warning, File;

    blocks_everything "blocks-everything", Policy, Warning, File;
    blocks_search_engine "blocks-search-engine", Policy, Warning, Policies;
    blocks_resources "blocks-resources", Policy, Warning, File;

    counts_as_none "counts-as-none", Portability, Error, Reported;
    line_too_long "line-too-long", Portability, Warning, Reported;
    oversized_rule "oversized-rule", Portability, Error, Reported;
    foreign_key "foreign-key", Portability, Error, Reported;
    other_reading "other-reading", Portability, Warning, Policies;

    unavailable "unavailable", Live, Error, Live;
    refused_file "refused-file", Live, Warning, Live;
    content_type "content-type", Live, Warning, Live;
    many_redirects "many-redirects", Live, Error, Live;
    redirected_away "redirected-away", Live, Note, Live;
    long_cache "long-cache", Live, Warning, Live;
    answers_differ "answers-differ", Live, Warning, Live;
    refused_crawler "refused-crawler", Live, Warning, Live;

    lighthouse "lighthouse", Audit, Error, File;
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
            for heading in ["## Why is this a problem?", "## Example", "## References"] {
                assert!(page.contains(heading), "{}: no heading {heading}", rule.code);
            }
            assert!(rule.summary().ends_with('.'), "{}: {}", rule.code, rule.summary());
        }
    }
}
