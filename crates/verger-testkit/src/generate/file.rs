//! Files: groups of agents and rules, and the lines between them.

use super::agent::{self, Addressee};
use super::draft::Draft;
use super::form::Form;
use super::line::{Key, record, space};
use super::pattern::{self, Rule};

/// A file as lines, before encoding.
#[derive(Debug)]
pub(super) struct File {
    pub(super) lines: Vec<Vec<u8>>,
    /// Its rules; often only those for the crawler.
    pub(super) rules: Vec<Rule>,
}

/// A file during generation.
struct Writer<'d> {
    draft: &'d mut Draft,
    tokens: &'d [String],
    file: File,
    /// Addressees of the group of each rule; empty before the first group.
    addressed: Vec<Vec<Addressee>>,
    /// Addressees of each group.
    groups: Vec<Vec<Addressee>>,
}

/// Generates a file for a crawler.
pub(super) fn file(draft: &mut Draft, tokens: &[String]) -> File {
    let file = File { lines: Vec::new(), rules: Vec::new() };
    let mut writer = Writer { draft, tokens, file, addressed: Vec::new(), groups: Vec::new() };
    writer.preamble();
    for at in 0..=writer.draft.below(4) {
        if at > 0 && writer.draft.chance(70) {
            writer.file.lines.push(Vec::new());
        }
        writer.group();
    }
    if writer.draft.chance(10) {
        writer.file.lines.push(b"Sitemap: https://h.example/sitemap.xml".to_vec());
    }
    if writer.groups_for(Addressee::Star) > 1 {
        writer.draft.record(Form::GroupsForStar);
    }
    if writer.groups_for(Addressee::Token) > 1 {
        writer.draft.record(Form::GroupsForToken);
    }
    if writer.draft.chance(85) {
        writer.keep_rules_for_crawler();
    }
    writer.file
}

impl Writer<'_> {
    fn preamble(&mut self) {
        if self.draft.chance(20) {
            self.file.lines.push(b"# robots.txt".to_vec());
        }
        while self.draft.uses(Form::RuleBeforeAgent) {
            self.rule();
        }
    }

    fn group(&mut self) {
        let mut addressees = vec![Addressee::any(self.draft)];
        if self.draft.uses(Form::GroupForStarAndToken) {
            addressees = vec![Addressee::Star, Addressee::Token];
        } else if self.draft.chance(25) {
            addressees.push(Addressee::any(self.draft));
        }
        self.groups.push(addressees.clone());
        for addressee in addressees {
            let value = agent::value(self.draft, addressee, self.tokens);
            let line = record(self.draft, Key::UserAgent, &value);
            self.file.lines.push(line);
            self.among(&[
                Form::BlankAmongAgents,
                Form::BlankOfSpaces,
                Form::OtherAmongAgents,
                Form::JunkAmongAgents,
                Form::CommentLine,
                Form::CommentIndented,
            ]);
        }
        if self.draft.uses(Form::GroupWithoutRules) {
            return;
        }
        for _ in 0..=self.draft.below(4) {
            self.rule();
            self.among(&[
                Form::BlankAmongRules,
                Form::BlankOfSpaces,
                Form::OtherAmongRules,
                Form::CommentLine,
                Form::CommentIndented,
                Form::NoLineEnd,
            ]);
        }
    }

    fn rule(&mut self) {
        let rule = match () {
            () if self.draft.uses(Form::RuleEmptyAllow) => empty(true),
            () if self.draft.uses(Form::RuleEmptyDisallow) => empty(false),
            () => pattern::rule(self.draft, &self.file.rules),
        };
        pattern::record_forms(self.draft, &rule.pattern);
        let key = if rule.allow { Key::Allow } else { Key::Disallow };
        let line = record(self.draft, key, &rule.pattern);
        self.file.lines.push(line);
        if !rule.pattern.is_empty() {
            self.file.rules.push(rule);
            self.addressed.push(self.groups.last().cloned().unwrap_or_default());
        }
    }

    fn groups_for(&self, whom: Addressee) -> usize {
        self.groups.iter().filter(|addressees| addressees.contains(&whom)).count()
    }

    fn keep_rules_for_crawler(&mut self) {
        let named = self.groups_for(Addressee::Token) > 0;
        let whom = if named { Addressee::Token } else { Addressee::Star };
        let mut addressed = self.addressed.iter();
        self.file.rules.retain(|_| addressed.next().is_some_and(|group| group.contains(&whom)));
    }

    /// Inserts lines between two records.
    fn among(&mut self, forms: &[Form]) {
        const OTHERS: [&str; 7] = [
            "Crawl-delay: 5",
            "Sitemap: https://h.example/a.xml",
            "Host: h.example",
            "Clean-param: s /a",
            "Noindex: /a",
            "Content-Signal: search=yes",
            "Request-rate: 1/5",
        ];
        let Some(form) = self.draft.uses_one(forms) else {
            return;
        };
        let line = match form {
            Form::BlankAmongAgents | Form::BlankAmongRules => Vec::new(),
            Form::BlankOfSpaces => space(self.draft),
            Form::CommentLine => b"# Disallow: /".to_vec(),
            Form::CommentIndented => [space(self.draft), b"#".to_vec()].concat(),
            Form::JunkAmongAgents => {
                self.draft.pick(&["<html>", "junk", "a b c d", ":", "\u{FEFF}"]).as_bytes().to_vec()
            }
            Form::NoLineEnd => {
                let end = self.draft.pick(&["\u{2028}", "\u{85}", "\x0B", "\x0C"]);
                format!("Disallow: /a{end}Disallow: /b").into_bytes()
            }
            _ => self.draft.pick(&OTHERS).as_bytes().to_vec(),
        };
        self.file.lines.push(line);
    }
}

fn empty(allow: bool) -> Rule {
    Rule { allow, pattern: Vec::new() }
}
