//! LUMI, the partition with GPUs.

use std::sync::Arc;

use super::{Preset, allowing};
use crate::{
    model::Parameters,
    topology::{Cluster, Dragonfly, Grid, Topology, TopologyError},
};

/// The registry entry of LUMI, spelled `lumi:2x4` for 2 groups of 4 routers, which are 256 nodes; the whole is `lumi:20x32`.
pub(super) const PRESET: Preset = Preset {
    name: "lumi",
    shape: "GROUPSxROUTERS",
    topology,
    parameters: Parameters::lumi,
    sources: Some(include_str!("lumi.md")),
};

/// The processors of a server, and its adapters.
const PROCESSORS: usize = 8;
const ADAPTERS: usize = 4;

/// The adapters of a router.
const ENDS: usize = 16;

/// The bandwidths in bytes/s of the link of a processor, of an adapter, and of the links within and between groups.
const INSIDE: f64 = 70e9;
const ADAPTER: f64 = 24e9;
const LOCAL: f64 = 25e9;
const GLOBAL: f64 = 500e9;

fn topology(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    let grid = shape.parse().map_err(allowing("GROUPSxROUTERS, such as 2x4 for 256 nodes"))?;
    let Grid { rows: groups, columns: routers } = grid;
    let network = Dragonfly::new(groups, routers, ENDS)?.with_capacities(LOCAL, GLOBAL)?;
    Ok(Arc::new(Cluster::new(PROCESSORS, ADAPTERS, INSIDE, ADAPTER, Arc::new(network))?))
}

impl Parameters {
    /// LUMI-G with Cray MPICH: servers of four AMD MI250X, each of them two GPUs, with four adapters of Slingshot 11, in a dragonfly
    /// of 20 groups with 32 routers (HPE Cray EX, since 2022).
    ///
    #[doc = include_str!("lumi.md")]
    ///
    /// Left out:
    ///
    /// * the links between the eight GPUs of a server, which are not alike: 147 GB/s between the two on one package, 39 or 77 to those
    ///   that are linked, 70 to all others (printed, the same repository). Here all pairs have the 70 GB/s of most
    ///   of them;
    /// * congestion control, and adaptive routing: Slingshot goes around links that are full. Routes are minimal here;
    ///   `dragonfly:..:valiant` is the other end. How far models of flows are off for such reasons is measured by m4
    ///   (arXiv 2503.01770);
    /// * that the four adapters of a server hang on four routers; here they are neighbours on one. Twenty links join two groups
    ///   there, on as many routers; here they are one, so that a router's messages to one group share one local link.
    ///
    /// ```
    /// use multicomputer::model::Description;
    /// let part: Description = "lumi:2x4".parse()?;
    /// assert_eq!(part.nodes(), 256);
    /// assert_eq!(part.topology().name(), "cluster:8x4:70000,24000:dragonfly:2x4x16:25000,500000");
    /// # Ok::<(), multicomputer::model::DescriptionError>(())
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
