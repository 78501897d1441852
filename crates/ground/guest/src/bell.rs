//! How a signal handler wakes a thread and waits for it: without descriptors, which the application could close or use for something
//! else, and without anything that a handler may not do.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// A number that a signal handler leaves, and how often a thread has dealt with such a number.
#[derive(Debug)]
pub struct Bell {
    left: AtomicU32,
    answers: AtomicU32,
}

impl Bell {
    pub const fn new() -> Bell {
        Bell {
            left: AtomicU32::new(0),
            answers: AtomicU32::new(0),
        }
    }

    /// Leaves `what`, which is not 0, and goes on. May be called in a signal handler.
    pub fn ring(&self, what: u32) {
        self.left.store(what, Ordering::SeqCst);
        wake(&self.left);
    }

    /// Leaves `what`, which is not 0, and waits until a thread has dealt with it or with what came just before it, but no longer than
    /// `limit`. May be called in a signal handler.
    pub fn ring_and_wait(&self, what: u32, limit: Duration) {
        let before = self.answers.load(Ordering::SeqCst);
        self.ring(what);
        sleep(&self.answers, before, Some(limit));
    }

    /// Waits until a thread has dealt with the number that was left, but no longer than `limit`. May be called in a signal handler.
    pub fn wait_for_answer(&self, limit: Duration) {
        sleep(
            &self.answers,
            self.answers.load(Ordering::SeqCst),
            Some(limit),
        );
    }

    /// Waits for what is left here; `None` when `limit` is over.
    pub fn wait(&self, limit: Option<Duration>) -> Option<u32> {
        if self.left.load(Ordering::SeqCst) == 0 {
            sleep(&self.left, 0, limit);
        }
        match self.left.swap(0, Ordering::SeqCst) {
            0 => None,
            what => Some(what),
        }
    }

    /// Lets those go on who wait for an answer.
    pub fn answer(&self) {
        self.answers.fetch_add(1, Ordering::SeqCst);
        wake(&self.answers);
    }
}

impl Default for Bell {
    fn default() -> Bell {
        Bell::new()
    }
}

fn wake(word: &AtomicU32) {
    // SAFETY: the word lives as long as the call, which only compares addresses.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            i32::MAX,
        );
    }
}

/// Sleeps while the word has this value, but no longer than `limit`.
fn sleep(word: &AtomicU32, value: u32, limit: Option<Duration>) {
    let began = Instant::now();
    while word.load(Ordering::SeqCst) == value {
        let left = match limit.map(|limit| limit.checked_sub(began.elapsed())) {
            Some(None) => return,
            Some(Some(left)) => Some(left),
            None => None,
        };
        let time = left.map(|left| libc::timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(libc::time_t::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the word and the time live as long as the call.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                value,
                time,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_dealt_with_and_answered() {
        static BELL: Bell = Bell::new();
        let thread = std::thread::spawn(|| {
            let what = BELL.wait(None);
            BELL.answer();
            what
        });
        BELL.ring_and_wait(11, Duration::from_secs(60));
        assert_eq!(thread.join().unwrap(), Some(11));
        let began = Instant::now();
        BELL.ring_and_wait(3, Duration::from_millis(30));
        assert!(began.elapsed() >= Duration::from_millis(30));
        assert_eq!(BELL.wait(Some(Duration::ZERO)), Some(3));
        assert_eq!(BELL.wait(Some(Duration::from_millis(1))), None);
    }
}
