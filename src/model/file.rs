//! Machines described in a TOML file.
//!
//! A file gives the name and the topology of a machine, and the parameters that differ from a [preset](super::presets) or,
//! without a preset, from the defaults of the [builder](super::ParametersBuilder). Times and rates are texts with
//! [units](crate::units) or numbers without quotes in SI units. Unknown keys are refused. The path in
//! `topology = "file:network.toml"` is relative to the folder of the machine file.
//!
//! | key | value | examples |
//! | --- | --- | --- |
//! | `name` | text | `"Paragon at night"` |
//! | `topology` | a topology as [`topology::parse`] reads it | `"mesh:16x32"`, `"hypercube:64"` |
//! | `network` | instead of `topology`: a table with the keys of a [network file](crate::topology::Network) | `[[network.links]]` |
//! | `preset` | optional: one of [`presets::NAMES`] | `"paragon"` |
//! | `parameters.send_overhead`, `.receive_overhead`, `.exchange_overhead`, `.unexpected_overhead`, `.call_overhead`, `.latency`, `.hop`, `.barrier` | time | `"92 us"`, `92e-6` |
//! | `parameters.active_send_overhead`, `.active_receive_overhead` | time | `"1.6 us"` |
//! | `parameters.alpha` | instead of both overheads: the whole start-up time `o_s + L + o_r` | `"130 us"` |
//! | `parameters.beta`, `.copy`, `.unexpected_copy` | time per byte | `"30.6 ns/B"`, `30.6e-9` |
//! | `parameters.bandwidth` | instead of `beta`: the bandwidth of a port, `1 / beta` | `"100 Gb/s"`, `"12.5 GB/s"`, `12.5e9` |
//! | `parameters.gamma` | time per element | `"0.34 us"` |
//! | `parameters.duplex` | number from 1 to 2 | `1.35` |
//! | `parameters.ports` | number from 1 to 64 | `4` |
//! | `parameters.link_excess` or `.link_capacity` | number or bandwidth | `5.35`, `"175 MB/s"` |
//! | `parameters.regimes.from` | length of the shortest messages of a [regime](ParametersBuilder::regime) | `"4 KiB"` |
//! | `parameters.regimes.send_overhead`, `.receive_overhead` | time: overheads of the regime | `"3 us"` |
//! | `noise.interval`, `.length`, `.first` | time: see [`Noise`](super::Noise) | `"1 ms"` |
//! | `noise.distribution`, `.interval-distribution`, `.length-distribution` | `fixed`, `uniform` or `exponential` | `"exponential"` |
//! | `noise.seed` | number | `7` |
//! | `fault.slow`, `.factor` | the ends of a slow link, a number: see [`Fault`](super::Fault) | `"3-4"`, `0.5` |
//! | `fault.dead` or `.node` | the ends of a dead link or the rank of a dead node | `"3->4"`, `5` |
//! | `fault.at` | time | `"2 ms"` |
//! | `detours` | whether messages take detours around dead links; by default true | `false` |
//! | `rendezvous` | length from which a [send waits for its receive](crate::MachineBuilder::rendezvous); by default none | `"8 KiB"` |
//!
//! `alpha` minus the latency is divided evenly between the overheads of sender and receiver, as in all presets (an odd
//! picosecond is added for the sender). [`Parameters::alpha`] therefore returns this `alpha`, whatever the latency, whose
//! default is 0. No parameter can be given in two spellings. `parameters.regimes` and `fault` are arrays of tables, such as
//! `[[fault]]`.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use thiserror::Error;

use super::{
    FaultError, Faults, MachineSpec, NoiseError, ParameterError, Parameters, ParametersBuilder,
    faults::{self, FaultTable},
    noise::NoiseTable,
    presets,
};
use crate::{
    input, names,
    topology::{self, NetworkProblem, NetworkTable, Topology, TopologyError},
    units::{self, Quantity, UnitError},
};

impl MachineSpec {
    /// Reads a machine from a TOML file, as [`from_toml`](MachineSpec::from_toml) does from its text.
    ///
    /// # Errors
    /// [`FileError`] names the file and says why it cannot be read or what is wrong in it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<MachineSpec, FileError> {
        let path = path.as_ref();
        input::read(path)
            .map_err(FileProblem::Unreadable)
            .and_then(|text| read(&text, path.parent()))
            .map_err(|problem| FileError { file: Some(path.to_owned()), problem })
    }

    /// Reads a machine from the text of a TOML file.
    ///
    /// `name` is required, and so is either `topology` or a table `network`. `preset` is the base of the parameters;
    /// values under `[parameters]` replace those of the preset, under the names of the setters of
    /// [`ParametersBuilder`]. Two alternative spellings exist: `bandwidth` instead of `beta`, and `alpha` instead of both
    /// overheads.
    ///
    /// ```
    /// use multicomputer::{Span, model::MachineSpec};
    ///
    /// let machine = MachineSpec::from_toml(r#"
    ///     name = "Paragon with a faster operating system"
    ///     topology = "mesh:16x32"
    ///     preset = "paragon"            # the base; all else as there
    ///
    ///     [parameters]
    ///     send_overhead = "35 us"       # a time with its unit ..
    ///     receive_overhead = 35e-6      # .. or in seconds
    ///     exchange_overhead = 0
    ///     beta = "5.9 ns/B"
    ///     duplex = 2
    ///     link_capacity = "175 MB/s"    # or link_excess = 1.03
    ///     gamma = "0.34 us"             # per element
    /// "#)?;
    /// assert_eq!(machine.nodes(), 512);
    /// assert_eq!(machine.parameters().alpha(), Span::from_micros(70));
    /// assert_eq!(machine.parameters().link_capacity(), 175e6);
    /// # Ok::<(), multicomputer::model::FileError>(())
    /// ```
    ///
    /// Parameters from the data sheet of a network:
    ///
    /// ```
    /// # use multicomputer::{Span, model::MachineSpec};
    /// let machine = MachineSpec::from_toml(r#"
    ///     name = "Cluster"
    ///     topology = "fat-tree:32"
    ///
    ///     [parameters]
    ///     alpha = "3 us"                # o_s = o_r = 1 us, and L = 1 us
    ///     latency = "1 us"
    ///     bandwidth = "100 Gb/s"        # of a port: beta = 0.08 ns/B
    /// "#)?;
    /// let parameters = machine.parameters();
    /// assert_eq!((parameters.alpha(), parameters.send_overhead()), (Span::from_micros(3), Span::from_micros(1)));
    /// assert_eq!(parameters.port_capacity(), 12.5e9);
    /// # Ok::<(), multicomputer::model::FileError>(())
    /// ```
    ///
    /// The table `network` has the keys of a [network file](crate::topology::Network):
    ///
    /// ```
    /// # use multicomputer::model::MachineSpec;
    /// let machine = MachineSpec::from_toml(r#"
    ///     name = "Star"
    ///     network.nodes = 3
    ///     network.switches = 1
    ///     network.links = [{ between = [0, "s0"] }, { between = [1, "s0"] }, { between = [2, "s0"] }]
    /// "#)?;
    /// assert_eq!((machine.nodes(), machine.topology().links()), (3, 6));
    /// # Ok::<(), multicomputer::model::FileError>(())
    /// ```
    ///
    /// # Errors
    /// [`FileError`] names the key, what was given and what is allowed; or the line, if the text is not TOML or a key
    /// is missing, unknown or of the wrong type.
    pub fn from_toml(text: &str) -> Result<MachineSpec, FileError> {
        read(text, None).map_err(|problem| FileError { file: None, problem })
    }
}

impl MachineSpec {
    /// Writes the machine as the text of a machine file. [`from_toml`](MachineSpec::from_toml) reads it as the same machine
    /// if the topology can be read by its name; the name of a network file is its path.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    ///
    /// let machine: MachineSpec = "cm5:32".parse()?;
    /// let again = MachineSpec::from_toml(&machine.to_toml())?;
    /// assert_eq!(again.parameters(), machine.parameters());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let mut lines = vec![
            format!("name = {}", quoted(self.name())),
            format!("topology = {}", quoted(&self.topology().name())),
            String::new(),
            "[parameters]".into(),
        ];
        lines.extend(self.parameters().spelled().into_iter().map(|(key, value)| format!("{key} = {value}")));
        for regime in self.parameters().regimes() {
            lines.extend([
                String::new(),
                "[[parameters.regimes]]".into(),
                format!("from = {}", quoted(&units::format_bytes(regime.from_bytes))),
                format!("send_overhead = \"{}\"", regime.send_overhead),
                format!("receive_overhead = \"{}\"", regime.receive_overhead),
            ]);
        }
        if let Some(noise) = self.noise() {
            let is_number = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
            let value = |value: String| if is_number(&value) { value } else { quoted(&value) };
            lines.extend([String::new(), "[noise]".into()]);
            lines.extend(noise.spelled().into_iter().map(|(key, text)| format!("{key} = {}", value(text))));
        }
        for fault in self.faults().into_iter().flat_map(Faults::list) {
            lines.extend([String::new(), faults::table(fault)]);
        }
        if self.faults().is_some_and(|faults| !faults.has_detours()) {
            lines.insert(2, "detours = false".into());
        }
        if let Some(from_bytes) = self.rendezvous() {
            lines.insert(2, format!("rendezvous = {}", quoted(&units::format_bytes(from_bytes))));
        }
        lines.join("\n") + "\n"
    }
}

/// The content of a machine file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    name: String,
    topology: Option<String>,
    network: Option<NetworkTable>,
    preset: Option<String>,
    #[serde(default)]
    parameters: ParameterTable,
    noise: Option<NoiseTable>,
    #[serde(default)]
    fault: Vec<FaultTable>,
    detours: Option<bool>,
    rendezvous: Option<Length>,
}

/// A number of bytes: a number, or a text with a unit.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a number of bytes, such as 8192 or \"8 KiB\"")]
enum Length {
    Bytes(u64),
    Text(String),
}

impl Length {
    fn bytes(&self) -> Result<u64, UnitError> {
        match self {
            Length::Bytes(bytes) => Ok(*bytes),
            Length::Text(text) => units::parse_bytes(text),
        }
    }
}

/// The table `[parameters]` of a machine file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of parameters")]
struct ParameterTable {
    alpha: Option<Quantity>,
    send_overhead: Option<Quantity>,
    receive_overhead: Option<Quantity>,
    latency: Option<Quantity>,
    hop: Option<Quantity>,
    beta: Option<Quantity>,
    bandwidth: Option<Quantity>,
    duplex: Option<f64>,
    ports: Option<u32>,
    exchange_overhead: Option<Quantity>,
    unexpected_overhead: Option<Quantity>,
    unexpected_copy: Option<Quantity>,
    call_overhead: Option<Quantity>,
    active_send_overhead: Option<Quantity>,
    active_receive_overhead: Option<Quantity>,
    link_excess: Option<f64>,
    link_capacity: Option<Quantity>,
    gamma: Option<Quantity>,
    copy: Option<Quantity>,
    barrier: Option<Quantity>,
    regimes: Vec<RegimeTable>,
}

/// A regime of longer messages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegimeTable {
    from: Length,
    send_overhead: Quantity,
    receive_overhead: Quantity,
}

/// The name of the topology that the table `network` of a machine file describes.
const NETWORK: &str = "network";

/// Reads a machine from the text of a file in `folder`, or from a text without a file.
fn read(text: &str, folder: Option<&Path>) -> Result<MachineSpec, FileProblem> {
    let file: MachineFile = toml::from_str(text).map_err(|cause| {
        match topology::key_of(text, &["nodes", "switches", "links", "routes"]) {
            Some(key) => FileProblem::NetworkFile { key },
            None => FileProblem::Syntax(cause.to_string().trim_end().to_owned()),
        }
    })?;
    let topology: Arc<dyn Topology> = match (file.topology, file.network) {
        (Some(text), None) => match folder {
            Some(folder) => topology::parse_in(folder, &text),
            None => topology::parse(&text),
        }
        .map_err(FileProblem::Topology)?,
        (None, Some(network)) => Arc::new(network.network(NETWORK.into()).map_err(FileProblem::Network)?),
        (Some(_), Some(_)) => return Err(FileProblem::TopologyAndNetwork),
        (None, None) => return Err(FileProblem::NoTopology),
    };
    let base = match file.preset {
        None => Parameters::builder(),
        Some(given) => presets::by_name(&given).ok_or(FileProblem::Preset { given })?.to_builder(),
    };
    let parameters = file.parameters.apply(base)?.build().map_err(FileProblem::Parameter)?;
    let machine = MachineSpec::new(file.name, topology, parameters);
    let machine = match file.noise {
        Some(noise) => machine.with_noise(noise.noise().map_err(FileProblem::Noise)?),
        None => machine,
    };
    let machine = match file.rendezvous {
        Some(length) => machine.with_rendezvous(length.bytes().map_err(FileProblem::Rendezvous)?),
        None => machine,
    };
    let faults: Result<Vec<_>, _> = file.fault.iter().map(FaultTable::fault).collect();
    let faults = Faults::new(faults.map_err(FileProblem::Fault)?).detours(file.detours.unwrap_or(true));
    machine.with_faults(faults).map_err(FileProblem::Fault)
}

impl ParameterTable {
    /// Sets the parameters that the table gives.
    fn apply(self, mut builder: ParametersBuilder) -> Result<ParametersBuilder, FileProblem> {
        type Builder = ParametersBuilder;
        type Parse = fn(&str) -> Result<f64, UnitError>;
        type Set = fn(Builder, f64) -> Builder;

        let spellings = [
            (("alpha", self.alpha.is_some()), ("send_overhead", self.send_overhead.is_some())),
            (("alpha", self.alpha.is_some()), ("receive_overhead", self.receive_overhead.is_some())),
            (("beta", self.beta.is_some()), ("bandwidth", self.bandwidth.is_some())),
            (("link_excess", self.link_excess.is_some()), ("link_capacity", self.link_capacity.is_some())),
        ];
        for ((one, is_given), (other, is_other_given)) in spellings {
            if is_given && is_other_given {
                return Err(FileProblem::Both { one, other });
            }
        }
        let numbers: [(Option<f64>, Set); 2] =
            [(self.duplex, Builder::duplex), (self.link_excess, Builder::link_excess)];
        for (number, set) in numbers {
            if let Some(number) = number {
                builder = set(builder, number);
            }
        }

        if let Some(ports) = self.ports {
            builder = builder.ports(ports);
        }
        let (time, per_byte, bandwidth): (Parse, Parse, Parse) =
            (units::parse_seconds, units::parse_seconds_per_byte, units::parse_bytes_per_second);
        let quantities: [(&str, Option<Quantity>, Parse, Set); 15] = [
            ("send_overhead", self.send_overhead, time, Builder::send_overhead),
            ("receive_overhead", self.receive_overhead, time, Builder::receive_overhead),
            ("latency", self.latency, time, Builder::latency),
            ("hop", self.hop, time, Builder::hop),
            ("beta", self.beta, per_byte, Builder::beta),
            ("exchange_overhead", self.exchange_overhead, time, Builder::exchange_overhead),
            ("unexpected_overhead", self.unexpected_overhead, time, Builder::unexpected_overhead),
            ("unexpected_copy", self.unexpected_copy, per_byte, Builder::unexpected_copy),
            ("call_overhead", self.call_overhead, time, Builder::call_overhead),
            ("active_send_overhead", self.active_send_overhead, time, Builder::active_send_overhead),
            ("active_receive_overhead", self.active_receive_overhead, time, Builder::active_receive_overhead),
            ("link_capacity", self.link_capacity, bandwidth, Builder::link_capacity),
            ("gamma", self.gamma, time, Builder::gamma),
            ("copy", self.copy, per_byte, Builder::copy),
            ("barrier", self.barrier, time, Builder::barrier),
        ];
        let read = |key, quantity: &Quantity, parse: Parse| {
            quantity.read(parse).map_err(|cause| FileProblem::Unit { key, cause })
        };
        for (key, quantity, parse, set) in quantities {
            if let Some(quantity) = quantity {
                builder = set(builder, read(key, &quantity, parse)?);
            }
        }
        if let Some(quantity) = self.bandwidth {
            let value = read("bandwidth", &quantity, bandwidth)?;
            builder = builder.bandwidth(value).map_err(FileProblem::Parameter)?;
        }
        if let Some(quantity) = self.alpha {
            // After the latency, because `alpha` includes it.
            builder = builder.alpha(read("alpha", &quantity, time)?).map_err(FileProblem::Parameter)?;
        }
        for regime in &self.regimes {
            let from = regime.from.bytes();
            let from = from.map_err(|cause| FileProblem::Unit { key: "regimes.from", cause })?;
            let send = read("regimes.send_overhead", &regime.send_overhead, time)?;
            let receive = read("regimes.receive_overhead", &regime.receive_overhead, time)?;
            builder = builder.regime(from, send, receive);
        }
        Ok(builder)
    }
}

/// The error for a machine file, or its text, that does not describe a machine.
#[derive(Debug)]
pub struct FileError {
    file: Option<PathBuf>,
    problem: FileProblem,
}

impl FileError {
    /// The path of the file; `None` if its text was given instead.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The error in the file.
    pub fn problem(&self) -> &FileProblem {
        &self.problem
    }
}

impl std::error::Error for FileError {}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "machine file {}: {}", file.display(), self.problem),
            None => write!(f, "machine file: {}", self.problem),
        }
    }
}

/// An error in a machine file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The file is not TOML, or a key is missing, unknown or of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// The file is a network file.
    #[error(
        "this is a network file (it has the key `{key}`): write the machine as `file:PATH`, or use the network in a machine file as `topology = \"file:PATH\"` or in the table `network`"
    )]
    NetworkFile {
        /// A key that a machine file does not have outside the table `network`.
        key: &'static str,
    },
    /// The value of `topology` is not a topology.
    #[error("topology: {0}")]
    Topology(TopologyError),
    /// The table `network` does not describe a network.
    #[error("network: {0}")]
    Network(NetworkProblem),
    /// The topology is given twice.
    #[error("both `topology` and a table `network` are given: remove one of them")]
    TopologyAndNetwork,
    /// There is no topology.
    #[error("missing field `topology` or table `network`: give one of them")]
    NoTopology,
    /// The value of `preset` is not a preset.
    #[error(
        "preset: {}",
        names::unknown("preset", given, names::nearest(given, presets::NAMES), &presets::NAMES.join(", "))
    )]
    Preset {
        /// The name that was given.
        given: String,
    },
    /// A parameter is not a number with a unit.
    #[error("parameters.{key}: {cause}")]
    Unit {
        /// The name of the parameter.
        key: &'static str,
        /// The value that was given, and the values that are allowed.
        cause: UnitError,
    },
    /// A parameter is outside its limits.
    #[error("parameters.{0}")]
    Parameter(ParameterError),
    /// The table `noise` is invalid.
    #[error(transparent)]
    Noise(NoiseError),
    /// The machine cannot have one of its faults.
    #[error("fault: {0}")]
    Fault(FaultError),
    /// The value of `rendezvous` is not a length.
    #[error("rendezvous: {0}")]
    Rendezvous(UnitError),
    /// A parameter is given in two spellings.
    #[error("both parameters.{one} and parameters.{other} are given: remove one of them")]
    Both {
        /// The first spelling.
        one: &'static str,
        /// The second spelling.
        other: &'static str,
    },
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
