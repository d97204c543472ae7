//! (Being written.)

use crate::function::functions;

/// The topology of a communicator.
#[derive(Debug)]
pub struct Topology {}

functions! {}
