//! Operators of reductions (MPI 5.0, section 6.9).

mod predefined;
mod soft_float;
mod user;

use std::{fmt, rc::Rc};

use crate::{
    datatype::{Committed, Datatype, basic::Element},
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    table::{Kind as Objects, Table},
    word::{Address, Argument, Handle, Integer, Out},
};

pub use self::{predefined::Predefined, user::User};

/// `MPI_OP_NULL`.
pub const NULL: Handle = Handle(0x20);

/// An operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Whether `a op b = b op a`.
    pub is_commutative: bool,
    /// What the operator does.
    pub kind: Kind,
}

/// What an operator does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A predefined operation.
    Predefined(Predefined),
    /// A function of the program.
    User(Rc<User>),
}

impl Operator {
    /// Accepts an operator for reductions of a datatype.
    ///
    /// # Errors
    /// [`Class::OP`] if the operator is not defined for the datatype.
    pub fn check(&self, datatype: &Datatype) -> Result<()> {
        let Kind::Predefined(operator) = self.kind else { return Ok(()) };
        if matches!(operator, Predefined::Replace | Predefined::NoOp) {
            let text = format!("{self} is not defined for reductions, only for accesses to windows");
            return Err(Error::argument(Class::OP, "op", text));
        }
        match datatype.element() {
            Some(element) if operator.is_defined_for(element) => Ok(()),
            Some(_) => Err(not_defined(operator, &datatype.to_string())),
            None => Err(not_defined(operator, "derived datatypes")),
        }
    }

    /// Accepts an operator for accumulation in a window. Datatypes can be derived, of one basic type.
    ///
    /// # Errors
    /// [`Class::OP`] if the operator is not defined for the datatype, or is defined by the program.
    pub fn check_accumulate(&self, datatype: &Datatype) -> Result<()> {
        match self.kind {
            Kind::User(_) => Err(Error::argument(
                Class::OP,
                "op",
                "an operator of the program cannot accumulate in a window",
            )),
            Kind::Predefined(Predefined::Replace | Predefined::NoOp) => Ok(()),
            Kind::Predefined(operator) => match element_of(datatype) {
                Some(element) if operator.is_defined_for(element) => Ok(()),
                Some(_) => Err(not_defined(operator, &datatype.to_string())),
                None => Err(not_defined(operator, "datatypes of several basic types")),
            },
        }
    }

    /// Sets `right` to `left op right` for `count` elements, packed. The operator must be defined for the datatype.
    ///
    /// # Errors
    /// [`Error::Leave`] if a function of the program has ended the program.
    pub fn combine(
        &self,
        process: &Process<'_>,
        left: &[u8],
        right: &mut [u8],
        datatype: &Datatype,
        count: u64,
    ) -> Result<()> {
        match &self.kind {
            Kind::Predefined(operator) => {
                if let Some(element) = element_of(datatype).or_else(|| operator.any_element()) {
                    operator.combine(element, left, right);
                }
                Ok(())
            }
            Kind::User(user) => user.combine(process, left, right, datatype, count),
        }
    }
}

impl Predefined {
    /// The operators that do not look at the elements.
    fn any_element(self) -> Option<Element> {
        match self {
            Predefined::Replace | Predefined::NoOp => Some(BYTE),
            _ => None,
        }
    }
}

const BYTE: Element = Element::One(crate::datatype::basic::BYTE);

/// The type to which a predefined operator is applied: the predefined datatype, or the only basic type of a derived one.
fn element_of(datatype: &Datatype) -> Option<Element> {
    datatype.element().or_else(|| datatype.layout().single().map(Element::One))
}

fn not_defined(operator: Predefined, what: &str) -> Error {
    Error::argument(Class::OP, "op", format!("{} is not defined for {what}", operator.name()))
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Predefined(operator) => f.write_str(operator.name()),
            Kind::User(_) => f.write_str("an operator of the program"),
        }
    }
}

impl<'n> Argument<'n> for Operator {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        if let Some(operator) = Predefined::of_handle(Handle(word)) {
            return Ok(Operator { is_commutative: true, kind: Kind::Predefined(operator) });
        }
        process.operators.borrow().created.get(Handle(word)).ok_or_else(|| {
            Error::new(
                Class::OP,
                match Handle(word) {
                    NULL => "MPI_OP_NULL was given".to_owned(),
                    Handle(number) => format!("{number:#x} is no operator"),
                },
            )
        })
    }
}

/// The operators of a process.
#[derive(Debug)]
pub struct State {
    pub(crate) created: Table<Operator>,
}

impl Default for State {
    fn default() -> State {
        State { created: Table::new(Objects::Operator) }
    }
}

functions! {
    MPI_Op_create: create::<i32>(user_fn, commute, op);
    MPI_Op_create_c: create::<i64>(user_fn, commute, op);
    MPI_Op_free: free(op);
    MPI_Op_commutative: commutative(op, commute);
    MPI_Reduce_local: reduce_local(inbuf, inoutbuf, count, datatype, op);
    MPI_Reduce_local_c: reduce_local(inbuf, inoutbuf, count, datatype, op);
}

fn create<T: Integer>(process: &Process<'_>, function: Address, commute: i32, op: Out<Handle>) -> Result<()> {
    if function.is_null() {
        return Err(Error::argument(Class::ARG, "user_fn", "a null pointer was given for a function"));
    }
    let user = User { function: function.0, is_large: T::MAX == i64::MAX };
    let operator = Operator { is_commutative: commute != 0, kind: Kind::User(Rc::new(user)) };
    let handle = process.operators.borrow_mut().created.insert(operator);
    op.set(process, handle);
    Ok(())
}

fn free(process: &Process<'_>, op: Out<Handle>) -> Result<()> {
    let handle = op.get(process);
    let operator = Operator::decode(process, handle.0).map_err(|error| error.of("op"))?;
    if let Kind::Predefined(_) = operator.kind {
        let text = format!("{operator} is predefined and cannot be freed");
        return Err(Error::argument(Class::OP, "op", text));
    }
    process.operators.borrow_mut().created.remove(handle);
    op.set(process, NULL);
    Ok(())
}

fn commutative(process: &Process<'_>, op: Operator, commute: Out<i32>) -> Result<()> {
    commute.set_flag(process, op.is_commutative);
    Ok(())
}

fn reduce_local(
    process: &Process<'_>,
    left: Address,
    right: Address,
    count: i64,
    datatype: Committed,
    op: Operator,
) -> Result<()> {
    if count < 0 {
        return Err(Error::argument(Class::COUNT, "count", format!("{count} is negative")));
    }
    op.check(&datatype)?;
    for (argument, buffer) in [("inbuf", left), ("inoutbuf", right)] {
        if buffer == Address::IN_PLACE {
            return Err(Error::argument(Class::BUFFER, argument, "MPI_IN_PLACE is not for this function"));
        }
    }
    if left == right && count > 0 {
        return Err(Error::argument(Class::BUFFER, "inoutbuf", "it is the input buffer"));
    }
    let count = count as u64;
    let first = datatype.pack(&*process.program, left, count);
    let mut second = Vec::new();
    datatype.layout().pack(&*process.program, right, count, &mut second);
    op.combine(process, &first, &mut second, &datatype, count)?;
    datatype.unpack(&*process.program, right, count, &second);
    Ok(())
}

#[cfg(test)]
mod tests;
