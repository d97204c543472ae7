//! The host's clock beside MPI: `benches/mpi/run` calls this as `host GROUP SECONDS` and puts the figures side by side.
//!
//! Every line is `own,operation,bytes,nodes,microseconds`. A ping-pong is the one-way time of a message between two nodes on
//! two cores. An operation is timed together with a barrier after it, as many times as fill the seconds given; its first
//! call, which plans and of which every byte is checked, is not timed. Data is made beforehand, as on MPI's side. Without
//! arguments every row is run for a moment, to see that it works.

use std::time::{Duration, Instant};

use multicomputer::{
    Pinning, calibration, collective::Job, collective::Operation, model::MachineSpec, prelude::*,
};

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let seconds = arguments.get(1).map_or(Ok(0.01), |seconds| seconds.parse())?;
    let group = arguments.first().map(String::as_str);
    if group.is_none_or(|group| group == "pingpong") {
        [8, 64 << 10, 1 << 20, 16 << 20].into_iter().try_for_each(|bytes| ping_pong(bytes, seconds))?;
    }
    for nodes in [16, 64] {
        if group.is_none_or(|group| group == nodes.to_string()) {
            collectives(nodes, seconds)?;
        }
    }
    Ok(())
}

/// Repeats `step` on all nodes, as often as it takes to fill the seconds; the mean time of one. `check` looks at the outcome
/// of the first one, which is not timed.
fn timed<T>(
    node: &Node<'_>,
    seconds: f64,
    step: impl Fn() -> Result<T, Failure>,
    check: impl FnOnce(T) -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    check(step()?)?;
    let mut times = 1_u32;
    loop {
        node.world().barrier()?;
        let begin = Instant::now();
        for _ in 0..times {
            step()?;
        }
        let took = begin.elapsed();
        // One node decides for all.
        let mut enough = [u8::from(took.as_secs_f64() >= seconds)];
        node.world().broadcast(0, &mut enough)?;
        if enough[0] == 1 {
            return Ok(took / times);
        }
        times *= 2;
    }
}

fn print(operation: &str, bytes: usize, nodes: usize, time: Duration) {
    println!("own,{operation},{bytes},{nodes},{:.3}", 1e6 * time.as_secs_f64());
}

/// One message there and back, by reference.
fn ping_pong(bytes: usize, seconds: f64) -> Result<(), Failure> {
    let machine = Machine::host(2).pinning(Pinning::Spread).build()?;
    let run = machine.run(|node| {
        let (world, other) = (node.world(), 1 - node.rank());
        let data = Payload::from(vec![7_u8; bytes]);
        const TIMES: u32 = 100;
        let round_trips = || {
            for _ in 0..TIMES {
                if node.rank() == 0 {
                    world.send(other, data.clone())?;
                }
                let got = world.recv(other)?.payload;
                assert_eq!(got.len(), bytes as u64);
                if node.rank() == 1 {
                    world.send(other, got)?;
                }
            }
            Ok(())
        };
        let time = timed(node, seconds, round_trips, Ok)?;
        Ok(time / (2 * TIMES))
    })?;
    print("pingpong", bytes, 2, run.outputs[0]);
    Ok(())
}

/// All operations with a barrier after each.
fn collectives(nodes: usize, seconds: f64) -> Result<(), Failure> {
    // Auto plans on the machine as it is measured here and now.
    let shape: MachineSpec = format!("host:{nodes}").parse()?;
    let parameters = calibration::host::measure(&shape, Pinning::Auto)?;
    if std::env::var_os("RUST_LOG").is_some() {
        eprintln!("{parameters:#?}");
    }
    let machine = Machine::host(nodes).parameters(parameters).build()?;
    let data = |from: usize, to: usize, bytes: usize| Payload::from(vec![(31 * from + to) as u8; bytes]);
    let run = |operation: &str, bytes: usize, program: &Program| {
        print(operation, bytes, nodes, machine.run(program)?.outputs[0]);
        Ok::<(), Failure>(())
    };
    run("barrier", 0, &|node| timed(node, seconds, || Ok(node.world().barrier()?), Ok))?;
    let bytes = 1_usize << 20;
    run("broadcast", bytes, &|node| {
        let (world, job) = (node.world(), Job::bytes(Operation::Broadcast, bytes));
        let mine = if node.rank() == 0 { data(0, 0, bytes) } else { Payload::empty() };
        let broadcast = || {
            let got = world.carry_out(&job, mine.clone())?;
            world.barrier()?;
            Ok(got)
        };
        timed(node, seconds, broadcast, |got| same(got, [data(0, 0, bytes)]))
    })?;
    for bytes in [1 << 10, 16 << 10] {
        run("all-gather", bytes, &|node| {
            let (world, job) = (node.world(), Job::bytes(Operation::AllGather, bytes * nodes));
            let mine = data(node.rank(), 0, bytes);
            let all_gather = || {
                let got = world.carry_out(&job, mine.clone())?;
                world.barrier()?;
                Ok(got)
            };
            timed(node, seconds, all_gather, |got| same(got, (0..nodes).map(|from| data(from, 0, bytes))))
        })?;
    }
    for bytes in [1 << 10, 16 << 10] {
        run("alltoall", bytes, &|node| {
            let (world, rank) = (node.world(), node.rank());
            let mine: Vec<Payload> = (0..nodes).map(|to| data(rank, to, bytes)).collect();
            let exchange = || {
                let got = world.all_to_all_payloads(mine.clone())?;
                world.barrier()?;
                Ok(got)
            };
            let check = |got| same(Payload::concat(got), (0..nodes).map(|from| data(from, rank, bytes)));
            timed(node, seconds, exchange, check)
        })?;
    }
    Ok(())
}

/// A program that times one operation.
type Program<'a> = dyn Fn(&Node<'_>) -> Result<Duration, Failure> + Sync + 'a;

/// Compares what has come with what should have come.
fn same(got: Payload, expected: impl IntoIterator<Item = Payload>) -> Result<(), Failure> {
    match got.to_bytes()? == Payload::concat(expected).to_bytes()? {
        true => Ok(()),
        false => Err("other bytes have come than were sent".into()),
    }
}
