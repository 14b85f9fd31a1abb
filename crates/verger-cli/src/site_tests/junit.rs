//! Results of tests as XML of `JUnit`.

use std::io::{self, Write};

use quick_xml::escape::escape;
use verger::Untrusted;
use verger_json::site_tests::{Remark, Status, TestReport};

/// Writes results as XML of `JUnit`: one suite with a case for each test and crawler. `file` is the
/// name of the file of tests.
pub(crate) fn write_junit(out: &mut impl Write, file: &str, report: &TestReport) -> io::Result<()> {
    let total = report.tests.len();
    let [_, failed, errors, skipped] = report.counts();
    let file = xml(file);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites tests=\"{total}\" failures=\"{failed}\" errors=\"{errors}\">")?;
    writeln!(
        out,
        "<testsuite name=\"{file}\" tests=\"{total}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{skipped}\">"
    )?;
    for test in &report.tests {
        let (name, crawler) = (xml(&test.name), xml(&test.crawler));
        let assertions = test.checks;
        write!(
            out,
            "<testcase name=\"{name}\" classname=\"{crawler}\" file=\"{file}\" line=\"{}\" assertions=\"{assertions}\"",
            test.line
        )?;
        if test.status == Status::Passed {
            writeln!(out, "/>")?;
            continue;
        }
        writeln!(out, ">")?;
        for (element, remarks) in [("failure", &test.failures), ("error", &test.errors)] {
            for Remark { line, message } in remarks {
                let message = xml(message);
                writeln!(
                    out,
                    "<{element} message=\"{message}\">{file}:{line}: {message}</{element}>"
                )?;
            }
        }
        if let (Status::Skipped, Some(first)) = (test.status, test.skipped.first()) {
            writeln!(out, "<skipped message=\"{}\"/>", xml(&first.message))?;
        }
        writeln!(out, "</testcase>")?;
    }
    writeln!(out, "</testsuite>\n</testsuites>")
}

/// Text for XML: in elements and in quoted attributes. Characters that XML forbids are escaped as
/// in messages.
fn xml(text: &str) -> String {
    escape(Untrusted::new(text).to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_json::site_tests::TestResult;

    #[test]
    fn foreign_text_is_escaped() {
        let remark = |line, message: &str| vec![Remark { line, message: message.to_owned() }];
        let test = |name: &str, failures: Vec<_>, errors: Vec<_>, skipped: Vec<_>| TestResult {
            name: name.to_owned(),
            crawler: "<b>".to_owned(),
            tokens: Vec::new(),
            note: None,
            line: 3,
            status: Status::of(&failures, &errors, &skipped),
            checks: 1,
            failures,
            errors,
            skipped,
        };
        let skipped = || remark(8, "no site");
        let tests = vec![
            test("a", vec![], vec![], vec![]),
            test("'", remark(7, "]]>\u{1b}\u{fffe}\"&"), vec![], skipped()),
            test("c", vec![], vec![], skipped()),
            test("d", vec![], remark(9, "<gone>"), skipped()),
        ];
        let mut out = Vec::new();
        write_junit(&mut out, "t", &TestReport { tests }).expect("memory");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites tests=\"4\" failures=\"1\" errors=\"1\">\n\
             <testsuite name=\"t\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n\
             <testcase name=\"a\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"1\"/>\n\
             <testcase name=\"&apos;\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"1\">\n\
             <failure message=\"]]&gt;\\x1b\\u{fffe}&quot;&amp;\">t:7: ]]&gt;\\x1b\\u{fffe}&quot;&amp;</failure>\n\
             </testcase>\n\
             <testcase name=\"c\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"1\">\n\
             <skipped message=\"no site\"/>\n</testcase>\n\
             <testcase name=\"d\" classname=\"&lt;b&gt;\" file=\"t\" line=\"3\" assertions=\"1\">\n\
             <error message=\"&lt;gone&gt;\">t:9: &lt;gone&gt;</error>\n\
             </testcase>\n</testsuite>\n</testsuites>\n"
        );
    }
}
