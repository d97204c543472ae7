//! The part of a collective call that the members of a group must agree on.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

/// A collective call as one member makes it: what it is for, how a message calls it, and a digest of all that must be
/// the same on all members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    operation: &'static str,
    text: String,
    digest: u64,
}

impl Call {
    /// A call for an operation, described by `text`, of which `details` must be the same too.
    pub(crate) fn new(operation: &'static str, text: String, details: impl Hash) -> Call {
        let mut hasher = DefaultHasher::new();
        details.hash(&mut hasher);
        Call { operation, text, digest: hasher.finish() }
    }

    /// Its purpose, in a word or two: `broadcast`.
    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
