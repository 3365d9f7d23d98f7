package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

type treeCommand struct {
	URL        string     `short:"u" name:"url" required:"" placeholder:"URL" group:"base" help:"The URL of the tree. The URL of a page is this URL and the path of the page, percent-encoded."`
	InPlace    bool       `short:"w" name:"in-place" xor:"to" group:"output" help:"Rewrite the pages of SRC themselves. Each is replaced atomically."`
	Index      []string   `placeholder:"NAME" sep:"," default:"index.html" group:"base" help:"The names of files that are the page of their directory: their URL is that of the directory. The default is index.html; --index= means none."`
	CleanURLs  bool       `name:"clean-urls" group:"base" help:"The URLs of pages do not have the .html of their names."`
	Include    []string   `placeholder:"GLOB" sep:"none" group:"input" help:"Take only files that match, such as *.html or docs/**/*.html. A GLOB without a slash matches names in all directories. May be given several times."`
	Exclude    []string   `placeholder:"GLOB" sep:"none" group:"input" help:"Leave out of DST the files that match, and directories that match, with everything in them. May be given several times. See --copy for files that are only not rewritten."`
	Copy       []string   `placeholder:"GLOB" sep:"none" group:"input" help:"Copy files that match, and directories that match with everything in them, and rewrite no link in them. May be given several times."`
	CSS        bool       `name:"css" group:"links" help:"Rewrite the style sheets of SRC too, files called *.css, each on its own URL."`
	KeepLocal  bool       `name:"keep-local" group:"links" help:"Leave relative links to files of the tree as they are, so that the tree can be read wherever it is. All other links become absolute."`
	Link       bool       `group:"output" help:"Make hard links to the files of SRC that are not HTML, where that is possible: writing into such a file changes both. By default they are copied."`
	Check      optionMode `modes:"files,fragments" group:"output" help:"Only list the links into the tree that lead to none of its files, and exit with 1 if there are any. Nothing is written. With --check=fragments, links to anchors that are not in their page count too."`
	DryRun     bool       `short:"n" name:"dry-run" group:"output" help:"Write and delete nothing: print what would be done with each file."`
	Delete     bool       `group:"output" help:"Delete the files of DST that an earlier run with --delete has written, and whose sources are gone. DST.absolink, beside DST, is the record of what was written."`
	Force      bool       `group:"output" help:"Write all files, also those that DST has already."`
	Jobs       int        `short:"j" placeholder:"N" group:"input" help:"How many files to work on at a time. By default one for each processor."`
	AllowEmpty bool       `name:"allow-empty" group:"output" help:"With --check: a tree without pages is no error."`
	Ignore     []string   `placeholder:"URL" sep:"none" group:"output" help:"With --check: do not list links to URL, or, if it ends in a slash, to any URL that begins with it. It may be relative to --url. May be given several times."`
	JSON       bool       `name:"json" group:"output" help:"Print a summary as JSON to standard output; with --check, before it a line of JSON for each link that leads nowhere; with --report, print the counts as JSON."`
	input.FeedOptions
	previewOptions
	input.ReadOptions

	Src string `arg:"" name:"SRC" help:"The directory of the tree."`
	Dst string `arg:"" optional:"" name:"DST" help:"The directory to write to. It may exist; files of this tree that are there already are not written again."`
}

func (c *treeCommand) Validate() error {
	switch {
	case strings.Contains(c.Dst, "://"):
		return fmt.Errorf("DST %q is a URL; write --url %s", c.Dst, c.Dst)
	case c.Check != "" && (c.Dst != "" || c.InPlace):
		return errors.New("--check writes nothing; to check and to write, run two commands: absolink tree --check SRC, and the one without --check")
	case c.Dst != "" && c.InPlace:
		return errors.New("--in-place takes no DST")
	case c.DryRun && c.Dst == "":
		return errors.New("--dry-run needs a DST; to see what --in-place would change, use -l or --diff")
	case c.DryRun && c.JSON:
		return errors.New("--dry-run prints the names of files, and no JSON")
	case c.Dst == "" && !c.InPlace && c.Check == "" && !c.previews():
		return errors.New("it takes a DST to write to, or --in-place, or --check; -l and --diff show what would change")
	case c.AllowEmpty && c.Check == "":
		return errors.New("--allow-empty is for --check")
	case len(c.Ignore) > 0 && c.Check == "":
		return errors.New("--ignore is for --check")
	case slices.ContainsFunc(c.Ignore, func(ref string) bool { return strings.TrimSpace(ref) == "" }):
		return errors.New("--ignore takes a URL, and has an empty one, which would be the whole tree; if that is meant, --ignore ./ says so")
	case c.Delete && c.Dst == "":
		return errors.New("--delete needs a DST to delete files in")
	case c.Jobs < 0 || c.Jobs > console.MaxJobs:
		return console.ErrJobs
	}
	return cmp.Or(c.previewOptions.check(c), c.ReadOptions.Validate())
}

func (c *treeCommand) Run(ui *console.UI) error {
	ui.Quiet, ui.Strict, ui.Debug = c.Quiet, c.Strict, c.Debug
	s := c.Settings()
	url, ok := s.OuterBase(ui, &c.URL)
	if !ok {
		return nil
	}
	html := s.HTML
	if c.Check != "" {
		o := html.Options()
		o.KeepFragments = false // links to anchors of their own page count
		html = rewriter.Must(rewriter.New(o))
	}
	t := &tree.Rewriter{
		HTML: html, Sheets: c.CSS, Other: c.OtherFile, Charset: c.Charset, URL: url, Index: c.Index, CleanURLs: c.CleanURLs,
		Include: c.Include, Exclude: c.Exclude, Copy: c.Copy, KeepLocal: c.KeepLocal, Link: c.Link, Force: c.Force, Jobs: c.Jobs, Dry: c.DryRun,
		Version: console.Release(), Settings: "item-base " + c.ItemBase,
	}
	err := t.Validate()
	if err != nil {
		ui.Print("%v", err)
		ui.Code = console.ExitUsage
		return nil
	}
	mirrors := c.warnOfMirror(ui, url)
	ctx, stop := outfile.UntilInterrupt()
	defer stop()
	endProgress := console.StartTreeProgress(ui, t)
	files := c.tell(ctx, ui, t)
	findings, ok := c.find(ui, t, files)
	if !ok {
		return nil
	}
	preview, sample := c.preview(ui, t, files), c.sample(t)
	endRecord := c.keepRecord(ui, t, preview)
	var result tree.Result
	switch {
	case c.Dst != "":
		result, err = t.Rewrite(ctx, c.Dst, c.Src)
	case c.InPlace:
		result, err = t.RewriteInPlace(ctx, c.Src)
	default:
		result, err = t.Look(ctx, c.Src)
	}
	files.end()
	result.Places.Warnings += mirrors
	findings.end(&result, err == nil, c.AllowEmpty)
	endProgress()
	preview.end()
	sample.end(ui)
	endRecord(result)
	c.conclude(ui, files, result, err)
	return nil
}

// tell has messages about the tree printed. The result is to be ended after the run.
func (c *treeCommand) tell(ctx context.Context, ui *console.UI, t *tree.Rewriter) *treeFiles {
	files := &treeFiles{ctx: ctx, ui: ui, src: c.Src, charset: c.Charset, open: map[string]*pageMessages{}, repeats: console.NewRepeats(ui)}
	t.Failed = func(e *tree.Error) { ui.Errorf("%s", files.message(e)) }
	warn := func(offset int64, err error) {
		of, _ := errors.AsType[*tree.Error](err)
		if p, ok := errors.AsType[*tree.PatternError](err); ok {
			err = fmt.Errorf("--%s%s", strings.ToLower(p.Field), strings.TrimPrefix(p.Error(), p.Field))
		}
		files.of(of.Name).Warn(offset, err)
	}
	unresolvable := func(p *rewriter.Place) { files.of(files.name(p.Document.Name)).Unresolvable(p) }
	t.HTML = t.HTML.With(rewriter.Hooks{Warn: warn, Unresolvable: unresolvable})
	done := t.Done
	t.Done = func(f tree.File) {
		files.done(f)
		files.indexed = files.indexed || f.Page && slices.Contains(c.Index, path.Base(f.Path))
		if done != nil {
			done(f)
		}
	}
	return files
}

// A treeSummary is what --json prints at the end.
type treeSummary struct {
	Type           string       `json:"type"`     // "summary"
	Complete       bool         `json:"complete"` // where it is false, another run goes on
	Error          console.Text `json:"error,omitempty"`
	Files          int64        `json:"files"`
	Bytes          int64        `json:"bytes"` // of all files, as they are in SRC
	Rewritten      int64        `json:"rewritten"`
	Changed        int64        `json:"changed"` // of the pages that were read
	Linked         int64        `json:"linked"`
	Copied         int64        `json:"copied"`
	Unchanged      int64        `json:"unchanged"`
	Left           int64        `json:"left"`
	Failed         int64        `json:"failed"`
	Deleted        *int64       `json:"deleted,omitempty"` // with --delete
	Stale          int64        `json:"stale,omitempty"`   // files that --delete would have deleted
	Pages          int64        `json:"pages"`             // that were read
	Places         counts       `json:"places"`
	Missing        *int64       `json:"missing,omitempty"`         // links that lead to no file; with --check
	MissingAnchors *int64       `json:"missing_anchors,omitempty"` // links that lead to no anchor; with --check=fragments
	Warnings       int          `json:"warnings"`
}

// conclude prints the summary, and where the run ended early, how to go on.
func (c *treeCommand) conclude(ui *console.UI, files *treeFiles, r tree.Result, err error) {
	var stopped outfile.Interrupt
	var e *tree.Error
	switch {
	case errors.As(err, &stopped):
		ui.Print("%v; what is written is whole; run the same command again to continue", err)
		ui.Code = stopped.Code()
	case errors.As(err, &e) && r.Files > 0:
		ui.Errorf("%s; what is written is whole; fix that, and run the same command again to continue", files.message(e))
	case errors.As(err, &e):
		ui.Errorf("%s", files.message(e))
	case err != nil:
		ui.Errorf("%v", err)
	}
	switch {
	case c.JSON && c.Report != "":
	case c.JSON:
		c.print(ui, r, err)
	case err == nil || r.Files > 0:
		ui.Summaryf("%s", c.summary(r, files.indexed))
	}
}

// summary returns the summary as a line for people. A run that only looks has the words and
// numbers of the run that writes.
func (c *treeCommand) summary(r tree.Result, indexed bool) string {
	s := console.Counted(r.Pages, "page")
	add := func(n int64, what string) {
		if n > 0 {
			s += fmt.Sprintf(", %d %s", n, what)
		}
	}
	others := r.Unchanged - (r.Pages - r.Rewritten) // what is not a page, or was not read
	switch {
	case c.Check != "":
		s = console.Counted(r.Files, "file") + ", " + s
	case r.Pages > 0:
		s += fmt.Sprintf(" (%d changed)", r.Changed)
	}
	add(r.Linked, "linked")
	switch {
	case c.previews():
		add(others, "copied")
	case c.Dst != "":
		add(r.Copied, "copied")
		add(others, "there already")
	case c.InPlace:
		add(others, "other")
	}
	add(r.Left, "left out")
	add(r.Failed, "failed")
	add(r.Deleted, "deleted")
	if c.Check != "" {
		s += fmt.Sprintf("; broken links: %d", r.Missing+r.MissingAnchors)
	}
	if indexed && c.Check == "" {
		s += fmt.Sprintf("; %s has the URL of its directory (--index= turns this off)", strings.Join(c.Index, " or "))
	}
	if c.previews() || c.DryRun {
		s = "dry run: " + s
	}
	return s
}

func (c *treeCommand) print(ui *console.UI, r tree.Result, err error) {
	s := treeSummary{
		Type: "summary", Complete: err == nil, Files: r.Files, Bytes: r.Bytes, Rewritten: r.Rewritten, Changed: r.Changed, Linked: r.Linked, Copied: r.Copied,
		Unchanged: r.Unchanged, Left: r.Left, Failed: r.Failed, Stale: r.Stale, Pages: r.Pages, Places: countsOf(r.Places), Warnings: r.Places.Warnings,
	}
	if err != nil {
		s.Error = console.Text(console.HideLogins(err.Error()))
	}
	if c.Delete {
		s.Deleted = &r.Deleted
	}
	if c.Check != "" {
		s.Missing = &r.Missing
	}
	if c.Check == checkFragments {
		s.MissingAnchors = &r.MissingAnchors
	}
	ui.PrintJSON(s)
}
