//! A split barrier by itself: who is waited for, and who opens it.

use wave::{Arrival, SplitBarrier};

fn nobody() -> Arrival {
    Arrival {
        wave: 0,
        pc: 0,
        exec: 0,
    }
}

#[test]
fn opens_when_all_members_have_arrived() {
    let mut barrier = SplitBarrier::new(3);
    let (mut a, mut b) = (0, 0);
    assert!(barrier.signal(0, nobody));
    assert!(!barrier.signal(0, nobody));
    assert_eq!(barrier.bits(), 2 << 16 | 3 << 4 | 1);
    assert!(!barrier.pass(&mut a));
    assert!(!barrier.signal(0, nobody));
    assert!(barrier.pass(&mut a) && barrier.pass(&mut b));
    assert!(!barrier.pass(&mut a), "one opening lets a wave pass once");
    assert!(barrier.signal(0, nobody), "the first one again");
}

#[test]
fn ended_waves_are_not_waited_for() {
    let mut barrier = SplitBarrier::new(2);
    let mut passed = 0;
    barrier.signal(0, nobody);
    assert!(!barrier.pass(&mut passed));
    barrier.leave();
    assert!(barrier.pass(&mut passed));
}

#[test]
fn a_single_wave_has_no_barrier() {
    let mut barrier = SplitBarrier::new(1);
    assert!(!barrier.signal(0, nobody));
    assert!(barrier.pass(&mut 0));
}

#[test]
fn a_watched_barrier_says_who_opened_it() {
    let mut barrier = SplitBarrier::new(2);
    barrier.be_watched();
    let of = |wave: u32| Arrival { wave, ..nobody() };
    barrier.signal(0, || of(1));
    assert_eq!(barrier.arrivals(), [of(1)]);
    assert!(barrier.take_opened().is_empty());
    barrier.signal(0, || of(0));
    barrier.signal(0, || of(0));
    barrier.leave();
    assert_eq!(barrier.take_opened(), [vec![of(1), of(0)], vec![of(0)]]);
    assert!(barrier.arrivals().is_empty() && barrier.take_opened().is_empty());
}
