//! Finding diagnostics: a reader of the parser's events.

use super::kind::{Diagnostic, DiagnosticKind as Kind};
use super::look_alike::{is_foreign_space, known_key};
use crate::agent::{Name, is_token_octet, names};
use crate::dialect::Dialect;
use crate::extension::{Extension, Record, RecordKind, has_unknown_preference};
use crate::group::{Grouping, RulePlace};
use crate::limits;
use crate::parse::{Encoding, Event, Field, Piece, RuleKind, Spelling, is_usual_key};
use crate::robots::Robots;
use crate::span::Span;

/// Reports all diagnostics of a file.
pub(super) fn notice(robots: &Robots, report: impl FnMut(Diagnostic)) {
    let dialect = robots.dialect();
    let grouping = Grouping::new(&dialect);
    let mut notice =
        Notice { dialect, grouping, group: GroupState::default(), quiet_nuls: false, report };
    notice.whole_file(robots);
    // One record for each event of a record: both iterators read the same lines.
    let mut records = robots.records();
    for event in robots.events() {
        notice.text_of_line(event.line());
        match event {
            Event::UserAgent(field) => notice.user_agent(field),
            Event::Rule(kind, field) => notice.rule(kind, field),
            Event::OversizedRule(field) => notice.oversized_rule(field),
            Event::Sitemap(field) | Event::Other(field) => {
                notice.record(field, records.next());
            }
            Event::Blank(_) => {
                notice.grouping.blank();
                notice.group.blank_since_agent = true;
            }
            Event::Comment(_) => {}
            Event::Junk(line) => notice.junk(line),
        }
    }
}

struct Notice<R> {
    dialect: Dialect,
    grouping: Grouping,
    group: GroupState,
    /// Whether the NULs were reported for the file as a whole.
    quiet_nuls: bool,
    report: R,
}

/// State of the current group.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "five independent observations")]
struct GroupState {
    has_rules: bool,
    has_delay: bool,
    /// Since the last user-agent line.
    blank_since_agent: bool,
    record_since_agent: bool,
    junk_since_agent: bool,
}

impl<R: FnMut(Diagnostic)> Notice<R> {
    fn report(&mut self, kind: Kind, span: Span) {
        (self.report)(Diagnostic { kind, span });
    }

    #[expect(clippy::naive_bytecount, reason = "the engine has no dependency that counts faster")]
    fn whole_file(&mut self, robots: &Robots) {
        let text = robots.text();
        let start = Span { start: robots.start(), end: robots.start() };
        if robots.is_truncated() {
            let kind = if robots.allows_all { Kind::CountsAsNone } else { Kind::Truncated };
            self.report(kind, Span { start: text.len(), end: text.len() });
        }
        match robots.encoding() {
            Encoding::Utf16Le | Encoding::Utf16Be => self.report(Kind::Utf16, start),
            Encoding::Utf32 => self.report(Kind::Utf32, start),
            Encoding::Utf8 => {}
        }
        let nuls = text.iter().filter(|&&octet| octet == 0).count();
        if nuls > 0 && nuls >= text.len() / limits::BYTES_PER_NUL {
            self.quiet_nuls = true;
            self.report(Kind::ManyNuls, start);
        }
        let first = text[robots.start()..].iter().position(|octet| !octet.is_ascii_whitespace());
        if let Some(first) = first.map(|first| robots.start() + first)
            && text[first] == b'<'
        {
            self.report(Kind::LooksLikeHtml, Span { start: first, end: first + 1 });
        }
    }

    /// Reports octets of a line that cause problems in any line.
    fn text_of_line(&mut self, line: Piece<'_>) {
        let bytes = line.bytes;
        if bytes.starts_with("\u{feff}".as_bytes()) {
            self.report(Kind::ByteOrderMark, line.slice(0, 3).span());
        }
        if let Some(nul) = bytes.iter().position(|&octet| octet == 0)
            && !self.quiet_nuls
        {
            self.report(Kind::Nul, line.slice(nul, nul + 1).span());
        }
        let mut offset = 0;
        for chunk in bytes.utf8_chunks() {
            offset += chunk.valid().len();
            let length = chunk.invalid().len();
            if length > 0 {
                self.report(Kind::InvalidUtf8, line.slice(offset, offset + length).span());
                break;
            }
        }
        if self.dialect.line_limit.is_some_and(|limit| bytes.len() > limit) {
            self.report(Kind::LineTooLong, line.span());
        }
    }

    /// Reports problems in the form of a key and its value; `read_as` is the usual spelling of the
    /// key.
    fn field(&mut self, field: Field<'_>, read_as: &'static str) {
        match field.spelling {
            Spelling::Exact => {}
            Spelling::Typo | Spelling::Prefix => {
                self.report(Kind::MisspeltKey { read_as }, field.key.span());
            }
        }
        if field.colon_missing {
            self.report(Kind::MissingColon, field.line.trim().span());
        }
        for piece in [field.key, field.value] {
            if let Some(place) = foreign_space(piece) {
                self.report(Kind::ForeignSpace, place.span());
            }
        }
    }

    fn user_agent(&mut self, field: Field<'_>) {
        self.field(field, "User-agent");
        if self.grouping.user_agent() {
            self.group = GroupState::default();
        } else if self.group.record_since_agent || self.group.blank_since_agent {
            self.report(Kind::AgentsJoined, field.line.trim().span());
        }
        // REP-AMB-4: a delay for other agents is not a repetition.
        self.group.has_delay &= !(self.group.record_since_agent || self.group.junk_since_agent);
        self.group.blank_since_agent = false;
        self.group.record_since_agent = false;
        self.group.junk_since_agent = false;
        let value = field.value;
        let dialect = self.dialect;
        let mut found = names(value, &dialect);
        match (found.next(), found.next()) {
            (None, _) => self.report(Kind::NamesNobody, field.line.trim().span()),
            (Some(Name::Star), _) if value.bytes.len() > 1 && !dialect.agent_lists => {
                self.report(Kind::AgentCut, value.slice(1, value.bytes.len()).span());
            }
            (Some(Name::Token(name)), None) => self.agent(name, value),
            _ => {}
        }
    }

    fn agent(&mut self, name: Piece<'_>, value: Piece<'_>) {
        let rest = value.slice(name.bytes.len(), value.bytes.len());
        if rest.bytes.trim_ascii_start().starts_with(b",") {
            self.report(Kind::AgentList, value.span());
        } else if !rest.bytes.is_empty() {
            self.report(Kind::AgentCut, rest.span());
        }
        if let Some(at) = name.bytes.iter().position(|&octet| !is_token_octet(octet)) {
            self.report(Kind::UnusualAgent, name.slice(at, at + 1).span());
        }
    }

    fn rule(&mut self, kind: RuleKind, field: Field<'_>) {
        self.field(field, kind.key());
        let is_first = !self.group.has_rules;
        match self.grouping.rule() {
            RulePlace::NoGroup => self.report(Kind::RuleOutsideGroup, field.line.trim().span()),
            RulePlace::NewStarGroup => self.group = GroupState::default(),
            RulePlace::Current if is_first && self.group.blank_since_agent => {
                self.report(Kind::BlankLineInGroup, field.line.trim().span());
            }
            RulePlace::Current => {}
        }
        self.group.has_rules = true;
        let pattern = field.value;
        match pattern.bytes {
            [] | [b'/', ..] => {}
            [b'*', ..] if self.dialect.wildcards => {}
            _ => self.report(Kind::PatternWithoutSlash, pattern.span()),
        }
        if let Some(at) = malformed_percent(pattern.bytes) {
            self.report(Kind::MalformedPercent, pattern.slice(at, at + 1).span());
        }
    }

    fn oversized_rule(&mut self, field: Field<'_>) {
        self.report(Kind::OversizedRule, field.value.span());
        if self.grouping.rule() == RulePlace::NewStarGroup {
            self.group = GroupState::default();
        }
        self.group.has_rules = true;
    }

    fn record(&mut self, field: Field<'_>, record: Option<Record<'_>>) {
        // Only a sitemap's key can be misspelt here.
        self.field(field, RecordKind::Sitemap.key());
        self.grouping.other(field.key.bytes);
        self.group.record_since_agent = true;
        let Some(record) = record else { return };
        let value = field.value.span();
        let usual = record.kind().key();
        let is_named = usual.is_empty() || record.kind() == RecordKind::Sitemap;
        if !is_named && !field.key.bytes.eq_ignore_ascii_case(usual.as_bytes()) {
            self.report(Kind::MisspeltKey { read_as: usual }, field.key.span());
        }
        let extension = record.extension();
        if matches!(&extension, Ok(Extension::ContentUsage(line)) if !line.unknown.is_empty()) {
            self.report(Kind::UnknownCategory, value);
        }
        match extension {
            Err(error) => self.report(Kind::InvalidValue(error), value),
            Ok(Extension::Sitemap(map) | Extension::Agentmap(map) | Extension::Schemamap(map))
                if map.url().is_none() =>
            {
                self.report(Kind::SitemapNotAbsolute, value);
            }
            Ok(Extension::Unknown) => {
                let kind = match known_key(field.key.bytes) {
                    _ if is_usual_key(field.key.bytes) => Kind::ForeignKey,
                    Some(looks_like) => Kind::MistakableKey { looks_like },
                    None => Kind::UnknownKey,
                };
                self.report(kind, field.key.span());
            }
            Ok(Extension::Noindex(_) | Extension::Nofollow(_)) => {
                self.report(Kind::NotHonoured, field.key.span());
            }
            Ok(Extension::CrawlDelay(_)) => {
                if core::mem::replace(&mut self.group.has_delay, true) && record.group().is_some() {
                    self.report(Kind::RepeatedCrawlDelay, value);
                }
            }
            Ok(extension) if has_unknown_preference(&extension, field.value.bytes) => {
                self.report(Kind::UnknownPreference, value);
            }
            Ok(Extension::License(_)) if record.group().is_some() && self.group.has_rules => {
                self.report(Kind::LicenseInGroup, value);
            }
            Ok(_) => {}
        }
        let is_for_nobody = record.group().is_none()
            && !record.kind().is_for_file()
            && match record.kind() {
                RecordKind::Unknown => false,
                RecordKind::License => !record.is_before_agents(),
                _ => true,
            };
        if is_for_nobody {
            self.report(Kind::RecordOutsideGroup, field.line.trim().span());
        }
    }

    fn junk(&mut self, line: Piece<'_>) {
        self.group.junk_since_agent = true;
        let line = line.trim();
        let kind = if line.bytes.starts_with(b":") { Kind::EmptyKey } else { Kind::NoRecord };
        self.report(kind, line.span());
    }
}

/// A foreign space at an end of a text.
fn foreign_space(piece: Piece<'_>) -> Option<Piece<'_>> {
    let text = core::str::from_utf8(piece.bytes).ok()?;
    let is_foreign = |c: &char| is_foreign_space(*c);
    let first = text.chars().next().filter(is_foreign).map(|c| piece.slice(0, c.len_utf8()));
    let length = text.len();
    let last = text.chars().next_back().filter(is_foreign);
    first.or_else(|| last.map(|c| piece.slice(length - c.len_utf8(), length)))
}

/// The offset of the first `%` without two hex digits after it.
fn malformed_percent(pattern: &[u8]) -> Option<usize> {
    let is_escape =
        |rest: &[u8]| rest.get(1..3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    (0..pattern.len()).find(|&at| pattern[at] == b'%' && !is_escape(&pattern[at..]))
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Robots};
    use alloc::string::String;
    use alloc::vec::Vec;

    /// The diagnostics as `code@line:column`, separated by spaces.
    fn found(robots: &Robots) -> String {
        let shown: Vec<String> = robots
            .diagnostics()
            .list
            .iter()
            .map(|found| {
                let place = robots.position(found.span.start);
                alloc::format!("{}@{}:{}", found.code(), place.line, place.column)
            })
            .collect();
        shown.join(" ")
    }

    #[track_caller]
    fn check(dialect: Dialect, text: impl AsRef<[u8]>, expected: &str) {
        assert_eq!(found(&dialect.parse(text.as_ref())), expected);
    }

    #[track_caller]
    fn check_rfc(text: impl AsRef<[u8]>, expected: &str) {
        check(Dialect::RFC9309, text, expected);
    }

    #[test]
    fn a_plain_file_has_no_diagnostics() {
        check_rfc(
            "# shop\nUser-agent: *\nUser-agent: b\nCrawl-delay: 1\nDisallow: /a%20*$\nAllow:\n\n\
             User-agent: a\nDisallow: *x\n\nSitemap: https://shop.example/s.xml\n",
            "",
        );
    }

    #[test]
    fn diagnostics_of_lines() {
        check_rfc("x\n: y\n", "no-record@1:1 empty-key@2:1");
        check_rfc(
            "User-agent: a\ndissalow /\ndisallowed: /\nfoo: 1\nalow: /\n",
            "misspelt-key@2:1 missing-colon@2:1 mistakable-key@3:1 unknown-key@4:1 mistakable-key@5:1",
        );
        check(Dialect::GOOGLE, "User-agentx: a\n", "misspelt-key@1:1");
        check(Dialect::ORIG1994, "User-agent: a\nAllow: /\n", "foreign-key@2:1");
    }

    /// REP-SYNTAX-20, REP-EXT-32.
    #[test]
    fn diagnostics_of_keys_that_look_like_known_ones() {
        check_rfc(
            "User\u{2011}agent: a\nCrawl\u{2010}delay: 1\nContent-Signals: search=yes\n",
            "mistakable-key@1:1 mistakable-key@2:1 misspelt-key@3:1 record-outside-group@3:1",
        );
    }

    #[test]
    fn diagnostics_of_octets() {
        check_rfc("User-agent: *\nDisallow: /\u{a0}\n", "foreign-space@2:12");
        check_rfc(
            "\u{feff}User-agent: *\n\u{feff}Disallow: /\n",
            "byte-order-mark@2:1 foreign-space@2:1 mistakable-key@2:1",
        );
        check_rfc(b"User-agent: *\nDisallow: /\xe9\n", "invalid-utf-8@2:12");
        check_rfc(b"User-agent: *\nDisallow: /a\0b\n", "nul@2:13");
        check_rfc(b"U\0s\0e\0r\0\n", "many-nuls@1:1 no-record@1:1");
        check_rfc(b"\xff\xfeU\0:\0a\0", "utf-16@1:1 unknown-key@1:1");
        check_rfc("\n <p>\n", "looks-like-html@2:2 no-record@2:2");
    }

    #[test]
    fn diagnostics_of_groups() {
        check_rfc(
            "Disallow: /\nUser-agent: a\n\nDisallow: /\n\nDisallow: /x\n",
            "rule-outside-group@1:1 blank-line-in-group@4:1",
        );
        check_rfc(
            "User-agent: a\nCrawl-delay: 1\nUser-agent: b\n\nUser-agent: c\nCrawl-delay: 2\n\
             Crawl-delay: 3\nDisallow: /\nCrawl-delay: 4\n",
            "agents-joined@3:1 agents-joined@5:1 repeated-crawl-delay@7:14 repeated-crawl-delay@9:14",
        );
        check(Dialect::KOSTER1996, "User-agent: a\n\nDisallow: /\n", "rule-outside-group@3:1");
        check(Dialect::ORIG1994, "Disallow: /\nUser-agent: a\nDisallow: /\n", "");
    }

    #[test]
    fn diagnostics_of_agents() {
        check_rfc(
            "User-agent: a/1.0\nUser-agent: a, b\nUser-agent:\nUser-agent: * x\nUser-agent: MJ12bot\n",
            "agent-cut@1:14 agent-list@2:13 names-nobody@3:1 agent-cut@4:14 unusual-agent@5:15",
        );
        check(Dialect::GOOGLE, "User-agent: MJ12bot\n", "agent-cut@1:15");
        let mut lists = Dialect::RFC9309;
        lists.agent_lists = true;
        check(lists, "User-agent: a, b\nUser-agent: a, *\n", "");
    }

    #[test]
    fn diagnostics_of_patterns() {
        check_rfc(
            "User-agent: a\nDisallow: tmp\nDisallow: /100%\nAllow: /%zz%2\n",
            "pattern-without-slash@2:11 malformed-percent@3:15 malformed-percent@4:9",
        );
        check(Dialect::BOOK, "User-agent: a\nDisallow: *x\n", "pattern-without-slash@2:11");
        let mut short = Dialect::YANDEX;
        short.rule_limit = Some(3);
        check(short, "User-agent: a\nDisallow: /abc\nDisallow: /éé\n", "oversized-rule@2:11");
        let mut cut = Dialect::GOOGLE;
        cut.line_limit = Some(15);
        check(cut, "User-agent: a\nDisallow: /abcdef\n", "line-too-long@2:1");
    }

    #[test]
    fn diagnostics_of_extensions() {
        check_rfc(
            "Crawl-delay: 1\nLicense: https://h/l\nUser-agent: a\nCrawl-delay: x\nCrawl-delay: 1\n\
             Crawl-delay: 2\nDisallow: /\nLicense: https://h/l\nSitemap: /s\nNoindex: /\n",
            "record-outside-group@1:1 invalid-value@4:14 repeated-crawl-delay@6:14 \
             license-in-group@8:10 sitemap-not-absolute@9:10 not-honoured@10:1",
        );
        check_rfc(
            "Crawl-delay: 1\nCrawl-delay: 2\n",
            "record-outside-group@1:1 record-outside-group@2:1",
        );
        check_rfc("User-agent: a\nLicense: https://h/l\nDisallow: /\n", "");
        check(
            Dialect::KOSTER1996,
            "User-agent: a\nDisallow: /\n\nLicense: https://h/l\n",
            "record-outside-group@4:1",
        );
    }

    #[test]
    fn preferences_with_unknown_values() {
        check_rfc(
            "User-agent: a\nContent-Usage: /a train-ai=maybe\nContent-Usage: search=Y, x=maybe\n\
             Content-Usage: train-ai=n, x=maybe\nContent-Signal: ai-input=maybe, search=yes\n\
             Content-Signal: /a search=NO, use=full\nDisallow:\n",
            "unknown-preference@2:16 unknown-category@3:16 unknown-preference@3:16 \
             unknown-category@4:16 unknown-preference@5:17",
        );
    }

    #[test]
    fn limits_are_reported_and_the_list_is_capped() {
        let mut row = Dialect::RFC9309;
        row.byte_limit = Some(20);
        check(row, "User-agent: a\nDisallow: /x\n", "truncated@2:1");
        row.oversize = crate::dialect::Oversize::AllowAll;
        check(row, "User-agent: a\nDisallow: /x\n", "counts-as-none@2:1");
        let junk = "x\n".repeat(3_000);
        let diagnostics = Robots::parse(&junk).diagnostics();
        assert_eq!((diagnostics.list.len(), diagnostics.total), (1_000, 3_000));
        let mut count = 0;
        Robots::parse(&junk).diagnose(|_| count += 1);
        assert_eq!(count, 3_000);
    }

    #[test]
    fn every_diagnostic_has_a_message_and_a_severity() {
        let robots = Robots::parse("x\nCrawl-delay: x\ndisalow: /\nsite-map: https://h/\n");
        let shown: Vec<_> = robots
            .diagnostics()
            .list
            .iter()
            .map(|found| alloc::format!("{}: {found}", found.severity()))
            .collect();
        assert_eq!(
            shown,
            [
                "error: expected a key, a colon and a value",
                "error: expected seconds such as `10` or `0.5`",
                "warning: the record is outside of all groups; it applies to no crawler",
                "warning: the key is misspelt; it is read as `Disallow`, but not by every reader",
                "error: the rule is outside of all groups; it has no effect",
                "warning: the key is misspelt; it is read as `Sitemap`, but not by every reader",
            ]
        );
    }
}
