/* Four threads lock one mutex twice each: 2,520 orders. */
#include "common.h"

pthread_mutex_t mutex;
int held;

static void *locks(void *arg)
{
	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(&mutex);
		held++;
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

int main(void)
{
	pthread_t threads[4];
	pthread_mutex_init(&mutex, 0);
	START(threads, 4, locks);
	JOIN(threads, 4);
	return 0;
}
