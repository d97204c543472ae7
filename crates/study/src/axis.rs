//! Axes: the quantities that a study can vary.

use std::fmt;

use multicomputer::names;

use crate::{Operation, StudyError, values::ValueKind};

/// A quantity that a study can vary. The order of the variants is the nesting order of the cases: the first axis varies slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Axis {
    /// The operation: `broadcast`, `all-reduce`, .., `s-to-p`, `all-to-all`.
    Operation,
    /// The machine: with its size (`paragon:8x8`, a `.toml` file), or without if `nodes` or `shape` gives the size (`paragon`).
    Machine,
    /// The number of nodes.
    Nodes,
    /// The shape of the network, as in `8x8`.
    Shape,
    /// In-ports, and out-ports, of every node.
    Ports,
    /// The placement of ranks on nodes.
    Placement,
    /// The start-up of a message, o_s + L + o_r. It scales the three parts of the machine's own start-up.
    Alpha,
    /// The time per byte of a port.
    Beta,
    /// o_s, the processor time of the sender for each message.
    SendOverhead,
    /// o_r, the processor time of the receiver for each message.
    ReceiveOverhead,
    /// o_x, the extra time of a receive that overlaps a send.
    ExchangeOverhead,
    /// L, the fixed time of a message in the network.
    Latency,
    /// The time of a message in the network for each link.
    Hop,
    /// k, the capacity of a link over that of a port.
    LinkExcess,
    /// The processor time for combining an element.
    Gamma,
    /// The length from which sends wait for their receives; `none` for no length.
    Rendezvous,
    /// The root of rooted operations.
    Root,
    /// The distribution of the sources of an s-to-p broadcast.
    Distribution,
    /// The number of sources of an s-to-p broadcast.
    Sources,
    /// The number of receivers of each node in an all-to-all.
    FanOut,
    /// The skew of the messages of an all-to-all, from 0 to 1; 1/2 is uniform.
    Skew,
    /// Bytes: of the vector of a collective operation, of each message of an s-to-p broadcast, that each node sends in an all-to-all.
    Bytes,
    /// The effort of the search for plans.
    Effort,
    /// The clock of runs.
    Clock,
    /// The noise of the processors.
    Noise,
    /// Faults of links and nodes.
    Fault,
    /// The seed of noise, random choices and data.
    Seed,
}

/// The description of an axis.
struct Entry {
    axis: Axis,
    name: &'static str,
    aliases: &'static [&'static str],
    kind: ValueKind,
    help: &'static str,
}

/// All axes in nesting order.
#[rustfmt::skip]
const ENTRIES: [Entry; 27] = [
    Entry { axis: Axis::Operation, name: "operation", aliases: &[], kind: ValueKind::Name,
        help: "operations: broadcast, all-reduce, .., s-to-p, all-to-all" },
    Entry { axis: Axis::Machine, name: "machine", aliases: &[], kind: ValueKind::Machine,
        help: "machines with their size (paragon:8x8, cm5:32, machine.toml), or without (paragon, torus) where nodes or shape vary" },
    Entry { axis: Axis::Nodes, name: "nodes", aliases: &["p"], kind: ValueKind::Count,
        help: "numbers of nodes; meshes and tori get the most square shape" },
    Entry { axis: Axis::Shape, name: "shape", aliases: &["mesh"], kind: ValueKind::Name,
        help: "shapes of the network, such as 8x8,4x16" },
    Entry { axis: Axis::Ports, name: "ports", aliases: &[], kind: ValueKind::Count,
        help: "numbers of in-ports, and out-ports, of every node" },
    Entry { axis: Axis::Placement, name: "placement", aliases: &[], kind: ValueKind::Name,
        help: "placements of ranks: identity, random:SEED, round-robin:8, blocks:8x2, file:PATH" },
    Entry { axis: Axis::Alpha, name: "alpha", aliases: &["start-up"], kind: ValueKind::Seconds,
        help: "start-ups o_s + L + o_r, such as 1us,10us; the parts keep their ratio" },
    Entry { axis: Axis::Beta, name: "beta", aliases: &[], kind: ValueKind::SecondsPerByte,
        help: "times per byte of a port, such as 1ns/B" },
    Entry { axis: Axis::SendOverhead, name: "send-overhead", aliases: &["o-s"], kind: ValueKind::Seconds,
        help: "o_s, processor times of the sender for each message" },
    Entry { axis: Axis::ReceiveOverhead, name: "receive-overhead", aliases: &["o-r"], kind: ValueKind::Seconds,
        help: "o_r, processor times of the receiver for each message" },
    Entry { axis: Axis::ExchangeOverhead, name: "exchange-overhead", aliases: &["o-x"], kind: ValueKind::Seconds,
        help: "o_x, extra times of a receive that overlaps a send" },
    Entry { axis: Axis::Latency, name: "latency", aliases: &["L"], kind: ValueKind::Seconds,
        help: "L, fixed times of a message in the network" },
    Entry { axis: Axis::Hop, name: "hop", aliases: &[], kind: ValueKind::Seconds,
        help: "times of a message in the network for each link" },
    Entry { axis: Axis::LinkExcess, name: "link-excess", aliases: &["k"], kind: ValueKind::Number,
        help: "k, capacities of a link over that of a port" },
    Entry { axis: Axis::Gamma, name: "gamma", aliases: &[], kind: ValueKind::Seconds,
        help: "processor times for combining an element" },
    Entry { axis: Axis::Rendezvous, name: "rendezvous", aliases: &[], kind: ValueKind::Name,
        help: "lengths from which sends wait for their receives, or none" },
    Entry { axis: Axis::Root, name: "root", aliases: &[], kind: ValueKind::Count,
        help: "ranks that broadcast, scatter, gather or reduce [default: 0]" },
    Entry { axis: Axis::Distribution, name: "distribution", aliases: &[], kind: ValueKind::Name,
        help: "distributions of the sources of s-to-p broadcasts [default: row]" },
    Entry { axis: Axis::Sources, name: "sources", aliases: &["s"], kind: ValueKind::Count,
        help: "numbers of sources of s-to-p broadcasts [default: 30, at most all nodes]" },
    Entry { axis: Axis::FanOut, name: "fan-out", aliases: &[], kind: ValueKind::Count,
        help: "numbers of receivers of each node of an all-to-all [default: all nodes]" },
    Entry { axis: Axis::Skew, name: "skew", aliases: &["nonuniformity"], kind: ValueKind::Name,
        help: "skews of the messages of an all-to-all, such as 1/32; 1/2 is uniform [default: equal messages]" },
    Entry { axis: Axis::Bytes, name: "bytes", aliases: &["length", "traffic"], kind: ValueKind::Bytes,
        help: "bytes of the vector, of each source's message, or that each node sends in an all-to-all (K is 1024) [default: 2K]" },
    Entry { axis: Axis::Effort, name: "effort", aliases: &[], kind: ValueKind::Name,
        help: "efforts of the search for plans: estimate, quick, normal, thorough" },
    Entry { axis: Axis::Clock, name: "clock", aliases: &[], kind: ValueKind::Name,
        help: "clocks of runs: virtual, real:DILATION, host" },
    Entry { axis: Axis::Noise, name: "noise", aliases: &[], kind: ValueKind::Noise,
        help: "noise of the processors: none, interval=1ms+length=50us" },
    Entry { axis: Axis::Fault, name: "fault", aliases: &["faults"], kind: ValueKind::Name,
        help: "faults: none, dead:3-4@2ms, node:5@1ms, several with + between them, each-link or each-link@2ms (every link dead, one at a time)" },
    Entry { axis: Axis::Seed, name: "seed", aliases: &[], kind: ValueKind::Count,
        help: "seeds of noise, random choices and data" },
];

impl Axis {
    /// Returns all axes in nesting order.
    pub fn all() -> impl Iterator<Item = Axis> {
        ENTRIES.iter().map(|entry| entry.axis)
    }

    /// Returns the name: the key in study files and the option of the command line.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns other names that are read.
    pub fn aliases(self) -> &'static [&'static str] {
        self.entry().aliases
    }

    /// Returns the meaning of the values in one line.
    pub fn help(self) -> &'static str {
        self.entry().help
    }

    /// Returns the axis of a name or alias; case, hyphens, underscores and blanks are ignored.
    ///
    /// # Errors
    ///
    /// [`StudyError::UnknownAxis`] with the nearest name.
    pub fn named(name: &str) -> Result<Axis, StudyError> {
        let plain = names::normalized(name);
        let is_named = |entry: &&Entry| {
            [entry.name].iter().chain(entry.aliases).any(|spelling| names::normalized(spelling) == plain)
        };
        let unknown = || StudyError::UnknownAxis { given: name.to_owned() };
        ENTRIES.iter().find(is_named).map(|entry| entry.axis).ok_or_else(unknown)
    }

    /// Reads a list of values and ranges into single values, each once, in the order given.
    ///
    /// # Errors
    ///
    /// A text with the item that cannot be read.
    pub fn expand(self, text: &str) -> Result<Vec<String>, String> {
        self.kind().expand(text)
    }

    /// Returns the base unit of the values: `s`, `s/B`, or an empty text if values need no unit.
    pub fn unit(self) -> &'static str {
        match self.kind() {
            ValueKind::Seconds => "s",
            ValueKind::SecondsPerByte => "s/B",
            _ => "",
        }
    }

    /// The form of the values.
    pub(crate) fn kind(self) -> ValueKind {
        self.entry().kind
    }

    /// Returns whether the axis can have an effect on an operation.
    pub fn is_for(self, operation: Operation) -> bool {
        self.is_only_for(operation).is_none()
    }

    /// The operations that the axis changes, in words; `None` if it has an effect on `operation`, or may have.
    pub(crate) fn is_only_for(self, operation: Operation) -> Option<&'static str> {
        match (self, operation) {
            (Axis::Distribution | Axis::Sources, Operation::SToP) => None,
            (Axis::Distribution | Axis::Sources, _) => Some("s-to-p"),
            (Axis::FanOut | Axis::Skew, Operation::AllToAll) => None,
            (Axis::FanOut | Axis::Skew, _) => Some("all-to-all"),
            (Axis::Root, Operation::Collective(operation)) if operation.has_root() => None,
            (Axis::Root, _) => Some("operations with a root (broadcast, scatter, gather, reduce)"),
            (Axis::Gamma, Operation::Collective(operation)) if operation.combines() => None,
            (Axis::Gamma, _) => Some("operations that combine (reduce, all-reduce, reduce-scatter, scan)"),
            _ => None,
        }
    }

    /// Whether the axis changes runs only, and not plans.
    pub(crate) fn is_of_runs(self) -> bool {
        matches!(self, Axis::Clock | Axis::Noise | Axis::Fault)
    }

    fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_nesting_order_and_names_are_unique() {
        let mut names: Vec<String> = Vec::new();
        for (nth, entry) in ENTRIES.iter().enumerate() {
            assert_eq!(entry.axis as usize, nth);
            for name in [entry.name].iter().chain(entry.aliases) {
                let name = names::normalized(name);
                assert!(!names.contains(&name), "{name}");
                assert_eq!(Axis::named(&name).unwrap(), entry.axis);
                names.push(name);
            }
        }
    }
}
