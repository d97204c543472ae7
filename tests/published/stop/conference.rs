//! The claims of the conference version.

use super::*;

/// By how much *Repos* is faster than *Br_xy_source* alone, as a part of the latter.
fn gain(mesh: &str, input: &Distribution, sources: usize, length: u64) -> f64 {
    1.0 - time(mesh, input, sources, length, REPOS) / time(mesh, input, sources, length, BR_XY_SOURCE)
}

/// Conference version, figure 8 (16 x 16, 6K, 16 to 192 sources): repositioning pays on all but the band. On cross
/// and block for every number of sources, and not on the band. **Does not hold** for the equal distribution, where it
/// is within 6 % either way: in the model that is as good an input as rows.
#[test]
fn conference_figure_8_repositioning_pays_on_cross_and_block() {
    for sources in (16..=192).step_by(16) {
        let [equal, cross, band, block] =
            REPOSITIONED.each_ref().map(|input| gain("16x16", input, sources, 6144));
        assert_within(cross, 0.09..=0.50);
        assert_within(block, 0.029..=0.19);
        assert_within(band, -0.09..=0.007);
        assert_within(equal, -0.06..=0.04);
    }
}

/// **Does not hold.** Conference version: p/2 sources are the break-even point. Beyond 128 of 256 repositioning still
/// gains 9 to 31 % on the cross and 3 to 10 % on the block: moving 6K takes 0.4 to 0.7 ms here, of 43 to 57, and in the
/// model costs no more when many move, as links have five times the bandwidth of a node. (What it cost on the
/// Paragon is in the text, whose decimal points are lost.)
#[test]
fn conference_figure_8_half_of_the_nodes_is_no_break_even_point() {
    for sources in [144, 160, 176, 192] {
        assert_within(gain("16x16", &Cross, sources, 6144), 0.09..=0.32);
        assert_within(gain("16x16", &SquareBlock, sources, 6144), 0.029..=0.11);
        for input in &REPOSITIONED {
            assert_within(repositioning("16x16", input, sources, 6144), 0.37..=0.70);
        }
    }
}

/// Conference version, figure 9 (16 x 16, 75 sources): of the four inputs the cross gains most, and its gain rises
/// with L and then tapers. It levels off at 48 %; the fall for the longest messages does not show.
#[test]
fn conference_figure_9_the_cross_gains_most_and_tapers_off() {
    let lengths = [128, 512, 1024, 2048, 4096, 8192, 16384, 32768];
    let gains = lengths.map(|length| gain("16x16", &Cross, 75, length));
    assert!(gains.is_sorted(), "{gains:?}");
    assert!(gains[5] - gains[4] > 0.015 && gains[7] - gains[6] < 0.005, "{gains:?}");
    for (length, cross) in lengths.into_iter().zip(gains) {
        let others = [Equal, Band, SquareBlock].map(|input| gain("16x16", &input, 75, length));
        assert!(cross > 0.15 + most(others), "{length}");
    }
}

/// Conference version, figure 9: repositioning does not pay below 1K. On equal and band it never does, and on the
/// block not below 1K. **Does not hold** for the cross, where it gains 10 % with 128 bytes and 28 % with 512. Of 75
/// sources even short messages add up (38K of 512 bytes each), and moving one costs at most an exchange.
#[test]
fn conference_figure_9_below_1k_repositioning_pays_on_the_cross_alone() {
    for length in [32, 128, 256, 512] {
        for input in [Equal, Band] {
            assert_within(gain("16x16", &input, 75, length), -0.13..=-0.07);
        }
        assert_within(gain("16x16", &SquareBlock, 75, length), -0.07..=0.005);
    }
    assert_within(gain("16x16", &SquareBlock, 75, 1024), 0.06..=0.07);
    assert_within(gain("16x16", &Cross, 75, 32), -0.02..=-0.01);
    assert_within(gain("16x16", &Cross, 75, 128), 0.09..=0.10);
    assert_within(gain("16x16", &Cross, 75, 512), 0.27..=0.28);
}

/// Conference version: on up to 16 nodes repositioning does not pay. With 1K it gains 3.5 % at most and often loses; on
/// 64 nodes it gains up to 22 %. With 6K it does pay for a cross on 16 nodes, by up to 13 %.
#[test]
fn conference_repositioning_does_not_pay_on_sixteen_nodes() {
    let best = |mesh, length| {
        let sources = 1..=grid(mesh).nodes() / 2 + 1;
        let gains = |sources| REPOSITIONED.each_ref().map(|input| gain(mesh, input, sources, length));
        most(sources.flat_map(gains))
    };
    assert!(most(["2x2", "2x4", "4x4"].map(|mesh| best(mesh, 1024))) < 0.035);
    assert_within(best("8x8", 1024), 0.22..=0.23);
    assert_within(best("4x4", 6144), 0.12..=0.13);
}
