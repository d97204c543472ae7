//! Noise and faults: modeled times worked by hand, who is told of what and when, and that no run hangs.
//!
//! Unless said otherwise o_s = o_r = 65 us, L = hop = 0, beta = 50 ns/byte, k = 1: 1000 bytes take 50 us.

mod deaths;
mod links;
mod noise;
mod random;
mod rendezvous;

use multicomputer::{
    MachineBuilder, Run,
    error::{ConfigError, Failure},
    model::{Fault, FaultError, Faults, Noise},
    prelude::*,
};

use crate::support::PATIENCE;

const BYTES: [u8; 1000] = [7; 1000];

fn faults(texts: &[&str]) -> Faults {
    Faults::new(texts.iter().map(|text| text.parse::<Fault>().unwrap()))
}

fn faulty(builder: MachineBuilder, texts: &[&str]) -> Machine {
    builder.faults(faults(texts)).wall_limit(PATIENCE).build().unwrap()
}

fn micros(time: Time) -> f64 {
    time.as_micros_f64()
}

/// When each node has finished, in microseconds.
fn finished<T>(run: &Run<T>) -> Vec<f64> {
    run.report.nodes.iter().map(|node| micros(node.finished)).collect()
}

/// The error of a call, and the node's clock then in microseconds.
fn failed<T: std::fmt::Debug>(
    node: &Node<'_>,
    result: Result<T, CommError>,
) -> Result<(String, f64), Failure> {
    let error = result.expect_err("the call fails").to_string();
    Ok((error, micros(node.now()?)))
}

fn one_message(node: &Node<'_>) -> Result<(), Failure> {
    match node.rank() {
        0 => node.world().send(1, BYTES)?,
        1 => drop(node.world().recv(0)?),
        _ => {}
    }
    Ok(())
}

#[test]
fn impossible_faults_are_refused() {
    let built = Machine::hockney(1, 2).faults(faults(&["dead:0-5@1ms"])).build();
    assert!(matches!(built, Err(ConfigError::Fault(FaultError::Link { .. }))));
    let host = Machine::host(2).faults(faults(&["node:0@1ms"])).build().unwrap_err();
    assert_eq!(
        host.to_string(),
        "the host's clock does not support faults, because they are modeled: use the virtual or the real-time clock"
    );
    let noise = Noise::new(Span::from_millis(1), Span::from_micros(1)).unwrap();
    assert!(matches!(Machine::host(2).noise(noise).build(), Err(ConfigError::Unmodeled("noise"))));
}
