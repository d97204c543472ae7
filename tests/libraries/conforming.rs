//! Programs that check themselves, in virtual time and on the host's threads: messages as programs may rely on them, and all
//! libraries.

use multicomputer::{error::Failure, prelude::*};

use crate::{
    conformance::{self, Runner},
    support::{PATIENCE, run},
};

impl Runner for Machine {
    fn nodes(&self) -> usize {
        self.spec().nodes()
    }

    fn run(&self, name: &str, program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)) {
        println!("{name}");
        let run = run(self, program);
        println!("{} messages in {:?}", run.report.messages, run.wall);
        // No more than what processes on few cores can carry in time. Elsewhere some numbers depend on the host.
        assert!(!run.report.is_modeled || run.report.messages <= 100_000, "{}", run.report.messages);
    }
}

/// Everything on one machine; messages that nobody receives are an error.
fn check(machine: &str, clock: Clock) {
    let machine = Machine::builder(machine.parse().unwrap()).clock(clock);
    conformance::all(&machine.wall_limit(PATIENCE).deny_unreceived(true).build().unwrap());
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

/// Where the machine has rows, columns and no barrier of its own.
#[test]
fn on_the_host_as_another_machine() {
    check("paragon:2x3", Clock::Host);
}
