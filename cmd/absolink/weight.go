package main

import (
	"net/http"
	"slices"

	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/media"
	"absolink/rewriter/warc"
)

// How much memory a server takes at most, in bytes. TestMemory measures it.
const (
	idleMemory       = 24 << 20  // for the server itself
	waitMemory       = 256 << 10 // for a request, unless it is worked on
	connectionMemory = 512 << 10 // for a connection on which a header arrives
	jobMemory        = 32 << 20  // for each of --jobs, on average
	documentMemory   = 20 << 20  // for a document, beyond what it holds for a late BASE
	archiveMemory    = 160 << 20 // for an archive
	viewMemory       = 350 << 20 // for a view

	mostHeld = 16 << 20 // how much of a document is held: --hold, which no request raises
)

// weigh returns how much memory the document of a request may take: the most that a
// document of any kind takes that it may be of.
func (e *endpoints) weigh(x *serve.Exchange) (weight int64) {
	length := int64(e.fetches.MaxBody)
	if n := x.Length(); x.Request.Method == http.MethodPost && n >= 0 {
		length = min(length, n)
	}
	for _, k := range possibleKinds(x) {
		weight = max(weight, weightOf(k, length))
	}
	return weight
}

// weightOf returns how much memory a document of a kind may take whose body has up to length
// bytes. A container also holds the encoded form of a document. These bytes are never moved,
// and the garbage collector lags by half of them.
func weightOf(k input.Kind, length int64) int64 {
	if k == input.KindArchive {
		return archiveMemory
	}
	weight := documentMemory + serve.HeldMemory(mostHeld, length)
	if c := input.ContainerOf(k); c != nil {
		encoded := min(c.Encoded*mostHeld, length)
		weight += encoded + encoded/2
	}
	return weight
}

// alike returns a Weigher for requests that all may take as much.
func alike(memory int64) serve.Weigher { return func(*serve.Exchange) int64 { return memory } }

// possibleKinds returns the kinds that the document of a request may be of, as far as they
// are known before its content codings are undone.
func possibleKinds(x *serve.Exchange) []input.Kind {
	anyKind := slices.Clone(input.DocumentKinds)
	if x.Request.Method != http.MethodPost {
		return anyKind // archives are not fetched
	}
	anyKind = append(anyKind, input.KindArchive)
	if k, ok := bodyKind(x); k != "" || !ok {
		return []input.Kind{k}
	}
	if len(x.Request.Header.Values("Content-Encoding")) > 0 {
		return anyKind
	}
	start := x.Start()
	start = start[:min(len(start), input.StartSize)]
	if warc.Is(start, "") {
		return []input.Kind{input.KindArchive}
	}
	return []input.Kind{input.SeenKind(start, x.Query.Get("url"))}
}

// bodyKind returns the kind that the body of a request is said to be of; "" if the request
// leaves that open. It is not ok if the body is said to be something else.
func bodyKind(x *serve.Exchange) (k input.Kind, ok bool) {
	if name := x.Query.Get("type"); name != "" && name != "auto" {
		return input.Kind(name), true
	}
	mediaType, _ := media.ContentType(x.Request.Header.Values("Content-Type")...)
	k, ok = input.KindOfType(mediaType)
	return k, ok || slices.Contains(vagueTypes, mediaType)
}

// vagueTypes are the media types that clients give a body where they know nothing of it.
var vagueTypes = []string{"application/octet-stream", "application/x-www-form-urlencoded", "text/plain"}
