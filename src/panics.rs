//! Panics of functions and values of the user's, which must not get past the call that they were given to.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The result of a function of the user's, or the message of its panic.
pub(crate) fn caught<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(function)).map_err(message)
}

/// The message of a panic.
pub(crate) fn message(panic: Box<dyn Any + Send>) -> String {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).into(),
        (_, Some(message)) => message.clone(),
        _ => "it panicked with something that is no text".into(),
    };
    drop_quietly(panic);
    message
}

/// Drops a value of the user's, which may panic as it is dropped.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(again);
    }
}
