//! Global operations.

use multicomputer::nx::{Nx, NxError};

use crate::{
    error::{Code, Error, Result},
    function::{Address, Count, functions},
    process::Process,
};

functions! {
    gsync: gsync, ();
    gdsum: floats::gdsum, (x, n, work);
    gdprod: floats::gdprod, (x, n, work);
    gdhigh: floats::gdhigh, (x, n, work);
    gdlow: floats::gdlow, (x, n, work);
    gssum: floats::gssum, (x, n, work);
    gsprod: floats::gsprod, (x, n, work);
    gshigh: floats::gshigh, (x, n, work);
    gslow: floats::gslow, (x, n, work);
    gisum: longs::gisum, (x, n, work, width);
    giprod: longs::giprod, (x, n, work, width);
    gihigh: longs::gihigh, (x, n, work, width);
    gilow: longs::gilow, (x, n, work, width);
    giand: longs::giand, (x, n, work, width);
    gior: longs::gior, (x, n, work, width);
    gixor: longs::gixor, (x, n, work, width);
    gland: longs::gland, (x, n, work, width);
    glor: longs::glor, (x, n, work, width);
    glxor: longs::glxor, (x, n, work, width);
    gopf: gopf, (x, xlen, work, function);
    gcol: gcol, (x, xlen, y, ylen, ncnt, width);
    gcolx: gcolx, (x, xlens, y, width);
}

fn gsync<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<()> {
    Ok(nx.gsync()?)
}

/// A type of elements.
trait Element: Copy {
    fn load(bytes: &[u8]) -> Self;
    fn store(self, into: &mut Vec<u8>);
}

macro_rules! elements {
    ($($type:ty),*) => {$(
        impl Element for $type {
            fn load(bytes: &[u8]) -> $type {
                bytes.try_into().map(<$type>::from_ne_bytes).unwrap_or_default()
            }

            fn store(self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

elements!(f64, f32, i64, i32);

/// Combines the vector at `x` by an operation, which changes it. The vector `work` is not needed.
fn combine<T: Element>(
    process: &Process<'_, '_>,
    x: Address,
    n: Count,
    operation: impl FnOnce(&mut [T]) -> std::result::Result<(), NxError>,
) -> Result<()> {
    let size = size_of::<T>();
    let bytes = process.host.load(x, Count(n.0.saturating_mul(size)))?;
    let mut elements: Vec<T> = bytes.chunks_exact(size).map(T::load).collect();
    operation(&mut elements)?;
    let mut bytes = Vec::with_capacity(bytes.len());
    elements.into_iter().for_each(|element| element.store(&mut bytes));
    process.host.program.write(x.0, &bytes);
    Ok(())
}

mod floats {
    use super::*;

    macro_rules! operations {
        ($($name:ident)*) => {$(
            pub(super) fn $name<'a, 'n>(
                process: &Process<'a, 'n>,
                nx: &Nx<'a, 'n>,
                x: Address,
                n: Count,
                _: Address,
            ) -> Result<()> {
                combine(process, x, n, |x| nx.$name(x))
            }
        )*};
    }

    operations! { gdsum gdprod gdhigh gdlow gssum gsprod gshigh gslow }
}

mod longs {
    use super::*;

    macro_rules! operations {
        ($($name:ident)*) => {$(
            pub(super) fn $name<'a, 'n>(
                process: &Process<'a, 'n>,
                nx: &Nx<'a, 'n>,
                x: Address,
                n: Count,
                _: Address,
                width: Count,
            ) -> Result<()> {
                match width.0 {
                    4 => combine(process, x, n, |x: &mut [i32]| nx.$name(x)),
                    _ => combine(process, x, n, |x: &mut [i64]| nx.$name(x)),
                }
            }
        )*};
    }

    operations! { gisum giprod gihigh gilow giand gior gixor gland glor glxor }
}

/// The function of the program gets the addresses `x` and `work`, as from NX, and leaves the result at `x`.
fn gopf<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    x: Address,
    xlen: Count,
    work: Address,
    function: Address,
) -> Result<()> {
    let host = &process.host;
    let mut mine = host.load(x, xlen)?;
    work.of(xlen.0)?;
    nx.gopf(&mut mine, |mine, other| {
        host.program.write(x.0, mine);
        host.program.write(work.0, other);
        host.call(function, &[x.0, work.0]);
        let mut result = Vec::with_capacity(xlen.0);
        host.program.read(x.0, xlen.0, &mut result);
        mine.copy_from_slice(&result);
    })?;
    host.program.write(x.0, &mine);
    Ok(())
}

fn gcol<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    x: Address,
    xlen: Count,
    y: Address,
    ylen: Count,
    ncnt: Address,
    width: Count,
) -> Result<()> {
    let mut whole = vec![0_u8; ylen.0];
    let count = nx.gcol(&process.host.load(x, xlen)?, &mut whole)?;
    process.host.program.write(y.of(count)?, &whole[..count]);
    if ncnt.0 != 0 {
        process.host.set_long(ncnt, 0, count as i64, width);
    }
    Ok(())
}

fn gcolx<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    x: Address,
    xlens: Address,
    y: Address,
    width: Count,
) -> Result<()> {
    let lengths = process.host.load_longs(xlens, nx.numnodes() as usize, width)?;
    let lengths: Vec<usize> = lengths
        .into_iter()
        .enumerate()
        .map(|(node, length)| {
            usize::try_from(length).map_err(|_| {
                let text = format!("the length of node {node}, {length}, is negative");
                Error::argument(Code::LENGTH, &["xlens"], text)
            })
        })
        .collect::<Result<_>>()?;
    let mine = process.host.load(x, Count(lengths[nx.mynode() as usize]))?;
    let mut whole = vec![0_u8; lengths.iter().sum()];
    nx.gcolx(&mine, &lengths, &mut whole)?;
    process.host.program.write(y.of(whole.len())?, &whole);
    Ok(())
}
