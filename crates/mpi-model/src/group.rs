//! (Being written.)

use crate::function::functions;

/// The objects of a process.
#[derive(Debug, Default)]
pub struct State {}

functions! {}
