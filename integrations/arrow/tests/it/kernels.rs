//! Each kernel on small columns.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
use arrow_array::{Array, BinaryArray, DictionaryArray, Int32Array, StringArray, StructArray};
use arrow_schema::DataType;
use verger::Dialect;
use verger_arrow::{
    check, check_detailed, check_policies, check_policies_detailed, compile, diff, lint, metrics,
    sitemaps, statements, types,
};
use verger_lint::Settings;

const FILE: &[u8] =
    b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 2\nSitemap: /s\nX: y\n";

fn texts<'a>(values: impl IntoIterator<Item = &'a str>) -> StringArray {
    StringArray::from_iter_values(values)
}

fn strings(array: &dyn Array) -> Vec<Option<String>> {
    let text = |value: &[u8]| String::from_utf8(value.to_vec()).expect("UTF-8");
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(|it| it.map(str::to_owned)).collect(),
        DataType::Binary => array.as_binary::<i32>().iter().map(|it| it.map(text)).collect(),
        DataType::Dictionary(..) => {
            let array = array.as_dictionary::<arrow_array::types::Int8Type>();
            array
                .downcast_dict::<StringArray>()
                .expect("text")
                .into_iter()
                .map(|it| it.map(str::to_owned))
                .collect()
        }
        other => panic!("{other}"),
    }
}

fn column<'a>(table: &'a StructArray, name: &str) -> &'a dyn Array {
    table.column_by_name(name).expect("a field")
}

#[test]
fn nulls_stay_null_and_a_constant_counts_for_every_row() {
    let robots = BinaryArray::from_opt_vec(vec![Some(FILE), Some(FILE), None, Some(b"")]);
    let urls = StringArray::from(vec![Some("/cart"), None, Some("/"), Some("/cart")]);
    let allowed = check(&robots, &texts(["ExampleBot"]), &urls, Dialect::RFC9309).unwrap();
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), None, None, Some(true)]);
    let nobody = StringArray::from(vec![None::<&str>]);
    let allowed = check(&robots, &nobody, &urls, Dialect::RFC9309).unwrap();
    assert_eq!(allowed.null_count(), 4);
    let nothing = texts([]);
    assert_eq!(check(&texts([""]), &texts(["a"]), &nothing, Dialect::RFC9309).unwrap().len(), 0);
}

#[test]
fn a_dictionary_of_files_is_a_column_of_files() {
    let keys = Int32Array::from(vec![Some(1), Some(0), None, Some(1)]);
    let values = Arc::new(BinaryArray::from_vec(vec![b"", FILE]));
    let robots = DictionaryArray::<Int32Type>::new(keys, values);
    let agents = texts(["a", "b", "c", "d"]);
    let allowed = check(&robots, &agents, &texts(["/cart"]), Dialect::RFC9309).unwrap();
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), Some(true), None, Some(false)]);
}

#[test]
fn details_name_the_reason_and_the_rule() {
    let robots = BinaryArray::from_opt_vec(vec![Some(FILE), Some(FILE), Some(FILE), None]);
    let urls = texts(["/cart/help", "/", "x", "/"]);
    let found = check_detailed(&robots, &texts(["a"]), &urls, Dialect::RFC9309).unwrap();
    assert_eq!(found.fields(), &types::details());
    assert!(found.is_null(3));
    let text = |name| {
        strings(column(&found, name)).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    assert_eq!(text("reason"), ["rule", "no_rule_matches", "not_a_url", ""]);
    assert_eq!(text("kind"), ["allow", "", "", ""]);
    assert_eq!(text("pattern"), ["/cart/help", "", "", ""]);
    assert_eq!(text("error"), ["", "", "", ""]);
    let lines = column(&found, "line").as_primitive::<UInt32Type>();
    assert_eq!(lines.iter().collect::<Vec<_>>(), [Some(3), None, None, None]);
    let allowed = column(&found, "allowed").as_boolean();
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(true), Some(true), Some(false), None]);
}

#[test]
fn a_damaged_policy_is_an_error_of_its_row_and_never_allowed() {
    let robots = BinaryArray::from_vec(vec![FILE]);
    let good = compile(&robots, &texts(["a"]), Dialect::RFC9309).unwrap();
    let mut cut = good.value(0).to_vec();
    cut.pop();
    let policies =
        BinaryArray::from_opt_vec(vec![Some(good.value(0)), Some(&cut), None, Some(b"")]);
    let allowed = check_policies(&policies, &texts(["/x"])).unwrap();
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(true), None, None, None]);
    let found = check_policies_detailed(&policies, &texts(["/x"])).unwrap();
    let errors = strings(column(&found, "error"));
    let is_error: Vec<bool> = errors.iter().map(Option::is_some).collect();
    assert_eq!(is_error, [false, true, false, true], "{errors:?}");
    assert!(found.is_null(2) && found.is_valid(1));
}

#[test]
fn policies_in_any_order_answer_their_own_rows() {
    let files = texts(["User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /b"]);
    let compiled = compile(&files, &texts(["x"]), Dialect::RFC9309).unwrap();
    let [a, b] = [0, 1].map(|at| Some(compiled.value(at)));
    let policies = BinaryArray::from_opt_vec(vec![b, None, a, b, Some(b"damaged"), a, a, b]);
    let urls = ["/a", "/a", "/a", "/b", "/", "-", "/b", "-"].map(Some);
    let urls: StringArray = urls.iter().map(|url| url.filter(|url| *url != "-")).collect();
    let allowed = check_policies(&policies, &urls).unwrap();
    let expected = [Some(true), None, Some(false), Some(false), None, None, Some(true), None];
    assert_eq!(allowed.iter().collect::<Vec<_>>(), expected);
    let details = check_policies_detailed(&policies, &urls).unwrap();
    assert_eq!(column(&details, "allowed").as_boolean(), &allowed);
}

#[test]
fn a_column_that_is_no_text_is_an_error_of_the_call() {
    let numbers = Int32Array::from(vec![1]);
    let error = check(&numbers, &texts(["a"]), &texts(["/"]), Dialect::RFC9309).unwrap_err();
    assert!(error.to_string().starts_with("column `robots`: expected text"), "{error}");
    let error = compile(&texts(["", ""]), &texts(["a", "b", "c"]), Dialect::RFC9309).unwrap_err();
    assert_eq!(error.to_string(), "column `agents`: expected 2 rows or one, but found 3");
}

#[test]
fn statements_have_their_kind_value_group_and_line() {
    let robots =
        BinaryArray::from_opt_vec(vec![Some(FILE), None, Some(b"User-agent: *\nAllow: /\n")]);
    let lists = statements(&robots, Dialect::RFC9309).unwrap();
    assert!(lists.is_null(1));
    assert_eq!(lists.value_length(2), 0);
    let first = lists.value(0);
    let first = first.as_struct();
    let text = |name| strings(column(first, name));
    assert_eq!(text("key"), ["Crawl-delay", "Sitemap", "X"].map(|it| Some(it.to_owned())));
    assert_eq!(text("kind"), [Some("Crawl-delay".to_owned()), Some("Sitemap".to_owned()), None]);
    assert_eq!(text("value"), ["2", "/s", "y"].map(|it| Some(it.to_owned())));
    let lines = column(first, "line").as_primitive::<UInt32Type>();
    assert_eq!(lines.values(), &[4, 5, 6]);
    let agents = column(first, "agents").as_list::<i32>();
    assert_eq!(strings(&agents.value(0)), [Some("*".to_owned())]);

    let lists = sitemaps(&robots, Dialect::RFC9309).unwrap();
    assert_eq!(strings(&lists.value(0)), [Some("/s".to_owned())]);
    assert!(lists.is_null(1) && lists.value(2).is_empty());
}

#[test]
fn metrics_count_what_the_dialect_reads() {
    let long = [&b"User-agent: *\nDisallow: /a\n"[..], &b"#\n".repeat(300_000)].concat();
    let robots = BinaryArray::from_opt_vec(vec![Some(FILE), Some(&long), None, Some(b"")]);
    let found = metrics(&robots, Dialect::RFC9309).unwrap();
    assert_eq!(found.fields(), &types::metrics());
    let counts = |name| {
        column(&found, name)
            .as_primitive::<UInt32Type>()
            .iter()
            .take(2)
            .map(Option::unwrap)
            .collect::<Vec<_>>()
    };
    let bytes = column(&found, "bytes").as_primitive::<UInt64Type>();
    assert_eq!(
        bytes.iter().collect::<Vec<_>>(),
        [Some(FILE.len() as u64), Some(long.len() as u64), None, Some(0)]
    );
    assert_eq!(counts("groups"), [1, 1]);
    assert_eq!(counts("agents"), [1, 1]);
    assert_eq!((counts("allow"), counts("disallow")), (vec![1, 0], vec![1, 1]));
    assert_eq!((counts("sitemaps"), counts("statements")), (vec![1, 0], vec![3, 0]));
    assert_eq!(counts("lines")[0], 6);
    let truncated = column(&found, "truncated").as_boolean();
    assert_eq!(truncated.iter().collect::<Vec<_>>(), [Some(false), Some(true), None, Some(false)]);
}

#[test]
fn lint_counts_findings_and_names_their_rules() {
    let robots =
        BinaryArray::from_opt_vec(vec![Some(&b"User-agent: *\nDissalow: /a\nfoo\n"[..]), None]);
    let found = lint(&robots, &Settings::default()).unwrap();
    assert_eq!(found.fields(), &types::lint());
    let expected = verger_lint::lint(b"User-agent: *\nDissalow: /a\nfoo\n", &Settings::default());
    let counts: u32 = ["errors", "warnings", "notes"]
        .map(|name| column(&found, name).as_primitive::<UInt32Type>().value(0))
        .iter()
        .sum();
    assert_eq!(counts as usize, expected.findings.len());
    let rules = strings(&column(&found, "rules").as_list::<i32>().value(0));
    assert!(rules.contains(&Some("misspelt-key".to_owned())), "{rules:?}");
    assert!(found.is_null(1));
}

#[test]
fn differences_have_urls_that_change() {
    let before = texts(["User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow:\n", ""]);
    let after = texts(["User-agent: *\nDisallow: /b\n", "", "User-agent: x\nDisallow: /\n"]);
    let found = diff(&before, &after, &texts(["ExampleBot"]), None, Dialect::RFC9309).unwrap();
    assert_eq!(found.fields(), &types::diff());
    let equal = column(&found, "equal").as_boolean();
    assert_eq!(equal.iter().collect::<Vec<_>>(), [Some(false), Some(true), Some(true)]);
    let urls = |name| {
        strings(&column(&found, name).as_list::<i32>().value(0))
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    assert_eq!(urls("opened"), ["https://example.com/a"]);
    assert_eq!(urls("closed"), ["https://example.com/b"]);
    assert_eq!(column(&found, "undecided").null_count(), 3);

    // The URLs of an origin, if it is given.
    let origins = texts(["https://shop.example:8443"]);
    let agents = texts(["ExampleBot"]);
    let found = diff(&before, &after, &agents, Some(&origins), Dialect::RFC9309).unwrap();
    let closed = strings(&column(&found, "closed").as_list::<i32>().value(0));
    assert_eq!(closed, [Some("https://shop.example:8443/b".to_owned())]);
}

#[test]
fn a_file_made_of_repeated_names_has_bounded_statements() {
    let names: Vec<String> = (0..3_000).map(|number| format!("User-agent: a{number}\n")).collect();
    let hostile = names.concat() + &"X: y\n".repeat(3_000);
    let files = BinaryArray::from_vec(vec![hostile.as_bytes(), FILE]);
    let found = statements(&files, Dialect::RFC9309).unwrap();
    let agents = |row: usize| {
        let rows = found.value(row);
        let lists = rows.as_struct().column(3).as_list::<i32>().clone();
        (lists.len(), lists.null_count(), lists.values().len())
    };
    let (records, nulls, names) = agents(0);
    assert_eq!(records, 3_000);
    assert!(nulls > 0 && nulls < 3_000 && names <= 1 << 20, "{nulls} {names}");
    assert_eq!(agents(1).1, 0);
}
