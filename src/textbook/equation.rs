//! Equations 4.1 to 4.4 of the book, and derived equations for the other algorithms of chapter 4.
//!
//! The book's `t_s` is alpha, the start-up time of a message, and its `t_w m` is the time of the `n` bytes of a message of `m` words:
//! `n beta`. Each function returns a [`Cost`], the coefficients of alpha, beta and gamma; [`time`](Cost::time) evaluates it for a machine.
//! The equations are exact if no two messages of a step share a link, and nodes send and receive at full speed at the same time (`d = 2`,
//! `o_x = 0`, `copy = 0`, `hop = 0`).
//!
//! Source: Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1.6 and 4.2.4.

use crate::{collective::Cost, topology::Grid};

/// Returns the cost of a one-to-all broadcast of `bytes` bytes, equation 4.1: `(t_s + t_w m) log2 p`.
///
/// In each of `ceil(log2 p)` steps every node that has the message sends it to one that does not, a simple transfer of `t_s + t_w m`. On a
/// mesh the steps of the dimensions add up; a ring, hypercube or tree is a single dimension.
///
/// ```
/// use multicomputer::{model::Parameters, textbook::equation};
///
/// // Three steps of 130 us + 1000 bytes at 50 ns.
/// let cost = equation::one_to_all(&[8], 1000);
/// assert_eq!((cost.alphas, cost.bytes), (3.0, 3000.0));
/// assert_eq!(cost.time(&Parameters::hockney()).to_string(), "540 us");
/// ```
pub fn one_to_all(extents: &[usize], bytes: u64) -> Cost {
    let steps = extents.iter().map(|&extent| logarithm(extent)).sum();
    transfers(steps, bytes)
}

/// Returns the cost of the naive one-to-all broadcast: `(p - 1) (t_s + t_w m)`.
///
/// The source sends `p - 1` messages, one after the other. The equation is exact if a send occupies the source until the message has
/// arrived (`o_s = alpha`). Otherwise the time is shorter by `(p - 2) (L + o_r)`.
pub fn naive(ranks: usize, bytes: u64) -> Cost {
    transfers(ranks.saturating_sub(1), bytes)
}

/// Returns the cost of an all-to-all broadcast of `bytes` bytes from each rank, equations 4.2 and 4.3: `t_s (p - 1) + t_w m (p - 1)` on a
/// ring, `2 t_s (sqrt(p) - 1) + t_w m (p - 1)` on a square mesh.
///
/// On a ring of `p` there are `p - 1` steps of `t_s + t_w m`. On a mesh each dimension is processed like a ring, with all data that the
/// earlier dimensions have collected as one message: the second dimension takes `(sqrt(p) - 1) (t_s + sqrt(p) t_w m)`.
///
/// ```
/// use multicomputer::textbook::equation;
///
/// let (ring, mesh) = (equation::all_to_all(&[16], 100), equation::all_to_all(&[4, 4], 100));
/// assert_eq!((ring.alphas, mesh.alphas), (15.0, 6.0));
/// assert_eq!((ring.bytes, mesh.bytes), (1500.0, 1500.0));
/// ```
pub fn all_to_all(extents: &[usize], bytes: u64) -> Cost {
    let ranks: usize = extents.iter().product();
    let steps: usize = extents.iter().map(|extent| extent.saturating_sub(1)).sum();
    Cost { alphas: steps as f64, bytes: ranks.saturating_sub(1) as f64 * bytes as f64, ..Cost::default() }
}

/// Returns the cost of an all-to-all broadcast of `bytes` bytes from each rank on a hypercube, equation 4.4: `t_s log2 p + t_w m (p - 1)`.
///
/// In step `i`, counted from 1, messages of `2^(i - 1) m` words are exchanged; the lengths add up to `(p - 1) m`.
pub fn all_to_all_hypercube(ranks: usize, bytes: u64) -> Cost {
    Cost { alphas: logarithm(ranks) as f64, ..all_to_all(&[ranks], bytes) }
}

/// Returns the cost of an all-to-all broadcast on a linear array in both directions at the same time, with synchronized steps: `(p - 1 +
/// floor((p + 1) / 2)) (t_s + t_w m)`. On one or two nodes this is the cost on a ring.
///
/// In the first `floor((p + 1) / 2)` of the `p - 1` steps some nodes forward two messages, one in each direction.
pub fn both_ways(ranks: usize, bytes: u64) -> Cost {
    let double = if ranks < 3 { 0 } else { ranks.div_ceil(2) };
    transfers(ranks.saturating_sub(1) + double, bytes)
}

/// Returns the cost of one-to-all broadcasts from several sources, one after the other: `n (t_s + t_w m) log2 p`.
pub fn in_turn(sources: usize, ranks: usize, bytes: u64) -> Cost {
    transfers(sources * logarithm(ranks), bytes)
}

/// Returns the cost of example 4.1, a matrix of `N x N` elements times a vector on a grid of `r` by `c` nodes: `(t_s + t_w N / c) log2 r`
/// for the broadcasts along the columns, `gamma N^2 / (r c)` for the products, where a multiplication with an addition counts as combining
/// one element, and `(t_s + (t_w + gamma) N / r) log2 c` for the sums along the rows.
///
/// If the nodes do not divide the matrix evenly, every block is counted as the largest one.
///
/// ```
/// use multicomputer::textbook::equation;
///
/// // Figure 4.4: two steps each way, of one element of 8 bytes.
/// let cost = equation::matrix_vector("4x4".parse()?, 4, 8);
/// assert_eq!((cost.alphas, cost.bytes, cost.elements), (4.0, 32.0, 3.0));
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
pub fn matrix_vector(grid: Grid, elements: usize, element_bytes: u64) -> Cost {
    let (down, along) = (elements.div_ceil(grid.rows), elements.div_ceil(grid.columns));
    let broadcasts = one_to_all(&[grid.rows], along as u64 * element_bytes);
    let sums = reduction(one_to_all(&[grid.columns], down as u64 * element_bytes), element_bytes);
    Cost {
        alphas: broadcasts.alphas + sums.alphas,
        bytes: broadcasts.bytes + sums.bytes,
        elements: sums.elements + down as f64 * along as f64,
        ..Cost::default()
    }
}

/// Returns the cost of the reduction that is the dual of a broadcast: each received element is combined.
pub fn reduction(broadcast: Cost, element_bytes: u64) -> Cost {
    Cost { elements: broadcast.bytes / element_bytes as f64, ..broadcast }
}

/// Returns the cost of `steps` transfers of a whole message, one after the other.
fn transfers(steps: usize, bytes: u64) -> Cost {
    Cost { alphas: steps as f64, bytes: steps as f64 * bytes as f64, ..Cost::default() }
}

/// Returns `ceil(log2 ranks)`.
fn logarithm(ranks: usize) -> usize {
    ranks.max(1).next_power_of_two().ilog2() as usize
}
