// Package warc rewrites the HTML in web archives: files in the WARC format,
// versions 0.17 to 1.1 (ISO 28500), plain or compressed with gzip or Zstandard.
//
// [Rewriter.Convert] writes a conversion record for each page,
// [Rewriter.Replace] copies the archive with the pages in it rewritten, and
// [Rewriter.List] shows their places. A page is the HTML in a response or
// resource record that is no segment of a longer one; its WARC-Target-URI is the
// URL that it was retrieved from.
//
// # What holds
//
// A record is read as its Content-Length says, and not as its compression is cut:
// a gzip member may hold several records, a part of one, or both. An archive that
// is damaged or cut off is an error with an offset, and reading goes on at the
// next record that can be found. Each record whose header was read is counted
// in [Summary] as what became of it.
//
// Records are read in one goroutine, worked on in several, which also decompress
// members of gzip before they are read, and written in order. Memory is bounded by
// what may wait between these, whatever is in the archive: on two cores less than
// 160 MiB are in use. Pages of more than 2 MiB wait in temporary files. Time is
// linear in the length of the archive, of what it decompresses to, and of what is
// written.
//
// What Replace has no need to change it copies, compressed as it is: with nothing
// to rewrite the output is the input, whatever that holds.
package warc
