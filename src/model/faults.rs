//! Faults of a machine: links that become slow or die, and nodes that die, each at an instant of modeled time.
//!
//! `docs/faults.md` has the rules: what is lost, which nodes are notified, and which routes messages take around dead links.

mod error;
mod spelling;

use crate::{
    rank::Rank,
    time::Time,
    topology::{Link, LinkId, Topology, Vertex},
};

pub use self::error::FaultError;
pub(super) use self::spelling::{FaultTable, table};

/// A fault that begins at an instant of modeled time and lasts for the rest of the run.
///
/// Links are named by their ends; a fault applies to all links from one end to the other. A fault is read from a text:
/// `slow:3-4:0.5@2ms`, `dead:3-4@2ms`, `node:5@1ms`; `3-4` is both directions, `3->4` one, and `s2` is switch 2.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// A link has only a fraction of its capacity; the last fault of this kind on a link counts.
    Slow {
        /// The ends of the link.
        link: Link,
        /// Whether the fault applies to the opposite direction, too.
        both: bool,
        /// The fraction of its capacity that the link keeps: above 0, at most 1.
        factor: f64,
        /// The instant from which the link is slow.
        at: Time,
    },
    /// A link dies: it carries no more messages.
    Dead {
        /// The ends of the link.
        link: Link,
        /// Whether the fault applies to the opposite direction, too.
        both: bool,
        /// The instant at which the link dies.
        at: Time,
    },
    /// A node dies: its processor and its ports, but not the router beside it.
    Node {
        /// The node, as a rank of the world.
        rank: Rank,
        /// The instant at which the node dies.
        at: Time,
    },
}

impl Fault {
    /// The instant at which the fault begins.
    pub fn at(&self) -> Time {
        match *self {
            Fault::Slow { at, .. } | Fault::Dead { at, .. } | Fault::Node { at, .. } => at,
        }
    }

    /// Returns the same fault with vertices renamed by `name`.
    fn renamed(self, name: impl Fn(Vertex) -> Vertex) -> Fault {
        let renamed = |link: Link| Link { from: name(link.from), to: name(link.to) };
        match self {
            Fault::Slow { link, both, factor, at } => Fault::Slow { link: renamed(link), both, factor, at },
            Fault::Dead { link, both, at } => Fault::Dead { link: renamed(link), both, at },
            Fault::Node { rank, at } => match name(Vertex::Node(rank)) {
                Vertex::Node(rank) => Fault::Node { rank, at },
                Vertex::Switch(_) => self,
            },
        }
    }

    /// Returns the link of the fault, and whether the fault applies to the opposite direction, too.
    fn link(&self) -> Option<(Link, bool)> {
        match *self {
            Fault::Slow { link, both, .. } | Fault::Dead { link, both, .. } => Some((link, both)),
            Fault::Node { .. } => None,
        }
    }
}

/// The faults of a machine, and whether messages take detours around dead links.
///
/// ```
/// use multicomputer::{Machine, model::Faults, prelude::*};
///
/// // The link between nodes 0 and 1 is dead from the beginning on.
/// let faults = Faults::new(["dead:0-1@0s".parse()?]);
/// let machine = Machine::hockney(2, 2).faults(faults).build()?;
/// let run = machine.run(|node| {
///     match node.rank() {
///         0 => node.world().send(1, &[7_u8; 1000])?,
///         1 => drop(node.world().recv(0)?),
///         _ => {}
///     }
///     Ok(())
/// })?;
/// let carried: Vec<String> = run.report.links.iter().map(|link| link.link.to_string()).collect();
/// assert_eq!(carried, ["node 2 -> node 3", "node 0 -> node 2", "node 3 -> node 1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    faults: Vec<Fault>,
    detours: bool,
}

/// Creates an empty list of faults, with detours enabled.
impl Default for Faults {
    fn default() -> Self {
        Faults::new([])
    }
}

impl Faults {
    /// Creates a list of faults, with detours around dead links enabled.
    pub fn new(faults: impl IntoIterator<Item = Fault>) -> Faults {
        Faults { faults: faults.into_iter().collect(), detours: true }
    }

    /// Sets whether messages take detours around dead links; by default they do.
    #[must_use]
    pub fn detours(self, detours: bool) -> Faults {
        Faults { detours, ..self }
    }

    /// The faults, in the order in which they were given.
    pub fn list(&self) -> &[Fault] {
        &self.faults
    }

    /// Whether messages take detours around dead links.
    pub fn has_detours(&self) -> bool {
        self.detours
    }

    /// Whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the same faults with vertices renamed by `name`.
    pub(super) fn renamed(&self, name: impl Fn(Vertex) -> Vertex) -> Faults {
        let faults = self.faults.iter().map(|fault| fault.renamed(&name)).collect();
        Faults { faults, detours: self.detours }
    }

    /// Whether messages may be lost, because a link or a node dies.
    pub(crate) fn are_fatal(&self) -> bool {
        self.faults.iter().any(|fault| !matches!(fault, Fault::Slow { .. }))
    }

    /// Checks the faults against a network, and returns the changes of its links and nodes in order of time, and of the list
    /// at equal times.
    pub(crate) fn on(&self, topology: &dyn Topology) -> Result<Vec<(Time, Change)>, FaultError> {
        let mut changes = Vec::new();
        for fault in &self.faults {
            let at = fault.at();
            match *fault {
                Fault::Node { rank, .. } if rank >= topology.nodes() => {
                    return Err(FaultError::Node { given: rank, nodes: topology.nodes() });
                }
                Fault::Node { rank, .. } => changes.push((at, Change::NodeDies(rank))),
                Fault::Slow { factor, .. } if !(factor > 0.0 && factor <= 1.0) => {
                    return Err(FaultError::Factor(factor));
                }
                _ => {}
            }
            let change = |link| match *fault {
                Fault::Slow { factor, .. } => Change::Slow(link, factor),
                _ => Change::LinkDies(link),
            };
            if let Some((link, both)) = fault.link() {
                let back = Link { from: link.to, to: link.from };
                for link in [Some(link), both.then_some(back)].into_iter().flatten() {
                    let numbers: Vec<LinkId> =
                        (0..topology.links()).filter(|&number| topology.link(number) == link).collect();
                    if numbers.is_empty() {
                        return Err(FaultError::Link { given: link, topology: topology.name() });
                    }
                    changes.extend(numbers.into_iter().map(|number| (at, change(number))));
                }
            }
        }
        changes.sort_by_key(|&(at, _)| at);
        Ok(changes)
    }
}

/// A change of a machine during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// A link has this fraction of its capacity.
    Slow(LinkId, f64),
    LinkDies(LinkId),
    NodeDies(Rank),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;

    #[test]
    fn faults_must_fit_the_machine() {
        let mesh = topology::parse("mesh:2x3").unwrap();
        fn on(mesh: &dyn Topology, texts: &[&str]) -> Result<Vec<(Time, Change)>, FaultError> {
            Faults::new(texts.iter().map(|text| text.parse().unwrap())).on(mesh)
        }
        let refusal = |text: &str| on(&*mesh, &[text]).unwrap_err().to_string();
        assert_eq!(on(&*mesh, &["node:5@2ms", "dead:0-1@1ms", "slow:0->1:0.5@1us"]).unwrap().len(), 4);
        assert!(refusal("node:6@1ms").starts_with("node 6 does not exist: the nodes are 0 to 5"));
        assert!(refusal("dead:0-4@1ms").starts_with("mesh:2x3 has no link node 0 -> node 4: "));
        assert!(refusal("slow:0-s1:0.5@1ms").starts_with("mesh:2x3 has no link node 0 -> switch 1: "));
        for factor in ["0", "1.5", "-1"] {
            let text = format!("slow:0-1:{factor}@1ms");
            assert!(
                refusal(&text).starts_with(&format!("factor {factor} of a slow link is out of range")),
                "{text}"
            );
        }
    }
}
