//! Ideal places of sources for a given algorithm and mesh.
//!
//! Source: report, sections 3 and 4. An ideal distribution lets the number of active nodes grow as fast as possible and the message lengths
//! as slowly as possible; it depends on the exact dimensions of the mesh. (It need not be the fastest, because of link contention.) The
//! papers give an example, that two rows of 10 x 10 should be the first and the seventh, not the first and the sixth, but no rule. The rule
//! used here follows.
//!
//! # Ideal places on a line
//!
//! [`Halving`](crate::pattern::Halving) turns a line of `n` positions into two halves with the same data. Positions `i` and `i + ceil(n/2)`
//! are *equivalent*: after the iteration each holds what either held before. After `l` iterations only the *place* of a datum in the first
//! segment matters: the position reached by taking the equivalent position in the first half `l` times. Two data *meet* if they have the
//! same place. `k` data do not meet before segments are shorter than `k` if each of the places 0 to `k - 1` has one datum. After that, the
//! data fill whole segments, and messages double evenly. It does not matter at which of the equivalent positions a datum starts. This
//! freedom is used to spread the data: one datum after the other starts at the position nearest to an even spacing whose place has no datum
//! yet.
//!
//! If `n` is not a power of two, the segments of one iteration differ in length by one. In the shorter segments, the data at the last place
//! of the longer segments combines with its neighbour. On these lines a local search improves the choice: one datum is moved as long as
//! this lets the number of active positions grow faster, or else the messages more slowly. Long lines are not searched: the search would
//! take too long and gain little.

use super::br_xy::First;
use crate::{
    pattern::{Builder, Exchange, Halving, line},
    rank::Rank,
    topology::Grid,
};

/// Returns `count` ideal places for [`Halving`](crate::pattern::Halving) on a line of `positions`, in increasing order. If `positions` is a
/// power of two, no two data meet before it is unavoidable. On other lines of up to 64 positions moving any single datum brings no
/// improvement; on longer lines a few data may meet early.
///
/// Among equally good places the nearest to an even spacing is chosen, and of two equally near places the later one. Takes time
/// proportional to `positions * count`, and some milliseconds on lines that are searched.
///
/// ```
/// use multicomputer::s_to_p::ideal_places;
/// assert_eq!(ideal_places(10, 2), [0, 6]); // not 0 and 5, which meet in the first iteration
/// assert_eq!(ideal_places(16, 4), [0, 5, 7, 14]);
/// ```
///
/// # Panics
///
/// Panics if `count` is larger than `positions`.
pub fn ideal_places(positions: usize, count: usize) -> Vec<usize> {
    assert!(count <= positions, "{count} places are asked for on a line of {positions}");
    let place = places(positions, count);
    let mut is_free = vec![true; count];
    let mut chosen: Vec<usize> = (0..count)
        .map(|index| {
            let even = index * positions / count;
            let free = (0..positions).filter(|&position| place[position] < count && is_free[place[position]]);
            let nearest = free.min_by_key(|&position| (position.abs_diff(even), positions - position));
            let nearest = nearest.unwrap_or(even);
            is_free[place[nearest]] = false;
            nearest
        })
        .collect();
    chosen.sort_unstable();
    if positions <= LONGEST_SEARCHED && !positions.is_power_of_two() {
        improve(positions, &mut chosen);
    }
    chosen
}

/// The longest line on which the local search runs: the search represents the data of a position as the bits of one word.
const LONGEST_SEARCHED: usize = 64;

/// Applies the move of one datum that improves the growth most, until no move improves it.
fn improve(positions: usize, places: &mut [usize]) {
    let transfers = transfers(positions);
    let mut smallest = growth(positions, &transfers, places);
    loop {
        let free: Vec<usize> = (0..positions).filter(|position| !places.contains(position)).collect();
        let moves = (0..places.len()).flat_map(|datum| free.iter().map(move |&to| (datum, to)));
        let after = |(datum, to): (usize, usize)| {
            let mut moved = places.to_vec();
            moved[datum] = to;
            (growth(positions, &transfers, &moved), datum, to)
        };
        match moves.map(after).min() {
            Some((better, datum, to)) if better < smallest => {
                places[datum] = to;
                smallest = better;
            }
            _ => break,
        }
    }
    places.sort_unstable();
}

/// Returns, for each iteration of a halving, the pairs of sender and receiver.
fn transfers(positions: usize) -> Vec<Vec<(usize, usize)>> {
    let halving = Halving::new(positions);
    let mut transfers = vec![Vec::new(); halving.iterations()];
    for position in 0..positions {
        for pairing in halving.pairings(position).filter(|pairing| pairing.direction.sends()) {
            transfers[pairing.iteration].push((position, pairing.partner));
        }
    }
    transfers
}

/// Returns, for each iteration, the number of positions that hold no data and the maximum number of data on one position, if data start at
/// these places. Smaller is better, compared lexicographically.
fn growth(positions: usize, transfers: &[Vec<(usize, usize)>], places: &[usize]) -> Vec<(usize, u32)> {
    let mut held = vec![0_u64; positions];
    for (datum, &place) in places.iter().enumerate() {
        held[place] = 1 << datum;
    }
    let after = |transfers: &Vec<(usize, usize)>| {
        let before = held.clone();
        transfers.iter().for_each(|&(from, to)| held[to] |= before[from]);
        let empty = held.iter().filter(|&&data| data == 0).count();
        (empty, held.iter().map(|data| data.count_ones()).max().unwrap_or(0))
    };
    transfers.iter().map(after).collect()
}

/// Returns, for each position, its place in the first segment, in the last iteration whose longest segments have at least `smallest`
/// positions.
pub(super) fn places(positions: usize, smallest: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..positions).collect();
    let mut length = positions;
    while length > 1 && length.div_ceil(2) >= smallest {
        length = length.div_ceil(2);
        places.iter_mut().filter(|place| **place >= length).for_each(|place| *place -= length);
    }
    places
}

/// Returns the ideal places of `sources` sources on a line of nodes.
pub(super) fn on_line(line: &[Rank], sources: usize) -> Vec<Rank> {
    ideal_places(line.len(), sources).into_iter().map(|position| line[position]).collect()
}

/// Returns the ideal distribution for halving along rows and columns: whole rows in ideal places if the columns come first, whole columns
/// if the rows come first; the last line need not be full. If `first` is not given, the order with the shorter messages (summed over the
/// iterations) is chosen, and columns first if both are equal.
pub(super) fn rows_or_columns(grid: Grid, sources: usize, first: Option<First>) -> (Vec<Rank>, First) {
    if sources == 0 {
        return (Vec::new(), first.unwrap_or(First::Columns));
    }
    let candidate = |first: First| {
        let lines = match first {
            First::Columns => line::rows(grid),
            First::Rows => line::columns(grid),
        };
        let count = sources.div_ceil(lines[0].len());
        let places = ideal_places(lines.len(), count);
        let placed: Vec<Rank> =
            places.into_iter().flat_map(|place| lines[place].iter().copied()).take(sources).collect();
        (placed, first)
    };
    let blocks_on_the_way = |(placed, first): &(Vec<Rank>, First)| {
        let mut builder = Builder::new(grid.nodes(), placed, &vec![1; placed.len()], Exchange::Together);
        super::br_xy::broadcast(&mut builder, first.lines(grid));
        let growth = builder.growth();
        (0..growth.iterations()).map(|iteration| growth.longest_after(iteration)).sum::<u64>()
    };
    let firsts = match first {
        Some(first) => vec![first],
        None => vec![First::Columns, First::Rows],
    };
    let candidates = firsts.into_iter().map(candidate);
    candidates.min_by_key(blocks_on_the_way).unwrap_or((Vec::new(), First::Columns))
}

/// Returns sources spread evenly in row-major order, for algorithms that hardly depend on the places.
pub(super) fn evenly(grid: Grid, sources: usize) -> Vec<Rank> {
    (0..sources).map(|index| index * grid.nodes() / sources).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns, after each iteration, the number of positions that hold data and the maximum number of data on one position, if data start
    /// at these places.
    fn growth(positions: usize, places: &[usize]) -> Vec<(usize, usize)> {
        let mut held = vec![BTreeSet::new(); positions];
        places.iter().for_each(|&place| {
            held[place].insert(place);
        });
        let halving = Halving::new(positions);
        let mut growth = Vec::new();
        for iteration in 0..halving.iterations() {
            let before = held.clone();
            for (position, mine) in held.iter_mut().enumerate() {
                let now = halving.pairings(position).filter(|pairing| pairing.iteration == iteration);
                now.filter(|pairing| pairing.direction.receives())
                    .for_each(|pairing| mine.extend(&before[pairing.partner]));
            }
            let active = held.iter().filter(|data| !data.is_empty()).count();
            growth.push((active, held.iter().map(BTreeSet::len).max().unwrap_or(0)));
        }
        growth
    }

    /// Returns the growth in the representation of the module: positions without data, and the maximum number of data on one position.
    fn counted(positions: usize, places: &[usize]) -> Vec<(usize, u32)> {
        let count = |(active, longest)| (positions - active, longest as u32);
        growth(positions, places).into_iter().map(count).collect()
    }

    /// Returns the best growth that any choice of places gives.
    fn best(positions: usize, count: usize) -> Vec<(usize, u32)> {
        let sets = (0_u32..1 << positions).filter(|set| set.count_ones() as usize == count);
        let places = |set: u32| (0..positions).filter(|place| set >> place & 1 == 1).collect::<Vec<_>>();
        sets.map(|set| counted(positions, &places(set))).min().unwrap()
    }

    /// Report, section 4: of ten rows, the two ideal ones are the first and the seventh.
    #[test]
    fn two_of_ten_are_the_first_and_the_seventh() {
        assert_eq!(ideal_places(10, 2), [0, 6]);
        assert_eq!(growth(10, &[0, 6]), [(4, 1), (8, 1), (10, 2), (10, 2)]);
        assert_eq!(growth(10, &[0, 5])[0], (2, 2));
        let grid = Grid { rows: 10, columns: 10 };
        let (rows, first) = rows_or_columns(grid, 20, None);
        assert_eq!(first, First::Columns, "of equally good ones whole rows are taken");
        assert!(rows.into_iter().eq((0..10).chain(60..70)));
        let (columns, _) = rows_or_columns(grid, 20, Some(First::Rows));
        assert!(columns.iter().all(|rank| matches!(rank % 10, 0 | 6)));
    }

    #[test]
    fn places_are_distinct_and_sorted() {
        for positions in 1..=130 {
            for count in 0..=positions {
                let places = ideal_places(positions, count);
                assert_eq!(places.len(), count);
                assert!(places.is_sorted_by(|a, b| a < b), "{count} of {positions}: {places:?}");
                assert!(places.last().is_none_or(|&last| last < positions));
            }
        }
    }

    /// On a line of a power of two no data meet before segments are shorter than the number of data.
    #[test]
    fn segments_merge_late_on_a_power_of_two() {
        for positions in [2, 4, 8, 16, 32, 64, 128] {
            for count in 1..=positions {
                for (iteration, (active, longest)) in
                    (1..).zip(growth(positions, &ideal_places(positions, count)))
                {
                    let segment = positions >> iteration;
                    assert_eq!(active, positions.min(count << iteration), "{count} of {positions}");
                    assert_eq!(longest, count.div_ceil(segment), "{count} of {positions}");
                }
            }
        }
    }

    #[test]
    fn no_choice_is_better_on_short_lines() {
        for positions in 1..=11 {
            for count in 1..=positions {
                let places = ideal_places(positions, count);
                assert_eq!(counted(positions, &places), best(positions, count), "{count} of {positions}");
                let ours = super::growth(positions, &transfers(positions), &places);
                assert_eq!(counted(positions, &places), ours);
            }
        }
    }

    /// On lines of up to 40 positions, the number of active positions is at least three quarters of perfect doubling after every iteration.
    #[test]
    fn active_positions_nearly_double() {
        for positions in 1..=40 {
            for count in 1..=positions {
                for (iteration, (active, _)) in (1..).zip(growth(positions, &ideal_places(positions, count)))
                {
                    let doubled = positions.min(count << iteration);
                    assert!(4 * active >= 3 * doubled, "{count} of {positions}: {active} of {doubled}");
                }
            }
        }
    }

    #[test]
    fn even_places_are_even() {
        assert_eq!(evenly(Grid { rows: 2, columns: 5 }, 4), [0, 2, 5, 7]);
        assert_eq!(evenly(Grid { rows: 1, columns: 3 }, 3), [0, 1, 2]);
    }

    #[test]
    #[should_panic(expected = "4 places are asked for on a line of 3")]
    fn more_places_than_positions_are_refused() {
        ideal_places(3, 4);
    }
}
