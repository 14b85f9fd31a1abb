//! The answers of Google's library about the files of the corpus, in the data folder beside the
//! project.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::shared::shared;

/// Path of the compressed answers.
pub const VERDICTS: &str = "golden/google-verdicts.jsonl.gz";

/// The answers about one file.
#[derive(Clone, Debug)]
pub struct GoldenAnswers {
    /// Name of its site.
    pub file: String,
    /// The URLs of the questions.
    pub urls: Vec<String>,
    /// Crawlers, and for each URL whether it is allowed.
    pub verdicts: Vec<(String, Vec<bool>)>,
}

/// Reads the answers; `None` if the data is absent.
///
/// # Errors
///
/// If the data is damaged.
pub fn answers() -> io::Result<Option<Vec<GoldenAnswers>>> {
    shared(VERDICTS).map(|path| unpack(&path)).transpose()
}

/// Reads the answers from a file of compressed JSON Lines.
///
/// # Errors
///
/// If the file is absent or damaged.
pub fn unpack(path: &Path) -> io::Result<Vec<GoldenAnswers>> {
    let lines = BufReader::new(GzDecoder::new(File::open(path)?)).lines();
    let answers = lines.map(|line| {
        let line = serde_json::from_str(&line?)?;
        read(&line).ok_or_else(|| io::Error::other("expected the answers about a file"))
    });
    answers.collect()
}

fn read(line: &Value) -> Option<GoldenAnswers> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let urls: Vec<String> =
        line.get("urls")?.as_array()?.iter().map(text).collect::<Option<_>>()?;
    let verdicts = line.get("verdicts")?.as_object()?.iter().map(|(agent, bits)| {
        let bits: Vec<bool> = bits.as_str()?.bytes().map(|bit| bit == b'1').collect();
        (bits.len() == urls.len()).then(|| (agent.clone(), bits))
    });
    let verdicts = verdicts.collect::<Option<_>>()?;
    Some(GoldenAnswers { file: text(line.get("file")?)?, urls, verdicts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_bit_for_each_agent_and_url() {
        let line = r#"{"file":"h","urls":["/a","/b"],"kinds":"gg","verdicts":{"x":"10"}}"#;
        let answers = read(&serde_json::from_str(line).unwrap()).unwrap();
        assert_eq!((answers.file.as_str(), answers.urls.len()), ("h", 2));
        assert_eq!(answers.verdicts, [("x".to_owned(), vec![true, false])]);
    }

    #[test]
    fn a_line_with_too_few_bits_is_refused() {
        let line = r#"{"file":"h","urls":["/a","/b"],"verdicts":{"x":"1"}}"#;
        assert!(read(&serde_json::from_str(line).unwrap()).is_none());
    }
}
