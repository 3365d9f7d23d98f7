// The functions of absolink.h.
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#ifndef VERSION
#define VERSION "0.0.0"
#endif

enum {
	PIECE = 64 << 10,          // of a document that goes to the module in pieces
	WHOLE = 256 << 10,         // the length up to which a document goes there at once
	TEXT = 64 << 10,           // the length of a text
	LARGEST = 48 << 20,        // memory above this is given back
	KEPT = 1 << 20,            // room for results above this is given back
	REFERENCE = 64 << 20,      // the length of the references of a call
	FEED = 256 << 20,          // the length of a feed, which goes to the module at once
	CONFIGURATIONS = 1000,     // that a module has; also in KEPT bytes
	IDLE = 16,                 // instances that are kept
};

const char *absolink_version(void) { return VERSION; }

// ---- Results

// append appends n bytes to the result. It returns false if there is no memory.
static bool append(absolink *a, const void *from, size_t n) {
	if (n > SIZE_MAX / 4 - a->length) return false;
	if (a->length + n + 1 > a->room) {
		size_t room = a->length + n + 1;
		if (a->length > 0) room += room / 2; // it is not the first part
		char *result = realloc(a->result, room);
		if (result == NULL) return false;
		a->result = result;
		a->room = room;
	}
	if (n > 0) memcpy(a->result + a->length, from, n);
	a->length += n;
	a->result[a->length] = 0;
	return true;
}

static void clear(absolink *a, size_t kept) {
	if (a->room > kept) {
		free(a->result);
		a->result = NULL;
		a->room = 0;
	}
	a->length = a->next = 0;
	a->list = false;
	if (a->room > 0) a->result[0] = 0;
}

// fail makes a message the result, and returns the status.
static int fail(absolink *a, int status, const char *message) {
	clear(a, KEPT);
	append(a, message, strlen(message)); // without memory, there is no message
	return status;
}

static int no_memory(absolink *a) { return fail(a, ABSOLINK_MEMORY, "no memory"); }

const char *absolink_result(const absolink *a) {
	return a == NULL || a->list || a->room == 0 ? "" : a->result;
}

size_t absolink_result_length(const absolink *a) { return a == NULL || a->list ? 0 : a->length; }

// ---- Calls of the module

enum { CONFIGURE, REWRITE, REWRITE_FEED, OPEN, WRITE, FINISH, DROP, RESOLVE, RESOLVE_ALL };

// A call is one call of the module. Its texts are in the module's room, one after another.
typedef struct call {
	int function;
	uint32_t number; // of the configuration or the stream, or how many references there are
	unsigned flags;
	absolink_text texts[3];
	u32 status;
	const uint8_t *result;
	u32 length;
} call;

static void enter(absolink *a, void *of) {
	call *c = of;
	w2c_module *m = &a->module;
	u32 n[3], sum = 0;
	for (int i = 0; i < 3; i++) sum += n[i] = (u32)c->texts[i].length;
	if (sum > 0 || c->function < FINISH) {
		uint8_t *room = instance_at(a, w2c_module_room(m, sum), sum);
		for (int i = 0; i < 3; room += n[i++]) {
			if (n[i] > 0) memcpy(room, c->texts[i].data, n[i]);
		}
	}
	u32 kind = c->flags & ~(unsigned)ABSOLINK_LIST, list = c->flags & ABSOLINK_LIST;
	switch (c->function) {
	case CONFIGURE: c->status = w2c_module_configure(m, n[0]); break;
	case REWRITE: c->status = w2c_module_rewrite(m, c->number, n[0], n[1], n[2], kind); break;
	case REWRITE_FEED: c->status = w2c_module_rewriteFeed(m, c->number, n[0], n[1], n[2], kind); break;
	case OPEN: c->status = w2c_module_open(m, c->number, n[0], n[1], kind, list); break;
	case WRITE: c->status = w2c_module_write(m, c->number, n[0]); break;
	case FINISH: c->status = w2c_module_finish(m, c->number); break;
	case DROP: w2c_module_drop(m, c->number); return;
	case RESOLVE: c->status = w2c_module_resolve(m, n[0], n[1], n[2]); break;
	case RESOLVE_ALL: c->status = w2c_module_resolveAll(m, n[0], n[1], c->number); break;
	}
	c->length = w2c_module_resultLength(m);
	c->result = instance_at(a, w2c_module_result(m), c->length);
}

// forget forgets what the module knows, which has ended.
static void forget(absolink *a) {
	instance_stop(a);
	while (a->knowns > 0) free(a->known[--a->knowns].text);
	a->known_bytes = a->open = 0;
}

// perform makes a call of the module. After an error the result is the message.
static int perform(absolink *a, call *c, const absolink_functions *functions) {
	a->functions = functions;
	a->stopped = 0;
	a->shows = a->failed = false;
	if (!instance_run(a, enter, c)) {
		forget(a);
		fail(a, 0, "absolink has stopped working on this document: ");
		a->says[a->said] = 0;
		append(a, a->says, strcspn(a->says, "\n"));
		return ABSOLINK_ENDED;
	}
	switch (a->stopped) {
	case 0: break;
	case ABSOLINK_STOPPED: return fail(a, a->stopped, "a function of the caller has ended the call");
	default: return fail(a, a->stopped, "visit has returned a URL that is too long, or NULL");
	}
	if (c->status != 0) {
		clear(a, KEPT); // the message is the only result
		if (!append(a, c->result, c->length)) return no_memory(a);
	}
	return (int)c->status; // the statuses of the module are those of the library
}

// run makes a call of the module, and appends what it has made to the result.
static int run(absolink *a, call *c, const absolink_functions *functions) {
	int status = perform(a, c, functions);
	if (status == ABSOLINK_OK && !append(a, c->result, c->length)) return no_memory(a);
	return status;
}

static void drop(absolink *a, uint32_t stream) {
	call c = {.function = DROP, .number = stream};
	if (!instance_run(a, enter, &c)) forget(a);
}

// number makes a call whose result is a number, which needs no memory: what the module has made
// is never without an owner. A stream that a function of the caller has stopped is dropped.
static int number(absolink *a, call *c, uint32_t *n) {
	int status = perform(a, c, &a->own);
	if (status == ABSOLINK_ENDED || c->status != 0) return status;
	memcpy(n, c->result, sizeof *n); // the machine is little-endian, as the module is
	if (status != ABSOLINK_OK && c->function == OPEN) drop(a, *n);
	return status;
}

// ---- Checks of arguments

// begin begins a call of the caller.
static int begin(absolink *a) {
	if (a == NULL) return ABSOLINK_WRONG;
	if (atomic_exchange_explicit(&a->busy, true, memory_order_acquire)) return ABSOLINK_BUSY;
	a->before = (uintptr_t)a->result;
	a->before_room = a->room;
	a->called = 0;
	clear(a, KEPT);
	return ABSOLINK_OK;
}

// shrink gives a large memory back, unless a stream needs it.
static void shrink(absolink *a) {
	if (a->running && a->open == 0 && a->module.w2c_memory.size > LARGEST) forget(a);
}

static void let_go(absolink *a) { atomic_store_explicit(&a->busy, false, memory_order_release); }

// end ends it.
static int end(absolink *a, int status) {
	shrink(a);
	let_go(a);
	return status;
}

// apart refuses what the caller has in the result of the call before: begin has cleared it, and
// the call writes there.
static int apart(absolink *a, const void *data) {
	if ((uintptr_t)data - a->before >= a->before_room) return ABSOLINK_OK; // also if it is below
	return fail(a, ABSOLINK_WRONG, "an argument lies in the result of the same instance");
}

// text takes a text of the caller; NULL is an empty one.
static int text(absolink *a, const char *s, absolink_text *to) {
	int status = apart(a, s);
	if (status != ABSOLINK_OK) return status;
	to->data = s;
	to->length = 0;
	while (s != NULL && s[to->length] != 0) {
		if (++to->length > TEXT) return fail(a, ABSOLINK_RANGE, "a text is longer than 64 KiB");
	}
	return ABSOLINK_OK;
}

static int bytes(absolink *a, const void *data, size_t n) {
	if (data == NULL && n > 0) return fail(a, ABSOLINK_WRONG, "NULL has a length");
	if (n > PTRDIFF_MAX) return fail(a, ABSOLINK_RANGE, "the length is out of range");
	return apart(a, data);
}

// ---- Options

static size_t line_length(const char *s) { return strcspn(s, "\n"); }

static bool is(const char *name, size_t n, const char *what) { return n == strlen(what) && memcmp(name, what, n) == 0; }

static char *put(char *to, const char *from, size_t n) {
	if (n > 0) memcpy(to, from, n);
	to[n] = 0;
	return to + n + 1;
}

// settings_of makes settings of options, which have n bytes.
static int settings_of(absolink *a, const char *options, size_t n, const absolink_functions *f, settings *to) {
	// A line of 1 byte and its newline become 1 byte, "true" and two NULs; functions add 46.
	char *at = to->text = malloc(4 * n + 64);
	if (at == NULL) return no_memory(a);
	for (const char *line = n > 0 ? options : ""; *line != 0;) {
		size_t length = line_length(line), name = 0;
		while (name < length && line[name] != '=') name++;
		if (is(line, name, "visit") || is(line, name, "unresolvable") || is(line, name, "warn") || is(line, name, "done")) {
			free(to->text);
			return fail(a, ABSOLINK_WRONG, "visit, unresolvable, warn and done are functions, not options");
		}
		if (length > 0) {
			at = put(at, line, name);
			at = name < length ? put(at, line + name + 1, length - name - 1) : put(at, "true", 4);
		}
		line += length;
		if (*line != 0) line++;
	}
	const char *hooks[] = {f->visit ? "visit" : NULL, f->unresolvable ? "unresolvable" : NULL, f->warn ? "warn" : NULL, f->done ? "done" : NULL};
	for (int i = 0; i < 4; i++) {
		if (hooks[i] == NULL) continue;
		at = put(at, hooks[i], strlen(hooks[i]));
		at = put(at, "true", 4);
	}
	to->length = (size_t)(at - to->text);
	return ABSOLINK_OK;
}

static bool same(const settings *s, const settings *t) {
	return s->length == t->length && (s->length == 0 || memcmp(s->text, t->text, s->length) == 0);
}

// known finds the number that the module knows settings by, and starts the module if need be.
static int known(absolink *a, const settings *s, uint32_t *n) {
	for (size_t i = a->knowns; i-- > 0;) {
		if (same(&a->known[i], s)) {
			*n = a->known[i].number;
			return ABSOLINK_OK;
		}
	}
	if (a->open == 0 && (a->knowns >= CONFIGURATIONS || a->known_bytes > KEPT)) forget(a);
	if (!a->running && !instance_start(a)) return fail(a, ABSOLINK_MEMORY, "no memory, or not 64 MB of addresses (ulimit -v)");
	settings *more = realloc(a->known, (a->knowns + 1) * sizeof *more);
	if (more == NULL) return no_memory(a);
	a->known = more;
	settings copy = {.text = malloc(s->length + 1), .length = s->length};
	if (copy.text == NULL) return no_memory(a);
	if (s->length > 0) memcpy(copy.text, s->text, s->length);
	call c = {.function = CONFIGURE, .texts = {{s->text, s->length}}};
	int status = number(a, &c, n);
	if (status != ABSOLINK_OK) {
		free(copy.text);
		return status;
	}
	copy.number = *n;
	a->known[a->knowns++] = copy;
	a->known_bytes += copy.length;
	return ABSOLINK_OK;
}

int absolink_configure(absolink *a, const char *options, const absolink_functions *functions) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	const absolink_functions none = {0}, *f = functions != NULL ? functions : &none;
	absolink_text lines;
	settings s = {0};
	uint32_t n;
	if ((status = text(a, options, &lines)) != ABSOLINK_OK) return end(a, status);
	if ((status = settings_of(a, options, lines.length, f, &s)) != ABSOLINK_OK) return end(a, status);
	if ((status = known(a, &s, &n)) != ABSOLINK_OK) {
		free(s.text);
		return end(a, status);
	}
	free(a->settings.text);
	a->settings = s;
	a->own = *f;
	return end(a, ABSOLINK_OK);
}

// ---- Documents

// source makes a call about a document, whose text it lacks.
static int source(absolink *a, const char *url, const char *charset, unsigned flags, unsigned allowed, call *c) {
	int status;
	if ((flags & ~allowed) != 0) return fail(a, ABSOLINK_WRONG, "flags are not those of this function");
	if ((status = text(a, url, &c->texts[0])) != ABSOLINK_OK) return status;
	if (url != NULL && url[0] == 0) return fail(a, ABSOLINK_WRONG, "url is empty; it is NULL for a document that names its own base");
	if ((status = text(a, charset, &c->texts[1])) != ABSOLINK_OK) return status;
	c->flags = flags;
	return known(a, &a->settings, &c->number);
}

// write_pieces takes n bytes of a document. After an error the module has the stream no more.
static int write_pieces(absolink *a, uint32_t stream, const absolink_functions *f, const char *p, size_t n) {
	while (n > 0) {
		size_t k = n < PIECE ? n : PIECE;
		call c = {.function = WRITE, .number = stream, .texts = {{p, k}}};
		int status = run(a, &c, f);
		if (status != ABSOLINK_OK) {
			if (status != ABSOLINK_ENDED) drop(a, stream);
			return status;
		}
		p += k;
		n -= k;
	}
	return ABSOLINK_OK;
}

static int finish(absolink *a, uint32_t stream, const absolink_functions *f) {
	call c = {.function = FINISH, .number = stream};
	return run(a, &c, f);
}

// in_pieces sends a document through a stream. open is the call that opens it.
static int in_pieces(absolink *a, call *open, const char *document, size_t n) {
	uint32_t stream = 0;
	open->function = OPEN;
	int status = number(a, open, &stream);
	if (status == ABSOLINK_OK) status = write_pieces(a, stream, &a->own, document, n);
	if (status == ABSOLINK_OK) status = finish(a, stream, &a->own);
	return status;
}

int absolink_rewrite(absolink *a, const char *url, const char *charset, unsigned flags, const void *document, size_t length) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	call c = {.function = REWRITE};
	if ((status = bytes(a, document, length)) != ABSOLINK_OK) return end(a, status);
	if ((status = source(a, url, charset, flags, ABSOLINK_SHEET | ABSOLINK_DECODED, &c)) != ABSOLINK_OK) return end(a, status);
	if (length > WHOLE) return end(a, in_pieces(a, &c, document, length));
	c.texts[2] = (absolink_text){document, length};
	return end(a, run(a, &c, &a->own));
}

int absolink_feed(absolink *a, const char *url, const char *charset, unsigned flags, const void *feed, size_t length) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	call c = {.function = REWRITE_FEED, .texts = {[2] = {feed, length}}};
	if ((status = bytes(a, feed, length)) != ABSOLINK_OK) return end(a, status);
	if (length > FEED) return end(a, fail(a, ABSOLINK_RANGE, "the feed is longer than 256 MiB"));
	if ((status = source(a, url, charset, flags, ABSOLINK_DECODED | ABSOLINK_ON_FEED, &c)) != ABSOLINK_OK) return end(a, status);
	return end(a, run(a, &c, &a->own));
}

int absolink_places(absolink *a, const char *url, const char *charset, unsigned flags, const void *document, size_t length) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	call c = {0};
	if ((status = bytes(a, document, length)) != ABSOLINK_OK) return end(a, status);
	if ((status = source(a, url, charset, flags, ABSOLINK_SHEET | ABSOLINK_DECODED, &c)) != ABSOLINK_OK) return end(a, status);
	c.flags |= ABSOLINK_LIST;
	status = in_pieces(a, &c, document, length);
	a->list = status == ABSOLINK_OK;
	return end(a, status);
}

// ---- References

static int too_long(absolink *a) { return fail(a, ABSOLINK_RANGE, "the references are longer than 64 MiB"); }

// resolve makes a call about references, which are the last text of it.
static int resolve(absolink *a, call *c, const char *base, const char *profile) {
	int status;
	uint32_t number;
	if ((status = text(a, profile != NULL ? profile : "whatwg", &c->texts[0])) != ABSOLINK_OK) return status;
	if ((status = text(a, base, &c->texts[1])) != ABSOLINK_OK) return status;
	if (c->texts[1].length == 0) return fail(a, ABSOLINK_WRONG, "there is no base URL");
	if ((status = known(a, &a->settings, &number)) != ABSOLINK_OK) return status; // it runs then
	return run(a, c, NULL);
}

int absolink_resolve(absolink *a, const char *ref, size_t length, const char *base, const char *profile) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	call c = {.function = RESOLVE, .texts = {[2] = {ref, length}}};
	if ((status = bytes(a, ref, length)) != ABSOLINK_OK) return end(a, status);
	if (length > REFERENCE) return end(a, too_long(a));
	return end(a, resolve(a, &c, base, profile));
}

// pack puts the lengths of references and then the references into a text, which is to be freed.
static int pack(absolink *a, const absolink_text *refs, size_t n, absolink_text *to) {
	int status;
	if (n > REFERENCE / sizeof(uint32_t)) return too_long(a);
	to->length = n * sizeof(uint32_t);
	for (size_t i = 0; i < n; i++) {
		if ((status = bytes(a, refs[i].data, refs[i].length)) != ABSOLINK_OK) return status;
		if (refs[i].length > REFERENCE - to->length) return too_long(a);
		to->length += refs[i].length;
	}
	char *packed = malloc(to->length + 1);
	if (packed == NULL) return no_memory(a);
	char *at = packed + n * sizeof(uint32_t);
	for (size_t i = 0; i < n; i++) {
		uint32_t length = (uint32_t)refs[i].length;
		memcpy(packed + i * sizeof length, &length, sizeof length);
		if (length > 0) memcpy(at, refs[i].data, length);
		at += length;
	}
	to->data = packed;
	return ABSOLINK_OK;
}

int absolink_resolve_all(absolink *a, const absolink_text *refs, size_t n, const char *base, const char *profile, absolink_text *urls) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	call c = {.function = RESOLVE_ALL, .number = (uint32_t)n};
	if ((status = bytes(a, refs, n)) != ABSOLINK_OK || (status = bytes(a, urls, n)) != ABSOLINK_OK) return end(a, status);
	if ((status = pack(a, refs, n, &c.texts[2])) != ABSOLINK_OK) return end(a, status);
	status = resolve(a, &c, base, profile);
	free((char *)c.texts[2].data);
	if (status != ABSOLINK_OK) return end(a, status);
	const char *at = a->result + n * sizeof(uint32_t);
	for (size_t i = 0; i < n; i++) {
		uint32_t length;
		memcpy(&length, a->result + i * sizeof length, sizeof length);
		urls[i] = (absolink_text){at, length};
		at += length + 1;
	}
	a->list = true; // of no places
	a->next = a->length;
	return end(a, ABSOLINK_OK);
}

// ---- Streams

// The number of the next stream, of whatever instance: a stream is of no use with another one.
static atomic_uint_fast64_t streams = 1;

int absolink_open(absolink *a, const char *url, const char *charset, unsigned flags, uint64_t *to) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	if (to == NULL) return end(a, fail(a, ABSOLINK_WRONG, "there is nowhere to write the stream to"));
	*to = 0;
	call c = {.function = OPEN};
	stream s = {.list = (flags & ABSOLINK_LIST) != 0};
	if ((status = source(a, url, charset, flags, ABSOLINK_SHEET | ABSOLINK_LIST | ABSOLINK_DECODED, &c)) != ABSOLINK_OK) return end(a, status);
	stream *more = realloc(a->streams, (a->open + 1) * sizeof *more);
	if (more == NULL) return end(a, no_memory(a));
	a->streams = more;
	if ((status = number(a, &c, &s.number)) != ABSOLINK_OK) return end(a, status);
	s.id = *to = atomic_fetch_add(&streams, 1);
	s.functions = a->own;
	a->streams[a->open++] = s;
	return end(a, ABSOLINK_OK);
}

// cut takes a stream out of the list of open ones.
static void cut(absolink *a, uint64_t id) {
	for (size_t i = 0; i < a->open; i++) {
		if (a->streams[i].id == id) {
			a->streams[i] = a->streams[--a->open];
			return;
		}
	}
}

// begin_stream begins a call about a stream, which it sets.
static int begin_stream(absolink *a, uint64_t id, stream *s) {
	int status = begin(a);
	if (status != ABSOLINK_OK) return status;
	for (size_t i = 0; i < a->open; i++) {
		if (a->streams[i].id == id) {
			*s = a->streams[i];
			return ABSOLINK_OK;
		}
	}
	return end(a, fail(a, ABSOLINK_WRONG, "there is no such stream"));
}

int absolink_write(absolink *a, uint64_t id, const void *piece, size_t length) {
	stream s;
	int status = begin_stream(a, id, &s);
	if (status != ABSOLINK_OK) return status;
	if ((status = bytes(a, piece, length)) != ABSOLINK_OK) {
		drop(a, s.number);
	} else {
		status = write_pieces(a, s.number, &s.functions, piece, length);
	}
	if (status != ABSOLINK_OK) cut(a, id);
	a->list = s.list && status == ABSOLINK_OK;
	return end(a, status);
}

int absolink_finish(absolink *a, uint64_t id) {
	stream s;
	int status = begin_stream(a, id, &s);
	if (status != ABSOLINK_OK) return status;
	status = finish(a, s.number, &s.functions);
	cut(a, id);
	a->list = s.list && status == ABSOLINK_OK;
	return end(a, status);
}

int absolink_drop(absolink *a, uint64_t id) {
	stream s;
	int status = begin_stream(a, id, &s);
	if (status != ABSOLINK_OK) return status;
	drop(a, s.number);
	cut(a, id);
	return end(a, ABSOLINK_OK);
}

// ---- Places

static bool read_text(absolink_text *text, uint8_t *from, size_t n, size_t *at) {
	uint32_t length;
	if (n - *at < sizeof length) return false;
	memcpy(&length, from + *at, sizeof length);
	if (n - *at - sizeof length < length) return false;
	// It moves over its own length, and leaves room for a NUL.
	text->data = memmove(from + *at, from + *at + sizeof length, length);
	text->length = length;
	from[*at + length] = 0;
	*at += sizeof length + length;
	return true;
}

size_t place_read(absolink_place *place, uint8_t *from, size_t n) {
	double offset;
	size_t at = sizeof offset;
	if (n < at) return 0;
	memcpy(&offset, from, sizeof offset);
	place->offset = (int64_t)offset;
	absolink_text *texts[] = {&place->element, &place->attr, &place->syntax, &place->rel, &place->text, &place->raw, &place->ref, &place->url, &place->error};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (!read_text(texts[i], from, n, &at)) return 0;
	}
	return at;
}

bool report_read(absolink_report *report, uint8_t *from, size_t n) {
	int64_t *counts[] = {&report->rewritten, &report->absolute, &report->left, &report->unresolvable, &report->removed, &report->warnings};
	size_t at = 0;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		double count;
		if (n - at < sizeof count) return false;
		memcpy(&count, from + at, sizeof count);
		*counts[i] = (int64_t)count;
		at += sizeof count;
	}
	return read_text(&report->base, from, n, &at) && read_text(&report->source, from, n, &at);
}

int absolink_next(absolink *a, absolink_place *place) {
	if (a == NULL || place == NULL) return ABSOLINK_WRONG;
	if (atomic_exchange_explicit(&a->busy, true, memory_order_acquire)) return ABSOLINK_BUSY;
	int status = ABSOLINK_END;
	if (a->list && a->next < a->length) {
		size_t n = place_read(place, (uint8_t *)a->result + a->next, a->length - a->next);
		a->next += n;
		if (n > 0) status = ABSOLINK_OK;
	}
	return end(a, status);
}

enum { TEXTS = 9 }; // of a place

// read_length reads the length of the text that stands at *at in the list, and goes to the text.
// It returns false where there is none.
static bool read_length(const absolink *a, size_t *at, uint32_t *length) {
	if (a->length - *at < sizeof *length) return false;
	memcpy(length, a->result + *at, sizeof *length);
	*at += sizeof *length;
	return a->length - *at >= *length;
}

// columns makes columns of the list, which they take the place of as the result.
static int columns(absolink *a, absolink_table *to) {
	absolink_text *texts[TEXTS] = {&to->element, &to->attr, &to->syntax, &to->rel, &to->text, &to->raw, &to->ref, &to->url, &to->error};
	size_t n = 0, room = 1;
	uint32_t length;
	for (size_t at = a->next; at < a->length; n++) {
		at += sizeof(double);
		for (int i = 0; i < TEXTS; i++) {
			if (at > a->length || !read_length(a, &at, &length)) return fail(a, ABSOLINK_WRONG, "the list is not whole");
			texts[i]->length += length + 1;
			room += length + 1;
			at += length;
		}
	}
	if (n > 0) room += n * (sizeof(int64_t) + TEXTS * sizeof(uint32_t));
	char *made = malloc(room);
	if (made == NULL) return no_memory(a);
	int64_t *offset = (int64_t *)made;
	uint32_t *lengths = (uint32_t *)(offset + n);
	char *text = (char *)(lengths + TEXTS * n), *next[TEXTS];
	for (int i = 0; i < TEXTS; text += texts[i++]->length) texts[i]->data = next[i] = text;
	*text = 0;
	size_t at = a->next;
	for (size_t place = 0; place < n; place++) {
		double where;
		memcpy(&where, a->result + at, sizeof where);
		offset[place] = (int64_t)where;
		at += sizeof where;
		for (int i = 0; i < TEXTS; i++) {
			read_length(a, &at, &length);
			lengths[i * n + place] = length;
			next[i] = put(next[i], a->result + at, length);
			at += length;
		}
	}
	to->places = n;
	to->offset = n > 0 ? offset : NULL;
	to->lengths = n > 0 ? lengths : NULL;
	free(a->result);
	a->result = made;
	a->room = room;
	a->length = a->next = room - 1;
	return ABSOLINK_OK;
}

int absolink_columns(absolink *a, absolink_table *to) {
	if (a == NULL || to == NULL) return ABSOLINK_WRONG;
	if (atomic_exchange_explicit(&a->busy, true, memory_order_acquire)) return ABSOLINK_BUSY;
	*to = (absolink_table){0};
	if (!a->list || a->next == a->length) return end(a, ABSOLINK_OK);
	return end(a, columns(a, to));
}

// ---- Instances

// Instances that nobody has. Whoever takes or gives one exchanges a pointer, so there is no
// lock that a fork could leave locked. They are busy, so that a call with a pointer that
// absolink_free was given is refused, and does not reach the documents of the next owner.
static _Atomic(absolink *) idle[IDLE];

static void destroy(absolink *a) {
	forget(a);
	clear(a, 0);
	free(a->known);
	free(a->streams);
	free(a->settings.text);
	free(a);
}

absolink *absolink_new(void) {
	for (int i = 0; i < IDLE; i++) {
		absolink *a = atomic_load_explicit(&idle[i], memory_order_relaxed) == NULL ? NULL : atomic_exchange(&idle[i], NULL);
		if (a == NULL) continue;
		let_go(a);
		return a;
	}
	absolink *a = calloc(1, sizeof *a);
	if (a != NULL && !instance_start(a)) {
		free(a);
		return NULL;
	}
	return a;
}

void absolink_free(absolink *a) {
	if (begin(a) != ABSOLINK_OK) return;
	clear(a, PIECE);
	while (a->open > 0) drop(a, a->streams[--a->open].number);
	free(a->settings.text);
	a->settings = (settings){0};
	a->own = (absolink_functions){0};
	shrink(a);
	for (int i = 0; i < IDLE && a->running; i++) {
		absolink *none = NULL;
		if (atomic_compare_exchange_strong(&idle[i], &none, a)) return;
	}
	destroy(a);
}

void absolink_trim(void) {
	for (int i = 0; i < IDLE; i++) {
		absolink *a = atomic_exchange(&idle[i], NULL);
		if (a != NULL) destroy(a);
	}
}

uint64_t absolink_called(const absolink *a) { return a == NULL ? 0 : a->called; }

size_t absolink_memory(const absolink *a) {
	return a == NULL ? 0 : sizeof *a + a->module.w2c_memory.size + a->room + a->known_bytes;
}
