/* A ticket lets each of four threads in, which polls for its turn: 24 orders. */
#include "common.h"

atomic_int next, serving;
int in;

static void *enter(void *arg)
{
	int mine = atomic_fetch_add(&next, 1);
	while (atomic_load(&serving) != mine)
		;
	in++;
	atomic_store(&serving, mine + 1);
	return 0;
}

int main(void)
{
	pthread_t threads[4];
	START(threads, 4, enter);
	JOIN(threads, 4);
	return 0;
}
