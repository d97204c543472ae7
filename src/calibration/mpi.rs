//! The ranks of an MPI job as a machine, measured: see [`measure`].

use std::sync::Arc;

use tracing::debug;

use super::{
    host::MeasureError,
    work::{self, Work},
};
use crate::{
    collective::{Collective, Max},
    comm::Node,
    error::Failure,
    model::{Description, Parameters},
    mpi::Job,
    payload::Payload,
    runtime::mpi::ROOM,
    topology::{Complete, Hosts, Topology},
};

/// The number of times that everything is measured, after a first time that warms up; the median counts.
const ROUNDS: usize = 25;

/// The lengths of messages: those of collective operations.
const LENGTHS: [usize; 10] =
    [0, 64, 512, 2 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20];

/// The length from which on messages are long: their data does not go in a frame.
const LONG: u64 = ROOM as u64 + 1;

/// The 8-byte numbers of the vectors that are combined and copied.
const ELEMENTS: usize = 32 << 10;

/// The number of times that they are combined and copied at a time.
const TIMES: usize = 16;

/// The part by which messages of all ranks must be slower than those of one for sharing to be part of the machine.
const SHARED: f64 = 1.1;

/// Measures the ranks of a job as a machine, for libraries to [plan with](Job::planned_for). Every rank calls it, and gets the
/// same machine.
///
/// The time of a message is taken twice, each time after a barrier and until the slowest rank is done, as the times of collective
/// operations are: of one that goes through some ranks, one after the other, as on the way down a tree, while all others
/// wait; and of steps in which all ranks send and receive at once. The overheads are the geometric means of both; `beta` is that
/// of the message alone, and what all together lose against it is the memory of each host, a link that its ranks share
/// (`hosts:16:8000`). Where nothing is lost each rank is linked to each (`complete:16`).
///
/// | parameter | how it is measured |
/// | --- | --- |
/// | `alpha`, `beta` | the straight line that is nearest to the times of messages of 4 KiB to 1 MiB, relative to these times, and the `alpha` with which shorter messages are nearest to one with the same `beta` |
/// | `o_s`, `o_r` | parts of the `alpha` of short messages: all ranks send to each of the others in turn, and then receive what they were sent; longer messages have a [regime](crate::model::Regime) in which each is longer by half of the difference |
/// | `L` | the rest of the `alpha` of short messages |
/// | `hop` | the difference of an empty message between hosts to one on a host, where there are several |
/// | `gamma` | sums of 8-byte numbers, on all ranks at once |
/// | `copy` | copies of a vector, on all ranks at once |
/// | memory, card | the bytes of all messages within hosts, and between them, in the time that they take |
///
/// There is no barrier: algorithms that would go by one keep a pace that no real machine keeps. Where ranks have no order
/// by hosts, hosts are not part of the machine. Takes some seconds.
///
/// # Errors
/// [`MeasureError`]: the run failed, or a figure is no parameter of a machine.
pub fn measure(job: &Job) -> Result<Description, MeasureError> {
    let figures = job.run(|node| Figures::of(node, job.hosts()))?.output;
    debug!(?figures, "measured");
    let ranks = job.size();
    let all = Line::of(&figures.all);
    // Where each host has one rank, a pair is one of two hosts.
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
    // So many messages are in a memory at a time.
    let largest = hosts.as_ref().and_then(|hosts| hosts.iter().max().copied()).unwrap_or(1);
    let is_shared = all.beta > SHARED * beta && largest > 1;
    let topology: Arc<dyn Topology> = match hosts {
        Some(hosts) if hosts.len() > 1 => {
            let apart = Line::of(&figures.apart);
            let hop = (apart.alpha - pair.alpha).max(0.0);
            // A route on a host has three links, and one between hosts four.
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
    Ok(Description::new(format!("mpi:{ranks}"), topology, parameters.build()?))
}

/// The seconds of one of everything, the same on all ranks.
#[derive(Clone, Debug)]
struct Figures {
    send: f64,
    receive: f64,
    combine: f64,
    copy: f64,
    /// Messages of all lengths: of all ranks at once, through some ranks of a host, and between two hosts, if there are.
    all: Vec<f64>,
    pair: Vec<f64>,
    apart: Vec<f64>,
}

impl Figures {
    /// Measures in rounds: of each the time of the slowest rank, of all rounds the median.
    fn of(node: &Node<'_>, hosts: &[usize]) -> Result<Figures, Failure> {
        round(node, hosts)?;
        let rounds = (0..ROUNDS).map(|_| round(node, hosts)).collect::<Result<Vec<_>, Failure>>()?;
        let mut slowest = rounds.concat();
        node.world().combine_all(&mut slowest, Max)?;
        let figures = slowest.len() / ROUNDS;
        let mut medians = (0..figures).map(|nth| {
            let mut rounds: Vec<f64> = slowest.iter().skip(nth).step_by(figures).copied().collect();
            rounds.sort_by(f64::total_cmp);
            rounds[ROUNDS / 2]
        });
        let mut next = || medians.next().unwrap_or_default();
        let [send, receive, combine, copy] = [next(), next(), next(), next()];
        let mut of_lengths = || LENGTHS.iter().map(|_| next()).collect();
        let (all, pair, apart) = (of_lengths(), of_lengths(), of_lengths());
        Ok(Figures { send, receive, combine, copy, all, pair, apart })
    }
}

/// The figures of a round in their order, as one rank finds them.
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
    // As many steps as a message to all ranks takes.
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

/// The time of a message by its length: straight lines of the same slope, one for short messages and one for long ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    alpha: f64,
    /// The `alpha` of long messages, at least that of short ones.
    longer: f64,
    beta: f64,
}

impl Line {
    /// The lines from which the times of all lengths are least far away, each relative to itself; no part is negative.
    fn of(times: &[f64]) -> Line {
        let points = |is_long: bool| {
            let points = LENGTHS.iter().zip(times).map(|(&bytes, &time)| (bytes, time));
            points.filter(move |&(bytes, time)| time > 0.0 && (bytes as u64 >= LONG) == is_long)
        };
        // The sums of 1, n and n^2 over t^2, and of 1 and n over t.
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

/// The bandwidth of so many messages at once, each of which takes so many seconds a byte, in whole MB/s.
fn bandwidth(messages: usize, beta: f64) -> f64 {
    const MEGABYTE: f64 = 1e6;
    // As fast as nothing is that could be measured.
    (messages as f64 / beta.max(1e-15) / MEGABYTE).round().max(1.0) * MEGABYTE
}

/// The number of ranks on each host, if ranks are in the order of hosts.
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
