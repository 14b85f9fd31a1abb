//! Exit codes.

use std::process::ExitCode;

/// How a run ended. The worst of all answers counts, so the order matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ExitStatus {
    /// 0: nothing was disallowed, or what was asked for is done.
    #[default]
    Success,
    /// 1: something was disallowed.
    Finding,
    /// 2: something could not be answered.
    Error,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_wins() {
        assert!(ExitStatus::Success < ExitStatus::Finding);
        assert!(ExitStatus::Finding < ExitStatus::Error);
        assert_eq!(
            [0, 1, 2],
            [ExitStatus::Success, ExitStatus::Finding, ExitStatus::Error].map(|s| s as u8)
        );
    }
}
