//! The arguments of a call, as bytes.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

thread_local! {
    /// The arguments of the next call. JavaScript writes them.
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address of room for arguments of this total length. It is valid until the next call
/// of this function. The first `kept` bytes are those of arguments that are written already.
#[wasm_bindgen]
pub fn input(kept: usize, length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        // Room of one call for a huge file is returned by the next, but not between its arguments.
        if kept == 0 && input.len() > KEPT && length <= KEPT {
            *input = Vec::new();
        }
        if length > input.len() {
            // As much as JavaScript expects: `Memory` counts on the length.
            input.reserve_exact(length - input.len());
            input.resize(length, 0);
        }
        input.as_mut_ptr()
    })
}

/// The room that is kept between calls. A robots.txt is cut at 500 KiB.
const KEPT: usize = 1 << 20;

/// Calls a function with the arguments of these lengths.
///
/// # Panics
///
/// If there was no room for them: a shorter argument would be another question.
pub(crate) fn with<const N: usize, T>(
    lengths: [usize; N],
    call: impl FnOnce([&[u8]; N]) -> T,
) -> T {
    INPUT.with_borrow(|input| {
        let mut rest = &input[..];
        call(lengths.map(|length| {
            let (argument, others) = rest.split_at(length);
            rest = others;
            argument
        }))
    })
}
