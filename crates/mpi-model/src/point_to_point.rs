//! Sends and receives.

use crate::function::functions;

functions! {}
