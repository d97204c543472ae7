//! The host's clock beside MPI: `benches/mpi/run` calls this as `host GROUP SECONDS` and puts the figures side by side.
//!
//! Every line is `own,operation,bytes,nodes,microseconds`. A ping-pong is the one-way time of a message between two nodes on
//! two cores. An operation is timed together with a barrier after it, as many times as fill the seconds given; its first
//! call, which plans and is checked, is not timed. Without arguments every row is run for a moment, to see that it works.

use std::time::{Duration, Instant};

use multicomputer::{
    Pinning, calibration, collective::Job, collective::Operation, exchange::Matrix, model::Description,
    prelude::*,
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

/// Repeats `step` on all nodes, as often as it takes to fill the seconds; the mean time of one.
fn timed(node: &Node<'_>, seconds: f64, step: impl Fn() -> Result<(), Failure>) -> Result<Duration, Failure> {
    step()?;
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
        let time = timed(node, seconds, || {
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
        })?;
        Ok(time / (2 * TIMES))
    })?;
    print("pingpong", bytes, 2, run.outputs[0]);
    Ok(())
}

/// All operations with a barrier after each.
fn collectives(nodes: usize, seconds: f64) -> Result<(), Failure> {
    // Auto plans on the machine as it is measured here and now.
    let shape: Description = format!("host:{nodes}").parse()?;
    let parameters = calibration::host::measure(&shape, Pinning::Auto)?;
    if std::env::var_os("RUST_LOG").is_some() {
        eprintln!("{parameters:#?}");
    }
    let machine = Machine::host(nodes).parameters(parameters).build()?;
    let time = |operation: &str, bytes: usize, step: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)| {
        let run = machine.run(|node| timed(node, seconds, || step(node)))?;
        print(operation, bytes, nodes, run.outputs[0]);
        Ok::<(), Failure>(())
    };
    time("barrier", 0, &|node| Ok(node.world().barrier()?))?;
    let bytes = 1_usize << 20;
    time("broadcast", bytes, &|node| {
        let world = node.world();
        let mine = if node.rank() == 0 { Payload::from(vec![7_u8; bytes]) } else { Payload::empty() };
        let got = world.carry_out(&Job::bytes(Operation::Broadcast, bytes), mine)?;
        assert_eq!(got.len(), bytes as u64);
        Ok(world.barrier()?)
    })?;
    for bytes in [1 << 10, 16 << 10] {
        time("collect", bytes, &|node| {
            let world = node.world();
            let mine = Payload::from(vec![node.rank() as u8; bytes]);
            let got = world.carry_out(&Job::bytes(Operation::Collect, bytes * nodes), mine)?;
            assert_eq!(got.len(), (bytes * nodes) as u64);
            Ok(world.barrier()?)
        })?;
    }
    for bytes in [1 << 10, 16 << 10] {
        let matrix = std::sync::Arc::new(Matrix::of(nodes, |_, _| bytes as u64)?);
        time("alltoall", bytes, &|node| {
            let world = node.world();
            let mine = (0..nodes).map(|to| Payload::from(vec![to as u8; bytes])).collect();
            let got = world.exchange_payloads_known(&matrix, mine)?;
            assert_eq!(got.iter().map(Payload::len).sum::<u64>(), (bytes * nodes) as u64);
            Ok(world.barrier()?)
        })?;
    }
    Ok(())
}
