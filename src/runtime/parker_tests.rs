//! Tests of every interleaving of a sleeper and those who bring it something: no wake-up is lost, and the count of
//! running threads is 0 only when no thread runs.
//!
//! Crossbeam's channel is not modelled; counts without any order of their own stand in for it, so that all depends on the
//! parker's fences. The driving of the kernel is boiled
//! down to what decides whether a run is deadlocked.

use loom::{
    model::Builder,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    thread,
};

use super::Parker;

/// An event that is no data.
const FOR_THE_KERNEL: u32 = 77;

/// The shared state of a node's thread and those who bring it something.
struct Place {
    parker: Parker,
    /// The number that has been brought of each kind. Nothing but the parker's fences makes it visible in time.
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

    /// Brings data: first the data, then the claim.
    fn bring(&self, what: u32) {
        self.kind(what).fetch_add(1, Ordering::Relaxed);
        if self.parker.claim(&[what], &self.running) {
            self.parker.wake();
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        if self.parker.claim_for_anything() {
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
        // A look that finds nothing may see what was there before.
        self.kind(what).load(Ordering::Relaxed) > 0
            && self.kind(what).fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    fn kind(&self, what: u32) -> &AtomicU32 {
        &self.inbox[usize::from(what == FOR_THE_KERNEL)]
    }

    /// The sleeper's side, step by step as in a node's thread; returns whether it got what it wanted.
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
                    // After the end of the run nobody asks for the count any more.
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

/// Tests a wait for data of node 1, which brings it, whichever of the two is first.
#[test]
fn no_wake_up_of_one_bringer_is_lost() {
    explore(|| {
        let place = Place::new(2);
        let bringer = {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.bring(1);
                place.retire();
            })
        };
        place.parker.own();
        assert!(place.sleep_until(1));
        assert!(!place.silence.load(Ordering::Acquire) || place.running.load(Ordering::Acquire) > 0);
        bringer.join().unwrap();
        assert_eq!(place.running.load(Ordering::Acquire), 1, "the sleeper runs, the bringer has ended");
    });
}

/// Tests two bringers; what the second brings is wanted only after what the first brings.
#[test]
fn what_is_brought_early_is_found_later() {
    explore(|| {
        let place = Place::new(3);
        let bringers = [1, FOR_THE_KERNEL].map(|what| {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.bring(what);
                place.retire();
            })
        });
        place.parker.own();
        assert!(place.sleep_until(1));
        assert!(place.sleep_until(FOR_THE_KERNEL));
        for bringer in bringers {
            bringer.join().unwrap();
        }
        assert_eq!(place.running.load(Ordering::Acquire), 1);
        assert!(!place.silence.load(Ordering::Acquire), "somebody always ran");
    });
}

/// Tests two that bring the same thing at once, and a sleeper that wants both: it is woken once for each time that it
/// sleeps.
#[test]
fn two_bringers_of_one_kind_wake_it_as_often_as_it_sleeps() {
    explore(|| {
        let place = Place::new(3);
        let bringers = [(), ()].map(|()| {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.bring(1);
                place.retire();
            })
        });
        place.parker.own();
        assert!(place.sleep_until(1));
        assert!(place.sleep_until(1));
        for bringer in bringers {
            bringer.join().unwrap();
        }
        assert_eq!(place.running.load(Ordering::Acquire), 1);
        assert!(!place.silence.load(Ordering::Acquire), "somebody always ran");
    });
}

/// Tests that the end of a run wakes a sleeper that nobody brings anything. It has a thread of its own, since the
/// model does not allow for waking one that waits for another thread to end.
#[test]
fn the_end_of_the_run_wakes_everybody() {
    explore(|| {
        let place = Place::new(2);
        let sleeper = {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.parker.own();
                assert!(!place.sleep_until(1));
            })
        };
        place.stop();
        sleeper.join().unwrap();
    });
}

/// Tests a simplified call to the kernel in virtual time: the caller leaves it in its outbox and sleeps; the last
/// thread to retire drives the kernel. It may take the run for deadlocked only if it has seen all calls: if all slept
/// before it looked into the outboxes.
#[test]
fn a_run_with_a_call_under_way_is_not_taken_for_deadlocked() {
    struct Run {
        places: [Place; 2],
        running: AtomicUsize,
        /// Calls made and not carried out; locked while somebody drives.
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
                        place.kind(FOR_THE_KERNEL).fetch_add(1, Ordering::Relaxed);
                        if place.parker.claim(&[FOR_THE_KERNEL], &self.running) {
                            claimed.push(place);
                        } else if self.running.load(Ordering::Acquire) == 0 {
                            self.again.store(true, Ordering::SeqCst);
                        }
                    }
                }
                // Both nodes get all they ask for, so the run ends, and never in a deadlock.
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
            while !place.look(FOR_THE_KERNEL) {
                place.parker.prepare(FOR_THE_KERNEL);
                if place.look(FOR_THE_KERNEL) {
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
            self.places[node].parker.own();
            self.ask(node);
            // Its program has ended.
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
