package job

import (
	"bufio"
	"cmp"
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

	"absolink/internal/coding"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"
)

// A Task is an archive to do, or a part of one.
type Task struct {
	Input string // a path or a URL
	Name  string // of its outputs; no two archives have the same
	Part  *Part  // nil for the whole archive
}

// A Part is a part of an archive, which different workers can do.
type Part struct {
	Begin, End int64 // End of the last one is the size of the archive
	Of         int   // how many there are
	ETag       string
}

// String returns a task as a line: the input; the name, if that is not the last part of the
// input; and the part. None of them has a tab.
func (t Task) String() string {
	var name, part string
	if t.Name != baseName(t.Input) {
		name = t.Name
	}
	if p := t.Part; p != nil {
		part = fmt.Sprintf("%d-%d/%d %s", p.Begin, p.End, p.Of, p.ETag)
	}
	return strings.TrimRight(t.Input+"\t"+name+"\t"+part, "\t")
}

// ParseTask returns the task that a line of Task.String is. The error is a *Refusal.
func ParseTask(line string) (Task, error) {
	for field := range strings.SplitSeq(line, "\t") {
		if reason := oddName(field); reason != "" {
			return Task{}, &Refusal{reason}
		}
	}
	input, rest, _ := strings.Cut(line, "\t")
	name, part, _ := strings.Cut(rest, "\t")
	t := Task{Input: input, Name: cmp.Or(name, baseName(input))}
	if part != "" {
		numbers, etag, _ := strings.Cut(part, " ")
		p := &Part{ETag: etag}
		fmt.Sscanf(numbers, "%d-%d/%d", &p.Begin, &p.End, &p.Of)
		if t.Part = p; t.String() != line || p.Begin < 0 || p.Begin >= p.End {
			return t, &Refusal{fmt.Sprintf("%s: %q is not a part of an archive", shown(input), part)}
		}
	}
	if strings.HasPrefix(line, "-") {
		return t, &Refusal{line + ": an option stands before the archives"}
	}
	if reason := refuse(t, map[string]string{}); reason != "" {
		return t, &Refusal{reason}
	}
	return t, nil
}

// Tasks returns the tasks that archives are: the archives, or parts of them with Options.Split.
func (w *Worker) Tasks(ctx context.Context, archives []Task) ([]Task, error) {
	if w.options.Split == 0 {
		return archives, nil
	}
	tasks := make([][]Task, len(archives))
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i, t := range archives {
		all.Go(func() (err error) {
			tasks[i], err = w.parts(ctx, t)
			return err
		})
	}
	err := all.Wait()
	return slices.Concat(tasks...), err
}

// Where a job keeps what it needs to go on after a stop, below Options.Out.
const (
	reportsDir = "_job/reports/"
	deadDir    = "_job/dead/"
	partsDir   = "_job/parts/"
	planDir    = "_job/plan/"
)

// planned returns the line by which a plan knows a task, without what may be secret in its URL,
// and the key of the file that has this line, in a plan of the same options. A plan has up to 256
// files, so that nobody reads all of it for one task.
func (w *Worker) planned(t Task) (line, key string) {
	t.Input = shown(t.Input)
	line = t.String()
	return line, fmt.Sprintf("%s%s-%.1x.json", planDir, w.hash, sha256.Sum256([]byte(line)))
}

// Plan notes the tasks of a job for Refuse.
func (w *Worker) Plan(ctx context.Context, tasks []Task) error {
	files := map[string][]string{}
	for _, t := range tasks {
		line, key := w.planned(t)
		files[key] = append(files[key], line)
	}
	var all errgroup.Group
	all.SetLimit(atOnce)
	for key, lines := range files {
		all.Go(func() error { return w.out.WriteJSON(ctx, key, lines) })
	}
	return all.Wait()
}

// Refuse returns a *Refusal if the plan of the job lacks one of the tasks: nobody would report
// what becomes of it.
func (w *Worker) Refuse(ctx context.Context, tasks []Task) error {
	files := map[string][]string{}
	for _, t := range tasks {
		line, key := w.planned(t)
		if _, ok := files[key]; !ok {
			var lines []string
			if _, err := w.out.ReadJSON(ctx, key, &lines); err != nil {
				return err
			}
			files[key] = lines
		}
		if !slices.Contains(files[key], line) {
			return &Refusal{fmt.Sprintf("%s is not in the plan of this job: name it as absolink-archives plan prints it, with the options of plan; after sum, plan again", shown(t.Input))}
		}
	}
	return nil
}

// A Refusal says what is wrong with the options or the list, before any work.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// maxLine is how long a line of the manifest may be, in bytes.
const maxLine = 64 << 10

// ReadManifest returns the archives that the manifest of a job names, in its order. The error
// may be a *Refusal.
func ReadManifest(ctx context.Context, o *Options) ([]Task, error) {
	if o.Manifest == "" {
		return nil, &Refusal{"name the list of archives with --manifest"}
	}
	src, err := OpenSource(ctx, o.Manifest)
	manifest := shown(o.Manifest) // in messages, which are written as well
	if isMissing(err) {
		return nil, &Refusal{fmt.Sprintf("%s: there is no such manifest", manifest)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	file := src.Reader(ctx, 0)
	defer file.Close()
	r := bufio.NewReader(file)
	if start, _ := r.Peek(3); coding.Gzip.Begins(start) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", manifest, err)
		}
		r = bufio.NewReader(z)
	}
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
		found, err := expand(ctx, below(o.Base, line))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", manifest, number, err)
		}
		for _, t := range found {
			if strings.HasPrefix(t.Input, "-") {
				t.Input = "./" + t.Input // no option of a call
			}
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
	if errors.Is(lines.Err(), errChanged) {
		return nil, fmt.Errorf("%s: the manifest changed while it was read; start the job again", manifest)
	}
	return tasks, lines.Err()
}

// maxName is how long the name of an archive may be. A file system takes 255 bytes; the
// names of reports, lists and unfinished files need some of them.
const maxName = 200

// below returns a line of the manifest below a base, unless it says itself where it is. A base
// may have parameters.
func below(base, line string) string {
	if _, _, ok := splitURL(line); ok || base == "" || filepath.IsAbs(line) {
		return line
	}
	base, parameters := cutParameters(base)
	return strings.TrimSuffix(base, "/") + "/" + line + parameters
}

// refuse says why a task cannot be done beside those before it. from has their inputs, as shown
// gives them, by the names of their archives that are written.
func refuse(t Task, from map[string]string) string {
	input := shown(t.Input)
	switch odd := oddName(t.Input); {
	case odd != "":
		return odd
	case t.Name == "" || t.Name != filepath.Base(t.Name) || t.Name == "." || t.Name == ".." || t.Name == "/":
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
		return []Task{{Input: line, Name: baseName(line)}}, nil
	}
	var inputs []string
	if bucket, pattern, ok := splitURL(line); ok {
		inputs, err = matchKeys(ctx, bucket, pattern)
	} else {
		name := localPath(line)
		if src, err := fileSource(name); err == nil && src.path == name {
			return []Task{{Input: name, Name: baseName(name)}}, nil // the characters of a glob are in its name
		}
		inputs, err = doublestar.FilepathGlob(name, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	}
	if errors.Is(err, doublestar.ErrBadPattern) || errors.Is(err, path.ErrBadPattern) || errors.Is(err, filepath.ErrBadPattern) {
		return nil, &Refusal{fmt.Sprintf("%s is not a valid glob", shown(line))}
	}
	slices.Sort(inputs)
	for _, input := range inputs {
		tasks = append(tasks, Task{Input: input, Name: baseName(input)})
	}
	if len(tasks) == 0 {
		tasks = []Task{{Input: line, Name: fmt.Sprintf("unmatched-%.4x", sha256.Sum256([]byte(line)))}}
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
	base, parameters := cutParameters(bucket)
	prefix, _, _ := strings.Cut(pattern, pattern[strings.IndexAny(pattern, "*?[{"):])
	err = d.Keys(ctx, prefix, func(key string, _ int64) error {
		if ok, _ := doublestar.Match(pattern, key); ok {
			urls = append(urls, base+"/"+key+parameters)
		}
		return nil
	})
	return urls, err
}
