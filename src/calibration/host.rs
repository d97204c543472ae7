//! The parameters of this host's own threads as a machine, measured: see [`measure`].

use thiserror::Error;

use super::work::Work;
use crate::{
    comm::Node,
    error::{ConfigError, Failure, RunError},
    model::{Description, ParameterError, Parameters},
    payload::Payload,
    runtime::{Pinning, Settings, host, keep_outputs, limits},
    topology::TopologyError,
};

/// The number of times that everything is measured; the median counts.
const ROUNDS: usize = 9;

/// The size of a measurement on some nodes: each takes some milliseconds and, on all nodes together, some hundred MiB.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// The messages that every node sends.
    messages: u32,
    /// The 8-byte numbers of the vectors that are combined and copied.
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

/// Measures the parameters of a machine of this host's threads, each of which is a node of `machine`: for libraries to plan
/// with under the [host's clock](crate::Clock::Host). The parameters of `machine` are not looked at.
///
/// Threads run where `pinning` puts them; a run with another one has other figures, and so has a
/// host that is busy with something else.
///
/// All nodes do the same at the same time, since that is how collective operations use a machine; so where there are more
/// nodes than cores, the times of one node include those of the others that it shares a core with. For the same reason
/// messages go to all other nodes in turn (up to 200 of them, evenly spread over the ranks; on machines of more than 100
/// nodes fewer): to the neighbour alone they take less than a collective operation finds.
///
/// | parameter | how it is measured |
/// | --- | --- |
/// | `o_s`, `o_r` | all nodes send to each of the others in turn, and then receive what they were sent |
/// | `L` | the rest of a step in which all nodes send to one node and receive from another, who change from step to step |
/// | `beta` | the same steps with a long vector, which goes by reference |
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
/// [`MeasureError`]: this host cannot run so many threads, a thread cannot be started, or a figure is no parameter of a
/// machine.
pub fn measure(machine: &Description, pinning: Pinning) -> Result<Parameters, MeasureError> {
    let settings = Settings { pinning, ..Settings::default() };
    limits::check(machine, settings.stack_size)?;
    let size = Size::of(machine.nodes());
    let rounds = |node: &Node<'_>| (0..ROUNDS).map(|_| round(node, size)).collect::<Result<Vec<Round>, _>>();
    let (ended, measured) =
        keep_outputs(machine.nodes(), &rounds, |program| host::run(machine, &settings, program));
    ended?;
    // Of each round the mean over all nodes, of all rounds the median.
    let nodes = measured.len() as f64;
    let median = |figure: fn(&Round) -> f64| {
        let mean =
            |nth: usize| measured.iter().flatten().map(|rounds| figure(&rounds[nth])).sum::<f64>() / nodes;
        let mut rounds: Vec<f64> = (0..ROUNDS).map(mean).collect();
        rounds.sort_by(f64::total_cmp);
        rounds[ROUNDS / 2]
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
#[derive(Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// This host cannot run the machine.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The nodes did not run to their end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A figure is outside the limits of a machine's parameters.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A figure is outside the limits of a network.
    #[error(transparent)]
    Network(#[from] TopologyError),
}

crate::text::debug_as_text!(MeasureError);

/// The seconds of one node for one of everything.
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
            let machine: Description = format!("host:{nodes}").parse().unwrap();
            let parameters = measure(&machine, pinning).unwrap();
            assert!(parameters.send_overhead().as_picos() > 0, "{parameters:?}");
            assert!(parameters.gamma() > 0.0 && parameters.copy() > 0.0 && parameters.barrier().is_some());
            let again = Description::new("here", machine.topology().clone(), parameters);
            let read = Description::from_toml(&again.to_toml()).unwrap();
            assert_eq!(read.parameters(), again.parameters());
        }
    }

    #[test]
    fn more_nodes_than_a_host_has_threads_for_are_refused_as_by_a_machine() {
        let machine: Description = "line:10000000".parse().unwrap();
        let refused = measure(&machine, Pinning::Auto).unwrap_err();
        assert!(matches!(refused, MeasureError::Config(ConfigError::TooManyNodes { .. })), "{refused}");
        assert!(
            refused.to_string().starts_with("10000000 nodes are too many: this host can run "),
            "{refused}"
        );
    }
}
