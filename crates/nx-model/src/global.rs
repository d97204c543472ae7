//! Global operations.

use multicomputer::nx::{Nx, NxError};

use crate::{
    error::{Code, Error, Result},
    function::{Address, Count, functions},
    process::Process,
};

functions! {
    gsync: gsync, ();
    gdsum: gdsum, (x, n, work);
    gdprod: gdprod, (x, n, work);
    gdhigh: gdhigh, (x, n, work);
    gdlow: gdlow, (x, n, work);
    gssum: gssum, (x, n, work);
    gsprod: gsprod, (x, n, work);
    gshigh: gshigh, (x, n, work);
    gslow: gslow, (x, n, work);
    gisum: gisum, (x, n, work, width);
    giprod: giprod, (x, n, work, width);
    gihigh: gihigh, (x, n, work, width);
    gilow: gilow, (x, n, work, width);
    giand: giand, (x, n, work, width);
    gior: gior, (x, n, work, width);
    gixor: gixor, (x, n, work, width);
    gland: gland, (x, n, work, width);
    glor: glor, (x, n, work, width);
    glxor: glxor, (x, n, work, width);
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

/// Operations on vectors of a type. Calls for integers, which have two sizes in C and Fortran, also have the size.
macro_rules! operations {
    (@size $shorter:ty) => { Count };
    ($($name:ident: $of:ty $(, $shorter:ty)?;)*) => {$(
        fn $name<'a, 'n>(
            process: &Process<'a, 'n>,
            nx: &Nx<'a, 'n>,
            x: Address,
            n: Count,
            _: Address,
            $(width: operations!(@size $shorter),)?
        ) -> Result<()> {
            $(
                if width.0 == size_of::<$shorter>() {
                    return combine(process, x, n, |x: &mut [$shorter]| nx.$name(x));
                }
            )?
            combine(process, x, n, |x: &mut [$of]| nx.$name(x))
        }
    )*};
}

operations! {
    gdsum: f64;
    gdprod: f64;
    gdhigh: f64;
    gdlow: f64;
    gssum: f32;
    gsprod: f32;
    gshigh: f32;
    gslow: f32;
    gisum: i64, i32;
    giprod: i64, i32;
    gihigh: i64, i32;
    gilow: i64, i32;
    giand: i64, i32;
    gior: i64, i32;
    gixor: i64, i32;
    gland: i64, i32;
    glor: i64, i32;
    glxor: i64, i32;
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
