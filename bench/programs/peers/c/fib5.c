/* Fib with five rounds: two threads add each other's number to their own, main reads both. */
#include "common.h"

atomic_int i = 1, j = 1;

static void *first(void *arg)
{
	for (int k = 0; k < 5; k++) {
		int a = atomic_load(&i);
		int b = atomic_load(&j);
		atomic_store(&i, a + b);
	}
	return 0;
}

static void *second(void *arg)
{
	for (int k = 0; k < 5; k++) {
		int b = atomic_load(&j);
		int a = atomic_load(&i);
		atomic_store(&j, b + a);
	}
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	atomic_load(&i);
	atomic_load(&j);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
