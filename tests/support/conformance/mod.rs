//! Node programs that check themselves, for whatever carries messages: the model, the host's threads, processes.
//!
//! Where every node is a process of its own, nobody can look at what another one returns. So every rank works out by itself
//! what it must get, looks at every byte of what it got, and ends with an error that says on which rank, in which case and
//! where the two differ. Cases are the same on every rank, those made at random too: their seeds are fixed. Programs run on
//! any number of nodes from 1 on and on any network. None counts on a send that is over before its message is received,
//! and none on how long anything takes.
//!
//! To start a run may be dear, so a run has all cases of a library. Test executables that need it have a line
//! `#[path = "../support/conformance/mod.rs"] mod conformance;`.

#![allow(dead_code, reason = "no executable uses all of it")]

pub(crate) mod all_to_all;
pub(crate) mod cartesian;
pub(crate) mod collective;
pub(crate) mod messages;
pub(crate) mod nx;
pub(crate) mod s_to_p;
pub(crate) mod textbook;

use std::fmt::{Debug, Display};

use multicomputer::{error::Failure, prelude::*};

/// A way to run a node program on a number of nodes.
pub(crate) trait Runner {
    fn nodes(&self) -> usize;

    /// Runs a program on all nodes; panics with its name if it fails.
    fn run(&self, name: &str, program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync));
}

/// Everything: what programs may rely on, then each library.
pub(crate) fn all(runner: &dyn Runner) {
    messages::messages(runner);
    cartesian::cartesian(runner);
    collective::collective(runner);
    s_to_p::s_to_p(runner);
    all_to_all::exchange(runner);
    textbook::textbook(runner);
    nx::nx(runner);
}

/// Carries out a case; its error says in which one and on which rank.
fn case<T>(
    group: &Group<'_>,
    name: impl Display,
    check: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    within(format_args!("rank {} of {}, {name}", group.rank(), group.size()), check)
}

/// Carries out a part of a case; its error says in which one.
fn within<T>(name: impl Display, check: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    check().map_err(|error| format!("{name}: {error}").into())
}

/// An error if two values differ.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: T, expected: T) -> Result<(), Failure> {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got:?} instead of {expected:?}").into()) }
}

/// An error that says where two vectors differ.
pub(crate) fn same_all<T: PartialEq + Debug>(got: &[T], expected: &[T]) -> Result<(), Failure> {
    same("elements", got.len(), expected.len())?;
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(at) => {
            let (length, got, expected) = (got.len(), &got[at], &expected[at]);
            Err(format!("at {at} of {length} elements: {got:?} instead of {expected:?}").into())
        }
    }
}

/// An error that says where a payload is not these bytes, whatever pieces it is in and whatever their type.
pub(crate) fn same_bytes(got: &Payload, expected: &[u8]) -> Result<(), Failure> {
    same("bytes", got.len(), expected.len() as u64)?;
    same_all(&got.to_bytes()?, expected)
}

/// An error that is wanted.
pub(crate) fn refused<T: Debug, E>(
    result: Result<T, E>,
    is_wanted: impl Fn(&E) -> bool,
) -> Result<(), Failure>
where
    E: Into<Failure>,
{
    match result {
        Err(error) if is_wanted(&error) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(value) => Err(format!("{value:?}, and no error").into()),
    }
}
