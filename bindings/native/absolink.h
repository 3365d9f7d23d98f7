/*
 * absolink makes every link in an HTML document absolute, and changes nothing else.
 *
 * An instance does all the work, and holds all of its state: options, streams and the last
 * result. One thread at a time uses an instance; different threads use different instances at
 * the same time, without a lock. An instance takes about 6 MB. It reserves 1 GB of addresses,
 * which are no memory, or at least 64 MB where they are limited (ulimit -v).
 *
 * Arguments
 *   Texts without a length end with a NUL, and have at most 64 KiB. A document has a length and
 *   may hold any bytes; it may be NULL if its length is 0. No argument may lie in the result of
 *   the same instance, which the call overwrites: that is ABSOLINK_WRONG. Nothing that a call is
 *   given is kept after it, except the context and the functions of absolink_configure.
 *
 * Results
 *   What a call makes belongs to the instance, and is good until the next call with it, or
 *   absolink_free: see absolink_result. After an error, the result is the message.
 *
 * Errors
 *   A function that can fail returns a status. A link without an absolute form is not an
 *   error: it stays as it is. A panic, a lack of stack and a lack of memory end the instance,
 *   and not the process: the status is ABSOLINK_ENDED. Only an error of Go's compiler or runtime,
 *   or of wasm2c, could make an access that ends the process: to an address that the instance
 *   does not use. No access reaches other memory.
 *
 * A call opens no file or socket, starts no thread, and installs no signal handler; only on
 * Linux before 3.17 a new instance reads /dev/urandom. A call needs 64 KiB of stack, and what
 * the caller's functions need. After a fork, the child may use its instances that were in no
 * call, and new ones.
 */
#ifndef ABSOLINK_H
#define ABSOLINK_H

#include <stddef.h>
#include <stdint.h>

#if defined(ABSOLINK_BUILD) && defined(_WIN32)
#define ABSOLINK_API __declspec(dllexport)
#elif defined(ABSOLINK_BUILD)
#define ABSOLINK_API __attribute__((visibility("default")))
#else
#define ABSOLINK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct absolink absolink; /* an instance */

enum absolink_status {
	ABSOLINK_OK = 0,
	ABSOLINK_END = -1,    /* of absolink_next and absolink_attribute: there is none (any more) */
	ABSOLINK_WRONG = 1,   /* an argument or an option is wrong */
	ABSOLINK_RANGE = 2,   /* an argument or an option is out of range */
	ABSOLINK_STOPPED = 3, /* a function of the caller has ended the call */
	ABSOLINK_ENDED = 4,   /* the instance has failed; its streams are gone, and the next call starts anew */
	ABSOLINK_MEMORY = 5,  /* there is no memory, or not enough addresses (ulimit -v) */
	ABSOLINK_BUSY = 6     /* the instance is in a call, of another thread or the one whose function makes this call, or was given back */
};

/* What kind of document and result a call is about: these values, added. */
enum absolink_flags {
	ABSOLINK_SHEET = 1,   /* the document is a style sheet */
	ABSOLINK_LIST = 2,    /* of absolink_open: list places instead of rewriting */
	ABSOLINK_DECODED = 4, /* the document comes in UTF-8, and charset is what it was decoded from */
	ABSOLINK_ON_FEED = 8  /* of absolink_feed: links in HTML are relative to the feed, not to the item's link */
};

/* A text in UTF-8, or in the bytes of the document. A NUL follows the texts that the library
   gives, which may also hold NULs. */
typedef struct absolink_text {
	const char *data;
	size_t length;
} absolink_text;

/* A place: where a URL is written in a document. A text that does not apply has length 0. */
typedef struct absolink_place {
	int64_t offset;        /* where raw is, in bytes from the start of the document */
	absolink_text element; /* the name of the element, in lower case */
	absolink_text attr;    /* the name of the attribute; none in the text of an element */
	absolink_text syntax;  /* how the value is read: url, srcset, css, ... */
	absolink_text rel;     /* the value of the element's rel */
	absolink_text text;    /* the text of a link; in lists alone */
	absolink_text raw;     /* the reference as it stands in the document */
	absolink_text ref;     /* the reference, decoded and trimmed */
	absolink_text url;     /* the absolute form; none if the value stays */
	absolink_text error;   /* why the reference has no absolute form */
} absolink_place;

/* Places in columns. Each text has those of a column, with a NUL after each of them. */
typedef struct absolink_table {
	size_t places;           /* how many there are */
	const int64_t *offset;   /* NULL if there are none */
	const uint32_t *lengths; /* of the texts: of all elements, then of all attrs, ... */
	absolink_text element, attr, syntax, rel, text, raw, ref, url, error;
} absolink_table;

/* What has been done with a document. */
typedef struct absolink_report {
	absolink_text base;    /* the base URL that references were resolved against; none if none is known */
	absolink_text source;  /* where the base came from: outer (the caller), embedded (a BASE), entity, saved or none */
	int64_t rewritten;     /* places by what became of them: rewritten, ... */
	int64_t absolute;      /* ... absolute already, ... */
	int64_t left;          /* ... left relative or empty, ... */
	int64_t unresolvable;  /* ... or without an absolute form */
	int64_t removed;       /* how many BASE elements had their URL removed */
	int64_t warnings;      /* how often warn was called, or would have been */
} absolink_report;

/*
 * Functions of the caller. Each may be NULL, and is given the context. Texts are good until the
 * function returns. A function returns 0, or a negative number to end the call, whose status is
 * then ABSOLINK_STOPPED. It may use other instances, and of the one that calls it absolink_attribute
 * alone. It must return: no longjmp and no C++ exception may leave it.
 */
typedef struct absolink_functions {
	void *context;
	/* Is called for every place before it is written. Returns 0 to write place->url, or 1 after
	   it has set *url to what is to be written instead; length 0 keeps the value as it is. The
	   bytes of *url must stay until visit is called again or the call ends. */
	int (*visit)(void *context, const absolink_place *place, absolink_text *url);
	/* Is called for every place whose reference has no absolute form. */
	int (*unresolvable)(void *context, const absolink_place *place);
	/* Is told what is wrong with the document, other than with one place, and where. No NUL
	   follows the message. */
	int (*warn)(void *context, int64_t offset, const char *message, size_t length);
	/* Is told the result when a document, a stream, a list or a feed has come to its end. */
	int (*done)(void *context, const absolink_report *report);
} absolink_functions;

/* Returns the version of the library, such as "1.0.0". */
ABSOLINK_API const char *absolink_version(void);

/*
 * Returns an instance with default options: one that absolink_free has kept, or a new one,
 * which takes some milliseconds. NULL if there is no memory. Any thread may use it.
 */
ABSOLINK_API absolink *absolink_new(void);

/*
 * Gives an instance back, with its streams and its result. Up to 16 instances are kept for
 * absolink_new, if each takes at most 48 MB: until one is given out again, its calls are
 * ABSOLINK_BUSY. Does nothing with NULL, with an instance that is kept, and in a function that
 * the instance itself calls.
 */
ABSOLINK_API void absolink_free(absolink *a);

/* Gives back the memory of all instances that absolink_free has kept. Any thread may call it. */
ABSOLINK_API void absolink_trim(void);

/* Returns how many bytes of memory an instance has, in use or not. After a call that took more
   than 48 MB the instance gives them back, unless it has streams. */
ABSOLINK_API size_t absolink_memory(const absolink *a);

/*
 * Sets the options and the functions of the calls that follow; streams keep those that they were
 * opened with. Options are lines NAME=VALUE, such as "profile=rfc1808\nkeepFragments=true". They
 * are the options of the npm package: profile, keepFragments, removeBase, wholeDocument,
 * ignoreSaved, canonical, hold and maxTag. NAME alone is NAME=true. Each line rule=RULE adds a
 * rule or a group of rules, in place of the default ones; rules= alone is no rules. Each line
 * keep=PATTERN adds a pattern of references that stay as they are, such as "keep={{*": * is any
 * characters, \* is a star, and \\ is a backslash. NULL and "" are the default options. functions
 * may be NULL, and is copied.
 *
 * ABSOLINK_WRONG, ABSOLINK_RANGE: an option is wrong; the options stay as they were.
 */
ABSOLINK_API int absolink_configure(absolink *a, const char *options, const absolink_functions *functions);

/*
 * Rewrites a document; the result is the rewritten document. url is the URL that it was
 * retrieved from, the base of its relative links unless it embeds one; NULL is none. charset
 * is the label of its encoding, if its transport has said one; NULL is none. flags are
 * ABSOLINK_SHEET, ABSOLINK_DECODED, both or 0. The result may be many times as long as the
 * document: a link of one byte becomes as long as its base, up to 8 KiB. A stream gives it in
 * parts.
 *
 * ABSOLINK_WRONG: the URL cannot be a base URL.
 */
ABSOLINK_API int absolink_rewrite(absolink *a, const char *url, const char *charset, unsigned flags, const void *document, size_t length);

/*
 * Rewrites a feed: RSS, Atom, JSON Feed or a sitemap. absolink_rewrite reads a feed as HTML, and
 * tells warn. The arguments are those of absolink_rewrite; flags are ABSOLINK_DECODED,
 * ABSOLINK_ON_FEED, both or 0. Without ABSOLINK_DECODED, the feed says its encoding, and not charset.
 *
 * ABSOLINK_WRONG: the URL cannot be a base URL. ABSOLINK_RANGE: the feed is longer than 256 MiB.
 */
ABSOLINK_API int absolink_feed(absolink *a, const char *url, const char *charset, unsigned flags, const void *feed, size_t length);

/*
 * Lists the places of a document, in document order: absolink_next reads them. unresolvable,
 * warn and done are called, and visit is not. The list is in memory as a whole; a stream with
 * ABSOLINK_LIST gives it in parts.
 */
ABSOLINK_API int absolink_places(absolink *a, const char *url, const char *charset, unsigned flags, const void *document, size_t length);

/*
 * Reads the next place that the last call has listed. The texts of the place are good until
 * the next call with the instance that is not absolink_next. ABSOLINK_END: there are no more.
 */
ABSOLINK_API int absolink_next(absolink *a, absolink_place *place);

/*
 * Reads all places that the last call has listed, and that absolink_next has not read. The columns
 * are good until the next call with the instance.
 */
ABSOLINK_API int absolink_columns(absolink *a, absolink_table *table);

/*
 * Begins a document that comes in pieces, and sets *stream, which is never 0. An instance may
 * have any number of streams. The arguments are those of absolink_rewrite.
 */
ABSOLINK_API int absolink_open(absolink *a, const char *url, const char *charset, unsigned flags, uint64_t *stream);

/*
 * Takes the next piece, of any length. The result is what can be written so far, which may be
 * nothing; with ABSOLINK_LIST, the places so far. After an error the stream is gone, except
 * after ABSOLINK_BUSY. ABSOLINK_WRONG: there is no such stream (any more).
 */
ABSOLINK_API int absolink_write(absolink *a, uint64_t stream, const void *piece, size_t length);

/* Ends the document and the stream. The result is the rest. */
ABSOLINK_API int absolink_finish(absolink *a, uint64_t stream);

/* Gives a stream up. ABSOLINK_WRONG: there is no such stream (any more). */
ABSOLINK_API int absolink_drop(absolink *a, uint64_t stream);

/*
 * Resolves one reference against a base URL; the result is its absolute form. profile is
 * "rfc1808", "rfc3986" or "whatwg"; NULL is "whatwg". The options are not used. A reference has
 * at most 64 MiB.
 *
 * ABSOLINK_WRONG: the base is not an absolute URL, or the reference has no absolute form.
 */
ABSOLINK_API int absolink_resolve(absolink *a, const char *ref, size_t length, const char *base, const char *profile);

/*
 * Resolves n references, which takes less time than a call for each, and sets each of urls, which
 * may be the array refs: to the absolute form, or length 0 where a reference has none. The texts
 * belong to the instance, as a result does. Together, the references have at most 64 MiB, with 4
 * bytes more for each. Otherwise, it is absolink_resolve.
 */
ABSOLINK_API int absolink_resolve_all(absolink *a, const absolink_text *refs, size_t n, const char *base, const char *profile, absolink_text *urls);

/*
 * Reads another attribute of the element of the place that visit or unresolvable is given; only
 * these may call it, in their thread. The value is decoded, and good until the next such call or
 * the end of the function. ABSOLINK_END: the element lacks the attribute, or the place is in no
 * tag. A tag of more than 64 KiB may be known only in part. ABSOLINK_ENDED: the instance has
 * failed, and the call that has called the function ends so, too.
 */
ABSOLINK_API int absolink_attribute(absolink *a, const char *name, absolink_text *value);

/*
 * Returns how often the last call has called functions of the caller. A binding whose language
 * may lose an exception of a function compares it with how often they have come to their end:
 * 0, which such a function may seem to return, means that all is well.
 */
ABSOLINK_API uint64_t absolink_called(const absolink *a);

/*
 * Returns the result of the last call: bytes, and a NUL after them, which its length leaves out.
 * Never NULL. It is empty after absolink_configure, absolink_open, absolink_drop and
 * absolink_resolve_all, and where the result is a list. After ABSOLINK_BUSY it is still the result of the call before.
 */
ABSOLINK_API const char *absolink_result(const absolink *a);

/* Returns the length of the result in bytes. */
ABSOLINK_API size_t absolink_result_length(const absolink *a);

#ifdef __cplusplus
}
#endif
#endif
