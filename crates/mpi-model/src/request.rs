//! Requests.

use std::marker::PhantomData;

use crate::function::functions;

/// The requests of a process.
#[derive(Debug, Default)]
pub struct State<'n> {
    of: PhantomData<&'n ()>,
}

functions! {}
