//! The engine's answer for a target, with its decider.

use verger::{Policy, Reason};

use crate::patterns::decision_list::{Decider, Order};
use crate::undecided::{Budget, Undecided};

/// A compiled policy that names its deciding rules.
#[derive(Debug)]
pub(crate) struct PolicyCheck {
    policy: Policy,
    /// The line of each rule, in ascending order.
    lines: Vec<usize>,
    /// Work of a check beside the octets of the target.
    effort: usize,
}

impl PolicyCheck {
    /// The policy with rules on these lines.
    pub(crate) fn new(policy: Policy, lines: Vec<usize>, order: &Order) -> Self {
        let wild = order.atoms().iter().filter(|atom| atom.glob.stars() > 1).count();
        let effort = CHECK + wild / WILD_PER_OCTET;
        Self { policy, lines, effort }
    }

    /// Whether a URL is allowed.
    pub(crate) fn allows(&self, url: &[u8]) -> bool {
        self.policy.is_allowed(url)
    }

    /// The decider of a URL.
    ///
    /// # Errors
    ///
    /// If the budget is spent.
    pub(crate) fn decider(&self, url: &[u8], budget: &mut Budget) -> Result<Decider, Undecided> {
        budget.spend(self.effort + url.len())?;
        let verdict = self.policy.check(url);
        Ok(match (verdict.line(), verdict.reason()) {
            (Some(line), _) => {
                // Each line has at most one rule.
                let rule = self.lines.partition_point(|&other| other < line);
                Decider::Rule(u32::try_from(rule).unwrap_or(u32::MAX))
            }
            (None, Reason::RobotsTxtItself) => Decider::RobotsTxt,
            (None, _) => Decider::NoRule,
        })
    }
}

/// Work of a check that does not depend on the target.
const CHECK: usize = 100;

/// The engine compares about this number of wildcard patterns in the time for an octet, because
/// most are excluded by a mask.
const WILD_PER_OCTET: usize = 2;
