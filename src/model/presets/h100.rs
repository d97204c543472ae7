//! Servers with eight NVIDIA H100 each: a single server, and a cluster.

use std::sync::Arc;

use super::{Preset, allowing};
use crate::{
    model::Parameters,
    topology::{Clos, Cluster, Topology, TopologyError, read_nodes},
};

/// The registry entry of one server, spelled `h100:8`.
pub(super) const PRESET: Preset = Preset {
    name: "h100",
    shape: "NODES",
    topology: server,
    parameters: Parameters::h100,
    sources: Some(include_str!("h100.md")),
};

/// The registry entry of servers with a network, spelled `h100-cluster:16` for 16 servers, which are 128 nodes.
pub(super) const CLUSTER: Preset = Preset {
    name: "h100-cluster",
    shape: "SERVERS",
    topology: cluster,
    parameters: Parameters::h100_cluster,
    sources: Some(include_str!("h100_cluster.md")),
};

/// The number of processors of a server, and of its adapters.
const PROCESSORS: usize = 8;

/// The number of ports of a switch between servers.
const PORTS: usize = 64;

/// The bandwidths of a processor's link and of an adapter's link, in bytes/s.
const INSIDE: f64 = 370e9;
const ADAPTER: f64 = 47e9;

/// Creates a server: one switch with a port for each node.
fn server(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let nodes = read_nodes(shape)?;
    Ok(Arc::new(Clos::new(nodes, nodes.max(PROCESSORS), 1)?))
}

/// Creates a cluster: servers below leaf and spine switches.
fn cluster(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let servers = read_nodes(shape).map_err(allowing("SERVERS, such as 16 for 128 nodes"))?;
    let network = Clos::new(servers.saturating_mul(PROCESSORS), PORTS, 1)?;
    Ok(Arc::new(Cluster::new(PROCESSORS, PROCESSORS, INSIDE, ADAPTER, Arc::new(network))?))
}

impl Parameters {
    /// NVIDIA HGX H100 with NCCL: a single server of eight GPUs on NVLink switches (preset `h100`).
    ///
    #[doc = include_str!("h100.md")]
    ///
    /// Not modeled:
    ///
    /// * reductions in the switches (NVLink SHARP), by which NCCL exceeds the limit of any schedule of messages in
    ///   all-reduce: 480 GB/s of bus bandwidth on eight GPUs instead of 370 (printed, the same comment);
    /// * NCCL's faster start-up of short messages: its protocols LL and LL128 take 0.47 and 1.9 us per step of a ring within a
    ///   server, at a quarter and at 92 % of the bandwidth, after 6.6 and 14 us for the call (printed, the same file). NCCL chooses a
    ///   protocol for a whole call, not by the length of a message.
    ///
    /// ```
    /// use multicomputer::{Span, model::MachineSpec};
    /// let server: MachineSpec = "h100:8".parse()?;
    /// assert_eq!((server.nodes(), server.parameters().call_overhead()), (8, Span::from_nanos(8400)));
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn h100() -> Parameters {
        Parameters::builder()
            .send_overhead(0.67e-6)
            .receive_overhead(0.67e-6)
            .hop(1.03e-6)
            .beta(0.0027e-9)
            .gamma(7.2e-12)
            .call_overhead(8.4e-6)
            .finish()
    }

    /// Servers of [`h100`](Parameters::h100) with an InfiniBand adapter of 400 Gb/s for each GPU, below leaf and spine switches of 64 ports
    /// (preset `h100-cluster`).
    ///
    #[doc = include_str!("h100_cluster.md")]
    ///
    /// Not modeled, besides what `h100` leaves out:
    ///
    /// * congestion control, and the adaptive routing of InfiniBand, which spreads messages over the spines; here the receiver
    ///   determines the spine. The resulting errors of flow models are measured by m4 (arXiv 2503.01770);
    /// * rails: in many clusters, GPU i of every server is attached to one leaf; here all eight adapters of a server are neighbours;
    /// * the separate way of data from a GPU to its adapter: here it shares the link of the GPU with the data within the server.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    /// let cluster: MachineSpec = "h100-cluster:16".parse()?;
    /// assert_eq!((cluster.nodes(), cluster.parameters().ports()), (128, 2));
    /// assert_eq!(cluster.topology().name(), "cluster:8x8:370000,47000:clos:128:64");
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn h100_cluster() -> Parameters {
        Parameters::h100().to_builder().ports(2).finish()
    }
}
