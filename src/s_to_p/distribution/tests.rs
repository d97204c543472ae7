use super::*;

const TEN: Grid = Grid { rows: 10, columns: 10 };
const SHAPES: [(usize, usize); 12] =
    [(1, 1), (1, 9), (9, 1), (3, 5), (5, 3), (7, 13), (13, 7), (8, 8), (2, 12), (12, 2), (4, 40), (40, 4)];

fn drawn(distribution: Distribution, grid: Grid, sources: usize) -> String {
    picture(grid, &distribution.place(grid, sources).unwrap()).replace(' ', "")
}

fn grid(text: &str) -> Grid {
    text.parse().unwrap()
}

#[test]
fn figure_1_row() {
    let expected = "\
●●●●●●●●●●
··········
··········
●●●●●●●●●●
··········
··········
●●●●●●●●●●
··········
··········
··········
";
    assert_eq!(drawn(Distribution::Row, TEN, 30), expected);
}

#[test]
fn figure_1_right_diagonal() {
    let expected = "\
●··●··●···
·●··●··●··
··●··●··●·
···●··●··●
●···●··●··
·●···●··●·
··●···●··●
●··●···●··
·●··●···●·
··●··●···●
";
    assert_eq!(drawn(Distribution::RightDiagonal, TEN, 30), expected);
}

#[test]
fn figure_1_cross() {
    let expected = "\
●●●●●●●●●●
●····●····
●····●····
●····●····
●····●····
●●●●●●●···
●····●····
●·········
●·········
●·········
";
    assert_eq!(drawn(Distribution::Cross, TEN, 30), expected);
}

#[test]
fn columns_on_small_meshes() {
    assert_eq!(drawn(Distribution::Column, grid("3x5"), 5), "●·●··\n●·●··\n●····\n");
    assert_eq!(drawn(Distribution::Column, grid("5x3"), 6), "●●·\n●··\n●··\n●··\n●··\n");
}

#[test]
fn left_diagonals_on_small_meshes() {
    // The mirror image of the example in the documentation.
    assert_eq!(drawn(Distribution::LeftDiagonal, grid("4x5"), 7), "··●·●\n·●·●·\n●·●··\n·●···\n");
    assert_eq!(drawn(Distribution::LeftDiagonal, grid("5x3"), 5), "··●\n·●·\n●··\n··●\n·●·\n");
}

#[test]
fn equal_on_small_meshes() {
    // Sources at every third or fourth node.
    assert_eq!(drawn(Distribution::Equal, grid("3x5"), 4), "●··●·\n··●··\n·●···\n");
    // Sources at every third node of rows of six.
    assert_eq!(drawn(Distribution::Equal, grid("3x6"), 6), "●··●··\n".repeat(3));
    assert_eq!(drawn(Distribution::Equal, grid("4x2"), 3), "●·\n●·\n·●\n··\n");
}

#[test]
fn crosses_on_small_meshes() {
    assert_eq!(drawn(Distribution::Cross, grid("3x5"), 7), "●●●●●\n●····\n●····\n");
    assert_eq!(drawn(Distribution::Cross, grid("5x3"), 5), "●●●\n●··\n●··\n···\n···\n");
    assert_eq!(drawn(Distribution::Cross, grid("4x4"), 8), "●●●●\n●·●·\n●···\n●···\n");
}

/// Four diagonals form two bands of two, and the last diagonal may be incomplete.
#[test]
fn bands_on_small_meshes() {
    assert_eq!(drawn(Distribution::Band, grid("4x8"), 14), "●●··●●··\n·●●··●●·\n··●●··●·\n···●●··●\n");
    assert_eq!(drawn(Distribution::Band, grid("3x8"), 11), "●●··●●··\n·●●··●●·\n··●●··●·\n");
    assert_eq!(drawn(Distribution::Band, grid("4x3"), 5), "●●·\n·●·\n··●\n●··\n");
}

/// Five diagonals form three bands of two. Full bands would cover six columns, which are all columns of the mesh or more, so the bands
/// touch.
#[test]
fn bands_too_wide_to_be_spread_touch() {
    assert_eq!(drawn(Distribution::Band, grid("2x5"), 9), "●●●●●\n·●●●●\n");
    assert_eq!(drawn(Distribution::Band, grid("2x6"), 9), "●●●●●·\n·●●●●·\n");
}

#[test]
fn blocks_start_at_the_given_position() {
    let block = |top, left| Distribution::Block { rows: 2, columns: 3, top, left };
    assert_eq!(drawn(block(0, 0), grid("3x5"), 6), "●●●··\n●●●··\n·····\n");
    assert_eq!(drawn(block(1, 2), grid("3x5"), 6), "·····\n··●●●\n··●●●\n");
    assert_eq!(block(1, 2).sources(), Some(6));
}

#[test]
fn the_square_block_of_30_is_six_wide() {
    let expected = "●●●●●●····\n".repeat(5) + &"··········\n".repeat(5);
    assert_eq!(drawn(Distribution::SquareBlock, TEN, 30), expected);
}

#[test]
fn a_block_adapts_to_a_narrow_mesh() {
    assert_eq!(drawn(Distribution::SquareBlock, grid("2x8"), 10), "●●●●●···\n●●●●●···\n");
    assert_eq!(drawn(Distribution::SquareBlock, grid("5x2"), 9), "●●\n●●\n●●\n●●\n●·\n");
}

/// The report's 27 sources, in rows and in columns.
#[test]
fn only_the_last_line_is_incomplete() {
    let rows = Distribution::Row.place(TEN, 27).unwrap();
    let in_row = |row| rows.iter().filter(|&&rank| rank / 10 == row).count();
    assert_eq!([in_row(0), in_row(3), in_row(6)], [10, 10, 7]);
    let columns = Distribution::Column.place(TEN, 27).unwrap();
    let in_column = |column| columns.iter().filter(|&&rank| rank % 10 == column).count();
    assert_eq!([in_column(0), in_column(3), in_column(6)], [10, 10, 7]);
    assert_eq!(Distribution::RightDiagonal.place(TEN, 10).unwrap(), (0..100).step_by(11).collect::<Vec<_>>());
    assert_eq!(Distribution::RightDiagonal.place(TEN, 12).unwrap()[..4], [0, 5, 11, 16]);
}

#[test]
fn two_rows_of_ten_are_the_first_and_the_sixth() {
    let rows = Distribution::Row.place(TEN, 20).unwrap();
    assert!(rows.iter().all(|rank| matches!(rank / 10, 0 | 5)));
}

#[test]
fn every_number_of_sources_fits_on_every_shape() {
    let random = Distribution::Random { seed: 3 };
    for (rows, columns) in SHAPES {
        let grid = Grid { rows, columns };
        for distribution in Distribution::ALL.iter().chain([&random]) {
            for sources in 1..=grid.nodes() {
                let ranks = distribution.place(grid, sources).unwrap();
                let case = format!("{distribution} {sources} on {grid}");
                assert_eq!(ranks.len(), sources, "{case}");
                assert!(ranks.is_sorted_by(|a, b| a < b), "{case}");
                assert!(ranks[sources - 1] < grid.nodes(), "{case}");
                let first = match distribution {
                    Distribution::Random { .. } => continue,
                    Distribution::LeftDiagonal => columns - 1,
                    _ => 0,
                };
                assert!(ranks.contains(&first), "{case}: the first corner is always a source");
            }
        }
    }
}

#[test]
fn left_and_right_diagonals_are_mirror_images() {
    for (rows, columns) in SHAPES {
        let grid = Grid { rows, columns };
        for sources in 1..=grid.nodes() {
            let right = Distribution::RightDiagonal.place(grid, sources).unwrap();
            let mut mirrored: Vec<Rank> =
                right.iter().map(|rank| rank - rank % columns + columns - 1 - rank % columns).collect();
            mirrored.sort_unstable();
            assert_eq!(Distribution::LeftDiagonal.place(grid, sources).unwrap(), mirrored);
        }
    }
}

#[test]
fn bands_of_one_diagonal_are_right_diagonals() {
    for sources in [1, 10, 17, 20] {
        assert_eq!(Distribution::Band.place(TEN, sources), Distribution::RightDiagonal.place(TEN, sources));
    }
}

/// The expected ranks were computed from the documented rule with another implementation of ChaCha8.
#[test]
fn random_nodes_are_the_same_every_time() {
    let random = |seed, grid, sources| Distribution::Random { seed }.place(grid, sources).unwrap();
    assert_eq!(random(7, grid("4x5"), 6), [2, 7, 13, 16, 17, 18]);
    assert_eq!(random(1, grid("5x4"), 6), [1, 5, 11, 12, 14, 17]);
    assert_eq!(random(7, TEN, 5), [2, 26, 40, 89, 94]);
    assert_eq!(random(7, TEN, 8), [2, 17, 26, 40, 71, 89, 93, 94], "the five of before are among them");
}

#[test]
fn a_list_is_put_in_order() {
    let list = Distribution::Listed([17, 0, 5].into());
    assert_eq!(list.place(grid("3x6"), 3).unwrap(), [0, 5, 17]);
    assert_eq!(list.sources(), Some(3));
    assert!(Distribution::ALL.iter().all(|distribution| distribution.sources().is_none()));
}

#[test]
fn impossible_placements_are_refused_with_limits() {
    let number = |sources| Err(DistributionError::NumberOfSources { sources, grid: TEN });
    for sources in [0, 101] {
        for distribution in Distribution::ALL.iter().chain([&Distribution::Random { seed: 1 }]) {
            assert_eq!(distribution.place(TEN, sources), number(sources));
        }
    }
    assert_eq!(Distribution::Listed([].into()).place(TEN, 3), number(0));

    for (distribution, sources, expected) in [
        ("row", 101, "101 sources on a mesh of 10 x 10: 1 to 100 can be placed"),
        ("block:3x4", 30, "30 sources for a block of 12 nodes: 12 must be placed"),
        ("block:3x4", 0, "0 sources for a block of 12 nodes: 12 must be placed"),
        ("list:3+4", 1, "1 source for a list of 2 nodes: 2 must be placed"),
        ("list:3+100", 2, "rank 100 of the list is outside the mesh: its ranks are below 100"),
        ("list:3+99+3", 3, "rank 3 is in the list twice: each node can be listed once"),
        (
            "block:3x4@8+1",
            12,
            "a block of 3 x 4 with its corner at row 8, column 1 (counted from 0) of a mesh of 10 x 10: it must have \
             at least a row and a column, and lie within the mesh",
        ),
    ] {
        let error = distribution.parse::<Distribution>().unwrap().place(TEN, sources).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let largest = format!("block:{0}x{0}@{0}+{0}", usize::MAX);
    for block in ["block:0x3", "block:3x0", "block:1x11", "block:11x1", "block:3x4@1+7", &largest] {
        let error = block.parse::<Distribution>().unwrap().place(TEN, 12).unwrap_err();
        assert!(matches!(error, DistributionError::BlockOutsideMesh { .. }), "{block}: {error}");
    }
}

#[test]
fn a_picture_ignores_ranks_outside() {
    assert_eq!(picture(Grid { rows: 1, columns: 3 }, &[1, 3, 99]), "· ● ·\n");
}
