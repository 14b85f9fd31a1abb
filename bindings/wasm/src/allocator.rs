//! The allocator of the modules.

use core::arch::wasm32::{memory_grow, memory_size};
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};

use rlsf::{FlexSource, FlexTlsf};

/// An allocator of a third of the code of the standard one, with constant time.
pub(crate) struct Allocator(UnsafeCell<Tlsf>);

type Tlsf = FlexTlsf<Pages, usize, usize, WIDTH, WIDTH>;

/// Bits of the allocator's maps of free blocks.
const WIDTH: usize = usize::BITS as usize;

impl Allocator {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(FlexTlsf::new(Pages)))
    }
}

// SAFETY: a module has a single thread.
unsafe impl Sync for Allocator {}

// SAFETY: blocks are those of `FlexTlsf`. Its methods do not call the global allocator, so that
// only one reference exists at a time.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        let inner = unsafe { &mut *self.0.get() };
        inner.allocate(layout).map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: see above; the caller gives a block of `alloc`, which is not null.
        unsafe { (*self.0.get()).deallocate(NonNull::new_unchecked(block), layout.align()) }
    }
}

/// The memory of the module, from its end on.
struct Pages;

const PAGE: usize = 1 << 16;

/// The memory grows by this part of its size, or by more if needed. Growth by single pages makes
/// parsing of 400 rules 4 to 15 times slower while thousands of files are kept (Node.js 20).
const GROWTH: usize = 4;

// SAFETY: new pages belong to nobody else.
unsafe impl FlexSource for Pages {
    unsafe fn alloc(&mut self, min_size: usize) -> Option<NonNull<[u8]>> {
        let needed = min_size.div_ceil(PAGE);
        // Near the limit of the memory, only what is needed.
        let (pages, start) = [needed.max(memory_size(0) / GROWTH), needed]
            .into_iter()
            .map(|pages| (pages, memory_grow(0, pages)))
            .find(|(_, start)| *start != usize::MAX)?;
        let start = NonNull::new((start * PAGE) as *mut u8)?;
        Some(NonNull::slice_from_raw_parts(start, pages * PAGE))
    }

    fn min_align(&self) -> usize {
        PAGE
    }
}
