//! A short hash that distinguishes machines of the same name.

use std::fmt::Write;

use super::MachineSpec;
use crate::topology::{self, Topology};

/// The largest number of nodes of a network for which the hash includes all routes.
const MAX_ROUTED_NODES: usize = 256;

impl MachineSpec {
    /// Returns a hash of the network and of all parameters, eight hexadecimal digits, the same on every host. Machines with
    /// different hashes differ, whatever their names. The name, noise, faults and rendezvous are not included.
    ///
    /// The hash is FNV-1a of the machine's [file](MachineSpec::to_toml), folded to 32 bits. If the name of the network does not
    /// determine it, as for a network from a file, the hash includes its links with their capacities, and up to 256 nodes its routes.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    ///
    /// let hash = |text: &str| Ok::<_, multicomputer::model::MachineSpecError>(text.parse::<MachineSpec>()?.hash());
    /// assert_eq!(hash("10x10")?, hash("paragon:10x10")?);
    /// assert_ne!(hash("10x10")?, hash("hockney:10x10")?);
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn hash(&self) -> String {
        let bare = MachineSpec::new("", self.topology.clone(), self.parameters.clone());
        let mut text = bare.to_toml();
        // The path of a file does not determine its content, and other crates may use any name.
        let name = self.topology.name();
        if name.contains("file:") || topology::parse(&name).is_err() {
            network(&*self.topology, &mut text);
        }
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
    }
}

/// Writes the links of a network and, unless it is large, its routes.
fn network(topology: &dyn Topology, text: &mut String) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{} nodes, {} switches", topology.nodes(), topology.switches());
    for link in 0..topology.links() {
        let _ = write!(text, "{} {:?}", topology.link(link), topology.capacity(link));
        let latency = topology.latencies().get(link).map(|latency| format!(" {latency}"));
        let _ = writeln!(text, "{}", latency.unwrap_or_default());
    }
    if topology.nodes() > MAX_ROUTED_NODES {
        return;
    }
    let mut route = Vec::new();
    for pair in 0..topology.nodes() * topology.nodes() {
        route.clear();
        topology.route(pair / topology.nodes(), pair % topology.nodes(), &mut route);
        let _ = writeln!(text, "{route:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, rest: &str) -> MachineSpec {
        MachineSpec::from_toml(&format!("name = \"{name}\"\n{rest}")).unwrap()
    }

    #[test]
    fn machines_that_differ_in_their_network_or_a_parameter_have_different_hashes() {
        let plain = file("a", "topology = \"mesh:4x4\"\npreset = \"paragon\"");
        assert_eq!(plain.hash(), file("b", "topology = \"mesh:4x4\"\npreset = \"paragon\"").hash());
        // The name of a machine is not included.
        assert_eq!(plain.hash(), "paragon:4x4".parse::<MachineSpec>().unwrap().hash());
        let noisy = "topology = \"mesh:4x4\"\npreset = \"paragon\"\nrendezvous = 0\nnoise = { interval = \"1 ms\", length = \"1 us\" }";
        assert_eq!(plain.hash(), file("a", noisy).hash(), "noise and rendezvous have columns of their own");
        let hop = "topology = \"mesh:4x4\"\npreset = \"paragon\"\n[parameters]\nhop = \"1 ps\"";
        let mesh = "topology = \"mesh:4x5\"\npreset = \"paragon\"";
        let placed = plain.clone().with_placement("random:7".parse().unwrap()).unwrap();
        let ported = plain.clone().with_ports(2).unwrap();
        for other in [file("a", hop), file("a", mesh), placed, ported] {
            assert_ne!(plain.hash(), other.hash(), "{}", other.to_toml());
        }
    }

    #[test]
    fn hashes_of_equal_names_differ_by_links_capacities_and_routes() {
        let ring = |rest: &str| {
            let links: Vec<String> = [(0, 1), (1, 2), (2, 3), (3, 0)]
                .map(|(one, other)| format!("[[network.links]]\nbetween = [{one}, {other}]\n"))
                .into();
            file("ring", &format!("[network]\nnodes = 4\n{}{rest}", links.concat())).hash()
        };
        let hashes = [
            ring(""),
            ring("capacity = \"1 MB/s\""),
            ring("[[network.links]]\nbetween = [0, 2]"),
            ring("[[network.routes]]\npath = [0, 3, 2]"),
        ];
        for (nth, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..nth].contains(hash), "{hashes:?}");
        }
    }
}
