// The host of the module: the runtime that the C of wasm2c asks for, the part of WASI that
// Go's runtime asks for, and the functions that the module calls.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instance.h"
#include "memory.h"

#ifdef _WIN32
#include <windows.h>
#define RtlGenRandom SystemFunction036
BOOLEAN NTAPI RtlGenRandom(PVOID, ULONG);
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#endif

extern const uint8_t absolink_image[], absolink_image_end[]; // image.S

#ifdef ABSOLINK_TEST
size_t absolink_test_stack = 64 << 10;

const uint8_t *absolink_test_stray(absolink *a, uint32_t address, size_t *n) {
	const wasm_rt_memory_t *m = &a->module.w2c_memory;
	a->module.w2c_g0 = address; // where Go's stack is
	*n = m->max_pages * m->page_size + FURTHER;
	return m->data;
}
#endif

// The instance whose call this thread is in.
static _Thread_local absolink *current;

// ---- Memory

// An instance reserves MOST addresses, or a smaller power of two where they are limited, and
// FURTHER. No instruction of the module reaches other memory: translate.py sees to that. What
// the module does not use is inaccessible, so an access there ends the process. Only an error
// in Go's compiler, Go's runtime or wasm2c could make one.
#define MOST ((uint64_t)1 << 30)
#define LEAST ((uint64_t)64 << 20)

static void *reserve(size_t n) {
#ifdef _WIN32
	return VirtualAlloc(NULL, n, MEM_RESERVE, PAGE_NOACCESS);
#else
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
	void *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
#endif
}

static bool commit(void *p, size_t n) {
#ifdef _WIN32
	return VirtualAlloc(p, n, MEM_COMMIT, PAGE_READWRITE) != NULL;
#else
	return mprotect(p, n, PROT_READ | PROT_WRITE) == 0;
#endif
}

// share returns how many addresses one instance may have: at most a quarter of the limit.
static uint64_t share(void) {
	uint64_t n = MOST;
#ifndef _WIN32
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		while (n > LEAST && n > limit.rlim_cur / 4) n /= 2;
	}
#endif
	return n;
}

bool wasm_rt_is_initialized(void) { return true; }

// A memory without data is one that could not be had.
void wasm_rt_allocate_memory(wasm_rt_memory_t *m, uint64_t pages, uint64_t max, bool is64, uint32_t page) {
	memset(m, 0, sizeof *m);
	m->page_size = page;
	uint64_t n = share();
	while ((m->data = reserve(n + FURTHER)) == NULL && n > LEAST) n /= 2;
	if (m->data == NULL) return;
	m->max_pages = n / page;
	if (!commit(m->data, pages * page)) {
		wasm_rt_free_memory(m);
		return;
	}
	m->pages = pages;
	m->size = pages * page;
}

uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *m, uint64_t delta) {
	uint64_t old = m->pages, n = delta * m->page_size;
	if (delta > m->max_pages - old) return UINT32_MAX;
	if (delta > 0 && !commit(m->data + m->size, n)) return UINT32_MAX;
	m->pages += delta;
	m->size += n;
	return old;
}

void wasm_rt_free_memory(wasm_rt_memory_t *m) {
	if (m->data != NULL) {
#ifdef _WIN32
		VirtualFree(m->data, 0, MEM_RELEASE);
#else
		munmap(m->data, m->max_pages * m->page_size + FURTHER);
#endif
	}
	m->data = NULL;
	m->pages = m->size = 0;
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *t, uint32_t n, uint32_t max) {
	t->data = calloc(n, sizeof *t->data);
	t->size = t->data == NULL ? 0 : n;
	t->max_size = max;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *t) {
	free(t->data);
	t->data = NULL;
	t->size = 0;
}

// ---- Calls of the module

// leave ends the module. What it has said before is the reason.
static _Noreturn void leave(absolink *a, const char *why) {
	if (a->said == 0) a->said = (size_t)snprintf(a->says, sizeof a->says, "%s", why);
	longjmp(a->out, 1);
}

void wasm_rt_trap(wasm_rt_trap_t code) {
	leave(current, code == WASM_RT_TRAP_EXHAUSTION ? "out of stack" : code == WASM_RT_TRAP_OOB ? "out of bounds" : "trap");
}

bool instance_run(absolink *a, void (*f)(absolink *a, void *of), void *of) {
	a->module.stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK;
	a->outer = current;
	a->said = 0;
	current = a;
	volatile bool whole = false;
	if (setjmp(a->out) == 0) {
		f(a, of);
		whole = true;
	}
	current = a->outer;
	return whole;
}

uint8_t *instance_at(absolink *a, uint32_t address, uint64_t n) {
	if (address + n > a->module.w2c_memory.size) leave(a, "out of bounds");
	return a->module.w2c_memory.data + address;
}

static void begin(absolink *a, void *of) {
	const wasm_rt_memory_t *m = &a->module.w2c_memory;
	wasm2c_module_instantiate(&a->module, (struct w2c_absolink *)a, (struct w2c_wasi__snapshot__preview1 *)a);
	if (m->data == NULL) return;
	a->module.reach = (u32)(m->max_pages * m->page_size - 1);
	memcpy(m->data + IMAGE_AT, absolink_image, (size_t)(absolink_image_end - absolink_image));
	w2c_module_0x5Finitialize(&a->module);
	a->running = true;
}

bool instance_start(absolink *a) {
	memset(&a->module, 0, sizeof a->module);
	instance_run(a, begin, NULL);
	if (!a->running) instance_stop(a);
	return a->running;
}

void instance_stop(absolink *a) {
	wasm2c_module_free(&a->module);
	a->running = false;
}

// ---- WASI

// The functions of WASI are given the address of the instance.
typedef struct w2c_wasi__snapshot__preview1 wasi;

#define WASI(name, ...) u32 w2c_wasi__snapshot__preview1_##name(wasi *w, ##__VA_ARGS__)

static uint8_t *at(wasi *w, u32 address, u64 n) { return instance_at((absolink *)w, address, n); }

static u32 get32(wasi *w, u32 address) {
	u32 v;
	memcpy(&v, at(w, address, sizeof v), sizeof v);
	return v;
}

static void put32(wasi *w, u32 address, u32 v) { memcpy(at(w, address, sizeof v), &v, sizeof v); }
static void put64(wasi *w, u32 address, u64 v) { memcpy(at(w, address, sizeof v), &v, sizeof v); }

enum { SUCCESS = 0, BADF = 8, IO = 29 };

// There are no arguments and no variables.
WASI(args_get, u32 a, u32 b) { return SUCCESS; }
WASI(environ_get, u32 a, u32 b) { return SUCCESS; }

static u32 none(wasi *w, u32 count, u32 size) {
	put32(w, count, 0);
	put32(w, size, 0);
	return SUCCESS;
}

WASI(args_sizes_get, u32 count, u32 size) { return none(w, count, size); }
WASI(environ_sizes_get, u32 count, u32 size) { return none(w, count, size); }

// A clock, for the collector of garbage.
WASI(clock_time_get, u32 id, u64 precision, u32 to) {
	u64 ns;
#ifdef _WIN32
	if (id == 0) {
		FILETIME t;
		GetSystemTimeAsFileTime(&t);
		ns = ((((u64)t.dwHighDateTime << 32) | t.dwLowDateTime) - 116444736000000000ull) * 100;
	} else {
		LARGE_INTEGER c, f;
		QueryPerformanceCounter(&c);
		QueryPerformanceFrequency(&f);
		ns = (u64)((double)c.QuadPart / (double)f.QuadPart * 1e9);
	}
#else
	struct timespec t;
	clock_gettime(id == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &t);
	ns = (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
#endif
	put64(w, to, ns);
	return SUCCESS;
}

// Random numbers, for the seeds of maps.
WASI(random_get, u32 to, u32 n) {
	uint8_t *p = at(w, to, n);
#if defined(_WIN32)
	return RtlGenRandom(p, n) ? SUCCESS : IO;
#elif defined(__APPLE__)
	arc4random_buf(p, n);
	return SUCCESS;
#else
	while (n > 0) {
		ssize_t k = -1;
#ifdef SYS_getrandom
		k = syscall(SYS_getrandom, p, n, 0);
#endif
		if (k <= 0) { // the kernel is older than 3.17
			int f = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
			k = f < 0 ? -1 : read(f, p, n);
			if (f >= 0) close(f);
		}
		if (k <= 0) return IO;
		p += k;
		n -= (u32)k;
	}
	return SUCCESS;
#endif
}

// What Go says before it ends itself is the reason; it has begun with its first line.
WASI(fd_write, u32 fd, u32 vectors, u32 n, u32 written) {
	absolink *a = (absolink *)w;
	u32 sum = 0;
	for (u32 i = 0; i < n; i++) {
		u32 length = get32(w, vectors + 8 * i + 4);
		const uint8_t *p = at(w, get32(w, vectors + 8 * i), length);
		size_t room = sizeof a->says - 1 - a->said, k = length < room ? length : room;
		memcpy(a->says + a->said, p, k);
		a->said += k;
		sum += length;
	}
	put32(w, written, sum);
	return SUCCESS;
}

void w2c_wasi__snapshot__preview1_proc_exit(wasi *w, u32 code) { leave((absolink *)w, "exit"); }

WASI(sched_yield) { return SUCCESS; }

// Waiting for a time is over at once.
WASI(poll_oneoff, u32 subscriptions, u32 events, u32 n, u32 count) {
	put32(w, count, n);
	return SUCCESS;
}

// There are no files, but standard output has a state.
WASI(fd_fdstat_get, u32 fd, u32 to) {
	memset(at(w, to, 24), 0, 24);
	return SUCCESS;
}
WASI(fd_fdstat_set_flags, u32 a, u32 b) { return BADF; }
WASI(fd_close, u32 a) { return BADF; }
WASI(fd_read, u32 a, u32 b, u32 c, u32 d) { return BADF; }
WASI(fd_prestat_get, u32 a, u32 b) { return BADF; }
WASI(fd_prestat_dir_name, u32 a, u32 b, u32 c) { return BADF; }
WASI(path_filestat_get, u32 a, u32 b, u32 c, u32 d, u32 e) { return BADF; }
WASI(path_open, u32 a, u32 b, u32 c, u32 d, u32 e, u64 f, u64 g, u32 h, u32 i) { return BADF; }

// ---- The functions of the caller

// The module ends the call after STOP.
enum { KEEP = -1, STOP = -2 };

// told notes what a function of the caller has returned, and returns whether the call goes on.
// Other code of this thread may have run meanwhile, also other instances.
static bool told(absolink *a, int returned) {
	current = a;
	a->shows = false;
	if (a->failed) leave(a, "trap"); // in absolink_attribute
	if (returned < 0) a->stopped = ABSOLINK_STOPPED;
	return a->stopped == 0;
}

static absolink_place place_at(absolink *a, u32 address, u32 n) {
	absolink_place p = {0};
	if (place_read(&p, instance_at(a, address, n), n) == 0) leave(a, "a place is not whole");
	a->shows = true;
	return p;
}

u32 w2c_absolink_visit(struct w2c_absolink *m, u32 address, u32 n) {
	absolink *a = (absolink *)m;
	const absolink_functions *f = a->functions;
	if (a->stopped != 0) return (u32)STOP;
	absolink_place p = place_at(a, address, n);
	absolink_text url = {0};
	a->called++;
	int returned = f->visit(f->context, &p, &url);
	if (!told(a, returned)) return (u32)STOP;
	if (returned == 0) return (u32)KEEP;
	if (url.length > INT_MAX || (url.data == NULL && url.length > 0)) {
		a->stopped = url.data == NULL ? ABSOLINK_WRONG : ABSOLINK_RANGE;
		return (u32)STOP;
	}
	a->url = url;
	return (u32)url.length;
}

// take writes the URL that visit has returned.
void w2c_absolink_take(struct w2c_absolink *m, u32 to) {
	absolink *a = (absolink *)m;
	if (a->url.length > 0) memcpy(instance_at(a, to, a->url.length), a->url.data, a->url.length);
}

#define MOST_NAME (64 << 10)

// A question is for an attribute.
typedef struct question {
	const char *name;
	absolink_text *value;
	bool found;
} question;

static void ask(absolink *a, void *of) {
	question *q = of;
	u32 n = (u32)strlen(q->name), length;
	memcpy(instance_at(a, w2c_module_askRoom(&a->module, n), n), q->name, n);
	u32 found = w2c_module_ask(&a->module);
	if ((q->found = found != 0)) {
		memcpy(&length, instance_at(a, found, sizeof length), sizeof length);
		*q->value = (absolink_text){(const char *)instance_at(a, found + sizeof length, length), length};
	}
}

// The module is called while it calls. If it ends in this call, it ends in the outer one when the
// function of the caller has returned.
int absolink_attribute(absolink *a, const char *name, absolink_text *value) {
	if (a == NULL || name == NULL || value == NULL || current != a || !a->shows || a->failed) return ABSOLINK_WRONG;
	if (strlen(name) > MOST_NAME) return ABSOLINK_RANGE;
	question q = {name, value, false};
	jmp_buf out;
	memcpy(&out, &a->out, sizeof out);
	absolink *outer = a->outer;
	uintptr_t limit = a->module.stack_limit;
	*value = (absolink_text){"", 0};
	a->failed = !instance_run(a, ask, &q);
	memcpy(&a->out, &out, sizeof out);
	a->outer = outer;
	a->module.stack_limit = limit;
	return a->failed ? ABSOLINK_ENDED : q.found ? ABSOLINK_OK : ABSOLINK_END;
}

u32 w2c_absolink_unresolvable(struct w2c_absolink *m, u32 address, u32 n) {
	absolink *a = (absolink *)m;
	const absolink_functions *f = a->functions;
	if (a->stopped != 0) return 0;
	absolink_place p = place_at(a, address, n);
	a->called++;
	told(a, f->unresolvable(f->context, &p));
	return 0;
}

u32 w2c_absolink_done(struct w2c_absolink *m, u32 address, u32 n) {
	absolink *a = (absolink *)m;
	const absolink_functions *f = a->functions;
	absolink_report report;
	if (a->stopped != 0) return (u32)STOP;
	if (!report_read(&report, instance_at(a, address, n), n)) leave(a, "a report is not whole");
	a->called++;
	return told(a, f->done(f->context, &report)) ? 0 : (u32)STOP;
}

void w2c_absolink_warn(struct w2c_absolink *m, f64 offset, u32 address, u32 n) {
	absolink *a = (absolink *)m;
	const absolink_functions *f = a->functions;
	if (a->stopped != 0) return;
	const char *message = (const char *)instance_at(a, address, n);
	a->called++;
	told(a, f->warn(f->context, (int64_t)offset, message, n));
}
