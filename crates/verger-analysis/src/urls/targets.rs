//! Targets: the texts for which policies are compared, and their URLs.

use verger::dialect::NormalForm;

use crate::patterns::glob::Glob;
use crate::urls::client_urls::ClientUrls;
use crate::urls::{ORIGIN, escape};

/// A set of targets, as texts of symbols.
#[derive(Debug)]
pub(crate) enum Targets {
    /// The targets of URLs in a normal form; a symbol is an octet.
    Normal(NormalForm),
    /// The URLs that clients send, for the comparison of two normal forms; a symbol is a character
    /// or an escape.
    ClientUrls(Box<ClientUrls>),
}

impl Targets {
    /// Whether a pattern of a rule may match a target. In normal form it contains no octet that no
    /// target contains.
    pub(crate) fn has(&self, glob: &Glob) -> bool {
        match self {
            Self::Normal(form) => glob.symbols().iter().all(|&octet| is_possible(*form, octet)),
            Self::ClientUrls(_) => true,
        }
    }

    /// Whether a text of symbols is a target.
    pub(crate) fn admits(&self, text: &[u8]) -> bool {
        match self {
            Self::Normal(_) => true,
            Self::ClientUrls(sent) => sent.is_sent(text),
        }
    }

    /// The patterns whose canonical texts show whether a pattern with a canonical text that is not
    /// a target matches a target. `None` if there are too many.
    pub(crate) fn variants(&self, glob: &Glob) -> Option<Vec<Glob>> {
        match self {
            Self::Normal(_) => Some(Vec::new()),
            Self::ClientUrls(_) => ClientUrls::with_query(glob),
        }
    }

    /// Appends path and query of the URL of a text.
    pub(crate) fn write(&self, text: &[u8], url: &mut Vec<u8>) {
        match self {
            Self::Normal(NormalForm::DecodeAllButSlash) => {
                for (at, &octet) in text.iter().enumerate() {
                    // The normal form keeps the escape of `/`.
                    if text[at..].starts_with(b"%2F") {
                        url.push(octet);
                    } else {
                        write_decoded(octet, url);
                    }
                }
            }
            Self::Normal(_) => url.extend(text),
            Self::ClientUrls(sent) => sent.write(text, url),
        }
    }

    /// The length of a text in octets.
    pub(crate) fn length(&self, text: &[u8]) -> usize {
        match self {
            Self::Normal(_) => text.len(),
            Self::ClientUrls(sent) => text.iter().map(|&symbol| sent.spelling(symbol).len()).sum(),
        }
    }

    /// The length of the shortest text that matches a pattern, in octets.
    pub(crate) fn shortest(&self, glob: &Glob) -> usize {
        self.length(glob.symbols())
    }
}

/// Whether an octet occurs in targets of URLs.
///
/// A fragment is not part of the target. Forms that change no octet, or encode some, contain no
/// octet that every client encodes. The form that decodes escapes contains every octet.
fn is_possible(form: NormalForm, octet: u8) -> bool {
    match form {
        NormalForm::DecodeAllButSlash => true,
        _ => octet.is_ascii_graphic() && !matches!(octet, b'"' | b'#' | b'<' | b'>'),
    }
}

/// Writes the escape of an octet that has a meaning in the text of a URL, or that a URL cannot
/// contain; others as they are. Both are decoded to the octet, also before hex digits.
fn write_decoded(octet: u8, url: &mut Vec<u8>) {
    let is_raw = octet.is_ascii_graphic()
        && !matches!(
            octet,
            b'%' | b'"' | b'#' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
        );
    if is_raw {
        url.push(octet);
    } else {
        url.extend(escape(octet));
    }
}

/// The text of URLs, in one buffer.
#[derive(Debug)]
pub(crate) struct Urls<'s> {
    targets: &'s Targets,
    buffer: Vec<u8>,
}

impl<'s> Urls<'s> {
    pub(crate) fn new(targets: &'s Targets) -> Self {
        Self { targets, buffer: ORIGIN.as_bytes().to_vec() }
    }

    /// The URL of a text.
    pub(crate) fn of(&mut self, text: &[u8]) -> &[u8] {
        self.buffer.truncate(ORIGIN.len());
        self.targets.write(text, &mut self.buffer);
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Dialect;

    /// The target of a URL, by the engine.
    fn target(dialect: Dialect, url: &[u8]) -> Vec<u8> {
        let robots = dialect.parse("User-agent: *\nDisallow: /\n");
        robots.explain("x", url).target.expect("a target")
    }

    #[test]
    fn a_url_has_the_text_as_its_target() {
        for dialect in Dialect::PUBLISHED {
            let targets = Targets::Normal(dialect.normal_form);
            let mut urls = Urls::new(&targets);
            for octet in 0..=u8::MAX {
                let texts: [&[u8]; 3] = [&[b'/', octet], &[b'/', octet, b'4', b'1'], b"/%2F%25"];
                for text in texts {
                    let text = match dialect.normal_form {
                        // Unlike other forms, this one has no octet alone.
                        NormalForm::Rfc9309 => target(dialect, &[b"https://h", text].concat()),
                        _ => text.to_vec(),
                    };
                    let is_possible = targets.has(&Glob::exactly(&text));
                    let is_unsafe = dialect.normal_form == NormalForm::EscapeUnsafe
                        && b"\\[]^`{|}".contains(&octet);
                    if is_possible && !is_unsafe {
                        assert_eq!(target(dialect, urls.of(&text)), text, "{dialect} {octet}");
                    }
                }
            }
        }
    }

    #[test]
    fn octets_that_every_client_encodes_are_in_decoded_targets_only() {
        for dialect in Dialect::PUBLISHED {
            let targets = Targets::Normal(dialect.normal_form);
            let decodes = dialect.normal_form == NormalForm::DecodeAllButSlash;
            for text in [b"/ ", b"/#", b"/\"", b"/\0", b"/\xff"] {
                assert_eq!(targets.has(&Glob::exactly(text)), decodes);
            }
            assert!(targets.has(&Glob::exactly(b"/{}|'!~%")));
        }
    }
}
