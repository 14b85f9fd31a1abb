//! Counted allocations.

/// Allocations of some work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocated {
    /// Peak of allocated bytes.
    pub peak: u64,
    /// Bytes that remain allocated.
    pub held: u64,
}

/// Does some work and counts its allocations. An argument, because a counting allocator replaces
/// the system's, and a program that compares times must not have one.
pub(crate) type Count = fn(&mut dyn FnMut()) -> Allocated;
