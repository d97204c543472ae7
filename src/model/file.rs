//! Machines described in a TOML file.
//!
//! A file names the machine and its topology. It may start from a [preset](super::presets) and gives the parameters
//! that differ; without a preset they differ from the defaults of the [builder](super::ParametersBuilder). Times and
//! rates are texts with [units](crate::units) or plain numbers in SI units. Unknown keys are refused. The path in
//! `topology = "file:network.toml"` is relative to the folder of the machine file.
//!
//! | key | value | examples |
//! | --- | --- | --- |
//! | `name` | text | `"Paragon at night"` |
//! | `topology` | what [`topology::parse`] reads | `"mesh:16x32"`, `"hypercube:64"` |
//! | `network` | instead of `topology`: a table with the keys of a [network file](crate::topology::Network) | `[network]`, `[[network.links]]` |
//! | `preset` | optional: one of [`presets::NAMES`] | `"paragon"` |
//! | `parameters.send_overhead`, `.receive_overhead`, `.exchange_overhead`, `.active_send_overhead`, `.active_receive_overhead`, `.latency`, `.hop`, `.barrier` | time | `"92 us"`, `92e-6` |
//! | `parameters.alpha` | instead of both overheads: the whole start-up time `o_s + L + o_r` | `"130 us"` |
//! | `parameters.beta`, `.copy` | time per byte | `"30.6 ns/B"`, `30.6e-9` |
//! | `parameters.bandwidth` | instead of `beta`: the bandwidth of a port, `1 / beta` | `"100 Gb/s"`, `"12.5 GB/s"`, `12.5e9` |
//! | `parameters.gamma` | time per element | `"0.34 us"` |
//! | `parameters.duplex` | number from 1 to 2 | `1.35` |
//! | `parameters.link_excess` or `.link_capacity` | number or bandwidth | `5.35`, `"175 MB/s"` |
//!
//! What the latency leaves of `alpha` is divided evenly: half of it is the sender's overhead and half the receiver's, as
//! in all presets (an odd picosecond is the sender's). So `alpha` is what [`Parameters::alpha`] says in the end, whatever
//! the latency, which is 0 unless it is given. No parameter can be given in two spellings.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use thiserror::Error;

use super::{Description, ParameterError, Parameters, ParametersBuilder, presets};
use crate::{
    topology::{self, NetworkProblem, NetworkTable, Topology, TopologyError},
    units::{self, Quantity, UnitError},
};

impl Description {
    /// Reads a machine from a TOML file, as [`from_toml`](Description::from_toml) does from its text.
    ///
    /// # Errors
    /// [`FileError`] names the file and says why it cannot be read or what is wrong in it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Description, FileError> {
        let path = path.as_ref();
        fs::read_to_string(path)
            .map_err(FileProblem::Unreadable)
            .and_then(|text| read(&text, path.parent()))
            .map_err(|problem| FileError { file: Some(path.to_owned()), problem })
    }

    /// Reads a machine from the text of a TOML file.
    ///
    /// `name` is required, and so is `topology` or a table `network`. `preset` is the base of the parameters; those
    /// under `[parameters]` replace its own, under the names of the setters of [`ParametersBuilder`]. Two more spellings
    /// are for people: `bandwidth` instead of `beta`, and `alpha` instead of both overheads, which are half of it each.
    ///
    /// ```
    /// use multicomputer::{Span, model::Description};
    ///
    /// let machine = Description::from_toml(r#"
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
    /// What the data sheet of a network says:
    ///
    /// ```
    /// # use multicomputer::{Span, model::Description};
    /// let machine = Description::from_toml(r#"
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
    /// A machine with a network of its own has the keys of a [network file](crate::topology::Network) in a table:
    ///
    /// ```
    /// # use multicomputer::model::Description;
    /// let machine = Description::from_toml(r#"
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
    /// [`FileError`] names the key, what was given and what is allowed; for what is not TOML, is missing, unknown
    /// or of the wrong type, the line.
    pub fn from_toml(text: &str) -> Result<Description, FileError> {
        read(text, None).map_err(|problem| FileError { file: None, problem })
    }
}

/// What a machine file holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    name: String,
    topology: Option<String>,
    network: Option<NetworkTable>,
    preset: Option<String>,
    #[serde(default)]
    parameters: ParameterTable,
}

/// Its table `[parameters]`.
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
    exchange_overhead: Option<Quantity>,
    active_send_overhead: Option<Quantity>,
    active_receive_overhead: Option<Quantity>,
    link_excess: Option<f64>,
    link_capacity: Option<Quantity>,
    gamma: Option<Quantity>,
    copy: Option<Quantity>,
    barrier: Option<Quantity>,
}

/// What the topology of a network in a machine file is called.
const NETWORK: &str = "network";

/// Reads a machine from the text of a file in a folder, or from a text alone.
fn read(text: &str, folder: Option<&Path>) -> Result<Description, FileProblem> {
    let file: MachineFile = toml::from_str(text).map_err(|cause| {
        match topology::key_of(text, &["nodes", "switches", "links", "routes"]) {
            Some(key) => FileProblem::NetworkFile { key },
            None => FileProblem::Syntax(Box::new(cause)),
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
    Ok(Description::new(file.name, topology, parameters))
}

impl ParameterTable {
    /// Sets what the table gives.
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

        let (time, per_byte, bandwidth): (Parse, Parse, Parse) =
            (units::parse_seconds, units::parse_seconds_per_byte, units::parse_bytes_per_second);
        let quantities: [(&str, Option<Quantity>, Parse, Set); 12] = [
            ("send_overhead", self.send_overhead, time, Builder::send_overhead),
            ("receive_overhead", self.receive_overhead, time, Builder::receive_overhead),
            ("latency", self.latency, time, Builder::latency),
            ("hop", self.hop, time, Builder::hop),
            ("beta", self.beta, per_byte, Builder::beta),
            ("exchange_overhead", self.exchange_overhead, time, Builder::exchange_overhead),
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
            // After the latency, which is a part of it.
            builder = builder.alpha(read("alpha", &quantity, time)?).map_err(FileProblem::Parameter)?;
        }
        Ok(builder)
    }
}

/// A machine file that does not describe a machine.
pub struct FileError {
    file: Option<PathBuf>,
    problem: FileProblem,
}

crate::error::debug_as_text!(FileError);

impl FileError {
    /// The file; `None` where its text was given instead.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// What is wrong in it.
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

/// What can be wrong in a machine file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
    /// It is not TOML, or a key is missing, unknown or of the wrong type.
    #[error("{}", .0.to_string().trim_end())]
    Syntax(Box<toml::de::Error>),
    /// It is a network file.
    #[error(
        "it is a network file, since it has the key `{key}`: as a machine it is spelled `file:` and its path, and a \
         machine file has it in the table `network` or as `topology = \"file:PATH\"`"
    )]
    NetworkFile {
        /// A key that a machine file does not have outside the table `network`.
        key: &'static str,
    },
    /// `topology` is none.
    #[error("topology: {0}")]
    Topology(TopologyError),
    /// The table `network` describes none.
    #[error("network: {0}")]
    Network(NetworkProblem),
    /// The topology is given twice.
    #[error("topology and a table `network` are both given; allowed is one of them")]
    TopologyAndNetwork,
    /// There is no topology.
    #[error("missing field `topology` or table `network`; one of them must be given")]
    NoTopology,
    /// `preset` is none.
    #[error("preset: `{given}` is not a preset; allowed are {}", presets::NAMES.join(", "))]
    Preset {
        /// What was given.
        given: String,
    },
    /// A parameter is not a number with a unit.
    #[error("parameters.{key}: {cause}")]
    Unit {
        /// The name of the parameter.
        key: &'static str,
        /// What was given, and what is allowed.
        cause: UnitError,
    },
    /// A parameter is outside its limits.
    #[error("parameters.{0}")]
    Parameter(ParameterError),
    /// A parameter is given in two spellings.
    #[error("parameters.{one} and parameters.{other} are both given; allowed is one of them")]
    Both {
        /// One of them.
        one: &'static str,
        /// The other one.
        other: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    const HEAD: &str = "name = \"test\"\ntopology = \"mesh:2x3\"\n";

    fn with(rest: &str) -> Result<Description, FileError> {
        Description::from_toml(&format!("{HEAD}{rest}"))
    }

    fn refusal(rest: &str) -> String {
        with(rest).unwrap_err().to_string()
    }

    #[test]
    fn without_parameters_they_are_those_of_the_preset_or_the_defaults() {
        let machine = with("").unwrap();
        assert_eq!((machine.name(), machine.nodes()), ("test", 6));
        assert_eq!(machine.parameters(), &Parameters::builder().build().unwrap());
        assert_eq!(with("preset = \"paragon\"").unwrap().parameters(), &Parameters::paragon());
    }

    #[test]
    fn a_file_can_say_all_that_a_preset_says() {
        let machine = with(
            "
            [parameters]
            send_overhead = '92 us'
            receive_overhead = 92e-6
            exchange_overhead = '0.184 ms'
            latency = 0
            hop = '40 ns'
            beta = '30.6 ns/B'
            duplex = 1.35
            link_excess = 5.35
            gamma = '0.34 us'
            copy = '0 ns/B'
        ",
        )
        .unwrap();
        assert_eq!(machine.parameters(), &Parameters::paragon());
    }

    #[test]
    fn what_is_given_replaces_what_the_preset_says() {
        let machine =
            with("preset = 'paragon'\n[parameters]\nlink_capacity = '200 MB/s'\nbarrier = '4 us'").unwrap();
        let expected = Parameters::paragon().to_builder().link_capacity(200e6).barrier(4e-6).build().unwrap();
        assert_eq!(machine.parameters(), &expected);
        assert_eq!(machine.parameters().barrier(), Some(Span::from_micros(4)));
    }

    #[test]
    fn active_messages_have_overheads_of_their_own_if_they_are_given() {
        let machine = with("preset = 'paragon'\n[parameters]\nactive_send_overhead = '1.6 us'").unwrap();
        let parameters = machine.parameters();
        assert_eq!(parameters.active_send_overhead(), Span::from_nanos(1600));
        assert_eq!(parameters.active_receive_overhead(), parameters.receive_overhead());
        assert_eq!(
            parameters,
            &Parameters::paragon().to_builder().active_send_overhead(1.6e-6).build().unwrap()
        );
    }

    #[test]
    fn refusals_name_the_key_what_was_given_and_what_is_allowed() {
        assert_eq!(
            refusal("preset = 'abacus'"),
            format!(
                "machine file: preset: `abacus` is not a preset; allowed are {}",
                presets::NAMES.join(", ")
            )
        );
        assert_eq!(
            refusal("[parameters]\nbeta = '30 MB/s'"),
            "machine file: parameters.beta: `30 MB/s` is not a time per byte such as `30.6 ns/B` (units s/B, ms/B, \
             us/B, ns/B, ps/B; plain numbers are s/B)"
        );
        assert_eq!(
            refusal("[parameters]\nduplex = 3"),
            "machine file: parameters.duplex = 3 is not allowed; it must be from 1 to 2"
        );
        assert_eq!(
            refusal("[parameters]\nlink_excess = 2\nlink_capacity = '1 MB/s'"),
            "machine file: parameters.link_excess and parameters.link_capacity are both given; allowed is one of them"
        );
        assert_eq!(
            Description::from_toml("name = 'x'\ntopology = 'ball:3'").unwrap_err().to_string(),
            format!(
                "machine file: topology: `ball:3` names no topology; allowed are {}",
                topology::spellings()
            )
        );
    }

    #[test]
    fn keys_that_are_unknown_missing_or_of_another_type_are_refused_with_their_line() {
        for (rest, line, says) in [
            ("speed = 3", 3, "unknown field `speed`"),
            ("[parameters]\nbeto = '1 us'", 4, "unknown field `beto`"),
            ("[parameters]\nhop = true", 4, "a number in SI units or a text with a unit"),
            ("[parameters]\nduplex = '2'", 4, "f64"),
            ("name = 'again'", 3, "duplicate key"),
        ] {
            let message = refusal(rest);
            assert!(message.contains(says), "{message}");
            assert!(message.contains(&format!("line {line}")), "{message}");
        }
        let message = Description::from_toml("name = 'x'").unwrap_err().to_string();
        assert!(message.contains("missing field `topology`"), "{message}");
    }

    #[test]
    fn bandwidth_is_one_over_beta_in_bits_or_in_bytes() {
        for (bandwidth, beta) in [
            ("'100 Gb/s'", 1.0 / 12.5e9),
            ("'100 GB/s'", 1e-11),
            ("'1 GiB/s'", 1.0 / 1_073_741_824.0),
            ("'1 B/s'", 1.0),
            ("20e6", 50e-9),
        ] {
            let machine = with(&format!("[parameters]\nbandwidth = {bandwidth}")).unwrap();
            assert_eq!(machine.parameters().beta(), beta, "{bandwidth}");
        }
    }

    #[test]
    fn alpha_is_half_the_overhead_of_either_end_but_for_the_latency() {
        for (rest, send, receive, latency) in [
            ("[parameters]\nalpha = '130 us'", 65_000_000, 65_000_000, 0),
            ("preset = 'paragon'\n[parameters]\nalpha = '10 us'", 5_000_000, 5_000_000, 0),
            ("[parameters]\nalpha = '10 us'\nlatency = '4 us'", 3_000_000, 3_000_000, 4_000_000),
            ("[parameters]\nlatency = '4 us'\nalpha = '4 us'", 0, 0, 4_000_000),
            ("[parameters]\nalpha = '3 ps'", 2, 1, 0),
            ("[parameters]\nalpha = '123456789 ps'\nlatency = '1 ps'", 61_728_394, 61_728_394, 1),
        ] {
            let machine = with(rest).unwrap();
            let parameters = machine.parameters();
            let overheads = (parameters.send_overhead().as_picos(), parameters.receive_overhead().as_picos());
            assert_eq!((overheads, parameters.latency().as_picos()), ((send, receive), latency), "{rest}");
            assert_eq!(parameters.alpha().as_picos(), send + receive + latency, "{rest}");
        }
    }

    #[test]
    fn a_parameter_has_one_spelling() {
        for (one, other) in [
            ("alpha", "send_overhead"),
            ("alpha", "receive_overhead"),
            ("beta", "bandwidth"),
            ("link_excess", "link_capacity"),
        ] {
            let error = with(&format!("[parameters]\n{other} = 1\n{one} = 1")).unwrap_err();
            assert!(matches!(error.problem(), FileProblem::Both { .. }), "{error}");
            assert_eq!(
                error.to_string(),
                format!(
                    "machine file: parameters.{one} and parameters.{other} are both given; allowed is one of them"
                )
            );
        }
        assert!(
            with("preset = 'paragon'\n[parameters]\nbandwidth = 1\nalpha = 1").is_ok(),
            "instead of the preset's"
        );
    }

    #[test]
    fn absurd_values_are_taken_or_refused_on_purpose() {
        for (parameter, capacity) in [
            ("beta = 1e-300", 1.0 / 1e-300),
            ("bandwidth = '1 B/s'", 1.0),
            ("bandwidth = 1e-6", 1e-6),
            ("beta = 0", f64::INFINITY),
        ] {
            let machine = with(&format!("[parameters]\n{parameter}")).unwrap();
            assert_eq!(machine.parameters().port_capacity(), capacity, "{parameter}");
        }
        const TIME: &str = "from 0 to 1e6 s";
        const BANDWIDTH: &str = "at least 1e-6 B/s and finite; `beta = 0` is without limit";
        const ALPHA: &str = "from the latency, which is a part of it, to 1e6 s";
        for (key, given, shown, allowed) in [
            ("beta", "inf", "inf", TIME),
            ("beta", "nan", "NaN", TIME),
            ("beta", "-1e-9", "-0.000000001", TIME),
            ("beta", "1e7", "10000000", TIME),
            ("bandwidth", "inf", "inf", BANDWIDTH),
            ("bandwidth", "nan", "NaN", BANDWIDTH),
            ("bandwidth", "-1", "-1", BANDWIDTH),
            ("bandwidth", "0", "0", BANDWIDTH),
            ("bandwidth", "'0 GB/s'", "0", BANDWIDTH),
            ("alpha", "nan", "NaN", ALPHA),
            ("alpha", "-1", "-1", ALPHA),
            ("alpha", "1e7", "10000000", ALPHA),
            ("alpha", "1e-6\nlatency = 2e-6", "0.000001", ALPHA),
            ("latency", "nan\nalpha = 1", "NaN", TIME),
        ] {
            assert_eq!(
                refusal(&format!("[parameters]\n{key} = {given}")),
                format!("machine file: parameters.{key} = {shown} is not allowed; it must be {allowed}")
            );
        }
        assert_eq!(
            refusal("[parameters]\nbandwidth = '-1 Gb/s'"),
            "machine file: parameters.bandwidth: `-1 Gb/s` is negative; allowed is 0 or more"
        );
    }

    #[test]
    fn a_file_of_the_other_kind_is_known_for_it() {
        let network = "nodes = 2\nlinks = [{ between = [0, 1] }]";
        assert_eq!(
            Description::from_toml(network).unwrap_err().to_string(),
            "machine file: it is a network file, since it has the key `nodes`: as a machine it is spelled `file:` and its \
             path, and a machine file has it in the table `network` or as `topology = \"file:PATH\"`"
        );
        let refused =
            topology::Network::from_toml("file:ft.toml", &format!("{HEAD}preset = 'paragon'")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`file:ft.toml` is not a network: it is a machine file, since it has the key `name`: read it with \
             `Description::from_file`, or on the command line give it without `file:`"
        );
    }

    #[test]
    fn a_network_stands_in_the_file_or_beside_it() {
        let network = "nodes = 2\nlinks = [{ between = [0, 1], capacity = '2 MB/s' }]\n";
        let inside = Description::from_toml(&format!("name = 'x'\n[network]\n{network}")).unwrap();
        let folder = std::env::temp_dir().join(format!("multicomputer-network-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("two.toml"), network).unwrap();
        let machine = folder.join("machine.toml");
        fs::write(&machine, "name = 'x'\ntopology = 'file:two.toml'").unwrap();
        let beside = Description::from_file(&machine).unwrap();
        for (machine, name) in
            [(inside, "network".to_owned()), (beside, format!("file:{}", folder.join("two.toml").display()))]
        {
            let topology = machine.topology();
            assert_eq!((topology.nodes(), topology.links()), (2, 2));
            assert_eq!((topology.capacity(1), topology.name()), (Some(2e6), name));
        }
        fs::remove_dir_all(&folder).unwrap();
        let message = Description::from_file(&machine).unwrap_err().to_string();
        assert!(message.contains("it cannot be read"), "{message}");
    }

    #[test]
    fn a_file_has_one_topology() {
        let network = "[network]\nnodes = 1";
        assert_eq!(
            refusal(network),
            "machine file: topology and a table `network` are both given; allowed is one of them"
        );
        let refusal =
            |text: &str| Description::from_toml(&format!("name = 'x'\n{text}")).unwrap_err().to_string();
        assert_eq!(
            refusal(""),
            "machine file: missing field `topology` or table `network`; one of them must be given"
        );
        assert_eq!(
            refusal("[network]\nnodes = 2"),
            "machine file: network: links: no path leads from node 0 to node 1; every node must reach every other"
        );
        assert!(refusal("[network]\nnodes = 1\nedges = 3").contains("unknown field `edges`"));
        assert!(refusal("topology = 'file:no/such.toml'").starts_with(
            "machine file: topology: `file:no/such.toml` is not a network: it cannot be read: "
        ));
    }

    #[test]
    fn errors_name_the_file() {
        let error = Description::from_file("no/such/machine.toml").unwrap_err();
        assert!(error.to_string().starts_with("machine file no/such/machine.toml: it cannot be read: "));
        assert_eq!(error.file(), Some(Path::new("no/such/machine.toml")));
        assert!(matches!(error.problem(), FileProblem::Unreadable(_)));
    }
}
