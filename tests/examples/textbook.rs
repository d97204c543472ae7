//! The examples after the textbook.

use multicomputer::textbook::Algorithm;

#[path = "../../examples/25_textbook_hypercube.rs"]
pub mod hypercube;
#[path = "../../examples/26_matrix_vector.rs"]
pub mod matrix_vector;
#[path = "../../examples/23_textbook_mesh.rs"]
pub mod mesh;
#[path = "../../examples/21_textbook_one_to_all.rs"]
pub mod one_to_all;
#[path = "../../examples/27_pipelined.rs"]
pub mod pipelined;
#[path = "../../examples/22_textbook_reduction.rs"]
pub mod reduction;
#[path = "../../examples/24_textbook_ring.rs"]
pub mod ring;
#[path = "../../examples/28_topologies.rs"]
pub mod topologies;

#[test]
fn one_to_all_broadcasts_take_what_their_links_take() {
    let found = one_to_all::NETWORKS.map(|network| {
        one_to_all::ALGORITHMS.map(|algorithm| {
            let times = one_to_all::broadcast(network, algorithm).unwrap();
            assert_eq!(times.program, times.library, "{algorithm} on {network}");
            (times.program.to_string(), times.equation.to_string(), times.sharing)
        })
    });
    let row = |nearest: &str, sharing: u64| {
        let line =
            |program: &str, equation: &str, sharing| (program.to_owned(), equation.to_owned(), sharing);
        [line("1.26 ms", "1.26 ms", 1), line(nearest, "540 us", sharing), line("540 us", "540 us", 1)]
    };
    assert_eq!(found, [row("740 us", 4), row("540 us", 1), row("740 us", 4)]);
}

#[test]
fn maps_are_combined_in_the_order_of_ranks() {
    let expected: Vec<reduction::Map> = (0..reduction::LENGTH)
        .map(|j| (0..8).map(|rank| reduction::maps(rank)[j]).reduce(reduction::then).unwrap())
        .collect();
    for network in reduction::NETWORKS {
        let (sum, program, library, equation) = reduction::reduce(network).unwrap();
        assert_eq!(sum, expected, "{network}");
        assert_eq!((program, equation.to_string()), (library, "1.29 ms".to_owned()), "{network}");
        assert_eq!(program.since_start(), equation, "{network}");
    }
}

#[test]
fn meshes_are_done_dimension_by_dimension() {
    let all_to_all = ["1.53 ms", "1.79 ms", "1.4 ms"];
    for (network, all_to_all) in mesh::MESHES.into_iter().zip(all_to_all) {
        for (algorithm, expected) in
            [(Algorithm::MESH_ONE_TO_ALL, "720 us"), (Algorithm::MESH_ALL_TO_ALL, all_to_all)]
        {
            let (program, library, equation) = mesh::on_mesh(network, algorithm).unwrap();
            assert_eq!((program, program.since_start()), (library, equation), "{algorithm} on {network}");
            assert_eq!(program.to_string(), expected, "{algorithm} on {network}");
        }
    }
}

#[test]
fn a_ring_and_a_linear_array_take_the_same_time() {
    for (network, broadcast, reduction, both_ways) in [
        ("ring:8", "1.19 ms", "1.274 ms", "1.87 ms"),
        ("ring:13", "2.04 ms", "2.184 ms", "3.165 ms"),
        ("line:13", "2.04 ms", "2.184 ms", "3.165 ms"),
    ] {
        for (algorithm, expected) in
            [(Algorithm::RING_ALL_TO_ALL, broadcast), (Algorithm::RING_REDUCTION, reduction)]
        {
            let (program, library, equation) = ring::all_to_all(network, algorithm).unwrap();
            let program = program.unwrap();
            assert_eq!((program, program.since_start()), (library, equation), "{algorithm} on {network}");
            assert_eq!(program.to_string(), expected, "{algorithm} on {network}");
        }
        let (program, library, equation) = ring::all_to_all(network, Algorithm::LINE_ALL_TO_ALL).unwrap();
        assert_eq!((program, library.to_string()), (None, both_ways.to_owned()));
        assert!(library.since_start() <= equation);
    }
}

#[test]
fn a_hypercube_algorithm_is_congested_on_a_ring() {
    for (algorithm, turned) in
        [(Algorithm::HYPERCUBE_ALL_TO_ALL, false), (Algorithm::HYPERCUBE_REDUCTION, true)]
    {
        let expected = [
            ("740 us", [1, 1, 1], "node 0 -> node 4, 1 at once"),
            ("840 us", [1, 2, 1], "node 1 -> node 2, 2 at once"),
            ("1.44 ms", [1, 2, 4], "node 1 -> node 2, 4 at once"),
            ("1.44 ms", [1, 2, 4], "node 3 -> node 4, 4 at once"),
            ("740 us", [1, 2, 4], "node 1 -> node 2, 4 at once"),
        ];
        for ((network, k), (time, mut sharing, link)) in hypercube::NETWORKS.into_iter().zip(expected) {
            if turned {
                sharing.reverse();
            }
            let found = hypercube::all_to_all(network, k, algorithm).unwrap();
            assert_eq!(
                (found.program, found.program.to_string().as_str()),
                (found.library, time),
                "{network}"
            );
            assert_eq!(found.equation.to_string(), "740 us");
            assert_eq!((&*found.sharing, &*found.link), (&sharing[..], link), "{algorithm} on {network}");
        }
    }
}

#[test]
fn a_matrix_times_a_vector_takes_what_the_equation_says() {
    let expected = ["522.5 us", "632 us", "667.2 us", "2.22 ms"];
    for (size @ (.., n), expected) in matrix_vector::SIZES.into_iter().zip(expected) {
        let (y, program, library, equation) = matrix_vector::product(size).unwrap();
        let row = |i: usize| (0..n).map(|j| matrix_vector::element(i, j) * matrix_vector::x(j)).sum::<f64>();
        assert_eq!(y, (0..n).map(row).collect::<Vec<_>>());
        assert_eq!((program, program.since_start()), (library, equation), "{size:?}");
        assert_eq!(program.to_string(), expected, "{size:?}");
    }
}

#[test]
fn broadcasts_are_better_pipelined_from_three_of_eight_on() {
    let in_turn = ["540 us", "1.08 ms", "1.62 ms", "2.16 ms", "4.32 ms"];
    for (sources, in_turn) in pipelined::SOURCES.into_iter().zip(in_turn) {
        for (network, algorithm, expected) in
            [("hypercube:8", Algorithm::IN_TURN, in_turn), ("ring:8", Algorithm::PIPELINED, "1.26 ms")]
        {
            let (program, library, equation) = pipelined::broadcasts(network, algorithm, sources).unwrap();
            assert_eq!((program, program.since_start()), (library, equation), "{algorithm}, {sources}");
            assert_eq!(program.to_string(), expected, "{algorithm}, {sources}");
        }
    }
}

#[test]
fn one_program_on_every_network() {
    let expected = [
        (30, 15, "6.52 ms", 8, "node 7 -> node 8"),
        (32, 8, "6.52 ms", 8, "node 0 -> node 1"),
        (48, 6, "2.92 ms", 2, "node 1 -> node 2"),
        (64, 4, "2.92 ms", 2, "node 0 -> node 1"),
        (56, 5, "2.52 ms", 2, "node 1 -> node 2"),
        (64, 4, "2.52 ms", 2, "node 0 -> node 1"),
        (64, 4, "2.12 ms", 1, "node 0 -> node 1"),
        (60, 8, "6.52 ms", 8, "switch 12 -> switch 14"),
        (40, 4, "2.92 ms", 4, "switch 0 -> switch 4"),
        (64, 4, "2.12 ms", 1, "node 0 -> switch 0"),
        // Within a router 530 us, within a group two share a link (930 us), and from group to group four (1730 us, twice).
        (52, 5, "4.92 ms", 4, "switch 0 -> switch 2"),
        // Within a server 530 us, twice; between servers two share an adapter (930 us, twice).
        (64, 6, "2.92 ms", 2, "switch 0 -> switch 4"),
        (240, 1, "2.12 ms", 1, "node 0 -> node 1"),
    ];
    let sum: Vec<f64> = (0..topologies::LENGTH).map(|j| (120 * j) as f64).collect();
    for (network, (links, longest, time, messages, link)) in topologies::NETWORKS.into_iter().zip(expected) {
        assert_eq!(topologies::size_of(network).unwrap(), (links, longest), "{network}");
        let run = topologies::sum_of_all(network).unwrap();
        assert!(run.outputs.iter().all(|output| *output == sum));
        assert_eq!(run.report.makespan.to_string(), time, "{network}");
        assert_eq!(topologies::most_shared(&run), (messages, link.to_owned()), "{network}");
    }
}
