//! Machines by name: the parameters of real machines, and the source of each value.
//!
//! The certainty of a value:
//!
//! * **printed**: published in one of the papers whose algorithms are implemented here, or in a source named beside it;
//! * **fitted**: found by a fit of the timing model to published times;
//! * **inferred**: deduced from other values;
//! * **recalled**: from memory, not verified against a source;
//! * **chosen**: chosen for the model, not measured on a machine.
//!
//! The tables state ranges and differences between sources. Sizes that a machine never had are allowed if its network
//! allows them.
//!
//! Each machine is one file with its constructor and its spelling (`PRESET`). To add a machine, add the file, its `mod`
//! line and its entry in the registry (`PRESETS`).

use std::sync::Arc;

use super::parameters::Parameters;
use crate::{
    names,
    topology::{self, FatTree, Grid, Hypercube, Mesh, Topology, TopologyError, read_nodes},
};

mod cm5;
mod cm5_packets;
mod delta;
mod ethernet;
mod h100;
mod hockney;
pub(crate) mod host;
mod ipsc860;
mod lumi;
pub(crate) mod mpi;
mod paragon;
mod t3d;
mod tpu_v5p;

/// The names of all presets, as [`by_name`] reads them.
pub const NAMES: [&str; PRESETS.len()] = {
    let mut names = [""; PRESETS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = PRESETS[index].name;
        index += 1;
    }
    names
};

/// Returns the parameters of a machine by its name; `None` if there is no such machine.
///
/// ```
/// use multicomputer::model::{Parameters, presets};
/// assert_eq!(presets::by_name("paragon"), Some(Parameters::paragon()));
/// assert_eq!(presets::by_name("abacus"), None);
/// assert_eq!(
///     presets::NAMES,
///     [
///         "cm5", "cm5-packets", "delta", "ethernet", "h100", "h100-cluster", "hockney", "host", "ipsc860", "lumi", "mpi",
///         "paragon", "t3d", "tpu-v5p"
///     ]
/// );
/// ```
pub fn by_name(name: &str) -> Option<Parameters> {
    find(name).map(|preset| (preset.parameters)())
}

/// A preset: a machine known by its name.
pub(super) struct Preset {
    /// The name, as the command line spells it.
    pub(super) name: &'static str,
    /// A pattern of the shape, which follows the name and a colon.
    pub(super) shape: &'static str,
    /// Reads the shape.
    pub(super) topology: fn(&str) -> Result<Arc<dyn Topology>, TopologyError>,
    /// Creates the parameters.
    pub(super) parameters: fn() -> Parameters,
    /// The table of parameters in the documentation; `None` if they are measured on the host.
    pub(super) sources: Option<&'static str>,
}

/// The value of a parameter of a machine, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The parameters, as the timing model calls them: `o_s, o_r`.
    pub parameters: String,
    /// The value: `92 us each`.
    pub value: String,
    /// The certainty: printed, fitted, inferred, recalled or chosen; `-` if the value needs none.
    pub sure: String,
    /// The source, or the method by which the value was found.
    pub source: String,
}

/// Returns the values of a machine known by name with their sources, as in the documentation of its constructor. The list is
/// empty if there is no such machine, or its values are measured on the host.
///
/// ```
/// use multicomputer::model::presets;
/// let sources = presets::sources("paragon");
/// assert_eq!((&*sources[0].parameters, &*sources[0].sure), ("o_s, o_r", "fitted"));
/// ```
pub fn sources(name: &str) -> Vec<Source> {
    let table = find(name).and_then(|preset| preset.sources).unwrap_or_default();
    // Skips the header and the separator line.
    let rows = table.lines().skip(2).map(|row| row.trim_matches('|').split(" | ").map(plain));
    let source = |mut cells: Vec<String>| {
        cells.resize(4, String::new());
        let [parameters, value, sure, source] = cells.try_into().ok()?;
        Some(Source { parameters, value, sure, source })
    };
    rows.filter_map(|cells| source(cells.collect())).collect()
}

/// Removes the markup from a text of the documentation.
fn plain(text: &str) -> String {
    let text = text.trim().replace('`', "");
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(')').map_or("", |(_, rest)| rest));
    rest.fold(first, |text, part| text + part).replace('[', "")
}

/// The registry: every preset, in alphabetical order.
pub(super) const PRESETS: [Preset; 14] = [
    cm5::PRESET,
    cm5_packets::PRESET,
    delta::PRESET,
    ethernet::PRESET,
    h100::PRESET,
    h100::CLUSTER,
    hockney::PRESET,
    host::PRESET,
    ipsc860::PRESET,
    lumi::PRESET,
    mpi::PRESET,
    paragon::PRESET,
    t3d::PRESET,
    tpu_v5p::PRESET,
];

/// Reads the shape of a two-dimensional mesh; mesh machines among the presets have no third dimension.
fn mesh(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let Grid { rows, columns } = shape.parse()?;
    Ok(Arc::new(Mesh::new(rows, columns)?))
}

/// Reads the shape of a three-dimensional torus.
fn torus(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    if shape.split('x').count() != 3 {
        let allowed = "PLANESxROWSxCOLUMNS, such as 4x4x8";
        return Err(TopologyError::Shape { given: shape.to_owned(), allowed });
    }
    topology::parse(&format!("torus:{shape}"))
}

/// Reads the size of a hypercube.
fn hypercube(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    Ok(Arc::new(Hypercube::new(read_nodes(shape)?)?))
}

/// Reads the size of the fat tree of a CM-5; its arity and its bandwidths are fixed.
fn fat_tree(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    Ok(Arc::new(FatTree::new(read_nodes(shape)?)?))
}

/// Returns a function that sets the accepted form in the error of an unreadable shape to `allowed`, and leaves other errors unchanged.
fn allowing(allowed: &'static str) -> impl Fn(TopologyError) -> TopologyError {
    move |cause| match cause {
        TopologyError::Shape { given, .. } => TopologyError::Shape { given, allowed },
        cause => cause,
    }
}

/// Returns the preset of this name. Case, hyphens, underscores and blanks are ignored.
pub(super) fn find(name: &str) -> Option<Preset> {
    PRESETS.into_iter().find(|preset| names::normalized(preset.name) == names::normalized(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_within_the_limits_of_the_builder() {
        for name in NAMES {
            let parameters = by_name(name).unwrap();
            assert_eq!(parameters.to_builder().build(), Ok(parameters), "{name}");
        }
    }

    #[test]
    fn presets_are_in_alphabetical_order_and_read_their_documented_shapes() {
        assert!(NAMES.is_sorted());
        for preset in PRESETS {
            let rows = preset.sources.map_or(0, |table| table.lines().count() - 2);
            assert_eq!(sources(preset.name).len(), rows, "{}", preset.name);
            let refusal = (preset.topology)("").unwrap_err().to_string();
            assert!(refusal.contains(&format!("allowed is {}", preset.shape)), "{}: {refusal}", preset.name);
        }
    }
}
