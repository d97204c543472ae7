//! The explanation of a run: the critical path tiles the modeled time, and the losses by sharing are those of the report.
//! Cases that were worked out by hand, and random ones.

use std::collections::BTreeMap;

use multicomputer::{
    Clock, Dilation, MachineBuilder, Payload, Run,
    analysis::{AnalysisError, CriticalPath, Kind, MessageRef},
    collective::{self, Collective},
    error::Failure,
    exchange,
    model::{Description, Parameters, ParametersBuilder},
    prelude::*,
    record::{Bottleneck, Share},
    stop,
};
use proptest::prelude::*;

use crate::{
    one_behind_the_other,
    support::{self, PATIENCE},
};

/// The places that a message moves over.
fn way(machine: &Description, from: usize, to: usize) -> Vec<Bottleneck> {
    let mut route = Vec::new();
    machine.topology().route(from, to, &mut route);
    let mut way: Vec<Bottleneck> = route.into_iter().map(Bottleneck::Link).collect();
    way.extend([Bottleneck::InPort(to), Bottleneck::Ports(from), Bottleneck::Ports(to)]);
    way
}

fn capacity(machine: &Description, place: Bottleneck) -> f64 {
    let (topology, parameters) = (machine.topology(), machine.parameters());
    match place {
        Bottleneck::Link(link) => topology.capacity(link).unwrap_or(parameters.link_capacity()),
        Bottleneck::InPort(_) => parameters.port_capacity(),
        _ => parameters.duplex() * parameters.port_capacity(),
    }
}

/// What must hold of the explanation of every run.
pub(crate) fn check<T>(run: &Run<T>, machine: &Description) {
    let path = run.critical_path().unwrap();
    let mut at = Time::ZERO;
    for piece in &path.pieces {
        assert_eq!(piece.start, at, "{piece:?}");
        assert!(piece.end > at, "{piece:?}");
        assert_eq!(piece.place.is_some(), piece.kind == Kind::Sharing, "{piece:?}");
        at = piece.end;
    }
    assert_eq!(at, run.report.modeled);
    assert_eq!(path.span(), run.report.modeled.since_start());
    assert_eq!(Kind::ALL.map(|kind| path.time(kind)).into_iter().sum::<Span>(), path.span());
    let mut finished = run.report.nodes.iter().map(|node| node.finished);
    assert_eq!(finished.position(|end| end == run.report.modeled), Some(path.last_node));

    let blame = run.blame().unwrap();
    assert_eq!(blame.total(), run.report.lost_to_sharing);
    assert_eq!(blame.by_place().into_values().sum::<Span>(), blame.shared());
    let transfers: BTreeMap<_, _> =
        run.trace.transfers.iter().map(|transfer| ((transfer.from, transfer.seq), transfer)).collect();
    for loss in &blame.losses {
        let slowed = transfers[&(loss.slowed.from, loss.slowed.seq)];
        assert!(loss.lost > Span::ZERO && loss.slowed.from != loss.by.from, "{loss:?}");
        for message in [loss.slowed, loss.by] {
            assert!(way(machine, message.from, message.to).contains(&loss.place), "{loss:?}");
        }
        if let Some(by) = transfers.get(&(loss.by.from, loss.by.seq)) {
            let together = slowed.left.min(by.left).since(slowed.entered.max(by.entered));
            assert!(loss.lost <= together, "{loss:?} in {together}");
        }
    }
    // A critical path cannot lose more by a message than that message has lost.
    let mut on_path: BTreeMap<MessageRef, Span> = BTreeMap::new();
    for piece in path.pieces.iter().filter(|piece| piece.kind == Kind::Sharing) {
        *on_path.entry(piece.message.unwrap()).or_default() += piece.span();
    }
    let slowed = blame.slowed();
    for (message, lost) in on_path {
        let all = slowed.get(&message).copied().unwrap_or_default();
        assert!(lost <= all + Span::from_picos(3), "{message}: {lost} of {all}");
    }
    check_shares(run, machine);
}

/// Shares tile the way of their message and move its bytes; a bottleneck is full, and nobody is faster there.
fn check_shares<T>(run: &Run<T>, machine: &Description) {
    let mut of: BTreeMap<(usize, u64), Vec<Share>> = BTreeMap::new();
    for share in &run.trace.shares {
        of.entry((share.from, share.seq)).or_default().push(*share);
    }
    for transfer in &run.trace.transfers {
        let shares = of.remove(&(transfer.from, transfer.seq)).unwrap_or_default();
        let (mut at, mut bytes) = (transfer.entered, 0.0);
        for share in shares {
            assert_eq!((share.start, share.to), (at, transfer.to), "{share:?}");
            at = share.end;
            bytes += share.rate * share.end.since(share.start).as_secs_f64();
        }
        assert_eq!(at, transfer.left, "{transfer:?}");
        if at > transfer.entered {
            let off = (bytes - transfer.bytes as f64).abs();
            assert!(off <= 1e-3 + 1e-6 * transfer.bytes as f64, "{off} bytes of {transfer:?}");
        }
    }
    // Every pair of shares: of a long run a part.
    let some = run.trace.shares.len().div_ceil(300).max(1);
    for share in run.trace.shares.iter().step_by(some) {
        let Some(place) = share.bottleneck else {
            assert!(share.rate >= machine.parameters().port_capacity() * (1.0 - 1e-9), "{share:?}");
            continue;
        };
        let others = run.trace.shares.iter().filter(|other| {
            (other.start <= share.start && share.start < other.end)
                && way(machine, other.from, other.to).contains(&place)
        });
        let rates: Vec<f64> = others.map(|other| other.rate).collect();
        let (sum, full) = (rates.iter().sum::<f64>(), capacity(machine, place));
        assert!((sum - full).abs() <= 1e-6 * full, "{sum} of {full} at {share:?}");
        assert!(rates.iter().all(|rate| *rate <= share.rate * (1.0 + 1e-6)), "{rates:?} at {share:?}");
    }
}

fn explained<T: Send>(
    machine: MachineBuilder,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    let machine = machine.trace(true).wall_limit(PATIENCE).build().unwrap();
    let run = support::run(&machine, program);
    check(&run, machine.description());
    run
}

/// The pieces: kind, node, message and place, begin and end in nanoseconds.
fn story(path: &CriticalPath) -> Vec<(Kind, usize, u64, u64)> {
    let nanos = |time: Time| time.as_picos() / 1000;
    path.pieces.iter().map(|piece| (piece.kind, piece.rank, nanos(piece.start), nanos(piece.end))).collect()
}

/// o_s = o_r = 65 us and 50 ns/B.
fn line(nodes: usize) -> MachineBuilder {
    Machine::hockney(1, nodes)
}

/// A line with other parameters beside these.
fn line_with(nodes: usize, set: impl FnOnce(ParametersBuilder) -> ParametersBuilder) -> MachineBuilder {
    let parameters =
        Parameters::builder().send_overhead(65e-6).receive_overhead(65e-6).beta(50e-9).link_excess(1.0);
    line(nodes).parameters(set(parameters).build().unwrap())
}

fn micros(micros: u64) -> Span {
    Span::from_micros(micros)
}

/// Every sender of `messages` sends to its receiver, which receives in this order: from, to, bytes.
fn messages(list: &'static [(usize, usize, usize)]) -> impl Fn(&Node<'_>) -> Result<(), Failure> + Sync {
    move |node| {
        let world = node.world();
        for &(from, to, bytes) in list {
            if from == node.rank() {
                world.send(to, vec![0_u8; bytes])?;
            }
            if to == node.rank() {
                world.recv(from)?;
            }
        }
        Ok(())
    }
}

/// Worked examples 1 and 11.
#[test]
fn one_message_is_its_start_up_and_its_bytes() {
    let run = explained(line(4), messages(&[(0, 1, 1000)]));
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 115_000),
            (Kind::ReceiveOverhead, 1, 115_000, 180_000)
        ]
    );
    let run = explained(line_with(4, |given| given.latency(2e-6).hop(1e-6)), messages(&[(0, 3, 1000)]));
    let path = run.critical_path().unwrap();
    assert_eq!(path.time(Kind::Latency), micros(5));
    assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(135), micros(50)));
}

/// Worked example 2, of 1000 bytes each: on the link each slows the other down by the 50 us that it takes itself.
#[test]
fn two_messages_over_one_link_slow_each_other() {
    let run = explained(line(4), messages(&[(0, 2, 1000), (1, 3, 1000)]));
    let path = run.critical_path().unwrap();
    assert_eq!(
        story(&path),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 115_000),
            (Kind::Sharing, 0, 115_000, 165_000),
            (Kind::ReceiveOverhead, 2, 165_000, 230_000)
        ]
    );
    let shared = path.pieces[2].place.unwrap();
    let topology = run.explain().unwrap().places;
    assert_eq!(topology[&shared], "node 1 -> node 2");
    let blame = run.blame().unwrap();
    let told: Vec<_> =
        blame.losses.iter().map(|loss| (loss.place, loss.slowed.from, loss.by.from, loss.lost)).collect();
    assert_eq!(told, [(shared, 0, 1, micros(50)), (shared, 1, 0, micros(50))]);
    assert_eq!(blame.own, Span::ZERO);
}

/// Worked example 3: the short message and the first third of the long one share the link from 65 to 165 us.
#[test]
fn a_long_message_loses_only_while_the_short_one_moves() {
    let run = explained(line(4), messages(&[(0, 3, 1000), (1, 2, 3000)]));
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::SendOverhead, 1, 0, 65_000),
            (Kind::Bytes, 1, 65_000, 115_000),
            (Kind::Sharing, 1, 115_000, 165_000),
            (Kind::Bytes, 1, 165_000, 265_000),
            (Kind::ReceiveOverhead, 2, 265_000, 330_000)
        ]
    );
    let losses: Vec<_> =
        run.blame().unwrap().losses.iter().map(|loss| (loss.slowed.from, loss.lost)).collect();
    assert_eq!(losses, [(0, micros(50)), (1, micros(50))]);
    let shares: Vec<_> = run.trace.shares.iter().map(|share| (share.from, share.rate.round())).collect();
    assert_eq!(shares, [(0, 1e7), (1, 1e7), (1, 2e7)]);
}

/// Worked example 5: three messages into one port. Each takes 150 us instead of 50, and the others share the blame.
#[test]
fn blame_for_a_port_is_shared_by_those_that_use_it() {
    let run = explained(line_with(4, |given| given.link_excess(4.0)), |node| {
        let world = node.world();
        if node.rank() > 0 {
            return Ok(world.send(0, vec![0_u8; 1000])?);
        }
        (1..4).try_for_each(|from| world.recv(from).map(drop))?;
        Ok(())
    });
    let blame = run.blame().unwrap();
    assert_eq!(blame.losses.len(), 6);
    assert!(blame.losses.iter().all(|loss| loss.place == Bottleneck::InPort(0) && loss.lost == micros(50)));
    assert_eq!(blame.slowed().into_values().collect::<Vec<_>>(), [micros(100); 3]);
}

/// Worked example 7: node 0 and node 3 both lose by the message of node 1, which loses to one of them on the first of the
/// links that are full. Of the link from 3 to 4 and the in-port of 4, which are full at the same rate, it is the link.
#[test]
fn blame_is_where_the_bottleneck_is() {
    let run = explained(line(5), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.send(2, vec![0_u8; 1200])?,
            1 | 3 => world.send(4, vec![0_u8; 1200])?,
            2 => drop(world.recv(0)?),
            _ => {
                world.recv(3)?;
                world.recv(1)?;
            }
        }
        Ok(())
    });
    let places = run.explain().unwrap().places;
    let blame = run.blame().unwrap();
    let told: Vec<_> = blame
        .losses
        .iter()
        .map(|loss| (&*places[&loss.place], loss.slowed.from, loss.by.from, loss.lost))
        .collect();
    let lost = micros(60);
    let link = "node 1 -> node 2";
    assert_eq!(told, [(link, 0, 1, lost), (link, 1, 0, lost), ("node 3 -> node 4", 3, 1, lost)]);
}

/// A link of half the speed of a port: a message alone takes 100 us for 50, which is nobody's fault. Two take 200.
#[test]
fn a_slow_link_is_nobodys_blame() {
    let slow = || line_with(4, |given| given.link_excess(0.5));
    let run = explained(slow(), messages(&[(0, 1, 1000)]));
    let blame = run.blame().unwrap();
    assert_eq!((blame.losses.len(), blame.own), (0, micros(50)));
    assert_eq!(run.critical_path().unwrap().time(Kind::Bytes), micros(100));
    let run = explained(slow(), messages(&[(0, 2, 1000), (1, 3, 1000)]));
    let blame = run.blame().unwrap();
    assert_eq!((blame.shared(), blame.own), (micros(200), micros(100)));
    let path = run.critical_path().unwrap();
    assert_eq!((path.time(Kind::Bytes), path.time(Kind::Sharing)), (micros(100), micros(100)));
}

/// Worked example 7b: with k = 1.5 the messages of 1 and 3 get half a port each, and node 0 what is left of the link, which
/// is all that its port can take.
#[test]
fn who_does_not_lose_has_no_losses() {
    let run = explained(line_with(5, |given| given.link_excess(1.5)), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.send(2, vec![0_u8; 1200])?,
            1 | 3 => world.send(4, vec![0_u8; 1200])?,
            2 => drop(world.recv(0)?),
            _ => (0..2).try_for_each(|_| world.recv(ANY_SOURCE).map(drop))?,
        }
        Ok(())
    });
    let blame = run.blame().unwrap();
    assert!(blame.slowed().keys().all(|message| message.from != 0), "{blame:?}");
    assert_eq!(blame.shared(), micros(120));
}

#[test]
fn a_message_behind_its_senders_earlier_one_follows_its_bytes() {
    let run = explained(line(2), one_behind_the_other(4000));
    // The second is ready at 130 us, and the port is free at 265.
    let path = run.critical_path().unwrap();
    assert_eq!(
        story(&path),
        [
            (Kind::SendOverhead, 0, 0, 65_000),
            (Kind::Bytes, 0, 65_000, 265_000),
            (Kind::Bytes, 0, 265_000, 465_000),
            (Kind::ReceiveOverhead, 1, 465_000, 530_000)
        ]
    );
    assert_eq!(path.messages().iter().map(|message| message.seq).collect::<Vec<_>>(), [0, 1]);
}

/// Four segments over two hops: node 1 receives a segment, then passes it on, 330 us each.
#[test]
fn a_pipeline_is_held_up_by_its_middle() {
    let run = explained(line(3), |node| {
        let world = node.world();
        for _ in 0..4 {
            match node.rank() {
                0 => world.send(1, vec![0_u8; 4000])?,
                1 => {
                    let segment = world.recv(0)?;
                    world.send(2, segment.payload)?;
                }
                _ => drop(world.recv(1)?),
            }
        }
        Ok(())
    });
    let path = run.critical_path().unwrap();
    assert_eq!(run.report.modeled, Time::ZERO + micros(5 * 330));
    assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(5 * 130), micros(5 * 200)));
    let messages: Vec<_> = path.messages().iter().map(|message| (message.from, message.seq)).collect();
    assert_eq!(messages, [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]);
}

/// A binomial tree over `2^d` nodes: d messages one after the other, d * (alpha + n beta). Worked example 8 has d = 3.
#[test]
fn the_path_through_a_tree_is_its_depth() {
    for depth in 1..=5_usize {
        let run = explained(line(1 << depth), |node| {
            let (world, rank) = (node.world(), node.rank());
            for bit in (0..depth).rev() {
                let half = 1 << bit;
                if rank % (2 * half) == 0 {
                    world.send(rank + half, vec![0_u8; 1000])?;
                } else if rank % half == 0 {
                    world.recv(rank - half)?;
                }
            }
            Ok(())
        });
        let (path, steps) = (run.critical_path().unwrap(), depth as u64);
        assert_eq!(path.span(), micros(180 * steps));
        assert_eq!((path.start_up(), path.time(Kind::Bytes)), (micros(130 * steps), micros(50 * steps)));
        assert_eq!(path.messages().len(), depth);
    }
}

#[test]
fn computing_and_the_work_of_libraries_are_told_apart() {
    let run = explained(line_with(4, |given| given.gamma(1e-8).copy(1e-9)), |node| {
        node.compute(micros(10 * node.rank() as u64))?;
        let mut x = vec![1.0_f64; 1000];
        node.world().using(&collective::Algorithm::SHORT).combine_one(0, &mut x, collective::Sum)?;
        Ok(())
    });
    let path = run.critical_path().unwrap();
    // Two steps of a tree combine 1000 elements each, 10 us.
    assert_eq!(path.time(Kind::Library), micros(20));
    assert!(path.time(Kind::Computing) > Span::ZERO);
}

#[test]
fn a_barrier_is_left_to_its_last_node() {
    for barrier in [0.0, 3e-6] {
        let run = explained(line_with(3, |given| given.barrier(barrier)), |node| {
            node.compute(micros([5, 20, 10][node.rank()]))?;
            node.world().barrier()?;
            node.world().barrier()?;
            node.compute(micros([1, 0, 7][node.rank()]))?;
            Ok(())
        });
        let path = run.critical_path().unwrap();
        let nodes: Vec<_> = path.pieces.iter().map(|piece| (piece.kind, piece.rank)).collect();
        assert_eq!((nodes[0], *nodes.last().unwrap()), ((Kind::Computing, 1), (Kind::Computing, 2)));
        assert_eq!(path.time(Kind::Barrier), Span::from_secs_f64(2.0 * barrier));
    }
}

#[test]
fn a_deadline_is_waiting_and_a_probe_is_what_it_found() {
    let run = explained(line(2), |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                assert!(world.recv_until(1, Time::ZERO + micros(100)).is_err());
                world.send(1, vec![0_u8; 1000])?;
            }
            _ => {
                world.probe(0)?;
                world.recv(0)?;
            }
        }
        Ok(())
    });
    assert_eq!(
        story(&run.critical_path().unwrap()),
        [
            (Kind::Waiting, 0, 0, 100_000),
            (Kind::SendOverhead, 0, 100_000, 165_000),
            (Kind::Bytes, 0, 165_000, 215_000),
            (Kind::ReceiveOverhead, 1, 215_000, 280_000)
        ]
    );
}

#[test]
fn messages_that_nobody_receives_are_counted_too() {
    let run = explained(line(4), |node| {
        let world = node.world();
        if node.rank() < 2 {
            let _ = world.isend(node.rank() + 2, vec![0_u8; 100_000])?;
        }
        Ok(())
    });
    assert_eq!(run.critical_path().unwrap().span(), micros(65));
}

#[test]
fn what_was_not_recorded_is_an_error() {
    let program = messages(&[(0, 1, 10)]);
    let run = line(2).build().unwrap().run(&program).unwrap();
    assert_eq!(run.explain().unwrap_err(), AnalysisError::NotTraced);
    let run = Machine::host(2).trace(true).build().unwrap().run(&program).unwrap();
    assert_eq!(run.critical_path().unwrap_err(), AnalysisError::NotModeled);
    assert!(run.blame().unwrap_err().to_string().contains("host's clock"));
    let run = explained(line(2), &program);
    let machine: Description = "hockney:1x2".parse().unwrap();
    assert!(CriticalPath::of(&run.trace, &machine).is_ok());
    let mut part = run.trace.clone();
    part.transfers.clear();
    let text = CriticalPath::of(&part, &machine).unwrap_err().to_string();
    assert!(text.contains("no message of node 0 at 65.5 us"), "{text}");
    part.events.retain(|event| event.rank == 1);
    assert!(CriticalPath::of(&part, &machine).is_err());
    let other: Description = "hockney:1x1".parse().unwrap();
    assert!(CriticalPath::of(&run.trace, &other).is_err());
    let nothing = line(2).trace(true).build().unwrap().run(|_| Ok(())).unwrap();
    assert!(nothing.explain().unwrap().critical_path.pieces.is_empty());
}

#[test]
fn an_explanation_is_a_text_and_tables() {
    let run = explained(line(4), messages(&[(0, 3, 1000), (1, 2, 3000)]));
    let explanation = run.explain().unwrap();
    let expected = "\
Where the time went

critical path        us     %
  send overhead      65  19.7
  receive overhead   65  19.7
  bytes             150  45.5
  sharing            50  15.2
  in all 330 us over 1 message, to the end of node 2

longest pieces                   from us   us
  bytes, 1 -> 2 (#0)                 165  100
  send overhead, 1 -> 2 (#0)           0   65
  receive overhead, 1 -> 2 (#0)      265   65
  bytes, 1 -> 2 (#0)                  65   50
  sharing, 1 -> 2 (#0)               115   50

lost to sharing      us
  node 1 -> node 2  100
  in all 100 us, and 0 s on slower links

slowed                  by             where  us
  0 -> 3 (#0)  1 -> 2 (#0)  node 1 -> node 2  50
  1 -> 2 (#0)  0 -> 3 (#0)  node 1 -> node 2  50";
    assert_eq!(explanation.to_string(), expected);
    let mut bytes = Vec::new();
    explanation.write_path_csv(&mut bytes).unwrap();
    let expected = "\
start_us,end_us,time_us,kind,node,from,to,seq,place
0,65,65,send overhead,1,1,2,0,
65,115,50,bytes,1,1,2,0,
115,165,50,sharing,1,1,2,0,node 1 -> node 2
165,265,100,bytes,1,1,2,0,
265,330,65,receive overhead,2,1,2,0,
";
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    let mut bytes = Vec::new();
    explanation.write_blame_csv(&mut bytes).unwrap();
    let expected = "\
place,from,to,seq,by_from,by_to,by_seq,lost_us
node 1 -> node 2,0,3,0,1,2,0,50
node 1 -> node 2,1,2,0,0,3,0,50
";
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    let json = serde_json::to_value(&explanation).unwrap();
    assert_eq!(json["critical_path"]["pieces"][2]["kind"], "sharing");
    assert_eq!(json["blame"]["losses"][0]["by"]["from"], 1);
}

/// Algorithms of all libraries on networks of all kinds.
#[test]
fn runs_of_the_libraries_are_explained() {
    let machines = ["paragon:4x4", "hockney:2x5", "cm5:16", "t3d:2x2x3", "ipsc860:8", "ring:9", "tree:15"];
    for name in machines {
        let machine: Description = name.parse().unwrap();
        let nodes = machine.nodes();
        let built = || Machine::of(machine.clone());
        explained(built(), |node| {
            let world = node.world();
            let mut x = vec![node.rank() as f64; 500];
            world.broadcast(1, &mut x)?;
            world.combine_all(&mut x, collective::Sum)?;
            world.scan(&mut x, collective::Sum)?;
            let rows = vec![vec![node.rank() as u32; 300]; nodes];
            let _: Vec<Vec<u32>> = world.exchange(&rows)?;
            Ok(())
        });
        let sources: Vec<usize> = (0..nodes).step_by(3).collect();
        let instance = stop::Instance::new(&machine, &sources, &vec![2000; sources.len()]).unwrap();
        for algorithm in stop::Algorithm::PAPER {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            explained(built(), |node| {
                let mine = sources.contains(&node.rank()).then(|| Payload::from(vec![1_u8; 2000]));
                Ok(plan.broadcast(node.world(), mine).map(drop)?)
            });
        }
        let matrix = exchange::Matrix::of(nodes, |from, to| 100 * ((from + 2 * to) % 5) as u64).unwrap();
        let instance = exchange::Instance::new(&machine, matrix.clone()).unwrap();
        for algorithm in exchange::Algorithm::ALL {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            explained(built(), |node| {
                let row = matrix.row(node.rank()).iter();
                let row = row.map(|&bytes| Payload::from(vec![3_u8; bytes as usize]));
                Ok(plan.carry_out(node.world(), row.collect()).map(drop)?)
            });
        }
    }
}

#[test]
fn real_time_is_explained_like_virtual_time() {
    let program = messages(&[(0, 2, 1000), (1, 3, 1000)]);
    let path = explained(line(4), &program).critical_path().unwrap();
    let real = Clock::RealTime { dilation: Dilation::Fixed(1.0) };
    assert_eq!(explained(line(4).clock(real), &program).critical_path().unwrap(), path);
}

/// A message of a random program.
#[derive(Clone, Debug)]
struct Sent {
    from: usize,
    to: usize,
    bytes: usize,
    blocking: bool,
    computing: u64,
}

fn sent() -> impl Strategy<Value = Vec<Sent>> {
    let bytes = prop_oneof![1 => Just(0_usize), 2 => 1..100_usize, 6 => 100..20_000_usize];
    let one = (0..16_usize, 0..16_usize, bytes, any::<bool>(), 0..50_u64)
        .prop_map(|(from, to, bytes, blocking, computing)| Sent { from, to, bytes, blocking, computing });
    prop::collection::vec(one, 1..60)
}

/// Numbers that are hit exactly, zero among them, and others.
fn seconds() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(50e-6), (0..1_000_000_u64).prop_map(|picos| picos as f64 * 1e-10)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_explained_to_the_picosecond(
        sent in sent(),
        network in prop::sample::select(vec!["line:5", "ring:6", "mesh:3x3", "torus:3x4", "hypercube:8", "tree:7"]),
        [o_s, o_r, o_x, latency, hop] in [seconds(), seconds(), seconds(), seconds(), seconds()],
        excess in prop::sample::select(vec![0.4, 1.0, 1.5, 2.0, 1e6]),
        duplex in prop::sample::select(vec![1.0, 1.6, 2.0]),
        anything in any::<bool>(),
    ) {
        let parameters = Parameters::builder()
            .send_overhead(o_s)
            .receive_overhead(o_r)
            .exchange_overhead(o_x)
            .latency(latency)
            .hop(hop)
            .beta(50e-9)
            .link_excess(excess)
            .duplex(duplex)
            .build()
            .unwrap();
        let machine: Description = network.parse().unwrap();
        let nodes = machine.nodes();
        explained(Machine::of(machine).parameters(parameters), |node| {
            let (world, me) = (node.world(), node.rank());
            let mut sends = Vec::new();
            for Sent { from, to, bytes, blocking, computing } in &sent {
                let (from, to) = (from % nodes, to % nodes);
                if from == me {
                    node.compute(micros(*computing))?;
                    let data = vec![0_u8; *bytes];
                    match blocking {
                        true => world.send(to, data)?,
                        false => sends.push(world.isend(to, data)?),
                    }
                }
                if to == me {
                    if anything { world.recv(ANY_SOURCE)? } else { world.recv(from)? };
                }
            }
            world.wait_all(sends)?;
            Ok(())
        });
    }
}
