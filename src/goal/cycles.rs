//! Cycles in the dependency graph of a rank: operations in a cycle would never begin.

use super::program::Waiter;

/// Returns an operation on a dependency cycle, if the rank has a cycle. Each element of `waits` is a dependency: the
/// number of the operation that is waited for, and the operation that waits.
pub(super) fn in_a_cycle(operations: usize, waits: &[(u32, Waiter)]) -> Option<usize> {
    // There is no cycle if every operation depends only on earlier ones.
    if waits.iter().all(|&(on, waiter)| on < waiter.operation()) {
        return None;
    }
    let mut sorted: Vec<(u32, u32)> = waits.iter().map(|&(on, waiter)| (on, waiter.operation())).collect();
    sorted.sort_unstable();
    let mut needs = vec![0_u32; operations];
    sorted.iter().for_each(|&(_, waiter)| needs[waiter as usize] += 1);
    let mut free: Vec<u32> = (0..operations as u32).filter(|&at| needs[at as usize] == 0).collect();
    while let Some(done) = free.pop() {
        let first = sorted.partition_point(|&(on, _)| on < done);
        for &(_, waiter) in sorted[first..].iter().take_while(|&&(on, _)| on == done) {
            needs[waiter as usize] -= 1;
            if needs[waiter as usize] == 0 {
                free.push(waiter);
            }
        }
    }
    let mut operation = needs.iter().position(|&needs| needs > 0)?;
    // Each remaining operation waits for another remaining operation, so that following the dependencies backwards ends
    // in a cycle.
    let mut before = vec![None; operations];
    for &(on, waiter) in sorted.iter().filter(|(on, _)| needs[*on as usize] > 0) {
        before[waiter as usize] = Some(on as usize);
    }
    for _ in 0..operations {
        operation = before[operation].unwrap_or(operation);
    }
    Some(operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(waits: &[(u32, u32)]) -> Option<usize> {
        let waits: Vec<_> = waits.iter().map(|&(on, waiter)| (on, Waiter::new(waiter, false))).collect();
        in_a_cycle(5, &waits)
    }

    #[test]
    fn cycles_are_found_and_operations_behind_them_are_not_blamed() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[(4, 0), (3, 4), (0, 1)]), None);
        assert_eq!(found(&[(2, 2)]), Some(2));
        // 0 waits for 3; 3 and 4 wait for each other.
        assert!(matches!(found(&[(3, 0), (4, 3), (3, 4)]), Some(3 | 4)));
    }
}
