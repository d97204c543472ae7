//! Tests of every interleaving of a sleeper and delivering threads: no wake-up is lost, and the count of running threads is 0 only when no
//! thread runs.
//!
//! Crossbeam's channel is not modelled. Counters without memory ordering replace it, so that correctness depends only on the parker's
//! fences. The driving of the kernel is reduced to the part that decides whether a run is deadlocked.

use loom::{
    model::Builder,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    thread,
};

use super::Parker;

/// An event that is not data.
const KERNEL_REPLY: u32 = 77;

/// The shared state of a node's thread and the threads that deliver to it.
struct Place {
    parker: Parker,
    /// The number of deliveries of each kind. Only the parker's fences make it visible in time.
    inbox: [AtomicU32; 2],
    running: AtomicUsize,
    stopped: AtomicBool,
    /// Whether a thread has seen that no thread runs.
    silence: AtomicBool,
}

impl Place {
    fn new(running: usize) -> Arc<Place> {
        Arc::new(Place {
            parker: Parker::new(),
            inbox: [AtomicU32::new(0), AtomicU32::new(0)],
            running: AtomicUsize::new(running),
            stopped: AtomicBool::new(false),
            silence: AtomicBool::new(false),
        })
    }

    /// Delivers data: first the data, then the claim.
    fn deliver(&self, what: u32) {
        self.kind(what).fetch_add(1, Ordering::Relaxed);
        if self.parker.claim(&[what], &self.running) {
            self.parker.wake();
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        if self.parker.claim_any() {
            self.running.fetch_add(1, Ordering::AcqRel);
            self.parker.wake();
        }
    }

    fn retire(&self) {
        let before = self.running.fetch_sub(1, Ordering::AcqRel);
        assert_ne!(before, 0, "a thread was counted out twice");
        if before == 1 {
            self.silence.store(true, Ordering::Release);
        }
    }

    fn look(&self, what: u32) -> bool {
        let one_less = |there: u32| there.checked_sub(1);
        // The first load may return an old value.
        self.kind(what).load(Ordering::Relaxed) > 0
            && self.kind(what).fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    fn kind(&self, what: u32) -> &AtomicU32 {
        &self.inbox[usize::from(what == KERNEL_REPLY)]
    }

    /// The sleeper's side, step by step as in a node's thread; returns whether it got the awaited delivery.
    fn sleep_until(&self, what: u32) -> bool {
        loop {
            if self.look(what) {
                return true;
            }
            if self.stopped.load(Ordering::Acquire) {
                return false;
            }
            self.parker.prepare(what);
            let found = self.look(what);
            if found || self.stopped.load(Ordering::Acquire) {
                if !self.parker.cancel() {
                    let before = self.running.fetch_sub(1, Ordering::AcqRel);
                    // After the end of the run the count is not used.
                    let ended = self.stopped.load(Ordering::Acquire);
                    assert!(
                        before >= 2 || ended,
                        "whoever counts this thread again does so before it can know"
                    );
                }
                if found {
                    return true;
                }
                continue;
            }
            self.retire();
            self.parker.sleep();
        }
    }
}

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Tests a wait for data of node 1, in every order of the wait and the delivery.
#[test]
fn no_wake_up_by_one_deliverer_is_lost() {
    explore(|| {
        let place = Place::new(2);
        let deliverer = {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.deliver(1);
                place.retire();
            })
        };
        place.parker.set_owner();
        assert!(place.sleep_until(1));
        assert!(!place.silence.load(Ordering::Acquire) || place.running.load(Ordering::Acquire) > 0);
        deliverer.join().unwrap();
        assert_eq!(place.running.load(Ordering::Acquire), 1, "the sleeper runs, the deliverer has ended");
    });
}

/// Tests two deliveries of different kinds, waited for one after the other.
#[test]
fn an_early_delivery_is_found_later() {
    explore(|| {
        let place = Place::new(3);
        let deliverers = [1, KERNEL_REPLY].map(|what| {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.deliver(what);
                place.retire();
            })
        });
        place.parker.set_owner();
        assert!(place.sleep_until(1));
        assert!(place.sleep_until(KERNEL_REPLY));
        for deliverer in deliverers {
            deliverer.join().unwrap();
        }
        assert_eq!(place.running.load(Ordering::Acquire), 1);
        assert!(!place.silence.load(Ordering::Acquire), "somebody always ran");
    });
}

/// Tests two simultaneous deliveries of one kind to a sleeper that waits for both: it is woken once for each sleep.
#[test]
fn two_deliverers_wake_the_owner_once_per_sleep() {
    explore(|| {
        let place = Place::new(3);
        let deliverers = [(), ()].map(|()| {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.deliver(1);
                place.retire();
            })
        });
        place.parker.set_owner();
        assert!(place.sleep_until(1));
        assert!(place.sleep_until(1));
        for deliverer in deliverers {
            deliverer.join().unwrap();
        }
        assert_eq!(place.running.load(Ordering::Acquire), 1);
        assert!(!place.silence.load(Ordering::Acquire), "somebody always ran");
    });
}

/// Tests that the end of a run wakes a sleeper without a delivery. The sleeper has a separate thread, because the model cannot wake a
/// thread that is joining another thread.
#[test]
fn the_end_of_the_run_wakes_all_threads() {
    explore(|| {
        let place = Place::new(2);
        let sleeper = {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.parker.set_owner();
                assert!(!place.sleep_until(1));
            })
        };
        place.stop();
        sleeper.join().unwrap();
    });
}

/// Tests a simplified call to the kernel in virtual time: the caller puts it into its outbox and sleeps; the last thread to retire drives
/// the kernel. The driver may report a deadlock only if it has seen all calls, i.e. if all threads slept before it read the outboxes.
#[test]
fn a_call_in_progress_is_not_a_deadlock() {
    struct Run {
        places: [Place; 2],
        running: AtomicUsize,
        /// Locked while a thread drives the kernel.
        kernel: Mutex<()>,
        outboxes: [Mutex<bool>; 2],
        again: AtomicBool,
    }
    impl Run {
        fn drive(&self, wait: bool) {
            self.again.store(true, Ordering::SeqCst);
            loop {
                let kernel =
                    if wait { Some(self.kernel.lock().unwrap()) } else { self.kernel.try_lock().ok() };
                let Some(kernel) = kernel else { return };
                self.again.store(false, Ordering::SeqCst);
                let asleep = self.running.load(Ordering::Acquire) == 0;
                let mut silence = asleep;
                let mut claimed = Vec::new();
                for (outbox, place) in self.outboxes.iter().zip(&self.places) {
                    if std::mem::take(&mut *outbox.lock().unwrap()) {
                        silence = false;
                        place.kind(KERNEL_REPLY).fetch_add(1, Ordering::Relaxed);
                        if place.parker.claim(&[KERNEL_REPLY], &self.running) {
                            claimed.push(place);
                        } else if self.running.load(Ordering::Acquire) == 0 {
                            self.again.store(true, Ordering::SeqCst);
                        }
                    }
                }
                // Both nodes get all replies, so the run ends without a deadlock.
                let ended = self.places.iter().all(|place| place.stopped.load(Ordering::Acquire));
                assert!(!silence || ended, "taken for deadlocked");
                drop(kernel);
                claimed.into_iter().for_each(|place| place.parker.wake());
                if !self.again.load(Ordering::SeqCst) {
                    return;
                }
            }
        }

        fn ask(&self, node: usize) {
            *self.outboxes[node].lock().unwrap() = true;
            self.drive(false);
            let place = &self.places[node];
            while !place.look(KERNEL_REPLY) {
                place.parker.prepare(KERNEL_REPLY);
                if place.look(KERNEL_REPLY) {
                    if !place.parker.cancel() {
                        self.running.fetch_sub(1, Ordering::AcqRel);
                    }
                    return;
                }
                self.retire();
                place.parker.sleep();
            }
        }

        fn retire(&self) {
            if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.drive(true);
            }
        }

        fn node(&self, node: usize) {
            self.places[node].parker.set_owner();
            self.ask(node);
            // The program has ended.
            self.places[node].stopped.store(true, Ordering::Release);
            self.retire();
        }
    }
    let mut builder = Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let place = || Arc::try_unwrap(Place::new(0)).ok().unwrap();
        let run = Arc::new(Run {
            places: [place(), place()],
            running: AtomicUsize::new(2),
            kernel: Mutex::new(()),
            outboxes: [Mutex::new(false), Mutex::new(false)],
            again: AtomicBool::new(false),
        });
        let other = {
            let run = Arc::clone(&run);
            thread::spawn(move || run.node(1))
        };
        run.node(0);
        other.join().unwrap();
    });
}
