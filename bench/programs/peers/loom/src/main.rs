//! The programs of bench/programs/peers for Loom: `peers-loom PROGRAM N` makes N executions, or as
//! many as there are, and prints how many it made, with "complete" if there were no more.

use loom::model::Builder;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::SeqCst;
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use std::collections::VecDeque;

fn join(threads: Vec<thread::JoinHandle<()>>) {
    for t in threads {
        t.join().unwrap();
    }
}

fn contend(n: usize, pairs: usize) {
    let held = Arc::new(Mutex::new(0));
    let mut threads = Vec::new();
    for _ in 0..n {
        let held = held.clone();
        threads.push(thread::spawn(move || {
            for _ in 0..pairs {
                *held.lock().unwrap() += 1;
            }
        }));
    }
    join(threads);
    assert_eq!(*held.lock().unwrap(), n * pairs);
}

struct Jobs {
    waiting: VecDeque<usize>,
    closed: bool,
}

fn pool(workers: usize, jobs: usize) {
    let queue = Arc::new((
        Mutex::new(Jobs {
            waiting: VecDeque::new(),
            closed: false,
        }),
        Condvar::new(),
    ));
    let sum = Arc::new(Mutex::new(0));
    let mut threads = Vec::new();
    for _ in 0..workers {
        let (queue, sum) = (queue.clone(), sum.clone());
        threads.push(thread::spawn(move || loop {
            let mut q = queue.0.lock().unwrap();
            while q.waiting.is_empty() && !q.closed {
                q = queue.1.wait(q).unwrap();
            }
            let job = q.waiting.pop_front();
            drop(q);
            match job {
                Some(job) => *sum.lock().unwrap() += job,
                None => return,
            }
        }));
    }
    for job in 1..=jobs {
        queue.0.lock().unwrap().waiting.push_back(job);
        queue.1.notify_one();
    }
    queue.0.lock().unwrap().closed = true;
    queue.1.notify_all();
    join(threads);
    assert_eq!(*sum.lock().unwrap(), jobs * (jobs + 1) / 2);
}

fn rotate(n: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let mut threads = Vec::new();
    for i in 0..n {
        let x = x.clone();
        threads.push(thread::spawn(move || {
            let _ = x.compare_exchange(i, i + 1, SeqCst, SeqCst);
        }));
    }
    join(threads);
}

fn fib(n: usize) {
    let i = Arc::new(AtomicUsize::new(1));
    let j = Arc::new(AtomicUsize::new(1));
    let (i1, j1) = (i.clone(), j.clone());
    let (i2, j2) = (i.clone(), j.clone());
    let threads = vec![
        thread::spawn(move || {
            for _ in 0..n {
                let a = i1.load(SeqCst);
                let b = j1.load(SeqCst);
                i1.store(a + b, SeqCst);
            }
        }),
        thread::spawn(move || {
            for _ in 0..n {
                let b = j2.load(SeqCst);
                let a = i2.load(SeqCst);
                j2.store(b + a, SeqCst);
            }
        }),
    ];
    i.load(SeqCst);
    j.load(SeqCst);
    join(threads);
}

fn ticket(n: usize) {
    let next = Arc::new(AtomicUsize::new(0));
    let serving = Arc::new(AtomicUsize::new(0));
    let mut threads = Vec::new();
    for _ in 0..n {
        let (next, serving) = (next.clone(), serving.clone());
        threads.push(thread::spawn(move || {
            let mine = next.fetch_add(1, SeqCst);
            while serving.load(SeqCst) != mine {
                thread::yield_now();
            }
            serving.store(mine + 1, SeqCst);
        }));
    }
    join(threads);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let most: usize = args[2].parse().unwrap();
    let program: fn() = match args[1].as_str() {
        "Locks" => || contend(4, 6),
        "Pool" => || pool(4, 16),
        "Nothing" => || {},
        "Sections" => || contend(4, 2),
        "Rotate4" => || rotate(4),
        "Fib5" => || fib(5),
        "Ticket4" => || ticket(4),
        other => panic!("no program {other}"),
    };
    static MADE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let mut model = Builder::new();
    model.max_permutations = Some(most + 1);
    model.checkpoint_interval = most + 1; // it looks at the number only then
    model.max_branches = 100_000;
    model.check(move || {
        MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        program();
    });
    let made = MADE.load(std::sync::atomic::Ordering::Relaxed);
    let all = if made < most { ", complete" } else { "" };
    println!("{made} executions{all}");
}
