//! The native module of the Python package `verger`. The package itself is in `python/verger`: it
//! re-exports these classes and adds the interfaces of other libraries.

mod analysis;
#[cfg(feature = "client")]
mod client;
mod crawler;
mod diagnostic;
mod explanation;
mod files;
mod group;
mod lint;
mod pickle;
mod policy;
mod recent;
mod record;
mod registry;
mod robots;
mod source;
mod state;
#[cfg(feature = "test-panic")]
mod test_panic;
mod text;
mod verdict;

use pyo3::prelude::*;

/// The native part of the package `verger`.
#[pymodule]
mod _verger {
    #[pymodule_export]
    use crate::analysis::{compare, coverage, dead_rules, pattern_state, redundant_rules};
    #[pymodule_export]
    use crate::crawler::Crawler;
    #[pymodule_export]
    use crate::diagnostic::Diagnostic;
    #[pymodule_export]
    use crate::explanation::{Contender, Explanation};
    #[pymodule_export]
    use crate::files::compare_files;
    #[pymodule_export]
    use crate::group::{Group, Rule};
    #[pymodule_export]
    use crate::lint::{fixed, format, lint, lint_rules};
    #[pymodule_export]
    use crate::policy::{CompiledPolicy, compile_policy};
    #[pymodule_export]
    use crate::record::Record;
    #[pymodule_export]
    use crate::registry::{crawlers_date, find_crawler, identify_crawlers, known_crawlers};
    #[pymodule_export]
    use crate::robots::{Robots, is_allowed, parse, robots_url};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::text::octets;
    #[pymodule_export]
    use crate::verdict::Verdict;

    #[cfg(feature = "test-panic")]
    #[pymodule_export]
    use crate::test_panic::panic;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(feature = "client")]
        {
            use crate::client::{ClientCore, Decision, Page, Permit, directives, stop_answers};
            let stop = wrap_pyfunction!(stop_answers, module)?;
            module.py().import("atexit")?.call_method1("register", (stop,))?;
            module.add_function(wrap_pyfunction!(directives, module)?)?;
            module.add_function(wrap_pyfunction!(crate::registry::identify, module)?)?;
            module.add_class::<ClientCore>()?;
            module.add_class::<Decision>()?;
            module.add_class::<Page>()?;
            module.add_class::<Permit>()?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DIALECTS", verger::Dialect::PUBLISHED.map(|dialect| dialect.name).to_vec())?;
        module.add("ACCESS_PROFILES", crate::state::profiles())?;
        // A private module; the package has a list.
        module.delattr("__all__")
    }
}
