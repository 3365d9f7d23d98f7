//go:build unix

package main

import (
	"os"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody is a user that owns none of the files that a script begins with.
const nobody = 65534

// dropPrivileges runs a test by root with the rights of another user.
func dropPrivileges() {
	if os.Geteuid() != 0 {
		return
	}
	for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)} {
		if err != nil {
			panic(err)
		}
	}
}

func mkfifo(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// chown FILE UID GID
func chown(ts *testscript.TestScript, _ bool, args []string) {
	uid, err := strconv.Atoi(args[1])
	ts.Check(err)
	gid, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.Chown(ts.MkAbs(args[0]), uid, gid))
}

// owner FILE UID GID
func owner(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	stat := info.Sys().(*syscall.Stat_t)
	uid, gid := strconv.Itoa(int(stat.Uid)), strconv.Itoa(int(stat.Gid))
	if uid != args[1] || gid != args[2] {
		ts.Fatalf("%s belongs to %s:%s", args[0], uid, gid)
	}
}
