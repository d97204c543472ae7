//! Topologies of other crates: each defect is reported by the first call that can see it.

use std::sync::Arc;

use multicomputer::{
    Machine, Rank,
    collective::{Operation, Task},
    comm::{Active, Handling},
    error::{ConfigError, Failure, RunError},
    goal,
    model::{MachineSpec, Parameters},
    plan::PlanError,
    prelude::*,
    topology::{Cluster, Defect, Grid, Link, LinkId, Placed, Topology, TopologyError, Vertex},
};

/// A line of three nodes with a link each way between neighbours: links 0 and 1 go up, links 2 and 3 down. Its fields are what
/// a method says instead.
#[derive(Clone, Debug, Default)]
struct Custom {
    nodes: Option<usize>,
    links: Option<usize>,
    link: Option<(LinkId, Link)>,
    capacity: Option<f64>,
    grid: Option<Grid>,
    extents: Option<Vec<usize>>,
    longest_route: Option<usize>,
    /// The route from node 0 to node 2.
    route: Option<Vec<LinkId>>,
    panics_in: &'static str,
}

impl Custom {
    fn panic_in(&self, method: &str) {
        assert!(self.panics_in != method, "no {method}");
    }

    fn machine(self) -> MachineSpec {
        MachineSpec::new("custom", Arc::new(self), Parameters::hockney())
    }
}

impl Topology for Custom {
    fn name(&self) -> String {
        self.panic_in("name");
        "custom".into()
    }

    fn nodes(&self) -> usize {
        self.panic_in("nodes");
        self.nodes.unwrap_or(3)
    }

    fn links(&self) -> usize {
        self.panic_in("links");
        self.links.unwrap_or(4)
    }

    fn link(&self, link: LinkId) -> Link {
        self.panic_in("link");
        match self.link {
            Some((number, ends)) if number == link => ends,
            _ => {
                let [low, high] = [Vertex::Node(link % 2), Vertex::Node(link % 2 + 1)];
                if link < 2 { Link { from: low, to: high } } else { Link { from: high, to: low } }
            }
        }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        self.panic_in("route");
        match (from, to, &self.route) {
            (0, 2, Some(given)) => route.extend(given),
            _ if from <= to => route.extend(from..to),
            _ => route.extend((to..from).rev().map(|link| link + 2)),
        }
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        self.panic_in("capacity");
        self.capacity.filter(|_| link == 3)
    }

    fn longest_route(&self) -> Option<usize> {
        self.panic_in("longest_route");
        self.longest_route
    }

    fn grid(&self) -> Option<Grid> {
        self.panic_in("grid");
        self.grid
    }

    fn extents(&self) -> Vec<usize> {
        self.panic_in("extents");
        self.extents.clone().unwrap_or_else(|| vec![3])
    }
}

/// Returns the error of a topology that cannot become part of a machine; all ways to build one must return it.
fn refusal(topology: Custom) -> TopologyError {
    let Err(ConfigError::Topology(error)) = Machine::builder(topology.clone().machine()).build() else {
        panic!("{topology:?} is built");
    };
    assert!(Task::builder(&topology.clone().machine(), Operation::Broadcast).elements(1).build().is_err());
    let topology: Arc<dyn Topology> = Arc::new(topology);
    let placed = Placed::new(topology.clone(), "random:7".parse().unwrap());
    assert_eq!(placed.unwrap_err(), error);
    assert_eq!(Cluster::new(1, 1, 1e6, 1e6, topology).unwrap_err(), error);
    error
}

#[test]
fn a_sound_topology_is_as_one_of_the_library() {
    let send = |machine: MachineSpec| {
        let run = Machine::builder(machine).build().unwrap().run(|node| {
            let world = node.world();
            match world.rank() {
                0 => world.send(2, [1_u8; 1000])?,
                2 => drop(world.recv(0)?),
                _ => {}
            }
            world.broadcast(1, &mut [2.0_f64; 64])?;
            Ok(())
        });
        run.unwrap().report.makespan
    };
    let line = || "line:3".parse::<MachineSpec>().unwrap();
    assert_eq!(send(Custom::default().machine()), send(line()));
    let placed = |machine: MachineSpec| machine.with_placement("random:7".parse().unwrap()).unwrap();
    assert_eq!(send(placed(Custom::default().machine())), send(placed(line())));
    // A link without limit, and a switch that `switches` does not count.
    assert!(
        Machine::builder(Custom { capacity: Some(f64::INFINITY), ..Custom::default() }.machine())
            .build()
            .is_ok()
    );
}

#[test]
fn what_a_topology_says_of_itself_and_of_its_links_is_checked_when_a_machine_is_built() {
    let is = |topology: Custom, text: &str| assert_eq!(refusal(topology).to_string(), text);
    let custom = Custom::default;
    is(Custom { nodes: Some(0), ..custom() }, "`custom` has no nodes; every extent must be at least 1");
    is(
        Custom { nodes: Some(1 << 40), ..custom() },
        "`custom` has too many nodes; allowed are at most 536870911",
    );
    // Nothing is allocated for them.
    is(
        Custom { links: Some(3_000_000_000), ..custom() },
        "`custom` has too many links; allowed are at most 2147483647",
    );
    let unsound = |topology: Custom, text: &str| {
        let error = refusal(topology);
        assert!(matches!(error, TopologyError::Invalid { .. }), "{error}");
        assert_eq!(error.to_string(), format!("invalid topology `custom`: {text}"));
    };
    let product = "the product of the extents must be the number of nodes";
    unsound(
        Custom { grid: Some(Grid::new(2, 2).unwrap()), ..custom() },
        &format!("`grid` is 2x2, but `nodes` is 3: {product}"),
    );
    unsound(
        Custom { extents: Some(vec![2, 3]), ..custom() },
        &format!("`extents` is [2, 3], but `nodes` is 3: {product}"),
    );
    let to = |node| Some((1, Link { from: Vertex::Node(1), to: Vertex::Node(node) }));
    unsound(Custom { link: to(3), ..custom() }, "link 1 is node 1 -> node 3, but the nodes are 0 to 2");
    unsound(
        Custom { link: to(1), ..custom() },
        "link 1 is node 1 -> node 1: a link must join two different vertices",
    );
    for (capacity, given) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN")] {
        let text = format!("the capacity of link 3 is {given} bytes/s: it must be a number above 0");
        unsound(Custom { capacity: Some(capacity), ..custom() }, &text);
    }
}

#[test]
fn panics_of_its_methods_are_errors() {
    for method in ["nodes", "links", "link", "capacity", "grid", "extents", "longest_route", "name"] {
        let TopologyError::Invalid { defect, .. } =
            refusal(Custom { panics_in: method, ..Custom::default() })
        else {
            panic!("{method}");
        };
        assert_eq!(*defect, Defect::Panicked { method, message: format!("no {method}") });
    }
}

/// Each wrong route from node 0 to node 2, with what is wrong.
fn wrong_routes() -> Vec<(Custom, &'static str)> {
    let by = |route: &[LinkId]| Custom { route: Some(route.to_vec()), ..Custom::default() };
    vec![
        (by(&[]), "the route from node 0 to node 2 has no links"),
        (by(&[0]), "the route from node 0 to node 2 ends at node 1"),
        (by(&[1]), "the route from node 0 to node 2 takes link 1 from node 1, but has reached node 0"),
        (by(&[0, 3]), "the route from node 0 to node 2 takes link 3 from node 2, but has reached node 1"),
        (by(&[0, 4]), "the route from node 0 to node 2 takes link 4, but the links are 0 to 3"),
        (by(&[0, 2, 0, 1]), "the route from node 0 to node 2 visits node 0 twice"),
        (
            Custom { longest_route: Some(1), ..Custom::default() },
            "the route from node 0 to node 2 has 2 links, but `longest_route` is 1",
        ),
        (Custom { panics_in: "route", ..Custom::default() }, "`route` panicked: no route"),
    ]
}

#[test]
fn routes_are_checked_when_they_are_taken() {
    for (topology, text) in wrong_routes() {
        let text = format!("invalid topology `custom`: {text}");
        let machine = topology.clone().machine();
        let built = Machine::builder(machine.clone()).build().unwrap();
        let send = |node: &Node<'_>| match node.rank() {
            0 => Ok(node.world().send(2, [1_u8; 8])?),
            2 => node.world().recv(0).map(drop).map_err(Failure::from),
            _ => Ok(()),
        };
        let error = built.run(send).unwrap_err();
        assert!(matches!(error, RunError::Topology(_)), "{error}");
        assert_eq!(error.to_string(), text);
        // An active message, which takes no link.
        let error = built
            .run(|node| {
                let active = Active::new(node.world(), Handling::Polled, |_, _| {})?;
                if node.rank() == 0 {
                    active.send(2, [0, 0])?;
                }
                Ok(())
            })
            .unwrap_err();
        assert_eq!(error.to_string(), text);
        // A plan of members that have no other way, and its use within a run.
        let task =
            Task::builder(&machine, Operation::Broadcast).members([0, 2]).elements(1 << 16).build().unwrap();
        let error = multicomputer::collective::Algorithm::AUTO.plan(&task).unwrap_err();
        assert!(matches!(error, PlanError::Topology(_)), "{error}");
        assert_eq!(error.to_string(), text);
        let broadcast = |node: &Node<'_>| match node.world().split_by(|rank| rank == 1)? {
            group if group.size() == 2 => Ok(group.broadcast(0, &mut [1.0_f64; 1000])?),
            _ => Ok(()),
        };
        let error = built.run(broadcast).unwrap_err();
        let failed = format!(" failed: {text} (last call: tests/machine/topologies.rs:");
        assert!(error.to_string().contains(&failed), "{error}");
        // A program that is predicted on one thread.
        let program = goal::Program::read(
            &b"num_ranks 3\nrank 0 {\na: send 8b to 2\n}\nrank 2 {\nb: recv 8b from 0\n}\n"[..],
        );
        let error = goal::predict(&machine, &program.unwrap(), goal::Sends::default()).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_wrong_route_that_nobody_takes_changes_nothing() {
    let machine = wrong_routes().remove(0).0.machine();
    let run = Machine::builder(machine).build().unwrap().run(|node| match node.rank() {
        0 => Ok(node.world().send(1, [1_u8; 8])?),
        1 => node.world().recv(0).map(drop).map_err(Failure::from),
        _ => Ok(()),
    });
    assert!(run.is_ok());
}
