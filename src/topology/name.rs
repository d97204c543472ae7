//! The names of topologies: their spelling, and the functions that read them.

use std::{path::Path, sync::Arc};

use super::{
    Topology, TopologyError, clos, cluster, complete, dragonfly, fat_tree, hosts, hypercube, line, mesh,
    network, placed, ring, torus, tree,
};
use crate::names;

/// Reads a topology as it is spelled on the command line: `mesh:7x13` (rows, then columns), `torus:2x4x8` (planes,
/// rows, columns), `line:8` (nodes), `file:network.toml` (a path). In names, case, hyphens, underscores and blanks are ignored.
///
/// # Errors
/// [`TopologyError`] says what was given and what is allowed: a known name, a readable shape, at least one node, at
/// most [`MAX_NODES`](super::MAX_NODES) and [`MAX_LINKS`](super::MAX_LINKS), and a possible number of nodes.
pub fn parse(text: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    parse_in(Path::new(""), text)
}

/// The largest depth of networks nested in the name of a network.
pub(super) const MAX_NESTING: usize = 8;

/// Reads a topology as [`parse`] does, for a text from a file in `folder`: paths are relative to that folder.
pub(crate) fn parse_in(folder: &Path, text: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    NameContext { folder, level: 1 }.read(text)
}

/// The context of the name of a topology.
#[derive(Clone, Copy)]
pub(super) struct NameContext<'a> {
    /// The folder that paths are relative to.
    pub(super) folder: &'a Path,
    /// The nesting depth: 1 for the outermost network.
    level: usize,
}

impl NameContext<'_> {
    fn read(self, text: &str) -> Read {
        if self.level > MAX_NESTING {
            return Err(TopologyError::TooDeep { given: text.to_owned() });
        }
        let (name, shape) = text.split_once(':').map_or((text, None), |(name, shape)| (name, Some(shape)));
        let unknown = || TopologyError::Unknown { given: text.to_owned() };
        let kind = kind(name).ok_or_else(unknown)?;
        let no_shape = TopologyError::NoShape { name: kind.name, shape: kind.shape };
        let shape = shape.filter(|shape| !shape.is_empty()).ok_or(no_shape)?;
        (kind.read)(shape, self).map_err(|cause| cause.of_shape(shape))
    }

    /// Reads the name of a network that is nested in another network.
    pub(super) fn read_within(self, text: &str) -> Read {
        NameContext { level: self.level + 1, ..self }.read(text)
    }
}

/// Returns the topology of a name. Case, hyphens, underscores and blanks are ignored.
fn kind(name: &str) -> Option<&'static TopologyKind> {
    KINDS.iter().find(|kind| names::normalized(kind.name) == names::normalized(name))
}

/// Returns the text with the name of its topology as [`spellings`] has it.
pub(crate) fn canonical(text: &str) -> String {
    let spelled = |(name, shape): (&str, &str)| Some(format!("{}:{shape}", kind(name)?.name));
    text.split_once(':').and_then(spelled).unwrap_or_else(|| text.to_owned())
}

/// All spellings that [`parse`] reads, for help texts and error messages: `complete:NODES, hypercube:NODES, ..`.
pub fn spellings() -> String {
    KINDS.iter().map(|kind| format!("{}:{}", kind.name, kind.shape)).collect::<Vec<_>>().join(", ")
}

/// The names of all topologies, without their shapes.
pub(crate) fn known_names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// The registry: every topology, in alphabetical order.
pub(super) const KINDS: &[TopologyKind] = &[
    clos::KIND,
    cluster::KIND,
    complete::KIND,
    dragonfly::KIND,
    fat_tree::KIND,
    network::KIND,
    hosts::KIND,
    hypercube::KIND,
    line::KIND,
    mesh::KIND,
    placed::KIND,
    ring::KIND,
    torus::KIND,
    tree::KIND,
];

/// The spelling of one topology, and the function that reads it.
pub(super) struct TopologyKind {
    /// The name, which precedes the colon.
    pub(super) name: &'static str,
    /// A pattern of the shape, which follows the colon.
    pub(super) shape: &'static str,
    /// Reads the shape.
    pub(super) read: fn(&str, NameContext<'_>) -> Read,
}

/// The result of reading a shape.
type Read = Result<Arc<dyn Topology>, TopologyError>;

/// Reads one extent of a shape, which consists of decimal digits only. An extent that does not fit in a `usize`
/// becomes `usize::MAX`, which is above [`MAX_NODES`](super::MAX_NODES), too.
pub(super) fn read_extent(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(usize::MAX))
}

/// Reads a shape that is a number of nodes.
pub(crate) fn read_nodes(text: &str) -> Result<usize, TopologyError> {
    read_extent(text)
        .ok_or_else(|| TopologyError::Shape { given: text.to_owned(), allowed: "NODES, such as 8" })
}
