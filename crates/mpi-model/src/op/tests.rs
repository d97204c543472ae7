//! Operators by `MPI_Reduce_local`, and their arguments in functions of the program.

use proptest::prelude::*;

use super::*;
use crate::{
    arena::{
        Arena,
        testing::{alone, call, failure, made, word},
    },
    datatype::basic::NAMED,
    word::Stored,
};

fn datatype(name: &str) -> usize {
    NAMED.iter().find(|named| named.name == name).unwrap().handle.0
}

fn operator(name: &str) -> usize {
    predefined::PREDEFINED.iter().find(|entry| entry.1 == name).unwrap().0
}

/// The result of `left op right`.
fn reduced<T: Stored + Sync>(op: usize, of: usize, left: &[T], right: &[T]) -> Vec<T> {
    let result = std::sync::Mutex::new(Vec::new());
    alone(|process, arena| {
        let (a, b) = (arena.store(left), arena.store(right));
        let count = left.len() * T::SIZE / process.datatype(Handle(of)).unwrap().extent() as usize;
        call(process, "MPI_Reduce_local", &[a.0, b.0, count, of, op]).unwrap();
        let mut bytes = Vec::new();
        arena.get::<T>(b, right.len()).iter().for_each(|value| value.store(&mut bytes));
        *result.lock().unwrap() = bytes;
    });
    result.into_inner().unwrap().chunks_exact(T::SIZE).map(T::load).collect()
}

fn by_name<T: Stored + Sync>(op: &str, of: &str, left: &[T], right: &[T]) -> Vec<T> {
    reduced(operator(op), datatype(of), left, right)
}

#[test]
fn integers_wrap_around() {
    assert_eq!(by_name("MPI_SUM", "MPI_INT", &[i32::MAX, 2], &[1, 3]), [i32::MIN, 5]);
    assert_eq!(by_name("MPI_PROD", "MPI_LONG", &[i64::MIN, -3], &[-1, 5]), [i64::MIN, -15]);
    assert_eq!(by_name("MPI_MAX", "MPI_UNSIGNED", &[u32::MAX, 1], &[1, 2]), [u32::MAX, 2]);
    assert_eq!(by_name("MPI_MAX", "MPI_INT", &[-1, 1], &[1, -2]), [1, 1]);
    assert_eq!(by_name("MPI_MIN", "MPI_INTEGER", &[-1, 1], &[1, -2]), [-1, -2]);
    assert_eq!(by_name("MPI_BAND", "MPI_INT", &[0b1100], &[0b1010]), [0b1000]);
    assert_eq!(by_name("MPI_BXOR", "MPI_BYTE", &[0x0ff0_i32], &[0x00ff]), [0x0f0f]);
    assert_eq!(by_name("MPI_LAND", "MPI_INT", &[2, 0, 4], &[1, 1, 8]), [1, 0, 1]);
    assert_eq!(by_name("MPI_LXOR", "MPI_LOGICAL", &[1, 0, 1], &[1, 1, 0]), [0, 1, 1]);
    // Real numbers count as truth values.
    assert_eq!(by_name("MPI_LAND", "MPI_DOUBLE", &[2.5, -0.0, f64::NAN], &[0.5, 3.0, 1.0]), [1.0, 0.0, 1.0]);
    assert_eq!(
        by_name("MPI_LXOR", "MPI_REAL16", &[0, 1_u64 << 48, 0, 0], &[1, 0, 1, 0]),
        [0, 0, 0, 0x3fff << 48]
    );
}

#[test]
fn real_and_complex_numbers() {
    assert_eq!(by_name("MPI_SUM", "MPI_DOUBLE", &[0.1], &[0.2]), [0.1 + 0.2]);
    assert_eq!(by_name("MPI_MIN", "MPI_DOUBLE", &[1.0, -2.0], &[0.5, 3.0]), [0.5, -2.0]);
    // (1 + 2i) (3 - i) = 5 + 5i
    assert_eq!(by_name("MPI_PROD", "MPI_C_DOUBLE_COMPLEX", &[1.0, 2.0], &[3.0, -1.0]), [5.0, 5.0]);
}

#[test]
fn the_smaller_index_of_equal_values() {
    // A structure of a double and an integer as two words.
    let pairs = |pairs: &[(f64, i32)]| -> Vec<u64> {
        pairs.iter().flat_map(|&(value, index)| [value.to_bits(), index as u32 as u64]).collect()
    };
    let (left, right) = ([(1.0, 7), (2.0, 3), (-1.0, 1)], [(1.0, 5), (3.0, 9), (5.0, 0)]);
    let of = |op| reduced(operator(op), datatype("MPI_DOUBLE_INT"), &pairs(&left), &pairs(&right));
    assert_eq!(of("MPI_MINLOC"), pairs(&[(1.0, 5), (2.0, 3), (-1.0, 1)]));
    assert_eq!(of("MPI_MAXLOC"), pairs(&[(1.0, 5), (3.0, 9), (5.0, 0)]));
}

#[test]
fn undefined_combinations_are_errors() {
    alone(|process, arena| {
        let at = arena.alloc(64).0;
        let expect = |op: &str, of: &str, text: &str| {
            let words = [at, at, 1, datatype(of), operator(op)];
            let (class, message) = failure(process, "MPI_Reduce_local", &words);
            assert!(class == Class::OP && message.contains(text), "{message}");
        };
        expect("MPI_SUM", "MPI_BYTE", "MPI_SUM is not defined for MPI_BYTE");
        expect("MPI_MAX", "MPI_C_DOUBLE_COMPLEX", "MPI_MAX is not defined for MPI_C_DOUBLE_COMPLEX");
        expect("MPI_BAND", "MPI_DOUBLE", "MPI_BAND is not defined for MPI_DOUBLE");
        expect("MPI_MINLOC", "MPI_INT", "MPI_MINLOC is not defined for MPI_INT");
        expect("MPI_SUM", "MPI_2INT", "MPI_SUM is not defined for MPI_2INT");
        expect("MPI_REPLACE", "MPI_INT", "MPI_REPLACE is not defined for reductions");
        let null = [at, at, 1, datatype("MPI_INT"), NULL.0];
        assert!(failure(process, "MPI_Reduce_local", &null).1.contains("MPI_OP_NULL"));
        let negative = [at, at, word(-1), datatype("MPI_INT"), operator("MPI_SUM")];
        assert_eq!(failure(process, "MPI_Reduce_local", &negative).0, Class::COUNT);
        let sum = arena.store(&[Handle(operator("MPI_SUM"))]);
        assert!(failure(process, "MPI_Op_free", &[sum.0]).1.contains("MPI_SUM is predefined"));
        let derived = made(process, arena, "MPI_Type_contiguous", &[2, datatype("MPI_INT")]);
        call(process, "MPI_Type_commit", &[arena.store(&[derived]).0]).unwrap();
        let words = [at, at, 1, derived.0, operator("MPI_SUM")];
        assert!(failure(process, "MPI_Reduce_local", &words).1.contains("derived datatypes"));
    });
}

/// A function that sets every integer of the right operand, whose elements have `width` integers of which the first has `skip` before it, to
/// 10 left + right.
fn tens(arena: &Arena, width: usize, first: usize, is_large: bool) -> Address {
    arena.function(move |arena, words| {
        let count = if is_large {
            arena.one::<i64>(Address(words[2]))
        } else {
            arena.one::<i32>(Address(words[2])).into()
        };
        assert!(arena.one::<Handle>(Address(words[3])).0 > 0x200);
        for at in 0..count {
            let place = |word: usize| Address(word).offset(4 * (at * width as i64 + first as i64));
            let (left, right) = (arena.one::<i32>(place(words[0])), arena.one::<i32>(place(words[1])));
            arena.set(place(words[1]), &[10 * left + right]);
        }
        0
    })
}

#[test]
fn functions_of_the_program_get_elements_as_the_datatype_has_them() {
    alone(|process, arena| {
        let function = tens(arena, 1, 0, false);
        let op = made(process, arena, "MPI_Op_create", &[function.0, 0]);
        let (a, b) = (arena.store(&[1, 2, 3]), arena.store(&[4, 5, 6]));
        call(process, "MPI_Reduce_local", &[a.0, b.0, 3, datatype("MPI_INT"), op.0]).unwrap();
        assert_eq!(arena.get::<i32>(b, 3), [14, 25, 36]);
        let flag = arena.alloc(4);
        call(process, "MPI_Op_commutative", &[op.0, flag.0]).unwrap();
        assert_eq!(arena.one::<i32>(flag), 0);
        // One integer in 12 bytes, with 8 bytes before it that belong to the extent.
        let place = arena.store(&[8_i64]);
        let int =
            made(process, arena, "MPI_Type_create_hindexed_block", &[1, 1, place.0, datatype("MPI_INT")]);
        let wide = made(process, arena, "MPI_Type_create_resized", &[int.0, word(-4), 16]);
        call(process, "MPI_Type_commit", &[arena.store(&[wide]).0]).unwrap();
        let function = tens(arena, 4, 2, true);
        let op = made(process, arena, "MPI_Op_create_c", &[function.0, 1]);
        let (a, b) = (arena.store(&[9, 9, 1, 9, 9, 9, 2]), arena.store(&[7, 7, 3, 7, 7, 7, 4]));
        call(process, "MPI_Reduce_local", &[a.0, b.0, 2, wide.0, op.0]).unwrap();
        assert_eq!(arena.get::<i32>(b, 7), [7, 7, 13, 7, 7, 7, 24]);
        let variable = arena.store(&[op]);
        call(process, "MPI_Op_free", &[variable.0]).unwrap();
        assert_eq!(arena.one::<Handle>(variable), NULL);
        assert!(failure(process, "MPI_Op_free", &[arena.store(&[op]).0]).1.contains("is no operator"));
    });
}

proptest! {
    /// Loops over many elements are loops over single ones.
    #[test]
    fn vectors_are_combined_element_by_element(values in prop::collection::vec((any::<i16>(), any::<i16>()), 0..100)) {
        let bytes = |values: &mut dyn Iterator<Item = i16>| -> Vec<u8> { values.flat_map(i16::to_ne_bytes).collect() };
        let short = NAMED.iter().find(|named| named.name == "MPI_SHORT").unwrap().element;
        let left = bytes(&mut values.iter().map(|pair| pair.0));
        for (op, of) in [
            (Predefined::Sum, i16::wrapping_add as fn(i16, i16) -> i16),
            (Predefined::Prod, i16::wrapping_mul),
            (Predefined::Max, Ord::max),
            (Predefined::Min, Ord::min),
            (Predefined::Bor, |a, b| a | b),
            (Predefined::Lor, |a, b| (a != 0 || b != 0).into()),
            (Predefined::Replace, |a, _| a),
            (Predefined::NoOp, |_, b| b),
        ] {
            let mut right = bytes(&mut values.iter().map(|pair| pair.1));
            op.combine(short, &left, &mut right);
            prop_assert_eq!(right, bytes(&mut values.iter().map(|&(a, b)| of(a, b))));
        }
    }
}
