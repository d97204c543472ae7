//! Machine parameters of this host's threads, by measurement: see [`measure`].

use thiserror::Error;

use super::{median, work::Work};
use crate::{
    comm::Node,
    error::{ConfigError, Failure, RunError},
    model::{MachineSpec, ParameterError, Parameters},
    payload::Payload,
    runtime::{Pinning, Settings, host, keep_outputs, limits},
    topology::TopologyError,
};

/// Number of repetitions of each measurement; the median is used.
const ROUNDS: usize = 9;

/// The size of each measurement: some milliseconds, and some hundred MiB on all nodes together.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// The number of messages that every node sends.
    messages: u32,
    /// The number of 8-byte elements of the vectors that are combined and copied.
    elements: usize,
}

impl Size {
    fn of(nodes: usize) -> Size {
        Size {
            messages: (20_000 / nodes).clamp(10, 200) as u32,
            elements: ((16 << 20) / nodes).clamp(1 << 10, 128 << 10),
        }
    }

    fn bytes(self) -> f64 {
        (self.elements * size_of::<f64>()) as f64
    }
}

/// Measures the parameters of a machine whose nodes are threads of this host, one per node of `machine`. Libraries use
/// the parameters to plan under the [host's clock](crate::Clock::Host). The parameters of `machine` are ignored.
///
/// Threads are placed by `pinning`. The results are valid only for this pinning, and for the same background load of the host.
///
/// All nodes perform the same operation at the same time, as in collective operations. If there are more nodes than cores, the times of a
/// node therefore include the times of other nodes on the same core. For the same reason messages go to all other nodes in turn (at most
/// 200, evenly spaced over the ranks; fewer on more than 100 nodes): between the same two nodes messages take less time than in a
/// collective operation.
///
/// | parameter | how it is measured |
/// | --- | --- |
/// | `o_s`, `o_r` | all nodes send to each other node in turn, and then receive the messages |
/// | `L` | steps in which each node sends to one node and receives from another, other nodes in each step; less `o_s` and `o_r` |
/// | `beta` | the same steps with a long vector, which is passed by reference |
/// | `gamma` | sums of 8-byte numbers into a new vector of up to 1 MiB |
/// | `copy` | copies of a vector of up to 1 MiB |
/// | barrier | barriers of all nodes |
///
/// Takes some tenths of a second.
///
/// ```
/// use multicomputer::{Machine, Pinning, calibration};
///
/// let machine = "host:4".parse()?;
/// let parameters = calibration::host::measure(&machine, Pinning::Spread)?;
/// let machine = Machine::host(4).parameters(parameters).pinning(Pinning::Spread).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MeasureError`] if this host cannot run this number of threads, if a thread cannot be started, or if a result is
/// outside the range of machine parameters.
pub fn measure(machine: &MachineSpec, pinning: Pinning) -> Result<Parameters, MeasureError> {
    let settings = Settings { pinning, ..Settings::default() };
    limits::check(machine, settings.stack_size)?;
    let size = Size::of(machine.nodes());
    let rounds = |node: &Node<'_>| (0..ROUNDS).map(|_| round(node, size)).collect::<Result<Vec<Round>, _>>();
    let (ended, measured) =
        keep_outputs(machine.nodes(), &rounds, |program| host::run(machine, &settings, program));
    ended?;
    // The mean over all nodes for each round, then the median of the rounds.
    let nodes = measured.len() as f64;
    let median = |figure: fn(&Round) -> f64| {
        let mean =
            |nth: usize| measured.iter().flatten().map(|rounds| figure(&rounds[nth])).sum::<f64>() / nodes;
        median((0..ROUNDS).map(mean).collect())
    };
    let (send, receive) = (median(|round| round.send), median(|round| round.receive));
    let step = median(|round| round.step);
    let long_step = median(|round| round.long_step);
    let parameters = Parameters::builder()
        .send_overhead(send)
        .receive_overhead(receive)
        .latency((step - send - receive).max(0.0))
        .beta(((long_step - step) / size.bytes()).max(0.0))
        .gamma(median(|round| round.combine) / size.elements as f64)
        .copy(median(|round| round.copy) / size.bytes())
        .barrier(median(|round| round.barrier))
        .build()?;
    Ok(parameters)
}

/// The reason why a host could not be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// This host cannot run the machine.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A result is outside the range of a machine parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A result is outside the range of a network parameter.
    #[error(transparent)]
    Network(#[from] TopologyError),
}

/// Seconds per operation on one node, for each kind of operation.
#[derive(Clone, Copy, Debug)]
struct Round {
    send: f64,
    receive: f64,
    step: f64,
    long_step: f64,
    combine: f64,
    copy: f64,
    barrier: f64,
}

fn round(node: &Node<'_>, size: Size) -> Result<Round, Failure> {
    let work = Work::new(node, size.messages);
    let data = vec![1.0_f64; size.elements];
    let payload = Payload::from(&data[..]);
    Ok(Round {
        barrier: work.barriers()?,
        send: work.sends()?,
        receive: work.receives()?,
        step: work.steps(&Payload::empty())?,
        long_step: work.steps(&payload)?,
        combine: work.combine(&data)?,
        copy: work.copy(&data)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_parameters_that_can_be_planned_with() {
        for (nodes, pinning) in [(1, Pinning::Auto), (2, Pinning::OneCore), (5, Pinning::Spread)] {
            let machine: MachineSpec = format!("host:{nodes}").parse().unwrap();
            let parameters = measure(&machine, pinning).unwrap();
            assert!(parameters.send_overhead().as_picos() > 0, "{parameters:?}");
            assert!(parameters.gamma() > 0.0 && parameters.copy() > 0.0 && parameters.barrier().is_some());
            let again = MachineSpec::new("here", machine.topology().clone(), parameters);
            let read = MachineSpec::from_toml(&again.to_toml()).unwrap();
            assert_eq!(read.parameters(), again.parameters());
        }
    }

    #[test]
    fn more_nodes_than_a_host_has_threads_for_are_refused_as_by_a_machine() {
        let machine: MachineSpec = "line:10000000".parse().unwrap();
        let refused = measure(&machine, Pinning::Auto).unwrap_err();
        assert!(matches!(refused, MeasureError::Config(ConfigError::TooManyNodes { .. })), "{refused}");
        assert!(
            refused.to_string().starts_with("10000000 nodes are too many: this host can run "),
            "{refused}"
        );
    }
}
