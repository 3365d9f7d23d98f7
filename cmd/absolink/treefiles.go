package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/lines"
	"absolink/internal/regular"
	"absolink/rewriter/tree"
)

// treeFiles has an about for each of the files of a tree that are worked on at the same
// time. They share their repeats: all pages of a site may have the same fault.
type treeFiles struct {
	ctx     context.Context // ends the wait for a file system that does not answer
	ui      *console.UI
	src     string
	charset string
	open    map[string]*pageMessages
	repeats *console.Repeats
	indexed bool // a page has the URL of its directory
}

// pageMessages prints the warnings about a page.
type pageMessages struct {
	*input.About
	file   *pageFile
	broken map[*broken]bool // the targets that this page has links to
}

// name returns what messages call the file with a path in the tree.
func (t *treeFiles) name(path string) string {
	return filepath.Join(t.src, filepath.FromSlash(path))
}

// of returns what prints the messages about a file.
func (t *treeFiles) of(name string) *pageMessages {
	if t.open[name] == nil {
		file := &pageFile{ctx: t.ctx, dir: t.src, name: name}
		about := input.NewAbout(t.ui, name)
		about.Repeats, about.Lines = t.repeats, lines.Of(file, 0, t.charset)
		t.open[name] = &pageMessages{about, file, map[*broken]bool{}}
	}
	return t.open[name]
}

// message returns what an error says, with the name of its file.
func (t *treeFiles) message(e *tree.Error) string {
	if e.Op == "read further" {
		return t.of(e.Name).Message(e.Offset, e.Error())
	}
	return e.Name + ": " + e.Error() // the offset, if any, would be in what is written
}

// done ends the messages about a file.
func (t *treeFiles) done(f tree.File) {
	name := t.name(f.Path)
	page := t.open[name]
	if page == nil {
		return
	}
	page.EndLinks(input.KindHTML)
	page.file.close()
	delete(t.open, name)
}

func (t *treeFiles) end() { t.repeats.End(t.src) }

// A pageFile is a file of a tree that is read again to find lines in it. It is opened
// when it is first read.
type pageFile struct {
	ctx       context.Context
	dir, name string
	f         *os.File
	lost      bool // the file system does not answer, and may still use f
}

// ReadAt reads from the file, until ctx ends.
func (p *pageFile) ReadAt(b []byte, offset int64) (int, error) {
	if p.lost {
		return 0, fs.ErrClosed
	}
	buf, n, err := make([]byte, len(b)), 0, error(nil)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if p.f == nil {
			p.f, err = p.open()
		}
		if err == nil {
			n, err = p.f.ReadAt(buf, offset)
		}
	}()
	select {
	case <-answered:
		return copy(b, buf[:n]), err
	case <-p.ctx.Done():
		p.lost = true
		return 0, p.ctx.Err()
	}
}

// open opens the file, wherever links in its path may lead by now.
func (p *pageFile) open() (*os.File, error) {
	path, err := filepath.Rel(p.dir, p.name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := regular.Open(root, path)
	return f, err
}

func (p *pageFile) close() {
	if !p.lost && p.f != nil {
		p.f.Close()
	}
}
