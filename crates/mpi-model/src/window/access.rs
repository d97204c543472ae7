//! Accesses: puts, gets, accumulations, and their forms with a request.
//!
//! The origin's data is packed at the call. What an access does at its target refers to the target's memory, to a layout and to predefined
//! operators only, so any thread can carry it out.

use std::{ops::ControlFlow, rc::Rc, sync::Arc};

use bytes::Bytes;
use multicomputer::{Payload, Tag};

use super::{Flavor, Window, shared::Common};
use crate::{
    buffer::{Buffer, Data},
    check::{Act, Kind, Noted, Role, pieces_of},
    datatype::{
        Committed, Datatype,
        basic::{self, Element},
        layout::Layout,
        signature::Signature,
    },
    error::{Class, Error, Result},
    function::functions,
    op::{self, Operator, Predefined},
    process::Process,
    program::WindowMemory,
    request::{Request, Work},
    status::Status,
    word::{Address, Arguments, Handle, Out, Words},
};

functions! {
    MPI_Put: put(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win);
    MPI_Put_c: put(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win);
    MPI_Get: get(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win);
    MPI_Get_c: get(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win);
    MPI_Accumulate: accumulate(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, op, win);
    MPI_Accumulate_c: accumulate(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, op, win);
    MPI_Get_accumulate: get_accumulate(origin_addr/origin_count/origin_datatype, result_addr/result_count/result_datatype, target_rank/target_disp/target_count/target_datatype, op, win);
    MPI_Get_accumulate_c: get_accumulate(origin_addr/origin_count/origin_datatype, result_addr/result_count/result_datatype, target_rank/target_disp/target_count/target_datatype, op, win);
    MPI_Fetch_and_op: fetch_and_op(origin_addr/result_addr, datatype, target_rank/target_disp, op, win);
    MPI_Compare_and_swap: compare_and_swap(origin_addr, compare_addr/result_addr, datatype, target_rank/target_disp, win);
    MPI_Rput: rput(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win, request);
    MPI_Rput_c: rput(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win, request);
    MPI_Rget: rget(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win, request);
    MPI_Rget_c: rget(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, win, request);
    MPI_Raccumulate: raccumulate(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, op, win, request);
    MPI_Raccumulate_c: raccumulate(origin_addr/origin_count/origin_datatype, target_rank/target_disp/target_count/target_datatype, op, win, request);
    MPI_Rget_accumulate: rget_accumulate(origin_addr/origin_count/origin_datatype, result_addr/result_count/result_datatype, target_rank/target_disp/target_count/target_datatype, op, win, request);
    MPI_Rget_accumulate_c: rget_accumulate(origin_addr/origin_count/origin_datatype, result_addr/result_count/result_datatype, target_rank/target_disp/target_count/target_datatype, op, win, request);
}

/// The tag of accesses, which nothing receives.
const ACCESS: Tag = Tag(0);

/// The elements of a target that an access reads or writes.
struct Place {
    common: Arc<Common>,
    rank: usize,
    address: Address,
    count: u64,
    layout: Arc<Layout>,
}

impl Place {
    fn memory(&self) -> Option<&dyn WindowMemory> {
        self.common.target(self.rank).map(|target| &*target.memory)
    }

    /// The length of the data in bytes.
    fn bytes(&self) -> u64 {
        self.layout.size() * self.count
    }

    /// Copies the data out of the memory.
    fn load(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes() as usize);
        if let Some(memory) = self.memory() {
            self.layout.for_each_run(self.count, |displacement, length| {
                memory.read(self.address.offset(displacement).0, length as usize, &mut bytes);
            });
        }
        bytes
    }

    /// Stores data into the memory.
    fn store(&self, bytes: &[u8]) {
        if let Some(memory) = self.memory() {
            self.layout.scatter(self.count, bytes, |displacement, run| {
                memory.write(self.address.offset(displacement).0, run);
            });
        }
    }
}

/// A predefined operator and the type to which it is applied.
#[derive(Clone, Copy)]
struct Combination {
    operator: Predefined,
    element: Element,
}

impl Combination {
    /// Checks an operator for elements of a target.
    fn new(op: &Operator, datatype: &Datatype) -> Result<Combination> {
        if let op::Kind::Predefined(operator @ (Predefined::Minloc | Predefined::Maxloc)) = op.kind
            && datatype.element().is_none()
            && let Some(element) = pair_of(datatype.layout())
        {
            return Ok(Combination { operator, element });
        }
        // No operator is applied to elements without data.
        if datatype.size() > 0 || matches!(op.kind, op::Kind::User(_)) {
            op.check_accumulate(datatype)?;
        }
        let op::Kind::Predefined(operator) = op.kind else { return Err(Error::Leave) };
        let only = || datatype.layout().single().map(Element::One);
        // Operators that do not look at the elements need no type.
        let element = datatype.element().or_else(only).unwrap_or(Element::One(basic::BYTE));
        Ok(Combination { operator, element })
    }

    /// Combines data of the origin with that of the target.
    fn apply(self, origin: &[u8], target: &mut [u8]) {
        let length = origin.len().min(target.len());
        self.operator.combine(self.element, &origin[..length], &mut target[..length]);
    }
}

/// The pair of a value and an index of which a derived datatype consists.
fn pair_of(layout: &Layout) -> Option<Element> {
    if layout.elements() % 2 == 1 {
        return None;
    }
    if let Some(basic) = layout.single() {
        return Some(Element::Pair(basic, basic));
    }
    let (mut value, mut index, mut is_value) = (None, None, true);
    let walked = layout.basics(1, &mut |basic, count| {
        let place = if is_value { &mut value } else { &mut index };
        is_value = !is_value;
        if count == 1 && *place.get_or_insert(basic) == basic {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    Some(Element::Pair(value?, index?)).filter(|_| walked.is_continue())
}

/// The arguments of an access that say what it accesses.
#[derive(Clone)]
struct Aim {
    rank: i32,
    displacement: i64,
    count: i64,
    datatype: Committed,
}

impl<'n> Arguments<'n> for Aim {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        Ok(Aim {
            rank: words.take()?,
            displacement: words.take()?,
            count: words.take()?,
            datatype: words.take()?,
        })
    }
}

/// An access that is being made: its target, and the kind of call.
struct Access<'c, 'n> {
    process: &'c Process<'n>,
    window: &'c Rc<Window<'n>>,
    /// Where the handle of the request goes.
    request: Option<Out<Handle>>,
}

impl<'n> Access<'_, 'n> {
    /// Checks the target and waits until it can be accessed; `None` for `MPI_PROC_NULL`.
    fn begin(&self, aim: &Aim) -> Result<Option<Place>> {
        let Aim { rank, displacement, count, ref datatype } = *aim;
        let window = self.window;
        let rank = window.rank("target_rank", rank)?;
        if count < 0 {
            return Err(Error::argument(Class::COUNT, "target_count", format!("{count} is negative")));
        }
        let Some(rank) = rank else {
            if let Some(request) = self.request {
                request.set(self.process, self.process.enter(Work::done(Status::NO_PROCESS), None));
            }
            return Ok(None);
        };
        let address = address_of(window, rank, displacement, count as u64, datatype)?;
        window.begin_access(self.process, rank, self.request.is_some())?;
        let (common, layout) = (window.common.clone(), datatype.layout().clone());
        Ok(Some(Place { common, rank, address, count: count as u64, layout }))
    }

    /// Issues an access. Data that it returns goes to `landing`.
    fn issue(
        &self,
        rank: usize,
        bytes: u64,
        back: u64,
        landing: Option<Buffer>,
        noted: Option<Noted>,
        effect: impl FnOnce() -> Payload + Send + 'static,
    ) -> Result<()> {
        let Access { process, window, request } = *self;
        let to = window.comm.group.to(rank, ACCESS);
        let id = process.transport().remote(to, bytes, Some(back), move || {
            noted.iter().for_each(Noted::takes_effect);
            effect()
        })?;
        let issued = Request::new(Work::Remote(id, landing), None);
        issued.flights.replace(process.departed());
        window.note(rank, issued.clone());
        if let Some(request) = request {
            let handle = process.requests.borrow_mut().table.insert(issued);
            request.set(process, handle);
        }
        Ok(())
    }

    /// Notes an access, if the run is checked.
    fn note(&self, place: &Place, act: Act) -> Option<Noted> {
        let pieces = || pieces_of(place.address, &place.layout, place.count);
        self.process.accesses(self.window.part(place.rank), act, pieces)
    }

    /// Adds a finding if the datatypes of the origin and of the target do not match: data moves as if one side sent it and the other one received
    /// it (MPI 5.0, section 12.3.1).
    fn compare(&self, own: &Buffer, target: &Datatype, matches: bool) {
        if !matches {
            let function = self.process.site().function;
            let text =
                format!("{function} accesses {target} at the target as {} at the origin", own.datatype);
            let help = "give datatypes with the same basic types for the origin and the target";
            self.process.found(Kind::DatatypeMismatch, text, help, Vec::new());
        }
    }

    fn put(&self, origin: &Buffer, aim: &Aim) -> Result<()> {
        let Some(place) = self.begin(aim)? else { return Ok(()) };
        check_room(origin.bytes(), place.bytes(), "target")?;
        self.compare(origin, &aim.datatype, place.layout.accepts(&signature(origin)));
        let data = origin.load_bytes(self.process);
        self.process.departs(origin, Role::Send);
        let noted = self.note(&place, Act::Put);
        self.issue(place.rank, data.len() as u64, 0, None, noted, move || {
            place.store(&data);
            Payload::empty()
        })
    }

    fn get(&self, landing: Buffer, aim: &Aim) -> Result<()> {
        let Some(place) = self.begin(aim)? else { return Ok(()) };
        check_room(place.bytes(), landing.bytes(), "origin")?;
        let target = place.layout.signature(place.count);
        self.compare(&landing, &aim.datatype, landing.datatype.layout().accepts(&target));
        self.process.departs(&landing, Role::Receive);
        let noted = self.note(&place, Act::Get);
        self.issue(place.rank, 0, place.bytes(), Some(landing), noted, move || Payload::from(place.load()))
    }

    /// Without a `landing` the result is not returned.
    fn combine(
        &self,
        origin: Option<&Buffer>,
        landing: Option<Buffer>,
        op: &Operator,
        aim: &Aim,
    ) -> Result<()> {
        let combination = Combination::new(op, &aim.datatype)?;
        let Some(place) = self.begin(aim)? else { return Ok(()) };
        check_room(origin.map_or(0, Buffer::bytes), place.bytes(), "target")?;
        let back = match &landing {
            Some(landing) => {
                check_room(place.bytes(), landing.bytes(), "result")?;
                let target = place.layout.signature(place.count);
                self.compare(landing, &aim.datatype, landing.datatype.layout().accepts(&target));
                place.bytes()
            }
            None => 0,
        };
        if let Some(origin) = origin {
            self.compare(origin, &aim.datatype, place.layout.accepts(&signature(origin)));
        }
        let returns = landing.is_some();
        let data = origin.map_or_else(Bytes::new, |origin| origin.load_bytes(self.process));
        origin.map(|origin| self.process.departs(origin, Role::Send));
        landing.as_ref().map(|landing| self.process.departs(landing, Role::Receive));
        let act = Act::Accumulate(Some(combination.operator), place.layout.single(), returns);
        let noted = self.note(&place, act);
        let origin = data;
        self.issue(place.rank, origin.len() as u64, back, landing, noted, move || {
            let mut data = if !returns && combination.operator == Predefined::Replace {
                Vec::new()
            } else {
                place.load()
            };
            let old = if returns { Payload::from(data.clone()) } else { Payload::empty() };
            match combination.operator {
                Predefined::Replace => place.store(&origin),
                Predefined::NoOp => {}
                _ => {
                    combination.apply(&origin, &mut data);
                    place.store(&data[..origin.len().min(data.len())]);
                }
            }
            old
        })
    }
}

/// The basic types of a buffer.
fn signature(buffer: &Buffer) -> Signature {
    buffer.datatype.signature(buffer.count as u64)
}

/// Checks that data has room at its destination.
fn check_room(data: u64, room: u64, destination: &str) -> Result<()> {
    if data <= room {
        return Ok(());
    }
    let text = format!("the access moves {data} bytes, the {destination} has room for {room}");
    Err(Error::new(Class::TRUNCATE, text))
}

/// Checks that elements are in the window, and returns the address relative to which their displacements count.
fn address_of(
    window: &Window<'_>,
    rank: usize,
    displacement: i64,
    count: u64,
    datatype: &Datatype,
) -> Result<Address> {
    let target = window.target(rank)?;
    let (low, high) = datatype.layout().span(count);
    let outside = |text: String| Err(Error::argument(Class::RMA_RANGE, "target_disp", text));
    if window.flavor == Flavor::Dynamic {
        // The displacement is an address.
        let address = Address(displacement as usize);
        let (first, length) = (address.offset(low).0, (high - low) as usize);
        if length > 0 && !target.has_attached(first, length) {
            return outside(format!("rank {rank} has not attached all of {length} bytes at {first:#x}"));
        }
        return Ok(address);
    }
    if displacement < 0 {
        return Err(Error::argument(Class::DISP, "target_disp", format!("{displacement} is negative")));
    }
    let at = i128::from(displacement) * i128::from(target.unit);
    let (first, end) = (at + i128::from(low), at + i128::from(high));
    if low != high && (first < 0 || end > target.size as i128) {
        let size = target.size;
        return outside(format!(
            "bytes {first} to {end} are not in the window of rank {rank}, which has {size} bytes"
        ));
    }
    Ok(Address(target.base.wrapping_add(at as usize)))
}

/// Defines the form of an access without and with a request.
macro_rules! accesses {
    ($plain:ident, $with_request:ident, $body:ident ($($argument:ident: $of:ty),* $(,)?)) => {
        fn $plain<'n>(process: &Process<'n>, $($argument: $of,)* window: Rc<Window<'n>>) -> Result<()> {
            $body(&Access { process, window: &window, request: None }, $($argument),*)
        }

        fn $with_request<'n>(
            process: &Process<'n>, $($argument: $of,)* window: Rc<Window<'n>>, request: Out<Handle>,
        ) -> Result<()> {
            $body(&Access { process, window: &window, request: Some(request) }, $($argument),*)
        }
    };
}

accesses! { put, rput, put_any (origin: Data, aim: Aim) }
accesses! { get, rget, get_any (origin: Data, aim: Aim) }
accesses! { accumulate, raccumulate, accumulate_any (origin: Data, aim: Aim, op: Operator) }
accesses! { get_accumulate, rget_accumulate, get_accumulate_any (origin: Data, result: Data, aim: Aim, op: Operator) }

fn put_any(access: &Access<'_, '_>, origin: Data, aim: Aim) -> Result<()> {
    access.put(&origin.buffer()?, &aim)
}

fn get_any(access: &Access<'_, '_>, origin: Data, aim: Aim) -> Result<()> {
    access.get(origin.buffer()?, &aim)
}

fn accumulate_any(access: &Access<'_, '_>, origin: Data, aim: Aim, op: Operator) -> Result<()> {
    access.combine(Some(&origin.buffer()?), None, &op, &aim)
}

fn get_accumulate_any(
    access: &Access<'_, '_>,
    origin: Data,
    result: Data,
    aim: Aim,
    op: Operator,
) -> Result<()> {
    let data = match is_no_op(&op) {
        // The arguments of the origin's data have no meaning.
        true => None,
        false => Some(origin.buffer()?),
    };
    access.combine(data.as_ref(), Some(result.buffer()?), &op, &aim)
}

fn is_no_op(op: &Operator) -> bool {
    matches!(op.kind, op::Kind::Predefined(Predefined::NoOp))
}

/// Checks the datatype of an access to one element.
fn check_predefined(datatype: &Datatype) -> Result<()> {
    match datatype.element() {
        Some(_) => Ok(()),
        None => {
            Err(Error::argument(Class::TYPE, "datatype", format!("{datatype} is no predefined datatype")))
        }
    }
}

fn fetch_and_op<'n>(
    process: &Process<'n>,
    (address, result): (Address, Address),
    datatype: Committed,
    (rank, displacement): (i32, i64),
    op: Operator,
    window: Rc<Window<'n>>,
) -> Result<()> {
    check_predefined(&datatype)?;
    let one = |address| Buffer { address, count: 1, datatype: datatype.0.clone() };
    let data = (!is_no_op(&op)).then(|| one(address));
    let landing = one(result);
    let access = Access { process, window: &window, request: None };
    access.combine(data.as_ref(), Some(landing), &op, &Aim { rank, displacement, count: 1, datatype })
}

fn compare_and_swap<'n>(
    process: &Process<'n>,
    address: Address,
    (compare, result): (Address, Address),
    datatype: Committed,
    (rank, displacement): (i32, i64),
    window: Rc<Window<'n>>,
) -> Result<()> {
    check_predefined(&datatype)?;
    use basic::Class::{Byte, Character, Logical, Signed, Unsigned};
    // The standard does not list characters; other libraries accept them.
    let is_whole = |of: basic::Basic| matches!(of.class, Byte | Character | Logical | Signed | Unsigned);
    if !matches!(datatype.element(), Some(Element::One(basic)) if is_whole(basic)) {
        let text = format!("{} cannot be compared: it is no integer, logical or byte", *datatype);
        return Err(Error::argument(Class::TYPE, "datatype", text));
    }
    let one = |address| Buffer { address, count: 1, datatype: datatype.0.clone() };
    let (data, expected) = (one(address).load_bytes(process), one(compare).load_bytes(process));
    let (landing, operands) = (one(result), [one(address), one(compare)]);
    let access = Access { process, window: &window, request: None };
    let Some(place) = access.begin(&Aim { rank, displacement, count: 1, datatype })? else { return Ok(()) };
    let bytes = data.len() as u64;
    for operand in &operands {
        process.departs(operand, Role::Send);
    }
    process.departs(&landing, Role::Receive);
    let noted = access.note(&place, Act::Accumulate(None, place.layout.single(), true));
    access.issue(place.rank, 2 * bytes, bytes, Some(landing), noted, move || {
        let old = place.load();
        if old == expected {
            place.store(&data);
        }
        Payload::from(old)
    })
}
