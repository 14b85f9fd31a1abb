//! Rules for the bundled data.

use std::collections::BTreeSet;

use verger::{Crawler as Rules, Dialect, ProductToken};
use verger_registry::words::is_ordinary;
use verger_registry::{Crawler, Date, FactSource, Field, Purpose, Registry, RobotsPolicy, limits};

fn crawlers() -> &'static [Crawler] {
    Registry::bundled().crawlers()
}

/// The known crawlers and the further ones.
fn all() -> impl Iterator<Item = &'static Crawler> {
    crawlers().iter().chain(Registry::bundled().further_crawlers())
}

/// All sources of a crawler.
fn sources(crawler: &Crawler) -> impl Iterator<Item = &FactSource> {
    let of_fields = Field::ALL.iter().filter_map(|field| crawler.source_of(*field));
    of_fields.chain([crawler.source()])
}

#[test]
fn there_are_enough_crawlers_of_every_purpose() {
    assert!(crawlers().len() >= 160, "{}", crawlers().len());
    for &purpose in Purpose::ALL {
        assert!(crawlers().iter().any(|crawler| crawler.purpose() == purpose), "{purpose}");
    }
}

#[test]
fn crawlers_are_sorted_by_token() {
    for crawlers in [crawlers(), Registry::bundled().further_crawlers()] {
        let tokens: Vec<_> = crawlers.iter().map(|it| it.token().to_ascii_lowercase()).collect();
        for pair in tokens.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
    }
}

#[test]
fn further_crawlers_share_no_name_and_no_header_with_another_crawler() {
    let registry = Registry::bundled();
    assert!(registry.further_crawlers().len() >= 300, "{}", registry.further_crawlers().len());
    let mut names = BTreeSet::new();
    for crawler in crawlers() {
        let lists = [crawler.aliases(), crawler.products(), crawler.user_agents()];
        let words = lists.into_iter().flatten().map(String::as_str).chain([crawler.token()]);
        names.extend(words.map(str::to_ascii_lowercase));
    }
    for crawler in registry.further_crawlers() {
        let name = crawler.token();
        assert!(crawler.is_name_only() && crawler.documentation().is_some(), "{name}");
        assert_eq!(crawler.robots_policy(), RobotsPolicy::Unstated, "{name}");
        assert_eq!(crawler.source_of(Field::Robots), None, "{name}");
        assert!(names.insert(name.to_ascii_lowercase()), "{name}");
        assert!(registry.find(name).is_none(), "{name}");
        assert!(name.parse::<ProductToken>().is_ok(), "{name}");
        // Other characters are read at the start of a header only.
        let is_odd = name.contains('!');
        let headers = [name.to_owned(), format!("{name}/1.0 (+https://bot.example/)")].into_iter();
        let more = [
            format!("Mozilla/5.0 (compatible; {}/1.0)", name.to_ascii_uppercase()),
            format!("Mozilla/5.0 (X11; Linux x86_64) {name}"),
        ];
        for header in headers.chain(more.into_iter().filter(|_| !is_odd)) {
            let found: Vec<_> = registry.identify(&header).map(Crawler::token).collect();
            assert_eq!(found, [name], "{header}");
        }
    }
}

#[test]
fn known_crawlers_come_first_and_libraries_only_alone() {
    for (header, expected) in [
        ("serpstatbot/1.0 (advanced backlink tracking bot; curl/7.58.0)", &["serpstatbot"][..]),
        ("curl/8.5.0", &["curl"]),
        ("OICrawler/Nutch", &["OICrawler"]),
        (
            "FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot",
            &["Googlebot", "FreshRSS"],
        ),
        ("python-requests/2.32 curl/8.5.0", &["python-requests", "curl"]),
    ] {
        let found: Vec<_> = Registry::bundled().identify(header).map(Crawler::token).collect();
        assert_eq!(found, expected, "{header}");
    }
}

#[test]
fn every_crawler_is_found_by_its_names() {
    for crawler in crawlers() {
        for name in crawler.aliases().iter().map(String::as_str).chain([crawler.token()]) {
            let found = Registry::bundled().find(&name.to_ascii_uppercase());
            assert_eq!(found.map(Crawler::token), Some(crawler.token()), "{name}");
        }
    }
}

#[test]
fn products_are_no_names_of_crawlers() {
    let mut all = BTreeSet::new();
    for product in crawlers().iter().flat_map(Crawler::products) {
        assert!(Registry::bundled().find(product).is_none(), "{product}");
        assert!(all.insert(product.to_ascii_lowercase()), "{product}");
    }
    assert!(all.contains("gemini"));
}

#[test]
fn names_and_chains_consist_of_product_tokens() {
    for crawler in crawlers() {
        let names = crawler.aliases().iter().chain(crawler.tokens()).chain(crawler.user_agents());
        for name in names.map(String::as_str).chain([crawler.token()]) {
            assert!(name.parse::<ProductToken>().is_ok(), "{name}");
        }
        assert_eq!(crawler.rules().check_tokens(), Ok(()), "{}", crawler.token());
    }
}

#[test]
fn every_token_of_a_chain_is_known_and_the_own_one_is_the_first() {
    for crawler in crawlers() {
        for token in crawler.tokens() {
            assert!(Registry::bundled().find(token).is_some(), "{token}");
        }
        let first = crawler.tokens().first();
        assert!(first.is_none_or(|first| first == crawler.token()), "{}", crawler.token());
    }
}

#[test]
fn headers_with_a_word_of_a_crawler_name_it() {
    for crawler in crawlers() {
        for word in crawler.user_agents() {
            for (header, is_for_browsers) in [
                (format!("{word}/1.0"), false),
                (format!("Mozilla/5.0 (compatible; {word}/1.0; +https://bot.example/)"), false),
                (format!("Mozilla/5.0 (X11; Linux x86_64) {word}"), true),
            ] {
                let words = Rules::from_user_agent(&header).expect("a word");
                assert_eq!(words, Rules::new(word.as_str()), "{header}");
                let mut found = Registry::bundled().identify(&header);
                let is_found = found.any(|found| found.token() == crawler.token());
                assert_eq!(is_found, !is_for_browsers || !is_ordinary(word, true), "{header}");
            }
        }
        let has_no_header = crawler.user_agents().is_empty();
        assert!(
            has_no_header || crawler.purpose() != Purpose::ControlToken,
            "{}: a control token is in no header",
            crawler.token()
        );
    }
}

#[test]
fn urls_have_scheme_https() {
    for crawler in all() {
        let urls = crawler.ip_ranges().iter().map(String::as_str);
        let urls = urls.chain(crawler.documentation()).chain(crawler.signature_agent());
        for url in urls.chain(sources(crawler).map(FactSource::url)) {
            let host = url.strip_prefix("https://").unwrap_or_default();
            assert!(host.contains('.') && !url.contains(char::is_whitespace), "{url}");
        }
        for domain in crawler.reverse_dns() {
            let is_legal = |octet: u8| octet.is_ascii_lowercase() || octet.is_ascii_digit();
            let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_legal);
            assert!(domain.contains('.') && domain.split('.').all(is_label), "{domain}");
        }
    }
}

#[test]
fn no_date_is_after_that_of_the_data() {
    let date = Registry::bundled().date();
    assert!(date.to_string().len() == 10, "{date}");
    for crawler in all() {
        // The date of a text without one is the day on which it was read.
        let dates = sources(crawler).filter(|source| source.is_dated()).map(FactSource::date);
        for earlier in dates.chain(crawler.retired()) {
            assert!(earlier <= date, "{}: {earlier}", crawler.token());
        }
        // A row can be added without a comparison of all others, after the date of the data.
        assert!(
            sources(crawler).all(|source| source.date() <= source.read()),
            "{}",
            crawler.token()
        );
        let is_day = |date: Date| date.to_string().len() == 10;
        assert!(sources(crawler).all(|source| is_day(source.read())), "{}", crawler.token());
    }
}

#[test]
fn texts_are_not_empty_and_notes_are_phrases() {
    for crawler in all() {
        let texts = [crawler.operator(), crawler.note()];
        for text in texts.into_iter().flatten() {
            assert!(!text.is_empty() && text.trim() == text, "{}: {text:?}", crawler.token());
        }
        assert!(!crawler.note().is_some_and(|note| note.ends_with('.')), "{}", crawler.token());
    }
}

/// A row of the semantic reference (`agents.jsonl`): token, tokens in their order, whether groups
/// for `*` apply, and its kind.
type Reference = (&'static str, &'static [&'static str], bool, Kind);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    Control,
    MayIgnore,
}

use Kind::{Control, MayIgnore, Plain};

#[rustfmt::skip]
const REFERENCE: [Reference; 37] = [
    ("Googlebot", &["Googlebot"], true, Plain),
    ("Googlebot-Image", &["Googlebot-Image", "Googlebot"], true, Plain),
    ("Googlebot-Video", &["Googlebot-Video", "Googlebot"], true, Plain),
    ("Googlebot-News", &["Googlebot-News", "Googlebot"], true, Plain),
    ("Google-InspectionTool", &["Google-InspectionTool", "Googlebot"], true, Plain),
    ("Storebot-Google", &["Storebot-Google"], true, Plain),
    ("GoogleOther", &["GoogleOther"], true, Plain),
    ("GoogleOther-Image", &["GoogleOther-Image", "GoogleOther"], true, Plain),
    ("GoogleOther-Video", &["GoogleOther-Video", "GoogleOther"], true, Plain),
    ("Google-CloudVertexBot", &["Google-CloudVertexBot"], true, Plain),
    ("Google-Extended", &["Google-Extended"], true, Control),
    ("APIs-Google", &["APIs-Google"], false, Plain),
    ("AdsBot-Google", &["AdsBot-Google"], false, Plain),
    ("Mediapartners-Google", &["Mediapartners-Google"], false, Plain),
    ("AdsBot-Google-Mobile", &["AdsBot-Google-Mobile"], false, Plain),
    ("Google-Safety", &[], false, MayIgnore),
    ("FeedFetcher-Google", &[], false, MayIgnore),
    ("Applebot", &["Applebot", "Googlebot"], true, Plain),
    ("Applebot-Extended", &["Applebot-Extended"], true, Control),
    ("bingbot", &["bingbot", "msnbot"], true, Plain),
    ("YandexBot", &["YandexBot", "Yandex"], true, Plain),
    ("Baiduspider", &["Baiduspider"], true, Plain),
    ("Yeti", &["Yeti"], true, Plain),
    ("SeznamBot", &["SeznamBot"], true, Plain),
    ("Amazonbot", &["Amazonbot"], true, Plain),
    ("ClaudeBot", &["ClaudeBot"], true, Plain),
    ("Claude-User", &["Claude-User"], true, Plain),
    ("Claude-SearchBot", &["Claude-SearchBot"], true, Plain),
    ("GPTBot", &["GPTBot"], true, Plain),
    ("OAI-SearchBot", &["OAI-SearchBot"], true, Plain),
    ("ChatGPT-User", &["ChatGPT-User"], true, MayIgnore),
    ("CCBot", &["CCBot"], true, Plain),
    ("Perplexity-User", &["Perplexity-User"], true, MayIgnore),
    ("facebookexternalhit", &["facebookexternalhit"], true, MayIgnore),
    ("meta-externalfetcher", &["meta-externalfetcher"], true, MayIgnore),
    ("meta-externalagent", &["meta-externalagent"], true, Plain),
    ("Bytespider", &["Bytespider"], true, Plain),
];

#[test]
fn crawlers_of_the_reference_have_its_chains() {
    for (token, chain, has_star, kind) in REFERENCE {
        let crawler = Registry::bundled().find(token).expect(token);
        assert_eq!(crawler.token(), token);
        assert!(crawler.has_documented_tokens(), "{token}");
        assert_eq!(crawler.tokens(), chain, "{token}");
        assert_eq!(crawler.falls_back_to_star(), has_star, "{token}");
        // One that ignores robots.txt keeps its token as its name.
        let rules = match chain {
            [] => Rules::new(token).without_robots(),
            chain => Rules::chain(chain.iter().copied()),
        };
        let rules = if has_star { rules } else { rules.without_star() };
        assert_eq!(*crawler.rules(), rules, "{token}");

        let is_control = crawler.purpose() == Purpose::ControlToken;
        assert_eq!(is_control, kind == Control, "{token}");
        let ignores = crawler.robots_policy() == RobotsPolicy::Ignores;
        assert_eq!(ignores, kind == MayIgnore, "{token}");
        assert!(kind == Plain || crawler.caveat().is_some(), "{token}");
    }
}

/// For these crawlers, no field relies on the source of its row.
#[test]
fn every_field_of_the_reference_states_its_source() {
    let file = include_str!("../crawlers.toml");
    for (token, ..) in REFERENCE {
        let crawler = Registry::bundled().find(token).expect(token);
        let start = format!("\n[[crawlers]]\ntoken = \"{token}\"\n");
        let (_, row) = file.split_once(&start).expect(token);
        let row = row.split("\n[[crawlers]]").next().unwrap_or_default();
        let (_, stated) = row.split_once("[crawlers.sources]\n").expect(token);
        let stated: BTreeSet<_> =
            stated.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        let known = Field::ALL.iter().copied().filter(|field| crawler.source_of(*field).is_some());
        assert_eq!(stated, known.map(Field::name).collect(), "{token}");
    }
}

/// Fallbacks that two operators document as part of the selection of groups are also in the
/// dialects.
#[test]
fn fallbacks_of_dialects_are_those_of_the_chains() {
    for (name, dialect) in [("bingbot", Dialect::BING), ("YandexBot", Dialect::YANDEX)] {
        let fallback = dialect.fallback.expect("a fallback");
        let crawler = Registry::bundled().find(name).expect(name);
        assert!(name.starts_with(fallback.family));
        assert_eq!(crawler.tokens().last().map(String::as_str), Some(fallback.name));
    }
}

/// A header with the token of a crawler is answered as its token, but not in dialect `google`
/// (REP-AMB-13).
#[test]
fn a_name_and_its_headers_have_one_answer() {
    let registry = Registry::bundled();
    for crawler in crawlers() {
        let token = crawler.token();
        for agent in [
            token.to_owned(),
            token.to_ascii_lowercase(),
            format!("{token}/1.0"),
            format!("Mozilla/5.0 (compatible; {token}/2.1; +https://bot.example/)"),
        ] {
            let read = registry.resolve(&agent, true);
            assert_eq!(&*read.rules, crawler.rules(), "{agent}");
            assert_eq!(read.known.map(Crawler::token), Some(token), "{agent}");
        }
        let header = format!("{token}/1.0");
        assert_eq!(*registry.resolve(&header, false).rules, Rules::new(header));
        assert_eq!(&*registry.resolve(token, false).rules, crawler.rules(), "{token}");
    }
}

#[test]
fn special_rules_do_not_count_in_a_header_of_several_products() {
    let registry = Registry::bundled();
    for header in ["MyBot/1.0 (like AdsBot-Google)", "MyBot/1.0 Google-Safety/2.0"] {
        let rules = registry.resolve(header, true).rules;
        assert_eq!(*rules, Rules::from_user_agent(header).expect("words"), "{header}");
    }
}

#[test]
fn texts_without_a_product_token_are_literal() {
    for text in ["", " ", "*", "Mozilla/5.0 (X11)", "\u{1b}[2J", "https://h.example/"] {
        let rules = Registry::bundled().resolve(text, true).rules;
        assert_eq!(*rules, Rules::new(text), "{text:?}");
    }
}

#[test]
fn sources_are_used() {
    let file = include_str!("../crawlers.toml");
    for (_, rest) in
        file.match_indices("\n[sources.").map(|(at, start)| file.split_at(at + start.len()))
    {
        let key = rest.split(']').next().unwrap_or_default();
        let is_end =
            |line: &str| line.contains(&format!(",{key},")) || line.ends_with(&format!(" {key}"));
        let is_used = file.contains(&format!(" = \"{key}\"\n"));
        assert!(is_used || include_str!("../names.csv").lines().any(is_end), "{key}");
    }
}

/// Words of the pages `bots/botbase` and `bots/concepts/bot/verified-bots/categories` of
/// Cloudflare's documentation (2026).
#[rustfmt::skip]
const CLOUDFLARE: [&[&str]; 2] = [
    &[
        "Ads Verification", "Agent", "Data Collection", "Feed Fetching", "Monitoring & Operations",
        "SEO", "Search", "Security Testing", "Social / Link Preview", "Training", "Transact",
    ],
    &[
        "AI Assistant", "AI Crawler", "AI Search", "Academic Research", "Accessibility",
        "Advertising & Marketing", "Aggregator", "Archiver", "Feed Fetcher",
        "Monitoring & Analytics", "Other", "Page Preview", "Search Engine Crawler",
        "Search Engine Optimization", "Security", "Social Media Marketing", "Webhooks",
    ],
];

#[test]
fn every_word_of_cloudflare_has_a_purpose() {
    let page = include_str!("../../../docs/registry.md");
    let (_, table) = page.split_once("| `cf.verified_bot_category` |\n").expect("a table");
    let rows = table.lines().skip(1).map_while(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    let purposes = rows.iter().map(|row| row[0].trim_end_matches('`'));
    assert!(purposes.eq(Purpose::ALL.iter().map(|purpose| purpose.name())));
    for (words, column) in CLOUDFLARE.iter().zip(1..) {
        let used = rows.iter().flat_map(|row| row[column].split(", ")).filter(|word| *word != "–");
        let used: BTreeSet<_> = used.map(|word| word.trim_matches('`')).collect();
        assert_eq!(used.into_iter().collect::<Vec<_>>(), *words);
    }
}

#[test]
fn the_page_of_the_book_counts_the_crawlers() {
    let page = include_str!("../../../docs/registry.md");
    let total = crawlers().len();
    assert!(page.contains(&format!("data about {total} crawlers")), "{total}");
    let further = Registry::bundled().further_crawlers();
    assert!(page.contains(&format!("names of {} further", further.len())), "{}", further.len());
    for &purpose in Purpose::ALL {
        let count = |crawlers: &[Crawler]| {
            crawlers.iter().filter(|crawler| crawler.purpose() == purpose).count()
        };
        let row = page.lines().find(|line| line.starts_with(&format!("| `{purpose}` |")));
        let row = row.unwrap_or_else(|| panic!("expected a row of {purpose}"));
        let counts = format!(" {} | {} |", count(crawlers()), count(further));
        assert!(row.ends_with(&counts), "{row}: {counts}");
    }
    let (date, age) = (Registry::bundled().date(), limits::MAX_AGE.as_secs() / (24 * 60 * 60));
    let dated = format!("sources on {date}. {age} days later");
    assert!(page.contains(&dated), "{dated}");
}
