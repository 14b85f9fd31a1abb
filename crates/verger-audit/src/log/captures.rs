//! Header fields that `HAProxy` captured.

use std::collections::HashMap;

use super::escape::hex_unescaped;
use super::fields::{Field, Parts};
use super::request::{address, is_product};
use crate::limits::{CAPTURES, FRONTENDS};

/// The columns of captured header fields, whose names are not in the log, as lines showed them: for
/// each frontend with a number of columns, and for each column, the number of lines in which only
/// this one begins with a product.
#[derive(Debug, Default)]
pub(crate) struct Captures(HashMap<(Vec<u8>, usize), Vec<u64>>);

impl Captures {
    /// The User-Agent header and the host among the header fields of a request. Neither is known if
    /// two texts have its form and no line before shows the column of the User-Agent header.
    pub(crate) fn read<'l>(&mut self, frontend: &[u8], text: &'l [u8], parts: &mut Parts<'l>) {
        let product = only(text, |_, text| is_product(text)).map(|(column, _)| column);
        let agent = self.agent(frontend, columns(text).count(), product);
        if let Some((_, agent)) = columns(text).find(|(column, _)| Some(*column) == agent) {
            parts.set(Field::Agent, hex_unescaped(agent, b'#'));
        }
        if let Some((_, host)) = only(text, |column, text| Some(column) != agent && is_host(text)) {
            parts.set(Field::Host, host);
        }
    }

    /// The column of the User-Agent header in a line in which only `product` begins with a product.
    /// Single clients that write one into another field do not move it.
    fn agent(&mut self, frontend: &[u8], count: usize, product: Option<usize>) -> Option<usize> {
        let key = (frontend.to_vec(), count);
        let is_new = product.is_some() && count <= CAPTURES && self.0.len() < FRONTENDS;
        if is_new && !self.0.contains_key(&key) {
            self.0.insert(key.clone(), vec![0; count]);
        }
        let Some(lines) = self.0.get_mut(&key) else { return product };
        if let Some(column) = product {
            lines[column] += 1;
        }
        let all: u64 = lines.iter().sum();
        lines.iter().position(|lines| lines * 10 > all * 9).or(product)
    }
}

/// The texts. A `|` in one of them is escaped.
fn columns(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(|byte| *byte == b'|').enumerate()
}

/// The column with the wanted text, if it is the only one.
fn only(text: &[u8], is_wanted: impl Fn(usize, &[u8]) -> bool) -> Option<(usize, &[u8])> {
    let mut found = columns(text).filter(|(column, text)| is_wanted(*column, text));
    found.next().filter(|_| found.next().is_none())
}

fn is_host(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:".contains(byte);
    text.contains(&b'.')
        && text.iter().all(is_name)
        && text.iter().any(u8::is_ascii_alphabetic)
        && address(text).is_none()
}
