// Package serve is what absolink's servers have in common: where they listen and how
// they stop, how many documents they take at a time, how bodies come and go, what they
// log and count, and where they may fetch from. What a request asks for is done by the
// functions given to [Server.Handle].
//
// # The way of a document
//
//	body → limit → memory and file → content codings → the function → buffer → content coding → response
//
// All of a body arrives before the function is called: many clients send all of it before they
// read anything, and servers in front stop sending when an answer begins. A short body waits in
// memory, and most of a longer one in a temporary file.
//
// A function is called when there is room for its document: all documents that are worked
// on take a bounded amount of memory together.
//
// The function writes to a buffer. Up to the first byte that leaves the buffer, an error
// becomes a problem (RFC 9457), and counts become headers. After it, an error aborts the
// response, and counts become trailers.
package serve
