//! Questions: robots.txt files, and URLs for each.

use std::borrow::Cow;

/// Files and questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    /// The crawler, if there is only one.
    pub(crate) agent: String,
    pub(crate) sites: Vec<Site>,
}

/// A robots.txt and its questions.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The host, which is also the name of the file.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) questions: Vec<Question>,
}

/// A URL, and its path for peers that do not accept URLs.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) url: String,
    pub(crate) path: String,
}

impl Set {
    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> usize {
        self.sites.iter().map(|site| site.bytes.len()).sum()
    }

    /// Questions about all files.
    pub(crate) fn questions(&self) -> usize {
        self.sites.iter().map(|site| site.questions.len()).sum()
    }
}

impl Site {
    pub(crate) fn new(name: impl Into<String>, bytes: Vec<u8>, urls: Vec<String>) -> Self {
        let questions = urls.into_iter().map(Question::new).collect();
        Self { name: name.into(), bytes, questions }
    }

    /// The origin of the file.
    pub(crate) fn origin(&self) -> String {
        format!("https://{}", self.name)
    }
}

impl Question {
    fn new(url: String) -> Self {
        let path = path(&url).into_owned();
        Self { url, path }
    }

    /// Whether every peer can parse the URL.
    pub(crate) fn is_web_url(&self) -> bool {
        ["http://", "https://"].iter().any(|scheme| self.url.starts_with(scheme))
    }
}

/// Path and query of a URL's text, extracted as the engine does it: scheme, authority and fragment
/// are removed.
///
/// For peers that do not accept URLs. Its time counts as theirs, because their users need it too.
pub(crate) fn path(url: &str) -> Cow<'_, str> {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let path = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => {
            rest.find(['/', '?']).map_or("", |at| &rest[at..])
        }
        _ => url,
    };
    if path.starts_with('/') { Cow::Borrowed(path) } else { Cow::Owned(format!("/{path}")) }
}
