//! The explanation of a run: the critical path tiles the modeled time, and the losses by sharing are those of the report.
//! Cases that were worked out by hand, and random ones.

mod blame;
mod path;

use std::collections::BTreeMap;

use multicomputer::{
    Clock, Dilation, MachineBuilder, Payload, Run, all_to_all,
    analysis::{AnalysisError, CriticalPath, Kind, MessageRef},
    collective::{self, Collective},
    error::Failure,
    model::{MachineSpec, Parameters, ParametersBuilder},
    prelude::*,
    record::{Bottleneck, Share},
    s_to_p,
};
use proptest::prelude::*;

use crate::{
    one_behind_the_other,
    support::{self, PATIENCE},
};

/// The places that a message moves over.
fn way(machine: &MachineSpec, from: usize, to: usize) -> Vec<Bottleneck> {
    let mut route = Vec::new();
    machine.topology().route(from, to, &mut route);
    let mut way: Vec<Bottleneck> = route.into_iter().map(Bottleneck::Link).collect();
    way.extend([Bottleneck::InPort(to), Bottleneck::Ports(from), Bottleneck::Ports(to)]);
    way
}

fn capacity(machine: &MachineSpec, place: Bottleneck) -> f64 {
    let parameters = machine.parameters();
    match place {
        Bottleneck::Link(link) => machine.link_capacity(link),
        Bottleneck::InPort(_) => 1.0 / parameters.node_beta(),
        _ => parameters.duplex() / parameters.node_beta(),
    }
}

/// What must hold of the explanation of every run.
pub(crate) fn check<T>(run: &Run<T>, machine: &MachineSpec) {
    let path = run.critical_path().unwrap();
    let mut at = Time::ZERO;
    for piece in &path.pieces {
        assert_eq!(piece.start, at, "{piece:?}");
        assert!(piece.end > at, "{piece:?}");
        assert_eq!(piece.place.is_some(), piece.kind == Kind::Sharing, "{piece:?}");
        at = piece.end;
    }
    assert_eq!(at, run.report.makespan);
    assert_eq!(path.span(), run.report.makespan.since_start());
    assert_eq!(Kind::ALL.map(|kind| path.time(kind)).into_iter().sum::<Span>(), path.span());
    let mut finished = run.report.nodes.iter().map(|node| node.finished);
    assert_eq!(finished.position(|end| end == run.report.makespan), Some(path.last_node));

    let blame = run.blame().unwrap();
    assert_eq!(blame.total(), run.report.lost_to_sharing);
    assert_eq!(blame.by_place().into_values().sum::<Span>(), blame.shared());
    let transfers: BTreeMap<_, _> =
        run.trace.transfers.iter().map(|transfer| ((transfer.from, transfer.seq), transfer)).collect();
    for loss in &blame.losses {
        let slowed = transfers[&(loss.slowed.from, loss.slowed.seq)];
        assert!(loss.lost > Span::ZERO && loss.slowed != loss.by, "{loss:?}");
        let has_one_port = machine.parameters().ports() == 1;
        assert!(!has_one_port || loss.slowed.from != loss.by.from, "{loss:?}");
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
fn check_shares<T>(run: &Run<T>, machine: &MachineSpec) {
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
    check(&run, machine.spec());
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

#[test]
fn what_was_not_recorded_is_an_error() {
    let program = messages(&[(0, 1, 10)]);
    let run = line(2).build().unwrap().run(&program).unwrap();
    assert_eq!(run.explain().unwrap_err(), AnalysisError::NotTraced);
    let run = Machine::host(2).trace(true).build().unwrap().run(&program).unwrap();
    assert_eq!(run.critical_path().unwrap_err(), AnalysisError::NotModeled);
    assert!(run.blame().unwrap_err().to_string().contains("host's clock"));
    let run = explained(line(2), &program);
    let machine: MachineSpec = "hockney:1x2".parse().unwrap();
    assert!(CriticalPath::of(&run.trace, &machine).is_ok());
    let mut part = run.trace.clone();
    part.transfers.clear();
    let text = CriticalPath::of(&part, &machine).unwrap_err().to_string();
    assert!(text.contains("no message of node 0 at 65.5 us"), "{text}");
    part.events.retain(|event| event.rank == 1);
    assert!(CriticalPath::of(&part, &machine).is_err());
    let other: MachineSpec = "hockney:1x1".parse().unwrap();
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
  total: 100 us lost to other messages; 0 s lost on links slower than the ports

delayed                 by             where  us
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
        let machine: MachineSpec = name.parse().unwrap();
        let nodes = machine.nodes();
        let built = || Machine::builder(machine.clone());
        explained(built(), |node| {
            let world = node.world();
            let mut x = vec![node.rank() as f64; 500];
            world.broadcast(1, &mut x)?;
            world.all_reduce(&mut x, collective::Sum)?;
            world.scan(&mut x, collective::Sum)?;
            world.exclusive_scan(&mut x, collective::Sum)?;
            let rows = vec![vec![node.rank() as u32; 300]; nodes];
            world.all_to_allv(&rows)?;
            world.all_to_all(&rows.concat())?;
            Ok(())
        });
        let sources: Vec<usize> = (0..nodes).step_by(3).collect();
        let instance = s_to_p::Instance::new(&machine, &sources, &vec![2000; sources.len()]).unwrap();
        for algorithm in s_to_p::Algorithm::PAPER {
            let Ok(plan) = algorithm.plan(&instance) else { continue };
            explained(built(), |node| {
                let mine = sources.contains(&node.rank()).then(|| Payload::from(vec![1_u8; 2000]));
                Ok(plan.broadcast(node.world(), mine).map(drop)?)
            });
        }
        let matrix = all_to_all::Matrix::of(nodes, |from, to| 100 * ((from + 2 * to) % 5) as u64).unwrap();
        let instance = all_to_all::Instance::new(&machine, matrix.clone()).unwrap();
        for algorithm in all_to_all::Algorithm::ALL {
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
        ports in prop::sample::select(vec![1, 1, 2, 3]),
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
            .ports(ports)
            .build()
            .unwrap();
        let machine: MachineSpec = network.parse().unwrap();
        let nodes = machine.nodes();
        explained(Machine::builder(machine).parameters(parameters), |node| {
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
            Request::wait_all(sends)?;
            Ok(())
        });
    }
}
