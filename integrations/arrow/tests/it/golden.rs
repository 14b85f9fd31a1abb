//! The kernels against the engine, row by row, on the questions to Google's library.

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt32Type;
use arrow_array::{Array as _, BinaryArray, StringArray};
use verger::Dialect;
use verger_arrow::{check, check_detailed, check_policies, check_policies_detailed, compile};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::golden::{VERDICTS, answers};
use verger_testkit::shared::{Lacking, say, skip_loudly};

/// Rows of a call.
const BATCH: usize = 8_192;

#[test]
fn kernels_give_the_answers_of_the_engine_and_of_google_s_library() {
    const TEST: &str = "kernels on golden questions";
    let Some(files) = corpus().expect("the archive is sound") else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
    };
    let Some(answers) = answers().expect("the archive is sound") else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{VERDICTS} is not there"));
    };
    let mut rows = Vec::new();
    for about in &answers {
        let file = files[&about.file].as_slice();
        for (agent, expected) in &about.verdicts {
            let urls = about.urls.iter().zip(expected);
            rows.extend(urls.map(|(url, allowed)| (file, agent.as_str(), url.as_str(), *allowed)));
        }
    }
    for batch in rows.chunks(BATCH) {
        let robots = BinaryArray::from_iter_values(batch.iter().map(|row| row.0));
        let agents = StringArray::from_iter_values(batch.iter().map(|row| row.1));
        let urls = StringArray::from_iter_values(batch.iter().map(|row| row.2));
        let expected: Vec<_> = batch.iter().map(|row| Some(row.3)).collect();

        let allowed = check(&robots, &agents, &urls, Dialect::GOOGLE).expect("columns of text");
        assert!(allowed.iter().eq(expected.iter().copied()));
        let policies = compile(&robots, &agents, Dialect::GOOGLE).expect("columns of text");
        let again = check_policies(&policies, &urls).expect("columns of text");
        assert!(again.iter().eq(expected));

        let details = check_detailed(&robots, &agents, &urls, Dialect::GOOGLE).expect("text");
        assert_eq!(details, check_policies_detailed(&policies, &urls).expect("text"));
        let lines = details.column(4).as_primitive::<UInt32Type>();
        let patterns = details.column(3).as_binary::<i32>();
        // Parsing a file for each row takes a minute.
        for (at, (file, agent, url, _)) in batch.iter().enumerate().step_by(97) {
            let parsed = Dialect::GOOGLE.parse(*file);
            let rule = parsed.check(*agent, *url).rule();
            assert_eq!(rule.map_or(0, |rule| rule.position().line), lines.value(at) as usize);
            assert_eq!(
                rule.map(|rule| rule.pattern()),
                patterns.is_valid(at).then(|| patterns.value(at))
            );
        }
    }
    say(&format!("arrow: {} rows by four kernels: 0 differences", rows.len()));
}
