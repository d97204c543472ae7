//! File pointers and views.
//!
//! All processes of a file know how often its shared pointer was set anew and where to, because only collective calls set it. So a new
//! position needs no message: the next access tells it.

use std::rc::Rc;

use multicomputer::{Payload, Tag, comm::transport::To};

use super::{
    File, agree, mode, on_first,
    view::{Representation, View},
};
use crate::{
    datatype::{Datatype, handle_of_copy},
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    word::{Address, Handle, Out, Stored, Text, store_text},
};

functions! {
    MPI_File_set_view: set_view(fh, disp, etype, filetype, datarep, info);
    MPI_File_get_view: get_view(fh, disp, etype, filetype, datarep);
    MPI_File_seek: seek(fh, offset, whence);
    MPI_File_seek_shared: seek_shared(fh, offset, whence);
    MPI_File_get_position: get_position(fh, offset);
    MPI_File_get_position_shared: get_position_shared(fh, offset);
    MPI_File_get_byte_offset: get_byte_offset(fh, offset, disp);
    MPI_File_get_type_extent: get_type_extent(fh, datatype, extent);
    MPI_File_get_type_extent_c: get_type_extent(fh, datatype, extent);
}

/// `MPI_SEEK_CUR`, `MPI_SEEK_END`, `MPI_SEEK_SET`.
const CURRENT: i32 = 401;
const END: i32 = 402;
const SET: i32 = 403;
/// `MPI_DISPLACEMENT_CURRENT`.
const DISPLACEMENT_CURRENT: i64 = -1;
/// `MPI_MAX_DATAREP_STRING`.
const MAX_DATAREP_STRING: usize = 128;

impl<'n> File<'n> {
    /// Refuses a call that needs random access.
    pub(super) fn check_random(&self) -> Result<()> {
        match self.amode & mode::SEQUENTIAL {
            0 => Ok(()),
            _ => {
                let text = format!("`{}` was opened with MPI_MODE_SEQUENTIAL", self.path);
                Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
            }
        }
    }

    /// The first process, where the shared pointer is.
    pub(super) fn keeper(&self) -> To {
        To { rank: self.comm.node_of(0), context: self.comm.library_context(), tag: Tag(0) }
    }

    /// Moves the shared pointer by a number of etypes and returns where it was.
    pub(super) fn advance(&self, process: &Process<'n>, amount: i64) -> Result<i64> {
        let (open, (epoch, first)) = (self.open.clone(), self.epoch.get());
        let transport = process.transport();
        let effect = move || Payload::from(open.advance(epoch, first, amount).to_ne_bytes());
        let request = transport.remote(self.keeper(), 8, Some(8), effect)?;
        let before = transport.wait(request)?.ok_or(Error::Leave)?;
        Ok(i64::load(&before.payload.to_bytes().unwrap_or_default()))
    }

    /// Sets the shared pointer. All processes call it with the same position.
    fn set_shared(&self, position: i64) {
        self.epoch.set((self.epoch.get().0 + 1, position));
    }

    /// The position to which a seek goes.
    fn target(&self, offset: i64, whence: i32, current: impl FnOnce() -> Result<i64>) -> Result<i64> {
        let base = match whence {
            SET => 0,
            CURRENT => current()?,
            END => self.view().end(self.length()?),
            _ => return Err(Error::argument(Class::ARG, "whence", format!("{whence} is no kind of seek"))),
        };
        base.checked_add(offset).filter(|&position| position >= 0).ok_or_else(|| {
            let text = format!("{offset} leads before the beginning of the view");
            Error::argument(Class::ARG, "offset", text)
        })
    }
}

fn set_view<'n>(
    process: &Process<'n>,
    fh: Rc<File<'n>>,
    disp: i64,
    etype: Datatype,
    filetype: Datatype,
    datarep: Text,
    hints: Info,
) -> Result<()> {
    let is_sequential = fh.amode & mode::SEQUENTIAL != 0;
    let view = || {
        fh.check_no_split()?;
        let representation = Representation::named(&datarep.0).ok_or_else(|| {
            let text = format!("`{}`: native, internal and external32 are supported", datarep.0);
            Error::argument(Class::UNSUPPORTED_DATAREP, "datarep", text)
        })?;
        let displacement = match disp {
            DISPLACEMENT_CURRENT if is_sequential => {
                let position = fh.advance(process, 0)?;
                fh.view().position(position)?
            }
            _ => disp,
        };
        View::new(displacement, etype, filetype, representation, fh.check_writable().is_ok())
    };
    let view = view();
    let numbers = match &view {
        Ok(view) => {
            view.representation.extent(&view.etype).map(|extent| [extent, view.representation as i64])
        }
        Err(error) => Err(error.clone()),
    };
    agree(process, &fh.comm, "etype", numbers)?;
    *fh.view.borrow_mut() = Rc::new(view?);
    fh.add_hints(&hints);
    fh.position.set(0);
    fh.set_shared(0);
    Ok(())
}

fn get_view<'n>(
    process: &Process<'n>,
    fh: Rc<File<'n>>,
    disp: Out<i64>,
    etype: Out<Handle>,
    filetype: Out<Handle>,
    datarep: Address,
) -> Result<()> {
    let view = fh.view();
    disp.set(process, view.displacement);
    etype.set(process, handle_of_copy(process, &view.etype));
    filetype.set(process, handle_of_copy(process, &view.filetype));
    store_text(process, datarep, view.representation.name(), MAX_DATAREP_STRING);
    Ok(())
}

fn seek<'n>(_: &Process<'n>, fh: Rc<File<'n>>, offset: i64, whence: i32) -> Result<()> {
    fh.check_random()?;
    fh.position.set(fh.target(offset, whence, || Ok(fh.position.get()))?);
    Ok(())
}

fn seek_shared<'n>(process: &Process<'n>, fh: Rc<File<'n>>, offset: i64, whence: i32) -> Result<()> {
    agree(process, &fh.comm, "offset", fh.check_random().map(|()| [offset, i64::from(whence)]))?;
    let position = on_first(process, &fh.comm, || fh.target(offset, whence, || fh.advance(process, 0)))?;
    fh.set_shared(position);
    Ok(())
}

fn get_position<'n>(process: &Process<'n>, fh: Rc<File<'n>>, offset: Out<i64>) -> Result<()> {
    fh.check_random()?;
    offset.set(process, fh.position.get());
    Ok(())
}

fn get_position_shared<'n>(process: &Process<'n>, fh: Rc<File<'n>>, offset: Out<i64>) -> Result<()> {
    fh.check_random()?;
    offset.set(process, fh.advance(process, 0)?);
    Ok(())
}

fn get_byte_offset<'n>(process: &Process<'n>, fh: Rc<File<'n>>, offset: i64, disp: Out<i64>) -> Result<()> {
    fh.check_random()?;
    disp.set(process, fh.view().position(offset)?);
    Ok(())
}

fn get_type_extent<'n>(
    process: &Process<'n>,
    fh: Rc<File<'n>>,
    datatype: Datatype,
    extent: Out<i64>,
) -> Result<()> {
    extent.set(process, fh.view().representation.extent(&datatype)?);
    Ok(())
}
