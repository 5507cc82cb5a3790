/* The queue of Michael and Scott: two threads enqueue, two dequeue, each once. */
#include "common.h"

struct item {
	int value;
	struct item *_Atomic next;
};

struct item items[3];
struct item *_Atomic head, *_Atomic tail;
atomic_int zeros;

static void *enqueue(void *arg)
{
	struct item *n = &items[(long)arg + 1];
	n->value = (long)arg + 1;
	for (;;) {
		struct item *t = atomic_load(&tail);
		struct item *next = atomic_load(&t->next);
		if (atomic_load(&tail) != t)
			continue;
		if (next) {
			atomic_compare_exchange_strong(&tail, &t, next);
			continue;
		}
		if (atomic_compare_exchange_strong(&t->next, &next, n)) {
			atomic_compare_exchange_strong(&tail, &t, n);
			return 0;
		}
	}
}

static void *dequeue(void *arg)
{
	for (;;) {
		struct item *h = atomic_load(&head);
		struct item *t = atomic_load(&tail);
		struct item *next = atomic_load(&h->next);
		if (atomic_load(&head) != h)
			continue;
		if (h == t) {
			if (!next)
				return 0;
			atomic_compare_exchange_strong(&tail, &t, next);
			continue;
		}
		if (atomic_compare_exchange_strong(&head, &h, next)) {
			if (next->value == 0)
				atomic_fetch_add(&zeros, 1);
			return 0;
		}
	}
}

int main(void)
{
	pthread_t in[2], out[2];
	atomic_store(&head, &items[0]);
	atomic_store(&tail, &items[0]);
	START(in, 2, enqueue);
	START(out, 2, dequeue);
	JOIN(in, 2);
	JOIN(out, 2);
	return 0;
}
