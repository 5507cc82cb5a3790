package peers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;

/**
 * The programs of bench/programs/peers for Lincheck: PROGRAM N makes N executions by its model
 * checker, fewer than there are, and prints how many. Its executions cannot count themselves:
 * Lincheck puts fields back after each.
 */
public final class Main {
    static void join(List<Thread> threads) {
        try {
            for (Thread t : threads) {
                t.start();
            }
            for (Thread t : threads) {
                t.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void contend(int n, int pairs) {
        Object mutex = new Object();
        int[] held = new int[1];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            threads.add(new Thread(() -> {
                for (int k = 0; k < pairs; k++) {
                    synchronized (mutex) {
                        held[0]++;
                    }
                }
            }));
        }
        join(threads);
        check(held[0], n * pairs);
    }

    static void pool(int workers, int jobs) {
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        boolean[] closed = new boolean[1];
        Object mutex = new Object();
        int[] sum = new int[1];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            threads.add(new Thread(() -> {
                while (true) {
                    Integer job;
                    synchronized (queue) {
                        while (queue.isEmpty() && !closed[0]) {
                            try {
                                queue.wait();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                        job = queue.poll();
                    }
                    if (job == null) {
                        return;
                    }
                    synchronized (mutex) {
                        sum[0] += job;
                    }
                }
            }));
        }
        threads.add(new Thread(() -> {
            for (int job = 1; job <= jobs; job++) {
                synchronized (queue) {
                    queue.add(job);
                    queue.notify();
                }
            }
            synchronized (queue) {
                closed[0] = true;
                queue.notifyAll();
            }
        }));
        join(threads);
        check(sum[0], jobs * (jobs + 1) / 2);
    }

    static void check(int got, int want) {
        if (got != want) {
            throw new IllegalStateException("got " + got + ", want " + want);
        }
    }

    static Runnable program(String name) {
        return switch (name) {
            case "Locks" -> () -> contend(4, 6);
            case "Pool" -> () -> pool(4, 16);
            case "Crowd1000" -> () -> contend(1_000, 1);
            default -> throw new IllegalArgumentException("no program " + name);
        };
    }

    public static void main(String[] args) {
        int executions = Integer.parseInt(args[1]);
        Lincheck.runConcurrentTest(executions, program(args[0]));
        System.out.println(executions + " executions");
    }
}
