// Measures the library, for bindings/python/tests/bench.py: bench URL first prints what instances
// take. Then it reads lines, "CALLS FILE", and prints how long each call takes for the document
// in FILE: CPU time in milliseconds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "absolink.h"

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double resident(void) {
	size_t size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%zu %zu", &size, &pages) != 2) exit(1);
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void want(int status) {
	if (status != ABSOLINK_OK) exit(1);
}

int main(int n, char **args) {
	if (n != 2) return 2;
	double r0 = resident(), t0 = now();
	absolink *instances[10];
	for (int i = 0; i < 10; i++) {
		instances[i] = absolink_new();
		double t1 = now();
		want(absolink_rewrite(instances[i], args[1], NULL, 0, "<a href=x>", 10));
		if (i == 0) printf("first instance %.1f ms, first call %.2f ms; memory: %.1f MB with an instance, ", t1 - t0, now() - t1, resident() - r0);
	}
	printf("%.1f MB with ten\n", resident() - r0);
	fflush(stdout);
	int calls;
	char name[4096];
	while (scanf("%d %4095[^\n]", &calls, name) == 2) {
		FILE *f = fopen(name, "rb");
		if (f == NULL || fseek(f, 0, SEEK_END) != 0) return 1;
		size_t length = (size_t)ftell(f);
		rewind(f);
		char *document = malloc(length + 1);
		if (document == NULL || fread(document, 1, length, f) != length) return 1;
		fclose(f);
		double begun = now();
		for (int i = 0; i < calls; i++) want(absolink_rewrite(instances[0], args[1], NULL, 0, document, length));
		printf("%.6f\n", (now() - begun) / calls);
		fflush(stdout);
		free(document);
	}
	return 0;
}
