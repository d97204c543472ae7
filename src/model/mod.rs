//! The specification of a machine: a topology, and the parameters of the timing model.
//!
//! A [`MachineSpec`] has everything that the emulator, the algorithms and the reports need. It is read from a short text
//! (`paragon:16x32`) or from a [machine file](MachineSpec::from_file), or built from its parts.

use std::{any::Any, str::FromStr, sync::Arc};

use thiserror::Error;

use crate::{
    names,
    text::count,
    topology::{self, Grid, LinkId, Placed, Placement, Topology, TopologyError},
};

#[cfg(test)]
pub(crate) mod arbitrary;
pub(crate) mod faults;
mod file;
mod hash;
mod memo;
pub(crate) mod noise;
pub(crate) mod parameters;
pub mod presets;

pub use faults::{Fault, FaultError, Faults};
pub use file::{FileError, FileProblem};
use memo::Memo;
pub use noise::{Distribution, Noise, NoiseError};
pub(crate) use parameters::ACTIVE_BYTES;
pub use parameters::{ParameterError, Parameters, ParametersBuilder, Regime};

/// A machine: name, topology and parameters, and optionally noise, faults and a rendezvous threshold.
///
/// A machine is read from
///
/// * `paragon:16x32`, `cm5:32`, `t3d:4x4x8`, `hockney:10x10`: a [preset](presets) and its shape;
/// * `10x10`: a Paragon of this shape, called `paragon:10x10`;
/// * `mesh:7x13`, `torus:4x4x8`, `line:8`: any [topology](topology::parse), with the parameters of
///   [`Parameters::hockney`].
///
/// ```
/// use multicomputer::model::{MachineSpec, Parameters};
///
/// let machine: MachineSpec = "paragon:16x32".parse()?;
/// assert_eq!(machine.nodes(), 512);
/// assert_eq!(machine.topology().name(), "mesh:16x32");
/// assert_eq!(machine.parameters(), &Parameters::paragon());
/// # Ok::<(), multicomputer::model::MachineSpecError>(())
/// ```
///
/// A machine file is read by [`MachineSpec::from_file`]; `"ft.toml".parse()` is an error.
#[derive(Clone, Debug)]
pub struct MachineSpec {
    name: Arc<str>,
    /// The name before ports and placements were added to it.
    base_name: Arc<str>,
    /// The placements, in the order in which they were applied.
    placements: Vec<Placement>,
    topology: Arc<dyn Topology>,
    parameters: Parameters,
    noise: Option<Noise>,
    /// The faults, all valid for this network; `None` if there are none.
    faults: Option<Arc<Faults>>,
    /// The rendezvous threshold in bytes: messages of this length or more make their senders wait for the receive.
    rendezvous: Option<u64>,
    /// Values computed from the fields above. Every change of a field must begin an empty one.
    memo: Memo,
}

impl MachineSpec {
    /// Creates a machine from its parts. The name is for reports only. A topology of another crate is
    /// [validated](Topology): calls that build, plan for or run the machine return the error.
    pub fn new(
        name: impl Into<Arc<str>>,
        topology: Arc<dyn Topology>,
        parameters: Parameters,
    ) -> MachineSpec {
        let name = name.into();
        MachineSpec {
            base_name: name.clone(),
            name,
            placements: Vec::new(),
            topology: topology::validated(topology),
            parameters,
            noise: None,
            faults: None,
            rendezvous: None,
            memo: Memo::default(),
        }
    }

    /// Replaces the parameters.
    #[must_use]
    pub fn with_parameters(self, parameters: Parameters) -> MachineSpec {
        MachineSpec { parameters, memo: Memo::default(), ..self }
    }

    /// Sets the noise of the nodes. The default is no noise.
    #[must_use]
    pub fn with_noise(self, noise: Noise) -> MachineSpec {
        MachineSpec { noise: Some(noise), memo: Memo::default(), ..self }
    }

    /// Sets the faults. The default is no faults.
    ///
    /// # Errors
    /// [`FaultError`] if the network lacks a link or node of a fault, or a factor is out of range.
    pub fn with_faults(self, faults: Faults) -> Result<MachineSpec, FaultError> {
        faults.on(&*self.topology)?;
        let faults = (!faults.is_empty()).then(|| Arc::new(faults));
        Ok(MachineSpec { faults, memo: Memo::default(), ..self })
    }

    /// Places the ranks on nodes: the topology becomes a [placed](Placed) one, and the placement is added to the name. Faults that
    /// the machine has already stay on their physical nodes and links; faults that are set later name nodes by the ranks placed
    /// there.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    ///
    /// let machine: MachineSpec = "torus:4x4".parse()?;
    /// let machine = machine.with_placement("random:7".parse()?)?;
    /// assert_eq!((machine.name(), &*machine.topology().name()), ("torus:4x4, random:7", "placed:random:7:torus:4x4"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TopologyError::Placement`] if the placement does not fit the number of nodes.
    pub fn with_placement(self, placement: Placement) -> Result<MachineSpec, TopologyError> {
        if placement == Placement::Identity {
            return Ok(self);
        }
        let name = format!("{}, {placement}", self.name);
        let placed = Placed::new(self.topology, placement.clone())?;
        let faults = self.faults.map(|faults| Arc::new(faults.renamed(|vertex| placed.renamed(vertex))));
        let placements = self.placements.into_iter().chain([placement]).collect();
        let (name, topology) = (name.into(), Arc::new(placed));
        Ok(MachineSpec { name, placements, topology, faults, memo: Memo::default(), ..self })
    }

    /// Gives every node `ports` in-ports and `ports` out-ports, each of the capacity that a port had before.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    ///
    /// let machine = "torus:4x4".parse::<MachineSpec>()?.with_ports(4)?;
    /// assert_eq!((machine.name(), machine.parameters().ports()), ("torus:4x4, 4 ports", 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ParameterError`] if `ports` is not from 1 to 64.
    pub fn with_ports(self, ports: u32) -> Result<MachineSpec, ParameterError> {
        let parameters = self.parameters.to_builder().ports(ports).build()?;
        let name = format!("{}, {}", self.name, count(ports.into(), "port"));
        Ok(MachineSpec { name: name.into(), parameters, memo: Memo::default(), ..self })
    }

    /// Sets the rendezvous threshold: sends of `from_bytes` bytes or more wait for their receives, see
    /// [`MachineBuilder::rendezvous`](crate::MachineBuilder::rendezvous). By default no send waits.
    #[must_use]
    pub fn with_rendezvous(self, from_bytes: u64) -> MachineSpec {
        MachineSpec { rendezvous: Some(from_bytes), memo: Memo::default(), ..self }
    }

    /// Returns the machine without noise and faults, which plans are made for.
    #[must_use]
    pub fn undisturbed(&self) -> MachineSpec {
        MachineSpec { noise: None, faults: None, memo: Memo::default(), ..self.clone() }
    }

    /// Returns a value computed from the machine, made once for all its clones.
    pub(crate) fn remembered<T: Any + Send + Sync>(&self, make: impl FnOnce(&MachineSpec) -> T) -> Arc<T> {
        self.memo.get(|| make(self))
    }

    /// Whether the machine has noise or faults, so that the time of a run may differ from the predictions of its plans.
    pub fn is_disturbed(&self) -> bool {
        self.noise.is_some() || self.faults.is_some()
    }

    /// The noise of the nodes, if there is any.
    pub fn noise(&self) -> Option<Noise> {
        self.noise
    }

    /// The faults, if there are any.
    pub fn faults(&self) -> Option<&Faults> {
        self.faults.as_deref()
    }

    /// The length in bytes from which a send waits for its receive; `None` if no send waits.
    pub fn rendezvous(&self) -> Option<u64> {
        self.rendezvous
    }

    /// The name of the machine in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without the additions of [`with_ports`](MachineSpec::with_ports) and
    /// [`with_placement`](MachineSpec::with_placement), for tables with columns for ports and placements.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    ///
    /// let machine = "torus:4x4".parse::<MachineSpec>()?.with_ports(4)?;
    /// assert_eq!((machine.name(), machine.base_name()), ("torus:4x4, 4 ports", "torus:4x4"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn base_name(&self) -> &str {
        &self.base_name
    }

    /// The placements applied by [`with_placement`](MachineSpec::with_placement), in order.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// Returns the result of the validation of the topology, which does not include routes.
    pub(crate) fn check(&self) -> Result<(), TopologyError> {
        topology::validate(&*self.topology)
    }

    /// The topology: nodes, links and routes.
    pub fn topology(&self) -> &Arc<dyn Topology> {
        &self.topology
    }

    /// The parameters: the costs of computing and communicating.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.topology.nodes()
    }

    /// The capacity of a directed link in bytes/s: its [own](Topology::capacity), or the
    /// [common one](Parameters::link_capacity) of this machine.
    ///
    /// # Panics
    /// If `link` is not below [`links`](Topology::links).
    pub fn link_capacity(&self, link: LinkId) -> f64 {
        self.topology.capacity(link).unwrap_or(self.parameters.link_capacity())
    }
}

impl FromStr for MachineSpec {
    type Err = MachineSpecError;

    fn from_str(text: &str) -> Result<MachineSpec, MachineSpecError> {
        let refusal = |cause| match cause {
            TopologyError::Unknown { .. } if text.ends_with(".toml") => {
                MachineSpecError::File { given: text.to_owned() }
            }
            TopologyError::Unknown { .. } => MachineSpecError::Unknown { given: text.to_owned() },
            cause => MachineSpecError::Shape { given: text.to_owned(), cause },
        };
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let grid: Grid = text.parse().map_err(refusal)?;
            return format!("paragon:{grid}").parse();
        }
        if let Some(preset) = presets::find(text) {
            return Err(refusal(TopologyError::NoShape { name: preset.name, shape: preset.shape }));
        }
        let preset = text.split_once(':').and_then(|(name, shape)| Some((presets::find(name)?, shape)));
        let (name, topology, parameters) = match preset {
            Some((preset, "")) => {
                return Err(refusal(TopologyError::NoShape { name: preset.name, shape: preset.shape }));
            }
            Some((preset, shape)) => (
                format!("{}:{shape}", preset.name),
                (preset.topology)(shape).map_err(|cause| cause.of_shape(shape)),
                (preset.parameters)(),
            ),
            None => (topology::canonical(text), topology::parse(text), Parameters::hockney()),
        };
        Ok(MachineSpec::new(name, topology.map_err(refusal)?, parameters))
    }
}

/// All spellings that [`MachineSpec`] reads, for help texts and error messages:
/// `ROWSxCOLUMNS (a Paragon), hockney:ROWSxCOLUMNS, ..`.
pub fn spellings() -> String {
    let presets = presets::PRESETS.map(|preset| format!("{}:{}", preset.name, preset.shape)).join(", ");
    format!("ROWSxCOLUMNS (a Paragon), {presets}, {}", topology::spellings())
}

/// The names of all presets and topologies, without their shapes.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    presets::NAMES.into_iter().chain(topology::known_names())
}

/// The reason why a text does not describe a machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MachineSpecError {
    /// The text names neither a preset nor a topology.
    #[error(
        "{}",
        names::unknown("machine", given, names::nearest_with_shape(given, known_names()), &spellings())
    )]
    Unknown {
        /// The text that was given.
        given: String,
    },
    /// The text is the name of a file where the name of a machine is expected.
    #[error(
        "`{given}` is the name of a file, not of a machine: read a machine file with `MachineSpec::from_file`; write a network file as `file:{given}`"
    )]
    File {
        /// The text that was given.
        given: String,
    },
    /// The machine cannot have this shape.
    #[error("{}", refusal_of_shape(given, cause))]
    Shape {
        /// The text that was given.
        given: String,
        /// The error in the shape.
        cause: TopologyError,
    },
}

/// Returns the text of [`MachineSpecError::Shape`].
fn refusal_of_shape(given: &str, cause: &TopologyError) -> String {
    match cause {
        TopologyError::NoShape { .. } => cause.to_string(),
        _ => format!("invalid machine `{given}`: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_read_as_presets_topologies_or_shapes() {
        for (text, name, topology, parameters) in [
            ("paragon:16x32", "paragon:16x32", "mesh:16x32", Parameters::paragon()),
            ("hockney:10x10", "hockney:10x10", "mesh:10x10", Parameters::hockney()),
            ("cm5:32", "cm5:32", "fat-tree:32", Parameters::cm5()),
            ("delta:16x36", "delta:16x36", "mesh:16x36", Parameters::delta()),
            ("ipsc860:128", "ipsc860:128", "hypercube:128", Parameters::ipsc860()),
            ("t3d:4x4x8", "t3d:4x4x8", "torus:4x4x8", Parameters::t3d()),
            ("ethernet:64", "ethernet:64", "clos:64:32", Parameters::ethernet()),
            ("h100:4", "h100:4", "clos:4:8", Parameters::h100()),
            (
                "h100-cluster:4",
                "h100-cluster:4",
                "cluster:8x8:370000,47000:clos:32:64",
                Parameters::h100_cluster(),
            ),
            ("tpu-v5p:4x4x4", "tpu-v5p:4x4x4", "torus:4x4x4", Parameters::tpu_v5p()),
            (
                "file:examples/network.toml",
                "file:examples/network.toml",
                "file:examples/network.toml",
                Parameters::hockney(),
            ),
            ("10x10", "paragon:10x10", "mesh:10x10", Parameters::paragon()),
            ("mesh:7x13", "mesh:7x13", "mesh:7x13", Parameters::hockney()),
            ("line:8", "line:8", "line:8", Parameters::hockney()),
            ("Paragon:4x4", "paragon:4x4", "mesh:4x4", Parameters::paragon()),
            ("TPU_v5p:4x4x4", "tpu-v5p:4x4x4", "torus:4x4x4", Parameters::tpu_v5p()),
            ("HyperCube:8", "hypercube:8", "hypercube:8", Parameters::hockney()),
        ] {
            let machine: MachineSpec = text.parse().unwrap();
            assert_eq!(machine.name(), name);
            assert_eq!(machine.topology().name(), topology);
            assert_eq!(machine.parameters(), &parameters);
            assert_eq!(machine.nodes(), machine.topology().nodes());
        }
    }

    #[test]
    fn refusals_say_what_was_given_and_what_is_allowed() {
        let refusal = |text: &str| text.parse::<MachineSpec>().unwrap_err().to_string();
        for (text, needs) in [
            ("paragon", "rows and columns: write `paragon:4x4`"),
            ("hypercube", "a number of nodes: write `hypercube:16`"),
        ] {
            assert_eq!(refusal(text), format!("`{text}` needs {needs}"));
            assert_eq!(refusal(&format!("{text}:")), format!("`{text}` needs {needs}"));
        }
        for preset in presets::PRESETS {
            let refusal = refusal(preset.name);
            assert!(refusal.rsplit('`').nth(1).unwrap().parse::<MachineSpec>().is_ok(), "{refusal}");
        }
        assert!(
            refusal("paragon4x4").starts_with("unknown machine `paragon4x4`; did you mean `paragon:4x4`? ")
        );
        for text in ["", "abacus:8", ":8"] {
            assert_eq!(refusal(text), format!("unknown machine `{text}`. Known: {}", spellings()));
        }
        assert!(spellings().starts_with("ROWSxCOLUMNS (a Paragon), "));
        assert!(spellings().contains(", paragon:ROWSxCOLUMNS, "));
        assert!(spellings().ends_with(&topology::spellings()));
        assert_eq!(
            refusal("paragon:8"),
            "invalid machine `paragon:8`: invalid shape `8`; allowed is ROWSxCOLUMNS, such as 16x32"
        );
        assert_eq!(
            refusal("paragon:2x4x8"),
            "invalid machine `paragon:2x4x8`: invalid shape `2x4x8`; allowed is ROWSxCOLUMNS, such as 16x32"
        );
        assert_eq!(
            refusal("t3d:4x8"),
            "invalid machine `t3d:4x8`: invalid shape `4x8`; allowed is PLANESxROWSxCOLUMNS, such as 4x4x8"
        );
        assert_eq!(
            refusal("host:70000"),
            "invalid machine `host:70000`: a host cannot have 70000 nodes; allowed are 1 to 46341, as each is next to \
             every other"
        );
        assert_eq!(
            refusal("cm5:64:4:20"),
            "invalid machine `cm5:64:4:20`: invalid shape `64:4:20`; allowed is NODES, such as 8"
        );
        assert_eq!(
            refusal("ipsc860:48"),
            "invalid machine `ipsc860:48`: a hypercube cannot have 48 nodes; allowed are powers of two"
        );
        assert_eq!(
            refusal("h100-cluster:two"),
            "invalid machine `h100-cluster:two`: invalid shape `two`; allowed is SERVERS, such as 16 for 128 nodes"
        );
        assert_eq!(
            refusal("lumi:99999999999999999999x2"),
            "invalid machine `lumi:99999999999999999999x2`: `99999999999999999999x2` has too many nodes; allowed are at \
             most 536870911"
        );
        assert_eq!(
            refusal("0x8"),
            "invalid machine `0x8`: `0x8` has no nodes; every extent must be at least 1"
        );
        assert!(matches!("99999x99999".parse::<MachineSpec>(), Err(MachineSpecError::Shape { .. })));
        assert_eq!(
            refusal("cm5:99999999999999999999"),
            "invalid machine `cm5:99999999999999999999`: `99999999999999999999` has too many nodes; allowed are at \
             most 536870911"
        );
    }

    #[test]
    fn a_file_name_is_refused_with_a_pointer_to_from_file() {
        for given in ["ft.toml", "machines/ft.toml"] {
            assert_eq!(
                given.parse::<MachineSpec>().unwrap_err().to_string(),
                format!(
                    "`{given}` is the name of a file, not of a machine: read a machine file with `MachineSpec::from_file`; write a network file as `file:{given}`"
                )
            );
        }
    }
}
