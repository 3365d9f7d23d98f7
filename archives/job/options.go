// Package job rewrites and lists the archives of a manifest, each on its own, so that any
// engine can run the job on any number of machines.
//
// ReadManifest reads the manifest, Worker.Start begins, and Worker.Tasks says what is to be
// done. Worker.Do does a task; the report of an archive is written last. Worker.Finish adds up
// the reports. A run that is repeated does what has no valid report.
// Everything that is written has the same bytes in each run, whichever machine writes it.
package job

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"absolink/resolver"
)

// Version changes when the same input would give other bytes.
const Version = 5

// Options say what a job does. They are sent to the workers as JSON.
// Their tags define the options of the command.
type Options struct {
	Manifest string `placeholder:"LIST" help:"The file or URL that names the archives: a path, glob or URL on each line. A line that begins with # is a comment."`
	Base     string `placeholder:"URL" help:"The directory or URL that names in the manifest are below, such as s3://commoncrawl/."`
	Out      string `placeholder:"OUT" help:"The directory or URL to write to: a path, s3://, gs:// or azblob://."`

	Convert bool   `help:"Write conversion records of the pages to OUT/converted."`
	Replace bool   `help:"Write whole archives, with the pages in them rewritten, to OUT/replaced."`
	List    string `placeholder:"FORMAT" help:"Write the links to OUT/list, as jsonl, jsonl.gz, jsonl.zst or parquet."` // of listFormats
	Hosts   bool   `help:"With --list jsonl, also write the hosts, reversed, and their registered domains."`

	Profile resolver.Profile `placeholder:"PROFILE" default:"rfc1808" env:"ABSOLINK_PROFILE" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg."`
	Level   int              `placeholder:"N" default:"1" help:"The level of compression with gzip, from 1 (the default) to 9."`

	Split    int64 `type:"size" placeholder:"SIZE" default:"0" help:"Cut archives into parts of this size, such as 512MiB. By default, archives stay whole."`
	Attempts int   `placeholder:"N" default:"3" help:"How often to try an archive before it gets a dead letter (3). A process that ends counts."`
	Workers  int   `short:"j" placeholder:"N" default:"0" help:"How many archives a process works on at a time. By default one for each processor."`
}

// Validate reports which options cannot be used together.
func (o *Options) Validate() error {
	switch {
	case o.Out == "":
		return errors.New("name the directory or bucket to write to with --out")
	case !o.Convert && !o.Replace && o.List == "":
		return errors.New("say what to write: --convert, --replace or --list")
	case o.List != "" && !slices.Contains(listFormats, o.List):
		return errors.New("--list takes jsonl, jsonl.gz, jsonl.zst or parquet")
	case o.Hosts && (o.List == "" || o.List == "parquet"):
		return errors.New("--hosts is for --list jsonl; parquet has the hosts always")
	case o.Level < 1 || o.Level > 9:
		return errors.New("--level takes a number from 1 to 9")
	case o.Split != 0 && o.Split < 1024:
		return errors.New("--split takes a size from 1KiB, such as 512MiB")
	case o.Split != 0 && o.Replace:
		return errors.New("--replace reads archives whole; leave out --split")
	case o.Attempts < 1:
		return errors.New("--attempts takes a number from 1")
	case o.Workers < 0:
		return errors.New("--workers takes a number from 1")
	}
	return nil
}

// Hash names the options on which the bytes of an output depend.
func (o *Options) Hash() string {
	b, err := json.Marshal([]any{Version, o.Convert, o.Replace, o.List, o.Hosts, o.Profile.String(), o.Level})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))[:16]
}
