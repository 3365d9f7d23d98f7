// Rewrites files: pages PIECE OUT URL FILE... writes each to the directory OUT, under its own
// name. With a PIECE above 0 a document goes through a stream, in pieces of so many bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "absolink.h"

static void want(absolink *a, int status, const char *file) {
	if (status == ABSOLINK_OK) return;
	fprintf(stderr, "%s: %d: %s\n", file, status, absolink_result(a));
	exit(1);
}

static char *read_file(const char *name, size_t *length) {
	FILE *f = fopen(name, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0) exit(1);
	*length = (size_t)ftell(f);
	rewind(f);
	char *data = malloc(*length + 1);
	if (data == NULL || fread(data, 1, *length, f) != *length) exit(1);
	fclose(f);
	return data;
}

int main(int n, char **args) {
	size_t piece = strtoul(args[1], NULL, 10);
	absolink *a = absolink_new();
	for (int i = 4; i < n; i++) {
		const char *slash = strrchr(args[i], '/');
		char name[4096];
		snprintf(name, sizeof name, "%s/%s", args[2], slash == NULL ? args[i] : slash + 1);
		FILE *out = fopen(name, "wb");
		size_t length;
		char *document = read_file(args[i], &length);
		if (piece == 0) {
			want(a, absolink_rewrite(a, args[3], NULL, 0, document, length), args[i]);
		} else {
			uint64_t stream;
			want(a, absolink_open(a, args[3], NULL, 0, &stream), args[i]);
			for (size_t at = 0; at < length; at += piece) {
				want(a, absolink_write(a, stream, document + at, length - at < piece ? length - at : piece), args[i]);
				fwrite(absolink_result(a), 1, absolink_result_length(a), out);
			}
			want(a, absolink_finish(a, stream), args[i]);
		}
		fwrite(absolink_result(a), 1, absolink_result_length(a), out);
		if (fclose(out) != 0) return 1;
		free(document);
	}
	absolink_free(a);
	return 0;
}
