//! Calls of the endpoint that no group has, on threads with and without modeled time.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::{Settings, host, modeled};
use crate::{
    comm::Node,
    endpoint::Endpoint,
    error::Failure,
    model::{MachineSpec, Parameters},
    payload::Payload,
    rank::Tag,
    topology,
    wire::{Parcel, Selector},
};

fn parcel(target: u32, tag: u32, synchronous: bool) -> Parcel {
    Parcel { target, context: 0, tag: Tag(tag), bytes: 1, active: false, synchronous }
}

fn from(source: u32, tag: u32) -> Selector {
    Selector { context: 0, source: Some(source), tag: Some(Tag(tag)) }
}

fn text(text: &str) -> Payload {
    Payload::from(text)
}

/// Runs a program of two nodes at the speed of the host and in virtual time.
#[track_caller]
fn run(program: &(dyn Fn(&dyn Endpoint, u64) -> Result<(), Failure> + Sync)) {
    let machine = MachineSpec::new(
        "line:2",
        topology::parse("line:2").unwrap(),
        Parameters::builder().send_overhead(65e-6).receive_overhead(65e-6).beta(50e-9).build().unwrap(),
    );
    let turn = AtomicU64::new(0);
    let program = |node: &Node<'_>| program(node.endpoint(), turn.load(Ordering::SeqCst));
    host::run(&machine, &Settings::default(), &program).unwrap();
    turn.store(1, Ordering::SeqCst);
    modeled::run(&machine, modeled::Pace::Virtual, &Settings::default(), &program, |_| {}).unwrap();
}

#[test]
fn a_synchronous_send_returns_after_the_call_of_its_receive() {
    let called = [AtomicU64::new(0), AtomicU64::new(0)];
    run(&|node, turn| {
        let called = &called[turn as usize];
        if node.id() == 1 {
            for nth in 1..=3 {
                std::thread::sleep(std::time::Duration::from_millis(5));
                called.store(nth, Ordering::SeqCst);
                node.recv(from(0, 0))?;
            }
            let sent = node.isend(parcel(1, 4, true), text("s"))?;
            assert!(node.test(sent, false)?.1.is_none());
            node.recv(from(1, 4))?;
            node.wait(sent)?;
            node.send_recv(parcel(0, 5, true), text("x"), from(0, 5))?;
            return Ok(());
        }
        node.send(parcel(1, 0, true), text("a"))?;
        assert!(called.load(Ordering::SeqCst) >= 1);
        let request = node.isend(parcel(1, 0, true), text("b"))?;
        node.wait(request)?;
        assert!(called.load(Ordering::SeqCst) >= 2);
        node.send(parcel(1, 0, false), text("c"))?;
        node.send_recv(parcel(1, 5, true), text("y"), from(1, 5))?;
        Ok(())
    });
}

#[test]
fn a_receive_is_cancelled_unless_it_has_taken_a_message() {
    run(&|node, _| {
        if node.id() == 0 {
            node.recv(from(1, 7))?;
            for (tag, letter) in [(1, "a"), (1, "b"), (2, "c"), (3, "d")] {
                node.send(parcel(1, tag, false), text(letter))?;
            }
            return Ok(());
        }
        let letter = |request| Ok::<_, Failure>(node.wait(request)?.unwrap().payload.to_bytes()?[0]);
        // None of the messages has been sent, in modeled time and on the host.
        let [first, second] = [node.irecv(from(0, 1))?, node.irecv(from(0, 1))?];
        assert!(node.cancel(first)?);
        let third = node.irecv(from(0, 1))?;
        node.send(parcel(0, 7, false), text("."))?;
        node.recv(from(0, 2))?;
        assert!(!node.cancel(second)?);
        assert_eq!([letter(second)?, letter(third)?], *b"ab");
        node.recv(from(0, 3))?;
        Ok(())
    });
}

#[test]
fn a_claimed_message_is_received_by_its_claim_only() {
    run(&|node, _| {
        if node.id() == 0 {
            for letter in ["a", "b", "c", "d"] {
                node.send(parcel(1, 1, letter == "a"), text(letter))?;
                if letter == "a" {
                    node.recv(from(1, 2))?;
                }
            }
            return Ok(());
        }
        let byte = |payload: Payload| Ok::<_, Failure>(payload.to_bytes()?[0]);
        assert!(node.probe_claim(from(0, 9), false)?.is_none());
        let (label, bytes, claim) = node.probe_claim(from(0, 1), true)?.unwrap();
        assert_eq!((label.source, label.tag, bytes), (0, Tag(1), 1));
        assert!(node.probe(from(0, 1), false)?.is_none(), "the sender of the claimed message waits");
        assert_eq!(byte(node.recv_claimed(claim)?.payload)?, b'a');
        node.send(parcel(0, 2, false), text("."))?;
        let (.., claim) = node.probe_claim(from(0, 1), true)?.unwrap();
        assert_eq!(byte(node.recv(from(0, 1))?.payload)?, b'c');
        let request = node.irecv_claimed(claim)?;
        assert_eq!(byte(node.recv(from(0, 1))?.payload)?, b'd');
        assert_eq!(byte(node.wait(request)?.unwrap().payload)?, b'b');
        Ok(())
    });
}

#[test]
fn a_remote_memory_access_returns_what_its_effect_returns() {
    let memories = [Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0))];
    run(&|node, turn| {
        let memory = Arc::clone(&memories[turn as usize]);
        let add = |back| {
            let memory = Arc::clone(&memory);
            let effect = Box::new(move |at| (Payload::from(&[memory.fetch_add(1, Ordering::SeqCst)]), at));
            node.remote(parcel(1, 0, false), back, effect)
        };
        let requests = [add(Some(8))?, add(Some(8))?, add(Some(0))?];
        let mut seen = Vec::new();
        for request in requests {
            seen.push(node.wait(request)?.unwrap().payload.to_vec::<u64>()?[0]);
        }
        assert!(seen.is_sorted(), "{seen:?}");
        let silent = add(None)?;
        assert!(node.wait(silent)?.is_none());
        node.send_recv(parcel(1 - node.id(), 1, false), text("."), from(1 - node.id(), 1))?;
        let request = add(Some(8))?;
        assert!(node.wait(request)?.unwrap().payload.to_vec::<u64>()?[0] >= 8);
        Ok(())
    });
}
