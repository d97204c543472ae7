//! Messages on networks with switches, with links of their own capacity, and with routes that a file gives: times
//! worked out by hand, and what reports say of the links.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use std::sync::Arc;

use multicomputer::{
    Payload, Span,
    model::{MachineSpec, Parameters, presets},
    prelude::*,
    topology::{self, LinkId, Network, Topology, Vertex},
};

use crate::support::{PATIENCE, run};

/// The machine of this name; bare topologies have alpha = 130 us, beta = 50 ns/byte and links as fast as nodes.
fn machine(name: &str) -> Machine {
    let machine = Machine::builder(name.parse().unwrap_or_else(|error| panic!("{name}: {error}")));
    machine.wall_limit(PATIENCE).deny_unreceived(true).build().unwrap()
}

/// All these messages of 1000 bytes are sent at time 0, by senders that receive nothing; when each is received.
fn received(machine: &Machine, messages: &[(Rank, Rank)]) -> Vec<String> {
    let run = run(machine, |node| {
        for &(from, to) in messages {
            if from == node.rank() {
                node.world().send(to, Payload::phantom(1000))?;
            }
            if to == node.rank() {
                node.world().recv(from)?;
            }
        }
        Ok(())
    });
    messages.iter().map(|&(_, to)| run.report.nodes[to].finished.to_string()).collect()
}

/// Both overheads in a cell, which has one number if they are equal.
fn overheads(cell: &str) -> [Span; 2] {
    let (numbers, _) = cell.rsplit_once(' ').unwrap();
    let (send, receive) = numbers.split_once(", ").unwrap_or((numbers, numbers));
    [send, receive].map(|number| Span::from_secs_f64(number.parse::<f64>().unwrap() * 1e-6))
}

/// The table of presets in docs/machines.md, cell by cell.
#[test]
fn the_page_of_machines_has_the_figures_of_the_presets() {
    let page = include_str!("../../docs/machines.md");
    for name in presets::NAMES {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}:"))).expect(name);
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let parameters = presets::by_name(name).unwrap();
        let micros = |span: Span| span.as_secs_f64() * 1e6;
        assert_eq!(overheads(cells[3]), [parameters.send_overhead(), parameters.receive_overhead()]);
        for (cell, figure) in [
            (4, micros(parameters.exchange_overhead())),
            (5, micros(parameters.hop())),
            (6, parameters.beta() * 1e9),
            (7, parameters.duplex()),
            (8, parameters.link_excess()),
            (9, parameters.gamma() * 1e6),
            (10, parameters.barrier().map_or(f64::NAN, micros)),
        ] {
            let said = cells[cell].split(' ').next().unwrap_or_default();
            match said.parse::<f64>() {
                Ok(said) => assert!((said - figure).abs() < 1e-9, "{name}: {said} is {figure}"),
                Err(_) if cell == 10 => assert!(figure.is_nan() && said == "-", "{name}: {said} is {figure}"),
                Err(_) => assert!(name.starts_with("cm5") && cells[cell] == "per level p", "{name}"),
            }
        }
        let (latency, copy) = match name {
            "host" => (Span::from_micros(20), 0.13e-9),
            "mpi" => (Span::from_nanos(900), 0.022e-9),
            _ => Default::default(),
        };
        assert_eq!((parameters.latency(), parameters.copy()), (latency, copy));
        assert!(cells[1].starts_with(&format!("`{name}:")));
    }
}

/// The table of links and routes in docs/machines.md.
#[test]
fn the_page_of_machines_counts_links_and_routes() {
    for (name, links, longest) in [
        ("line:9", 2 * 8, 8),
        ("ring:9", 2 * 9, 4),
        ("mesh:4x6", 2 * (18 + 20), 3 + 5),
        ("mesh:2x4x6", 2 * (24 + 36 + 40), 1 + 3 + 5),
        ("torus:5x6", 4 * 30, 2 + 3),
        ("torus:3x4x5", 6 * 60, 1 + 2 + 2),
        ("hypercube:32", 32 * 5, 5),
        ("complete:7", 7 * 6, 1),
        ("tree:16", 4 * 15, 8),
        ("fat-tree:64", 8 * 63 / 3, 6),
        ("clos:128:8", 2 * 128 * 3, 6),
        ("dragonfly:9x4x2", 2 * 72 + 9 * 4 * 3 + 9 * 8, 5),
        ("cluster:8x1:450000,50000:clos:32:8", 2 * 32 * 2 + 32 * (4 + 2 * 7), 4 + 4),
    ] {
        let topology = topology::parse(name).unwrap();
        assert_eq!((topology.links(), topology.longest_route()), (links, Some(longest)), "{name}");
    }
}

/// The networks in docs/machines.md.
#[test]
fn the_files_on_the_page_of_machines_are_read() {
    let page = include_str!("../../docs/machines.md");
    let files: Vec<&str> =
        page.split("```toml").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [cluster, network, star] = files[..] else { panic!("{} files", files.len()) };
    assert_eq!(MachineSpec::from_toml(cluster).unwrap().parameters().alpha(), Span::from_micros(3));
    let network = Network::from_toml("page", network).unwrap();
    assert_eq!((network.nodes(), network.switches(), network.links()), (4, 2, 11));
    let mut route = Vec::new();
    network.route(0, 3, &mut route);
    assert_eq!(route.len(), 3);
    assert_eq!(MachineSpec::from_toml(star).unwrap().topology().links(), 6);
}

/// Alone a message takes 180 us, two on one link 230 us, four 330 us.
#[test]
fn messages_meet_where_networks_of_today_are_narrow() {
    // Of 8 ports 6 down and 2 up: receivers 6 and 8 have one spine, 6 and 7 do not.
    let clos = machine("clos:24:8:3");
    assert_eq!(received(&clos, &[(0, 6), (1, 7)]), ["180 us"; 2]);
    assert_eq!(received(&clos, &[(0, 6), (1, 8)]), ["230 us"; 2]);
    assert_eq!(received(&clos, &[(0, 1), (2, 3)]), ["180 us"; 2], "below one leaf");
    // One link from group to group, which all four nodes of the first share; Valiant's routes go through two or more others.
    let all = [(0, 4), (1, 5), (2, 6), (3, 7)];
    assert_eq!(received(&machine("dragonfly:5x2x2"), &all), ["330 us"; 4]);
    let spread = received(&machine("dragonfly:5x2x2:valiant"), &all);
    assert!(spread.iter().all(|time| time.as_str() < "330 us"), "{spread:?}");
    // Two nodes share an adapter of 20 MB/s to another server, and none within their own, where they are as fast as their ports.
    let cluster = machine("cluster:4x2:40,20:complete:4");
    assert_eq!(received(&cluster, &[(0, 4), (1, 5)]), ["230 us"; 2], "one adapter at each end");
    assert_eq!(received(&cluster, &[(0, 4), (2, 5)]), ["230 us"; 2], "one adapter there");
    assert_eq!(received(&cluster, &[(0, 4), (2, 6)]), ["180 us"; 2], "two adapters");
    assert_eq!(received(&cluster, &[(0, 1), (2, 3)]), ["180 us"; 2], "the switch");
}

/// Alone a message takes 180 us, two on one link 230 us, four 330 us.
#[test]
fn messages_meet_below_the_root_of_a_tree() {
    let tree = machine("tree:8");
    assert_eq!(received(&tree, &[(0, 1), (2, 3), (4, 5), (6, 7)]), ["180 us"; 4]);
    assert_eq!(
        received(&tree, &[(0, 4), (1, 6)]),
        ["230 us"; 2],
        "up from switch 0 and 4, down from the root"
    );
    assert_eq!(received(&tree, &[(0, 4), (1, 5), (2, 6), (3, 7)]), ["330 us"; 4]);
    assert_eq!(received(&tree, &[(0, 4), (5, 1)]), ["180 us"; 2], "up and down are two links");
}

/// With as much bandwidth at every level as its leaves have, no message is slower for the others.
#[test]
fn nothing_is_lost_on_a_tree_that_is_fat_enough() {
    let tree = machine("fat-tree:8:2:20");
    assert_eq!(received(&tree, &[(0, 4), (1, 5), (2, 6), (3, 7)]), ["180 us"; 4]);
    let tree = machine("fat-tree:8:2:20,10");
    assert_eq!(received(&tree, &[(0, 4), (1, 5), (2, 6), (3, 7)]), ["230 us"; 4], "10 MB/s a node");
    assert_eq!(received(&tree, &[(0, 4)]), ["180 us"], "what the others leave can be used");
}

/// alpha = 88 us, 0.2 us a link, 125 ns/byte = 8 MB/s at the node; beyond 16 nodes 5 MB/s a node if all send.
#[test]
fn a_cm5_is_slower_beyond_sixteen_nodes() {
    let cm5 = Machine::cm5(32).build().unwrap();
    assert_eq!(received(&cm5, &[(0, 3)]), ["213.4 us"], "88 + 125 + 2 * 0.2");
    assert_eq!(received(&cm5, &[(0, 31)]), ["214.2 us"], "88 + 125 + 6 * 0.2");
    let within: Vec<_> = (0..8).map(|node| (node, node + 8)).collect();
    assert_eq!(received(&cm5, &within), ["213.8 us"; 8], "10 MB/s are enough");
    let across: Vec<_> = (0..16).map(|node| (node, node + 16)).collect();
    assert_eq!(received(&cm5, &across), ["289.2 us"; 16], "88 + 1000 / 5 + 6 * 0.2");
}

/// alpha = 147 us, 10.3 us a dimension, 394 ns/byte.
#[test]
fn dimensions_cost_on_an_ipsc860() {
    let cube = Machine::ipsc860(8).build().unwrap();
    assert_eq!(received(&cube, &[(0, 4)]), ["551.3 us"]);
    assert_eq!(received(&cube, &[(0, 7)]), ["571.9 us"]);
}

/// alpha = 21 us, 13 ns a link, 37 ns/byte, links that carry eleven such messages.
#[test]
fn a_t3d_goes_round_and_links_are_wide() {
    let torus = Machine::t3d(2, 4, 4).build().unwrap();
    assert_eq!(received(&torus, &[(0, 3)]), ["58.013 us"], "one link to the left");
    assert_eq!(received(&torus, &[(0, 26), (3, 27)]), ["58.065 us", "58.039 us"], "five links, and three");
}

#[test]
fn barriers_are_those_of_the_hardware() {
    for (machine, micros) in [(Machine::cm5(5), 4), (Machine::t3d(1, 2, 3), 3)] {
        let run = run(&machine.build().unwrap(), |node| {
            node.compute(Span::from_micros(node.rank() as u64))?;
            Ok(node.world().barrier()?)
        });
        let last = run.report.nodes.len() as u64 - 1;
        assert!(
            run.report
                .nodes
                .iter()
                .all(|node| node.finished.since_start() == Span::from_micros(last + micros))
        );
    }
}

/// 400 us for 1000 bytes at 2.5 MB/s between the switches, 100 us at 10 MB/s on the line of 3 and 7.
#[test]
fn links_and_routes_are_those_of_the_file() {
    let network = machine("file:examples/network.toml");
    assert_eq!(received(&network, &[(0, 1)]), ["180 us"]);
    assert_eq!(received(&network, &[(0, 4)]), ["530 us"]);
    assert_eq!(received(&network, &[(0, 4), (1, 5)]), ["930 us"; 2]);
    assert_eq!(received(&network, &[(3, 7)]), ["230 us"], "their own line");
    assert_eq!(received(&network, &[(7, 3)]), ["530 us"], "the route that is given");
}

#[test]
fn a_network_made_from_a_text_runs_like_any_other() {
    let text = "nodes = 3\nswitches = 1\nlinks = [{ between = [0, 's0'] }, { between = [1, 's0'] }, \
                { between = ['s0', 2], capacity = 1e6 }]";
    let network = Network::from_toml("star", text).unwrap();
    let star = MachineSpec::new("a star", Arc::new(network), Parameters::hockney());
    let star = Machine::builder(star).build().unwrap();
    assert_eq!(received(&star, &[(0, 1), (2, 0)]), ["180 us", "1.13 ms"]);
}

#[test]
fn reports_name_switches() {
    let run = run(&machine("tree:4"), |node| {
        match node.rank() {
            0 => node.world().send(3, vec![7_u8; 1000])?,
            3 => assert_eq!(node.world().recv(0)?.len(), 1000),
            _ => {}
        }
        Ok(())
    });
    let links: Vec<String> = run.report.links.iter().map(|link| link.link.to_string()).collect();
    assert_eq!(
        links,
        ["node 0 -> switch 0", "switch 0 -> switch 2", "switch 1 -> node 3", "switch 2 -> switch 1"]
    );
    assert!(
        run.report.to_string().contains("  switch 0 -> switch 2   1000         1             1       50\n"),
        "{}",
        run.report
    );
    let mut csv = Vec::new();
    run.report.write_links_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.contains("4,switch 0,switch 2,1,1000,50"), "{csv}");
    assert!(serde_json::to_string(&run.report).unwrap().contains(r#"{"from":{"node":0},"to":{"switch":0}}"#));
    let vertices: Vec<Vertex> = run.report.links.iter().map(|link| link.link.to).collect();
    assert!(vertices.contains(&Vertex::Node(3)));
}

#[test]
fn what_has_no_rows_says_so() {
    for name in ["cm5:4", "tree:3", "ipsc860:4", "t3d:1x2x2", "complete:3", "file:examples/network.toml"] {
        let run = run(&machine(name), |node| {
            let refused = [node.row().err(), node.column().err()];
            Ok(refused.map(|error| error.map(|error| error.to_string())))
        });
        for refused in run.outputs.into_iter().flatten() {
            assert!(refused.is_some_and(|text| text.contains(name)), "{name}");
        }
    }
}

/// The same routes, at most once worked out, whichever thread asks first.
#[test]
fn routes_of_a_file_are_the_same_for_all_threads() {
    let ring: String =
        (0..64).map(|node| format!("[[links]]\nbetween = [{node}, {}]\n", (node + 1) % 64)).collect();
    let network = || Network::from_toml("ring", &format!("nodes = 64\n{ring}")).unwrap();
    let routes = |network: &Network, order: &dyn Fn(usize) -> usize| -> Vec<Vec<LinkId>> {
        let mut routes = vec![Vec::new(); 64 * 64];
        for pair in (0..64 * 64).map(order) {
            network.route(pair / 64, pair % 64, &mut routes[pair]);
        }
        routes
    };
    let alone = routes(&network(), &|pair| pair);
    let shared = &network();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                scope.spawn(move || routes(shared, &move |pair| (pair * 5 + thread * 1000) % (64 * 64)))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

/// A line of three nodes whose second link takes 7 us more, and with `hop` = 1 us: a message of 1000 bytes from 0 takes 65 us, 50 us on the
/// links, 1 us for each link, 7 us, and 65 us.
#[test]
fn links_of_a_file_have_their_own_latency() {
    let text = "nodes = 3\nlinks = [{ between = [0, 1] }, { between = [1, 2], latency = \"7 us\" }]\n";
    let network = Arc::new(Network::from_toml("line", text).unwrap());
    let parameters = Parameters::builder()
        .send_overhead(65e-6)
        .receive_overhead(65e-6)
        .beta(50e-9)
        .hop(1e-6)
        .build()
        .unwrap();
    let spec = MachineSpec::new("line", network.clone(), parameters.clone());
    let on = |spec: &MachineSpec, messages: &[(Rank, Rank)]| {
        received(&Machine::builder(spec.clone()).wall_limit(PATIENCE).build().unwrap(), messages)
    };
    for (messages, time) in
        [([(0, 1)], "181 us"), ([(1, 2)], "188 us"), ([(2, 1)], "188 us"), ([(0, 2)], "189 us")]
    {
        assert_eq!(on(&spec, &messages), [time], "{messages:?}");
    }
    // With another placement, and as the network of a cluster.
    let placed = topology::Placed::new(network.clone(), "blocks:3x3".parse().unwrap()).unwrap();
    assert_eq!(on(&MachineSpec::new("placed", Arc::new(placed), parameters.clone()), &[(1, 2)]), ["188 us"]);
    let cluster = topology::Cluster::new(2, 1, 1e9, 1e9, network).unwrap();
    let through = on(&MachineSpec::new("cluster", Arc::new(cluster), parameters), &[(2, 5)]);
    assert_eq!(through, ["192 us"], "five links, one of them with 7 us");
    // Predictions and runs agree.
    let task =
        multicomputer::collective::Task::builder(&spec, multicomputer::collective::Operation::AllReduce);
    let task = task.elements(1000).build().unwrap();
    let plan = multicomputer::collective::Algorithm::AUTO.plan(&task).unwrap();
    let machine = Machine::builder(spec).wall_limit(PATIENCE).build().unwrap();
    let run = run(&machine, |node| {
        let mut data = vec![0_u8; 1000];
        node.world().all_reduce(&mut data, multicomputer::collective::Max)?;
        Ok(())
    });
    assert_eq!(run.report.makespan, plan.prediction().modeled);
    assert!(task.lower_bound().time() <= plan.prediction().modeled.since_start());
    for (latency, why) in
        [("\"7\"", "`7` has no unit"), ("-1.0", "invalid time `-1`; allowed are 0 to 1000000 s")]
    {
        let refused = Network::from_toml("line", &text.replace("\"7 us\"", latency)).unwrap_err().to_string();
        assert!(refused.contains("links, table 2, latency: ") && refused.contains(why), "{refused}");
    }
}
