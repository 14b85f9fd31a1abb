//! Target `policy`: a compiled policy gives the same answers and explanations as its robots.txt,
//! and checks with forged bytes terminate.
//!
//! The checksum is computed here independently, from `docs/policy-format.md`, so that forged bytes
//! can have a valid one.

use verger::Policy;
use verger::policy::PolicyError;
use verger_testkit::suite::explains_alike;

use crate::input::{Question, mixed, published, with_tight_limits};

/// Checks policies.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let crawler = question.crawler.to_crawler();
    let tight = with_tight_limits(question.robots.len());
    for dialect in published().chain(tight).chain(mixed(question.row)) {
        let robots = dialect.parse(&question.robots);
        let verdict = robots.check(&crawler, &question.url);
        let policy = robots.policy(&crawler);
        assert_eq!(dialect.policy(&question.robots, &crawler), policy, "{dialect}: {question:?}");
        let kept = Policy::from_bytes(policy.as_bytes()).expect("a policy is one");
        assert_eq!(kept.as_bytes(), policy.as_bytes());
        let found = kept.check(&question.url);
        let same = explains_alike(&found, &verdict);
        assert!(same.is_ok(), "{dialect}: {same:?}, {question:?}");
        assert_eq!(found.reason(), verdict.reason(), "{dialect}: {question:?}");
        let line = verdict.rule().map(|rule| rule.position().line);
        let bare = kept.without_explanation();
        let short = bare.check(&question.url);
        assert_eq!((short.is_allowed(), short.line()), (verdict.is_allowed(), line), "{dialect}");
        let size = (kept.as_bytes().len(), bare.as_bytes().len());
        assert!(size.1 <= size.0, "{dialect}: {size:?}");
    }
    made_up(&question);
}

/// Changes bytes of a policy to bytes of the URL.
fn made_up(question: &Question) {
    let policy = verger::Robots::parse(&question.robots).policy(&question.crawler.to_crawler());
    let mut bytes = policy.as_bytes().to_vec();
    for pair in question.url.chunks_exact(3) {
        let place = usize::from(pair[0]) << 8 | usize::from(pair[1]);
        let count = bytes.len();
        // Version and lengths are checked first; interesting bytes follow the head.
        if count > HEAD {
            bytes[HEAD + place % (count - HEAD)] ^= pair[2];
        }
    }
    let is_changed = bytes != policy.as_bytes();
    let refused = Policy::from_bytes(&bytes);
    assert_eq!(refused.is_err(), is_changed, "{question:?}");
    assert!(!is_changed || refused == Err(PolicyError::Damaged));
    let sum = checksum(&bytes);
    bytes[CHECKSUM..HEAD].copy_from_slice(&sum.to_le_bytes());
    let policy = Policy::from_bytes(&bytes).expect("the sum is right");
    for url in [&question.url[..], b"/", b"/aaaaaaaaaaaaaaaaaaaaaaaa", b"/a?b=c&d=%7e"] {
        let _shown = policy.check(url).to_string();
    }
}

const HEAD: usize = 32;
const CHECKSUM: usize = 24;

fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| {
        let product = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        product ^ (product >> 32)
    };
    let words = |part: &[u8]| -> Vec<u64> {
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        };
        part.chunks(8).map(word).collect()
    };
    let mut sums = [1, 2, 3, 4].map(|seed| mix(seed, bytes.len() as u64));
    let after = &bytes[HEAD..];
    let (blocks, rest) = after.split_at(after.len() / 32 * 32);
    for (at, word) in words(blocks).into_iter().enumerate() {
        sums[at % 4] = mix(sums[at % 4], word);
    }
    let sum = sums[1..].iter().fold(sums[0], |sum, &other| mix(sum, other));
    words(&bytes[..CHECKSUM]).into_iter().chain(words(rest)).fold(sum, mix)
}
