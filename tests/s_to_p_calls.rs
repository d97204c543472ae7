//! S-to-p broadcasting as a call of a group: in a context of its own, in any group, by any algorithm, agreed on by all.

use std::sync::Arc;

use multicomputer::{
    Machine, Payload,
    comm::Using,
    error::{Failure, RunError},
    prelude::*,
    stop::{self, Algorithm, BroadcastError, BroadcastFrom, Instance, InstanceError},
};

/// A receive from any source under any tag takes no message of a broadcast, whenever it is posted.
#[test]
fn a_pending_receive_from_anybody_takes_no_message_of_a_broadcast() {
    let machine = Machine::hockney(1, 4).deny_unreceived(true).build().unwrap();
    let instance = Instance::new(machine.description(), &[0, 3], &[5, 5]).unwrap();
    for algorithm in Algorithm::all() {
        let plan = algorithm.plan(&instance).unwrap();
        let run = machine.run(|node| {
            let (world, rank) = (node.world(), node.rank());
            let pending = world.irecv((ANY_SOURCE, ANY_TAG))?;
            let mine = [0, 3].contains(&rank).then(|| Payload::from(["left.", "", "", "right"][rank]));
            let messages = plan.broadcast(world, mine)?;
            world.send((rank + 1) % 4, &[rank as u8])?;
            let own = world.wait(pending)?.ok_or("a receive has a message")?.to_vec::<u8>()?;
            Ok((Payload::concat(messages).to_bytes()?, own))
        });
        let outputs = run.unwrap_or_else(|error| panic!("{algorithm}: {error}")).outputs;
        for (rank, (messages, own)) in outputs.into_iter().enumerate() {
            assert_eq!((&messages[..], own), (&b"left.right"[..], vec![(rank as u8 + 3) % 4]), "{algorithm}");
        }
    }
}
