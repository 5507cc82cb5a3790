/* What the programs for Nidhugg and GenMC share: threads that are started and joined. */
#include <pthread.h>
#include <stdatomic.h>

#define START(threads, n, body)                                                                    \
	for (int i = 0; i < (n); i++)                                                              \
	pthread_create(&(threads)[i], 0, body, (void *)(long)i)

#define JOIN(threads, n)                                                                           \
	for (int i = 0; i < (n); i++)                                                              \
	pthread_join((threads)[i], 0)
