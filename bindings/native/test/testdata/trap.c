// Has calls run out of stack, with the library for tests: the instance ends, and nothing else.
#include <stdio.h>
#include <string.h>

#include "absolink.h"

extern size_t absolink_test_stack;

int main(void) {
	const char url[] = "https://example.org/", document[] = "<a href=x>";
	size_t enough = absolink_test_stack;
	absolink *a = absolink_new(), *b = absolink_new();
	uint64_t s, t;
	if (absolink_open(a, url, NULL, 0, &s) != 0 || absolink_open(b, url, NULL, 0, &t) != 0) return 1;
	for (int i = 0; i < 100; i++) {
		absolink_test_stack = 64 + 8 * (size_t)i;
		int status = absolink_rewrite(a, url, NULL, 0, document, strlen(document));
		if (i == 0) puts(absolink_result(a));
		if (status != ABSOLINK_ENDED && status != ABSOLINK_MEMORY) return 2;
		if (absolink_write(a, s, "x", 1) != ABSOLINK_WRONG) return 3;
		absolink_test_stack = enough;
		if (absolink_rewrite(a, url, NULL, 0, document, strlen(document)) != ABSOLINK_OK) return 4;
		if (strcmp(absolink_result(a), "<a href=https://example.org/x>") != 0) return 5;
	}
	absolink_test_stack = 64;
	if (absolink_write(b, t, document, strlen(document)) != ABSOLINK_ENDED) return 6;
	absolink_free(b);
	absolink_free(a);
	return 0;
}
