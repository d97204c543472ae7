//! S-to-p broadcasting.

mod auto;
mod broadcasts;
mod calls;
mod formulas;
mod matrix;

use crate::conformance::s_to_p::message;
