//! Intercommunicators: two groups whose processes send to the other group.

use std::rc::Rc;

use multicomputer::{Payload, Rank, Tag, comm::Group};

use super::{Communicator, Members, Remote, create, enter, nodes};
use crate::{
    abi,
    collective::{all_gather_bytes, broadcast_bytes},
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Handle, Out, Stored},
};

functions! {
    MPI_Intercomm_create: intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
    MPI_Intercomm_merge: merge(intercomm, high, newintracomm);
}

/// The tag of messages between the two groups that the library sends for itself, out of the range of the program's tags.
const OWN: Tag = Tag(1 << 31);

/// Makes the intercommunicator of this process's group, `members` of `local`, and a remote group of nodes.
pub(crate) fn of_groups<'n>(
    process: &Process<'n>,
    local: &Group<'n>,
    members: &[usize],
    remote: Vec<Rank>,
    is_first: bool,
) -> Result<Rc<Communicator<'n>>> {
    let own = local.subgroup(members)?;
    let mut both: Vec<Rank> =
        members.iter().map(|&rank| local.to(rank, Tag(0)).rank).chain(remote.iter().copied()).collect();
    both.sort_unstable();
    both.dedup();
    if both.len() < members.len() + remote.len() {
        return Err(Error::argument(Class::GROUP, "local_comm", "the two groups have a process in common"));
    }
    let union = process.world.subgroup(&both)?;
    let remote = Remote { nodes: remote.into(), union, is_first };
    Ok(Rc::new(create::new(process, Members::Own(own), Some(remote), String::new())))
}

/// Exchanges bytes with the remote group: returns the bytes of all its processes. Ranks 0 exchange for their groups.
pub(super) fn from_remote<'n>(
    process: &Process<'n>,
    comm: &Communicator<'n>,
    remote: &Remote<'n>,
    mine: Vec<u8>,
) -> Result<Vec<Vec<u8>>> {
    let all = all_gather_bytes(process, comm, mine)?;
    let mut packed = Vec::new();
    if comm.group.rank() == 0 {
        let mut own = Vec::new();
        for bytes in &all {
            (bytes.len() as u64).store(&mut own);
            own.extend_from_slice(bytes);
        }
        let context = remote.union.library_context();
        let to = multicomputer::comm::transport::To { rank: remote.nodes[0], context, tag: OWN };
        let from =
            multicomputer::comm::transport::From { context, source: Some(remote.nodes[0]), tag: Some(OWN) };
        let message = process.transport().send_recv(to, Payload::from(own), from)?;
        packed = message.payload.to_bytes().map_or_else(|_| Vec::new(), |bytes| bytes.to_vec());
    }
    let packed = broadcast_bytes(process, comm, 0, packed)?;
    let (mut rest, mut theirs) = (&packed[..], Vec::new());
    while rest.len() >= 8 {
        let length = u64::load(&rest[..8]) as usize;
        theirs.push(rest[8..8 + length].to_vec());
        rest = &rest[8 + length..];
    }
    Ok(theirs)
}

fn intercomm_create<'n>(
    process: &Process<'n>,
    local: Rc<Communicator<'n>>,
    leader: i32,
    peer: Handle,
    remote_leader: i32,
    tag: i32,
    newcomm: Out<Handle>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    if local.remote.is_some() {
        return Err(Error::argument(Class::COMM, "local_comm", "an intercommunicator was given"));
    }
    let root = match usize::try_from(leader) {
        Ok(rank) if rank < local.group.size() => rank,
        _ => {
            return Err(Error::argument(
                Class::RANK,
                "local_leader",
                format!("{leader} is no rank of the local communicator"),
            ));
        }
    };
    let mut packed = Vec::new();
    if local.group.rank() == root {
        let peer = process.communicator(peer).map_err(|error| error.of("peer_comm"))?;
        let to = peer.to(remote_leader, tag).map_err(|error| error.of("remote_leader"))?;
        let from = peer.from(remote_leader, tag)?;
        let (Some(to), Some(from)) = (to, from) else {
            return Err(Error::argument(Class::RANK, "remote_leader", "MPI_PROC_NULL was given"));
        };
        // The leader of the lower rank in the peer communicator is first.
        let is_first = peer.remote.as_ref().map_or(peer.rank() < remote_leader, |remote| remote.is_first);
        u64::from(is_first).store(&mut packed);
        let own: Vec<u8> = nodes(&local).iter().flat_map(|&node| (node as u64).to_ne_bytes()).collect();
        let message = process.transport().send_recv(to, Payload::from(own), from)?;
        let theirs = message.payload.to_bytes().map_or_else(|_| Vec::new(), |bytes| bytes.to_vec());
        packed.extend(theirs);
    }
    let packed = broadcast_bytes(process, &local, root, packed)?;
    let mut numbers = packed.chunks_exact(8).map(u64::load);
    let is_first = numbers.next() == Some(1);
    let remote: Vec<Rank> = numbers.map(|node| node as Rank).collect();
    let all: Vec<usize> = (0..local.group.size()).collect();
    let made = of_groups(process, &local.group, &all, remote, is_first)?;
    made.error_handler.set(local.error_handler.get());
    newcomm.set(process, enter(process, made));
    Ok(())
}

fn merge<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    high: i32,
    newcomm: Out<Handle>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    let remote = super::remote_of(&comm)?;
    let theirs = from_remote(process, &comm, remote, vec![u8::from(high != 0)])?;
    let their_high = theirs.first().is_some_and(|bytes| bytes.first() == Some(&1));
    let mine_first = match (high != 0, their_high) {
        (false, true) => true,
        (true, false) => false,
        _ => remote.is_first,
    };
    let mine = nodes(&comm);
    let order: Vec<Rank> = if mine_first {
        mine.iter().chain(&*remote.nodes).copied().collect()
    } else {
        remote.nodes.iter().chain(&mine).copied().collect()
    };
    let ranks: Vec<usize> = order.iter().filter_map(|&node| remote.union.rank_of(node)).collect();
    let made = create::new(process, Members::Own(remote.union.subgroup(&ranks)?), None, String::new());
    made.error_handler.set(comm.error_handler.get());
    newcomm.set(process, enter(process, Rc::new(made)));
    Ok(())
}
