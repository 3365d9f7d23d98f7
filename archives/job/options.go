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
const Version = 4

// Options say what a job does. They are sent to the workers as JSON.
type Options struct {
	Manifest string // where the names of the archives stand, one a line
	Base     string // what is put before names in the manifest that are no URLs or absolute paths
	Out      string // the directory, or the URL, below which everything is written

	Convert bool   // conversion records of the pages
	Replace bool   // whole archives, with the pages in them rewritten
	List    string // the links: a format of listFormats, or "" for none
	Hosts   bool   // columns of hosts in JSON; Parquet has them always

	Profile resolver.Profile // the standard that links are resolved by
	Level   int              // the level of compression with gzip

	Split    int64 // how long the parts of a long archive are; 0 keeps archives whole
	Attempts int   // how often an archive is tried
	Workers  int   // how many archives one process works on; 0 is one for each processor
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
