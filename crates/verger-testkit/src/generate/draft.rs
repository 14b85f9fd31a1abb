//! State of a case during generation: random numbers, preferred forms, forms used so far.

use fastrand::Rng;

use super::form::{Form, Section};
use super::profile::{FormSet, Profile};

/// A case during generation.
#[derive(Debug)]
pub(crate) struct Draft {
    rng: Rng,
    profile: Profile,
    /// The preferred forms of this case.
    preferred: FormSet,
    used: FormSet,
}

impl Draft {
    pub(crate) fn new(profile: Profile, seed: u64, index: u64) -> Self {
        let mut rng = Rng::with_seed(mixed(seed ^ mixed(index)));
        let mut preferred = FormSet::EMPTY;
        for form in profile.forms() {
            if rng.u32(..1000) < preference(form) {
                preferred.insert(form);
            }
        }
        Self { rng, profile, preferred, used: FormSet::EMPTY }
    }

    /// Whether to use a form here. Its presence is recorded later, from the result.
    pub(crate) fn tries(&mut self, form: Form) -> bool {
        self.preferred.contains(form) && self.rng.bool()
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
        self.used.insert(form);
    }

    /// Whether a form has occurred.
    pub(crate) fn has(&self, form: Form) -> bool {
        self.used.contains(form)
    }

    /// The profile of the case.
    pub(crate) fn profile(&self) -> Profile {
        self.profile
    }

    /// The forms that have occurred.
    pub(crate) fn forms(&self) -> FormSet {
        self.used
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// A number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.rng.usize(..end)
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
            Section::Sites => 90,
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
