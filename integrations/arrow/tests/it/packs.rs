//! Metric packs over columns, against the metrics of each file.

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, BinaryArray, StringArray, StructArray};
use verger::Dialect;
use verger_arrow::{changes, pack_metrics, tables, types};
use verger_metrics::{Consent, CrawlerAccess, Pack, Restriction, Statements};

const FILES: [Option<&[u8]>; 4] = [
    Some(b"User-agent: GPTBot\nDisallow: / # all\nSitemap: /s\n"),
    None,
    Some(b"User-agent: *\nDisallow: /cart\nContent-Usage: train-ai=n\n"),
    Some(b""),
];

fn robots() -> BinaryArray {
    BinaryArray::from_opt_vec(FILES.to_vec())
}

fn texts(array: &StructArray, name: &str, row: usize) -> Vec<String> {
    let list = array.column_by_name(name).expect("a field").as_list::<i32>().value(row);
    list.as_string::<i32>().iter().flatten().map(str::to_owned).collect()
}

#[test]
fn every_pack_has_its_fields_and_keeps_nulls() {
    let robots = robots();
    for pack in Pack::ALL {
        let found = pack_metrics(&robots, pack, Dialect::RFC9309).unwrap();
        assert_eq!(found.fields(), &types::pack(pack), "{pack}");
        assert!(found.fields().len() > 1, "{pack}");
        let nulls: Vec<bool> = (0..4).map(|row| found.is_null(row)).collect();
        assert_eq!(nulls, [false, true, false, false], "{pack}");
        let none = BinaryArray::from_vec(Vec::new());
        let found = pack_metrics(&none, pack, Dialect::RFC9309);
        assert_eq!(found.unwrap().len(), 0, "{pack}");
    }
}

#[test]
fn rows_are_the_metrics_of_their_files() {
    let consent = pack_metrics(&robots(), Pack::Consent, Dialect::RFC9309).unwrap();
    let statements = pack_metrics(&robots(), Pack::Statements, Dialect::RFC9309).unwrap();
    for row in [0, 2, 3] {
        let file = FILES[row].expect("a file");
        let metric = Consent::of(file, Dialect::RFC9309);
        let star = consent.column_by_name("star").expect("a field").as_string::<i32>();
        assert_eq!(Some(star.value(row)), metric.star.map(Restriction::name));
        let agents = consent.column_by_name("agents").expect("a field").as_list::<i32>();
        let agents = agents.value(row);
        let names = agents.as_struct().column(0).as_string::<i32>();
        assert!(names.iter().flatten().eq(metric.agents.keys()), "{names:?}");

        let metric = Statements::of(file, Dialect::RFC9309);
        let counts = statements.column_by_name("counts").expect("a field").as_map().value(row);
        let keys: Vec<_> = counts.column(0).as_string::<i32>().iter().flatten().collect();
        assert!(keys.iter().eq(metric.counts.keys()), "{keys:?}");
    }
}

#[test]
fn tables_count_files_and_no_nulls() {
    let tables = tables(&robots(), Pack::Consent, Dialect::RFC9309).unwrap();
    let [(name, table)] = &tables[..] else { panic!("{tables:?}") };
    assert_eq!(*name, "consent");
    let observed = table.column_by_name("observed").expect("a column");
    assert_eq!(observed.as_primitive::<UInt64Type>().values(), &[3, 1, 1]);
}

#[test]
fn crawlers_are_listed_by_their_restriction() {
    let robots = robots();
    let found = pack_metrics(&robots, Pack::Crawlers, Dialect::RFC9309).unwrap();
    for row in [0, 2, 3] {
        let access = CrawlerAccess::of(FILES[row].expect("a file"), Dialect::RFC9309);
        let closed = access.crawlers().filter(|it| it.1.restriction == Some(Restriction::All));
        assert!(closed.map(|it| it.0.token()).eq(texts(&found, "closed", row)));
    }
    assert_eq!(texts(&found, "closed_purposes", 0), ["training"]);
}

#[test]
fn changes_list_crawlers_by_direction() {
    let rules = |rules: &str| Some(format!("User-agent: GPTBot\n{rules}\n"));
    let directions = ["closed", "restricted", "relaxed", "opened"];
    let versions = [
        ("Disallow:", "Disallow: /", &["closed"][..]),
        ("Disallow:", "Disallow: /x", &["restricted"]),
        ("Disallow: /x", "Disallow:", &["relaxed"]),
        ("Disallow: /", "Disallow: /x", &["opened"]),
        ("Disallow: /x", "Disallow: /y", &[]),
    ];
    let before: StringArray = versions.iter().map(|(before, ..)| rules(before)).collect();
    let after: StringArray = versions.iter().map(|(_, after, _)| rules(after)).collect();
    let found = changes(&before, &after, Dialect::RFC9309).unwrap();
    assert_eq!(found.fields(), &types::changes());
    for (row, (_, after, expected)) in versions.into_iter().enumerate() {
        let listed = directions.into_iter().filter(|name| texts(&found, name, row) == ["GPTBot"]);
        assert!(listed.eq(expected.iter().copied()), "{after}");
    }
}

#[test]
fn changes_have_statements_and_nulls() {
    let before = BinaryArray::from_opt_vec(vec![Some(b""), Some(b"a"), None]);
    let after = BinaryArray::from_opt_vec(vec![FILES[0], Some(b"a"), Some(b"")]);
    let found = changes(&before, &after, Dialect::RFC9309).unwrap();
    assert_eq!(texts(&found, "gained", 0), ["Sitemap"]);
    let edited = found.column(0).as_boolean();
    assert_eq!((edited.value(0), edited.value(1), found.is_null(2)), (true, false, true));
}
