//! The synchronization primitives of the hand-off between node threads, named in one place so that the model checker loom can replace them
//! (`RUSTFLAGS="--cfg loom"`).

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

/// Parks without a timeout: the model has no time.
#[cfg(loom)]
pub(super) fn park_timeout(_: std::time::Duration) {
    park();
}
