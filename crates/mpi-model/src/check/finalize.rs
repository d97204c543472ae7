//! What a program leaves at `MPI_Finalize`: operations in progress, and objects that it has not freed.

use super::{Finding, Kind, Site};
use crate::{process::Process, request::Request, word::Handle};

impl<'n> Process<'n> {
    /// Notes persistent requests of which a start may be missing, when the program of the rank ends in whichever way.
    pub(crate) fn note_unstarted(&self) {
        let Some(checker) = &self.checker else { return };
        for (site, request) in self.requests.borrow().table.sites() {
            if let Some(site) = site.filter(|_| request.may_miss_start()) {
                checker.check.unstarted.lock().push((checker.rank, site, request.peer()));
            }
        }
    }

    /// Checks a persistent request that the program frees.
    pub(crate) fn check_free(&self, handle: Handle, request: &Request<'n>) {
        let Some(checker) = self.checker.as_ref().filter(|_| request.may_miss_start()) else { return };
        let site = self.requests.borrow().table.site(handle).unwrap_or_else(|| self.site());
        checker.check.unstarted.lock().push((checker.rank, site, request.peer()));
        if request.was_waited() && !request.was_started() {
            let text =
                format!("the persistent request of {} is waited for, and never started", site.function);
            let finding = Finding::new(Kind::MissingStart, text, checker.line(site));
            checker.check.add(finding.help("call MPI_Start before the wait"));
        }
    }

    /// Adds a finding for each object that is left.
    pub(crate) fn check_finalize(&self) {
        let Some(checker) = &self.checker else { return };
        let add = |site: Option<Site>, kind: Kind, what: &str, help: &str| {
            let site = site.unwrap_or_else(|| self.site());
            let text = format!(
                "{what} of {} {}",
                site.function,
                match kind {
                    Kind::MissingWait => "is never completed by a wait or a test",
                    Kind::MissingStart => "is never started",
                    _ => "is never freed",
                }
            );
            checker.check.add(Finding::new(kind, text, checker.line(site)).help(help));
        };
        self.note_unstarted();
        for (site, request) in self.requests.borrow().table.sites() {
            if request.is_active() {
                add(site, Kind::MissingWait, "the request", "call MPI_Wait or MPI_Test until it is complete");
            } else if request.is_persistent() && !request.was_started() && request.was_waited() {
                add(
                    site,
                    Kind::MissingStart,
                    "the persistent request",
                    "call MPI_Start, or leave the request out",
                );
            } else {
                add(site, Kind::Leak, "the request", "call MPI_Request_free");
            }
        }
        for window in self.windows.borrow().table.iter().map(|(_, window)| window) {
            if let Some((text, opened)) = window.left_open() {
                self.unclosed_epoch(opened, &text);
            }
        }
        let leak = |sites: Vec<Option<Site>>, what: &str, help: &str| {
            sites.into_iter().for_each(|site| add(site, Kind::Leak, what, help));
        };
        leak(
            self.communicators.borrow().open(),
            "the communicator",
            "call MPI_Comm_free before MPI_Finalize",
        );
        leak(self.groups.borrow().table.open(), "the group", "call MPI_Group_free before MPI_Finalize");
        leak(
            // Those of a range or a precision are predefined for the program.
            self.datatypes
                .borrow()
                .derived
                .open()
                .into_iter()
                .filter(|site| !is_parametrized(*site))
                .collect(),
            "the datatype",
            "call MPI_Type_free before MPI_Finalize",
        );
        leak(self.operators.borrow().created.open(), "the operator", "call MPI_Op_free before MPI_Finalize");
        leak(self.infos.borrow().table.open(), "the info object", "call MPI_Info_free before MPI_Finalize");
        leak(self.windows.borrow().table.open(), "the window", "call MPI_Win_free before MPI_Finalize");
        leak(self.files.borrow().table.open(), "the file", "call MPI_File_close before MPI_Finalize");
        leak(self.messages.borrow().open(), "the message", "receive it by MPI_Mrecv before MPI_Finalize");
        leak(self.sessions.borrow().table.open(), "the session", "call MPI_Session_finalize");
        let handlers = self.error_handlers.borrow().left();
        leak(handlers, "the error handler", "call MPI_Errhandler_free before MPI_Finalize");
        let buffer = self.buffered.borrow().site();
        leak(buffer.into_iter().collect(), "the buffer", "call MPI_Buffer_detach before MPI_Finalize");
        let memory = checker.memory.borrow().values().copied().map(Some).collect();
        leak(memory, "the memory", "call MPI_Free_mem before MPI_Finalize");
        let keys = self.attributes.borrow().left();
        leak(keys, "the attribute key", "free the key before MPI_Finalize");
    }
}

/// Whether an object is a datatype that MPI keeps, of `MPI_Type_create_f90_real` and similar functions.
fn is_parametrized(site: Option<Site>) -> bool {
    site.is_some_and(|site| site.function.starts_with("MPI_Type_create_f90"))
}
