//! Datatypes made by calls of MPI, against naive typemaps.

use std::sync::Arc;

use proptest::prelude::*;

use super::{
    basic::{NAMED, NULL},
    layout::Layout,
};
use crate::{
    abi::COMM_WORLD,
    arena::{
        Arena,
        testing::{alone, call, failure, made, word},
    },
    error::Class,
    process::Process,
    program::Program,
    status::{Status, StatusAddress},
    testing::run,
    word::{Address, Handle},
};

fn handle(name: &str) -> usize {
    NAMED.iter().find(|named| named.name == name).unwrap().handle.0
}

/// A typemap as the standard defines it: basic types with displacements, and bounds that were set.
#[derive(Clone, Debug, Default)]
struct Naive {
    map: Vec<(i64, u8, i64)>,
    markers: Option<(i64, i64)>,
}

impl Naive {
    fn bounds(&self) -> (i64, i64) {
        if let Some(markers) = self.markers {
            return markers;
        }
        let lb = self.map.iter().map(|entry| entry.0).min().unwrap_or(0);
        let ub = self.map.iter().map(|entry| entry.0 + i64::from(entry.1)).max().unwrap_or(0);
        let alignment = self.map.iter().map(|entry| entry.2).max().unwrap_or(1);
        (lb, lb + (ub - lb + alignment - 1) / alignment * alignment)
    }

    fn extent(&self) -> i64 {
        self.bounds().1 - self.bounds().0
    }

    fn add(&mut self, displacement: i64, other: &Naive) {
        self.map.extend(other.map.iter().map(|&(at, size, alignment)| (at + displacement, size, alignment)));
        if let Some((lb, ub)) = other.markers {
            let (lb, ub) = (lb + displacement, ub + displacement);
            self.markers = Some(self.markers.map_or((lb, ub), |(l, u)| (l.min(lb), u.max(ub))));
        }
    }

    fn block(&mut self, displacement: i64, count: u64, other: &Naive) {
        (0..count as i64).for_each(|copy| self.add(displacement + copy * other.extent(), other));
    }

    /// The displacements of all bytes.
    fn places(&self, count: u64) -> Vec<i64> {
        let mut all = Naive::default();
        all.block(0, count, self);
        all.map.iter().flat_map(|&(at, size, _)| at..at + i64::from(size)).collect()
    }
}

/// A datatype and its typemap.
type Both = (Arc<Layout>, Naive);

fn basic() -> impl Strategy<Value = Both> {
    prop::sample::select(vec![
        "MPI_CHAR",
        "MPI_SHORT",
        "MPI_INT",
        "MPI_DOUBLE",
        "MPI_SHORT_INT",
        "MPI_COMPLEX",
    ])
    .prop_map(|name| {
        let named = NAMED.iter().find(|named| named.name == name).unwrap();
        let map = match name {
            "MPI_CHAR" => vec![(0, 1, 1)],
            "MPI_SHORT" => vec![(0, 2, 2)],
            "MPI_INT" => vec![(0, 4, 4)],
            "MPI_DOUBLE" => vec![(0, 8, 8)],
            "MPI_COMPLEX" => vec![(0, 8, 4)],
            _ => vec![(0, 2, 2), (4, 4, 4)],
        };
        (Layout::of_element(named.element), Naive { map, markers: None })
    })
}

fn datatype() -> impl Strategy<Value = Both> {
    basic().prop_recursive(4, 24, 3, |inner| {
        let block = || (-40_i64..40, 0_u64..4);
        prop_oneof![
            (0_u64..5, inner.clone()).prop_map(|(count, (layout, naive))| {
                let mut all = Naive::default();
                all.block(0, count, &naive);
                (Layout::contiguous(count, &layout).unwrap(), all)
            }),
            (0_u64..4, 0_u64..4, -60_i64..60, inner.clone()).prop_map(
                |(count, length, stride, (layout, naive))| {
                    let mut all = Naive::default();
                    (0..count as i64).for_each(|at| all.block(at * stride, length, &naive));
                    let block = Layout::contiguous(length, &layout).unwrap();
                    (Layout::repeat(count, stride, &block).unwrap(), all)
                }
            ),
            (prop::collection::vec(block(), 0..4), inner.clone()).prop_map(|(blocks, (layout, naive))| {
                let mut all = Naive::default();
                blocks.iter().for_each(|&(at, length)| all.block(at, length, &naive));
                (Layout::blocks(blocks, &layout).unwrap(), all)
            }),
            prop::collection::vec((block(), inner.clone()), 0..4).prop_map(|members| {
                let mut all = Naive::default();
                members.iter().for_each(|((at, length), (_, naive))| all.block(*at, *length, naive));
                let members =
                    members.into_iter().map(|((at, length), (layout, _))| (at, length, layout)).collect();
                (Layout::structure(members).unwrap(), all)
            }),
            (-20_i64..20, -10_i64..60, inner).prop_map(|(lb, extent, (layout, naive))| {
                let all = Naive { markers: Some((lb, lb + extent)), ..naive };
                (layout.resized(lb, extent).unwrap(), all)
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_datatypes_are_their_typemaps((layout, naive) in datatype(), count in 0_u64..4, cut: prop::sample::Index) {
        prop_assert_eq!((layout.lb(), layout.ub()), naive.bounds());
        prop_assert_eq!(layout.size(), naive.places(1).len() as u64);
        let elements = naive.map.len() as u64;
        prop_assert_eq!(layout.elements(), elements);
        let truth = |places: &[i64]| {
            let (low, high) = (places.iter().min(), places.iter().max());
            low.zip(high).map_or((0, 0), |(&low, &high)| (low, high + 1))
        };
        prop_assert_eq!((layout.true_lb(), layout.true_ub()), truth(&naive.places(1)));
        let places = naive.places(count);
        prop_assert_eq!(layout.span(count), truth(&places));
        // Runs are maximal, and in the order of the typemap.
        let (mut bytes, mut end) = (Vec::new(), None);
        layout.for_each_run(count, |at, length| {
            assert!(length > 0 && end != Some(at));
            bytes.extend(at..at + length as i64);
            end = Some(at + length as i64);
        });
        prop_assert_eq!(&bytes, &places);
        if let Some(first) = layout.run(count) {
            prop_assert!(places.iter().enumerate().all(|(at, &place)| place == first + at as i64));
        }
        // Packing reads those bytes; unpacking of a prefix writes as many.
        let arena = Arena::new();
        let length = 2 * 20_000;
        let middle = arena.alloc(length).offset(20_000);
        let pattern: Vec<u8> = (0..length).map(|at| (at * 7 % 251) as u8).collect();
        arena.write(middle.offset(-20_000).0, &pattern);
        let mut packed = Vec::new();
        layout.pack(&arena, middle, count, &mut packed);
        let expected: Vec<u8> = places.iter().map(|&at| pattern[(at + 20_000) as usize]).collect();
        prop_assert_eq!(&packed, &expected);
        let prefix = cut.index(packed.len() + 1);
        let sent: Vec<u8> = (0..prefix).map(|at| (at % 250) as u8 + 1).collect();
        prop_assert_eq!(layout.unpack(&arena, middle, count, &sent), prefix as u64);
        let mut image = pattern;
        places.iter().zip(&sent).for_each(|(&at, &byte)| image[(at + 20_000) as usize] = byte);
        prop_assert_eq!(arena.bytes(middle.offset(-20_000), length), image);
        // Counts of elements.
        let sizes = naive.map.iter().cycle().take(elements as usize * count as usize).map(|entry| u64::from(entry.1));
        let mut before = 0;
        for (elements, size) in sizes.enumerate() {
            prop_assert_eq!(layout.elements_in(before), (elements as u64, 0));
            prop_assert_eq!(layout.bytes_of(elements as u64), before);
            if size > 1 {
                prop_assert_eq!(layout.elements_in(before + 1), (elements as u64, 1));
            }
            before += size;
        }
        // The signature of many elements is that of copies in a row.
        let row = Layout::contiguous(count, &layout).unwrap();
        prop_assert_eq!(row.signature(1), layout.signature(count));
        prop_assert!(row.accepts(&layout.signature(count)));
    }
}

/// The displacements of the basic elements of size 4 of one element of a datatype.
fn places(process: &Process<'_>, datatype: Handle) -> Vec<i64> {
    let mut places = Vec::new();
    process.datatype(datatype).unwrap().layout().for_each_run(1, |at, length| {
        places.extend((at..at + length as i64).step_by(4));
    });
    places
}

/// All indices of an array, the last one fastest.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, &size| {
        all.iter().flat_map(|index| (0..size).map(move |next| [&index[..], &[next]].concat())).collect()
    })
}

/// The places of the elements of an array that are chosen, in the order of memory.
fn chosen(sizes: &[i64], order: i64, choose: impl Fn(&[i64]) -> bool) -> Vec<i64> {
    let ordered: Vec<i64> = if order == 12 { sizes.to_vec() } else { sizes.iter().rev().copied().collect() };
    let all = indices(&ordered).into_iter().enumerate();
    all.filter(|(_, index)| {
        let index: Vec<i64> = if order == 12 { index.clone() } else { index.iter().rev().copied().collect() };
        choose(&index)
    })
    .map(|(at, _)| at as i64 * 4)
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn subarrays_have_the_elements_of_their_ranges(
        ranges in prop::collection::vec((1_i64..5, 0_i64..3, 0_i64..3), 1..4), is_c: bool, is_large: bool,
    ) {
        alone(|process, arena| {
            let order = if is_c { 12 } else { 15 };
            let of = |part: fn(&(i64, i64, i64)) -> i64| -> Vec<i64> { ranges.iter().map(part).collect() };
            let (sizes, subsizes, starts) = (of(|range| range.0 + range.1 + range.2), of(|range| range.0), of(|range| range.1));
            let array = |values: &[i64]| if is_large { arena.store(values) } else { ints(arena, values) };
            let name = if is_large { "MPI_Type_create_subarray_c" } else { "MPI_Type_create_subarray" };
            let words = [sizes.len(), array(&sizes).0, array(&subsizes).0, array(&starts).0, word(order), handle("MPI_INT")];
            let datatype = made(process, arena, name, &words);
            let expected = chosen(&sizes, order, |index| {
                (0..sizes.len()).all(|at| (starts[at]..starts[at] + subsizes[at]).contains(&index[at]))
            });
            assert_eq!(places(process, datatype), expected);
            let datatype = process.datatype(datatype).unwrap();
            assert_eq!((datatype.lb(), datatype.extent()), (0, sizes.iter().product::<i64>() * 4));
        });
    }

    #[test]
    fn distributed_arrays_have_the_elements_of_their_processes(
        dimensions in prop::collection::vec((1_i64..9, 16_i64..19, 1_i64..4, 1_i64..4, any::<bool>()), 1..4), is_c: bool,
    ) {
        alone(|process, arena| {
            let order = if is_c { 12 } else { 15 };
            let sizes: Vec<i64> = dimensions.iter().map(|dimension| dimension.0).collect();
            let kinds: Vec<i64> = dimensions.iter().map(|dimension| dimension.1).collect();
            // An undistributed dimension has one process.
            let grid: Vec<i64> = dimensions.iter().map(|&(_, kind, processes, ..)| if kind == 16 { 1 } else { processes }).collect();
            let block = |at: usize| -> i64 {
                let (size, kind, _, argument, is_default) = dimensions[at];
                match kind {
                    16 => size,
                    17 if is_default => (size + grid[at] - 1) / grid[at],
                    17 => argument.max((size + grid[at] - 1) / grid[at]),
                    _ if is_default => 1,
                    _ => argument,
                }
            };
            let blocks: Vec<i64> = (0..sizes.len()).map(block).collect();
            let arguments: Vec<i64> = (0..sizes.len()).map(|at| if dimensions[at].4 { 19 } else { blocks[at] }).collect();
            let total: i64 = grid.iter().product();
            let mut found = Vec::new();
            for (rank, coordinates) in indices(&grid).into_iter().enumerate() {
                let words = [
                    word(total), rank, sizes.len(), ints(arena, &sizes).0, ints(arena, &kinds).0, ints(arena, &arguments).0,
                    ints(arena, &grid).0, word(order), handle("MPI_INT"),
                ];
                let datatype = made(process, arena, "MPI_Type_create_darray", &words);
                let expected = chosen(&sizes, order, |index| {
                    (0..sizes.len()).all(|at| index[at] / blocks[at] % grid[at] == coordinates[at])
                });
                let own = places(process, datatype);
                assert_eq!(own, expected);
                assert_eq!(process.datatype(datatype).unwrap().extent(), sizes.iter().product::<i64>() * 4);
                found.extend(own);
            }
            // Every element belongs to one process.
            found.sort_unstable();
            assert_eq!(found, (0..sizes.iter().product::<i64>()).map(|at| at * 4).collect::<Vec<_>>());
        });
    }
}

fn ints(arena: &Arena, values: &[i64]) -> Address {
    arena.store(&values.iter().map(|&value| value as i32).collect::<Vec<_>>())
}

/// Returns the integers that a function stores at its last arguments.
fn results(process: &Process<'_>, arena: &Arena, name: &str, words: &[usize], sizes: &[usize]) -> Vec<i64> {
    let outs: Vec<Address> = sizes.iter().map(|_| arena.alloc(8)).collect();
    let words = [words, &outs.iter().map(|out| out.0).collect::<Vec<_>>()].concat();
    call(process, name, &words).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let value = |(&size, &out): (&usize, &Address)| {
        if size == 4 { i64::from(arena.one::<i32>(out)) } else { arena.one::<i64>(out) }
    };
    sizes.iter().zip(&outs).map(value).collect()
}

#[test]
fn constructors_and_what_they_were_made_of() {
    alone(|process, arena| {
        let (int, double) = (handle("MPI_INT"), handle("MPI_DOUBLE"));
        let vector = made(process, arena, "MPI_Type_vector", &[3, 2, 4, double]);
        assert_eq!(results(process, arena, "MPI_Type_get_extent", &[vector.0], &[8, 8]), [0, 80]);
        assert_eq!(results(process, arena, "MPI_Type_size", &[vector.0], &[4]), [48]);
        let envelope =
            |datatype: Handle| results(process, arena, "MPI_Type_get_envelope", &[datatype.0], &[4, 4, 4, 4]);
        assert_eq!(envelope(vector), [3, 0, 1, 104]);
        assert_eq!(envelope(Handle(int)), [0, 0, 0, 101]);
        let lengths = ints(arena, &[1, 2]);
        let (places, types) = (arena.store(&[0_i64, 96]), arena.store(&[vector, Handle(int)]));
        let structure = made(process, arena, "MPI_Type_create_struct", &[2, lengths.0, places.0, types.0]);
        assert_eq!(envelope(structure), [3, 2, 2, 110]);
        // The markers of MPI-1 have no data and set the bounds.
        let lengths = ints(arena, &[1, 1, 1]);
        let (places, types) =
            (arena.store(&[0_i64, -4, 16]), arena.store(&[Handle(int), super::basic::LB, super::basic::UB]));
        let marked = made(process, arena, "MPI_Type_create_struct", &[3, lengths.0, places.0, types.0]);
        assert_eq!(results(process, arena, "MPI_Type_size", &[marked.0], &[4]), [4]);
        assert_eq!(results(process, arena, "MPI_Type_get_extent", &[marked.0], &[8, 8]), [-4, 20]);
        // The program can free what the structure was made of.
        let variable = arena.store(&[vector]);
        call(process, "MPI_Type_free", &[variable.0]).unwrap();
        assert_eq!(arena.one::<Handle>(variable), NULL);
        let (integers, addresses, datatypes) = (arena.alloc(12), arena.alloc(16), arena.alloc(16));
        let words = [structure.0, 3, 2, 2, integers.0, addresses.0, datatypes.0];
        call(process, "MPI_Type_get_contents", &words).unwrap();
        assert_eq!(arena.get::<i32>(integers, 3), [2, 1, 2]);
        assert_eq!(arena.get::<i64>(addresses, 2), [0, 96]);
        let types = arena.get::<Handle>(datatypes, 2);
        assert_eq!(types[1], Handle(int));
        assert_eq!(results(process, arena, "MPI_Type_size", &[types[0].0], &[4]), [48]);
        assert_eq!(envelope(types[0]), [3, 0, 1, 104]);
        // Large counts are listed apart.
        let large = made(process, arena, "MPI_Type_create_hvector_c", &[2, 1, 1 << 40, int]);
        let counts = results(process, arena, "MPI_Type_get_envelope_c", &[large.0], &[8, 8, 8, 8, 4]);
        assert_eq!(counts, [0, 0, 3, 1, 105]);
        let (class, text) = failure(
            process,
            "MPI_Type_get_envelope",
            &[large.0, integers.0, integers.0, integers.0, integers.0],
        );
        assert!(class == Class::TYPE && text.contains("MPI_Type_create_hvector_c"), "{text}");
        let words = [large.0, 0, 0, 3, 1, 0, 0, arena.alloc(24).0, datatypes.0];
        call(process, "MPI_Type_get_contents_c", &words).unwrap();
        assert_eq!(arena.get::<i64>(Address(words[7]), 3), [2, 1, 1 << 40]);
    });
}

#[test]
fn errors_name_the_argument() {
    alone(|process, arena| {
        let (int, out) = (handle("MPI_INT"), arena.alloc(8).0);
        let minus = word(-1);
        let expect = |name, words: &[usize], class, text: &str| {
            let (found, message) = failure(process, name, words);
            assert!(found == class && message.contains(text), "{message}");
        };
        expect("MPI_Type_contiguous", &[minus, int, out], Class::COUNT, "argument `count`: -1 is negative");
        expect(
            "MPI_Type_contiguous",
            &[1, NULL.0, out],
            Class::TYPE,
            "`oldtype`: MPI_DATATYPE_NULL was given",
        );
        expect("MPI_Type_contiguous", &[1, 0x204, out], Class::TYPE, "0x204 is no datatype");
        expect("MPI_Type_contiguous", &[1, int, 0], Class::ARG, "`newtype`");
        expect("MPI_Type_vector", &[1, minus, 1, int, out], Class::COUNT, "`blocklength`");
        let lengths = ints(arena, &[1, -2]).0;
        expect("MPI_Type_indexed", &[2, lengths, lengths, int, out], Class::ARG, "element 1 is negative: -2");
        expect(
            "MPI_Type_indexed",
            &[2, 0, lengths, int, out],
            Class::ARG,
            "`array_of_blocklengths`: a null pointer",
        );
        let types = arena.store(&[NULL]).0;
        expect("MPI_Type_create_struct", &[1, lengths, out, types, out], Class::TYPE, "`array_of_types`");
        expect("MPI_Type_free", &[arena.store(&[Handle(int)]).0], Class::TYPE, "MPI_INT is predefined");
        expect("MPI_Type_get_contents", &[int, 0, 0, 0, 0, 0, 0], Class::TYPE, "MPI_INT is predefined");
        expect("MPI_Type_contiguous_c", &[1 << 62, int, out], Class::VALUE_TOO_LARGE, "2^63");
        let sizes = ints(arena, &[4, 4]).0;
        let starts = ints(arena, &[0, 1]).0;
        expect(
            "MPI_Type_create_subarray",
            &[2, sizes, sizes, starts, 12, int, out],
            Class::ARG,
            "`array_of_starts`: element 1 is 1; it must be from 0 to 0",
        );
        expect(
            "MPI_Type_create_subarray",
            &[2, sizes, sizes, sizes, 13, int, out],
            Class::ARG,
            "`array_of_starts`",
        );
        let fresh = made(process, arena, "MPI_Type_contiguous", &[2, int]);
        let error = process.datatype(fresh).unwrap().committed().unwrap_err();
        assert!(format!("{error:?}").contains("made by MPI_Type_contiguous) was not committed"), "{error:?}");
        call(process, "MPI_Type_commit", &[arena.store(&[fresh]).0]).unwrap();
        process.datatype(fresh).unwrap().committed().unwrap();
    });
}

#[test]
fn permanent_datatypes_of_fortran_and_pairs() {
    alone(|process, arena| {
        let undefined = word(i64::from(crate::abi::UNDEFINED));
        let real = |p, r| made(process, arena, "MPI_Type_create_f90_real", &[p, r]);
        assert_eq!(real(15, undefined), real(15, undefined));
        assert_ne!(real(15, undefined), real(14, undefined));
        let size = |datatype: Handle| results(process, arena, "MPI_Type_size", &[datatype.0], &[4])[0];
        assert_eq!([size(real(6, 37)), size(real(6, 38)), size(real(16, 1))], [4, 8, 16]);
        assert_eq!(size(made(process, arena, "MPI_Type_create_f90_complex", &[7, 2])), 16);
        assert_eq!(size(made(process, arena, "MPI_Type_create_f90_integer", &[9])), 4);
        assert_eq!(failure(process, "MPI_Type_create_f90_integer", &[39, arena.alloc(8).0]).0, Class::ARG);
        assert_eq!(
            results(process, arena, "MPI_Type_get_envelope", &[real(15, undefined).0], &[4, 4, 4, 4]),
            [2, 0, 0, 113]
        );
        assert_eq!(made(process, arena, "MPI_Type_match_size", &[193, 8]).0, handle("MPI_REAL8"));
        assert_eq!(failure(process, "MPI_Type_match_size", &[193, 7, arena.alloc(8).0]).0, Class::ARG);
        let pair =
            |value, index| made(process, arena, "MPI_Type_get_value_index", &[handle(value), handle(index)]);
        assert_eq!(pair("MPI_DOUBLE", "MPI_INT").0, handle("MPI_DOUBLE_INT"));
        assert_eq!(pair("MPI_DOUBLE", "MPI_LONG"), pair("MPI_DOUBLE", "MPI_LONG"));
        assert_eq!(size(pair("MPI_FLOAT", "MPI_LONG")), 12);
        assert_eq!(pair("MPI_CHAR", "MPI_INT"), NULL);
    });
}

#[test]
fn names_and_duplicates() {
    alone(|process, arena| {
        let double = handle("MPI_DOUBLE");
        let name = |datatype: usize| {
            let (text, length) = (arena.alloc(128), arena.alloc(4));
            call(process, "MPI_Type_get_name", &[datatype, text.0, length.0]).unwrap();
            let name = String::from_utf8(arena.read_string(text.0)).unwrap();
            assert_eq!(arena.one::<i32>(length) as usize, name.len());
            name
        };
        assert_eq!(name(double), "MPI_DOUBLE");
        let copy = made(process, arena, "MPI_Type_dup", &[double]);
        assert!(process.datatype(copy).unwrap().is_committed());
        assert_eq!(name(copy.0), "");
        call(process, "MPI_Type_set_name", &[copy.0, arena.text("length").0]).unwrap();
        assert_eq!(name(copy.0), "length");
        call(process, "MPI_Type_set_name", &[double, arena.text("renamed").0]).unwrap();
        assert_eq!(name(double), "renamed");
    });
}

#[test]
fn counts_of_a_status() {
    alone(|process, arena| {
        let pair = handle("MPI_DOUBLE_INT");
        let status = StatusAddress(arena.alloc(32));
        let count = |bytes, name, datatype| {
            status.set(process, &Status { bytes, ..Status::EMPTY }, true);
            results(process, arena, name, &[status.0.0, datatype], &[4])[0]
        };
        assert_eq!(count(24, "MPI_Get_count", pair), 2);
        assert_eq!(count(20, "MPI_Get_count", pair), i64::from(crate::abi::UNDEFINED));
        assert_eq!(count(20, "MPI_Get_elements", pair), 3);
        assert_eq!(count(21, "MPI_Get_elements", pair), i64::from(crate::abi::UNDEFINED));
        assert_eq!(count(1 << 40, "MPI_Get_count", handle("MPI_CHAR")), i64::from(crate::abi::UNDEFINED));
        call(process, "MPI_Status_set_elements", &[status.0.0, pair, 3]).unwrap();
        assert_eq!(status.get(process).bytes, 20);
        assert_eq!(failure(process, "MPI_Get_count", &[0, pair, arena.alloc(4).0]).0, Class::ARG);
    });
}

#[test]
fn external_data_has_positions() {
    alone(|process, arena| {
        let data = arena.store(&[1_i32, 2]);
        let (buffer, position, datarep) = (arena.alloc(12), arena.store(&[4_i64]), arena.text("external32"));
        let words = [datarep.0, data.0, 2, handle("MPI_INT"), buffer.0, 12, position.0];
        call(process, "MPI_Pack_external", &words).unwrap();
        assert_eq!(arena.bytes(buffer, 12), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(arena.one::<i64>(position), 12);
        arena.set(position, &[8_i64]);
        let back = arena.alloc(4);
        let words = [datarep.0, buffer.0, 12, position.0, back.0, 1, handle("MPI_INT")];
        call(process, "MPI_Unpack_external", &words).unwrap();
        assert_eq!(arena.one::<i32>(back), 2);
        assert_eq!(failure(process, "MPI_Unpack_external", &words).0, Class::TRUNCATE);
        let size = arena.alloc(8);
        let words = [datarep.0, 3, handle("MPI_LONG"), size.0];
        call(process, "MPI_Pack_external_size", &words).unwrap();
        assert_eq!(arena.one::<i64>(size), 12);
    });
}

#[test]
fn packed_data_has_positions() {
    run(1, |tester| {
        let (arena, int) = (tester.arena, handle("MPI_INT"));
        let column: Handle = tester.result("MPI_Type_vector", &[3, 1, 2, int]);
        tester.ok("MPI_Type_commit", &[arena.store(&[column]).0]);
        let size: i32 = tester.result("MPI_Pack_size", &[2, column.0, COMM_WORLD.0]);
        assert_eq!(size, 24);
        let (matrix, packed, position) =
            (tester.ints(&[1, 2, 3, 4, 5, 6]), tester.room(4), tester.ints(&[0]));
        let words = [matrix, 1, column.0, packed, 16, position, COMM_WORLD.0];
        tester.ok("MPI_Pack", &words);
        tester.ok("MPI_Pack", &[matrix + 4, 1, int, packed, 16, position, COMM_WORLD.0]);
        assert_eq!((tester.read(packed, 4), tester.read(position, 1)), (vec![1, 3, 5, 2], vec![16]));
        tester.errors_return();
        assert_eq!(tester.code("MPI_Pack", &words), Class::TRUNCATE.0);
        let back = (tester.room(5), tester.ints(&[4]));
        tester.ok("MPI_Unpack", &[packed, 16, back.1, back.0, 1, column.0, COMM_WORLD.0]);
        assert_eq!((tester.read(back.0, 5), tester.read(back.1, 1)), (vec![3, 0, 5, 0, 2], vec![16]));
        // A datatype that was not committed is refused.
        let fresh: Handle = tester.result("MPI_Type_contiguous", &[2, int]);
        let words = [matrix, 1, fresh.0, packed, 16, position, COMM_WORLD.0];
        assert_eq!(tester.code("MPI_Pack", &words), Class::TYPE.0);
    });
}
