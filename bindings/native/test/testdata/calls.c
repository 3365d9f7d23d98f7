// Calls every function of the library, with right and wrong arguments: native_test.go compiles
// it and runs it, also with the sanitizers of the compiler.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absolink.h"

static const char url[] = "https://example.org/docs/page.html";

static int wrong;

#define CHECK(ok) check(ok, __LINE__, #ok, NULL)

static void check(bool ok, int line, const char *what, const absolink *a) {
	if (ok || wrong++ >= 20) return;
	fprintf(stderr, "calls.c:%d: not so: %s", line, what);
	if (a != NULL) fprintf(stderr, " (the result is \"%.300s\")", absolink_result(a));
	fputc('\n', stderr);
}

// A call must have a status, and a result that contains a text.
#define WANT(call, a, want, text) want_(call, a, want, text, __LINE__, #call)

static void want_(int status, const absolink *a, int want, const char *text, int line, const char *what) {
	check(status == want, line, what, a);
	check(strstr(absolink_result(a), text) != NULL, line, text, a);
	check(strlen(absolink_result(a)) == absolink_result_length(a), line, "the result has a NUL at its end", a);
}

// The library rewrites the text to the other one.
#define REWRITES(a, document, text) rewrites(a, document, text, __LINE__)

static void rewrites(absolink *a, const char *document, const char *want, int line) {
	check(absolink_rewrite(a, url, NULL, 0, document, strlen(document)) == ABSOLINK_OK, line, document, a);
	check(strcmp(absolink_result(a), want) == 0, line, want, a);
}

static char *repeat(const char *s, size_t n) {
	char *p = malloc(n * strlen(s) + 1);
	for (size_t i = 0; i < n; i++) memcpy(p + i * strlen(s), s, strlen(s));
	p[n * strlen(s)] = 0;
	return p;
}

// keep_report is a function done, which copies the texts of the report.
static int keep_report(void *context, const absolink_report *report) {
	absolink_report *kept = context;
	static char base[100], source[100];
	if (kept->warnings == -2) return -1;
	*kept = *report;
	kept->base.data = strcpy(base, report->base.data);
	kept->source.data = strcpy(source, report->source.data);
	return 0;
}

// read_attributes is a function visit, which keeps the link of an element with an id.
static int read_attributes(void *context, const absolink_place *place, absolink_text *to) {
	absolink *a = context;
	absolink_text value;
	CHECK(absolink_attribute(a, "class", &value) == ABSOLINK_END && value.length == 0);
	CHECK(absolink_attribute(a, "TITLE", &value) == ABSOLINK_OK && strcmp(value.data, "\"") == 0 && value.length == 1);
	CHECK(absolink_attribute(a, NULL, &value) == ABSOLINK_WRONG && absolink_attribute(NULL, "id", &value) == ABSOLINK_WRONG && absolink_attribute(a, "id", NULL) == ABSOLINK_WRONG);
	CHECK(strncmp(place->element.data, "a", 2) == 0 && absolink_rewrite(a, NULL, NULL, 0, NULL, 0) == ABSOLINK_BUSY);
	to->length = 0;
	return absolink_attribute(a, "id", &value) == ABSOLINK_OK;
}

static void attributes(void) {
	absolink *a = absolink_new();
	const absolink_functions functions = {.context = a, .visit = read_attributes};
	WANT(absolink_configure(a, NULL, &functions), a, ABSOLINK_OK, "");
	REWRITES(a, "<a title=&quot; href=x><a href=y title='\"' id=i>", "<a title=&quot; href=https://example.org/docs/x><a href=y title='\"' id=i>");
	char *many = repeat("<a title=&quot; href=x>", 20000); // more than the garbage of the module
	CHECK(absolink_rewrite(a, url, NULL, 0, many, strlen(many)) == ABSOLINK_OK);
	free(many);
	absolink_text value;
	CHECK(absolink_attribute(a, "id", &value) == ABSOLINK_WRONG);
	absolink_free(a);
}

static void documents(void) {
	absolink *a = absolink_new();
	CHECK(a != NULL && strlen(absolink_version()) > 0);
	CHECK(absolink_result(a)[0] == 0 && absolink_result_length(a) == 0);
	REWRITES(a, "<a href=../style.css>", "<a href=https://example.org/style.css>");
	REWRITES(a, "", "");
	WANT(absolink_rewrite(a, url, NULL, 0, NULL, 0), a, ABSOLINK_OK, "");
	WANT(absolink_rewrite(a, NULL, NULL, 0, "<base href=http://h/><a href=x>", 31), a, ABSOLINK_OK, "<a href=http://h/x>");
	WANT(absolink_rewrite(a, url, NULL, ABSOLINK_SHEET, "a{b:url(c)}", 11), a, ABSOLINK_OK, "url(https://example.org/docs/c)");
	WANT(absolink_rewrite(a, url, "windows-1252", 0, "<a href='?\xe9'>", 13), a, ABSOLINK_OK, "<a href='https://example.org/docs/page.html?%E9'>");
	// A document that was decoded is in UTF-8, and its queries are in what it was decoded from.
	WANT(absolink_rewrite(a, url, "windows-1252", ABSOLINK_DECODED, "<a href='?\xc3\xa9'>", 14), a, ABSOLINK_OK, "<a href='https://example.org/docs/page.html?%E9'>");
	const char *feed = "<rss><channel><item><link>/l/</link><description>&lt;a href='?\xc3\xa9'></description></item></channel></rss>";
	WANT(absolink_feed(a, url, NULL, 0, feed, strlen(feed)), a, ABSOLINK_OK, "<link>https://example.org/l/</link><description>&lt;a href='https://example.org/l/?%C3%A9'>");
	WANT(absolink_feed(a, url, "windows-1252", ABSOLINK_DECODED | ABSOLINK_ON_FEED, feed, strlen(feed)), a, ABSOLINK_OK, "&lt;a href='https://example.org/docs/page.html?%E9'>");
	WANT(absolink_feed(a, url, NULL, ABSOLINK_SHEET, feed, strlen(feed)), a, ABSOLINK_WRONG, "flags are not those of this function");
	WANT(absolink_rewrite(a, url, NULL, ABSOLINK_ON_FEED, feed, strlen(feed)), a, ABSOLINK_WRONG, "flags are not those of this function");
	WANT(absolink_feed(a, url, NULL, 0, NULL, 1), a, ABSOLINK_WRONG, "NULL has a length");
	WANT(absolink_feed(a, url, NULL, 0, feed, ((size_t)256 << 20) + 1), a, ABSOLINK_RANGE, "the feed is longer than 256 MiB");
	WANT(absolink_feed(a, "x", NULL, 0, feed, strlen(feed)), a, ABSOLINK_WRONG, "not an absolute URL");
	absolink_text refs[] = {{"../x", 4}, {"//[", 3}, {NULL, 0}, {"a\0b", 3}, {"\xc3\xa9", 2}};
	CHECK(absolink_resolve_all(a, refs, 5, url, NULL, refs) == ABSOLINK_OK);
	const char *urls[] = {"https://example.org/x", "", url, "https://example.org/docs/a%00b", "https://example.org/docs/%C3%A9"};
	for (int i = 0; i < 5; i++) CHECK(refs[i].length == strlen(urls[i]) && strcmp(refs[i].data, urls[i]) == 0);
	absolink_place none;
	CHECK(absolink_result_length(a) == 0 && absolink_next(a, &none) == ABSOLINK_END);
	WANT(absolink_resolve_all(a, refs, 5, url, NULL, refs), a, ABSOLINK_WRONG, "lies in the result");
	WANT(absolink_resolve_all(a, NULL, 0, url, "rfc1808", NULL), a, ABSOLINK_OK, "");
	WANT(absolink_resolve_all(a, NULL, 1, url, NULL, refs), a, ABSOLINK_WRONG, "NULL has a length");
	WANT(absolink_resolve_all(a, refs, 0, NULL, NULL, refs), a, ABSOLINK_WRONG, "there is no base URL");
	WANT(absolink_resolve_all(a, refs, 0, url, "html5", refs), a, ABSOLINK_WRONG, "no such profile");
	WANT(absolink_resolve_all(a, refs, (size_t)16 << 20 | 1, url, NULL, refs), a, ABSOLINK_RANGE, "64 MiB");
	refs[1] = (absolink_text){"x", (size_t)64 << 20};
	WANT(absolink_resolve_all(a, refs + 1, 1, url, NULL, refs), a, ABSOLINK_RANGE, "64 MiB");
	absolink_report report = {.warnings = -1};
	const absolink_functions functions = {.context = &report, .done = keep_report};
	WANT(absolink_configure(a, "removeBase", &functions), a, ABSOLINK_OK, "");
	const char *counted = "<base href=//b><a href=x><a href=http://c/><a href=//[><img src=y>";
	for (int i = 0; i < 3; i++) { // whole, in pieces, as a list
		report = (absolink_report){.warnings = -1};
		uint64_t stream;
		if (i == 0) CHECK(absolink_rewrite(a, url, NULL, 0, counted, strlen(counted)) == ABSOLINK_OK);
		if (i == 1) CHECK(absolink_open(a, url, NULL, 0, &stream) == ABSOLINK_OK && absolink_write(a, stream, counted, strlen(counted)) == ABSOLINK_OK && absolink_finish(a, stream) == ABSOLINK_OK);
		if (i == 2) CHECK(absolink_places(a, url, NULL, 0, counted, strlen(counted)) == ABSOLINK_OK);
		CHECK(strcmp(report.base.data, "https://b/") == 0 && strcmp(report.source.data, "embedded") == 0);
		CHECK(report.rewritten == 2 && report.absolute == 1 && report.left == 0 && report.unresolvable == 1 && report.removed == 1 && report.warnings == 0);
	}
	WANT(absolink_rewrite(a, NULL, NULL, 0, "<rss><a href=x>", 15), a, ABSOLINK_OK, "");
	CHECK(report.base.length == 0 && strcmp(report.source.data, "none") == 0 && report.left == 1 && report.warnings == 1);
	WANT(absolink_feed(a, url, NULL, 0, feed, strlen(feed)), a, ABSOLINK_OK, "");
	CHECK(strcmp(report.base.data, url) == 0 && report.rewritten == 2);
	report.warnings = -2; // ends the call
	WANT(absolink_rewrite(a, url, NULL, 0, "<a href=x>", 10), a, ABSOLINK_STOPPED, "a function of the caller has ended the call");
	WANT(absolink_configure(a, "done", NULL), a, ABSOLINK_WRONG, "done are functions");
	WANT(absolink_configure(a, NULL, NULL), a, ABSOLINK_OK, "");
	// A document may have NULs.
	CHECK(absolink_rewrite(a, url, NULL, 0, "\0<a href=x>\0", 12) == ABSOLINK_OK && absolink_result_length(a) == 37 && absolink_result(a)[0] == 0 && absolink_result(a)[37] == 0);
	// The result stays until the next call; only options that are right are taken.
	WANT(absolink_configure(a, "keepFragments\nprofile=rfc3986", NULL), a, ABSOLINK_OK, "");
	WANT(absolink_configure(a, "no=such", NULL), a, ABSOLINK_WRONG, "no such option: \"no\"");
	REWRITES(a, "<a href=#x><a href=y>", "<a href=#x><a href=https://example.org/docs/y>");
	WANT(absolink_configure(a, "rule=img[data-zoom]=url\n\nrule=html\n", NULL), a, ABSOLINK_OK, "");
	REWRITES(a, "<img src=a data-zoom=b>", "<img src=https://example.org/docs/a data-zoom=https://example.org/docs/b>");
	WANT(absolink_configure(a, "keep={{*}}\nkeep=a=b", NULL), a, ABSOLINK_OK, "");
	REWRITES(a, "<a href={{x}}><a href=a=b>", "<a href={{x}}><a href=a=b>");
	WANT(absolink_configure(a, "rules=", NULL), a, ABSOLINK_OK, "");
	REWRITES(a, "<a href=x>", "<a href=x>");
	WANT(absolink_configure(a, NULL, NULL), a, ABSOLINK_OK, "");
	REWRITES(a, "<a href=x>", "<a href=https://example.org/docs/x>");
	// What an instance was before does not show.
	WANT(absolink_configure(a, "keepFragments=true", NULL), a, ABSOLINK_OK, "");
	absolink_free(a);
	a = absolink_new();
	REWRITES(a, "<a href=#x>", "<a href=https://example.org/docs/page.html#x>");
	absolink_free(a);
}

static void options(void) {
	absolink *a = absolink_new();
	const struct {
		const char *options;
		int status;
		const char *message;
	} cases[] = {
		{"keepFragments=yes", ABSOLINK_WRONG, "true or false"},
		{"keepFragments=false", ABSOLINK_OK, ""},
		{"=", ABSOLINK_WRONG, "no such option: \"\""},
		{"\n\n\n", ABSOLINK_OK, ""},
		{"hold=0", ABSOLINK_RANGE, "hold takes a number of bytes above 0"},
		{"hold=99999999999999999999", ABSOLINK_RANGE, "hold"},
		{"maxTag=65536", ABSOLINK_OK, ""},
		{"maxTag", ABSOLINK_RANGE, "maxTag"},
		{"profile=rfc9999", ABSOLINK_WRONG, "rfc9999"},
		{"rule=]", ABSOLINK_WRONG, ""},
		{"keep=", ABSOLINK_WRONG, "is empty"},
		{"keep=x\\", ABSOLINK_WRONG, "has a backslash"},
		{"rules=html", ABSOLINK_WRONG, "rules"},
		{"rule=-a[ping]", ABSOLINK_WRONG, "name the groups to remove from"},
		{"visit=true", ABSOLINK_WRONG, "functions"},
		{"unresolvable", ABSOLINK_WRONG, "functions"},
		{"text=true", ABSOLINK_WRONG, "no such option"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		want_(absolink_configure(a, cases[i].options, NULL), a, cases[i].status, cases[i].message, __LINE__, cases[i].options);
	}
	char *s = repeat("keepFragments\n", 5000);
	WANT(absolink_configure(a, s, NULL), a, ABSOLINK_RANGE, "64 KiB");
	s[60000] = 0;
	WANT(absolink_configure(a, s, NULL), a, ABSOLINK_WRONG, "no such option");
	free(s);
	// More options than an instance keeps.
	for (int i = 1; i <= 2500; i++) {
		char line[40];
		snprintf(line, sizeof line, "hold=%d", i);
		if (absolink_configure(a, line, NULL) != ABSOLINK_OK) CHECK(!"2500 configurations");
	}
	REWRITES(a, "<a href=x>", "<a href=https://example.org/docs/x>");
	CHECK(absolink_memory(a) < 48 << 20);
	absolink_free(a);
}

static void arguments(void) {
	absolink *a = absolink_new();
	uint64_t s;
	absolink_place p;
	// No instance.
	CHECK(absolink_configure(NULL, "", NULL) == ABSOLINK_WRONG);
	CHECK(absolink_rewrite(NULL, url, NULL, 0, "", 0) == ABSOLINK_WRONG);
	CHECK(absolink_places(NULL, url, NULL, 0, "", 0) == ABSOLINK_WRONG);
	CHECK(absolink_next(NULL, &p) == ABSOLINK_WRONG && absolink_next(a, NULL) == ABSOLINK_WRONG);
	CHECK(absolink_open(NULL, url, NULL, 0, &s) == ABSOLINK_WRONG);
	CHECK(absolink_write(NULL, 1, "", 0) == ABSOLINK_WRONG && absolink_finish(NULL, 1) == ABSOLINK_WRONG && absolink_drop(NULL, 1) == ABSOLINK_WRONG);
	CHECK(absolink_resolve(NULL, "", 0, url, NULL) == ABSOLINK_WRONG);
	CHECK(absolink_result(NULL)[0] == 0 && absolink_result_length(NULL) == 0 && absolink_memory(NULL) == 0);
	absolink_free(NULL);
	// Lengths that overflow, and NULL.
	WANT(absolink_rewrite(a, url, NULL, 0, NULL, 1), a, ABSOLINK_WRONG, "NULL");
	WANT(absolink_rewrite(a, url, NULL, 0, "", SIZE_MAX), a, ABSOLINK_RANGE, "length");
	WANT(absolink_places(a, url, NULL, 0, "", SIZE_MAX - 7), a, ABSOLINK_RANGE, "length");
	WANT(absolink_places(a, url, NULL, 0, NULL, SIZE_MAX), a, ABSOLINK_WRONG, "NULL");
	WANT(absolink_resolve(a, "", SIZE_MAX, url, NULL), a, ABSOLINK_RANGE, "length");
	WANT(absolink_resolve(a, "", (size_t)1 << 32, url, NULL), a, ABSOLINK_RANGE, "64 MiB");
	WANT(absolink_open(a, url, NULL, 0, NULL), a, ABSOLINK_WRONG, "");
	// URLs, charsets, flags.
	WANT(absolink_rewrite(a, "", NULL, 0, "", 0), a, ABSOLINK_WRONG, "url is empty");
	WANT(absolink_rewrite(a, "docs/", NULL, 0, "", 0), a, ABSOLINK_WRONG, "");
	char *longest = repeat("https://h/", 7000);
	WANT(absolink_rewrite(a, longest, NULL, 0, "", 0), a, ABSOLINK_RANGE, "64 KiB");
	WANT(absolink_rewrite(a, url, longest, 0, "", 0), a, ABSOLINK_RANGE, "64 KiB");
	longest[60000] = 0;
	CHECK(absolink_rewrite(a, longest, NULL, 0, "", 0) == ABSOLINK_WRONG || absolink_rewrite(a, longest, NULL, 0, "", 0) == ABSOLINK_RANGE);
	free(longest);
	WANT(absolink_rewrite(a, url, "no such charset", 0, "<a href=x>", 10), a, ABSOLINK_OK, "https://example.org/docs/x");
	WANT(absolink_rewrite(a, url, NULL, ABSOLINK_LIST, "", 0), a, ABSOLINK_WRONG, "flags");
	WANT(absolink_places(a, url, NULL, 8, "", 0), a, ABSOLINK_WRONG, "flags");
	WANT(absolink_open(a, url, NULL, ~0u, &s), a, ABSOLINK_WRONG, "flags");
	CHECK(s == 0);
	// References.
	WANT(absolink_resolve(a, "../x", 4, "https://example.org/a/b/", NULL), a, ABSOLINK_OK, "https://example.org/a/x");
	WANT(absolink_resolve(a, "g;x?y", 5, "http://a/b/c/d;p?q", "rfc1808"), a, ABSOLINK_OK, "http://a/b/c/g;x?y");
	WANT(absolink_resolve(a, "a\0b", 3, "https://h/", NULL), a, ABSOLINK_OK, "https://h/a%00b");
	WANT(absolink_resolve(a, NULL, 0, "https://h/", NULL), a, ABSOLINK_OK, "https://h/");
	WANT(absolink_resolve(a, "x", 1, NULL, NULL), a, ABSOLINK_WRONG, "base");
	WANT(absolink_resolve(a, "x", 1, "x", NULL), a, ABSOLINK_WRONG, "");
	WANT(absolink_resolve(a, "x", 1, url, "no"), a, ABSOLINK_WRONG, "no");
	WANT(absolink_resolve(a, "http://[", 8, url, NULL), a, ABSOLINK_WRONG, "");
	absolink_free(a);
}

// An instance that has been given back has no owner: it makes nothing, and nobody gives it back
// again, until absolink_new gives it to one.
static void given_back(void) {
	absolink_trim();
	absolink *a = absolink_new();
	absolink_place p;
	uint64_t s;
	absolink_free(a);
	absolink_free(a);
	CHECK(absolink_rewrite(a, url, NULL, 0, "", 0) == ABSOLINK_BUSY && absolink_configure(a, NULL, NULL) == ABSOLINK_BUSY);
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_BUSY && absolink_next(a, &p) == ABSOLINK_BUSY);
	absolink *first = absolink_new(), *second = absolink_new();
	CHECK(first == a && second != a);
	REWRITES(first, "<a href=x>", "<a href=https://example.org/docs/x>");
	absolink_free(first);
	absolink_free(second);
}

// What an instance has made is no argument of its next call, in any place. Of another, it is.
static void own_result(void) {
	absolink *a = absolink_new(), *b = absolink_new();
	const char refused[] = "an argument lies in the result";
	absolink_place p;
	uint64_t s;
	for (int i = 0; i < 2; i++) { // a short result, and one whose room is given back
		char *page = repeat("<a href=x>", i == 0 ? 1 : 100000);
		size_t length = strlen(page);
#define REFUSED(call) (CHECK(absolink_rewrite(a, url, NULL, 0, page, length) == ABSOLINK_OK), want_(call, a, ABSOLINK_WRONG, refused, __LINE__, #call))
		REFUSED(absolink_rewrite(a, url, NULL, 0, absolink_result(a), absolink_result_length(a)));
		REFUSED(absolink_rewrite(a, absolink_result(a) + 8, NULL, 0, page, length));
		REFUSED(absolink_rewrite(a, url, absolink_result(a), 0, page, length));
		REFUSED(absolink_places(a, url, NULL, 0, absolink_result(a) + 5, 3));
		REFUSED(absolink_open(a, absolink_result(a), NULL, 0, &s));
		REFUSED(absolink_configure(a, absolink_result(a), NULL));
		REFUSED(absolink_resolve(a, absolink_result(a), 3, url, NULL));
		REFUSED(absolink_resolve(a, "x", 1, absolink_result(a), NULL));
		REFUSED(absolink_resolve(a, "x", 1, url, absolink_result(a)));
		CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK);
		REFUSED(absolink_write(a, s, absolink_result(a), 3));
		WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
		CHECK(absolink_rewrite(a, url, NULL, 0, page, length) == ABSOLINK_OK);
		CHECK(absolink_rewrite(b, url, NULL, 0, absolink_result(a), absolink_result_length(a)) == ABSOLINK_OK);
		CHECK(strcmp(absolink_result(b), absolink_result(a)) == 0);
		CHECK(absolink_places(a, url, NULL, 0, page, length) == ABSOLINK_OK && absolink_next(a, &p) == ABSOLINK_OK);
		WANT(absolink_resolve(b, p.ref.data, p.ref.length, p.url.data, NULL), b, ABSOLINK_OK, "https://example.org/docs/x");
		WANT(absolink_resolve(a, p.ref.data, p.ref.length, url, NULL), a, ABSOLINK_WRONG, refused);
		CHECK(absolink_next(a, &p) == ABSOLINK_END);
		free(page);
	}
	absolink_free(a);
	absolink_free(b);
}

static bool is(absolink_text t, const char *s) { return t.length == strlen(s) && strcmp(t.data, s) == 0; }

static void places(void) {
	absolink *a = absolink_new();
	absolink_place p = {0};
	const char document[] = "<img src=a.png><a rel=next href=\"b&amp;c\">te&lt;xt</a><a href='http://['>";
	CHECK(absolink_next(a, &p) == ABSOLINK_END);
	CHECK(absolink_places(a, url, NULL, 0, document, strlen(document)) == ABSOLINK_OK && absolink_result_length(a) == 0 && absolink_result(a)[0] == 0);
	CHECK(absolink_next(a, &p) == ABSOLINK_OK && p.offset == 9);
	CHECK(is(p.element, "img") && is(p.attr, "src") && is(p.syntax, "url") && is(p.rel, "") && is(p.text, ""));
	CHECK(is(p.raw, "a.png") && is(p.ref, "a.png") && is(p.url, "https://example.org/docs/a.png") && is(p.error, ""));
	CHECK(absolink_next(a, &p) == ABSOLINK_OK && is(p.raw, "b&amp;c") && is(p.ref, "b&c") && is(p.rel, "next") && is(p.text, "te<xt"));
	CHECK(absolink_next(a, &p) == ABSOLINK_OK && is(p.url, "") && p.error.length > 0);
	CHECK(absolink_next(a, &p) == ABSOLINK_END && absolink_next(a, &p) == ABSOLINK_END);
	// Columns of what is left.
	absolink_table t;
	CHECK(absolink_columns(NULL, &t) == ABSOLINK_WRONG && absolink_columns(a, NULL) == ABSOLINK_WRONG);
	CHECK(absolink_columns(a, &t) == ABSOLINK_OK && t.places == 0 && t.offset == NULL && t.url.length == 0);
	for (size_t read = 0; read < 3; read++) {
		CHECK(absolink_places(a, url, NULL, 0, document, strlen(document)) == ABSOLINK_OK);
		for (size_t i = 0; i < read; i++) CHECK(absolink_next(a, &p) == ABSOLINK_OK);
		CHECK(absolink_columns(a, &t) == ABSOLINK_OK && t.places == 3 - read && absolink_next(a, &p) == ABSOLINK_END);
		CHECK(absolink_result_length(a) == 0 && absolink_result(a)[0] == 0);
		const char *ref = t.ref.data, *want[] = {"a.png", "b&c", "http://["};
		const int64_t offsets[] = {9, 33, 63};
		for (size_t i = read, n = t.places; i < 3; i++) {
			CHECK(t.offset[i - read] == offsets[i] && t.lengths[6 * n + i - read] == strlen(want[i]) && strcmp(ref, want[i]) == 0);
			ref += strlen(ref) + 1;
		}
		CHECK(ref == t.ref.data + t.ref.length && t.element.data[0] != 0);
		WANT(absolink_rewrite(a, url, NULL, 0, t.url.data, t.url.length), a, ABSOLINK_WRONG, "lies in the result");
	}
	// Another call ends the list.
	CHECK(absolink_places(a, url, NULL, 0, document, strlen(document)) == ABSOLINK_OK);
	REWRITES(a, "<a href=x>", "<a href=https://example.org/docs/x>");
	CHECK(absolink_next(a, &p) == ABSOLINK_END);
	WANT(absolink_places(a, "x", NULL, 0, document, strlen(document)), a, ABSOLINK_WRONG, "");
	CHECK(absolink_next(a, &p) == ABSOLINK_END);
	// Many places, in many pieces.
	char *many = repeat("<a href=x>y</a>\n", 100000);
	int n = 0;
	CHECK(absolink_places(a, url, NULL, 0, many, strlen(many)) == ABSOLINK_OK);
	while (absolink_next(a, &p) == ABSOLINK_OK) {
		if (p.offset != 16 * n + 8 || !is(p.url, "https://example.org/docs/x") || !is(p.text, "y")) break;
		n++;
	}
	CHECK(n == 100000);
	free(many);
	// With NULs, also as columns.
	const char nul[] = "<a href=\"x\0y\"><a href=z>";
	CHECK(absolink_places(a, url, NULL, 0, nul, sizeof nul - 1) == ABSOLINK_OK && absolink_columns(a, &t) == ABSOLINK_OK);
	CHECK(t.places == 2 && t.lengths[10] == 3 && t.lengths[11] == 1 && memcmp(t.raw.data, "x\0y\0z", 6) == 0 && t.raw.length == 6);
	// A stream of places.
	uint64_t s;
	n = 0;
	CHECK(absolink_open(a, url, NULL, ABSOLINK_LIST, &s) == ABSOLINK_OK);
	for (size_t i = 0; document[i] != 0; i++) {
		CHECK(absolink_write(a, s, document + i, 1) == ABSOLINK_OK);
		while (absolink_next(a, &p) == ABSOLINK_OK) n++;
	}
	CHECK(absolink_finish(a, s) == ABSOLINK_OK);
	while (absolink_next(a, &p) == ABSOLINK_OK) n++;
	CHECK(n == 3);
	absolink_free(a);
}

// What streams have written.
static char *output(absolink *a, uint64_t stream, const char *more) {
	size_t n = absolink_write(a, stream, more, strlen(more)) == ABSOLINK_OK ? absolink_result_length(a) : 0;
	char *all = malloc(n + 1000);
	memcpy(all, absolink_result(a), n);
	check(absolink_finish(a, stream) == ABSOLINK_OK, __LINE__, more, a);
	snprintf(all + n, 1000, "%s", absolink_result(a));
	return all;
}

static void streams(void) {
	absolink *a = absolink_new(), *b = absolink_new();
	uint64_t s, t, u;
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK && s != 0);
	CHECK(absolink_configure(a, "keepFragments", NULL) == ABSOLINK_OK); // of the next stream alone
	CHECK(absolink_open(a, url, NULL, 0, &t) == ABSOLINK_OK && t != s);
	CHECK(absolink_write(a, s, "<a hr", 5) == ABSOLINK_OK && absolink_result_length(a) == 0);
	CHECK(absolink_write(a, t, "<a hr", 5) == ABSOLINK_OK && absolink_result_length(a) == 0);
	CHECK(absolink_write(a, s, NULL, 0) == ABSOLINK_OK && absolink_result_length(a) == 0);
	char *kept = output(a, t, "ef=#x>"), *rewritten = output(a, s, "ef=#x>");
	CHECK(strcmp(kept, "<a href=#x>") == 0);
	CHECK(strcmp(rewritten, "<a href=https://example.org/docs/page.html#x>") == 0);
	free(kept);
	free(rewritten);
	// After it has ended, after it was dropped, of another instance, and none.
	WANT(absolink_finish(a, s), a, ABSOLINK_WRONG, "no such stream");
	WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	WANT(absolink_drop(a, s), a, ABSOLINK_WRONG, "no such stream");
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK && absolink_drop(a, s) == ABSOLINK_OK);
	WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK && absolink_open(b, url, NULL, 0, &u) == ABSOLINK_OK);
	WANT(absolink_write(b, s, "x", 1), b, ABSOLINK_WRONG, "no such stream");
	WANT(absolink_write(a, 0, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	WANT(absolink_write(a, UINT64_MAX, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	// An error ends a stream.
	WANT(absolink_write(a, s, NULL, 1), a, ABSOLINK_WRONG, "NULL");
	WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	// An instance that is given back takes its streams with it.
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK);
	absolink_free(a);
	a = absolink_new();
	WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
	// Many streams at a time.
	uint64_t many[200];
	for (int i = 0; i < 200; i++) CHECK(absolink_open(a, url, NULL, 0, &many[i]) == ABSOLINK_OK);
	for (int i = 0; i < 200; i++) CHECK(absolink_write(a, many[(i * 7) % 200], "<a href", 7) == ABSOLINK_OK);
	for (int i = 0; i < 199; i++) { // one is left
		char *all = output(a, many[i], "=x>");
		CHECK(strcmp(all, "<a href=https://example.org/docs/x>") == 0);
		free(all);
	}
	absolink_free(a);
	absolink_free(b);
}

// What a test has its functions do, and what they have seen.
typedef struct told {
	absolink *self, *other;
	int visits, errors, warnings;
	int stop_at; // the visit that ends the call
	int returns;
	absolink_text url;
} told;

static int on_visit(void *context, const absolink_place *p, absolink_text *to) {
	told *t = context;
	CHECK(p->element.length > 0 && strlen(p->raw.data) == p->raw.length);
	if (t->self != NULL) {
		// The instance is in a call.
		uint64_t s;
		absolink_place q;
		CHECK(absolink_rewrite(t->self, url, NULL, 0, "", 0) == ABSOLINK_BUSY);
		CHECK(absolink_configure(t->self, NULL, NULL) == ABSOLINK_BUSY);
		CHECK(absolink_places(t->self, url, NULL, 0, "", 0) == ABSOLINK_BUSY && absolink_next(t->self, &q) == ABSOLINK_BUSY);
		CHECK(absolink_open(t->self, url, NULL, 0, &s) == ABSOLINK_BUSY && absolink_write(t->self, 1, "", 0) == ABSOLINK_BUSY);
		CHECK(absolink_finish(t->self, 1) == ABSOLINK_BUSY && absolink_drop(t->self, 1) == ABSOLINK_BUSY);
		CHECK(absolink_resolve(t->self, "x", 1, url, NULL) == ABSOLINK_BUSY);
		absolink_free(t->self);
	}
	if (t->other != NULL) REWRITES(t->other, "<a href=z>", "<a href=https://example.org/docs/z>");
	if (++t->visits == t->stop_at) return -1;
	*to = t->url;
	return t->returns;
}

static int on_error(void *context, const absolink_place *p) {
	told *t = context;
	CHECK(p->error.length > 0 && p->url.length == 0);
	return ++t->errors == -t->stop_at ? -7 : 0;
}

static int on_warn(void *context, int64_t offset, const char *message, size_t length) {
	told *t = context;
	CHECK(offset >= 0 && length > 0 && message[0] != 0);
	t->warnings++;
	return 0;
}

static void functions(void) {
	absolink *a = absolink_new(), *b = absolink_new();
	told t = {.self = a, .other = b};
	const absolink_functions f = {&t, on_visit, on_error, on_warn, NULL};
	CHECK(absolink_configure(a, "maxTag=1000", &f) == ABSOLINK_OK);
	REWRITES(a, "<a href=x><a href='http://['>", "<a href=https://example.org/docs/x><a href='http://['>");
	CHECK(t.visits == 2 && t.errors == 1 && t.warnings == 0);
	char *values = repeat("y", 5000), document[6000];
	snprintf(document, sizeof document, "<a b='%s' href=x>", values);
	CHECK(absolink_rewrite(a, url, NULL, 0, document, strlen(document)) == ABSOLINK_OK && t.warnings > 0);
	free(values);
	// Another URL, none, and URLs that are not there or too long.
	t = (told){.returns = 1, .url = {"http://other/'\"", 15}};
	REWRITES(a, "<a href=\"x\">", "<a href=\"http://other/&#39;&quot;\">");
	t.url = (absolink_text){0};
	REWRITES(a, "<a href=x>", "<a href=x>");
	t.url.length = 5;
	WANT(absolink_rewrite(a, url, NULL, 0, "<a href=x>", 10), a, ABSOLINK_WRONG, "visit");
	t.url = (absolink_text){"x", SIZE_MAX};
	WANT(absolink_rewrite(a, url, NULL, 0, "<a href=x>", 10), a, ABSOLINK_RANGE, "visit");
	// The end of a call, in each way in and by each function; then nothing more is called.
	char *many = repeat("<a href='http://['>", 50000);
	t = (told){.stop_at = 3};
	WANT(absolink_rewrite(a, url, NULL, 0, many, 1900), a, ABSOLINK_STOPPED, "a function of the caller");
	CHECK(t.visits == 3 && absolink_called(a) == (uint64_t)(t.visits + t.errors + t.warnings));
	CHECK(absolink_resolve(a, "x", 1, url, NULL) == ABSOLINK_OK && absolink_called(a) == 0 && absolink_called(NULL) == 0);
	t = (told){.stop_at = 3};
	WANT(absolink_rewrite(a, url, NULL, 0, many, strlen(many)), a, ABSOLINK_STOPPED, "a function of the caller");
	CHECK(t.visits == 3);
	t = (told){.stop_at = -3};
	WANT(absolink_places(a, url, NULL, 0, many, strlen(many)), a, ABSOLINK_STOPPED, "a function of the caller");
	CHECK(t.visits == 0 && t.errors == 3);
	uint64_t s;
	t = (told){.stop_at = 3};
	CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK && absolink_configure(a, NULL, NULL) == ABSOLINK_OK);
	CHECK(absolink_write(a, s, many, 190) == ABSOLINK_STOPPED || absolink_finish(a, s) == ABSOLINK_STOPPED);
	CHECK(t.visits == 3);
	WANT(absolink_write(a, s, many, 190), a, ABSOLINK_WRONG, "no such stream");
	free(many);
	t = (told){0};
	REWRITES(a, "<a href=x>", "<a href=https://example.org/docs/x>");
	CHECK(t.visits == 0);
	absolink_free(a);
	absolink_free(b);
}

// rss returns the memory of this process that is in use, in bytes.
static size_t rss(void) {
	size_t size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%zu %zu", &size, &resident) != 2) CHECK(!"statm");
	fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void memory(bool measured) {
	absolink *a = absolink_new();
	// A document of one tag, whole: 1 MB, and 40 MB of links, with a base of 8,000 bytes.
	char *one = repeat("a=b ", 250000);
	one[0] = '<', one[1] = 'a', one[2] = ' ';
	CHECK(absolink_rewrite(a, url, NULL, 0, one, strlen(one)) == ABSOLINK_OK && absolink_result_length(a) == strlen(one));
	one[strlen(one) - 1] = '>';
	CHECK(absolink_rewrite(a, url, NULL, 0, one, strlen(one)) == ABSOLINK_OK && absolink_result_length(a) == strlen(one));
	free(one);
	CHECK(absolink_memory(a) <= 50 << 20);
	// An instance gives a large memory back after the call: as soon as it has no stream.
	char *base = repeat("x", 8000), *far = malloc(9000);
	snprintf(far, 9000, "https://example.org/%s/", base);
	char *links = repeat("<a href=y>", 4000);
	CHECK(absolink_rewrite(a, far, NULL, 0, links, strlen(links)) == ABSOLINK_OK && absolink_result_length(a) > 32000000);
	CHECK(absolink_memory(a) <= 100 << 20);
	CHECK(absolink_resolve(a, "", 0, url, NULL) == ABSOLINK_OK && absolink_memory(a) <= 50 << 20);
	uint64_t s;
	CHECK(absolink_open(a, far, NULL, 0, &s) == ABSOLINK_OK);
	size_t n = 0, total = 0;
	for (int i = 0; i < 400; i++) {
		CHECK(absolink_write(a, s, links, strlen(links) / 40) == ABSOLINK_OK);
		n = absolink_memory(a) > n ? absolink_memory(a) : n;
		total += absolink_result_length(a);
	}
	CHECK(absolink_finish(a, s) == ABSOLINK_OK && total + absolink_result_length(a) > 320000000 && n < 48 << 20);
	free(links);
	// A reference of many MiB.
	char *ref = repeat("\xc3\xa9", 4 << 20);
	CHECK(absolink_resolve(a, ref, strlen(ref), url, NULL) == ABSOLINK_OK && absolink_result_length(a) > 24 << 20);
	CHECK(absolink_resolve(a, "", 0, url, NULL) == ABSOLINK_OK && absolink_memory(a) <= 50 << 20);
	free(ref);
	free(base);
	free(far);
	// The instances that are kept are given back, and all others.
	size_t before = rss();
	absolink *many[24];
	for (int i = 0; i < 24; i++) {
		many[i] = absolink_new();
		REWRITES(many[i], "<a href=x>", "<a href=https://example.org/docs/x>");
	}
	size_t with = rss();
	for (int i = 0; i < 24; i++) absolink_free(many[i]);
	absolink_free(a);
	absolink_trim();
	absolink_trim();
	if (measured) CHECK(with > before + (24 << 21) && rss() < before + (8 << 20));
}

// An instance that gets no more memory, or fails, ends; the process and the others go on.
static void ended(bool limited) {
	absolink *a = absolink_new(), *b = absolink_new();
	uint64_t s, t;
	CHECK(absolink_open(b, url, NULL, 0, &t) == ABSOLINK_OK);
	// visit returns a URL for which the module has no room.
	size_t n = (size_t)3 << 29;
	void *room = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	told told = {.returns = 1, .url = {room, n}};
	const absolink_functions f = {.context = &told, .visit = on_visit};
	if (room != MAP_FAILED) {
		CHECK(absolink_open(a, url, NULL, 0, &s) == ABSOLINK_OK && absolink_configure(a, NULL, &f) == ABSOLINK_OK);
		WANT(absolink_rewrite(a, url, NULL, 0, "<a href=x>", 10), a, ABSOLINK_ENDED, "absolink has stopped working on this document: ");
		WANT(absolink_write(a, s, "x", 1), a, ABSOLINK_WRONG, "no such stream");
		told.url = (absolink_text){"http://h/", 9};
		REWRITES(a, "<a href=x>", "<a href=http://h/>"); // as it was configured
		munmap(room, n);
	}
	if (limited) {
		struct rlimit old, low;
		char *ref = repeat("a", 32 << 20);
		getrlimit(RLIMIT_DATA, &old);
		low = old;
		low.rlim_cur = rss() + (40 << 20);
		setrlimit(RLIMIT_DATA, &low);
		int status = absolink_resolve(a, ref, strlen(ref), url, NULL);
		CHECK(status == ABSOLINK_ENDED || status == ABSOLINK_MEMORY);
		setrlimit(RLIMIT_DATA, &old);
		free(ref);
		// Without addresses there is no instance.
		absolink_trim();
		getrlimit(RLIMIT_AS, &old);
		low = old;
		low.rlim_cur = 1 << 20;
		setrlimit(RLIMIT_AS, &low);
		CHECK(absolink_new() == NULL);
		setrlimit(RLIMIT_AS, &old);
		WANT(absolink_resolve(a, "x", 1, url, NULL), a, ABSOLINK_OK, "https://example.org/docs/x");
	}
	WANT(absolink_finish(b, t), b, ABSOLINK_OK, "");
	absolink_free(a);
	absolink_free(b);
}

static void *thread(void *of) {
	char *page = of;
	for (int i = 0; i < 500 && wrong == 0; i++) {
		absolink *a = absolink_new();
		if (i % 3 == 0) CHECK(absolink_configure(a, "keepFragments", NULL) == ABSOLINK_OK);
		REWRITES(a, "<a href=#x>", i % 3 == 0 ? "<a href=#x>" : "<a href=https://example.org/docs/page.html#x>");
		CHECK(absolink_rewrite(a, url, NULL, 0, page, strlen(page)) == ABSOLINK_OK && absolink_result_length(a) == strlen(page) + 2500);
		absolink_free(a);
	}
	return NULL;
}

static void threads(void) {
	char *page = repeat("<a href=x>", 100);
	pthread_t all[8];
	for (int i = 0; i < 8; i++) CHECK(pthread_create(&all[i], NULL, thread, page) == 0);
	for (int i = 0; i < 50; i++) { // a fork among them
		pid_t child = fork();
		if (child == 0) {
			alarm(60);
			absolink *a = absolink_new();
			REWRITES(a, "<a href=x>", "<a href=https://example.org/docs/x>");
			absolink_free(a);
			_exit(wrong != 0);
		}
		int status = -1;
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
	// A thread with little stack.
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	CHECK(pthread_create(&all[0], &small, thread, page) == 0);
	pthread_join(all[0], NULL);
	pthread_attr_destroy(&small);
	free(page);
}

int main(int n, char **args) {
	// Under a sanitizer, memory is not measured and not limited.
	bool sanitized = n > 1 && strcmp(args[1], "sanitized") == 0;
	documents();
	attributes();
	options();
	arguments();
	given_back();
	own_result();
	places();
	streams();
	functions();
	memory(!sanitized);
	ended(!sanitized);
	threads();
	absolink_trim();
	return wrong != 0;
}
