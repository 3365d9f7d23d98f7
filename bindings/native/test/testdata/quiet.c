// Makes calls between two calls of the system that fail: write(-1, "begin") and write(-1, "end").
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "absolink.h"

static const char url[] = "https://example.org/";

static int calls(char *page) {
	absolink *a = absolink_new();
	absolink_place place;
	uint64_t stream;
	int failed = absolink_configure(a, "keepFragments", NULL);
	failed |= absolink_rewrite(a, url, NULL, 0, page, strlen(page));
	failed |= absolink_open(a, url, NULL, 0, &stream) | absolink_write(a, stream, page, 1000) | absolink_finish(a, stream);
	failed |= absolink_places(a, url, NULL, 0, page, 1000) | absolink_next(a, &place);
	failed |= absolink_resolve(a, "x", 1, url, NULL);
	absolink_free(a);
	absolink_trim();
	return failed;
}

int main(void) {
	char *page = malloc(1000001);
	for (int i = 0; i < 100000; i++) memcpy(page + 10 * i, "<a href=x>", 11);
	ssize_t begin = write(-1, "begin", 5);
	int failed = calls(page);
	ssize_t end = write(-1, "end", 3);
	free(page);
	return failed != 0 || begin >= 0 || end >= 0;
}
