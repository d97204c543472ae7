//! Containment of panics in functions and destructors of the library's user.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Calls a function of the user; converts a panic into an error with the panic message.
pub(crate) fn caught<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(function)).map_err(message)
}

/// Returns the message of a panic payload, and drops the payload.
pub(crate) fn message(panic: Box<dyn Any + Send>) -> String {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).into(),
        (_, Some(message)) => message.clone(),
        _ => "the panic payload is not text".into(),
    };
    drop_quietly(panic);
    message
}

/// Drops a value of the user and discards a panic of its destructor.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(again);
    }
}
