//! InterCom's algorithms behind NX's global operations: see [`Library::InterCom`](super::Library::InterCom).

use std::any::type_name;

use bytemuck::Pod;

use super::{Nx, NxError};
use crate::{
    collective::{Algorithm, Collective, Job, Lengths, Named, Operation, perform},
    payload::Payload,
};

/// Combines by InterCom's algorithm; see [`Nx::combine`].
pub(super) fn combine<T: Pod + Send>(
    nx: &Nx<'_, '_>,
    x: &mut [T],
    name: &'static str,
    is_commutative: bool,
    mut f: impl FnMut(&mut [T], &[T]),
) -> Result<(), NxError> {
    let mut onto = |left: Payload, right: Payload| {
        let mut left = left.to_vec::<T>()?;
        f(&mut left, &right.elements::<T>()?);
        Ok(Payload::from(left))
    };
    let job = Job::of::<T>(Operation::AllReduce, 0, x.len());
    let (world, mine) = (nx.node.world(), Payload::from(&*x));
    // Sums of floating-point numbers depend on the order of the additions.
    let named = Named { name, of: type_name::<T>(), is_commutative, is_exact: false };
    let result = perform(world, &Algorithm::HYBRID, &job, &mine, Some(named), &mut onto)?;
    Ok(result.copy_to(x)?)
}

/// Collects by InterCom's algorithm; see [`Nx::all_gather`]. If the lengths are unknown, they are collected first.
pub(super) fn all_gather(
    nx: &Nx<'_, '_>,
    part: Payload,
    lengths: Option<&[u64]>,
) -> Result<Payload, NxError> {
    let world = nx.node.world().using(&Algorithm::HYBRID);
    let lengths = match lengths {
        Some(lengths) => lengths.to_vec(),
        None => world.all_gather(&[part.len()], nx.node.size())?,
    };
    Ok(world.carry_out(&Job::bytes(Operation::AllGather, Lengths::Blocks(lengths)), part)?)
}

/// Synchronizes by the barrier of the world group; see [`Nx::synchronize`].
pub(super) fn synchronize(nx: &Nx<'_, '_>) -> Result<(), NxError> {
    Ok(nx.node.world().barrier()?)
}
