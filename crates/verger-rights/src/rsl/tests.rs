//! Tests of RSL.

use super::*;
use Outcome::{Allowed, Conditional, Refused, Unknown, Unstated};

fn document(contents: &str) -> String {
    format!("<?xml version='1.0'?><rsl xmlns='{RSL_NAMESPACE}'>{contents}</rsl>")
}

/// The outcomes of search, training, input and mining.
#[track_caller]
fn check(contents: &str, url: &str, expected: [Outcome; 4], findings: usize) -> Terms {
    let rsl = Rsl::parse(document(contents).as_bytes()).unwrap();
    let terms = rsl.terms(&url.parse().unwrap());
    assert_eq!(Use::ALL.map(|it| terms.of(it)), expected, "{contents}");
    assert_eq!(rsl.findings.len(), findings, "{:?}", rsl.findings);
    terms
}

fn content(url: &str, licenses: &[&str]) -> String {
    let licenses: Vec<_> = licenses.iter().map(|it| format!("<license>{it}</license>")).collect();
    format!("<content url='{url}'>{}</content>", licenses.concat())
}

const NO_AI: &str = "<prohibits type='usage'>ai-all</prohibits>";
const TRAIN: &str = "<permits type='usage'>ai-train</permits>";
const ALL: &str = "<permits type='usage'>all</permits>";
const URL: &str = "https://shop.example/articles/1";

/// The examples of the specification, as facts: sections 1.1, 3.1.2 and 3.7.
#[test]
fn examples_of_the_specification() {
    check(&content("/", &[NO_AI]), URL, [Unstated, Refused, Refused, Unstated], 0);
    let articles = content("/articles/", &["<prohibits type='usage'>ai-train</prohibits>"]);
    let both = content("/", &[ALL]) + &articles;
    check(&both, URL, [Allowed, Refused, Allowed, Allowed], 0);
    check(&both, "https://shop.example/x", [Allowed; 4], 0);
    let pay = "<payment type='crawl'><amount currency='USD'>0.015</amount></payment>";
    let terms = check(&content("*", &[pay]), URL, [Conditional; 4], 0);
    assert_eq!(terms.conditions, ["payment `crawl` `0.015 USD`"]);
    // An attribute of another namespace is not the payment's.
    let pay = pay.replace("<payment", "<payment xmlns:x='urn:x' x:type='free'");
    check(&content("*", &[&pay]), URL, [Conditional; 4], 0);
    let credit = "<payment type='attribution'><standard>https://cc.example/by</standard></payment>";
    let terms = check(&content("/", &[&(ALL.to_owned() + credit)]), URL, [Conditional; 4], 0);
    assert_eq!(terms.conditions, ["payment `attribution` `https://cc.example/by`"]);
}

#[test]
fn a_prohibition_wins_and_a_list_excludes_other_uses() {
    let both = TRAIN.to_owned() + "<prohibits type='usage'>all</prohibits>";
    check(&content("/", &[&both]), URL, [Refused; 4], 0);
    check(&content("/", &[TRAIN, NO_AI]), URL, [Refused, Refused, Refused, Refused], 0);
    check(&content("/", &[TRAIN]), URL, [Refused, Allowed, Refused, Refused], 0);
}

#[test]
fn licences_are_alternatives() {
    let pay = "<permits type='usage'>ai-input</permits><payment type='use'/>";
    let terms =
        check(&content("/", &[TRAIN, pay]), URL, [Refused, Allowed, Conditional, Refused], 0);
    assert_eq!(terms.conditions, ["payment `use`"]);
    // One that could not be read may permit what the others exclude.
    for broken in [TRAIN.replace(" type='usage'", ""), "<permit/>".to_owned()] {
        let other = "<permits type='usage'>search ai-input</permits>";
        check(&content("/", &[other, &broken]), URL, [Unknown; 4], 1);
        check(
            &content("/", &[other, &broken, NO_AI]),
            URL,
            [Unknown, Refused, Refused, Unknown],
            1,
        );
    }
    let unread = content("/", &[TRAIN]).replace("<license>", "<licence/><license>");
    check(&unread, URL, [Unknown; 4], 1);
    let user = TRAIN.to_owned() + "<permits type='user'>non-commercial</permits>";
    let terms = check(&content("/", &[&user]), URL, [Refused, Conditional, Refused, Refused], 0);
    assert_eq!(terms.conditions, ["only for user `non-commercial`"]);
    let reports = "<reporting profile='https://p.example/'/><reporting/>";
    let terms = check(&content("/", &[&(ALL.to_owned() + reports)]), URL, [Conditional; 4], 0);
    assert_eq!(terms.conditions, ["reports"]);
    check(&content("/", &[&user, TRAIN]), URL, [Refused, Allowed, Refused, Refused], 0);
    for (license, expected) in [
        (ALL, [Conditional; 4]),
        ("", [Conditional; 4]),
        (NO_AI, [Conditional, Refused, Refused, Conditional]),
        (TRAIN, [Refused, Conditional, Refused, Refused]),
    ] {
        let server = content("/", &[license]).replace("url=", "server='https://l.example' url=");
        let terms = check(&server, URL, expected, 0);
        assert_eq!(terms.conditions, ["licence of the server `https://l.example`"]);
    }
}

#[test]
fn the_longest_pattern_that_states_something_decides() {
    let no = content("/", &["<prohibits type='usage'>all</prohibits>"]);
    check(
        &(no.clone() + &content("/articles/", &[TRAIN])),
        URL,
        [Refused, Allowed, Refused, Refused],
        0,
    );
    check(&(no + &content("/articles/", &["<payment/>"])), URL, [Refused; 4], 0);
    let same = content("/articles/", &[NO_AI]) + &content("/articles/", &[ALL]);
    check(&same, URL, [Allowed, Refused, Refused, Allowed], 0);
    check(&content("https://other.example/", &[ALL]), URL, [Unstated; 4], 0);
    // Conditions of a use that another entry decides are not reported.
    let crawl = TRAIN.to_owned() + "<payment type='crawl'/>";
    let input = "<permits type='usage'>ai-input</permits><payment type='use'/>";
    let no = content("/articles/1", &["<prohibits type='usage'>ai-input</prohibits>"]);
    let both = content("/articles/", &[&crawl, input]) + &no;
    let terms = check(&both, URL, [Refused, Conditional, Refused, Refused], 0);
    assert_eq!(terms.conditions, ["payment `crawl`"]);
}

#[test]
fn a_mistake_is_a_finding_and_never_a_permission() {
    check(&content("/", &["<permit type='usage'>all</permit>"]), URL, [Unknown; 4], 1);
    check(&content("/", &["<permits>all</permits>"]), URL, [Unknown; 4], 1);
    check(&content("articles", &[ALL]), URL, [Unknown; 4], 1);
    check(&content("/", &[&TRAIN.replace("train", "trian")]), URL, [Unknown; 4], 1);
    let odd = "<permits type='usage'>ai-train ai-trian x y</permits>";
    check(&content("/", &[odd]), URL, [Unknown; 4], 1);
    let comma = "<permits type='usage'>search,ai-train</permits>";
    check(&content("/", &[comma]), URL, [Unknown; 4], 1);
    // The words that a list prohibits are refused.
    for (list, training, input) in [
        ("<permits type='usage'>x:a,ai-train</permits>", Unknown, Unknown),
        ("<prohibits type='usage'>ai-train, ai-input</prohibits>", Unknown, Refused),
    ] {
        let license = ALL.to_owned() + list;
        check(&content("/", &[&license]), URL, [Unknown, training, input, Unknown], 1);
    }
    check("<content url='/'/>", URL, [Unknown; 4], 1);
    // Elements of other namespaces, and those inside of them, may be restrictions.
    let foreign = format!("<x:a xmlns:x='https://x.example'><permits/>{NO_AI}</x:a>{TRAIN}");
    check(&content("/", &[&foreign]), URL, [Unknown; 4], 1);
    let age = document("").replace("<rsl", "<rsl max-age='0'");
    assert_eq!(Rsl::parse(age.as_bytes()).unwrap().findings.len(), 1);
    let age = Rsl::parse(age.replace("'0'", "'30'").as_bytes()).unwrap();
    assert_eq!(age.max_age_days, Some(30));
}

#[test]
fn a_finding_says_what_is_expected() {
    for (contents, expected) in [
        (
            content("/", &[ALL]).replace("<license", "<license until='2020'"),
            "expected no attribute in `license`, but found `until`",
        ),
        (
            content("/", &[ALL]).replace("</content>", "no training</content>"),
            "expected no text in `content`, but found `no training`",
        ),
        (
            content("/", &["<permits type='usage'>all<x/></permits>"]),
            "expected no element in `permits`, but found `x`",
        ),
        (
            content("/", &["<permits type='usage'>ai-train,all</permits>"]),
            "expected words such as `ai-train` in `permits`, but found `ai-train,all`",
        ),
    ] {
        let rsl = Rsl::parse(document(&contents).as_bytes()).unwrap();
        assert_eq!(rsl.findings, [expected]);
    }
    let many = document(&"<content/>".repeat(20_001));
    let expected = "expected at most 20000 elements and texts, but found more";
    assert_eq!(Rsl::parse(many.as_bytes()).unwrap_err(), expected);
}

/// Each is a prohibition or a price that a reader of the known elements alone would not see.
#[test]
fn a_part_in_the_wrong_place_or_namespace_is_a_finding_and_never_a_permission() {
    let no = "<prohibits type='usage'>ai-train</prohibits>";
    for license in [
        format!("<permits type='usage'>all{no}</permits>"),
        format!("{ALL}<payment type='free'>{no}</payment>"),
        format!("{ALL}<legal>{no}</legal>"),
        format!("{ALL}<prohibits xmlns='' type='usage'>ai-train</prohibits>"),
        format!("{ALL} ai-train prohibited"),
        format!("{ALL}<prohibits type='usage'>x:ai-train</prohibits>"),
        format!("{ALL}<prohibits type='usage'/>"),
        "<permits type='usage'>all, search</permits>".to_owned(),
        format!("{ALL}<payment type='free'/><payment type='purchase'/>"),
        format!("{ALL}<payment tpye='purchase'/>"),
        format!("{ALL}<payment type='free'><ammount>5</ammount></payment>"),
        format!("{ALL}<payment type='free'>5 USD</payment>"),
    ] {
        check(&content("/", &[&license]), URL, [Unknown; 4], 1);
    }
    let all = content("/", &[ALL]);
    check(&(all.clone() + "no training"), URL, [Unknown; 4], 1);
    check(&format!("{all}<x xmlns='urn:x'>{}</x>", content("/", &[no])), URL, [Unknown; 4], 1);
    check(&all.replace("</content>", "text</content>"), URL, [Unknown; 4], 1);
    // An attribute that RSL does not have.
    let whole = content(
        "/",
        &[&format!("{ALL}<payment type='free'/><legal type='contact'>a@shop.example</legal>")],
    );
    let about = "<copyright type='person' contactEmail='a@shop.example' contactUrl='/c'>A</copyright>\
                 <schema type='application/ld+json'>{}</schema><alternate type='text/plain'>/a.txt\
                 </alternate><terms>/t</terms></content>";
    let whole = whole.replace("</content>", about);
    let rsl = Rsl::parse(document(&whole).as_bytes()).unwrap();
    let json = serde_json::to_string(&rsl).unwrap();
    for text in ["text/plain", "\"text\":\"A\"", "\"text\":\"/t\"", "\"text\":\"all\""] {
        assert!(json.contains(text), "{text} {json}");
    }
    // Terms for people are a condition.
    let terms = check(&whole, URL, [Conditional; 4], 0);
    assert_eq!(terms.conditions, ["terms for people: `/t`"]);
    for start in
        ["<content ", "<license", "<permits ", "<payment ", "<legal ", "<copyright ", "<terms"]
    {
        let changed = whole.replace(start, &format!("{} until='2020-01-01' ", start.trim_end()));
        check(&changed, URL, [Unknown; 4], 1);
    }
    let expires = document(&whole).replace("<rsl", "<rsl xml:lang='en' max-age='1' expires='2020'");
    let rsl = Rsl::parse(expires.as_bytes()).unwrap();
    assert_eq!(rsl.findings, ["expected max-age in `rsl`, but found `expires`"]);
    assert_eq!(rsl.terms(&URL.parse().unwrap()).of(Use::Search), Unknown);
    let server =
        content("/", &[ALL]).replace("<content", "<content xmlns:x='urn:x' x:a='1' r:server='/'");
    let server = document(&server).replace("<rsl", &format!("<rsl xmlns:r='{RSL_NAMESPACE}'"));
    let rsl = Rsl::parse(server.as_bytes()).unwrap();
    assert_eq!(rsl.findings.len(), 1, "{:?}", rsl.findings);
    assert_eq!(rsl.terms(&URL.parse().unwrap()).of(Use::Search), Unknown);
    let prefixed = format!(
        "<r:rsl xmlns:r='{RSL_NAMESPACE}'><r:content url='/'><r:license><r:permits type='usage'>all\
         </r:permits>{no}</r:license></r:content></r:rsl>"
    );
    let rsl = Rsl::parse(prefixed.as_bytes()).unwrap();
    assert_eq!(rsl.findings.len(), 1, "{:?}", rsl.findings);
    assert_eq!(rsl.terms(&URL.parse().unwrap()).of(Use::Search), Unknown);
}

#[test]
fn a_document_that_is_not_rsl_is_an_error() {
    let whole = document(&content("/", &[ALL]));
    let prefixed = whole.replace("<rsl xmlns", "<r:rsl xmlns:r").replace("</rsl", "</r:rsl");
    for bad in [
        "",
        "<html></html>",
        "<rsl/>",
        "<rsl><content url='/'/></rsl>",
        &whole.replace("rslstandard.org", "other.example"),
        &whole[..whole.len() - 3],
        &(whole.clone() + &document("")[21..]),
        &(whole.clone() + "<oops"),
        &(whole.clone() + "<!-- "),
        &(whole.clone() + "more"),
        &("before".to_owned() + &document("")[21..]),
        &whole.replace("all", "&all;"),
        &document(&"<content url='/'>".repeat(40)),
        &whole.replace("<rsl", "<!DOCTYPE rsl [<!ATTLIST payment type CDATA 'purchase'>]><rsl"),
        &whole.replace("<rsl", "<!DOCTYPE rsl SYSTEM 'rsl.dtd'><rsl"),
        &(whole.clone() + "<!DOCTYPE rsl>"),
        &whole.replace("url='/'", "url='/'lastmod='x'"),
        &whole.replace("url='/'", "url='/' lastmod='<'"),
        &whole.replace("url='/'", "url='/' url='/'"),
        &whole.replace("url='/'", "url='/' x:a='1'"),
        &whole.replace("url='/'", ":url='/'"),
        &whole.replace("<license", "<:license").replace("</license", "</:license"),
        &whole.replace("<rsl ", "<rsl xmlns='urn:x' "),
        &whole.replace("<rsl ", &format!("<rsl {}", "xmlns:a='b' ".repeat(2_000))),
        &whole.replace(" xmlns", " a:xmlns"),
        &whole.replace("<license>", "<license><!-- a -- b -->"),
        &whole.replace("<license>", "<license>]]>"),
        &whole.replace("<license>", "<license>\u{1}"),
        &whole.replace("<license>", "<license>&amp"),
        &whole.replace("<license>", "<license>&#xd800;"),
        &whole.replace("url='/'", "url='/&#xd800;'"),
        &whole.replace("<rsl", "<?xml version='1.0'?><rsl"),
        &whole.replace("'1.0'", "'2.0'"),
        &whole.replace("'1.0'", "'1.0' encoding = 'UTF-7'"),
        &whole.replace("'1.0'", "'1.0' standalone='maybe'"),
        &whole.replace("<rsl", "<rsl xmlns:p=''"),
        &format!("\u{feff}\u{feff}{whole}"),
        &whole.replace("<rsl", "<?xml\tversion='1.0'?><rsl"),
        &whole.replace("<rsl", "<![CDATA[ ]]><rsl"),
        &document(&"<content/>".repeat(20_001)),
        &format!(
            "<!DOCTYPE rsl [<!ENTITY a 'all'>]>{}",
            document(&content("/", &[ALL])).replace("all", "&a;")
        ),
    ] {
        assert!(Rsl::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(Rsl::parse(b"\xff").is_err());
    let declared = whole.replace("'1.0'", "'1.0' encoding = \"utf-8\" standalone='no' ");
    assert!(Rsl::parse(format!("\u{feff}{declared}").as_bytes()).is_ok());
    let utf16: Vec<u8> = whole.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(Rsl::is_meant(&utf16) && Rsl::parse(&utf16).is_err());
    assert!(Rsl::parse(prefixed.as_bytes()).unwrap().contents.is_empty());
    for (text, expected) in [
        (whole.as_str(), true),
        ("<!-- a --><x:rsl>", true),
        ("<?xml?><!-- see <https://rslstandard.org> --><rsl>", true),
        // Nobody writes it in a licence for people.
        ("<!-- <rsl> --><html>", true),
        ("<!DOCTYPE rsl [<!-- > <x> -->]><rsl>", true),
        ("<!DOCTYPE html><html>", false),
        (&*whole.replace("<rsl", "<\u{a0}rsl"), true),
        ("<html>", false),
        ("rsl", false),
    ] {
        assert_eq!(Rsl::is_meant(text.as_bytes()), expected, "{text}");
    }
}

/// Any prefix and any changed byte: no panic, and no permission that the whole does not give.
#[test]
fn damaged_documents_permit_no_more() {
    let whole = document(&content("/", &[&(TRAIN.to_owned() + NO_AI)]));
    let url: Url = URL.parse().unwrap();
    for at in 0..whole.len() {
        for byte in [b'<', b'x', b' ', 0xff] {
            let mut bytes = whole.clone().into_bytes();
            bytes[at] = byte;
            let Ok(rsl) = Rsl::parse(&bytes) else { continue };
            let terms = rsl.terms(&url);
            let text = String::from_utf8_lossy(&bytes);
            assert!(Use::ALL.iter().all(|it| terms.of(*it) != Allowed), "{text}");
        }
        assert!(Rsl::parse(&whole.as_bytes()[..at]).is_err());
    }
}
