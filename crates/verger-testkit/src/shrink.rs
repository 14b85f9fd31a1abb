//! Reduction of a failing input to the part that the failure needs.

/// Removes lines and octets from a robots.txt and a URL as long as `fails` remains true.
///
/// # Panics
///
/// If `fails` is false for the input.
pub fn shrink(
    robots: &[u8],
    url: &[u8],
    mut fails: impl FnMut(&[u8], &[u8]) -> bool,
) -> (Vec<u8>, Vec<u8>) {
    assert!(fails(robots, url), "expected a failing input to shrink");
    let (mut robots, mut url) = (robots.to_vec(), url.to_vec());
    loop {
        let before = robots.len() + url.len();
        let lines: Vec<&[u8]> = robots.split_inclusive(|&octet| octet == b'\n').collect();
        let lines = fewer(&lines, |lines| fails(&lines.concat(), &url));
        robots = lines.concat();
        url = fewer(&url, |url| fails(&robots, url));
        robots = fewer(&robots, |robots| fails(robots, &url));
        if robots.len() + url.len() == before {
            return (robots, url);
        }
    }
}

/// Removes runs from a list, long ones first, as long as `fails` is true for the rest.
pub fn fewer<T: Clone>(items: &[T], mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = items.to_vec();
    let mut run = kept.len();
    while run > 0 {
        let mut at = 0;
        while at < kept.len() {
            let mut tried = kept.clone();
            tried.drain(at..(at + run).min(kept.len()));
            if fails(&tried) {
                kept = tried;
            } else {
                at += run;
            }
        }
        run /= 2;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_failing_part_remains() {
        let robots = b"User-agent: *\nAllow: /x\nDisallow: /abc\nSitemap: y\n";
        let (robots, url) = shrink(robots, b"http://h/abcd?e", |robots, url| {
            robots.windows(2).any(|two| two == b"ab") && url.contains(&b'c')
        });
        assert_eq!((robots.as_slice(), url.as_slice()), (b"ab".as_slice(), b"c".as_slice()));
    }

    #[test]
    fn runs_of_every_length_are_tried() {
        assert_eq!(fewer(b"xaxbxxc", |rest| rest.contains(&b'a') && rest.contains(&b'c')), b"ac");
        assert_eq!(fewer(b"x", |_| true), b"");
    }
}
