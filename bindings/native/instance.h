// What the library (absolink.c) and the host of the module (host.c) share: an instance.
#ifndef INSTANCE_H
#define INSTANCE_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "absolink.h"
#include "module.h"

#ifndef _WIN32
// These leave the signal mask alone, which saves a call of the kernel.
#undef setjmp
#define setjmp _setjmp
#define longjmp _longjmp
#endif

// How much of the stack the module may take in a call. Pages take 4 KiB of it: Go's own
// stack is in the memory of the module. A thread of musl has 128 KiB.
#ifdef ABSOLINK_TEST
ABSOLINK_API extern size_t absolink_test_stack; // has the test run out of it

// Has the next call use an address, and returns the n bytes that it may reach.
ABSOLINK_API const uint8_t *absolink_test_stray(absolink *a, uint32_t address, size_t *n);
#define STACK absolink_test_stack
#else
#define STACK (64 << 10)
#endif

// A stream is a document in pieces that the module holds.
typedef struct stream {
	uint64_t id;     // what the caller knows
	uint32_t number; // what the module knows
	bool list;
	absolink_functions functions;
} stream;

// Settings are options and the presence of functions, as the module takes them: names and
// values in turn, each with a NUL after it.
typedef struct settings {
	char *text;
	size_t length;
	uint32_t number; // what the module knows, of settings that it has been configured with
} settings;

struct absolink {
	w2c_module module; // first: the module's functions are given its address
	bool running;      // the module has its memory
	atomic_bool busy;  // in a call

	// During a call:
	jmp_buf out;      // leads out of the module, which is then of no more use
	absolink *outer;  // whose call this one interrupts: it has called a function of the caller
	const absolink_functions *functions;
	int stopped;      // the status that the functions of the caller have ended the call with
	uint64_t called;  // how many calls of functions of the caller have begun
	bool shows;       // a function of the caller is given a place
	bool failed;      // the module has ended within such a function
	absolink_text url; // that visit wants to be written
	char says[256];   // why the module has ended
	size_t said;

	settings settings; // of the calls that follow
	absolink_functions own;
	settings *known; // what the module has been configured with
	size_t knowns, known_bytes;

	stream *streams;
	size_t open;

	char *result; // with room for room bytes
	size_t length, room;
	uintptr_t before; // the address of the result as a call begins, and its room
	size_t before_room;
	bool list;   // the result has places
	size_t next; // where the next place is
};

// start gives an instance the memory that the module begins with. It returns false if there
// is none.
bool instance_start(absolink *a);

// instance_stop gives back the memory of the module. It may have none.
void instance_stop(absolink *a);

// instance_run runs f with an instance, and returns false if the module has ended in it.
bool instance_run(absolink *a, void (*f)(absolink *a, void *of), void *of);

// instance_at returns n bytes of the memory of the module at an address that it has named. It
// ends the module if they are not there.
uint8_t *instance_at(absolink *a, uint32_t address, uint64_t n);

// place_read reads the place at the start of n bytes, which it moves so that a NUL follows
// each text. It returns the length of the place; 0 if there is none.
size_t place_read(absolink_place *place, uint8_t *from, size_t n);

// report_read reads a report, in the same way. It returns false if there is none.
bool report_read(absolink_report *report, uint8_t *from, size_t n);

#endif
