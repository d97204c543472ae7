//! Grids. Ranks are in row-major order: the last coordinate varies fastest.

use std::rc::Rc;

use super::{Topology, check_room, checked_rank, create, not_negative, wrong_topology};
use crate::{
    abi,
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Array, Handle, Out},
};

/// A grid of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian {
    /// The number of processes along each dimension, and whether the dimension is periodic.
    pub dims: Vec<(usize, bool)>,
}

impl Cartesian {
    /// The number of processes.
    pub fn size(&self) -> usize {
        self.dims.iter().map(|&(extent, _)| extent).product()
    }

    /// The coordinates of a rank.
    pub fn coordinates(&self, rank: usize) -> Vec<usize> {
        let mut rest = rank;
        let mut coordinates: Vec<usize> = self
            .dims
            .iter()
            .rev()
            .map(|&(extent, _)| {
                let coordinate = rest % extent;
                rest /= extent;
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// The rank at some coordinates. Periodic coordinates may be any integers.
    ///
    /// # Errors
    /// The dimension in which a coordinate is out of range.
    pub fn rank(&self, coordinates: impl IntoIterator<Item = i64>) -> std::result::Result<usize, usize> {
        let mut rank = 0;
        for (dimension, (&(extent, is_periodic), coordinate)) in self.dims.iter().zip(coordinates).enumerate()
        {
            let position = if is_periodic { coordinate.rem_euclid(extent as i64) } else { coordinate };
            if !(0..extent as i64).contains(&position) {
                return Err(dimension);
            }
            rank = rank * extent + position as usize;
        }
        Ok(rank)
    }

    /// The rank at a distance along a dimension; `MPI_PROC_NULL` beyond the edge.
    pub fn shifted(&self, rank: usize, dimension: usize, distance: i64) -> i32 {
        let coordinates = self.coordinates(rank).into_iter().map(|coordinate| coordinate as i64);
        let shifted = coordinates.enumerate().map(|(at, coordinate)| match at == dimension {
            true => coordinate + distance,
            false => coordinate,
        });
        self.rank(shifted).map_or(abi::PROC_NULL, |rank| rank as i32)
    }

    /// The grid of some dimensions through a rank, and its ranks.
    pub fn sub(&self, rank: usize, remains: impl Fn(usize) -> bool) -> (Cartesian, Vec<usize>) {
        let mut dims = Vec::new();
        let mut strides = Vec::new();
        let (mut stride, mut first) = (1, rank);
        for (dimension, &(extent, is_periodic)) in self.dims.iter().enumerate().rev() {
            if remains(dimension) {
                dims.push((extent, is_periodic));
                strides.push(stride);
                first -= rank / stride % extent * stride;
            }
            stride *= extent;
        }
        dims.reverse();
        strides.reverse();
        let sub = Cartesian { dims };
        let member = |at| {
            first + sub.coordinates(at).iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>()
        };
        let members = (0..sub.size()).map(member).collect();
        (sub, members)
    }

    /// The neighbors of a rank: for each dimension the one with the smaller coordinate, then the one with the larger.
    pub fn neighbors(&self, rank: usize) -> Vec<i32> {
        let both = |dimension| [-1, 1].map(|distance| self.shifted(rank, dimension, distance));
        (0..self.dims.len()).flat_map(both).collect()
    }
}

functions! {
    MPI_Cart_create: cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
    MPI_Cart_map: cart_map(comm, ndims, dims, periods, newrank);
    MPI_Cart_sub: cart_sub(comm, remain_dims, newcomm);
    MPI_Cartdim_get: cartdim_get(comm, ndims);
    MPI_Cart_get: cart_get(comm, maxdims, dims, periods, coords);
    MPI_Cart_rank: cart_rank(comm, coords, rank);
    MPI_Cart_coords: cart_coords(comm, rank, maxdims, coords);
    MPI_Cart_shift: cart_shift(comm, direction, disp, rank_source, rank_dest);
    MPI_Dims_create: dims_create(nnodes, ndims, dims);
}

/// Reads a grid that the program gives, which has to fit the communicator.
fn given(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    ndims: i32,
    dims: Array<i32>,
    periods: Array<i32>,
) -> Result<Cartesian> {
    let count = not_negative(Class::DIMS, "ndims", ndims)?;
    let extents = dims.read(process, count).map_err(|error| error.of("dims"))?;
    let periods = periods.read(process, count).map_err(|error| error.of("periods"))?;
    if let Some(extent) = extents.iter().find(|&&extent| extent <= 0) {
        return Err(Error::argument(
            Class::DIMS,
            "dims",
            format!("{extent} is not the extent of a dimension"),
        ));
    }
    let points = extents.iter().try_fold(1_i32, |points, &extent| points.checked_mul(extent));
    if points.is_none_or(|points| points > comm.size()) {
        let extents: Vec<String> = extents.iter().map(i32::to_string).collect();
        let text = format!("a grid of {} does not fit {} processes", extents.join(" x "), comm.size());
        return Err(Error::argument(Class::DIMS, "dims", text));
    }
    let dims = extents.iter().zip(periods).map(|(&extent, period)| (extent as usize, period != 0));
    Ok(Cartesian { dims: dims.collect() })
}

/// The grid of a communicator.
fn grid<'a>(comm: &'a Communicator<'_>) -> Result<&'a Cartesian> {
    match comm.topology.get().map(|topology| &**topology) {
        Some(Topology::Cartesian(grid)) => Ok(grid),
        _ => Err(wrong_topology("Cartesian topology")),
    }
}

fn cart_create<'n>(
    process: &Process<'n>,
    comm_old: Rc<Communicator<'n>>,
    ndims: i32,
    dims: Array<i32>,
    periods: Array<i32>,
    _: i32,
    comm_cart: Out<Handle>,
) -> Result<()> {
    comm_cart.set(process, abi::COMM_NULL);
    let grid = given(process, &comm_old, ndims, dims, periods)?;
    let members: Vec<usize> = (0..grid.size()).collect();
    create(process, &comm_old, &members, Topology::Cartesian(grid), comm_cart)
}

fn cart_map<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    ndims: i32,
    dims: Array<i32>,
    periods: Array<i32>,
    newrank: Out<i32>,
) -> Result<()> {
    let grid = given(process, &comm, ndims, dims, periods)?;
    let is_member = (comm.rank() as usize) < grid.size();
    newrank.set(process, if is_member { comm.rank() } else { abi::UNDEFINED });
    Ok(())
}

fn cart_sub<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    remain_dims: Array<i32>,
    newcomm: Out<Handle>,
) -> Result<()> {
    let grid = grid(&comm)?;
    let remains = remain_dims.read(process, grid.dims.len()).map_err(|error| error.of("remain_dims"))?;
    let (sub, members) = grid.sub(comm.rank() as usize, |dimension| remains[dimension] != 0);
    create(process, &comm, &members, Topology::Cartesian(sub), newcomm)
}

fn cartdim_get<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, ndims: Out<i32>) -> Result<()> {
    ndims.set(process, grid(&comm)?.dims.len() as i32);
    Ok(())
}

fn cart_get<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    maxdims: i32,
    dims: Array<i32>,
    periods: Array<i32>,
    coords: Array<i32>,
) -> Result<()> {
    let grid = grid(&comm)?;
    check_room("maxdims", maxdims, grid.dims.len())?;
    let here: Vec<i32> = grid.coordinates(comm.rank() as usize).into_iter().map(|at| at as i32).collect();
    let (extents, are_periodic): (Vec<i32>, Vec<i32>) =
        grid.dims.iter().map(|&(extent, is_periodic)| (extent as i32, i32::from(is_periodic))).unzip();
    dims.write(process, &extents);
    periods.write(process, &are_periodic);
    coords.write(process, &here);
    Ok(())
}

fn cart_rank<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    coords: Array<i32>,
    rank: Out<i32>,
) -> Result<()> {
    let grid = grid(&comm)?;
    let coords = coords.read(process, grid.dims.len()).map_err(|error| error.of("coords"))?;
    let found = grid.rank(coords.iter().map(|&coordinate| coordinate.into())).map_err(|dimension| {
        let (coordinate, extent) = (coords[dimension], grid.dims[dimension].0);
        let text = format!("{coordinate} is beyond the edge: dimension {dimension} has the extent {extent}");
        Error::argument(Class::ARG, "coords", text)
    });
    rank.set(process, found? as i32);
    Ok(())
}

fn cart_coords<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    rank: i32,
    maxdims: i32,
    coords: Array<i32>,
) -> Result<()> {
    let grid = grid(&comm)?;
    let rank = checked_rank("rank", rank, &comm)?;
    check_room("maxdims", maxdims, grid.dims.len())?;
    let there: Vec<i32> = grid.coordinates(rank).into_iter().map(|coordinate| coordinate as i32).collect();
    coords.write(process, &there);
    Ok(())
}

fn cart_shift<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    direction: i32,
    disp: i32,
    rank_source: Out<i32>,
    rank_dest: Out<i32>,
) -> Result<()> {
    let grid = grid(&comm)?;
    let dimension = not_negative(Class::ARG, "direction", direction)?;
    if dimension >= grid.dims.len() {
        let text = format!("{direction} is no dimension: the grid has {}, from 0", grid.dims.len());
        return Err(Error::argument(Class::ARG, "direction", text));
    }
    let [source, destination] =
        [-1, 1].map(|sign| grid.shifted(comm.rank() as usize, dimension, sign * i64::from(disp)));
    rank_source.set(process, source);
    rank_dest.set(process, destination);
    Ok(())
}

fn dims_create(process: &Process<'_>, nnodes: i32, ndims: i32, dims: Array<i32>) -> Result<()> {
    let count = not_negative(Class::DIMS, "ndims", ndims)?;
    if nnodes <= 0 {
        return Err(Error::argument(Class::ARG, "nnodes", format!("{nnodes} is not positive")));
    }
    if count == 0 {
        return Ok(());
    }
    let mut extents = dims.read(process, count).map_err(|error| error.of("dims"))?;
    balance(nnodes, &mut extents).map_err(|text| Error::argument(Class::DIMS, "dims", text))?;
    dims.write(process, &extents);
    Ok(())
}

/// Sets the extents that are 0, in non-increasing order and as close to each other as possible, so that the product is `nodes`.
fn balance(nodes: i32, extents: &mut [i32]) -> std::result::Result<(), String> {
    if let Some(extent) = extents.iter().find(|&&extent| extent < 0) {
        return Err(format!("{extent} is negative"));
    }
    let free = extents.iter().filter(|&&extent| extent == 0).count();
    let fixed = extents.iter().filter(|&&extent| extent > 0);
    let fixed = fixed.fold(1_i64, |product, &extent| product.saturating_mul(extent.into()));
    let nodes = i64::from(nodes);
    if nodes % fixed != 0 || free == 0 && nodes != fixed {
        return Err(format!(
            "{nodes} processes do not make a grid with the given extents, whose product is {fixed}"
        ));
    }
    let balanced = multicomputer::comm::Cartesian::balanced((nodes / fixed) as usize, free);
    let unset = extents.iter_mut().filter(|extent| **extent == 0);
    unset.zip(balanced).for_each(|(extent, balanced)| *extent = balanced as i32);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::balance;

    fn dims<const N: usize>(nodes: i32, mut extents: [i32; N]) -> Option<[i32; N]> {
        balance(nodes, &mut extents).ok().map(|()| extents)
    }

    /// The examples of the standard.
    #[test]
    fn dims_create_of_the_standard() {
        assert_eq!(dims(6, [0, 0]), Some([3, 2]));
        assert_eq!(dims(7, [0, 0]), Some([7, 1]));
        assert_eq!(dims(6, [0, 3, 0]), Some([2, 3, 1]));
        assert_eq!(dims(7, [0, 3, 0]), None);
    }

    #[test]
    fn dims_create_with_fixed_extents() {
        assert_eq!(dims(12, [3, 4]), Some([3, 4]));
        assert_eq!(dims(13, [3, 4]), None);
        assert_eq!(dims(24, [-1, 0]), None);
        assert_eq!(dims(4096, [0, 0, 0, 0]), Some([8, 8, 8, 8]));
        // 20 x 18 x 14 has the same difference.
        assert_eq!(dims(5040, [0, 0, 0]), Some([21, 16, 15]));
    }
}
