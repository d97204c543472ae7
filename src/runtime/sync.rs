//! The threading primitives of the hand-off between node threads, named in one place so that a model checker can
//! stand in for them (`RUSTFLAGS="--cfg loom"`).

#[cfg(not(loom))]
pub(super) use std::{
    sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence},
    thread::{Thread, current, park, park_timeout},
};

#[cfg(loom)]
pub(super) use loom::{
    sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence},
    thread::{Thread, current, park},
};

/// The model has no time: its sleepers have no deadlines.
#[cfg(loom)]
pub(super) fn park_timeout(_: std::time::Duration) {
    park();
}
