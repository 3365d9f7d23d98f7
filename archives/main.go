// Absolink-archives runs absolink over the archives of a crawl, on the engines that Apache
// Beam knows: in this process, on Dataflow, Flink or Spark.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"absolink/archives/job"
	"absolink/internal/size"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/memblob"
	_ "gocloud.dev/blob/s3blob"
	"golang.org/x/term"
)

// The exit codes, which are the same as absolink's.
const (
	exitDone    = 0
	exitNotDone = 1
	exitUsage   = 2
	exitDead    = 4 // more archives could not be done than --max-dead allows
)

// command has the command's own options, without Beam's.
var command = flag.NewFlagSet("absolink-archives", flag.ContinueOnError)

var (
	options = flags(command)
	maxDead = 1.0 // percent
)

func init() {
	command.Func("max-dead", "how many archives may fail, 1% by default; if more do, the exit code is 4", func(s string) error {
		number, ok := strings.CutSuffix(s, "%")
		n, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || !(n >= 0 && n <= 100) { // NaN is neither
			return errors.New("it takes a percentage, such as 1%")
		}
		maxDead = n
		return nil
	})
	command.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	flag.Usage = func() {
		w := flag.CommandLine.Output()
		fmt.Fprint(w, "Usage: absolink-archives --manifest FILE --out OUT [--convert] [--replace] [--list FORMAT] [options]\n\n")
		command.SetOutput(w)
		command.PrintDefaults()
		fmt.Fprint(w, "\nOptions of Apache Beam choose where the job runs, such as --runner dataflow; see docs/cluster.md.\n")
	}
}

// flags adds the options of a job.
func flags(f *flag.FlagSet) *job.Options {
	o := new(job.Options)
	f.StringVar(&o.Manifest, "manifest", "", "the `file` or URL that names the archives: a path, glob or URL on each line")
	f.StringVar(&o.Out, "out", "", "the `directory` or URL to write to: a path, s3://, gs://, azblob:// or mem://")
	f.BoolVar(&o.Convert, "convert", false, "write conversion records of the pages to OUT/converted")
	f.BoolVar(&o.Replace, "replace", false, "write whole archives, with the pages in them rewritten, to OUT/replaced")
	f.StringVar(&o.List, "list", "", "write the links to OUT/list: jsonl, jsonl.gz, jsonl.zst or parquet is the `format`")
	f.BoolVar(&o.Hosts, "hosts", false, "with --list jsonl, also write the hosts, reversed, and their registered domains")
	f.TextVar(&o.Profile, "profile", o.Profile, "the standard to resolve by: rfc1808, rfc3986 or whatwg")
	f.IntVar(&o.Level, "level", 1, "the level of compression with gzip, 1 to 9")
	f.TextVar((*size.Bytes)(&o.Split), "split", size.Bytes(0), "cut archives into parts of this `size`, such as 512MiB; 0 keeps them whole")
	f.IntVar(&o.Attempts, "attempts", 3, "how often to try an archive before it gets a dead letter; a process that ends counts")
	f.IntVar(&o.Workers, "workers", 0, "how many archives a process works on at a time; 0 is one for each processor")
	return o
}

func main() {
	flag.Parse()
	beam.Init() // does not return in a worker that an engine has started
	if !isDry() {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // each layer of Beam would print the error of a step
	}
	os.Exit(inOwnTemp(func() int { return run(context.Background(), os.Stderr) }))
}

// inOwnTemp calls run with a directory for temporary files of its own, where Beam leaves
// files. The directory is removed when run returns, or when a signal ends the process.
func inOwnTemp(run func() int) (code int) {
	interrupted, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := os.MkdirTemp("", "absolink-archives-*")
	context.AfterFunc(interrupted, func() {
		os.RemoveAll(dir)
		os.Exit(exitNotDone)
	})
	if err != nil {
		return run()
	}
	defer os.RemoveAll(dir)
	os.Setenv("TMPDIR", dir)
	return run()
}

// run runs a job and returns the exit code.
func run(ctx context.Context, stderr io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintf(stderr, "absolink-archives: %v\n", err)
		return code
	}
	if flag.NArg() > 0 {
		return fail(exitUsage, fmt.Errorf("%s: archives are named in a list, with --manifest", flag.Arg(0)))
	}
	if err := options.Validate(); err != nil {
		return fail(exitUsage, err)
	}
	if isDry() {
		if err := pipeline(ctx); err != nil {
			return fail(exitNotDone, err)
		}
		return exitDone
	}
	tasks, err := job.ReadManifest(ctx, options.Manifest)
	if _, ok := errors.AsType[*job.Refusal](err); ok {
		return fail(exitUsage, err)
	} else if err != nil {
		return fail(exitNotDone, err)
	}
	out, err := job.OpenDir(ctx, options.Out)
	if err == nil {
		err = job.Start(ctx, out)
	}
	if err != nil {
		return fail(exitNotDone, err)
	}
	stop := showProgress(ctx, stderr, out, len(tasks))
	err = pipeline(ctx)
	stop()
	if err != nil {
		return fail(exitNotDone, cmp.Or(job.FaultOf(options), err))
	}
	totals, err := job.Finish(ctx, options, out, tasks)
	if err != nil {
		return fail(exitNotDone, err)
	}
	printTotals(stderr, totals)
	if float64(totals.Dead) > float64(totals.Archives)*maxDead/100 {
		return fail(exitDead, fmt.Errorf("more than %v%% of the archives failed; see dead.jsonl", maxDead))
	}
	return exitDone
}

// isDry reports whether the job is only to be printed.
func isDry() bool {
	f := flag.Lookup("dry_run")
	return f != nil && f.Value.String() == "true"
}

func pipeline(ctx context.Context) error {
	p, s := beam.NewPipelineWithRoot()
	build(s, *options)
	return beamx.Run(ctx, p)
}

func printTotals(w io.Writer, t *job.Totals) {
	fmt.Fprintf(w, "absolink-archives: %d archives in, %d done, %d dead; %d records in, %d done: %d rewritten, %d unchanged, %d passed, %d failed, %d damaged; %d places, %d unresolvable; %d warnings\n",
		t.Archives, t.Done, t.Dead, t.Records, t.Rewritten+t.Unchanged+t.Passed+t.Failed+t.Damaged,
		t.Rewritten, t.Unchanged, t.Passed, t.Failed, t.Damaged, t.Places, t.Unresolvable, t.Warned)
}

// showProgress says how many archives are done: on a terminal in one line, elsewhere in
// a line each minute. It looks at the reports, wherever the workers run.
func showProgress(ctx context.Context, stderr io.Writer, out *job.Dir, archives int) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	start, end, every := "absolink-archives: ", "\n", time.Minute
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		start, end, every = "\r\x1b[Kabsolink-archives: ", "", 2*time.Second
	}
	var shown sync.WaitGroup
	shown.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
			began := time.Now()
			if done, dead, err := job.Progress(ctx, out); err == nil {
				fmt.Fprintf(stderr, "%s%d of %d archives have a report, %d are dead%s", start, min(done, archives-dead), archives, dead, end)
			}
			every = max(every, 20*time.Since(began)) // looking costs little
		}
	})
	return func() {
		cancel()
		shown.Wait()
		if end == "" {
			fmt.Fprint(stderr, "\r\x1b[K")
		}
	}
}

// build makes the pipeline of a job:
//
//	plan ─▶ work
//
// With --split, work is cut ─▶ pieces ─▶ join. A job.Worker writes everything that is
// written. Only names go from step to step.
func build(s beam.Scope, o job.Options) {
	step := func(name string) beam.Scope { return s.Scope(name) }
	tasks := beam.Reshuffle(s, beam.ParDo(step("Plan"), &planFn{Options: o}, beam.Impulse(s)))
	var done beam.PCollection
	if o.Split == 0 {
		done = beam.ParDo(step("Work"), &workFn{worker{Options: o}}, tasks)
	} else {
		pieces := beam.ParDo(step("Cut"), &cutFn{worker{Options: o}}, tasks)
		ready := beam.ParDo(step("Piece"), &pieceFn{worker{Options: o}}, beam.Reshuffle(s, pieces))
		done = beam.ParDo(step("Join"), &joinFn{worker{Options: o}}, beam.GroupByKey(s, ready))
	}
	beam.ParDo0(s, end, beam.Reshuffle(s, done)) // Prism waits in a busy loop for a long step whose output leads nowhere
}

// end takes the name of an archive that has a report or a dead letter.
func end(string) {}

func init() {
	beam.RegisterFunction(end)
	for _, fn := range []any{&planFn{}, &workFn{}, &cutFn{}, &pieceFn{}, &joinFn{}} {
		beam.RegisterDoFn(fn)
	}
	beam.RegisterType(reflect.TypeFor[job.Task]())
	beam.RegisterType(reflect.TypeFor[job.Piece]())
}

// A worker is the part of a step that has a job.Worker.
type worker struct {
	Options job.Options
	w       *job.Worker
}

func (f *worker) Setup(ctx context.Context) (err error) {
	f.w, err = job.NewWorker(ctx, f.Options)
	return err
}

// planFn gives the archives that the manifest names.
type planFn struct{ Options job.Options }

func (f *planFn) ProcessElement(ctx context.Context, _ []byte, emit func(job.Task)) error {
	tasks, err := job.ReadManifest(ctx, f.Options.Manifest)
	for _, t := range tasks {
		emit(t)
	}
	return err
}

type workFn struct{ worker }

func (f *workFn) ProcessElement(ctx context.Context, t job.Task, emit func(string)) error {
	emit(t.Name)
	return f.w.Do(ctx, t)
}

type cutFn struct{ worker }

func (f *cutFn) ProcessElement(ctx context.Context, t job.Task, emit func(job.Piece)) error {
	pieces, err := f.w.Cut(ctx, t)
	for _, p := range pieces {
		emit(p)
	}
	return err
}

type pieceFn struct{ worker }

func (f *pieceFn) ProcessElement(ctx context.Context, p job.Piece, emit func(string, job.Piece)) error {
	emit(p.Name, p)
	return f.w.DoPiece(ctx, p)
}

type joinFn struct{ worker }

func (f *joinFn) ProcessElement(ctx context.Context, name string, next func(*job.Piece) bool, emit func(string)) error {
	var pieces []job.Piece
	for p := (job.Piece{}); next(&p); {
		pieces = append(pieces, p)
	}
	emit(name)
	return f.w.Join(ctx, pieces)
}
