//! The dialects for an input.

use verger::Dialect;

/// Every published dialect.
pub(crate) fn published() -> impl Iterator<Item = Dialect> {
    Dialect::PUBLISHED.into_iter()
}

/// Every published dialect, with limits so low that an input of a few hundred bytes reaches them.
///
/// The real limits are too high for a fuzzer: half a megabyte.
pub(crate) fn with_tight_limits(bytes: usize) -> impl Iterator<Item = Dialect> {
    published().map(move |mut row| {
        row.name = "tight";
        row.byte_limit = Some(bytes - bytes / 4);
        row.line_limit = row.line_limit.map(|_| 20);
        row.rule_limit = row.rule_limit.map(|_| 6);
        row
    })
}

/// A row of choices, each from some published dialect; all combinations are legal.
///
/// `None` for 0, which means the published dialects only.
pub(crate) fn mixed(number: u64) -> Option<Dialect> {
    let mut state = number;
    let mut from = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Dialect::PUBLISHED
            [usize::try_from(state >> 33).unwrap_or_default() % Dialect::PUBLISHED.len()]
    };
    let mut row = from();
    row.name = "mixed";
    row.byte_order_mark = from().byte_order_mark;
    row.utf16 = from().utf16;
    row.nul_ends_line = from().nul_ends_line;
    row.missing_colon = from().missing_colon;
    row.spellings = from().spellings;
    row.allow = from().allow;
    row.blank_line_ends_group = from().blank_line_ends_group;
    row.orphan_rules = from().orphan_rules;
    row.reads_headers = from().reads_headers;
    row.agent_value = from().agent_value;
    row.agent_match = from().agent_match;
    row.named_groups = from().named_groups;
    row.star_groups = from().star_groups;
    row.fallback = from().fallback;
    row.url_split = from().url_split;
    row.schemes = from().schemes;
    row.normal_form = from().normal_form;
    row.wildcards = from().wildcards;
    row.empty_rule = from().empty_rule;
    row.index_html_allows_directory = from().index_html_allows_directory;
    row.robots_txt_always_allowed = from().robots_txt_always_allowed;
    row.precedence = from().precedence;
    // No published dialect makes these choices; each appears in one row of nine.
    let is_google = |row: Dialect| row.name == Dialect::GOOGLE.name;
    row.agent_lists = is_google(from());
    row.crawl_delay_closes_agents = is_google(from());
    row.content_usage_closes_agents = is_google(from());
    (number != 0).then_some(row)
}
