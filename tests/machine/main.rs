//! The machine itself: messages, groups, requests, active messages, networks, traces, and that modeled time is exact and
//! the same in every run.
//!
//! What measures wall-clock time is in `tests/alone`.

mod active;
mod documents;
mod explain;
mod explore;
mod faults;
mod goal;
mod groups;
mod host;
mod layers;
mod messages;
mod networks;
mod orders;
mod phases;
mod places;
mod properties;
mod rendezvous;
mod requests;
#[path = "../support/mod.rs"]
mod support;
mod ties;
mod topologies;
mod traces;
mod virtual_time;
mod worked_examples;

use multicomputer::{error::Failure, prelude::*};

/// A message of 4000 bytes from node 0 to node 1, and one of so many behind it, which is ready before the port is free.
fn one_behind_the_other(bytes: usize) -> impl Fn(&Node<'_>) -> Result<(), Failure> + Sync {
    move |node| {
        let world = node.world();
        if node.rank() == 1 {
            world.recv(0)?;
            world.recv(0)?;
            return Ok(());
        }
        let first = world.isend(1, vec![0_u8; 4000])?;
        world.send(1, vec![0_u8; bytes])?;
        first.wait()?;
        Ok(())
    }
}
