// Package serve is what absolink's servers have in common: where they listen and how
// they stop, how many documents they take at a time, how bodies come and go, what they
// log and count, and where they may fetch from. What a request asks for is done by the
// functions given to [Server.Handle].
//
// # The way of a document
//
//	body → limit → pump → content codings → the function → buffer → content coding → response
//
// A short body is read whole before the function is called. A longer body is read by a
// goroutine, the pump. It goes on reading while the client does not read the response:
// many clients send all of a body before they read anything. What waits is held in a
// buffer, and then in a temporary file.
//
// A function is called when there is room for its document: all documents that are worked
// on take a bounded amount of memory together.
//
// The function writes to a buffer. Up to the first byte that leaves the buffer, an error
// becomes a problem (RFC 9457), and counts become headers. After it, an error aborts the
// response, and counts become trailers.
package serve
