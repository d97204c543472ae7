//! Topologies against arithmetic.

use super::{Cartesian, Graph};
use crate::{
    abi,
    testing::{Tester, run},
    word::Handle,
};

const WORLD: usize = abi::COMM_WORLD.0;

#[test]
fn ranks_are_row_major() {
    let grid = Cartesian { dims: vec![(3, false), (4, true), (2, false)] };
    assert_eq!(grid.size(), 24);
    for rank in 0..24 {
        let [x, y, z] = [rank / 8, rank / 2 % 4, rank % 2];
        assert_eq!(grid.coordinates(rank), [x, y, z]);
        for distance in -9..=9_i64 {
            let x2 = x as i64 + distance;
            let along =
                if (0..3).contains(&x2) { (x2 as usize * 8 + y * 2 + z) as i32 } else { abi::PROC_NULL };
            assert_eq!(grid.shifted(rank, 0, distance), along);
            let y2 = (y as i64 + distance).rem_euclid(4) as usize;
            assert_eq!(grid.shifted(rank, 1, distance), (x * 8 + y2 * 2 + z) as i32);
        }
    }
    assert_eq!(grid.neighbors(0), [-3, 8, 6, 2, -3, 1]);
    assert_eq!(grid.rank([1, -5, 1]), Ok(8 + 3 * 2 + 1));
    assert_eq!(grid.rank([0, 0, 2]), Err(2));
    for remains in 0..8 {
        let remains = |dimension: usize| remains >> dimension & 1 == 1;
        for rank in 0..24 {
            let [here, same] =
                [grid.coordinates(rank), (0..3).filter(|&dimension| !remains(dimension)).collect()];
            let is_member = |other: &usize| same.iter().all(|&at| grid.coordinates(*other)[at] == here[at]);
            let (sub, members) = grid.sub(rank, remains);
            assert_eq!(members, (0..24).filter(is_member).collect::<Vec<_>>());
            let dims: Vec<_> =
                (0..3).filter(|&dimension| remains(dimension)).map(|at| grid.dims[at]).collect();
            assert_eq!(sub.dims, dims);
        }
    }
    let point = Cartesian { dims: Vec::new() };
    assert_eq!((point.size(), point.rank([]), point.neighbors(0)), (1, Ok(0), Vec::new()));
}

/// The example of the standard: 0 with 1 and 3, 1 with 0, 2 with 3, 3 with 0 and 2.
#[test]
fn a_graph_of_the_standard() {
    let graph = Graph { index: vec![2, 3, 4, 6], edges: vec![1, 3, 0, 3, 0, 2] };
    let neighbors: Vec<&[i32]> = (0..4).map(|rank| graph.neighbors(rank)).collect();
    assert_eq!(neighbors, [&[1, 3][..], &[0], &[3], &[0, 2]]);
}

#[test]
fn a_cylinder_of_six_of_seven_processes() {
    run(7, |tester| {
        tester.errors_return();
        let [dims, periods] = [[2, 3], [0, 1]].map(|values| tester.ints(&values));
        let rank: i32 = tester.result("MPI_Cart_map", &[WORLD, 2, dims, periods]);
        let Handle(grid) = tester.result("MPI_Cart_create", &[WORLD, 2, dims, periods, 1]);
        if tester.rank == 6 {
            assert_eq!((grid, rank), (abi::COMM_NULL.0, abi::UNDEFINED));
            return;
        }
        let here = [tester.rank as i32 / 3, tester.rank as i32 % 3];
        assert_eq!(rank, tester.rank as i32);
        assert_eq!(tester.result::<i32>("MPI_Topo_test", &[grid]), abi::CART);
        assert_eq!(tester.result::<i32>("MPI_Topo_test", &[WORLD]), abi::UNDEFINED);
        assert_eq!(tester.result::<i32>("MPI_Cartdim_get", &[grid]), 2);
        assert_eq!(
            tester.result::<i32>("MPI_Cart_rank", &[grid, tester.ints(&[here[0], here[1] - 3])]),
            rank
        );
        let got = [0; 3].map(|_| tester.room(2));
        tester.ok("MPI_Cart_get", &[grid, 2, got[0], got[1], got[2]]);
        assert_eq!(got.map(|at| tester.read(at, 2)), [vec![2, 3], vec![0, 1], here.to_vec()]);
        tester.ok("MPI_Cart_coords", &[grid, 5, 2, got[0]]);
        assert_eq!(tester.read(got[0], 2), [1, 2]);
        let shift = |direction: usize, distance: i32| {
            let [source, destination] = [0; 2].map(|_| tester.room(1));
            tester.ok("MPI_Cart_shift", &[grid, direction, distance as usize, source, destination]);
            [source, destination].map(|at| tester.read(at, 1)[0])
        };
        let row = |column: i32| here[0] * 3 + column.rem_euclid(3);
        assert_eq!(shift(1, 1), [row(here[1] - 1), row(here[1] + 1)]);
        let other = (rank + 3) % 6;
        assert_eq!(shift(0, 1), if here[0] == 0 { [abi::PROC_NULL, other] } else { [other, abi::PROC_NULL] });
        // Columns, rows, and every process by itself.
        for (remain, size, place) in [([1, 0], 2, here[0]), ([0, 1], 3, here[1]), ([0, 0], 1, 0)] {
            let Handle(sub) = tester.result("MPI_Cart_sub", &[grid, tester.ints(&remain)]);
            assert_eq!(tester.result::<i32>("MPI_Comm_size", &[sub]), size);
            assert_eq!(tester.result::<i32>("MPI_Comm_rank", &[sub]), place);
            assert_eq!(tester.result::<i32>("MPI_Cartdim_get", &[sub]), remain[0] + remain[1]);
        }
        let out = tester.room(2);
        assert_eq!(tester.code("MPI_Cart_rank", &[grid, tester.ints(&[2, 0]), out]), 13);
        assert_eq!(tester.code("MPI_Cart_shift", &[grid, 2, 1, out, out]), 13);
        assert_eq!(tester.code("MPI_Graph_neighbors_count", &[grid, 0, out]), 11);
        let large = tester.ints(&[2, 2]);
        assert_eq!(tester.code("MPI_Cart_create", &[grid, 2, tester.ints(&[4, 4]), large, 0, out]), 12);
    });
}

#[test]
fn dims_create() {
    run(1, |tester| {
        let dims = tester.ints(&[0, 3, 0]);
        tester.ok("MPI_Dims_create", &[60, 3, dims]);
        assert_eq!(tester.read(dims, 3), [5, 3, 4]);
    });
}

#[test]
fn graphs() {
    run(5, |tester| {
        let [index, edges] = [&[2, 3, 4, 6][..], &[1, 3, 0, 3, 0, 2]].map(|values| tester.ints(values));
        let Handle(graph) = tester.result("MPI_Graph_create", &[WORLD, 4, index, edges, 0]);
        assert_eq!(graph == abi::COMM_NULL.0, tester.rank == 4);
        if tester.rank < 4 {
            assert_eq!(tester.result::<i32>("MPI_Topo_test", &[graph]), abi::GRAPH);
            assert_eq!(tester.result::<i32>("MPI_Graph_neighbors_count", &[graph, 3]), 2);
            let room = tester.room(6);
            tester.ok("MPI_Graph_neighbors", &[graph, 3, 2, room]);
            assert_eq!(tester.read(room, 2), [0, 2]);
            let [all, into] = [0; 2].map(|_| tester.room(6));
            tester.ok("MPI_Graph_get", &[graph, 4, 6, all, into]);
            assert_eq!(tester.read(into, 6), [1, 3, 0, 3, 0, 2]);
        }
    });
}

/// What `MPI_Dist_graph_neighbors` returns: ranks and weights of sources and destinations.
fn neighbors(tester: &Tester<'_, '_>, graph: usize) -> (i32, [Vec<i32>; 4]) {
    let [indegree, outdegree, weighted] = [0; 3].map(|_| tester.room(1));
    tester.ok("MPI_Dist_graph_neighbors_count", &[graph, indegree, outdegree, weighted]);
    let [n, m, weighted] = [indegree, outdegree, weighted].map(|at| tester.read(at, 1)[0]);
    let counts = [n, n, m, m].map(|count| count as usize);
    let [a, b, c, d] = counts.map(|count| tester.room(count + 1));
    tester.ok("MPI_Dist_graph_neighbors", &[graph, n as usize, a, b, m as usize, c, d]);
    let read = |at, index: usize| tester.read(at, counts[index]);
    (weighted, [read(a, 0), read(b, 1), read(c, 2), read(d, 3)])
}

/// Rank r sends to r + 1 and r + 2, with the weights 10 and 20; the next rank gives its edges.
#[test]
fn distributed_graphs() {
    run(5, |tester| {
        let around = |distance: i32| (tester.rank as i32 + distance).rem_euclid(5);
        let [sources, degrees] = [[around(-1)], [2]].map(|values| tester.ints(&values));
        let [destinations, weights] = [[around(0), around(1)], [10, 20]].map(|values| tester.ints(&values));
        let info = abi::INFO_NULL.0;
        let words = [WORLD, 1, sources, degrees, destinations, weights, info, 0];
        let Handle(graph) = tester.result("MPI_Dist_graph_create", &words);
        let (is_weighted, [mut from, mut from_weights, to, to_weights]) = neighbors(tester, graph);
        assert_eq!((is_weighted, to, to_weights), (1, vec![around(1), around(2)], vec![10, 20]));
        // The order is that of the ranks that gave the edges.
        if from[0] != around(-1) {
            from.reverse();
            from_weights.reverse();
        }
        assert_eq!((from, from_weights), (vec![around(-1), around(-2)], vec![10, 20]));

        let sources = tester.ints(&[around(-2), around(-1)]);
        let destinations = tester.ints(&[around(2), around(1)]);
        let none = abi::UNWEIGHTED;
        let words = [WORLD, 2, sources, none, 2, destinations, none, info, 0];
        let Handle(graph) = tester.result("MPI_Dist_graph_create_adjacent", &words);
        assert_eq!(tester.result::<i32>("MPI_Topo_test", &[graph]), abi::DIST_GRAPH);
        let (is_weighted, [from, _, to, _]) = neighbors(tester, graph);
        assert_eq!((is_weighted, from, to), (0, vec![around(-2), around(-1)], vec![around(2), around(1)]));
    });
}
