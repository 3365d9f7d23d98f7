// Absolink-archives rewrites and lists the archives of a manifest: all of them, in this
// process, or, in three calls, those that a scheduler or another engine chooses.
//
//	absolink-archives plan   begins a job, and prints the archives, one on each line
//	absolink-archives do     does archives that plan has printed
//	absolink-archives sum    adds up the reports, and ends the job
//
// Compiled with -tags disable_grpc_modules, the program is smaller by a quarter: the client of Google
// Cloud Storage then lacks what it needs for gRPC alone, and this program speaks to it in HTTP.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"absolink/archives/job"
	"absolink/internal/size"

	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"
)

// The exit codes, which are the same as absolink's.
const (
	exitDone    = 0
	exitNotDone = 1
	exitUsage   = 2
	exitDead    = 4 // more archives could not be done than --max-dead allows
)

var (
	options = new(job.Options)
	maxDead = 1.0 // percent
)

func init() {
	flag.StringVar(&options.Manifest, "manifest", "", "the `file` or URL that names the archives: a path, glob or URL on each line")
	flag.StringVar(&options.Base, "base", "", "the directory or `URL` that names in the manifest are below, such as s3://commoncrawl/")
	flag.StringVar(&options.Out, "out", "", "the `directory` or URL to write to: a path, s3://, gs:// or azblob://")
	flag.BoolVar(&options.Convert, "convert", false, "write conversion records of the pages to OUT/converted")
	flag.BoolVar(&options.Replace, "replace", false, "write whole archives, with the pages in them rewritten, to OUT/replaced")
	flag.StringVar(&options.List, "list", "", "write the links to OUT/list: jsonl, jsonl.gz, jsonl.zst or parquet is the `format`")
	flag.BoolVar(&options.Hosts, "hosts", false, "with --list jsonl, also write the hosts, reversed, and their registered domains")
	flag.TextVar(&options.Profile, "profile", options.Profile, "the standard to resolve by: rfc1808, rfc3986 or whatwg")
	flag.IntVar(&options.Level, "level", 1, "the level of compression with gzip, 1 to 9")
	flag.TextVar((*size.Bytes)(&options.Split), "split", size.Bytes(0), "cut archives into parts of this `size`, such as 512MiB; 0 keeps them whole")
	flag.IntVar(&options.Attempts, "attempts", 3, "how often to try an archive before it gets a dead letter; a process that ends counts")
	flag.IntVar(&options.Workers, "workers", 0, "how many archives a process works on at a time; 0 is one for each processor")
	flag.Func("max-dead", "how many archives may fail, 1% by default; if more do, the exit code is 4", func(s string) error {
		number, ok := strings.CutSuffix(s, "%")
		n, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || !(n >= 0 && n <= 100) { // NaN is neither
			return errors.New("it takes a percentage, such as 1%")
		}
		maxDead = n
		return nil
	})
	flag.Usage = func() {
		w := flag.CommandLine.Output()
		fmt.Fprint(w, `Usage: absolink-archives [plan|sum] --manifest FILE --out OUT [--convert] [--replace] [--list FORMAT] [options]
       absolink-archives do --out OUT [--convert] [--replace] [--list FORMAT] [options] ARCHIVE...

Without a mode, a whole job is done. A scheduler takes three calls with the same options:
plan begins a job and prints its archives, do does some of them, and sum ends the job.

`)
		flag.PrintDefaults()
	}
}

func main() {
	flag.Parse()
	mode := flag.Arg(0)
	if mode != "" {
		flag.CommandLine.Parse(flag.Args()[1:])
	}
	os.Exit(untilSignal(func(ctx context.Context) int { return run(ctx, mode, flag.Args(), os.Stdout, os.Stderr) }))
}

// stopWithin is how long run may take to stop after a signal.
const stopWithin = 8 * time.Second

// untilSignal calls run, whose context a signal ends.
func untilSignal(run func(ctx context.Context) int) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // the next signal ends the process
		time.Sleep(stopWithin)
		fmt.Fprintln(os.Stderr, "absolink-archives:", errEnded)
		os.Exit(exitNotDone)
	})
	return run(ctx)
}

// run runs a mode, and returns the exit code.
func run(ctx context.Context, mode string, args []string, stdout, stderr io.Writer) int {
	err := options.Validate()
	switch {
	case err != nil:
		err = &job.Refusal{Reason: err.Error()}
	case mode == "do":
		err = do(ctx, args)
	case len(args) > 0:
		err = &job.Refusal{Reason: args[0] + ": archives are named in a list, with --manifest"}
	case mode == "plan":
		err = plan(ctx, stdout)
	case mode == "sum":
		err = sum(ctx, stderr)
	case mode != "":
		err = &job.Refusal{Reason: mode + ": the modes are plan, do and sum"}
	default:
		err = all(ctx, stderr)
	}
	if err == nil {
		return exitDone
	}
	code := exitNotDone
	if errors.As(err, new(*job.Refusal)) {
		code = exitUsage
	} else if errors.As(err, new(tooManyDead)) {
		code = exitDead
	} else if ctx.Err() != nil && !errors.As(err, new(*job.Fault)) {
		err = errEnded
	}
	fmt.Fprintf(stderr, "absolink-archives: %v\n", err)
	return code
}

var errEnded = errors.New("ended by a signal; start it again: it does what is missing")

// open reads the manifest, and opens the directory to write to.
func open(ctx context.Context) (w *job.Worker, archives []job.Task, err error) {
	if archives, err = job.ReadManifest(ctx, options); err == nil {
		w, err = job.NewWorker(ctx, options)
	}
	return w, archives, err
}

// start begins a job.
func start(ctx context.Context) (w *job.Worker, archives []job.Task, err error) {
	if w, archives, err = open(ctx); err == nil {
		err = w.Start(ctx)
	}
	return w, archives, err
}

// plan begins a job, and prints its tasks.
func plan(ctx context.Context, stdout io.Writer) error {
	w, archives, err := start(ctx)
	if err != nil {
		return err
	}
	tasks, err := w.Tasks(ctx, archives)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, t := range tasks {
		fmt.Fprintln(&lines, t)
	}
	_, err = io.WriteString(stdout, lines.String())
	return err
}

// do does tasks as plan prints them.
func do(ctx context.Context, lines []string) error {
	if len(lines) == 0 {
		return &job.Refusal{Reason: "name the archives to do, as absolink-archives plan prints them"}
	}
	tasks := make([]job.Task, len(lines))
	for i, line := range lines {
		var err error
		if tasks[i], err = job.ParseTask(line); err != nil {
			return err
		}
	}
	if options.Workers > 0 {
		runtime.GOMAXPROCS(min(options.Workers, runtime.GOMAXPROCS(0))) // the others have calls of their own
	}
	w, err := job.NewWorker(ctx, options)
	if err != nil {
		return err
	}
	return doAll(ctx, w, tasks)
}

// doAll does tasks, as many at a time as a process may.
func doAll(ctx context.Context, w *job.Worker, tasks []job.Task) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(cmp.Or(options.Workers, runtime.GOMAXPROCS(0)))
	for _, t := range tasks {
		workers.Go(func() error { return w.Do(ctx, t) })
	}
	return workers.Wait()
}

// all does a whole job in this process.
func all(ctx context.Context, stderr io.Writer) error {
	w, archives, err := start(ctx)
	if err != nil {
		return err
	}
	stop := showProgress(ctx, stderr, w, len(archives))
	tasks, err := w.Tasks(ctx, archives)
	if err == nil {
		err = doAll(ctx, w, tasks)
	}
	stop()
	if err != nil {
		return err
	}
	return finish(ctx, w, archives, stderr)
}

type tooManyDead struct{ error }

// sum ends a job whose tasks are done.
func sum(ctx context.Context, stderr io.Writer) error {
	w, archives, err := open(ctx)
	if err != nil {
		return err
	}
	return finish(ctx, w, archives, stderr)
}

// finish writes the summary of a job, and prints it.
func finish(ctx context.Context, w *job.Worker, archives []job.Task, stderr io.Writer) error {
	t, err := w.Finish(ctx, archives)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "absolink-archives: %d archives in, %d done, %d dead; %d records in, %d done: %d rewritten, %d unchanged, %d passed, %d failed, %d damaged; %d places, %d unresolvable; %d warnings\n",
		t.Archives, t.Done, t.Dead, t.Records, t.Rewritten+t.Unchanged+t.Passed+t.Failed+t.Damaged,
		t.Rewritten, t.Unchanged, t.Passed, t.Failed, t.Damaged, t.Places, t.Unresolvable, t.Warned)
	if float64(t.Dead) > float64(t.Archives)*maxDead/100 {
		return tooManyDead{fmt.Errorf("more than %v%% of the archives failed; see dead.jsonl", maxDead)}
	}
	return nil
}

// showProgress says how many archives are done: on a terminal in one line, elsewhere in
// a line each minute. It looks at the reports, wherever the workers run.
func showProgress(ctx context.Context, stderr io.Writer, w *job.Worker, archives int) (stop func()) {
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
			if done, dead, err := w.Progress(ctx); err == nil {
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
