//! Files beside the code, and replays of every seed and regression, on any toolchain.

mod layout;
mod regressions;
