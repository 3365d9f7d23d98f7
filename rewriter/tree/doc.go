// Package tree rewrites the HTML files in a tree of files, such as a static site or a
// saved mirror. The base URL of each page is the URL of the tree followed by the path
// of the page:
//
//	url, err := resolver.ParseBase("https://www.example.org/docs/", resolver.RFC1808)
//	…
//	t := &tree.Rewriter{URL: url, Failed: func(e *tree.Error) { log.Print(e.Name, ": ", e) }}
//	result, err := t.Rewrite(ctx, "absolute", "docs")
//
// The name of a file, and what the file begins with, tell whether it is a page. A file
// named page.html is a page unless it is plainly something else, such as an image. A file
// with another name is a page if it begins like HTML.
// [Rewriter.Other] says what rewrites the other files, such as feeds.
//
// # Runs
//
// Files are worked on in parallel. A run that ended early, even one that was killed,
// leaves only whole files, and the next run continues from there. A run that has nothing
// to do reads no pages. Two runs never write the same tree at the same time ([ErrBusy]).
//
// [Rewriter.Failed] is told of each file that could not be read or written, and the run
// goes on. A run ends early when its context ends, or when nothing can be written any
// more.
//
// # Limits
//
// Memory does not grow with the number of files, except for the anchors that
// [Rewriter.MissingAnchor] needs. For each open directory, only the names
// of the directories in it are held. All names are held if the destination takes A and a
// for the same name. However deeply directories are nested, at most 50 files are open at
// a time, and 5 more for each of Jobs. A path in the tree has at most 8 KiB.
package tree
