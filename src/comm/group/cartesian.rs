//! Cartesian groups: ranks as a grid of any dimension, where each dimension is a line or a ring, on any machine.
//!
//! The equivalent of MPI's Cartesian communicators: `MPI_Cart_create` is [`Group::cartesian`], `MPI_Cart_coords`
//! [`Cartesian::coordinates`], `MPI_Cart_rank` [`Cartesian::rank_at`], `MPI_Cart_shift` [`Cartesian::shift`] and `MPI_Cart_sub`
//! [`Cartesian::sub`], `MPI_Dims_create` [`Cartesian::balanced`] (MPI: A Message-Passing Interface Standard, chapter on process topologies). Ranks are row-major: the last coordinate
//! varies fastest. Ranks are not reordered to fit the network. To reorder them, make the grid of a [subgroup](Group::subgroup) with the
//! ranks in the desired order.

use super::Group;
use crate::{error::CommError, rank::Rank};

/// A group whose ranks are the points of a grid.
///
/// ```
/// use multicomputer::{Machine, prelude::*};
///
/// // Twelve nodes as a cylinder of 3 x 4: rows are rings, columns are lines.
/// let machine = Machine::builder("complete:12".parse()?).build()?;
/// let run = machine.run(|node| {
///     let grid = node.world().cartesian(&[3, 4], &[false, true])?;
///     let (group, here) = (grid.group(), grid.coordinates(grid.group().rank())?);
///     // To the right, around the ring, as many places as the row says.
///     let shift = grid.shift(1, here[0] as isize)?;
///     let got = group.sendrecv(shift.destination, [here[1] as u64], shift.source)?;
///     assert_eq!(got.to_vec::<u64>()?, [((here[1] + 4 - here[0]) % 4) as u64]);
///     // Downwards: no row is above the first, so nothing comes to it.
///     let shift = grid.shift(0, 1)?;
///     let got = group.sendrecv(shift.destination, [here[0] as u64], shift.source)?;
///     assert_eq!(got.is_null(), here[0] == 0);
///     let row = grid.sub(&[false, true])?;
///     Ok((row.extents().to_vec(), row.group().rank()))
/// })?;
/// assert_eq!(run.outputs[6], (vec![4], 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cartesian<'n> {
    group: Group<'n>,
    /// The number of ranks along each dimension, and whether the dimension is periodic (a ring).
    axes: Box<[(usize, bool)]>,
}

/// The source and destination of one rank in a shift of all ranks along a dimension. `None` means beyond the edge of the grid, and is the null
/// process of every call that takes a rank, as `MPI_PROC_NULL`: a send to it does nothing, and a receive from it returns an empty
/// [null message](crate::comm::Message::is_null). So a program passes both ranks on without looking at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The rank that sends to this rank.
    pub source: Option<Rank>,
    /// The rank that this rank sends to.
    pub destination: Option<Rank>,
}

impl<'n> Group<'n> {
    /// Makes a grid of the first ranks of this group: `extents` gives the number of ranks along each dimension, `periodic` the dimensions
    /// that are rings. Exactly the first ranks, as many as the grid has points, must call this with the same shape. A grid without
    /// dimensions has one rank.
    ///
    /// # Errors
    /// [`CommError::BadGrid`] if the lists differ in length, an extent is 0 or the grid has more points than the group has ranks;
    /// [`CommError::NotAMember`] if this rank is beyond the last point of the grid.
    #[doc(alias = "MPI_Cart_create")]
    #[track_caller]
    pub fn cartesian(&self, extents: &[usize], periodic: &[bool]) -> Result<Cartesian<'n>, CommError> {
        self.note_call();
        let refusal = |why: String| Err(CommError::BadGrid(why));
        if extents.len() != periodic.len() {
            let (extents, periodic) = (extents.len(), periodic.len());
            return refusal(format!(
                "{extents} extents and {periodic} periodicity flags are given; both numbers must be equal"
            ));
        }
        let points = extents.iter().try_fold(1_usize, |points, &extent| points.checked_mul(extent));
        let points = points.unwrap_or(usize::MAX);
        if !(1..=self.size()).contains(&points) {
            let given = extents.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            return refusal(format!(
                "a grid of {given} does not fit the {} ranks of {}",
                self.size(),
                self.name
            ));
        }
        let members: Vec<Rank> = (0..points).collect();
        let axes = extents.iter().copied().zip(periodic.iter().copied()).collect();
        let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
        let name = match &extents[..] {
            [] => "the grid of one rank".to_owned(),
            [one] => format!("the grid of {one}"),
            _ => format!("the {} grid", extents.join(" x ")),
        };
        Ok(Cartesian { group: self.named_subgroup(&members, |_| name.clone())?, axes })
    }
}

impl<'n> Cartesian<'n> {
    /// Returns extents for a grid of exactly `ranks` ranks that is as close to a cube as possible: in non-increasing order, with the
    /// smallest possible difference of the first extent and the last one, then the largest possible last one, then the one before it, and so on.
    /// The list is empty if there are no dimensions.
    ///
    /// ```
    /// use multicomputer::comm::Cartesian;
    ///
    /// assert_eq!(Cartesian::balanced(12, 2), [4, 3]);
    /// assert_eq!(Cartesian::balanced(60, 3), [5, 4, 3]);
    /// assert_eq!(Cartesian::balanced(5040, 3), [21, 16, 15]);
    /// assert_eq!(Cartesian::balanced(7, 2), [7, 1]);
    /// ```
    #[doc(alias = "MPI_Dims_create")]
    #[doc(alias = "dims_create")]
    pub fn balanced(ranks: usize, dimensions: usize) -> Vec<usize> {
        let small = (1..=ranks.isqrt()).filter(|&divisor| ranks.is_multiple_of(divisor));
        let mut divisors: Vec<usize> = small.flat_map(|divisor| [divisor, ranks / divisor]).collect();
        divisors.sort_unstable();
        divisors.dedup();
        let Some(mut best) = extents_between(&divisors, ranks, dimensions, (1, ranks)) else {
            // No ranks, or no dimensions.
            return [vec![ranks], vec![1; dimensions]].concat()[..dimensions].to_vec();
        };
        for &least in divisors.iter().rev() {
            while let [first, .., last] = best[..]
                && let largest = least + first - last - usize::from(least <= last)
                && let Some(closer) = extents_between(&divisors, ranks, dimensions, (least, largest))
            {
                best = closer;
            }
        }
        best
    }

    /// The ranks of the grid as a group.
    pub fn group(&self) -> &Group<'n> {
        &self.group
    }

    /// The number of ranks along each dimension.
    pub fn extents(&self) -> Vec<usize> {
        self.axes.iter().map(|&(extent, _)| extent).collect()
    }

    /// Whether each dimension is a ring.
    pub fn periodic(&self) -> Vec<bool> {
        self.axes.iter().map(|&(_, is_ring)| is_ring).collect()
    }

    /// The coordinates of a rank.
    ///
    /// # Errors
    /// [`CommError::NoSuchRank`].
    #[doc(alias = "MPI_Cart_coords")]
    #[track_caller]
    pub fn coordinates(&self, rank: Rank) -> Result<Vec<usize>, CommError> {
        self.group.note_call();
        self.group.check_rank(rank)?;
        Ok(self.point(rank))
    }

    /// The coordinates of a rank, which must be in range.
    fn point(&self, rank: Rank) -> Vec<usize> {
        let mut rest = rank;
        let mut coordinates = vec![0; self.axes.len()];
        for (coordinate, &(extent, _)) in coordinates.iter_mut().zip(&self.axes).rev() {
            (*coordinate, rest) = (rest % extent, rest / extent);
        }
        coordinates
    }

    /// Returns the rank at these coordinates. Coordinates wrap around in periodic dimensions.
    ///
    /// # Errors
    /// [`CommError::BadGrid`] if the number of coordinates is wrong or a coordinate is beyond the edge.
    #[doc(alias = "MPI_Cart_rank")]
    #[track_caller]
    pub fn rank_at(&self, coordinates: &[isize]) -> Result<Rank, CommError> {
        self.group.note_call();
        let given = || format!("coordinates {coordinates:?} are not in a grid of {:?}", self.extents());
        if coordinates.len() != self.axes.len() {
            return Err(CommError::BadGrid(given()));
        }
        let mut rank = 0;
        for (&coordinate, &axis) in coordinates.iter().zip(&self.axes) {
            let position = position(axis, coordinate as i128).ok_or_else(|| CommError::BadGrid(given()))?;
            rank = rank * axis.0 + position;
        }
        Ok(rank)
    }

    /// Returns this rank's source and destination if all ranks shift their data by `displacement` along a dimension. A positive
    /// displacement is towards higher coordinates.
    ///
    /// # Errors
    /// [`CommError::BadGrid`] if the dimension does not exist.
    #[doc(alias = "MPI_Cart_shift")]
    #[track_caller]
    pub fn shift(&self, dimension: usize, displacement: isize) -> Result<Shift, CommError> {
        self.group.note_call();
        let Some(&axis) = self.axes.get(dimension) else {
            let dimensions = self.axes.len();
            let why = format!("dimension {dimension} does not exist: there are {dimensions}, counted from 0");
            return Err(CommError::BadGrid(why));
        };
        let rank = self.group.rank();
        let stride: usize = self.axes[dimension + 1..].iter().map(|&(extent, _)| extent).product();
        let here = rank / stride % axis.0;
        let at = |displacement: i128| {
            let position = position(axis, here as i128 + displacement)?;
            Some(rank - here * stride + position * stride)
        };
        let displacement = displacement as i128;
        Ok(Shift { source: at(-displacement), destination: at(displacement) })
    }

    /// Returns the grid of the ranks that differ from this rank only in the kept dimensions: a row, a column, a plane. All ranks of this
    /// grid must call this with the same list.
    ///
    /// # Errors
    /// [`CommError::BadGrid`] if the length of the list differs from the number of dimensions.
    #[doc(alias = "MPI_Cart_sub")]
    #[track_caller]
    pub fn sub(&self, keep: &[bool]) -> Result<Cartesian<'n>, CommError> {
        self.group.note_call();
        if keep.len() != self.axes.len() {
            let (given, dimensions) = (keep.len(), self.axes.len());
            let why = format!("{given} flags are given for {dimensions} dimensions");
            return Err(CommError::BadGrid(why));
        }
        let fixed = |rank: Rank| -> Vec<usize> {
            self.point(rank).into_iter().zip(keep).filter(|(_, keep)| !**keep).map(|(at, _)| at).collect()
        };
        let mine = fixed(self.group.rank());
        let members: Vec<Rank> = (0..self.group.size()).filter(|&rank| fixed(rank) == mine).collect();
        let axes = self.axes.iter().zip(keep).filter(|(_, keep)| **keep).map(|(&axis, _)| axis).collect();
        let name = |nodes: &str| format!("the group of nodes {nodes} of {}", self.group.name());
        Ok(Cartesian { group: self.group.named_subgroup(&members, name)?, axes })
    }
}

/// Returns a non-increasing list of extents from `least` to `largest` whose product is `ranks`: the one with the largest last extent, then the
/// largest one before it, and so on. The divisors are at least those of `ranks`, in order.
fn extents_between(
    divisors: &[usize],
    ranks: usize,
    dimensions: usize,
    (least, largest): (usize, usize),
) -> Option<Vec<usize>> {
    if dimensions <= 1 {
        let is_possible = if dimensions == 0 { ranks == 1 } else { (least..=largest).contains(&ranks) };
        return is_possible.then(|| vec![ranks; dimensions]);
    }
    let is_enough = largest.checked_pow(dimensions as u32).is_none_or(|points| points >= ranks);
    let is_small = |last: usize| last.checked_pow(dimensions as u32).is_some_and(|points| points <= ranks);
    let below = divisors.partition_point(|&last| last <= largest && is_small(last));
    let candidates = divisors[..below].iter().rev().take_while(|&&last| is_enough && last >= least);
    candidates.copied().filter(|&last| ranks.is_multiple_of(last)).find_map(|last| {
        let others = extents_between(divisors, ranks / last, dimensions - 1, (last, largest))?;
        Some([others, vec![last]].concat())
    })
}

/// Returns the position of a coordinate on an axis: modulo the extent on a ring, `None` beyond the edge of a line.
fn position((extent, is_ring): (usize, bool), coordinate: i128) -> Option<usize> {
    let extent = extent as i128;
    let position = if is_ring { coordinate.rem_euclid(extent) } else { coordinate };
    // The position is below the extent, which is a `usize`.
    (0..extent).contains(&position).then_some(position as usize)
}
