//! The functions of MPI by name.

use crate::{error::Result, process::Process};

/// A function of MPI: its name, the names of its arguments, and what it does.
#[derive(Clone, Copy)]
pub struct Function {
    /// The name in C, such as `MPI_Send`.
    pub name: &'static str,
    /// The names of the arguments, as the standard has them.
    pub arguments: &'static [&'static str],
    /// Whether the function may be called before `MPI_Init` and after `MPI_Finalize`.
    pub always: bool,
    /// Carries out a call with these words.
    pub run: for<'n> fn(&Process<'n>, &[usize]) -> Result<()>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Lists functions of MPI: the name, the function that carries it out, and the names of the arguments. The arguments are decoded in this order,
/// after the process itself; arguments with slashes between them are one value. Functions marked `@always` may be called before `MPI_Init` and after `MPI_Finalize`.
///
/// ```text
/// functions! {
///     MPI_Send: send(buf/count/datatype, dest, tag, comm);
///     MPI_Get_count: get_count::<i32>(status, datatype, count);
///     MPI_Initialized: initialized(flag) @always;
/// }
/// ```
macro_rules! functions {
    (@always always) => { true };
    (@always) => { false };
    (@words $words:ident $argument:ident) => { $crate::word::Arguments::take(&mut $words)? };
    ($($name:ident: $function:ident $(::<$($generic:ty),+>)? ($($argument:ident $(/ $more:ident)*),*) $(@$always:ident)?;)*) => {
        /// The functions of this module.
        pub(crate) const FUNCTIONS: &[$crate::function::Function] = &[$(
            $crate::function::Function {
                name: stringify!($name),
                arguments: &[$(stringify!($argument) $(, stringify!($more))*),*],
                always: functions!(@always $($always)?),
                run: |process, words| {
                    #[allow(unused_mut, unused_variables, reason = "functions without arguments")]
                    let mut words = $crate::word::Words::new(process, words, &[$(stringify!($argument) $(, stringify!($more))*),*]);
                    $function $(::<$($generic),+>)? (process $(, functions!(@words words $argument))*)
                },
            },
        )*];
    };
}

pub(crate) use functions;

/// Returns the function with a name, such as `MPI_Send`; `None` if the function is not supported.
pub fn named(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name == name)
}

/// All supported functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    let lists = [
        &crate::collective::ALL[..],
        &crate::communicator::ALL,
        &crate::file::ALL,
        &crate::point_to_point::ALL,
        &crate::window::ALL,
        LISTS,
    ];
    lists.into_iter().flatten().flat_map(|functions| functions.iter())
}

/// The functions of modules without parts.
const LISTS: &[&[Function]] = &[
    crate::attribute::FUNCTIONS,
    crate::computation::FUNCTIONS,
    crate::datatype::FUNCTIONS,
    crate::dynamic::FUNCTIONS,
    crate::environment::FUNCTIONS,
    crate::error_handler::FUNCTIONS,
    crate::generalized::FUNCTIONS,
    crate::group::FUNCTIONS,
    crate::info::FUNCTIONS,
    crate::op::FUNCTIONS,
    crate::partitioned::FUNCTIONS,
    crate::request::FUNCTIONS,
    crate::status::FUNCTIONS,
    crate::session::FUNCTIONS,
    crate::tool::FUNCTIONS,
    crate::topology::FUNCTIONS,
    crate::topology::cartesian::FUNCTIONS,
    crate::topology::distributed::FUNCTIONS,
    crate::topology::graph::FUNCTIONS,
];
