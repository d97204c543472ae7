//! Calls that carry out a plan made beforehand.

use super::{
    CollectiveError, Operator, Plan, WrongLength,
    operator::{Named, combined},
};
use crate::{
    comm::{Call, Combine, Group},
    payload::{Element, ElementType, Payload},
    text::count,
};

impl Plan {
    /// Carries out a plan for an operation that only moves data, as a call of all members of a group. The argument is the rank's data
    /// before the operation, and the result its data after it, as in the table of [`Operation`](super::Operation).
    ///
    /// This method is for plans made in advance; the calls of [`Collective`](super::Collective) make and cache their own plans.
    ///
    /// # Errors
    ///
    /// [`CollectiveError`] in the same cases as the calls of `Collective`, and if the plan is for another group.
    #[track_caller]
    pub fn call<T: Element + Send>(&self, group: &Group<'_>, mine: &[T]) -> Result<Vec<T>, CollectiveError> {
        group.note_call();
        let operation = self.task().operation();
        if operation.combines() {
            return Err(CollectiveError::NoOperator { operation });
        }
        let element = ElementType::of::<T>();
        let mut no_combine = |_: Payload, right: Payload| Ok(right);
        Ok(self.carried_out(group, &Payload::from(mine), element, None, &mut no_combine)?.to_vec()?)
    }

    /// Carries out a plan for an operation that combines, like [`call`](Plan::call) for operations that only move data.
    ///
    /// # Errors
    ///
    /// The errors of [`call`](Plan::call), and an error if the operator is not commutative and the plan does not combine in rank order.
    #[track_caller]
    pub fn combine<T: Element + Send>(
        &self,
        group: &Group<'_>,
        mine: &[T],
        operator: &impl Operator<T>,
    ) -> Result<Vec<T>, CollectiveError> {
        group.note_call();
        let named = Named::of(operator);
        if !named.is_commutative && !self.task().is_in_order() {
            return Err(CollectiveError::Order { operation: self.task().operation() });
        }
        let mut combine = |left: Payload, right: Payload| combined(operator, &left, &right);
        let element = ElementType::of::<T>();
        Ok(self.carried_out(group, &Payload::from(mine), element, Some(named), &mut combine)?.to_vec()?)
    }

    #[track_caller]
    fn carried_out(
        &self,
        group: &Group<'_>,
        mine: &Payload,
        element: ElementType,
        operator: Option<Named<'_>>,
        combine: &mut Combine<'_>,
    ) -> Result<Payload, CollectiveError> {
        let (task, operation) = (self.task(), self.task().operation());
        group.library_call(operation.name(), || {
            let text = format_args!("{operation} on {}, plan {}", count(task.bytes(), "byte"), self.name());
            let tag = group.agree(&Call::new(operation.name(), &text, (task.identity(), operator)))?;
            let expected = if group.size() == task.size() { self.given(group.rank()) } else { mine.len() };
            if mine.len() != expected {
                let (rank, size, given, root) = (group.rank(), group.size(), mine.len(), task.root());
                let wrong =
                    WrongLength { operation, rank, size, root, element, given, expected, lengths: None };
                return Err(Box::new(wrong).into());
            }
            Ok(self.carry_out_with(&group.private(), tag, mine, combine)?)
        })
    }
}
