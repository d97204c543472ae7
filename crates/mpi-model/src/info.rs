//! (Being written.)

use crate::function::functions;

/// The objects of a process.
#[derive(Debug, Default)]
pub struct State {}

functions! {}

/// An info object: keys and values in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Info {}
