package job

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// A Task is an archive to do.
type Task struct {
	Input string `json:"input"` // a path or a URL; in files, as shown gives it
	Name  string `json:"name"`  // of its outputs; no two tasks have the same
}

// Where a job keeps what it needs to go on after a stop, below Options.Out.
const (
	reportsDir = "_job/reports/"
	deadDir    = "_job/dead/"
	partsDir   = "_job/parts/"
)

// A Refusal is the error of a manifest that no work was begun for.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// maxLine is how long a line of the manifest may be, in bytes.
const maxLine = 64 << 10

// ReadManifest returns the archives that a manifest names, in its order. The error may be a
// *Refusal.
func ReadManifest(ctx context.Context, manifest string) ([]Task, error) {
	src, err := OpenSource(ctx, manifest)
	manifest = shown(manifest) // in messages, which are written as well
	if isMissing(err) {
		return nil, &Refusal{fmt.Sprintf("%s: there is no such manifest", manifest)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	r := src.Reader(ctx, 0)
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	from := map[string]string{}
	var tasks []Task
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if reason := oddName(line); reason != "" {
			return nil, &Refusal{fmt.Sprintf("%s:%d: %s", manifest, number, reason)}
		}
		found, err := expand(ctx, line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", manifest, number, shown(line), err)
		}
		for _, t := range found {
			if reason := refuse(t, from); reason != "" {
				return nil, &Refusal{fmt.Sprintf("%s:%d: %s", manifest, number, reason)}
			}
			tasks = append(tasks, t)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &Refusal{fmt.Sprintf("%s: a line is longer than %d bytes; it takes one path, glob or URL a line", manifest, maxLine)}
	}
	if lines.Err() == nil && len(tasks) == 0 {
		return nil, &Refusal{fmt.Sprintf("%s: no archive is named in it", manifest)}
	}
	return tasks, lines.Err()
}

// maxName is how long the name of an archive may be. A file system takes 255 bytes; the
// names of reports, lists and unfinished files need some of them.
const maxName = 200

// refuse says why a task cannot be done beside those before it. from has their inputs, as shown
// gives them, by the names of their archives that are written.
func refuse(t Task, from map[string]string) string {
	input := shown(t.Input)
	switch odd := oddName(t.Input); {
	case odd != "":
		return odd
	case t.Name == "" || t.Name == "." || t.Name == ".." || t.Name == "/":
		return fmt.Sprintf("%s is not the name of an archive", input)
	case len(t.Name) > maxName:
		return fmt.Sprintf("%s has a name of more than %d bytes; rename it", input, maxName)
	}
	name, _ := compression(t.Name)
	other, ok := from[name]
	from[name] = input
	switch {
	case ok && other == input:
		return fmt.Sprintf("%s is named twice; name each archive once", input)
	case ok:
		return fmt.Sprintf("%s and %s would both be written as %s; rename one, or give each a job with its own --out", other, input, name)
	}
	return ""
}

// oddName says why a name cannot stand in the files that a job writes.
func oddName(input string) string {
	switch {
	case !utf8.ValidString(input):
		return fmt.Sprintf("%q is not in UTF-8; rename it", shown(input))
	case strings.IndexFunc(input, unicode.IsControl) >= 0:
		return fmt.Sprintf("%q has control characters in its name; rename it", shown(input))
	}
	return ""
}

// isGlob reports whether an input may name several archives. In a URL, "?" begins the
// parameters.
func isGlob(input string) bool {
	if _, _, ok := splitURL(input); ok {
		return !strings.HasPrefix(input, "http") && strings.ContainsAny(input, "*[{")
	}
	return strings.ContainsAny(input, "*?[{")
}

// expand returns the archives that a line of the manifest names, sorted. A line that is not
// a glob is an archive. So is a glob that matches nothing, by a name that no other has.
func expand(ctx context.Context, line string) (tasks []Task, err error) {
	if !isGlob(line) {
		return []Task{{line, baseName(line)}}, nil
	}
	var inputs []string
	if bucket, pattern, ok := splitURL(line); ok {
		inputs, err = matchKeys(ctx, bucket, pattern)
	} else {
		name := localPath(line)
		if src, err := fileSource(name); err == nil && src.path == name {
			return []Task{{name, baseName(name)}}, nil // the characters of a glob are in its name
		}
		inputs, err = doublestar.FilepathGlob(name, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	}
	if errors.Is(err, doublestar.ErrBadPattern) || errors.Is(err, path.ErrBadPattern) || errors.Is(err, filepath.ErrBadPattern) {
		return nil, &Refusal{fmt.Sprintf("%s is not a valid glob", shown(line))}
	}
	slices.Sort(inputs)
	for _, input := range inputs {
		tasks = append(tasks, Task{input, baseName(input)})
	}
	if len(tasks) == 0 {
		tasks = []Task{{line, fmt.Sprintf("unmatched-%.4x", sha256.Sum256([]byte(line)))}}
	}
	return tasks, err
}

// matchKeys returns the URLs of the objects in a bucket that a pattern matches.
func matchKeys(ctx context.Context, bucket, pattern string) (urls []string, err error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, doublestar.ErrBadPattern
	}
	b, err := openBucket(ctx, bucket)
	if err != nil {
		return nil, err
	}
	d := &Dir{bucket: b}
	base, parameters, has := strings.Cut(bucket, "?")
	if has {
		parameters = "?" + parameters
	}
	prefix, _, _ := strings.Cut(pattern, pattern[strings.IndexAny(pattern, "*?[{"):])
	err = d.Keys(ctx, prefix, func(key string, _ int64) error {
		if ok, _ := doublestar.Match(pattern, key); ok {
			urls = append(urls, base+"/"+key+parameters)
		}
		return nil
	})
	return urls, err
}
