// Package web rewrites HTML in HTTP responses on their way: of a client
// ([Rewriter.Response]), of a proxy ([Rewriter.ModifyResponse], for
// [net/http/httputil.ReverseProxy]) and of a handler ([Rewriter.Handler]). It also
// retrieves documents ([Client]).
//
// # The base URL
//
// The outer base is the retrieval URL (RFC 1808 §3.3): that of the last request,
// after redirects, without user, password and fragment. Content-Location is none,
// as in browsers, unless the Rewriter says so. The charset is that of the
// Content-Type.
//
// # What is rewritten
//
// Responses whose Content-Type is text/html or application/xhtml+xml. Nothing is
// guessed: only where a handler sets no Content-Type is it what net/http says it is.
// Everything else passes untouched, and so do
//
//   - 1xx, 204, 205 and 206, whatever has a Content-Range, and CONNECT;
//   - in proxies and handlers, responses with Cache-Control: no-transform (RFC 9110
//     §7.7). Response is for user agents, which that does not bind;
//   - bodies in a content coding other than gzip, deflate, br and zstd, in more than
//     four, or that are not in the coding that their header names; Warn is told. A
//     body is not in it if none of its bytes can be decoded, be it for too large a
//     window;
//   - responses whose URL is longer than 8 KiB, too long for a base URL; Warn is told.
//
// # What becomes of headers
//
//   - Content-Length goes: it is not known before the end.
//   - A strong ETag becomes weak: the bytes differ, the meaning does not.
//   - Content-MD5, Digest, Content-Digest, Repr-Digest and Unencoded-Digest go, also
//     as trailers, announced or not, and with them Signature and Signature-Input
//     (RFC 9421), which may sign them.
//   - Accept-Ranges goes.
//
// A response to HEAD gets the headers that GET would give. One with status 304 gets
// them unless its Content-Type is another, or the request's If-None-Match has the
// ETag as a strong one: then what the client has was not rewritten.
//
// # Conditional and range requests
//
// Requests pass as they are. If-None-Match compares weakly, so a weak ETag matches
// what it was made of (RFC 9110 §13.1.2). If-Match and If-Range compare strongly:
// with an ETag from here they do not match, and the answer is 412, or the whole.
// Who asks for a range all the same gets bytes of what was not rewritten, with the
// strong ETag of that, and cannot take them for parts of the other.
//
// # Streaming
//
// Bodies are decoded, rewritten and encoded again as they come. What is held is what
// [rewriter.Rewriter] holds, and the windows of the codings: at most 8 MiB for zstd, and
// 16 MiB for all codings of a body together. What passes from one coding to the next
// may not be out of proportion to what is read and decoded ([ErrHollow]), so that
// time is linear in these. A body that is read is flushed before more of it is
// waited for; a handler says itself when. An error of the source or in its coding comes after
// all that was understood: a client sees an aborted response, not a complete one.
package web
