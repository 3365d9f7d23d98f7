package main

import (
	"archive/zip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// programs are the programs that scripts may run.
var programs = map[string]func(){
	"absolink":     main,
	"unprivileged": func() { dropPrivileges(); main() },
}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

func TestScripts(t *testing.T) {
	server := fetchServer(t)
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("SERVER", server)
			env.Setenv("GORACE", os.Getenv("GORACE")) // how long a command sleeps at its end
			return nil
		},
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"entries": entries,
			"zip":     zipFile,
			"link":    link,
			"same":    same,
			"mode":    mode,
			"mkfifo":  mkfifo,
			"chown":   chown,
			"owner":   owner,
		},
	})
}

// entries DIR NAME…: the directory holds these and nothing else.
func entries(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, entry := range dir {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, args[1:]) {
		ts.Fatalf("%s holds %q", args[0], names)
	}
}

// zip FILE NAME FROM…: a ZIP file, in which each NAME is the file FROM.
func zipFile(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	z := zip.NewWriter(f)
	for pair := range slices.Chunk(args[1:], 2) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: pair[0]})
		ts.Check(err)
		_, err = io.WriteString(w, ts.ReadFile(pair[1]))
		ts.Check(err)
	}
	ts.Check(z.Close())
}

// link FILE NAME: a hard link.
func link(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// same FILE FILE: both names are of one file.
func same(ts *testscript.TestScript, neg bool, args []string) {
	a, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if os.SameFile(a, b) == neg {
		ts.Fatalf("the same file: %v", !neg)
	}
}

// mode FILE PREFIX: the type and mode of the file, as Go prints them, begin with
// PREFIX; a link is not followed.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Lstat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := info.Mode().String(); !strings.HasPrefix(got, args[1]) {
		ts.Fatalf("%s has %s", args[0], got)
	}
}
