//! Results of tests as XML of `JUnit`.

use std::fmt::{self, Display};
use std::io::{self, Write};

use verger::Untrusted;

use crate::site_tests::TestReport;

/// Writes one suite with a case for each test and crawler.
pub(crate) fn write_junit(out: &mut impl Write, report: &TestReport) -> io::Result<()> {
    let (total, failed) = (report.tests.len(), report.failed);
    let skipped = report.tests.iter().filter(|test| is_skipped(test)).count();
    let file = Xml(&report.file);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites tests=\"{total}\" failures=\"{failed}\" errors=\"0\">")?;
    writeln!(
        out,
        "<testsuite name=\"{file}\" tests=\"{total}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\">"
    )?;
    for test in &report.tests {
        let (name, crawler) = (Xml(&test.name), Xml(&test.crawler));
        let assertions = test.checks;
        write!(
            out,
            "<testcase name=\"{name}\" classname=\"{crawler}\" file=\"{file}\" line=\"{}\" assertions=\"{assertions}\"",
            test.line
        )?;
        if test.failures.is_empty() && !is_skipped(test) {
            writeln!(out, "/>")?;
            continue;
        }
        writeln!(out, ">")?;
        for failure in &test.failures {
            let message = Xml(&failure.message);
            let line = failure.line;
            writeln!(out, "<failure message=\"{message}\">{file}:{line}: {message}</failure>")?;
        }
        if let (true, Some(first)) = (is_skipped(test), test.skipped.first()) {
            writeln!(out, "<skipped message=\"{}\"/>", Xml(&first.message))?;
        }
        writeln!(out, "</testcase>")?;
    }
    writeln!(out, "</testsuite>\n</testsuites>")
}

/// Whether nothing of a test was checked.
const fn is_skipped(test: &crate::site_tests::TestResult) -> bool {
    test.checks == 0 && !test.skipped.is_empty()
}

/// Text for XML: in elements and in quoted attributes. Characters that XML forbids are escaped as
/// everywhere in the program.
struct Xml<'t>(&'t str);

impl Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inert = Untrusted::new(self.0).to_string();
        inert.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&apos;"),
            c => write!(f, "{c}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_tests::{Remark, TestResult};

    #[test]
    fn foreign_text_is_escaped() {
        let failure = Remark { line: 7, message: "]]>\u{1b}\u{fffe}\"&".to_owned() };
        let test = |name: &str, failures: Vec<Remark>, skipped: Vec<Remark>, checks| TestResult {
            name: name.to_owned(),
            crawler: "<b>".to_owned(),
            line: 3,
            passed: failures.is_empty(),
            checks,
            failures,
            skipped,
        };
        let skipped = Remark { line: 8, message: "no site".to_owned() };
        let tests = vec![
            test("a", vec![], vec![], 1),
            test("'", vec![failure], vec![], 2),
            test("c", vec![], vec![skipped], 0),
        ];
        let mut out = Vec::new();
        write_junit(&mut out, &TestReport::new("t".into(), "r".into(), tests)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites tests=\"3\" failures=\"1\" errors=\"0\">\n\
             <testsuite name=\"t\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n\
             <testcase name=\"a\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"1\"/>\n\
             <testcase name=\"&apos;\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"2\">\n\
             <failure message=\"]]&gt;\\x1b\\u{fffe}&quot;&amp;\">t:7: ]]&gt;\\x1b\\u{fffe}&quot;&amp;</failure>\n\
             </testcase>\n\
             <testcase name=\"c\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"0\">\n\
             <skipped message=\"no site\"/>\n</testcase>\n</testsuite>\n</testsuites>\n"
        );
    }
}
