/* Each of nine threads swaps a word from one number to the next. */
#include "common.h"

atomic_int x;

static void *swap(void *arg)
{
	int i = (long)arg;
	atomic_compare_exchange_strong(&x, &i, i + 1);
	return 0;
}

int main(void)
{
	pthread_t threads[9];
	START(threads, 9, swap);
	JOIN(threads, 9);
	return 0;
}
