//! Buffers of communication calls: an address, a count, a datatype.

use bytes::Bytes;
use multicomputer::Payload;

use crate::{
    datatype::{Datatype, basic},
    error::{Class, Error, MpiError, Result},
    process::Process,
    word::{Address, Argument, Arguments, Array, Handle, Integer, Words},
};

/// A datatype that is not significant where the buffer is not used, and then may be any number.
#[derive(Clone, Debug)]
pub struct Optional {
    /// `MPI_BYTE` if none was given.
    datatype: Datatype,
    is_null: bool,
    error: Option<Error>,
}

impl Optional {
    /// The datatype of a buffer that is used.
    ///
    /// # Errors
    /// [`Class::TYPE`] for `MPI_DATATYPE_NULL` and numbers that are no datatype.
    pub fn given(self) -> Result<Datatype> {
        self.error.map_or(Ok(self.datatype), |error| Err(error.of("datatype")))
    }
}

impl From<Datatype> for Optional {
    fn from(datatype: Datatype) -> Optional {
        Optional { datatype, is_null: false, error: None }
    }
}

impl<'n> Argument<'n> for Optional {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        Ok(match process.datatype(Handle(word)) {
            Ok(datatype) => datatype.into(),
            Err(error) => {
                let is_null = Handle(word) == basic::NULL;
                Optional { datatype: process.datatype(basic::BYTE_HANDLE)?, is_null, error: Some(error) }
            }
        })
    }
}

/// The arguments of a call for one buffer: address, count and datatype. Calls that do not use the buffer accept any.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) address: Address,
    pub(crate) count: i64,
    pub(crate) datatype: Optional,
    /// The names of these arguments.
    names: [&'static str; 3],
}

impl<'n> Arguments<'n> for Data {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        let names = words.names();
        Ok(Data { address: words.take()?, count: words.take()?, datatype: words.take()?, names })
    }
}

impl Data {
    /// The buffer of a call that uses it.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub(crate) fn buffer(self) -> Result<Buffer> {
        let [address, count, datatype] = self.names;
        Buffer::new(self.address, self.count, self.datatype).map_err(|error| match error {
            Error::Mpi(error) => {
                let name = match error.class {
                    Class::BUFFER => address,
                    Class::COUNT => count,
                    _ => datatype,
                };
                Error::Mpi(MpiError { argument: Some(name), ..error })
            }
            Error::Leave => Error::Leave,
        })
    }
}

/// The arguments of a call for several blocks: address, counts, displacements and datatype. `T` is one datatype for all blocks, or an array
/// with a datatype for each.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<C, D, T = Optional> {
    pub(crate) address: Address,
    pub(crate) counts: Array<C>,
    pub(crate) displacements: Array<D>,
    pub(crate) datatype: T,
}

impl<'n, C: Integer, D: Integer, T: Argument<'n>> Arguments<'n> for Blocks<C, D, T> {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        Ok(Blocks {
            address: words.take()?,
            counts: words.take()?,
            displacements: words.take()?,
            datatype: words.take()?,
        })
    }
}

impl<C: Integer, D: Integer, T> Blocks<C, D, T> {
    /// The counts and displacements of `size` blocks; `argument` is the name of the counts.
    fn lists(&self, process: &Process<'_>, size: usize, argument: &'static str) -> Result<(Vec<C>, Vec<D>)> {
        let counts = self.counts.read_counts(process, size).map_err(|error| error.of(argument))?;
        Ok((counts, self.displacements.read(process, size).map_err(|error| error.of("displs"))?))
    }
}

impl<C: Integer, D: Integer> Blocks<C, D> {
    /// The buffers of `size` blocks, whose displacements are in extents of the datatype.
    pub(crate) fn buffers(
        &self,
        process: &Process<'_>,
        size: usize,
        argument: &'static str,
    ) -> Result<Vec<Buffer>> {
        let datatype = self.datatype.clone().given()?;
        let (counts, displacements) = self.lists(process, size, argument)?;
        datatype.committed()?;
        let all = Buffer { address: self.address, count: 0, datatype };
        let block = |(count, displacement): (&C, &D)| {
            check_count(count.get(), argument)?;
            let block = all.at(displacement.get(), count.get());
            block.given()?;
            Ok(block)
        };
        counts.iter().zip(&displacements).map(block).collect()
    }
}

impl<C: Integer, D: Integer> Blocks<C, D, Array<Handle>> {
    /// The buffers of `size` blocks, each with its datatype and with a displacement in bytes.
    pub(crate) fn buffers(
        &self,
        process: &Process<'_>,
        size: usize,
        argument: &'static str,
    ) -> Result<Vec<Buffer>> {
        let (counts, displacements) = self.lists(process, size, argument)?;
        let types = self.datatype.read(process, size).map_err(|error| error.of("types"))?;
        let block = |((count, displacement), of): ((&C, &D), &Handle)| {
            check_count(count.get(), argument)?;
            let datatype = process.datatype(*of).map_err(|error| error.of("types"))?;
            Buffer::new(self.address.offset(displacement.get()), count.get(), datatype)
        };
        counts.iter().zip(&displacements).zip(&types).map(block).collect()
    }
}

/// Refuses a negative count.
fn check_count(count: i64, argument: &'static str) -> Result<()> {
    match count {
        ..0 => Err(Error::argument(Class::COUNT, argument, format!("{count} is negative"))),
        _ => Ok(()),
    }
}

/// No object of a program is in the first page of memory.
const NULL_PAGE: usize = 4096;

/// The elements that a call sends or receives.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Where the first element is, relative to which the datatype's displacements count.
    pub address: Address,
    /// The number of elements.
    pub count: i64,
    /// The type of the elements.
    pub datatype: Datatype,
}

impl Buffer {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// [`Class::COUNT`] for a negative count, [`Class::TYPE`] for a datatype that is not committed, or that is null although the count is not 0,
    /// [`Class::BUFFER`] for a null pointer.
    pub fn new(address: Address, count: i64, datatype: impl Into<Optional>) -> Result<Buffer> {
        check_count(count, "count")?;
        let given = datatype.into();
        let datatype = if given.is_null && count == 0 { given.datatype } else { given.given()? };
        datatype.committed()?;
        let buffer = Buffer { address, count, datatype };
        buffer.given()?;
        Ok(buffer)
    }

    /// Refuses a null pointer as the place of data. It is also `MPI_BOTTOM`, to which a datatype may add absolute addresses, so the place of the
    /// first byte decides.
    ///
    /// # Errors
    /// [`Class::BUFFER`].
    pub fn given(&self) -> Result<()> {
        let first = self.address.offset(self.datatype.true_lb()).0;
        if self.address == Address::IN_PLACE && self.bytes() > 0 {
            return Err(Error::new(Class::BUFFER, "MPI_IN_PLACE is not allowed for this argument"));
        }
        if first < NULL_PAGE && self.bytes() > 0 {
            let text = format!("a null pointer was given for {} bytes of data", self.bytes());
            return Err(Error::new(Class::BUFFER, text));
        }
        Ok(())
    }

    /// The same kind of elements at another place, `elements` extents away.
    #[must_use]
    pub fn at(&self, elements: i64, count: i64) -> Buffer {
        let address = self.address.offset(elements.wrapping_mul(self.datatype.extent()));
        Buffer { address, count, datatype: self.datatype.clone() }
    }

    /// The length of the data in bytes.
    pub fn bytes(&self) -> u64 {
        self.datatype.size() * self.count as u64
    }

    /// Checks that a call does not send what it receives into: that the first bytes of the two buffers are not the same. Buffers that share
    /// other bytes are not found.
    ///
    /// # Errors
    /// [`Class::BUFFER`].
    pub fn check_distinct(&self, receive: &Buffer) -> Result<()> {
        let first = |buffer: &Buffer| buffer.address.offset(buffer.datatype.true_lb());
        if self.bytes() > 0 && receive.bytes() > 0 && first(self) == first(receive) {
            return Err(Error::argument(Class::BUFFER, "recvbuf", "it is the send buffer: use MPI_IN_PLACE"));
        }
        Ok(())
    }

    /// Copies the data out of the program's memory.
    pub fn load(&self, process: &Process<'_>) -> Payload {
        Payload::from(self.load_bytes(process))
    }

    /// Copies the data out of the program's memory.
    pub fn load_bytes(&self, process: &Process<'_>) -> Bytes {
        process.touches(self, false);
        self.datatype.pack(&*process.program, self.address, self.count as u64)
    }

    /// Stores data into the program's memory: the first elements if there is less of it than the buffer has room for.
    pub fn store(&self, process: &Process<'_>, data: &Payload) {
        match data.segments() {
            [] => {}
            [multicomputer::comm::Segment::Data(bytes)] => self.store_bytes(process, bytes),
            // A payload of several segments is joined; phantom data is not stored.
            _ => {
                if let Ok(bytes) = data.to_bytes() {
                    self.store_bytes(process, &bytes);
                }
            }
        }
    }

    /// Stores data into the program's memory.
    ///
    /// # Errors
    /// [`Class::TRUNCATE`] if there is more data than the buffer has room for.
    pub fn store_fitting(&self, process: &Process<'_>, data: &Payload) -> Result<()> {
        self.store(process, data);
        if data.len() > self.bytes() {
            let text = format!(
                "{} bytes came for a buffer of {}: sender and receiver must give the same length",
                data.len(),
                self.bytes()
            );
            process.note_too_long(&text);
            return Err(Error::new(Class::TRUNCATE, text));
        }
        Ok(())
    }

    /// Stores data into the program's memory.
    pub fn store_bytes(&self, process: &Process<'_>, data: &[u8]) {
        process.touches(self, true);
        let room = data.len().min(self.bytes() as usize);
        self.datatype.unpack(&*process.program, self.address, self.count as u64, &data[..room]);
    }
}
