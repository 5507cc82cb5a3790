//! The programs of bench/programs/peers for Shuttle: `peers-shuttle PROGRAM N` makes N executions
//! under a random scheduler and prints how many it made.

use shuttle::scheduler::RandomScheduler;
use shuttle::sync::mpsc::sync_channel;
use shuttle::sync::{Condvar, Mutex};
use shuttle::{thread, Config, Runner};
use std::collections::VecDeque;
use std::sync::Arc;

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
    for t in threads {
        t.join().unwrap();
    }
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
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(*sum.lock().unwrap(), jobs * (jobs + 1) / 2);
}

fn ring(n: usize, rounds: usize) {
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let (s, r) = sync_channel::<usize>(0);
        sends.push(s);
        receives.push(Some(r));
    }
    let mut threads = Vec::new();
    for i in 1..n {
        let input = receives[i].take().unwrap();
        let output = sends[(i + 1) % n].clone();
        threads.push(thread::spawn(move || {
            for _ in 0..rounds {
                output.send(input.recv().unwrap() + 1).unwrap();
            }
        }));
    }
    let input = receives[0].take().unwrap();
    let mut token = 0;
    for _ in 0..rounds {
        sends[1 % n].send(token).unwrap();
        token = input.recv().unwrap() + 1;
    }
    assert_eq!(token, n * rounds);
    for t in threads {
        t.join().unwrap();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let executions: usize = args[2].parse().unwrap();
    let program: fn() = match args[1].as_str() {
        "Locks" => || contend(4, 6),
        "Pool" => || pool(4, 16),
        "Ring" => || ring(4, 6),
        "Crowd1000" => || contend(1_000, 1),
        "Crowd10000" => || contend(10_000, 1),
        other => panic!("no program {other}"),
    };
    let mut config = Config::new();
    config.stack_size = 0x4000;
    let made = Runner::new(RandomScheduler::new_from_seed(1, executions), config).run(program);
    println!("{made} executions");
}
