// Has each allocation of the library fail in turn: the call is an error or not, and the calls
// after it do what they always do. native_test.go compiles it and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "absolink.h"

// The library takes the functions of the program, which are these.
extern void *__libc_malloc(size_t n), *__libc_calloc(size_t n, size_t of), *__libc_realloc(void *p, size_t n);

static int left = -1; // how many allocations succeed before one fails; below 0, all do

static int fails(void) { return left >= 0 && left-- == 0; }

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t of) { return fails() ? NULL : __libc_calloc(n, of); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }

static const char url[] = "https://example.org/", document[] = "<a href=#x><a href=y>";

// What a call is that fails: the options are new to the instance, and it has no result yet.
static int configure(absolink *a) { return absolink_configure(a, "keepFragments=true", NULL); }
static int rewrite(absolink *a) { return absolink_rewrite(a, url, NULL, 0, document, strlen(document)); }
static int places(absolink *a) { return absolink_places(a, url, NULL, 0, document, strlen(document)); }
static int columns(absolink *a) {
	absolink_table t;
	int status = places(a);
	return status == ABSOLINK_OK ? absolink_columns(a, &t) : status;
}
static int resolve(absolink *a) { return absolink_resolve(a, "x", 1, url, NULL); }
static int stream(absolink *a) {
	uint64_t s;
	int status = absolink_open(a, url, NULL, 0, &s);
	if (status == ABSOLINK_OK) status = absolink_write(a, s, document, strlen(document));
	if (status == ABSOLINK_OK) status = absolink_finish(a, s);
	return status;
}

// rewrites tells whether an instance rewrites the document to a text, with options.
static int rewrites(absolink *a, const char *options, const char *text) {
	if (absolink_configure(a, options, NULL) != ABSOLINK_OK || rewrite(a) != ABSOLINK_OK) return 0;
	return strcmp(absolink_result(a), text) == 0;
}

static int right(absolink *a) {
	return rewrites(a, NULL, "<a href=https://example.org/#x><a href=https://example.org/y>") &&
		rewrites(a, "keepFragments=true", "<a href=#x><a href=https://example.org/y>") &&
		rewrites(a, "rules=", document);
}

static int stop(void *context, int64_t offset, const char *message, size_t length) {
	(void)context, (void)offset, (void)message, (void)length;
	return -1;
}

int main(void) {
	int (*const calls[])(absolink *) = {configure, rewrite, places, columns, resolve, stream};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int failed = 0;
		for (int k = 0;; k++) {
			absolink *a = absolink_new();
			if (a == NULL) return 1;
			left = k;
			int status = calls[i](a);
			int done = left >= 0; // there are no more allocations
			left = -1;
			if (status != ABSOLINK_OK && status != ABSOLINK_MEMORY) {
				printf("call %zu, allocation %d: status %d: %s\n", i, k, status, absolink_result(a));
				return 1;
			}
			failed += status != ABSOLINK_OK;
			if (done && status != ABSOLINK_OK) return 2;
			if (!right(a)) {
				printf("call %zu, allocation %d: afterwards, the result is %s\n", i, k, absolink_result(a));
				return 1;
			}
			absolink_free(a);
			absolink_trim(); // the next instance is a new one
			if (done) break;
		}
		if (failed == 0) {
			printf("call %zu has not failed\n", i);
			return 1;
		}
	}
	// A stream that warn has stopped does not stay in the module, where nobody could drop it.
	absolink *a = absolink_new();
	const absolink_functions functions = {.warn = stop};
	uint64_t s, open;
	if (absolink_open(a, url, NULL, 0, &open) != ABSOLINK_OK) return 3; // keeps the module
	if (absolink_configure(a, NULL, &functions) != ABSOLINK_OK) return 4;
	for (int i = 0; i < 2000; i++) {
		if (absolink_open(a, url, "no such charset", 0, &s) == ABSOLINK_OK) absolink_drop(a, s);
	}
	if (absolink_memory(a) > 16 << 20) {
		printf("streams that warn has stopped take %zu MB\n", absolink_memory(a) >> 20);
		return 1;
	}
	absolink_free(a);
	absolink_trim();
	return 0;
}
