//! Machine parameters of the ranks of an MPI job, by measurement: see [`measure`].

use std::sync::Arc;

use tracing::debug;

use super::{
    host::MeasureError,
    median,
    work::{self, Work},
};
use crate::{
    collective::{Collective, Max},
    comm::Node,
    error::Failure,
    model::{MachineSpec, Parameters},
    mpi::Job,
    payload::Payload,
    runtime::mpi::ROOM,
    topology::{Complete, Hosts, Topology},
};

/// Number of repetitions of each measurement, after one warm-up; the median is used.
const ROUNDS: usize = 25;

/// Message lengths in bytes, typical of collective operations.
const LENGTHS: [usize; 10] =
    [0, 64, 512, 2 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20];

/// Minimum length of a long message, whose data does not fit into a frame of the MPI endpoint.
const LONG: u64 = ROOM as u64 + 1;

/// The number of 8-byte elements of the vectors that are combined and copied.
const ELEMENTS: usize = 32 << 10;

/// The number of combinations and copies per measurement.
const TIMES: usize = 16;

/// Ratio of the time per byte with all ranks sending to that of a single message, above which the machine models a shared memory.
const SHARED: f64 = 1.1;

/// Measures the ranks of a job as a machine, for libraries to [plan with](Job::planned_for). A collective call: every
/// rank must call it, and gets the same machine.
///
/// The time of a message is measured in two ways, each after a barrier and until the slowest rank has finished, as for collective
/// operations: relayed through some ranks, as along a path of a tree, while all other ranks wait; and in steps in which all ranks send and
/// receive at the same time. `alpha` is the geometric mean of the two results, `beta` the smaller one. If concurrent messages of all ranks
/// are slower than a single message, the difference is attributed to the memory of each host, modeled as a link shared by its ranks
/// (`hosts:16:8000`). On one host without this effect, all pairs of ranks are linked (`complete:16`).
///
/// | parameter | how it is measured |
/// | --- | --- |
/// | `alpha`, `beta` | line fitted to the times of messages of 4 KiB to 1 MiB; `alpha` of shorter ones fitted with the same `beta` |
/// | `o_s`, `o_r` | all ranks send short messages to other ranks in turn, then receive them; scaled down if their sum exceeds `alpha` |
/// | `L` | the `alpha` of short messages, less `o_s`, `o_r` and the hops within a host |
/// | `hop` | with several hosts: the `alpha` of messages between hosts, less the `alpha` within a host |
/// | `gamma` | sums of 8-byte numbers, on all ranks at the same time |
/// | `copy` | copies of a vector, on all ranks at the same time |
/// | memory, card | bandwidth of concurrent messages of all ranks of the largest host, and of a message between hosts |
///
/// Long messages have a [regime](crate::model::Regime) in which each overhead is larger by half of the difference in `alpha`. The machine
/// has no hardware barrier, so that libraries do not use time-triggered algorithms: no real machine keeps their timing. If the ranks are
/// not ordered by host, the machine does not include hosts. Takes some seconds.
///
/// # Errors
/// [`MeasureError`] if the run failed, or if a result is outside the range of machine parameters.
pub fn measure(job: &Job) -> Result<MachineSpec, MeasureError> {
    let figures = job.run(|node| Figures::of(node, job.hosts()))?.output;
    debug!(?figures, "measured");
    let ranks = job.size();
    let all = Line::of(&figures.all);
    // If the first host has only one rank, no pair of ranks on one host was measured: use the pair on two hosts.
    let is_apart = figures.pair.iter().all(|&time| time == 0.0);
    let pair = Line::of(if is_apart { &figures.apart } else { &figures.pair });
    let mean =
        |alpha: fn(&Line) -> f64| if ranks > 1 { (alpha(&pair) * alpha(&all)).sqrt() } else { alpha(&all) };
    let (alpha, longer) = (mean(|line| line.alpha), mean(|line| line.longer));
    let overheads = figures.send + figures.receive;
    let part = if overheads > alpha { alpha / overheads } else { 1.0 };
    let hosts = in_order(job.hosts());
    let beta = if ranks > 1 { pair.beta.min(all.beta) } else { all.beta };
    let mut parameters = Parameters::builder()
        .send_overhead(figures.send * part)
        .receive_overhead(figures.receive * part)
        .latency((alpha - overheads * part).max(0.0))
        .beta(beta)
        .gamma(figures.combine / ELEMENTS as f64)
        .copy(figures.copy / (ELEMENTS * size_of::<f64>()) as f64);
    if longer > alpha {
        let more = (longer - alpha) / 2.0;
        parameters = parameters.regime(LONG, figures.send * part + more, figures.receive * part + more);
    }
    // The number of messages that share the memory of the largest host.
    let largest = hosts.as_ref().and_then(|hosts| hosts.iter().max().copied()).unwrap_or(1);
    let is_shared = all.beta > SHARED * beta && largest > 1;
    let topology: Arc<dyn Topology> = match hosts {
        Some(hosts) if hosts.len() > 1 => {
            let apart = Line::of(&figures.apart);
            let hop = (apart.alpha - pair.alpha).max(0.0);
            // A route within a host has three links, and a route between hosts has four.
            let latency = (alpha - overheads * part - 3.0 * hop).max(0.0);
            parameters = parameters.latency(latency).hop(hop);
            Arc::new(Hosts::new(&hosts, bandwidth(largest, all.beta), bandwidth(1, apart.beta))?)
        }
        Some(hosts) if is_shared => {
            let memory = bandwidth(ranks, all.beta);
            Arc::new(Hosts::new(&hosts, memory, memory)?)
        }
        _ => Arc::new(Complete::new(ranks)?),
    };
    Ok(MachineSpec::new(format!("mpi:{ranks}"), topology, parameters.build()?))
}

/// Seconds per operation, the same on all ranks.
#[derive(Clone, Debug)]
struct Figures {
    send: f64,
    receive: f64,
    combine: f64,
    copy: f64,
    /// Times of messages, by length: with all ranks sending (`all`), relayed through ranks of one host (`pair`), and between two hosts
    /// (`apart`). The time is 0 if there are no such ranks.
    all: Vec<f64>,
    pair: Vec<f64>,
    apart: Vec<f64>,
}

impl Figures {
    /// Measures all rounds. Each figure is the median over the rounds of the time of the slowest rank.
    fn of(node: &Node<'_>, hosts: &[usize]) -> Result<Figures, Failure> {
        round(node, hosts)?;
        let rounds = (0..ROUNDS).map(|_| round(node, hosts)).collect::<Result<Vec<_>, Failure>>()?;
        let mut slowest = rounds.concat();
        node.world().all_reduce(&mut slowest, Max)?;
        let figures = slowest.len() / ROUNDS;
        let mut medians =
            (0..figures).map(|nth| median(slowest.iter().skip(nth).step_by(figures).copied().collect()));
        let mut next = || medians.next().unwrap_or_default();
        let [send, receive, combine, copy] = [next(), next(), next(), next()];
        let mut of_lengths = || LENGTHS.iter().map(|_| next()).collect();
        let (all, pair, apart) = (of_lengths(), of_lengths(), of_lengths());
        Ok(Figures { send, receive, combine, copy, all, pair, apart })
    }
}

/// Returns the figures of a round in a fixed order, as measured by one rank.
fn round(node: &Node<'_>, hosts: &[usize]) -> Result<Vec<f64>, Failure> {
    let (ranks, data) = (node.size(), vec![1.0_f64; ELEMENTS]);
    let short = Work::after_messages(node, (ranks - 1).clamp(1, 32) as u32);
    let nothing = short.together(|| Ok(()))?;
    let of_one = |time: f64| (time - nothing).max(0.0) / TIMES as f64;
    let mut figures = vec![
        short.sends()?,
        short.receives()?,
        of_one(short.together(|| (0..TIMES).try_for_each(|_| work::combine(&data)))?),
        of_one(short.together(|| (0..TIMES).try_for_each(|_| work::copy(&data)))?),
    ];
    // As many steps as a broadcast to all ranks has.
    let steps = ranks.next_power_of_two().trailing_zeros().max(1);
    let payloads = || LENGTHS.iter().map(|&bytes| Payload::from(vec![1_u8; bytes]));
    for payload in payloads() {
        figures.push(Work::after_messages(node, steps).spread(&payload)?);
    }
    let on_first = (0..ranks).filter(|&rank| hosts[rank] == hosts[0]).take(steps as usize + 1);
    let on_two = (0..ranks).find(|&rank| hosts[rank] != hosts[0]).map(|other| vec![0, other]);
    for through in [on_first.collect(), on_two.unwrap_or_default()] {
        for payload in payloads() {
            figures.push(if through.len() > 1 { short.relay(&through, &payload)? } else { 0.0 });
        }
    }
    Ok(figures)
}

/// The time of a message by its length: two straight lines of the same slope, for short and for long messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    alpha: f64,
    /// The `alpha` of long messages, at least the `alpha` of short ones.
    longer: f64,
    beta: f64,
}

impl Line {
    /// Fits the lines by least squares of the relative errors; all coefficients are non-negative.
    fn of(times: &[f64]) -> Line {
        let points = |is_long: bool| {
            let points = LENGTHS.iter().zip(times).map(|(&bytes, &time)| (bytes, time));
            points.filter(move |&(bytes, time)| time > 0.0 && (bytes as u64 >= LONG) == is_long)
        };
        // The sums of 1, n and n^2, weighted by 1/t^2, and of 1 and n, weighted by 1/t.
        let sum = |is_long, term: fn(f64, f64) -> f64| -> f64 {
            points(is_long).map(|(n, t)| term(n as f64, t)).sum()
        };
        let s = |is_long| sum(is_long, |_, t| 1.0 / (t * t));
        let sn = |is_long| sum(is_long, |n, t| n / (t * t));
        let st = |is_long| sum(is_long, |_, t| 1.0 / t);
        let (snn, snt) = (sum(true, |n, t| n * n / (t * t)), sum(true, |n, t| n / t));
        let determinant = s(true) * snn - sn(true) * sn(true);
        if determinant <= 0.0 {
            return Line::default();
        }
        let (alpha, beta) = (
            (snn * st(true) - sn(true) * snt) / determinant,
            (s(true) * snt - sn(true) * st(true)) / determinant,
        );
        let (longer, beta) = match (alpha < 0.0, beta < 0.0) {
            (true, _) => (0.0, snt / snn),
            (_, true) => (st(true) / s(true), 0.0),
            _ => (alpha, beta),
        };
        let alpha = ((st(false) - beta * sn(false)) / s(false)).max(0.0);
        Line { alpha, longer: longer.max(alpha), beta }
    }
}

/// Returns the bandwidth of a number of concurrent messages with a time per byte of `beta` seconds, in whole MB/s.
fn bandwidth(messages: usize, beta: f64) -> f64 {
    const MEGABYTE: f64 = 1e6;
    // The minimum avoids a division by 0; it is a bandwidth of 1000 TB/s.
    (messages as f64 / beta.max(1e-15) / MEGABYTE).round().max(1.0) * MEGABYTE
}

/// Returns the number of ranks on each host; `None` if the ranks are not ordered by host.
fn in_order(hosts: &[usize]) -> Option<Vec<usize>> {
    hosts.is_sorted().then(|| hosts.chunk_by(|one, next| one == next).map(<[usize]>::len).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let times: Vec<f64> = LENGTHS.iter().map(|&bytes| 2e-6 + 1e-10 * bytes as f64).collect();
        let near = |found: f64, given: f64| (found / given - 1.0).abs() < 1e-6;
        let line = Line::of(&times);
        assert!(near(line.alpha, 2e-6) && near(line.longer, 2e-6) && near(line.beta, 1e-10), "{line:?}");
        let jump = |bytes: usize| if bytes as u64 >= LONG { 3e-6 } else { 0.0 };
        let times: Vec<f64> = LENGTHS.iter().zip(&times).map(|(&bytes, time)| time + jump(bytes)).collect();
        let line = Line::of(&times);
        assert!(near(line.alpha, 2e-6) && near(line.longer, 5e-6) && near(line.beta, 1e-10), "{line:?}");
        assert_eq!(Line::of(&[0.0; LENGTHS.len()]), Line::default(), "nothing measured");
        let level = Line::of(&[1e-6; LENGTHS.len()]);
        assert!((level.alpha / 1e-6 - 1.0).abs() < 1e-6 && level.beta.abs() < 1e-20);
    }

    #[test]
    fn a_bandwidth_is_a_whole_number_of_megabytes() {
        assert_eq!(bandwidth(4, 3.9e-10), 10_256e6);
        assert_eq!((bandwidth(1, 1.0), bandwidth(1, 0.0)), (1e6, 1e15));
    }

    #[test]
    fn hosts_in_order_are_counted() {
        assert_eq!(in_order(&[0, 0, 1, 1, 1]), Some(vec![2, 3]));
        assert_eq!(in_order(&[0, 1, 0, 1]), None);
    }
}
