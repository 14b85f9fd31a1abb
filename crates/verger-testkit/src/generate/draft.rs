//! State of a case during generation: random numbers, preferred forms, forms used so far.

use fastrand::Rng;

use super::form::{Form, Forms, Section};

/// A case during generation.
#[derive(Debug)]
pub(crate) struct Draft {
    rng: Rng,
    /// Choices of a fuzzer; random ones follow them.
    choices: std::vec::IntoIter<u8>,
    /// The preferred forms of this case.
    preferred: Forms,
    pub(super) used: Forms,
}

impl Draft {
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut rng = Rng::with_seed(mixed(seed ^ mixed(index)));
        let mut preferred = [false; Form::ALL.len()];
        for &form in Form::ALL {
            preferred[form as usize] = rng.u32(..1000) < preference(form);
        }
        Self { rng, choices: Vec::new().into_iter(), preferred, used: [false; Form::ALL.len()] }
    }

    /// The first eight bytes are the seed, each further one is a choice.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let (seed, choices) = bytes.split_at(bytes.len().min(8));
        let seed = seed.iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
        Self { choices: Vec::from(choices).into_iter(), ..Self::new(seed, 0) }
    }

    /// Whether to use a form here. Its presence is recorded later, from the result.
    pub(crate) fn tries(&mut self, form: Form) -> bool {
        self.preferred[form as usize]
            && self.chosen(2).map_or_else(|| self.rng.bool(), |it| it == 1)
    }

    /// Whether to use a form here; records it as used.
    pub(crate) fn uses(&mut self, form: Form) -> bool {
        let uses = self.tries(form);
        if uses {
            self.record(form);
        }
        uses
    }

    /// The first of the given forms that is to be used here.
    pub(crate) fn uses_one(&mut self, forms: &[Form]) -> Option<Form> {
        forms.iter().copied().find(|&form| self.uses(form))
    }

    /// Records that a form occurs.
    pub(crate) fn record(&mut self, form: Form) {
        self.used[form as usize] = true;
    }

    /// Whether a form has occurred.
    pub(crate) fn has(&self, form: Form) -> bool {
        self.used[form as usize]
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        let chosen = self.chosen(100).and_then(|it| u32::try_from(it).ok());
        chosen.unwrap_or_else(|| self.rng.u32(..100)) < percent
    }

    /// A number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.chosen(end).unwrap_or_else(|| self.rng.usize(..end))
    }

    /// The next choice of a fuzzer, as a number below `end`.
    fn chosen(&mut self, end: usize) -> Option<usize> {
        self.choices.next().map(|byte| usize::from(byte) % end)
    }

    /// One of the given items. There must be at least one.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }
}

/// Number of cases, out of a thousand, that prefer a form.
fn preference(form: Form) -> u32 {
    match form {
        // Rare, because these take much time or hide the interesting parts of a case.
        Form::LineOverLong | Form::PatternLong | Form::RuleControl | Form::UrlControl => 36,
        // Frequent, because these are possible in a few places only.
        Form::ColonMissingThreeWords | Form::ColonMissingInValue => 750,
        Form::AgentDigits | Form::AgentNotAscii => 80,
        Form::CrawlerWithDigits | Form::UrlDotSegments => 45,
        Form::Utf16Little | Form::Utf16Big | Form::Utf16Broken | Form::Utf32Mark => 26,
        _ => match form.section() {
            Section::Keys | Section::Space | Section::Groups => 40,
            Section::Bytes | Section::Urls | Section::Crawlers => 32,
            Section::Agents => 38,
            Section::Patterns | Section::RuleOctets => 60,
            Section::UrlOctets => 45,
        },
    }
}

/// Spreads a number over all bits, so that consecutive numbers become independent: the finaliser of
/// `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
