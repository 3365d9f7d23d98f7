// Measures the library: bench URL FILE... prints how long a call takes for each document, in
// milliseconds (the median, and the least), what an instance takes, and how long it takes to start.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "absolink.h"

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double resident(void) {
	size_t size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%zu %zu", &size, &pages) != 2) exit(1);
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int n, char **args) {
	const char *url = args[1];
	double r0 = resident(), t0 = now();
	absolink *a = absolink_new();
	double t1 = now();
	absolink_rewrite(a, url, NULL, 0, "<a href=x>", 10);
	double t2 = now(), r1 = resident();
	printf("first instance %.2f ms, first call %.2f ms, %.1f MB\n", t1 - t0, t2 - t1, r1 - r0);
	absolink *more[9];
	double t3 = now();
	for (int i = 0; i < 9; i++) {
		more[i] = absolink_new();
		absolink_rewrite(more[i], url, NULL, 0, "<a href=x>", 10);
	}
	printf("ten instances %.1f MB, each of the nine %.2f ms\n", resident() - r0, (now() - t3) / 9);
	for (int i = 0; i < 9; i++) absolink_free(more[i]);
	absolink_trim();
	for (int i = 2; i < n; i++) {
		FILE *f = fopen(args[i], "rb");
		if (f == NULL || fseek(f, 0, SEEK_END) != 0) return 1;
		size_t length = (size_t)ftell(f);
		rewind(f);
		char *document = malloc(length + 1);
		if (fread(document, 1, length, f) != length) return 1;
		fclose(f);
		enum { ROUNDS = 101 };
		double times[ROUNDS];
		int calls = length > 100000 ? 1 : length > 10000 ? 10 : 100;
		for (int k = 0; k < ROUNDS; k++) {
			double t = now();
			for (int c = 0; c < calls; c++) {
				if (absolink_rewrite(a, url, NULL, 0, document, length) != ABSOLINK_OK) return 1;
			}
			times[k] = (now() - t) / calls;
		}
		qsort(times, ROUNDS, sizeof *times, compare);
		printf("%9zu bytes %.4f ms (%.4f), an instance of %.1f MB\n", length, times[ROUNDS / 2], times[0], (double)absolink_memory(a) / (1 << 20));
		free(document);
	}
	absolink_free(a);
	return 0;
}
