//! Networks from the platform files of SimGrid (`platform.dtd`, version 4), as far as they say the same as a network file.
//!
//! Read are flat clusters, and zones whose routes have one link each, between neighbours. Nodes are the hosts in the order of the file. A link
//! belongs to one pair of neighbours, and both directions have the whole bandwidth: a link of the policy `SPLITDUPLEX`, or one that is used in
//! one direction. Anything else about the network is refused: links that several routes share, `FATPIPE`, routes of several links, zones in
//! zones. The speed of hosts is not part of a network. Bandwidths and latencies are those of the file, without the factors of SimGrid's
//! models.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::{
    file::{Edge, NetworkProblem, NetworkTable},
    xml::{attribute, elements, problem},
};
use crate::{
    text::shown,
    topology::{MAX_NODES, Vertex},
    units,
};

/// The root element of the file.
pub(super) const ROOT: &str = "platform";

/// A link of a zone.
struct Line {
    bandwidth: f64,
    latency: f64,
    is_split: bool,
    /// Whether a route uses the link in the direction in which it was used first, and in the other one.
    used: [bool; 2],
}

/// Reads the document.
pub(super) fn read(document: &Document<'_>) -> Result<NetworkTable, NetworkProblem> {
    let platform = document.root_element();
    let mut top = elements(platform).filter(|node| !node.has_tag_name("config"));
    let (Some(only), None) = (top.next(), top.next()) else {
        return Err(problem(platform, "a platform must have one <zone> or <cluster>".to_owned()));
    };
    match only.tag_name().name() {
        "cluster" => cluster(only),
        "zone" | "AS" => {
            let mut inside = elements(only).filter(|node| !node.has_tag_name("prop"));
            match (inside.next(), inside.next()) {
                (Some(cluster), None) if cluster.has_tag_name("cluster") => self::cluster(cluster),
                _ => zone(only),
            }
        }
        name => Err(problem(only, format!("<{name}> is not allowed here; allowed are <zone> and <cluster>"))),
    }
}

/// Reads a flat cluster: a link from each host to a switch, and the backbone, if there is one, between two switches.
fn cluster(cluster: Node<'_, '_>) -> Result<NetworkTable, NetworkProblem> {
    let refused = |name: &str, allowed: &str| match cluster.attribute(name) {
        Some(given) if !given.eq_ignore_ascii_case(allowed) => Err(problem(
            cluster,
            format!("{name}=\"{}\" cannot be expressed; allowed is {allowed}", shown(given)),
        )),
        _ => Ok(()),
    };
    refused("topology", "FLAT")?;
    refused("sharing_policy", "SPLITDUPLEX")?;
    refused("bb_sharing_policy", "SHARED")?;
    for name in ["loopback_bw", "loopback_lat", "limiter_link"] {
        refused(name, "none")?;
    }
    if let Some(other) = elements(cluster).find(|node| !node.has_tag_name("prop")) {
        return Err(problem(other, format!("<{}> is not allowed in a <cluster>", other.tag_name().name())));
    }
    let hosts = radical(cluster)?;
    let (bandwidth, latency) = (bandwidth(cluster, "bw")?, time(cluster, "lat")?);
    let (out, into) = (Vertex::Switch(0), Vertex::Switch(usize::from(cluster.attribute("bb_bw").is_some())));
    let mut links = Vec::new();
    for host in 0..hosts {
        let node = Vertex::Node(host);
        links.push(Edge { from: node, to: out, bandwidth, latency });
        links.push(Edge { from: into, to: node, bandwidth, latency });
    }
    if out != into {
        let bandwidth = self::bandwidth(cluster, "bb_bw")?;
        let latency = if cluster.attribute("bb_lat").is_some() { time(cluster, "bb_lat")? } else { 0.0 };
        links.push(Edge { from: out, to: into, bandwidth, latency });
    }
    Ok(NetworkTable::of_links(hosts, if out == into { 1 } else { 2 }, links))
}

/// Returns the number of hosts of `radical="0-3,7"`.
fn radical(cluster: Node<'_, '_>) -> Result<usize, NetworkProblem> {
    let given = attribute(cluster, "radical")?;
    let wrong = || {
        problem(
            cluster,
            format!("radical=\"{}\" is not a list of numbers and ranges such as 0-3,7", shown(given)),
        )
    };
    let mut hosts = 0_usize;
    for item in given.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let (first, last) =
            number(first).zip(number(last)).filter(|(first, last)| first <= last).ok_or_else(wrong)?;
        hosts = hosts.saturating_add(last - first + 1);
    }
    if hosts > MAX_NODES {
        return Err(problem(cluster, format!("{hosts} hosts are too many; the maximum is {MAX_NODES}")));
    }
    Ok(hosts)
}

/// Reads a zone of hosts, routers, links and routes of one link.
fn zone(zone: Node<'_, '_>) -> Result<NetworkTable, NetworkProblem> {
    let mut vertices: BTreeMap<&str, Vertex> = BTreeMap::new();
    let mut lines: BTreeMap<&str, Line> = BTreeMap::new();
    let (mut hosts, mut routers) = (0, 0);
    for node in elements(zone) {
        let name = node.tag_name().name();
        let known = match name {
            "host" => {
                hosts += 1;
                vertices.insert(attribute(node, "id")?, Vertex::Node(hosts - 1)).is_some()
            }
            "router" => {
                routers += 1;
                vertices.insert(attribute(node, "id")?, Vertex::Switch(routers - 1)).is_some()
            }
            "link" => {
                let is_split = match node.attribute("sharing_policy").unwrap_or("SHARED") {
                    "SPLITDUPLEX" | "FULLDUPLEX" => true,
                    "SHARED" => false,
                    given => {
                        let allowed = "SPLITDUPLEX, and SHARED in one direction";
                        return Err(problem(
                            node,
                            format!(
                                "sharing_policy=\"{}\" cannot be expressed; allowed are {allowed}",
                                shown(given)
                            ),
                        ));
                    }
                };
                let (bandwidth, latency) = (bandwidth(node, "bandwidth")?, time(node, "latency")?);
                lines
                    .insert(attribute(node, "id")?, Line { bandwidth, latency, is_split, used: [false; 2] })
                    .is_some()
            }
            "route" | "prop" => false,
            _ => {
                return Err(problem(
                    node,
                    format!(
                        "<{name}> is not allowed in a <zone>; allowed are <host>, <router>, <link> and <route>"
                    ),
                ));
            }
        };
        if known {
            return Err(problem(node, "another element of the zone has the same id".to_owned()));
        }
    }
    let mut links = Vec::new();
    for route in elements(zone).filter(|node| node.has_tag_name("route")) {
        let end = |name: &str| {
            let id = attribute(route, name)?;
            vertices.get(id).copied().ok_or_else(|| {
                problem(route, format!("{name}=\"{}\" is not a host or a router of the zone", shown(id)))
            })
        };
        let (from, to) = (end("src")?, end("dst")?);
        let mut links_of_route = elements(route);
        let (Some(only), None) = (links_of_route.next(), links_of_route.next()) else {
            return Err(problem(
                route,
                "a route must have one link, between neighbours: others follow from shortest paths"
                    .to_owned(),
            ));
        };
        let id = attribute(only, "id")?;
        let Some(line) = lines.get_mut(id) else {
            return Err(problem(only, format!("id=\"{}\" is not a link of the zone", shown(id))));
        };
        let is_symmetrical =
            !route.attribute("symmetrical").is_some_and(|given| given.eq_ignore_ascii_case("no"));
        let directions = if is_symmetrical { &[(from, to), (to, from)][..] } else { &[(from, to)] };
        for &(from, to) in directions {
            let is_free = line.used.iter().position(|used| !used);
            let is_shared = line.used[0] && !line.is_split;
            let Some(place) = is_free.filter(|_| !is_shared) else {
                let why = if is_shared {
                    "both directions of a SHARED link share its bandwidth"
                } else {
                    "several routes share it"
                };
                return Err(problem(
                    only,
                    format!(
                        "link `{}` cannot be expressed: {why}; allowed is one pair of neighbours for each SPLITDUPLEX link",
                        shown(id)
                    ),
                ));
            };
            line.used[place] = true;
            links.push(Edge { from, to, bandwidth: line.bandwidth, latency: line.latency });
        }
    }
    Ok(NetworkTable::of_links(hosts, routers, links))
}

/// Reads a bandwidth such as `125MBps`, `1Gbps`; a number without a unit is in B/s.
fn bandwidth(node: Node<'_, '_>, name: &str) -> Result<f64, NetworkProblem> {
    let given = attribute(node, name)?;
    if let Ok(number) = given.trim().parse::<f64>() {
        return Ok(number);
    }
    let text = given.trim().strip_suffix("ps").map(|unit| format!("{unit}/s"));
    let read = text.and_then(|text| units::parse_bytes_per_second(&text).ok());
    read.ok_or_else(|| {
        problem(node, format!("{name}=\"{}\" is not a bandwidth such as 125MBps or 1Gbps", shown(given)))
    })
}

/// Reads a time such as `50us`; a number without a unit is in seconds.
fn time(node: Node<'_, '_>, name: &str) -> Result<f64, NetworkProblem> {
    let given = attribute(node, name)?;
    let read = given.trim().parse::<f64>().ok().or_else(|| units::parse_seconds(given).ok());
    read.ok_or_else(|| problem(node, format!("{name}=\"{}\" is not a time such as 50us", shown(given))))
}

#[cfg(test)]
mod tests {
    use crate::{
        time::Span,
        topology::{Network, Topology, network_tests::check_routes},
    };

    fn read(inside: &str) -> Result<Network, String> {
        let text = format!(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n{inside}\n</platform>\n"
        );
        Network::from_text("file:p.xml", &text).map_err(|error| error.to_string())
    }

    fn route(network: &Network, from: usize, to: usize) -> Vec<(String, f64, Span)> {
        let mut route = Vec::new();
        network.route(from, to, &mut route);
        let facts = |link| {
            (network.link(link).to_string(), network.capacity(link).unwrap(), network.latencies()[link])
        };
        route.into_iter().map(facts).collect()
    }

    const CLUSTER: &str = "<zone id=\"z\" routing=\"Full\"><cluster id=\"c\" prefix=\"n-\" suffix=\".me\" radical=\"0-2,7\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" bb_bw=\"2.25GBps\" bb_lat=\"500us\"/></zone>";

    #[test]
    fn a_cluster_has_a_backbone() {
        let network = read(CLUSTER).unwrap();
        assert_eq!((network.nodes(), network.switches(), network.links()), (4, 2, 9));
        let us = Span::from_micros;
        assert_eq!(
            route(&network, 0, 3),
            [
                ("node 0 -> switch 0".to_owned(), 125e6, us(50)),
                ("switch 0 -> switch 1".to_owned(), 2.25e9, us(500)),
                ("switch 1 -> node 3".to_owned(), 125e6, us(50))
            ]
        );
        let star = read(&CLUSTER.replace("bb_bw=\"2.25GBps\" bb_lat=\"500us\"", "")).unwrap();
        assert_eq!(route(&star, 2, 1).len(), 2);
        check_routes(&star);
    }

    const ZONE: &str = "<zone id=\"z\" routing=\"Floyd\">
<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><router id=\"r\"/>
<link id=\"l\" bandwidth=\"1Gbps\" latency=\"1ms\" sharing_policy=\"SPLITDUPLEX\"/>
<link id=\"m\" bandwidth=\"1e6\" latency=\"0\" sharing_policy=\"SPLITDUPLEX\"/>
<route src=\"a\" dst=\"r\"><link_ctn id=\"l\"/></route>
<route src=\"r\" dst=\"b\"><link_ctn id=\"m\"/></route>
</zone>";

    #[test]
    fn a_zone_has_routes_between_neighbours() {
        let network = read(ZONE).unwrap();
        assert_eq!((network.nodes(), network.switches(), network.links()), (2, 1, 4));
        let expected = [
            ("node 1 -> switch 0".to_owned(), 1e6, Span::ZERO),
            ("switch 0 -> node 0".to_owned(), 125e6, Span::from_millis(1)),
        ];
        assert_eq!(route(&network, 1, 0), expected);
    }

    #[test]
    fn what_a_network_file_cannot_say_is_refused_with_its_line() {
        for (text, from, to, why) in [
            (
                CLUSTER,
                "speed=",
                "topology=\"TORUS\" topo_parameters=\"2,2\" speed=",
                "line 4: topology=\"TORUS\" cannot be expressed; allowed is FLAT",
            ),
            (CLUSTER, "0-2,7", "2-0", "radical=\"2-0\" is not a list"),
            (CLUSTER, "125MBps", "fast", "bw=\"fast\" is not a bandwidth such as 125MBps or 1Gbps"),
            (CLUSTER, "50us", "soon", "lat=\"soon\" is not a time such as 50us"),
            (
                ZONE,
                " sharing_policy=\"SPLITDUPLEX\"",
                "",
                "line 8: link `l` cannot be expressed: both directions of a SHARED link share its bandwidth",
            ),
            (ZONE, "SPLITDUPLEX", "FATPIPE", "line 6: sharing_policy=\"FATPIPE\" cannot be expressed"),
            (
                ZONE,
                "<link_ctn id=\"m\"/>",
                "<link_ctn id=\"l\"/>",
                "line 9: link `l` cannot be expressed: several routes share it",
            ),
            (
                ZONE,
                "<link_ctn id=\"m\"/>",
                "<link_ctn id=\"m\"/><link_ctn id=\"l\"/>",
                "line 9: a route must have one link",
            ),
            (ZONE, "dst=\"b\"", "dst=\"c\"", "line 9: dst=\"c\" is not a host or a router of the zone"),
            (ZONE, "<router id=\"r\"/>", "<router id=\"a\"/>", "another element of the zone has the same id"),
            (ZONE, "<router id=\"r\"/>", "<zone id=\"y\"/>", "<zone> is not allowed in a <zone>"),
        ] {
            let refused = read(&text.replacen(from, to, 1)).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
