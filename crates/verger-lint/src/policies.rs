//! The rules of each crawler that a file names, prepared for questions about all URLs.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use verger::{Crawler, Group, Rule, Span};
use verger_analysis::{Analysis, Budget};
use verger_registry::Registry;

use crate::file::{EXAMPLE, File, SEARCH_ENGINES};
use crate::limits;
use crate::pattern;
use crate::settings::Settings;

/// Crawlers that obey different groups, without those that no group concerns.
pub(crate) struct Crawlers {
    list: Vec<Obedient>,
    /// Whether each group is that of crawlers in the list only.
    is_complete: Vec<bool>,
}

/// A crawler and the groups that it obeys.
struct Obedient {
    crawler: Crawler,
    /// The place of its first name; `None` for unnamed crawlers.
    name: Option<Span>,
    groups: Vec<usize>,
}

impl Crawlers {
    /// One crawler for each different set of groups.
    pub(crate) fn of(file: &File<'_>) -> Self {
        let sizes: Vec<usize> = file.robots.groups().map(|group| group.rules().len()).collect();
        let (mut names, mut order) = (HashMap::<_, Vec<usize>>::new(), Vec::new());
        for group in file.robots.groups() {
            for agent in group.agents().filter(|agent| !agent.name().is_empty()) {
                let groups = names.entry(agent.name().to_ascii_lowercase()).or_insert_with(|| {
                    order.push(agent);
                    Vec::new()
                });
                if groups.last() != Some(&group.index()) {
                    groups.push(group.index());
                }
            }
        }
        // Of crawlers with the same groups, messages name the best known that obeys `*`.
        order.sort_by_cached_key(|agent| {
            let is_it = |name: &&str| agent.name().eq_ignore_ascii_case(name.as_bytes());
            let last = SEARCH_ENGINES.len() + usize::from(!obeys_star(agent.name()));
            SEARCH_ENGINES.iter().position(is_it).unwrap_or(last)
        });
        let mut crawlers = Self { list: Vec::new(), is_complete: vec![true; sizes.len()] };
        let (mut known, mut rules) = (HashSet::new(), 0);
        for agent in order {
            let name = agent.name().to_ascii_lowercase();
            let groups = names.remove(&name).unwrap_or_default();
            if known.contains(&groups) {
                continue;
            }
            rules += groups.iter().map(|&group| sizes[group]).sum::<usize>();
            let crawler = if agent.is_star() {
                Some(file.unnamed.clone())
            } else {
                str::from_utf8(&name).ok().map(Crawler::new)
            };
            let is_in_limits =
                crawlers.list.len() < limits::CRAWLERS && rules <= limits::ANALYSED_RULES;
            match crawler.filter(|_| is_in_limits) {
                Some(crawler) if obeys(file, &crawler, &groups) => {
                    known.insert(groups.clone());
                    let name = (!agent.is_star()).then(|| agent.span());
                    crawlers.list.push(Obedient { crawler, name, groups });
                }
                _ => groups.iter().for_each(|&group| crawlers.is_complete[group] = false),
            }
        }
        crawlers
    }
}

/// Whether the crawler of this name obeys `*` if no group names it.
fn obeys_star(name: &[u8]) -> bool {
    let known = str::from_utf8(name).ok().and_then(|name| Registry::bundled().find(name));
    known.is_none_or(verger_registry::Crawler::falls_back_to_star)
}

/// Whether the engine selects these groups for a crawler.
fn obeys(file: &File<'_>, crawler: &Crawler, groups: &[usize]) -> bool {
    file.robots.groups_for(crawler).map(|group| group.index()).eq(groups.iter().copied())
}

/// The policies of a file.
pub(crate) struct Policies<'f> {
    pub(crate) file: &'f File<'f>,
    pub(crate) settings: &'f Settings,
    /// Search engines first, crawlers that never obey `*` last, others in the order of the names.
    pub(crate) list: Vec<Policy<'f>>,
    is_complete: &'f [bool],
    /// The starts of the user-agent lines that open groups.
    group_starts: Vec<usize>,
    budget: RefCell<Budget>,
    /// Whether further questions are answered.
    goes_on: &'f dyn Fn() -> bool,
}

/// The policy of one crawler, or of several with the same groups.
pub(crate) struct Policy<'f> {
    pub(crate) crawler: &'f Crawler,
    /// The place of its name; `None` for crawlers that no group names.
    pub(crate) name: Option<Span>,
    pub(crate) groups: &'f [usize],
    pub(crate) analysis: Analysis<'f>,
    compiled: OnceCell<verger::Policy>,
}

impl<'f> Policies<'f> {
    pub(crate) fn new(
        file: &'f File<'f>,
        settings: &'f Settings,
        crawlers: &'f Crawlers,
        goes_on: &'f dyn Fn() -> bool,
    ) -> Self {
        let policy = |it: &'f Obedient| {
            let Obedient { crawler, name, groups } = it;
            let analysis = with_origin(Analysis::new(&file.robots, crawler), file);
            let compiled = OnceCell::new();
            Policy { crawler, name: *name, groups, analysis, compiled }
        };
        let groups = file.robots.groups();
        let starts = groups.filter_map(|group| Some(group.agents().next()?.span().start));
        Self {
            file,
            settings,
            list: crawlers.list.iter().map(policy).collect(),
            is_complete: &crawlers.is_complete,
            group_starts: starts.collect(),
            budget: RefCell::new(Budget::new(limits::WORK)),
            goes_on,
        }
    }

    /// Asks a question within the budget of the file.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&mut Budget) -> T) -> T {
        let mut budget = self.budget.borrow_mut();
        if !(self.goes_on)() {
            *budget = Budget::new(0);
        }
        question(&mut budget)
    }

    /// Rules about which something is proved for every crawler that obeys them. `prove` gives the
    /// lines of a policy with their proofs; the proof for the first crawler counts.
    pub(crate) fn proved<T>(
        &self,
        prove: impl FnMut(&Policy<'f>) -> HashMap<usize, T>,
    ) -> Vec<(Rule<'f>, &Policy<'f>, T)> {
        let mut proofs: Vec<_> = self.list.iter().map(prove).collect();
        let mut obedient = vec![Vec::new(); self.is_complete.len()];
        for (at, policy) in self.list.iter().enumerate() {
            policy.groups.iter().for_each(|&group| obedient[group].push(at));
        }
        let mut proved = Vec::new();
        for group in self.file.robots.groups().filter(|it| self.is_complete[it.index()]) {
            let obedient = &obedient[group.index()];
            let Some(&first) = obedient.first() else { continue };
            for rule in group.rules() {
                let line = rule.position().line;
                if obedient.iter().all(|&at| proofs[at].contains_key(&line))
                    && let Some(proof) = proofs[first].remove(&line)
                {
                    proved.push((rule, &self.list[first], proof));
                }
            }
        }
        proved
    }

    /// Whether two rules belong to one group.
    pub(crate) fn is_same_group(&self, left: Rule<'_>, right: Rule<'_>) -> bool {
        let group =
            |rule: Rule<'_>| self.group_starts.partition_point(|&start| start <= rule.span().start);
        group(left) == group(right)
    }
}

impl<'f> Policy<'f> {
    /// Whether the crawler would obey `*` without its own groups.
    pub(crate) fn obeys_star(&self) -> bool {
        self.crawler.tokens().first().is_none_or(|token| obeys_star(token.as_str().as_bytes()))
    }

    /// The groups that the crawler obeys.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'f>> {
        let groups = self.groups;
        self.analysis.robots().groups().filter(|group| groups.binary_search(&group.index()).is_ok())
    }

    /// A path that a pattern matches and one of these rules decides, confirmed by the engine.
    pub(crate) fn example(&self, pattern: &[u8], deciders: &[Rule<'f>]) -> Option<String> {
        let path = pattern::example(str::from_utf8(pattern).ok()?);
        self.is_decided_by(&path, deciders).then_some(path)
    }

    /// Whether one of these rules decides a path.
    pub(crate) fn is_decided_by(&self, path: &str, deciders: &[Rule<'f>]) -> bool {
        let compiled = || self.analysis.robots().policy(self.crawler);
        let verdict = self.compiled.get_or_init(compiled).check(&format!("{EXAMPLE}{path}"));
        deciders.iter().any(|rule| verdict.line() == Some(rule.position().line))
    }
}

/// An analysis with witnesses at the origin of the file, if it is known.
pub(crate) fn with_origin<'r>(analysis: Analysis<'r>, file: &File<'_>) -> Analysis<'r> {
    match &file.origin {
        Some(origin) => analysis.with_origin(origin),
        None => analysis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::DIALECT;

    #[test]
    fn an_unnamed_crawler_obeys_the_groups_for_everybody_whatever_the_names_are() {
        let plain = File::new(b"User-agent: *\nDisallow: /\n", &Settings::default(), &DIALECT);
        let invented = plain.unnamed.tokens()[0].as_str().to_owned();
        for name in ["verger-lint-unnamed", &invented, "a", "zzzz"] {
            let text = format!("User-agent: {name}\nAllow: /\n\nUser-agent: *\nDisallow: /x\n");
            let file = File::new(text.as_bytes(), &Settings::default(), &DIALECT);
            let crawlers = Crawlers::of(&file);
            let unnamed =
                crawlers.list.iter().find(|it| it.name.is_none()).expect("an unnamed one");
            assert_eq!(unnamed.groups, [1], "{name}");
            assert_eq!(crawlers.is_complete, [true, true], "{name}");
        }
    }
}
