//! Exploration of all orders of arrival: numbers of orders that are known, failures in single orders, and what is not tried.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use multicomputer::{
    Machine,
    error::{Failure, RunError},
    explore::{Exploration, ExploreError, Order},
    prelude::*,
};

fn machine(nodes: usize) -> Machine {
    Machine::hockney(1, nodes).build().unwrap()
}

fn explored<T: Send + PartialEq>(
    nodes: usize,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Exploration<T> {
    let found = machine(nodes).explore(program).unwrap();
    assert!(found.is_complete());
    found
}

/// Node 0 receives a message of every other node; returns their order.
fn gather(node: &Node<'_>) -> Result<Vec<Rank>, Failure> {
    let world = node.world();
    if node.rank() > 0 {
        world.send(0, [0_u8])?;
        return Ok(vec![]);
    }
    (1..node.size()).map(|_| Ok(world.recv(ANY_SOURCE)?.source)).collect()
}

#[test]
fn p_senders_have_p_factorial_orders() {
    let mut factorial = 1;
    for nodes in 2..7 {
        let found = explored(nodes, gather);
        let orders: BTreeSet<_> = found.results().iter().map(|result| &result.outputs[0]).collect();
        assert_eq!((found.orders(), orders.len() as u64), (factorial, factorial), "{nodes} nodes");
        factorial *= nodes as u64;
    }
}

/// A task farm: node 0 hands out tasks to the other nodes, the next one to the node whose result came first.
fn farm(node: &Node<'_>, tasks: usize) -> Result<u64, Failure> {
    let world = node.world();
    if node.rank() > 0 {
        while let Some(task) = world.recv(0)?.to_vec::<u64>()?.first() {
            world.send(0, task * task)?;
        }
        return Ok(0);
    }
    let (mut next, mut sum) = (0, 0);
    let mut hand_out = |worker: Rank| {
        let task: Vec<u64> = if next < tasks { vec![next as u64] } else { vec![] };
        next += 1;
        world.send(worker, &task[..])
    };
    (1..node.size()).try_for_each(&mut hand_out)?;
    for _ in 0..tasks {
        let result = world.recv(ANY_SOURCE)?;
        sum += result.to_value::<u64>()?;
        hand_out(result.source)?;
    }
    Ok(sum)
}

/// While all of w workers are busy, each of them may be next; then one less each time: w^(t - w + 1) (w - 1)! orders of t tasks.
#[test]
fn a_task_farm_has_as_many_orders_as_counted_by_hand() {
    for (workers, tasks, orders) in [(2, 3, 4), (2, 6, 32), (3, 5, 54)] {
        let found = explored(workers + 1, |node| farm(node, tasks));
        assert_eq!(found.orders(), orders, "{workers} workers, {tasks} tasks");
        assert!(found.is_clean(), "{found}");
    }
}

#[test]
fn a_deadlock_in_one_order_is_found_and_replayed() {
    let program = |node: &Node<'_>| {
        let order = gather(node)?;
        if order.len() > 1 && order.is_sorted_by(|one, other| one > other) {
            node.world().recv(1)?;
        }
        Ok(order)
    };
    let nodes = 6;
    let found = explored(nodes, program);
    assert_eq!((found.orders(), found.results().len(), found.failures().len()), (120, 119, 1));
    let failure = &found.failures()[0];
    assert_eq!(failure.orders, 1);
    let RunError::Deadlock(report) = &failure.error else { panic!("{found}") };
    assert_eq!(report.blocked.len(), 1, "{report}");
    let text = failure.order.to_string();
    assert_eq!(
        text,
        "rank 0: receive 0 takes a message of rank 5\nrank 0: receive 1 takes a message of rank 4\n\
         rank 0: receive 2 takes a message of rank 3\nrank 0: receive 3 takes a message of rank 2\n\
         rank 0: receive 4 takes a message of rank 1"
    );
    assert!(found.to_string().contains("failure in 1 order: deadlock: 1 node is blocked"), "{found}");
    let order: Order = text.parse().unwrap();
    assert!(matches!(machine(nodes).replay_order(&order, program), Err(RunError::Deadlock(_))));
    assert!(machine(nodes).run(program).is_ok());
}

#[test]
fn a_receive_from_any_source_may_take_the_message_of_a_later_receive() {
    let found = explored(3, |node| {
        let world = node.world();
        match node.rank() {
            0 => Ok(world.recv(ANY_SOURCE).and_then(|_| world.recv(1)).map(|_| ())?),
            1 => Ok(world.send(0, [1_u8])?),
            _ => Ok(world.send(0, [2_u8])?),
        }
    });
    assert_eq!((found.orders(), found.failures().len()), (2, 1));
    assert!(!found.is_clean());
}

/// The message of node 2 follows the first receive: it can never be the first message.
#[test]
fn messages_that_follow_a_receive_are_no_alternatives() {
    let found = explored(3, |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                let first = world.recv(ANY_SOURCE)?.source;
                world.send(2, [0_u8])?;
                Ok(vec![first, world.recv(ANY_SOURCE)?.source])
            }
            1 => Ok(world.send(0, [0_u8]).map(|()| vec![])?),
            _ => {
                world.recv(0)?;
                Ok(world.send(0, [0_u8]).map(|()| vec![])?)
            }
        }
    });
    assert_eq!(found.orders(), 1);
    assert_eq!(found.results()[0].outputs[0], [1, 2]);
}

#[test]
fn waits_for_any_probes_and_tests_are_decisions() {
    let senders = |node: &Node<'_>| Ok(node.world().send(0, [node.rank() as u8]).map(|()| vec![])?);
    let any = explored(3, |node| {
        if node.rank() > 0 {
            return senders(node);
        }
        let mut posted = [Some(node.world().irecv(1)?), Some(node.world().irecv(2)?)];
        let first = Request::wait_any(&mut posted)?.0;
        Ok(vec![first, Request::wait_any(&mut posted)?.0])
    });
    assert_eq!((any.orders(), any.results().len()), (2, 2));
    let probed = explored(3, |node| {
        if node.rank() > 0 {
            return senders(node);
        }
        let found = node.world().probe(ANY_SOURCE)?.source;
        node.world().recv(found)?;
        Ok(vec![found, node.world().recv(ANY_SOURCE)?.source])
    });
    assert_eq!((probed.orders(), probed.results().len()), (2, 2));
    // The test finds the message or not; the loop of tests ends.
    let tested = explored(2, |node| {
        if node.rank() > 0 {
            return senders(node);
        }
        let (mut request, mut tests) = (node.world().irecv(1)?, 0);
        loop {
            tests += 1;
            match request.test()? {
                Tested::Complete(_) => return Ok(vec![tests.min(2)]),
                Tested::Pending(again) => request = again,
            }
            node.compute(Span::from_micros(100))?;
        }
    });
    assert_eq!((tested.orders(), tested.results().len()), (2, 2));
}

/// Two receives from any source, of which only the second is waited for: the first also takes a message.
#[test]
fn receives_that_are_never_waited_for_take_messages_too() {
    let found = explored(3, |node| {
        let world = node.world();
        if node.rank() > 0 {
            return Ok(world.send(0, [0_u8]).map(|()| 0)?);
        }
        let (first, second) = (world.irecv(ANY_SOURCE)?, world.irecv(ANY_SOURCE)?);
        let taken = second.wait()?.source;
        drop(first);
        Ok(taken)
    });
    assert_eq!((found.orders(), found.results().len(), found.failures().len()), (2, 2, 0));
}

/// Node 0 answers the node that it has heard of first only after the other one. If node 2 was the first, it sends to node 1, which has sent and
/// still waits for its receive.
#[test]
fn a_deadlock_of_waiting_sends_is_found_without_rendezvous_too() {
    let program = |node: &Node<'_>| {
        let world = node.world();
        if node.rank() > 0 {
            world.send(0, [0_u8])?;
            return Ok(world.recv(0).map(drop)?);
        }
        let first = world.recv(ANY_SOURCE)?.source;
        let other = 3 - first;
        if first == 2 {
            world.send(other, [0_u8])?;
            world.recv(other)?;
        } else {
            world.recv(other)?;
            world.send(other, [0_u8])?;
        }
        Ok(world.send(first, [0_u8])?)
    };
    let found = explored(3, program);
    let failure = &found.failures()[0];
    assert_eq!((found.orders(), found.results().len(), found.failures().len(), failure.orders), (2, 1, 1, 1));
    let text = "all sends wait for their receives\nrank 0: receive 0 takes a message of rank 2";
    assert_eq!(failure.order.to_string(), text);
    let RunError::Deadlock(report) = &failure.error else { panic!("{found}") };
    assert_eq!(report.cycle, [0, 1]);
    let found = Machine::hockney(1, 3).rendezvous(0).build().unwrap().explore(program).unwrap();
    assert_eq!((found.orders(), found.failures().len()), (2, 1), "{found}");
    assert_eq!(found.failures()[0].order.to_string(), "rank 0: receive 0 takes a message of rank 2");
}

#[test]
fn failures_of_programs_are_collected_by_node_and_message() {
    let found = explored(4, |node| {
        let order = gather(node)?;
        if order.first() == Some(&3) {
            return Err("the third node was the first".into());
        }
        Ok(())
    });
    assert_eq!((found.orders(), found.failures().len(), found.failures()[0].orders), (6, 1, 2));
    assert!(matches!(found.failures()[0].error, RunError::Node { rank: 0, .. }), "{found}");
}

#[test]
fn a_program_that_depends_on_earlier_runs_is_refused() {
    let runs = AtomicUsize::new(0);
    let found = machine(4).explorer().threads(1).run(|node| {
        if node.rank() == 0 && runs.fetch_add(1, Ordering::SeqCst) > 0 {
            return Ok(vec![]);
        }
        gather(node)
    });
    assert!(matches!(found, Err(ExploreError::Differs { rank: 0 })), "{found:?}");
}

#[test]
fn a_budget_ends_an_exploration_and_the_covered_share_is_estimated() {
    let found = machine(7).explorer().runs(20).run(gather).unwrap();
    assert!(!found.is_complete() && !found.is_clean() && found.orders() == 20);
    assert!(found.covered() > 0.0 && found.covered() < 1.0, "{found}");
    let late = machine(7).explorer().host_time(Duration::ZERO).run(gather).unwrap();
    assert_eq!(late.orders(), 0);
}

/// Collective operations have messages from named sources only: one order.
#[test]
fn programs_without_decisions_have_one_order() {
    let found = explored(5, |node| {
        let mut sum = node.rank() as u64;
        node.world().all_reduce(&mut sum, Sum)?;
        Ok(sum)
    });
    assert_eq!(found.orders(), 1);
    assert!(found.is_clean());
}
