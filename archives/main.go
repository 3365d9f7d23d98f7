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
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"absolink/archives/job"
	"absolink/internal/listing"
	"absolink/internal/size"
	"absolink/internal/usage"

	"github.com/alecthomas/kong"
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

// A commandLine is the definition of the options and the calls.
type commandLine struct {
	Options job.Options `embed:""`
	MaxDead percent     `placeholder:"PERCENT" default:"1%" help:"How many archives may fail (1%). If more do, the exit code is 4."`

	All  struct{} `cmd:"" default:"1" help:"Do a whole job in this process (without a call)."`
	Plan struct{} `cmd:"" help:"Begin a job, and print a line for each archive or part."`
	Do   struct {
		Archives []string `arg:"" name:"ARCHIVE" sep:"none" help:"A line that plan has printed."`
	} `cmd:"" help:"Do archives that plan has printed, unless they are done."`
	Sum struct{} `cmd:"" help:"Add up the reports, write the summary, and end the job."`
}

var (
	line    commandLine
	options = &line.Options
)

// A percent is a number from 0 to 100, written with its sign.
type percent float64

func (p *percent) UnmarshalText(text []byte) error {
	number, ok := strings.CutSuffix(string(text), "%")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(n >= 0 && n <= 100) { // NaN is neither
		return errors.New("it takes a percentage, such as 1%")
	}
	*p = percent(n)
	return nil
}

// decodeSize takes a number of bytes, as options of absolink do.
func decodeSize(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("size")
	if err != nil {
		return err
	}
	var n size.Bytes
	if err := n.UnmarshalText([]byte(fmt.Sprint(token.Value))); err != nil {
		return err
	}
	target.SetInt(int64(n))
	return nil
}

const usageText = `Usage: absolink-archives --manifest LIST --out OUT [OPTIONS]
       absolink-archives plan|sum --manifest LIST --out OUT [OPTIONS]
       absolink-archives do --out OUT [OPTIONS] ARCHIVE ...

Rewrites or lists the archives that a manifest names.

Without a call, a whole job is done. A scheduler takes three calls with the same options:
plan begins a job and prints its archives, do does some of them, and sum ends the job.

Exit codes:
  0  done
  1  not done: start the same command again
  2  wrong usage
  4  done, and more archives failed than --max-dead allows
`

func help(o kong.HelpOptions, ctx *kong.Context) error {
	fmt.Fprint(ctx.Stdout, usageText)
	o.NoAppSummary = true
	return kong.DefaultHelpPrinter(o, ctx)
}

func main() {
	usage.DropEmptyProfile()
	parser := kong.Must(&line, kong.Name("absolink-archives"), kong.Help(help), kong.NamedMapper("size", kong.MapperFunc(decodeSize)), usage.Strings)
	if len(os.Args) == 1 {
		fmt.Fprint(os.Stderr, usageText, "\nabsolink-archives --help shows all options.\n")
		os.Exit(exitUsage)
	}
	call, err := parser.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "absolink-archives: %s (absolink-archives --help shows the usage)\n", listing.Message(usage.Message(err)))
		os.Exit(exitUsage)
	}
	mode, _, _ := strings.Cut(call.Command(), " ")
	os.Exit(untilSignal(func(ctx context.Context) int { return run(ctx, mode, line.Do.Archives, os.Stdout, os.Stderr) }))
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
		err = do(ctx, args, stderr)
	case mode == "plan":
		err = plan(ctx, stdout)
	case mode == "sum":
		err = sum(ctx, stderr)
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
	fmt.Fprintln(stderr, "absolink-archives:", listing.Message(err.Error()))
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
	if err := w.Plan(ctx, tasks); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, lines.String())
	return err
}

// do does tasks as plan prints them.
func do(ctx context.Context, lines []string, stderr io.Writer) error {
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
	if err == nil {
		err = w.Refuse(ctx, tasks)
	}
	if err != nil {
		return err
	}
	w.Letter = letters(stderr)
	return doAll(ctx, w, tasks)
}

// letters returns a function that prints a line for each dead letter.
func letters(stderr io.Writer) func(job.Dead) {
	start := "absolink-archives: "
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		start = "\r\x1b[K" + start // over the progress
	}
	return func(d job.Dead) {
		where := d.Input
		if d.Offset >= 0 {
			where += fmt.Sprintf(": byte %d", d.Offset)
		}
		reason, _, _ := strings.Cut(d.Error, "\n") // of a panic
		fmt.Fprintln(stderr, start+listing.Message(where+": dead letter: "+reason))
	}
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
	w.Letter = letters(stderr)
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
	fmt.Fprintf(stderr, "absolink-archives: %s in, %d done, %d dead; %s in, %d done: %d rewritten, %d unchanged, %d passed, %d failed, %d damaged; %d places, %d unresolvable; %s\n",
		counted(t.Archives, "archive"), t.Done, t.Dead, counted(t.Records, "record"), t.Rewritten+t.Unchanged+t.Passed+t.Failed+t.Damaged,
		t.Rewritten, t.Unchanged, t.Passed, t.Failed, t.Damaged, t.Places, t.Unresolvable, counted(t.Warned, "warning"))
	if most := float64(line.MaxDead); float64(t.Dead) > float64(t.Archives)*most/100 {
		return tooManyDead{fmt.Errorf("more than %v%% of the archives failed; see dead.jsonl", most)}
	}
	return nil
}

// counted returns a number with what it counts, such as "1 archive" and "2 archives".
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
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
