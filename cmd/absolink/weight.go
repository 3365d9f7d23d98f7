package main

import (
	"net/http"
	"slices"

	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/media"
	"absolink/rewriter/warc"
)

// How much memory a server takes at most, in bytes. TestServeMemory, TestServeHolds and
// TestServeLoads measure it.
const (
	idleMemory       = 24 << 20  // for the server itself
	waitMemory       = 256 << 10 // for a request, unless it is worked on
	connectionMemory = 384 << 10 // for a connection on which a header arrives
	jobMemory        = 32 << 20  // for each of --jobs, on average
	documentMemory   = 20 << 20  // for a document, beyond what it holds for a late BASE
	archiveMemory    = 160 << 20 // for an archive
	viewMemory       = 350 << 20 // for a view

	mostHeld = 16 << 20 // how much of a document is held: --hold, which no request raises
)

// weigh returns how much memory the document of a request may take.
func (e *endpoints) weigh(x *serve.Exchange) int64 {
	held := min(mostHeld, int64(e.fetch.MaxBody))
	if x.Request.Method == http.MethodPost {
		if mayBeArchive(x) {
			return archiveMemory
		}
		if n := x.Length(); n >= 0 {
			held = min(held, n)
		}
	}
	return documentMemory + serve.PerHeld*held
}

// weighView returns how much memory a view may take.
func weighView(*serve.Exchange) int64 { return viewMemory }

// weighResolve returns how much memory references may take: no more than a document of which
// nothing is held.
func weighResolve(*serve.Exchange) int64 { return documentMemory }

// mayBeArchive reports whether the body of a request may be an archive, as far as that is
// known before more of it arrives and its content codings are undone.
func mayBeArchive(x *serve.Exchange) bool {
	if kind, ok := bodyKind(x); kind != "" || !ok {
		return kind == kindArchive
	}
	if x.Request.Header.Get("Content-Encoding") != "" {
		return true
	}
	start, whole := x.Start()
	if len(start) >= startSize {
		start, whole = start[:startSize], true
	}
	return warc.Is(start, "") || !whole && start[0] != '<'
}

// bodyKind returns the kind that the body of a request is said to be of; "" if the request
// leaves that open. It is not ok if the body is said to be something else.
func bodyKind(x *serve.Exchange) (k kind, ok bool) {
	if name := x.Query.Get("type"); name != "" && name != "auto" {
		return kind(name), true
	}
	mediaType, _ := media.ContentType(x.Request.Header.Values("Content-Type")...)
	k, ok = kindOfType(mediaType)
	return k, ok || slices.Contains(vagueTypes, mediaType)
}
