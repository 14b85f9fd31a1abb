//! Metric packs over columns, against the metrics of each file.

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, BinaryArray, Int32Array, StringArray, StructArray};
use verger::Dialect;
use verger_arrow::{Responses, changes, pack_metrics, tables, types};
use verger_metrics::{CrawlerAccess, Fetched, Pack, Restriction, RobotsTxt};

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
        let found = pack_metrics(
            &Responses::from(&robots as &dyn arrow_array::Array),
            pack,
            Dialect::RFC9309,
        )
        .unwrap();
        assert_eq!(found.fields(), &types::pack(pack), "{pack}");
        assert!(found.fields().len() > 2, "{pack}");
        let nulls: Vec<bool> = (0..4).map(|row| found.is_null(row)).collect();
        assert_eq!(nulls, [false, true, false, false], "{pack}");
        let none = BinaryArray::from_vec(Vec::new());
        let found = pack_metrics(
            &Responses::from(&none as &dyn arrow_array::Array),
            pack,
            Dialect::RFC9309,
        );
        assert_eq!(found.unwrap().len(), 0, "{pack}");
    }
}

#[test]
fn rows_are_the_metrics_of_their_responses() {
    let (robots, status) = (robots(), Int32Array::from(vec![Some(200), Some(500), None, Some(-1)]));
    let types = StringArray::from(vec![Some("text/plain"), None, None, Some("text/html")]);
    let responses = Responses {
        status: Some(&status),
        content_type: Some(&types),
        ..Responses::from(&robots as &dyn arrow_array::Array)
    };
    let found = pack_metrics(&responses, Pack::HttpArchive, Dialect::RFC9309).unwrap();
    let count = |name: &str, row| {
        let column = found.column_by_name(name).expect("a field").as_primitive::<UInt64Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    assert_eq!([0, 2, 3].map(|row| count("status", row)), [Some(200), None, None]);
    for row in [0, 2, 3] {
        let fetched = Fetched::from(FILES[row].expect("a file"));
        let metric = RobotsTxt::of(&fetched).unwrap();
        assert_eq!(count("size", row), Some(metric.size));
        let map = found.column_by_name("by_type").expect("a field").as_map().value(row);
        let keys: Vec<_> = map.column(0).as_string::<i32>().iter().flatten().collect();
        assert!(keys.iter().copied().eq(metric.by_type.keys()), "{keys:?}");
    }
    let found = pack_metrics(&responses, Pack::CommonCrawl, Dialect::RFC9309).unwrap();
    let outcome = found.column_by_name("outcome").expect("a field").as_string::<i32>();
    let outcomes: Vec<_> = outcome.iter().collect();
    // The third response has no media type.
    let expected = [Some("counted"), None, Some("no_content_type"), Some("not_plain_text")];
    assert_eq!(outcomes, expected);
}

#[test]
fn crawlers_are_listed_by_their_restriction() {
    let robots = robots();
    let responses = Responses::from(&robots as &dyn arrow_array::Array);
    let found = pack_metrics(&responses, Pack::Crawlers, Dialect::RFC9309).unwrap();
    for row in [0, 2, 3] {
        let access = CrawlerAccess::of(FILES[row].expect("a file"), Dialect::RFC9309);
        let closed = access.crawlers().filter(|it| it.1.restriction == Some(Restriction::All));
        assert!(closed.map(|it| it.0.token()).eq(texts(&found, "closed", row)));
    }
    assert_eq!(texts(&found, "closed_purposes", 0), ["training"]);
}

#[test]
fn a_hostile_file_is_an_error_of_its_row() {
    let agents: Vec<_> = (0..20_000).map(|it| format!("user-agent: {it}\n")).collect();
    let records: Vec<_> = (0..20_000).map(|it| format!("k{it}: x\n")).collect();
    let hostile = agents.concat() + &records.concat();
    let robots = BinaryArray::from_vec(vec![hostile.as_bytes(), b"Allow: /\n"]);
    let responses = Responses::from(&robots as &dyn arrow_array::Array);
    let found = pack_metrics(&responses, Pack::HttpArchive, Dialect::RFC9309).unwrap();
    let errors = found.column_by_name("error").expect("a field").as_string::<i32>();
    assert!(errors.is_valid(0) && errors.is_null(1));
    assert!(found.is_valid(0) && found.column(0).is_null(0));
    let tables = tables(&responses, Pack::HttpArchive, Dialect::RFC9309).unwrap();
    let (name, sites) = &tables[3];
    assert_eq!(*name, "sites_with_robots_txt");
    assert_eq!(sites.column(0).as_primitive::<UInt64Type>().values(), &[1]);
}

#[test]
fn changes_list_crawlers_by_direction() {
    let before = BinaryArray::from_opt_vec(vec![Some(b""), Some(b"a"), None]);
    let after = BinaryArray::from_opt_vec(vec![FILES[0], Some(b"a"), Some(b"")]);
    let found = changes(&before, &after, Dialect::RFC9309).unwrap();
    assert_eq!(found.fields(), &types::changes());
    assert_eq!(texts(&found, "closed", 0), ["GPTBot"]);
    assert_eq!(texts(&found, "gained", 0), ["Sitemap"]);
    assert!(texts(&found, "opened", 0).is_empty());
    let edited = found.column(0).as_boolean();
    assert_eq!((edited.value(0), edited.value(1), found.is_null(2)), (true, false, true));
}
