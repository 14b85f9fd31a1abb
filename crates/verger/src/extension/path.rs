//! Lines whose value may begin with a path: which of them speak of a URL (REP-EXT-34, REP-EXT-35).

use crate::pattern::Pattern;
use crate::robots::Robots;
use crate::search::{Searched, with_room};
use crate::target::Target;

/// A value that begins with `/` has a path, up to white space.
pub(super) fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if !value.starts_with(b"/") {
        return (None, value);
    }
    // Only SP and HTAB: the draft's white space is that of RFC 9309's grammar.
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let end = value.iter().position(is_blank).unwrap_or(value.len());
    let (path, rest) = value.split_at(end);
    let start = rest.iter().position(|octet| !is_blank(octet)).unwrap_or(rest.len());
    (Some(path), &rest[start..])
}

impl Robots {
    /// Of lines with paths those that match a URL longest, taken together. A line without a path is
    /// the shortest match (REP-EXT-34).
    pub(super) fn longest<'r, T: Copy>(
        &'r self,
        url: &[u8],
        lines: impl Iterator<Item = (Option<&'r [u8]>, T)>,
        nothing: T,
        and: impl Fn(T, T) -> T,
    ) -> T {
        let dialect = self.dialect();
        let Some(target) = Target::of_url(url, &dialect) else {
            return nothing;
        };
        let longest = |mut target: Searched<'_>| {
            let mut best = (0, nothing);
            for (path, stated) in lines {
                let pattern = path.map(|path| Pattern::new(path, &dialect));
                if pattern.is_some_and(|pattern| !pattern.matches(&mut target)) {
                    continue;
                }
                let length = pattern.map_or(0, Pattern::len);
                if length > best.0 {
                    best = (length, nothing);
                }
                if length == best.0 {
                    best.1 = and(best.1, stated);
                }
            }
            best.1
        };
        target.in_normal_form(|target| with_room(target, longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_ends_at_white_space() {
        assert_eq!(split_path(b"/a \t b=y"), (Some(&b"/a"[..]), &b"b=y"[..]));
        assert_eq!(split_path(b"/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split_path(b"*a b"), (None, &b"*a b"[..]));
    }
}
