// Package web makes the links in the HTML of HTTP responses absolute, while these are
// on their way to a client:
//
//	client := &http.Client{Transport: new(web.Transport)}   // a client, or colly
//	proxy.ModifyResponse = new(web.Rewriter).ModifyResponse // an httputil.ReverseProxy
//	handler = new(web.Rewriter).Handler(handler)            // a server
//	resp = new(web.Rewriter).Response(resp)                 // one response
//
// A [Client] only retrieves documents, as the absolink command does.
//
// # The base URL
//
// The outer base is the retrieval URL (RFC 1808 §3.3): the URL of the last request,
// after redirects, without user, password and fragment. In the RFC profiles, the header
// Base goes before it (RFC 1808 §3.1). As in browsers, a Content-Location is not a base,
// unless the Rewriter says so. The charset is the one in the Content-Type.
//
// # What is rewritten
//
// Responses whose Content-Type is text/html or application/xhtml+xml are rewritten.
// Nothing is guessed, with one exception: if a handler sets no Content-Type,
// net/http finds one, and that counts. Every other response passes untouched, and so
// do
//
//   - the statuses 1xx, 204, 205 and 206, whatever has a Content-Range, and CONNECT;
//   - in proxies and handlers, responses with Cache-Control: no-transform (RFC 9110
//     §7.7). Transport and Response rewrite them: they serve user agents, which
//     no-transform does not bind;
//   - bodies in a content coding other than gzip, deflate, br and zstd, or in more
//     than four codings; Warn is told;
//   - bodies that cannot be decoded from the first byte on by the codings that their
//     header names, also because a window would be too large; Warn is told;
//   - responses whose URL is longer than 8 KiB, too long for a base URL; Warn is told.
//
// # What becomes of headers
//
//   - Content-Length goes: the length is not known before the end.
//   - A strong ETag becomes weak: the bytes differ, the meaning does not.
//   - Content-MD5, Digest, Content-Digest, Repr-Digest and Unencoded-Digest go, and
//     with them Signature and Signature-Input (RFC 9421), which may sign them. As
//     trailers they go too, whether they were announced or not.
//   - Accept-Ranges goes.
//   - Location, Link and Refresh stay.
//
// A response to HEAD gets the headers that a response to GET would get. A response
// with status 304 gets them too, with two exceptions: its Content-Type is not HTML, or
// the request's If-None-Match has its ETag as a strong one. In the second case the
// client has the original body.
//
// # Conditional and range requests
//
// Requests pass as they are. If-None-Match compares weakly, so a weak ETag matches
// the strong one that it was made from (RFC 9110 §13.1.2). If-Match and If-Range
// compare strongly: a weak ETag does not match there, and the answer is 412, or the
// whole document. A client that asks for a range all the same gets bytes of the
// original with its strong ETag, and so cannot take them for a part of what was
// rewritten.
//
// # Streaming
//
// Bodies are decoded, rewritten and encoded again as they come. Memory is what
// [rewriter.Rewriter] holds, and the windows of the codings: at most 8 MiB for zstd,
// and 16 MiB for all codings of a body together. Time is linear in what is read and
// decoded: a body is an error in which far more than that passes from one coding to
// the next ([ErrHollow]).
//
// What can be read of a body is flushed before more of it is waited for; a handler
// calls Flush itself. An error of the source, or in its coding, comes after
// everything that could be decoded before it: the client sees an aborted response,
// not one that seems complete.
package web
