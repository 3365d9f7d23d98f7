// With the library for tests: a call that runs out of stack ends its instance, and nothing else.
// A call with a wrong address reaches the memory of its instance, and no other.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absolink.h"

extern size_t absolink_test_stack;
extern const uint8_t *absolink_test_stray(absolink *a, uint32_t address, size_t *n);

static const uint8_t *memory;
static size_t reserved;

static void on_fault(int number, siginfo_t *info, void *context) {
	(void)number, (void)context;
	const uint8_t *at = info->si_addr;
	_exit(memory <= at && at < memory + reserved ? 42 : 1);
}

// stray has a process of its own use an address, where its instance has no memory. It returns
// how the process has ended: with 42, if it was stopped within what the instance has reserved.
static int stray(uint32_t address) {
	pid_t child = fork();
	if (child == 0) {
		alarm(60);
		absolink *a = absolink_new();
		memory = absolink_test_stray(a, address, &reserved);
		const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
		sigaction(SIGSEGV, &action, NULL);
		sigaction(SIGBUS, &action, NULL);
		absolink_rewrite(a, NULL, NULL, 0, "x", 1);
		_exit(2);
	}
	int status;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

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
	absolink_test_stack = enough;
	const uint32_t addresses[] = {512u << 20, (1u << 30) - 8, 1u << 30, 1u << 31, 0xa0000000, 0xfffffff8};
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		if (stray(addresses[i]) != 42) return 7;
	}
	return 0;
}
