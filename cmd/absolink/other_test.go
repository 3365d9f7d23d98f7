//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func dropPrivileges() {}

func mkfifo(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("not on Unix") }
func chown(ts *testscript.TestScript, _ bool, _ []string)  { ts.Fatalf("not on Unix") }
func owner(ts *testscript.TestScript, _ bool, _ []string)  { ts.Fatalf("not on Unix") }
