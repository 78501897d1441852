//! A Rust program that counts: collections, traits, closures, panics caught, threads.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self) -> u64;
}
struct Square(u64);
struct Strip(u64, u64);
impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}
impl Shape for Strip {
    fn area(&self) -> u64 {
        self.0 * self.1
    }
}

fn collatz(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> =
        (1..60).map(|n| if n % 3 == 0 { Box::new(Square(n)) as Box<dyn Shape> } else { Box::new(Strip(n, n + 1)) }).collect();
    let mut areas: BTreeMap<u64, u64> = BTreeMap::new();
    for shape in &shapes {
        *areas.entry(shape.area() % 17).or_default() += collatz(shape.area());
    }
    std::panic::set_hook(Box::new(|_| {}));
    let caught = (0..10u64).filter(|n| std::panic::catch_unwind(|| assert!(collatz(n + 1) < 8)).is_err()).count();
    let threads: Vec<_> = (1..4u64).map(|n| std::thread::spawn(move || (1..200 * n).map(collatz).sum::<u64>())).collect();
    let sums: Vec<u64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    println!("{} {caught} {sums:?}", areas.values().sum::<u64>());
}
