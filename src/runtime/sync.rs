//! The threading primitives of the hand-off between node threads, named in one place so that a model checker can
//! stand in for them (`RUSTFLAGS="--cfg loom"`).

#[cfg(not(loom))]
pub(super) use std::{
    sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence},
    thread::{Thread, current, park},
};

#[cfg(loom)]
pub(super) use loom::{
    sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence},
    thread::{Thread, current, park},
};
