// Package warc rewrites the HTML in web archives: files in the WARC format,
// versions 0.17 to 1.1 (ISO 28500), plain or compressed with gzip or Zstandard. ARC
// files, versions 1 and 2, and the archives in WACZ files ([Archives]) are read too.
//
// [Rewriter.Convert] writes a conversion record for each page,
// [Rewriter.Replace] copies the archive with its pages rewritten, and
// [Rewriter.List] lists the places in the pages. [NewReader] only reads the records.
// A page is the HTML in a response or resource record that is not segmented.
// The WARC-Target-URI of the record is the URL that the page was retrieved from.
//
// A [Part] is a part of an archive, for work that is shared between machines. With
// [Rewriter.Seed], the same input gives the same bytes.
//
// # What holds
//
// The Content-Length of a record says where it ends, however the archive is
// compressed: a gzip member may hold several records, a part of a record, or both. If
// an archive is damaged or cut off, Warn is told with an offset, and reading goes on
// at the next record that can be found. [Summary] counts each record whose header was
// read, by what became of the record.
//
// One goroutine reads the records and several work on them, which also decompress
// gzip members in advance. The goroutine that called the method writes, in the order
// of the archive. The number of bytes that wait between them is bounded, and so is
// memory, whatever the archive holds: on two cores, less than 160 MiB are in use. Pages
// of more than 2 MiB wait in temporary files. Time is linear in the length of the archive, of
// what it decompresses to, and of what is written.
//
// Replace copies what it does not rewrite in compressed form, as it is. If it rewrites
// nothing, the output is the input, byte for byte.
package warc
