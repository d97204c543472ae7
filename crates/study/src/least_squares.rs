//! Normal equations of linear least squares, and their solution.

/// Regularization of singular matrices: an unknown without any effect gets a large standard error.
const TINY: f64 = 1e-12;

/// The sum of the products of two columns.
pub(crate) fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The matrix of the normal equations, with its diagonal increased by a fraction.
pub(crate) fn normal(columns: &[(usize, Vec<f64>)], damping: f64) -> Vec<Vec<f64>> {
    let row = |nth: usize| {
        let entry = |(other, (_, column)): (usize, &(usize, Vec<f64>))| {
            let entry = product(&columns[nth].1, column);
            if other == nth { entry * (1.0 + damping) + TINY } else { entry }
        };
        columns.iter().enumerate().map(entry).collect()
    };
    (0..columns.len()).map(row).collect()
}

/// Solves linear equations by Gaussian elimination with partial pivoting; `None` if the matrix is singular.
pub(crate) fn solve(mut matrix: Vec<Vec<f64>>, right: &[f64]) -> Option<Vec<f64>> {
    let (mut right, count) = (right.to_vec(), right.len());
    for nth in 0..count {
        let pivot = (nth..count)
            .max_by(|&one, &other| matrix[one][nth].abs().total_cmp(&matrix[other][nth].abs()))?;
        matrix.swap(nth, pivot);
        right.swap(nth, pivot);
        if matrix[nth][nth].abs() < f64::MIN_POSITIVE {
            return None;
        }
        let (above, below) = matrix.split_at_mut(nth + 1);
        let (upper, known) = (&above[nth][nth..], right[nth]);
        for (row, value) in below.iter_mut().zip(&mut right[nth + 1..]) {
            let factor = row[nth] / upper[0];
            row[nth..].iter_mut().zip(upper).for_each(|(entry, upper)| *entry -= factor * upper);
            *value -= factor * known;
        }
    }
    for nth in (0..count).rev() {
        let known: f64 = (nth + 1..count).map(|other| matrix[nth][other] * right[other]).sum();
        right[nth] = (right[nth] - known) / matrix[nth][nth];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_also_with_a_zero_on_the_diagonal() {
        assert_eq!(solve(vec![vec![0.0, 2.0], vec![1.0, 1.0]], &[4.0, 5.0]), Some(vec![3.0, 2.0]));
        assert_eq!(solve(vec![vec![1.0, 1.0], vec![2.0, 2.0]], &[1.0, 2.0]), None);
    }

    /// The line 1 + 2 x through three points.
    #[test]
    fn the_solution_of_normal_equations_is_the_best_fit() {
        let columns = [(0, vec![1.0, 1.0, 1.0]), (1, vec![0.0, 1.0, 2.0])];
        let right: Vec<f64> = columns.iter().map(|(_, column)| product(column, &[1.0, 3.0, 5.0])).collect();
        let found = solve(normal(&columns, 0.0), &right).unwrap();
        assert!((found[0] - 1.0).abs() < 1e-9 && (found[1] - 2.0).abs() < 1e-9, "{found:?}");
    }
}
