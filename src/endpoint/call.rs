//! A collective call, which all members of a group must make with equal arguments.

use std::{
    fmt::{self, Write},
    hash::{DefaultHasher, Hash, Hasher},
};

/// A collective call as made by one member: its operation, its description for messages, and a digest of everything that must be equal on
/// all members.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    operation: &'static str,
    text: &'a dyn fmt::Display,
    digest: u64,
}

impl<'a> Call<'a> {
    /// Describes a call of `operation`. `text` and `details` must also be equal on all members. The text is formatted only for the digest
    /// and for error messages.
    pub(crate) fn new(operation: &'static str, text: &'a dyn fmt::Display, details: impl Hash) -> Call<'a> {
        let mut digest = Digest(DefaultHasher::new());
        // Writing to a digest cannot fail.
        let _ = write!(digest, "{operation} {text}");
        details.hash(&mut digest.0);
        Call { operation, text, digest: digest.0.finish() }
    }

    /// The name of the operation, such as `broadcast`.
    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }

    /// A digest of the call: equal on members that make the same call, and different otherwise except for hash collisions.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

impl fmt::Display for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({self})")
    }
}

/// Hashes formatted text without storing it.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
