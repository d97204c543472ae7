//! Partitioned communication (MPI 5.0, chapter 4): persistent requests whose data the sender makes ready in parts.
//!
//! The message is sent when all partitions are ready, and its partitions arrive together. Messages match by the order in which their requests
//! were made, so every request of a peer and a tag has a number of its own, in a context beside the program's messages.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use multicomputer::{
    Tag,
    comm::transport::{From, To},
};

use crate::{
    buffer::Buffer,
    communicator::Communicator,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    point_to_point::Mode,
    process::Process,
    request::{Landing, Request, Work},
    status::Status,
    word::{Address, Arguments, Array, Handle, Out, Words},
};

functions! {
    MPI_Psend_init: send_init(buf/partitions/count/datatype, dest/tag, comm, info, request);
    MPI_Psend_init_c: send_init(buf/partitions/count/datatype, dest/tag, comm, info, request);
    MPI_Precv_init: receive_init(buf/partitions/count/datatype, dest/tag, comm, info, request);
    MPI_Precv_init_c: receive_init(buf/partitions/count/datatype, dest/tag, comm, info, request);
    MPI_Pready: ready(partition, request);
    MPI_Pready_range: ready_range(partition_low, partition_high, request);
    MPI_Pready_list: ready_list(length, array_of_partitions, request);
    MPI_Parrived: arrived(request, partition, flag);
}

/// The number of partitioned requests so far, by context, direction, peer and tag.
#[derive(Debug, Default)]
pub(crate) struct State {
    numbers: BTreeMap<(multicomputer::comm::transport::Context, bool, usize, u32), u32>,
}

/// The partitions of a request.
pub(crate) struct Partitions<'n> {
    count: usize,
    /// The send; `None` for a receive.
    send: Option<PartitionedSend<'n>>,
}

struct PartitionedSend<'n> {
    buffer: Buffer,
    to: Option<To>,
    communicator: Rc<Communicator<'n>>,
    is_ready: RefCell<Vec<bool>>,
}

impl<'n> PartitionedSend<'n> {
    /// Begins the send of all partitions.
    fn start(&self, process: &Process<'n>) -> Result<Work<'n>> {
        match self.to {
            None => Ok(Work::done(Status::NO_PROCESS)),
            to => process.start_send(to, &self.communicator, &self.buffer, Mode::Standard),
        }
    }
}

/// The arguments for the data of a request.
struct Parts {
    address: Address,
    partitions: i32,
    /// The number of elements of a partition.
    count: i64,
    datatype: Datatype,
}

impl<'n> Arguments<'n> for Parts {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        Ok(Parts {
            address: words.take()?,
            partitions: words.take()?,
            count: words.take()?,
            datatype: words.take()?,
        })
    }
}

impl Parts {
    /// The number of partitions, and the elements of all of them.
    fn whole(self) -> Result<(usize, Buffer)> {
        let Parts { address, partitions, count, datatype } = self;
        let Ok(number) = usize::try_from(partitions) else {
            return Err(Error::argument(Class::ARG, "partitions", format!("{partitions} is negative")));
        };
        let part = Buffer::new(address, count, datatype)?;
        let all = count.checked_mul(i64::from(partitions)).ok_or_else(|| {
            let text = format!("{partitions} partitions of {count} elements are too many");
            Error::argument(Class::COUNT, "count", text)
        })?;
        Ok((number, part.at(0, all)))
    }
}

/// The tag of the next request of a peer. Both sides make their requests in the same order, so both find the same number; requests of one peer
/// and one tag differ by it.
fn wire_tag<'n>(process: &Process<'n>, comm: &Communicator<'n>, is_send: bool, peer: usize, tag: u32) -> Tag {
    let mut state = process.partitioned.borrow_mut();
    let next = state.numbers.entry((comm.messages().context(), is_send, peer, tag)).or_default();
    let number = *next;
    *next = next.wrapping_add(1);
    // In this context, collective operations in rounds have smaller tags, and ports larger ones.
    Tag(1 << 31 | (tag ^ number.rotate_left(20)) & 0x3fff_ffff)
}

fn send_init<'n>(
    process: &Process<'n>,
    parts: Parts,
    (dest, tag): (i32, i32),
    comm: Rc<Communicator<'n>>,
    _: Info,
    request: Out<Handle>,
) -> Result<()> {
    let (count, buffer) = parts.whole()?;
    let to = comm.to(dest, tag)?.map(|to| To {
        context: comm.library_context(),
        tag: wire_tag(process, &comm, true, to.rank, to.tag.0),
        ..to
    });
    let is_ready = RefCell::new(vec![false; count]);
    let send = PartitionedSend { buffer, to, communicator: comm.clone(), is_ready };
    let partitions = Rc::new(Partitions { count, send: Some(send) });
    let of = partitions.clone();
    let start = move |process: &Process<'n>| match &of.send {
        Some(send) if of.count == 0 => send.start(process),
        Some(send) => {
            send.is_ready.borrow_mut().fill(false);
            Ok(Work::Partitioned)
        }
        None => Ok(Work::done(Status::EMPTY)),
    };
    request.set(process, process.enter_partitioned(&comm, Rc::new(start), partitions));
    Ok(())
}

fn receive_init<'n>(
    process: &Process<'n>,
    parts: Parts,
    (source, tag): (i32, i32),
    comm: Rc<Communicator<'n>>,
    _: Info,
    request: Out<Handle>,
) -> Result<()> {
    let (count, buffer) = parts.whole()?;
    // Wildcards are not allowed, so the arguments are those of a send.
    let from = comm.to(source, tag)?.map(|to| From {
        context: comm.library_context(),
        source: Some(to.rank),
        tag: Some(wire_tag(process, &comm, false, to.rank, to.tag.0)),
    });
    let communicator = comm.clone();
    let start = move |process: &Process<'n>| {
        let landing = Landing::new(buffer.clone(), &communicator);
        // The status has the tag of the program.
        Ok(match process.start_receive(from, landing)? {
            Work::Receive(id, landing) => {
                Work::Steps(Box::new(Receive { id: Some(id), landing, source, tag, bytes: 0 }))
            }
            work => work,
        })
    };
    let partitions = Rc::new(Partitions { count, send: None });
    request.set(process, process.enter_partitioned(&comm, Rc::new(start), partitions));
    Ok(())
}

/// A receive under way.
struct Receive<'n> {
    id: Option<multicomputer::comm::transport::RequestId>,
    landing: Landing<'n>,
    source: i32,
    tag: i32,
    bytes: u64,
}

impl<'n> crate::request::Steps<'n> for Receive<'n> {
    fn pending(&self) -> Vec<multicomputer::comm::transport::RequestId> {
        self.id.into_iter().collect()
    }

    fn complete(
        &mut self,
        process: &Process<'n>,
        _: multicomputer::comm::transport::RequestId,
        message: Option<multicomputer::comm::Message>,
    ) -> Result<()> {
        self.id = None;
        let message = message.ok_or(Error::Leave)?;
        self.bytes = self.landing.land(process, &message).map_err(Error::Mpi)?.bytes;
        Ok(())
    }

    fn status(&self) -> Status {
        Status { source: self.source, tag: self.tag, bytes: self.bytes, ..Status::EMPTY }
    }
}

/// The active partitioned send of a call.
fn active_send<'n>(process: &Process<'n>, handle: Handle) -> Result<(Rc<Request<'n>>, Rc<Partitions<'n>>)> {
    let refusal = |text: &str| Error::argument(Class::REQUEST, "request", text);
    let request = process.request(handle)?;
    let partitions = request.partitions.clone().filter(|partitions| partitions.send.is_some());
    let partitions = partitions.ok_or_else(|| refusal("the request is no partitioned send"))?;
    if !request.is_active() {
        return Err(refusal("the partitioned send is not active: call MPI_Start before"));
    }
    Ok((request, partitions))
}

/// Checks the number of a partition.
fn partition_of(partitions: &Partitions<'_>, argument: &'static str, partition: i32) -> Result<usize> {
    usize::try_from(partition).ok().filter(|&number| number < partitions.count).ok_or_else(|| {
        let text = format!("{partition} is no partition: the request has {}, from 0", partitions.count);
        Error::argument(Class::ARG, argument, text)
    })
}

/// Marks partitions as ready; sends the message if they are the last ones.
fn mark(
    process: &Process<'_>,
    handle: Handle,
    argument: &'static str,
    ready: impl IntoIterator<Item = i32>,
) -> Result<()> {
    let (request, partitions) = active_send(process, handle)?;
    let Some(send) = &partitions.send else { return Ok(()) };
    for partition in ready {
        let number = partition_of(&partitions, argument, partition)?;
        if std::mem::replace(&mut send.is_ready.borrow_mut()[number], true) {
            let text = format!("partition {partition} is ready already");
            return Err(Error::argument(Class::ARG, argument, text));
        }
    }
    let is_waiting = matches!(*request.work.borrow(), Work::Partitioned);
    if is_waiting && send.is_ready.borrow().iter().all(|&is_ready| is_ready) {
        let work = send.start(process)?;
        *request.work.borrow_mut() = work;
    }
    Ok(())
}

fn ready(process: &Process<'_>, partition: i32, request: Handle) -> Result<()> {
    mark(process, request, "partition", [partition])
}

fn ready_range(process: &Process<'_>, low: i32, high: i32, request: Handle) -> Result<()> {
    mark(process, request, "partition_high", low..=high)
}

fn ready_list(process: &Process<'_>, length: i32, list: Array<i32>, request: Handle) -> Result<()> {
    let length = usize::try_from(length)
        .map_err(|_| Error::argument(Class::COUNT, "length", format!("{length} is negative")))?;
    let list = list.read(process, length).map_err(|error| error.of("array_of_partitions"))?;
    mark(process, request, "array_of_partitions", list)
}

fn arrived(process: &Process<'_>, handle: Handle, partition: i32, flag: Out<i32>) -> Result<()> {
    let request = process.request(handle)?;
    let partitions = request.partitions.clone().filter(|partitions| partitions.send.is_none());
    let Some(partitions) = partitions else {
        return Err(Error::argument(Class::REQUEST, "request", "the request is no partitioned receive"));
    };
    partition_of(&partitions, "partition", partition)?;
    process.progress()?;
    let is_complete = !request.is_active() || process.test_one(&request)?;
    flag.set_flag(process, is_complete);
    if is_complete { Ok(()) } else { process.polled() }
}

impl std::fmt::Debug for Partitions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let communicator = self.send.as_ref().map(|send| &send.communicator);
        write!(f, "Partitions({}, send in {communicator:?})", self.count)
    }
}

#[cfg(test)]
mod tests {
    use crate::{abi, testing::run, word::Handle};

    const WORLD: usize = 0x101;
    const INT: usize = 0x209;

    #[test]
    fn a_message_is_sent_when_all_partitions_are_ready() {
        let got = run(2, |tester| {
            tester.errors_return();
            let values: Vec<i32> = (0..12).collect();
            let (buffer, flag) =
                (if tester.rank == 0 { tester.ints(&values) } else { tester.room(12) }, tester.room(1));
            let (other, none) = (1 - tester.rank, abi::INFO_NULL.0);
            let start = |request: usize| tester.ok("MPI_Start", &[tester.arena.store(&[Handle(request)]).0]);
            let wait = |request: usize| tester.ok("MPI_Wait", &[tester.arena.store(&[Handle(request)]).0, 0]);
            if tester.rank == 0 {
                let words = [buffer, 4, 3, INT, other, 5, WORLD, none];
                let [Handle(first), Handle(second)] =
                    [&words, &[tester.ints(&[-1]), 1, 1, INT, other, 5, WORLD, none]]
                        .map(|words| tester.result("MPI_Psend_init", words));
                assert_eq!(tester.code("MPI_Pready", &[0, first]), 7);
                // The second request is started first, and its message matches the second receive all the same.
                for _ in 0..2 {
                    start(second);
                    start(first);
                    tester.ok("MPI_Pready", &[0, second]);
                    tester.ok("MPI_Pready_range", &[1, 2, first]);
                    assert_eq!(tester.code("MPI_Pready", &[4, first]), 13);
                    tester.ok("MPI_Pready_list", &[2, tester.ints(&[3, 0]), first]);
                    wait(first);
                    wait(second);
                }
                return Vec::new();
            }
            let one = tester.room(1);
            let Handle(first) = tester.result("MPI_Precv_init", &[buffer, 2, 6, INT, other, 5, WORLD, none]);
            let Handle(second) = tester.result("MPI_Precv_init", &[one, 1, 1, INT, other, 5, WORLD, none]);
            for _ in 0..2 {
                start(first);
                start(second);
                while tester.read(flag, 1) == [0] {
                    tester.ok("MPI_Parrived", &[first, 1, flag]);
                }
                wait(first);
                wait(second);
            }
            [tester.read(buffer, 12), tester.read(one, 1)].concat()
        });
        assert_eq!(got[1], (0..12).chain([-1]).collect::<Vec<i32>>());
    }
}
