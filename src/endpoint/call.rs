//! A collective call, of which the members of a group must make the same.

use std::{
    fmt::{self, Write},
    hash::{DefaultHasher, Hash, Hasher},
};

/// A collective call as one member makes it: its operation, its description in messages about it, and a digest of all that
/// must be the same on all members.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    operation: &'static str,
    text: &'a dyn fmt::Display,
    digest: u64,
}

impl<'a> Call<'a> {
    /// A call for an operation, described by `text`, of which `details` must be the same too. The text is written where
    /// somebody reads it, which is seldom.
    pub(crate) fn new(operation: &'static str, text: &'a dyn fmt::Display, details: impl Hash) -> Call<'a> {
        let mut digest = Digest(DefaultHasher::new());
        // A digest takes every text.
        let _ = write!(digest, "{operation} {text}");
        details.hash(&mut digest.0);
        Call { operation, text, digest: digest.0.finish() }
    }

    /// Its purpose, in a word or two: `broadcast`.
    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }

    /// The same on members that make the same call, and on nearly no others.
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

/// A digest of texts, without memory for them.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
