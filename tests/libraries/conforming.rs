//! Programs that check themselves, in virtual time and on the host's threads: messages as programs may rely on them, and all
//! libraries.

use std::{cell::Cell, time::Instant};

use multicomputer::{error::Failure, prelude::*};

use crate::{
    conformance::{self, Runner},
    support::{PATIENCE, run},
};

/// One program after the other on a machine; messages that nobody receives are an error.
struct OneMachine {
    machine: Machine,
    messages: Cell<u64>,
}

impl Runner for OneMachine {
    fn nodes(&self) -> usize {
        self.machine.description().nodes()
    }

    fn run(&self, name: &str, program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)) {
        let began = Instant::now();
        println!("{name} on {}", self.machine.description().name());
        let run = run(&self.machine, program);
        self.messages.set(self.messages.get() + run.report.messages);
        println!("{} messages, {:.2} s", run.report.messages, began.elapsed().as_secs_f64());
    }
}

/// Everything on one machine.
fn check(machine: &str, clock: Clock) {
    let machine =
        Machine::of(machine.parse().unwrap()).clock(clock).wall_limit(PATIENCE).deny_unreceived(true);
    let runner = OneMachine { machine: machine.build().unwrap(), messages: Cell::new(0) };
    conformance::all(&runner);
    // No more than what processes on few cores can carry in time.
    let (messages, nodes) = (runner.messages.get(), runner.nodes() as u64);
    assert!(messages > 50 * nodes * nodes && messages < 200_000, "{messages}");
}

#[test]
fn in_virtual_time() {
    for machine in ["paragon:2x3", "hockney:4x4", "hypercube:4"] {
        check(machine, Clock::Virtual);
    }
}

#[test]
fn on_the_host() {
    for nodes in [1, 2, 4, 6, 16] {
        check(&format!("host:{nodes}"), Clock::Host);
    }
}

/// Where the machine has rows, columns and no barrier of its own, and nodes have no cores of their own.
#[test]
fn on_the_host_as_another_machine() {
    check("paragon:2x3", Clock::Host);
}
