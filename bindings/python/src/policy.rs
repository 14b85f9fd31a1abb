//! Compiled policies.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};
use verger::Policy;

use crate::crawler::{Agent, Names};
use crate::text::{self, bytes, detached, shown, value_error};

/// The native part of `verger.Policy`.
#[pyclass(frozen, module = "verger._verger")]
pub(crate) struct CompiledPolicy(pub(crate) Arc<Policy>);

/// Compiles the rules of a robots.txt for an agent to a `Policy`.
///
/// It parses only what the agent needs; `Robots.policy` compiles a parsed file.
///
/// Args:
///     robots_txt: the file as bytes, as for `parse`.
///     agent: a product token, a User-Agent header, or a `Crawler`.
///     dialect: one of `verger.DIALECTS`.
///
/// Raises:
///     ValueError: the dialect is unknown.
///
/// >>> policy = compile_policy(b"User-agent: *\nDisallow: /cart\n", "ExampleBot")
/// >>> policy.is_allowed("https://shop.example/cart")
/// False
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, dialect = "rfc9309"))]
pub(crate) fn compile_policy<'py>(
    robots_txt: &Bound<'py, PyAny>,
    agent: &Bound<'py, PyAny>,
    dialect: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let dialect = text::dialect(dialect)?;
    let (py, file, crawler) =
        (agent.py(), bytes("robots_txt", robots_txt)?, Agent::of(agent, Names::of(&dialect))?);
    let crawler = crawler.as_ref();
    let policy = detached(py, file.len(), || dialect.policy(&*file, &crawler));
    CompiledPolicy::new(policy).into_policy(py)
}

impl CompiledPolicy {
    fn new(policy: Policy) -> Self {
        Self(Arc::new(policy))
    }

    /// An instance of `verger.Policy`, which wraps it.
    pub(crate) fn into_policy(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "verger._policy", "Policy")?;
        class.call_method1("_of", (self,))
    }
}

#[pymethods]
impl CompiledPolicy {
    /// Reads the bytes of a policy.
    #[new]
    fn py_new(code: &[u8]) -> PyResult<Self> {
        Policy::from_bytes(code.into()).map(Self::new).map_err(value_error)
    }

    fn code<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    fn is_allowed(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.is_allowed(&*bytes("url", url)?))
    }

    /// Allowed, reason, kind of the rule, pattern, line, sentence.
    #[expect(clippy::type_complexity, reason = "fields of a named tuple")]
    fn check(
        &self,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<(bool, &'static str, Option<&'static str>, Option<String>, Option<usize>, String)>
    {
        let url = bytes("url", url)?;
        let verdict = self.0.check(&*url);
        let rule = verdict.rule();
        Ok((
            verdict.is_allowed(),
            verdict.reason().name(),
            rule.map(|rule| rule.kind().name()),
            rule.map(|rule| shown(rule.pattern())),
            verdict.line(),
            verdict.to_string(),
        ))
    }

    pub(crate) fn are_allowed<'py>(
        &self,
        urls: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let policy = &self.0;
        text::answers(urls, |url| policy.is_allowed(url))
    }

    pub(crate) fn are_lines_allowed<'py>(
        &self,
        py: Python<'py>,
        lines: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let lines = bytes("lines", lines)?;
        let allowed: Vec<u8> = py.detach(|| {
            let policy = &self.0;
            let text = lines.strip_suffix(b"\n").unwrap_or(&lines);
            if lines.is_empty() {
                return Vec::new();
            }
            let lines = text.split(|&byte| byte == b'\n');
            lines
                .map(|line| u8::from(policy.is_allowed(line.strip_suffix(b"\r").unwrap_or(line))))
                .collect()
        });
        Ok(PyBytes::new(py, &allowed))
    }

    fn without_explanation(&self) -> Self {
        Self::new(self.0.without_explanation())
    }
}
