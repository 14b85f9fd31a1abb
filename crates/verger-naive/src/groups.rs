//! Records to groups, groups to applicable rules.

use super::agents::names;
use super::bug::Bug;
use super::lines::{Record, Rule, is_white};

/// A group: agents and their rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// Whether a line of the group has the value `*`.
    star: bool,
    /// The names of the other lines.
    names: Vec<Vec<u8>>,
    /// Rules in file order.
    rules: Vec<Rule>,
}

impl Group {
    /// Adds the value of a user-agent line.
    fn add_agent(&mut self, value: &[u8]) {
        match value {
            // REP-AMB-27: `*`, alone or followed by white space and text, means everybody.
            [b'*'] => self.star = true,
            [b'*', next, ..] if is_white(*next) => self.star = true,
            _ => {
                let name = first_word(value);
                // REP-AGENT-5: an empty line names nobody, but is still an agent line.
                if !name.is_empty() {
                    self.names.push(name);
                }
            }
        }
    }

    /// REP-AGENT-6: whole names, case-insensitive.
    fn names(&self, token: &str, bug: Option<Bug>) -> bool {
        self.names.iter().any(|name| {
            if bug == Some(Bug::AgentByPrefix) {
                token.to_ascii_lowercase().as_bytes().starts_with(&name.to_ascii_lowercase())
            } else {
                name.eq_ignore_ascii_case(token.as_bytes())
            }
        })
    }
}

/// REP-AMB-11, REP-AMB-12: the value up to the first white space or one of `/ , ; ( *`.
fn first_word(value: &[u8]) -> Vec<u8> {
    let mut word = Vec::new();
    for &byte in value {
        if is_white(byte) || b"/,;(*".contains(&byte) {
            break;
        }
        word.push(byte);
    }
    word
}

/// Forms the groups of a file, in file order.
pub(crate) fn form(records: &[Record], bug: Option<Bug>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // Whether the last group still accepts agents.
    let mut open = false;
    for record in records {
        match record {
            // REP-AGENT-11: agent lines accumulate until the first rule; the next agent line starts
            // a new group.
            Record::Agent(value) => {
                if !open {
                    groups.push(Group::default());
                    open = true;
                }
                if let Some(group) = groups.last_mut() {
                    group.add_agent(value);
                }
            }
            // REP-AGENT-11: any rule, even an empty one, ends the list of agents.
            Record::Rule(rule) => {
                open = false;
                if groups.is_empty() && bug == Some(Bug::OrphanRulesForStar) {
                    groups.push(Group { star: true, ..Group::default() });
                }
                // REP-AMB-28: rules before the first agent have no group.
                if let Some(group) = groups.last_mut() {
                    group.rules.push(rule.clone());
                }
            }
            // REP-AMB-3: blank lines have no effect.
            Record::Blank => {
                if bug == Some(Bug::BlankLineEndsGroup) {
                    groups.push(Group::default());
                    open = false;
                }
            }
            // REP-AMB-4, REP-AMB-5: other records have no effect.
            Record::Other => {
                if bug == Some(Bug::OtherRecordEndsAgents) {
                    open = false;
                }
            }
        }
    }
    groups
}

/// The merged rules of the groups that apply to the chain, in file order; `None` if no group
/// applies.
pub(crate) fn applying(groups: &[Group], tokens: &[&str], bug: Option<Bug>) -> Option<Vec<Rule>> {
    // REP-AGENT-31 (b): the first token of the chain that is the name of a group decides.
    for token in &names(tokens) {
        let mut chosen: Vec<&Group> = groups.iter().filter(|g| g.names(token, bug)).collect();
        if chosen.is_empty() {
            continue;
        }
        if bug == Some(Bug::TokenGroupsNotMerged) {
            chosen.truncate(1);
        }
        if bug == Some(Bug::StarAddedToSpecific) {
            chosen = groups.iter().filter(|g| g.names(token, bug) || g.star).collect();
        }
        return Some(merged(&chosen));
    }
    // REP-AGENT-20, REP-AMB-16: all `*` groups together, but only if no token has a group.
    let mut chosen: Vec<&Group> = groups.iter().filter(|g| g.star).collect();
    if chosen.is_empty() {
        return None;
    }
    if bug == Some(Bug::StarGroupsNotMerged) {
        chosen.truncate(1);
    }
    Some(merged(&chosen))
}

/// REP-AGENT-26: merging keeps all rules.
fn merged(groups: &[&Group]) -> Vec<Rule> {
    groups.iter().flat_map(|group| group.rules.clone()).collect()
}
