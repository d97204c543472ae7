//! Networks from the topology files of NCCL (`NCCL_TOPO_DUMP_FILE`): one system of GPUs, with NVLink, PCI and the links between processors.
//!
//! Nodes are the GPUs in the order of their attribute `dev`. Switches are the processors, the PCI switches with GPUs below them, and one
//! NVSwitch. Bandwidths are computed as in NCCL (`graph/topo.cc`, `graph/topo.h`): of NVLinks by their number and the compute capability
//! `sm`, of PCI by width and speed, and between processors by their kind. The links of NVLink are listed first, so they are preferred to PCI
//! links where routes have as many links. NICs connect the system to others, and are left out.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::{
    file::{Edge, NetworkProblem, NetworkTable},
    xml::{attribute, elements, number, problem},
};
use crate::{text::shown, topology::Vertex};

/// The root element of the file.
pub(super) const ROOT: &str = "system";

/// Bandwidth of an NVLink in GB/s by the smallest compute capability, the largest first.
const NVLINKS: [(u32, f64); 6] = [(100, 40.1), (90, 20.6), (87, 20.0), (86, 12.0), (80, 20.0), (70, 20.0)];

/// Bandwidth of older NVLinks in GB/s.
const OLD_NVLINK: f64 = 18.0;

/// The network while it is read.
#[derive(Default)]
struct Reader {
    /// The number of each GPU by its position on the PCI bus.
    gpus: BTreeMap<String, usize>,
    switches: usize,
    nvswitch: Option<usize>,
    /// The directed links: ends and bytes/s. Those of NVLink and PCI, and those between processors.
    nvlinks: Vec<(Vertex, Vertex, f64)>,
    others: Vec<(Vertex, Vertex, f64)>,
}

/// Reads the document.
pub(super) fn read(document: &Document<'_>) -> Result<NetworkTable, NetworkProblem> {
    let system = document.root_element();
    let mut gpus: Vec<(u32, String)> = Vec::new();
    for gpu in system.descendants().filter(|node| node.has_tag_name("gpu")) {
        let Some(pci) = gpu.parent().filter(|parent| parent.has_tag_name("pci")) else {
            return Err(problem(gpu, "<gpu> must be within a <pci>".to_owned()));
        };
        gpus.push((number(gpu, "dev")?, attribute(pci, "busid")?.to_lowercase()));
    }
    gpus.sort();
    let nodes = gpus.len();
    let mut reader =
        Reader { gpus: gpus.into_iter().map(|(_, bus)| bus).zip(0..).collect(), ..Reader::default() };
    if reader.gpus.len() < nodes {
        return Err(problem(system, "two GPUs have the same busid".to_owned()));
    }
    let mut cpus = Vec::new();
    let mut hosts: Vec<Option<&str>> = Vec::new();
    for cpu in elements(system) {
        if !cpu.has_tag_name("cpu") {
            return Err(problem(
                cpu,
                format!("<{}> is not allowed here; allowed is <cpu>", cpu.tag_name().name()),
            ));
        }
        hosts.push(cpu.attribute("host_hash"));
        // A processor is needed to reach another one, and where devices with GPUs are below it.
        let vertex = reader.switch();
        for device in elements(cpu) {
            reader.device(device, vertex, vertex)?;
        }
        cpus.push((cpu, vertex));
    }
    hosts.dedup();
    if hosts.len() > 1 {
        return Err(problem(
            system,
            "there are several systems (host_hash); their network is not part of the file".to_owned(),
        ));
    }
    for &(cpu, from) in &cpus {
        let bandwidth = between_processors(cpu)?;
        let others = cpus.iter().filter(|&&(_, to)| to != from);
        reader.others.extend(others.map(|&(_, to)| (from, to, bandwidth * 1e9)));
    }
    let Reader { nvlinks, others, .. } = &mut reader;
    let mut links = std::mem::take(nvlinks);
    links.append(others);
    let edge = |(from, to, bandwidth)| Edge { from, to, bandwidth, latency: 0.0 };
    Ok(NetworkTable::of_links(nodes, reader.switches, merged(links).into_iter().map(edge)))
}

/// Adds up links between the same vertices, as NCCL does, in the order in which they were found first.
fn merged(links: Vec<(Vertex, Vertex, f64)>) -> Vec<(Vertex, Vertex, f64)> {
    let mut sums: Vec<(Vertex, Vertex, f64)> = Vec::new();
    for (from, to, bandwidth) in links {
        match sums.iter_mut().find(|(known_from, known_to, _)| (*known_from, *known_to) == (from, to)) {
            Some((.., sum)) => *sum += bandwidth,
            None => sums.push((from, to, bandwidth)),
        }
    }
    sums
}

impl Reader {
    fn switch(&mut self) -> Vertex {
        self.switches += 1;
        Vertex::Switch(self.switches - 1)
    }

    /// Adds a device below `parent`, with all that is below the device.
    fn device(&mut self, device: Node<'_, '_>, parent: Vertex, cpu: Vertex) -> Result<(), NetworkProblem> {
        let name = device.tag_name().name();
        match name {
            "nic" => return Ok(()),
            "pci" if !device.descendants().any(|node| node.has_tag_name("gpu")) => return Ok(()),
            "pci" => {}
            _ => {
                return Err(problem(
                    device,
                    format!("<{name}> is not allowed here; allowed are <pci> and <nic>"),
                ));
            }
        }
        let own = elements(device).find(|node| node.has_tag_name("gpu"));
        let vertex = match own {
            Some(_) => Vertex::Node(self.gpus[&attribute(device, "busid")?.to_lowercase()]),
            None => self.switch(),
        };
        let bandwidth = pci(device)?;
        self.others.extend([(vertex, parent, bandwidth), (parent, vertex, bandwidth)]);
        match own {
            Some(gpu) => elements(gpu).try_for_each(|link| self.link(gpu, link, vertex, cpu)),
            None => elements(device).try_for_each(|below| self.device(below, vertex, cpu)),
        }
    }

    /// Adds a link of a GPU.
    fn link(
        &mut self,
        gpu: Node<'_, '_>,
        link: Node<'_, '_>,
        from: Vertex,
        cpu: Vertex,
    ) -> Result<(), NetworkProblem> {
        let count = f64::from(number(link, "count")?);
        match link.tag_name().name() {
            "nvlink" => {}
            "c2c" => {
                let bandwidth = count * f64::from(number(link, "bw")?) * 1e6;
                self.nvlinks.extend([(from, cpu, bandwidth), (cpu, from, bandwidth)]);
                return Ok(());
            }
            name => {
                return Err(problem(
                    link,
                    format!("<{name}> is not allowed here; allowed are <nvlink> and <c2c>"),
                ));
            }
        }
        let sm = number(gpu, "sm")?;
        let each = NVLINKS.into_iter().find(|(least, _)| sm >= *least).map_or(OLD_NVLINK, |(_, each)| each);
        let bandwidth = count * each * 1e9;
        let class = attribute(link, "tclass")?;
        if class.starts_with("0x03") {
            let target = attribute(link, "target")?;
            let Some(&to) = self.gpus.get(&target.to_lowercase()) else {
                return Err(problem(
                    link,
                    format!("target=\"{}\" is not the busid of a GPU of the file", shown(target)),
                ));
            };
            // The other GPU lists the link in its direction.
            self.nvlinks.push((from, Vertex::Node(to), bandwidth));
            return Ok(());
        }
        let to = match class {
            "0x068001" => cpu,
            "0x068000" => match self.nvswitch {
                Some(switch) => Vertex::Switch(switch),
                None => {
                    self.nvswitch = Some(self.switches);
                    self.switch()
                }
            },
            _ => {
                let allowed = "0x03.. (GPU), 0x068000 (NVSwitch) and 0x068001 (processor)";
                return Err(problem(
                    link,
                    format!("tclass=\"{}\" is unknown; known are {allowed}", shown(class)),
                ));
            }
        };
        self.nvlinks.extend([(from, to, bandwidth), (to, from, bandwidth)]);
        Ok(())
    }
}

/// Returns the bandwidth of the PCI link of a device in bytes/s.
fn pci(device: Node<'_, '_>) -> Result<f64, NetworkProblem> {
    let width = match number(device, "link_width")? {
        0 => 16,
        width => width,
    };
    let given = attribute(device, "link_speed")?;
    // Units of 100 Mb/s a lane.
    let lane = match given.split(' ').next().and_then(|number| number.parse().ok()) {
        _ if given.is_empty() => 60.0,
        Some(2.5) => 15.0,
        Some(5.0) => 30.0,
        Some(8.0) => 60.0,
        Some(16.0) => 120.0,
        Some(32.0) => 240.0,
        Some(64.0) => 480.0,
        _ => {
            let allowed = "2.5, 5, 8, 16, 32 and 64 GT/s";
            return Err(problem(
                device,
                format!("link_speed=\"{}\" is unknown; known are {allowed}", shown(given)),
            ));
        }
    };
    Ok(f64::from(width) * lane / 80.0 * 1e9)
}

/// Returns the bandwidth from a processor to another one in GB/s.
fn between_processors(cpu: Node<'_, '_>) -> Result<f64, NetworkProblem> {
    Ok(match attribute(cpu, "arch")? {
        "ppc64" => 32.0,
        "arm64" => 6.0,
        _ => match attribute(cpu, "vendor")? {
            "AuthenticAMD" => 16.0,
            "GenuineIntel" => match (number(cpu, "familyid")?, number(cpu, "modelid")?) {
                (6, 0xcf..) => 40.0,
                (6, 0x8f..) => 22.0,
                (6, 0x55..) => 10.0,
                _ => 6.0,
            },
            _ => 6.0,
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::topology::{Network, Topology, network_tests::check_routes};

    /// A server of two processors with two GPUs each below a PCI switch. `links` stands in each GPU.
    fn server(links: impl Fn(usize) -> String) -> String {
        let gpu = |dev: usize| {
            format!(
                "<pci busid=\"0000:0{dev}:00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n<gpu dev=\"{dev}\" sm=\"80\" rank=\"{dev}\" gdr=\"1\">{}</gpu></pci>\n",
                links(dev)
            )
        };
        let cpu = |numa: usize| {
            format!(
                "<cpu numaid=\"{numa}\" affinity=\"f\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\">\n<pci busid=\"0000:a{numa}:00.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n{}{}<pci busid=\"0000:b{numa}:00.0\" class=\"0x020000\" link_speed=\"\" link_width=\"16\"><nic><net name=\"mlx5_0\" speed=\"200000\"/></nic></pci></pci></cpu>\n",
                gpu(2 * numa),
                gpu(2 * numa + 1)
            )
        };
        format!("<system version=\"1\">\n{}{}</system>\n", cpu(0), cpu(1))
    }

    fn route(network: &Network, from: usize, to: usize) -> Vec<(String, Option<f64>)> {
        let mut route = Vec::new();
        network.route(from, to, &mut route);
        route.into_iter().map(|link| (network.link(link).to_string(), network.capacity(link))).collect()
    }

    fn error(text: &str) -> String {
        Network::from_text("file:topo.xml", text).unwrap_err().to_string()
    }

    #[test]
    fn gpus_below_pci_switches() {
        let network = Network::from_text("file:topo.xml", &server(|_| String::new())).unwrap();
        assert_eq!((network.nodes(), network.switches()), (4, 4));
        check_routes(&network);
        let link = |name: &str, gigabytes: f64| (name.to_owned(), Some(gigabytes * 1e9));
        // Both GPUs of a PCI switch, and GPUs of two processors. 16 lanes of 16 GT/s are 24 GB/s.
        assert_eq!(
            route(&network, 0, 1),
            [link("node 0 -> switch 1", 24.0), link("switch 1 -> node 1", 24.0)]
        );
        assert_eq!(
            route(&network, 0, 3),
            [
                link("node 0 -> switch 1", 24.0),
                link("switch 1 -> switch 0", 24.0),
                link("switch 0 -> switch 2", 16.0),
                link("switch 2 -> switch 3", 24.0),
                link("switch 3 -> node 3", 24.0)
            ]
        );
    }

    #[test]
    fn nvlinks_come_first() {
        let switched = server(|_| {
            "<nvlink target=\"0000:c0:00.0\" count=\"6\" tclass=\"0x068000\"/><nvlink target=\"0000:c1:00.0\" count=\"6\" tclass=\"0x068000\"/>".to_owned()
        });
        let network = Network::from_text("file:topo.xml", &switched).unwrap();
        assert_eq!(network.switches(), 5);
        let through: Vec<Option<f64>> =
            route(&network, 0, 1).into_iter().map(|(_, capacity)| capacity).collect();
        assert_eq!(through, [Some(240e9); 2], "twelve links of 20 GB/s to the NVSwitch");
        let pairs = server(|dev| {
            format!("<nvlink target=\"0000:0{}:00.0\" count=\"4\" tclass=\"0x030200\"/>", dev ^ 2)
        });
        let network = Network::from_text("file:topo.xml", &pairs).unwrap();
        assert_eq!(route(&network, 0, 2), [("node 0 -> node 2".to_owned(), Some(80e9))]);
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_line() {
        let good = server(|_| String::new());
        for (from, to, why) in [
            (
                "16.0 GT/s PCIe",
                "17 GT/s",
                "line 3: link_speed=\"17 GT/s\" is unknown; known are 2.5, 5, 8, 16, 32 and 64 GT/s",
            ),
            ("dev=\"0\"", "", "line 5: <gpu> has no attribute `dev`"),
            (
                "</gpu>",
                "<nvlink target=\"x\" count=\"1\" tclass=\"0x030200\"/></gpu>",
                "target=\"x\" is not the busid of a GPU of the file",
            ),
            (
                "<cpu numaid=\"1\"",
                "<cpu host_hash=\"0x1\" numaid=\"1\"",
                "there are several systems (host_hash)",
            ),
            ("</system>", "", "is not XML: "),
            (
                "<system version=\"1\">",
                "<system version=\"1\"><gpu dev=\"1\"/>",
                "<gpu> must be within a <pci>",
            ),
        ] {
            let refused = error(&good.replacen(from, to, 1));
            assert!(refused.contains(why), "{refused}");
        }
        assert!(error("<algo/>").contains("<algo> is not a network; allowed are <system> (NCCL)"));
        assert!(error("<system/>").contains("nodes: 0 is out of range"));
    }
}
