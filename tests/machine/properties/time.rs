//! Time: that of random programs is the naive simulation's.

use multicomputer::{
    Payload,
    comm::AnyRequest,
    error::{Failure, RunError},
};

use super::*;

/// A piece of a random program; node numbers are taken modulo the machine.
#[derive(Clone, Debug)]
enum Piece {
    Compute {
        node: usize,
        micros: f64,
    },
    Message {
        from: usize,
        to: usize,
        bytes: u64,
        isend: bool,
        irecv: bool,
    },
    /// Each of these sends to the next and receives from the one before.
    Cycle {
        first: usize,
        stride: usize,
        length: usize,
        bytes: u64,
    },
    WaitAll {
        node: usize,
    },
    /// Each of the two sends first and then receives.
    Facing {
        one: usize,
        other: usize,
        bytes: u64,
    },
}

fn pieces(requests: bool) -> impl Strategy<Value = Vec<Piece>> {
    let bytes = || prop_oneof![1 => Just(0_u64), 2 => 1..100_u64, 6 => 100..20_000_u64];
    let node = || 0..64_usize;
    let micros = (0..2000_u32).prop_map(|tenths| f64::from(tenths) / 10.0);
    let flags = (any::<bool>(), any::<bool>()).prop_map(move |(a, b)| (requests && a, requests && b));
    let piece = prop_oneof![
        2 => (node(), micros).prop_map(|(node, micros)| Piece::Compute { node, micros }),
        8 => (node(), node(), bytes(), flags)
            .prop_map(|(from, to, bytes, (isend, irecv))| Piece::Message { from, to, bytes, isend, irecv }),
        3 => (node(), 1..16_usize, 1..6_usize, bytes())
            .prop_map(|(first, stride, length, bytes)| Piece::Cycle { first, stride, length, bytes }),
        1 => node().prop_map(|node| Piece::WaitAll { node }),
    ];
    prop::collection::vec(piece, 1..70)
}

/// The programs of all nodes: every receive stands where its message has been sent before, so none waits for ever.
fn programs(pieces: &[Piece], nodes: usize) -> Vec<Vec<Op>> {
    let mut programs = vec![Vec::new(); nodes];
    for piece in pieces {
        match *piece {
            Piece::Compute { node, micros } => programs[node % nodes].push(Op::Compute(micros)),
            Piece::Message { from, to, bytes, isend, irecv } => {
                let (from, to) = (from % nodes, to % nodes);
                programs[from].push(if isend { Op::Isend { to, bytes } } else { Op::Send { to, bytes } });
                programs[to].push(if irecv { Op::Irecv { from } } else { Op::Recv { from } });
            }
            Piece::Cycle { first, stride, length, bytes } => {
                let mut ring: Vec<usize> = Vec::new();
                for i in 0..length {
                    let node = (first + i * stride) % nodes;
                    if !ring.contains(&node) {
                        ring.push(node);
                    }
                }
                for (i, &node) in ring.iter().enumerate() {
                    let (to, from) = (ring[(i + 1) % ring.len()], ring[(i + ring.len() - 1) % ring.len()]);
                    programs[node].push(Op::Sendrecv { to, bytes, from });
                }
            }
            Piece::WaitAll { node } => programs[node % nodes].push(Op::WaitAll),
            Piece::Facing { one, other, bytes } => {
                for (node, partner) in [(one % nodes, other % nodes), (other % nodes, one % nodes)] {
                    programs[node].extend([Op::Send { to: partner, bytes }, Op::Recv { from: partner }]);
                }
            }
        }
    }
    programs.iter_mut().for_each(|program| program.push(Op::WaitAll));
    programs
}

/// Carries a program out; all that was received, in order: from whom, how long, and the number of its sender's message.
fn play(node: &Node<'_>, program: &[Op]) -> Result<Vec<(usize, u64, usize)>, Failure> {
    let world = node.world();
    let (mut requests, mut received, mut number) = (Vec::new(), Vec::new(), 0_usize);
    // The tag tells which message it is.
    let mut next = |to: usize| {
        number += 1;
        (to, Tag(number as u32))
    };
    let told = |message: Message| (message.source, message.len(), message.tag.0 as usize);
    for &op in program {
        match op {
            Op::Compute(micros) => node.compute(Span::from_nanos((micros * 1e3).round() as u64))?,
            Op::Send { to, bytes } => world.send(next(to), Payload::phantom(bytes))?,
            Op::Isend { to, bytes } => {
                requests.push(AnyRequest::from(world.isend(next(to), Payload::phantom(bytes))?))
            }
            Op::Recv { from } => received.push(told(world.recv(from)?)),
            Op::Irecv { from } => requests.push(world.irecv(from)?.into()),
            Op::Sendrecv { to, bytes, from } => {
                received.push(told(world.sendrecv(next(to), Payload::phantom(bytes), from)?));
            }
            Op::WaitAll => {
                received.extend(Request::wait_all(requests.drain(..))?.into_iter().flatten().map(told));
            }
        }
    }
    Ok(received)
}

fn models() -> impl Strategy<Value = Model> {
    let overhead =
        || prop_oneof![1 => Just(0.0), 3 => (1..1000_u32).prop_map(|tenths| f64::from(tenths) / 10.0)];
    let shape = prop_oneof![(1..5_usize, 1..5_usize), Just((1, 8)), Just((4, 4))];
    let port = prop_oneof![Just(20.0), 5.0..200.0_f64];
    let k = prop_oneof![Just(1.0), Just(2.0), 0.3..4.0_f64];
    let duplex = prop_oneof![Just(2.0), Just(1.0), 1.0..2.0_f64];
    let ports = prop_oneof![3 => Just(1_u32), 2 => 2..5_u32];
    let times = (overhead(), overhead(), overhead(), overhead(), overhead());
    (shape, times, port, k, (duplex, ports)).prop_map(|(shape, times, port, k, (duplex, ports))| {
        let ((rows, columns), (o_s, o_r, o_x, latency, hop)) = (shape, times);
        let rendezvous = None;
        Model { rows, columns, o_s, o_r, o_x, latency, hop: hop / 10.0, port, k, duplex, ports, rendezvous }
    })
}

/// Runs the programs and fails unless every node finishes within a nanosecond of the reference, or those are blocked that
/// are there.
fn compare(model: Model, pieces: &[Piece]) -> Result<(), TestCaseError> {
    let programs = programs(pieces, model.rows * model.columns);
    let Some(expected) = Reference::finish_times(model, &programs) else { return Ok(()) };
    let blocked: Vec<usize> = (0..expected.len()).filter(|&rank| expected[rank].is_none()).collect();
    let run = match model.machine().run(|node| play(node, &programs[node.rank()])) {
        Err(RunError::Deadlock(report)) => {
            prop_assert_eq!(report.blocked.iter().map(|node| node.rank).collect::<Vec<_>>(), blocked);
            return Ok(());
        }
        run => run.unwrap(),
    };
    prop_assert_eq!(blocked, Vec::<usize>::new());
    for (rank, (node, expected)) in run.report.nodes.iter().zip(expected.into_iter().flatten()).enumerate() {
        let off = (node.finished.as_micros_f64() - expected).abs();
        prop_assert!(
            off <= 1e-3,
            "node {} finished at {}, the model says {} us",
            rank,
            node.finished,
            expected
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Blocking sends and receives, exchanges and computing.
    #[test]
    fn blocking_programs_take_the_time_of_the_model(model in models(), pieces in pieces(false)) {
        compare(model, &pieces)?;
    }

    /// The same with non-blocking sends, which queue for the out-port, and receives posted before they are waited for.
    #[test]
    fn programs_with_requests_take_the_time_of_the_model(model in models(), pieces in pieces(true)) {
        compare(model, &pieces)?;
    }

    /// The same where senders of long messages, or of all, wait for the receive, and some programs come to no end.
    #[test]
    fn programs_with_rendezvous_take_the_time_of_the_model(
        model in models(),
        from_bytes in prop_oneof![Just(0_u64), 1..20_000_u64],
        pieces in pieces(true),
        facing in facing(),
    ) {
        let pieces = with_facing(pieces, facing, model.rows * model.columns);
        compare(Model { rendezvous: Some(from_bytes), ..model }, &pieces)?;
    }

    /// A program that ends with rendezvous receives the same without it; and where messages are not in each other's way,
    /// no node is later then.
    #[test]
    fn what_ends_with_rendezvous_ends_without_it(
        model in models(),
        from_bytes in prop_oneof![Just(0_u64), 1..20_000_u64],
        pieces in pieces(true),
        facing in facing(),
        crowded in any::<bool>(),
    ) {
        let pieces = with_facing(pieces, facing, model.rows * model.columns);
        let programs = programs(&pieces, model.rows * model.columns);
        let model = if crowded { model } else { Model { port: f64::INFINITY, o_x: 0.0, ..model } };
        let program = |node: &Node<'_>| play(node, &programs[node.rank()]);
        let without = model.machine().run(program).unwrap();
        let with = match (Model { rendezvous: Some(from_bytes), ..model }).machine().run(program) {
            Err(RunError::Deadlock(_)) => return Ok(()),
            run => run.unwrap(),
        };
        prop_assert_eq!(&with.outputs, &without.outputs);
        if !crowded {
            for (with, without) in with.report.nodes.iter().zip(&without.report.nodes) {
                prop_assert!(with.finished >= without.finished);
            }
        }
    }
}

/// Where sends of two nodes face each other, in one program of four.
fn facing() -> impl Strategy<Value = Option<(usize, Piece)>> {
    let piece = (0..64_usize, 0..64_usize, 0..20_000_u64).prop_map(|(one, other, bytes)| Piece::Facing {
        one,
        other,
        bytes,
    });
    prop::option::weighted(0.25, (0..70_usize, piece))
}

/// The pieces with those that may block, and otherwise none in which a node waits for itself.
fn with_facing(mut pieces: Vec<Piece>, facing: Option<(usize, Piece)>, nodes: usize) -> Vec<Piece> {
    for piece in &mut pieces {
        if let Piece::Message { from, to, isend, .. } = piece {
            *isend |= *from % nodes == *to % nodes;
        }
    }
    if let Some((at, piece)) = facing {
        pieces.insert(at.min(pieces.len()), piece);
    }
    pieces
}
