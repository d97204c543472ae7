//! The claims of the report.

use super::*;

/// Report, section 1: for the same number of sources a good and a poor distribution differ "by almost a factor of 2".
#[test]
fn section_1_a_poor_distribution_takes_almost_twice_as_long() {
    let ratio = |mesh, sources, length| {
        let time = |distribution| time(mesh, &distribution, sources, length, BR_XY_SOURCE);
        time(Cross) / time(Equal)
    };
    assert_within(ratio("16x16", 32, 6144), 1.9..=2.0);
    assert_within(ratio("10x10", 20, 2048), 1.5..=1.6);
}

/// Report, section 2: on a square of powers of two the first half of the iterations of *Br_Lin* uses links of columns
/// only, the rest links of rows only. That is so in row-major order. **Does not hold** on the snake: in the last
/// iteration of the first half adjacent rows meet, which run in opposite directions, so a node's partner is in another
/// column.
#[test]
fn section_2_columns_first_and_then_rows_only_in_row_major_order() {
    let grid = grid("16x16");
    let everybody: Vec<Rank> = (0..256).collect();
    let straight = |algorithm| {
        let plan = plan("16x16", &everybody, 1, algorithm);
        let is_straight = |iteration: usize| {
            messages(&plan, iteration).iter().all(|&(from, to, _)| {
                let (from, to) = (grid.coordinates(from), grid.coordinates(to));
                if iteration < 4 { from.1 == to.1 } else { from.0 == to.0 }
            })
        };
        (0..8).filter(|&iteration| is_straight(iteration)).collect::<Vec<_>>()
    };
    assert_eq!(straight(BR_LIN_ROW_MAJOR), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(straight(BR_LIN), [0, 1, 2, 4, 5, 6, 7]);
}

/// Report, section 4: two rows of 10 x 10 spaced evenly are the first and the sixth, and the first iteration brings
/// no new source; with the first and the seventh it does. The ideal distribution is the second.
#[test]
fn section_4_two_rows_of_ten_should_be_the_first_and_the_seventh() {
    let active = |sources: &[Rank]| plan("10x10", sources, 2048, BR_XY_SOURCE).growth().active_after(1);
    assert_eq!(active(&place("10x10", &Row, 20)), 20);
    let ideal = ideal_rows("10x10", 20);
    assert_eq!((ideal[0], ideal[10]), (0, 60));
    assert_eq!(active(&ideal), 40);
}

/// **Does not hold.** Report, section 4: with *Br_Lin* on 10 x 10 the right diagonal of ten sources brings no new
/// source in the first iteration. On the snake (2, 2) meets (7, 7) and the other eight do not; in row-major order
/// nobody meets. In row-major order two diagonals of ten do: node 50, the partner of node 0, is on the second of
/// them.
#[test]
fn section_4_one_diagonal_does_gain_in_the_first_iteration() {
    let active = |algorithm, distribution: &Distribution| {
        let places = [10, 20].map(|sources| place("10x10", distribution, sources));
        places.map(|sources| plan("10x10", &sources, 2048, algorithm).growth().active_after(1))
    };
    for diagonal in [RightDiagonal, LeftDiagonal] {
        assert_eq!(active(BR_LIN, &diagonal), [18, 36]);
        assert_eq!(active(BR_LIN_ROW_MAJOR, &diagonal), [20, 20]);
    }
}

/// Report, section 4: columns are no ideal distribution for *Br_Lin*; with an even number of rows the first iteration
/// brings no new source. That is so in row-major order. **Does not hold** on the snake if half the rows are an odd
/// number, as on 10 x 10: the partner's row runs the other way, and columns are the best of the distributions of figure
/// 5.
#[test]
fn section_4_columns_are_poor_for_br_lin_if_half_the_rows_are_even() {
    let active = |algorithm, mesh, sources| {
        plan(mesh, &place(mesh, &Column, sources), 2048, algorithm).growth().active_after(1)
    };
    for (mesh, sources, on_the_snake) in
        [("8x8", 16, 16), ("8x15", 24, 24), ("10x10", 20, 40), ("6x20", 24, 48)]
    {
        assert_eq!(active(BR_LIN_ROW_MAJOR, mesh, sources), sources);
        assert_eq!(active(BR_LIN, mesh, sources), on_the_snake);
    }
    let time = |distribution: &Distribution| time("10x10", distribution, 30, 2048, BR_LIN);
    assert_eq!(time(&Column), least([Row, Column, RightDiagonal, LeftDiagonal, Equal].iter().map(time)));
}

/// Report, section 4: on rows *Br_Lin* takes what *Br_xy_source* takes if the number of rows is a power of two. In
/// row-major order exactly; on the snake to 2 %.
#[test]
fn section_4_on_rows_br_lin_is_br_xy_source_for_powers_of_two() {
    for (mesh, sources) in [("8x8", 16), ("16x16", 16), ("16x16", 64)] {
        let time = |algorithm| time(mesh, &Row, sources, 2048, algorithm);
        assert_eq!(time(BR_LIN_ROW_MAJOR), time(BR_XY_SOURCE));
        assert_within(time(BR_LIN) / time(BR_XY_SOURCE), 0.99..=1.02);
    }
}

/// **Does not hold.** Report, section 4: the left diagonal is the least sensitive to the shape for *Br_Lin*. Over
/// these shapes its worst time is 1.4 times the best distribution's, in both orders of the nodes. The right one comes
/// to as much on the snake, and to 1.2 in row-major order, where columns and the cross do worst; rows and blocks do
/// better in both.
#[test]
fn section_4_the_left_diagonal_is_as_sensitive_as_the_right() {
    let all = [Row, Column, RightDiagonal, LeftDiagonal, Equal, Cross, SquareBlock];
    let worst = |algorithm| {
        let mut worst = [1.0_f64; 7];
        for mesh in ["8x8", "9x9", "10x10", "7x11", "8x15", "10x12", "6x20", "15x16", "16x16"] {
            let sources = grid(mesh).nodes() / 5;
            let times = all.each_ref().map(|distribution| time(mesh, distribution, sources, 2048, algorithm));
            let best = least(times);
            worst.iter_mut().zip(times).for_each(|(worst, time)| *worst = worst.max(time / best));
        }
        worst
    };
    let [row, column, right, left, _, cross, block] = worst(BR_LIN);
    assert!(most([row, block]) < 1.2 && least([column, right, left, cross]) > 1.25);
    assert_within(left, 1.4..=1.45);
    assert_within(left / right, 0.99..=1.01);
    let [row, column, right, left, equal, cross, block] = worst(BR_LIN_ROW_MAJOR);
    assert!(most([row, block]) < 1.15 && most([right, equal]) < 1.25 && least([column, cross]) > 1.7);
    assert_within(left, 1.35..=1.4);
}

/// Report, figure 2 (10 x 10, equal, 4K): *2-Step* and *Xor* are not efficient; *2-Step* from five sources on, *Xor*
/// for any number.
#[test]
fn figure_2_two_step_and_xor_are_worst_for_more_than_four_sources() {
    for sources in 1..=100 {
        let time = |algorithm| time("10x10", &Equal, sources, 4096, algorithm);
        let halvings = most(HALVINGS.map(time));
        assert!(time(XOR) > 2.3 * halvings, "{sources}");
        assert!(sources < 5 || time(TWO_STEP) > 1.7 * halvings, "{sources}");
        assert!(sources > 2 || time(TWO_STEP) < 1.25 * halvings, "{sources}");
    }
}

/// **Does not hold.** Report, figure 2: the time of *2-Step* rises more steeply than the number of sources. Here each
/// source adds the same, four times what it adds to a halving: it queues at node 0 for `n beta` or `o_r`, and makes
/// each message of the broadcast longer by `n`. Both are linear in the model; messages that arrive before their
/// receive cost nothing extra.
#[test]
fn figure_2_two_step_rises_in_proportion_to_the_sources() {
    let time = |sources, algorithm| time("10x10", &Equal, sources, 4096, algorithm);
    for sources in 2..100 {
        assert_within(time(sources + 1, TWO_STEP) - time(sources, TWO_STEP), 1.09..=1.10);
    }
    assert_within(time(100, TWO_STEP) / time(10, TWO_STEP), 9.0..=10.0);
    for halving in HALVINGS {
        assert_within((time(100, halving) - time(10, halving)) / 90.0, 0.27..=0.29);
    }
}

/// Report, figure 2: *Br_Lin*, *Br_xy_source* and *Br_xy_dim* scale linearly with the sources, and "differ slightly".
/// Within 18 % of a straight line, and of each other within 20 % (*Br_Lin* loses most with 9 and with 40 sources). In
/// row-major order *Br_Lin* is as near, but for 4 and for 16 sources: those are 25 or 6 nodes apart, so they meet each
/// other at first, and it takes up to 39 % more than the fastest.
#[test]
fn figure_2_the_halvings_are_linear_in_the_sources_and_close_together() {
    for sources in 1..=100 {
        let times =
            |halvings: [Algorithm; 3]| halvings.map(|halving| time("10x10", &Equal, sources, 4096, halving));
        let straight = |time: &f64| (time / (3.0 + 0.28 * sources as f64) - 1.0).abs() < 0.18;
        let snake = times([BR_LIN, BR_XY_SOURCE, BR_XY_DIM]);
        assert!(most(snake) < 1.2 * least(snake), "{sources}: {snake:?}");
        assert!(sources < 10 || snake.iter().all(straight), "{sources}: {snake:?}");
        let row_major = times([BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM]);
        if [4, 16].contains(&sources) {
            assert_within(most(row_major) / least(row_major), 1.29..=1.40);
        } else {
            assert!(most(row_major) < 1.21 * least(row_major), "{sources}: {row_major:?}");
            assert!(sources < 10 || row_major.iter().all(straight), "{sources}: {row_major:?}");
        }
    }
}

const LENGTHS: [u64; 10] = [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/// Report, figure 3 (10 x 10, right diagonal of 30): *2-Step* and *Xor* perform poorly however short the messages.
#[test]
fn figure_3_two_step_and_xor_are_poor_at_every_length() {
    for length in LENGTHS {
        let time = |algorithm| time("10x10", &RightDiagonal, 30, length, algorithm);
        let halvings = most(HALVINGS.map(time));
        assert!(time(TWO_STEP) > 1.5 * halvings && time(XOR) > 2.3 * halvings, "{length}");
    }
}

/// Report, figure 3: *Xor* is almost flat up to 1K: it takes 15 % more than for 32 bytes, a 32nd of that.
#[test]
fn figure_3_xor_is_almost_flat_up_to_1k() {
    let time = |length| time("10x10", &RightDiagonal, 30, length, XOR);
    assert_within(time(1024) / time(32), 1.14..=1.16);
    assert!(time(16384) > 3.0 * time(1024));
}

/// Report, figure 3: the halvings show little increase up to 512 bytes, and a linear one from there on. Little is a
/// third here, for 16 times the bytes: the curve is a straight line from the beginning, and start-ups are most of it
/// at first.
#[test]
fn figure_3_the_halvings_rise_little_to_512_bytes_and_then_linearly() {
    for halving in HALVINGS {
        let time = |length| time("10x10", &RightDiagonal, 30, length, halving);
        assert_within(time(512) / time(32), 1.33..=1.37);
        for length in [2048, 4096, 8192] {
            let rise = time(length) - time(length / 2);
            assert_within((time(2 * length) - time(length)) / rise, 1.9..=2.2);
        }
    }
}

/// **Does not hold** from 8 nodes on. Report, figure 4 (about sqrt(p) sources on a right diagonal, 1K): *Xor* is as
/// good as any other on 4 to 16 nodes, also with nearly as many sources as nodes. Here it is on 4 nodes alone, and
/// with few sources. A source sends `p - 1` messages and is busy for `o_s + n beta` with each, and `o_s` is half of
/// the start-up here: 15 messages take 1.8 ms, where the halvings need 1.3 ms. To keep up on 16 nodes `o_s` would
/// have to be some 50 us instead of 92.
#[test]
fn figure_4_xor_keeps_up_on_four_nodes_only() {
    let behind = |mesh, sources| {
        let time = |algorithm| time(mesh, &RightDiagonal, sources, 1024, algorithm);
        time(XOR) / least(HALVINGS.map(time)).min(time(TWO_STEP))
    };
    assert_within(behind("2x2", 2), 1.0..=1.08);
    assert_within(behind("2x4", 3), 1.5..=1.7);
    assert_within(behind("4x4", 4), 2.0..=2.2);
    assert_within(behind("2x2", 4), 1.4..=1.5);
    assert_within(behind("4x4", 15), 2.8..=3.0);
    // It is worse the larger the machine, as published.
    let larger = [("4x8", 6), ("8x8", 8), ("8x16", 11), ("16x16", 16)];
    assert!(larger.map(|(mesh, sources)| behind(mesh, sources)).is_sorted());
}

fn figure_5(distribution: &Distribution, algorithm: Algorithm) -> f64 {
    time("10x10", distribution, 30, 2048, algorithm)
}

/// Report, figure 5 (10 x 10, 30 sources, 2K): *Br_xy_source* performs alike on the first distributions (to 1 %; rows
/// and columns "show up as ideal"), and takes considerably longer on the block (10 %) and on the cross (39 %).
#[test]
fn figure_5_br_xy_source_is_the_same_on_all_but_block_and_cross() {
    let time = |distribution: &Distribution| figure_5(distribution, BR_XY_SOURCE);
    let even = [Row, Column, RightDiagonal, LeftDiagonal, Equal].each_ref().map(time);
    assert!(most(even) < 1.01 * least(even), "{even:?}");
    assert_within(time(&BLOCK) / most(even), 1.09..=1.11);
    assert_within(time(&Cross) / most(even), 1.38..=1.40);
}

/// Report, figure 5: "As expected, Algorithm Br_Lin performs best" on block and cross. In both orders of the nodes,
/// and clearly.
#[test]
fn figure_5_br_lin_is_best_on_block_and_cross() {
    for (distribution, snake, row_major) in [(BLOCK, 1.1, 1.1), (Cross, 1.4, 1.2)] {
        let others = least([BR_XY_SOURCE, BR_XY_DIM].map(|other| figure_5(&distribution, other)));
        assert!(others > snake * figure_5(&distribution, BR_LIN));
        assert!(others > row_major * figure_5(&distribution, BR_LIN_ROW_MAJOR));
    }
}

/// Report, figure 5: block and cross require more time for all three algorithms. For *Br_Lin* the cross does in
/// row-major order: 8 % more than the worst of the others, where *Br_Lin* is still the best on it.
#[test]
fn figure_5_the_cross_is_dear_for_br_lin_in_row_major_order() {
    let time = |distribution: &Distribution| figure_5(distribution, BR_LIN_ROW_MAJOR);
    let others = [Row, Column, RightDiagonal, LeftDiagonal, Equal, BLOCK];
    assert_within(time(&Cross) / most(others.each_ref().map(time)), 1.08..=1.10);
    assert_within(time(&Cross) / least(others.each_ref().map(time)), 1.17..=1.18);
}

/// **Does not hold** for *Br_Lin* otherwise. Report, figure 5: block and cross require more time for all three
/// algorithms. On the snake *Br_Lin* takes no longer on them than on columns, and less than on rows and diagonals: the
/// first iteration goes five rows down, where the line runs the other way, so the columns of a cross bring new sources
/// at once. In row-major order the block takes less than rows: its five rows and the five below are partners.
#[test]
fn figure_5_block_and_cross_are_not_dear_for_br_lin() {
    for distribution in [BLOCK, Cross] {
        let lin = figure_5(&distribution, BR_LIN);
        assert_within(lin / figure_5(&Column, BR_LIN), 1.0..=1.02);
        assert!(lin < least([Row, RightDiagonal, LeftDiagonal].iter().map(|other| figure_5(other, BR_LIN))));
    }
    let row_major = |distribution| figure_5(distribution, BR_LIN_ROW_MAJOR);
    assert_within(row_major(&BLOCK) / row_major(&Row), 0.94..=0.95);
    assert_within(row_major(&BLOCK) / row_major(&Column), 0.98..=0.99);
}

/// Report, figure 5: the big increase of *Br_xy_dim* on rows: it takes the rows first, which have ten sources each.
#[test]
fn figure_5_br_xy_dim_jumps_on_rows() {
    assert_within(figure_5(&Row, BR_XY_DIM) / figure_5(&Row, BR_XY_SOURCE), 1.2..=1.25);
    assert_eq!(figure_5(&Column, BR_XY_DIM), figure_5(&Column, BR_XY_SOURCE));
}

/// Report, figure 6 (10 x 10, right diagonal, 80K in all): the same data from 40 sources is broadcast faster than
/// from 5. By 9 to 14 % here, where 11.4 and 7.3 ms are published: single messages of 16K were dearer than `alpha + n
/// beta`. The time does not fall all the way: *Br_xy_source* is at its best with 10.
#[test]
fn figure_6_forty_sources_are_faster_than_five() {
    let time = |sources: u64, algorithm| {
        time("10x10", &RightDiagonal, sources as usize, (80 << 10) / sources, algorithm)
    };
    for halving in HALVINGS {
        assert_within(1.0 - time(40, halving) / time(5, halving), 0.09..=0.14);
    }
    assert!(time(10, BR_XY_SOURCE) < time(40, BR_XY_SOURCE));
}

/// **Does not hold** on the snake. Report, figure 7 (*Br_Lin*, 120 nodes, equal, 4K): 15 sources are faster than 8,
/// whatever the shape. On the snake they take 3 to 26 % more, for 1.9 times the data: every second row is reversed,
/// so sources that are whole rows apart need not meet.
#[test]
fn figure_7_fifteen_sources_take_little_more_than_eight_on_the_snake() {
    for mesh in OF_120 {
        let [eight, fifteen] = [8, 15].map(|sources| time(mesh, &Equal, sources, 4096, BR_LIN));
        assert_within(fifteen / eight, 1.03..=1.26);
    }
}

/// Report, figure 7: 15 sources are faster than 8. In row-major order they are, by 9 to 10 % on every shape, also on
/// 4 x 30. Eight equal ones are 15 nodes apart and meet in each of the first three iterations (60, 30 and 15 nodes
/// away), fifteen are 8 apart and double three times. So the published anomaly is that of the row-major order.
#[test]
fn figure_7_fifteen_sources_are_faster_than_eight_in_row_major_order() {
    for mesh in OF_120 {
        let plan = |sources| plan(mesh, &place(mesh, &Equal, sources), 4096, BR_LIN_ROW_MAJOR);
        let active = |sources| [1, 2, 3].map(|iterations| plan(sources).growth().active_after(iterations));
        assert_eq!((active(8), active(15)), ([8, 8, 8], [30, 60, 120]));
        let [eight, fifteen] = [8, 15].map(|sources| time(mesh, &Equal, sources, 4096, BR_LIN_ROW_MAJOR));
        assert_within(fifteen / eight, 0.90..=0.91);
    }
}

/// Report, figure 7: the dimensions matter little for few sources, and considerably more for many. In milliseconds,
/// on average: the shapes differ by 0.8 with up to 15 sources and by 1.7 with 16 to 60 on the snake, and by 0.004 and
/// 0.2 in row-major order. In per cent they do not differ more on the snake. Single numbers stray: 0.6 with 8, 2.4 with
/// 24 or 32, 0.8 with 30.
#[test]
fn figure_7_the_dimensions_matter_more_with_many_sources() {
    let difference = |sources, algorithm| {
        let times = OF_120.map(|mesh| time(mesh, &Equal, sources, 4096, algorithm));
        most(times) - least(times)
    };
    let mean = |sources: std::ops::RangeInclusive<usize>, algorithm| {
        let count = sources.clone().count() as f64;
        sources.map(|sources| difference(sources, algorithm)).sum::<f64>() / count
    };
    assert_within(mean(1..=15, BR_LIN), 0.7..=0.8);
    assert_within(mean(16..=60, BR_LIN), 1.6..=1.7);
    assert_within(difference(8, BR_LIN), 0.5..=0.6);
    assert_within(difference(32, BR_LIN), 2.4..=2.5);
    assert_within(mean(1..=15, BR_LIN_ROW_MAJOR), 0.0..=0.005);
    assert_within(mean(16..=60, BR_LIN_ROW_MAJOR), 0.19..=0.21);
}

/// Report, section 5: a repositioning costs about 0.5 ms for up to 2K and fewer than p/2 sources. It is 0.46 ms where
/// some node gives a message and gets another, which is an exchange. That is so on most inputs. Where no node does, it
/// is `alpha + n beta`, 0.25 ms, as with 20 sources in rows or in a square block; and 49 sources in rows stay.
#[test]
fn section_5_a_repositioning_costs_half_a_millisecond() {
    for sources in [20, 35, 49] {
        for input in [Column, RightDiagonal, LeftDiagonal, Equal, Cross, Band] {
            assert_within(repositioning("10x10", &input, sources, 2048), 0.46..=0.462);
        }
        assert!(repositioning("10x10", &Row, sources, 2048) < 0.25);
    }
    assert_within(repositioning("10x10", &SquareBlock, 20, 2048), 0.24..=0.25);
}

/// Report, section 5: the time of *Repos* is almost independent of the input.
#[test]
fn section_5_repos_hardly_depends_on_the_input() {
    for (mesh, sources) in [("10x10", 20), ("15x16", 58), ("8x8", 15)] {
        let times = Distribution::ALL.each_ref().map(|input| time(mesh, input, sources, 2048, REPOS));
        assert!(most(times) < 1.027 * least(times), "{mesh}: {times:?}");
    }
}

/// Report, section 5 and figure 8: it pays to redistribute unless the input is near an ideal one. It pays on a cross
/// and on nodes at random, by 15 to 40 %; on rows, diagonals and equal it is within 3 %. Over ideal rows it costs 0.3
/// to 0.4 ms, where 0.5 and 1.0 are published: only some nodes wait for the exchange of the first step.
#[test]
fn figure_8_repositioning_pays_unless_the_input_is_near_ideal() {
    for (mesh, sources) in [("10x10", 20), ("15x16", 58)] {
        let gain = |input: &Distribution| {
            1.0 - time(mesh, input, sources, 2048, REPOS) / time(mesh, input, sources, 2048, BR_XY_SOURCE)
        };
        assert!(gain(&Cross) > 0.33 && gain(&Distribution::Random { seed: 1 }) > 0.14);
        assert!(gain(&SquareBlock) > 0.03);
        assert!([Row, RightDiagonal, LeftDiagonal, Equal].iter().all(|input| gain(input).abs() < 0.031));
        let rows = time_from(mesh, &ideal_rows(mesh, sources), 2048, BR_XY_SOURCE);
        assert_within(time(mesh, &Equal, sources, 2048, REPOS) - rows, 0.3..=0.4);
    }
}

/// **Does not hold.** Report, figure 9, and conference version: partitioning hardly ever beats repositioning alone,
/// as the final permutation dominates. On 8 x 8 it took 2.5 ms of 4.8; here it is one exchange of 7 and 8 messages,
/// 1.08 ms, and partitioning wins by 4 % on the cross and by 7 to 15 % on 10 x 10. With 2.5 ms it would lose. On most
/// other inputs on 8 x 8, and on 16 x 16, it makes no difference.
#[test]
fn figure_9_partitioning_is_no_worse_than_repositioning() {
    let ratio = |mesh, input: &Distribution, sources, length| {
        time(mesh, input, sources, length, PART_XY_SOURCE) / time(mesh, input, sources, length, REPOS)
    };
    assert_within(ratio("8x8", &Cross, 15, 2048), 0.96..=0.97);
    for input in &Distribution::ALL {
        assert_within(ratio("8x8", input, 15, 2048), 0.92..=1.02);
        assert_within(ratio("10x10", input, 20, 2048), 0.85..=0.93);
    }
    for input in &REPOSITIONED {
        for sources in (16..=192).step_by(16) {
            assert_within(ratio("16x16", input, sources, 6144), 0.99..=1.03);
        }
    }
}
