//! LUMI, the partition with GPUs.

use std::sync::Arc;

use super::{Preset, allowing};
use crate::{
    model::Parameters,
    topology::{Cluster, Dragonfly, Grid, Topology, TopologyError},
};

/// The registry entry of LUMI, spelled `lumi:2x4` for 2 groups of 4 routers, which are 256 nodes; the full size is `lumi:20x32`.
pub(super) const PRESET: Preset = Preset {
    name: "lumi",
    shape: "GROUPSxROUTERS",
    topology,
    parameters: Parameters::lumi,
    sources: Some(include_str!("lumi.md")),
};

/// The number of processors of a server, and of its adapters.
const PROCESSORS: usize = 8;
const ADAPTERS: usize = 4;

/// The number of adapters of a router.
const ADAPTERS_PER_ROUTER: usize = 16;

/// The bandwidths in bytes/s of a processor's link, of an adapter's link, and of the links within and between groups.
const INSIDE: f64 = 70e9;
const ADAPTER: f64 = 24e9;
const LOCAL: f64 = 25e9;
const GLOBAL: f64 = 500e9;

fn topology(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let grid = shape.parse().map_err(allowing("GROUPSxROUTERS, such as 2x4 for 256 nodes"))?;
    let Grid { rows: groups, columns: routers } = grid;
    let network = Dragonfly::new(groups, routers, ADAPTERS_PER_ROUTER)?.with_capacities(LOCAL, GLOBAL)?;
    Ok(Arc::new(Cluster::new(PROCESSORS, ADAPTERS, INSIDE, ADAPTER, Arc::new(network))?))
}

impl Parameters {
    /// LUMI-G with Cray MPICH: servers of four AMD MI250X with two GPUs each, and four adapters of Slingshot 11, in a dragonfly of
    /// 20 groups with 32 routers (HPE Cray EX, since 2022).
    ///
    #[doc = include_str!("lumi.md")]
    ///
    /// Not modeled:
    ///
    /// * the different links between the eight GPUs of a server: 147 GB/s between the two GPUs of a package, 39 or 77 between other
    ///   linked GPUs, 70 between all others (printed, the same repository). Here all pairs have 70 GB/s, the value of most
    ///   pairs;
    /// * congestion control, and adaptive routing: Slingshot avoids full links. Routes are minimal here;
    ///   `dragonfly:..:valiant` is the opposite extreme. The resulting errors of flow models are measured by m4
    ///   (arXiv 2503.01770);
    /// * the attachment of the four adapters of a server to four routers; here they are neighbours on one. On LUMI twenty links on
    ///   as many routers join two groups; here they are one link, so a router's messages to one group share one local link.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    /// let part: MachineSpec = "lumi:2x4".parse()?;
    /// assert_eq!(part.nodes(), 256);
    /// assert_eq!(part.topology().name(), "cluster:8x4:70000,24000:dragonfly:2x4x16:25000,500000");
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn lumi() -> Parameters {
        Parameters::builder()
            .send_overhead(1.83e-6)
            .receive_overhead(1.83e-6)
            .beta(0.0143e-9)
            .gamma(15e-12)
            .finish()
    }
}
