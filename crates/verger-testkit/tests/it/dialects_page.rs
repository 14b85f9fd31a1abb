//! `docs/dialects.md` describes every dialect as implemented.

use std::collections::BTreeMap;
use std::fmt::Debug;

use verger::Dialect;

use crate::table::table;

/// The values of every choice, one per published dialect, as `{:?}` prints them.
fn choices() -> BTreeMap<&'static str, Vec<String>> {
    fn values<T: Debug>(choice: impl Fn(&Dialect) -> T) -> Vec<String> {
        Dialect::PUBLISHED.iter().map(|row| format!("{:?}", choice(row))).collect()
    }
    macro_rules! rows {
        ($($field:ident)*) => {
            BTreeMap::from([$((stringify!($field), values(|row| row.$field)),)*])
        };
    }
    rows! {
        byte_limit oversize byte_order_mark utf16 nul_ends_line line_limit rule_limit
        missing_colon spellings allow
        blank_line_ends_group crawl_delay_closes_agents content_usage_closes_agents orphan_rules
        reads_headers agent_value agent_lists agent_match named_groups star_groups fallback
        url_split schemes normal_form wildcards network_path_rules empty_rule
        index_html_allows_directory robots_txt_always_allowed precedence scope
    }
}

#[test]
fn the_page_and_the_code_agree_on_every_choice() {
    let (names, on_page) = table("dialects.md");
    let published: Vec<_> = Dialect::PUBLISHED.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(names, published);
    let in_code: BTreeMap<_, _> =
        choices().into_iter().map(|(field, values)| (field.to_owned(), values)).collect();
    assert_eq!(on_page.into_iter().collect::<BTreeMap<_, _>>(), in_code);
}
