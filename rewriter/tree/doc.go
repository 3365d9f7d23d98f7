// Package tree rewrites the HTML files in a tree of files, such as a static site or a
// saved mirror. The base URL of each page is the URL of the tree followed by the path
// of the page:
//
//	url, err := resolver.ParseBase("https://www.example.org/docs/", resolver.RFC1808)
//	…
//	t := &tree.Rewriter{URL: url, Failed: func(e *tree.Error) { log.Print(e.Name, ": ", e) }}
//	result, err := t.Rewrite(ctx, "absolute", "docs")
//
// A file is a page if its name and what it begins with say so: page.html unless it is
// plainly something else, such as an image; a file with another name if it begins as
// HTML does.
//
// # Runs
//
// Files are worked on in parallel. A run that ended early, even one that was killed,
// leaves whole files only, and the next run goes on from there. A run that has nothing
// to do reads no pages. Two runs do not write the same tree at a time ([ErrBusy]).
//
// What cannot be done to one file is told to [Rewriter.Failed], and the run goes on. A
// run ends early when its context does, or when nothing can be written any more.
//
// # Limits
//
// Memory does not grow with the number of files. Of a directory only the names of the
// directories in it are held, or all names if the destination takes A and a for the
// same name. However deeply directories are nested, no more than 50 files are open at
// a time, and 5 more for each of Jobs. A path in the tree has at most 8 KiB.
package tree
