package main

import (
	"context"
	"fmt"
	"net"
	"testing"

	"absolink/archives/internal/sample"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// A job that is sent to a job server writes the same files, with the flags for Flink and
// Spark. The server here is Prism's, in another process than the job.
func TestJobServer(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
		t.Fatal(err)
	}
	m, whole := archives(t, 3), t.TempDir()
	args := func(out string, more ...string) []string {
		return append([]string{"--manifest", m, "--convert", "--list", "jsonl", "--out", out}, more...)
	}
	if out, err := asProcess(t, args(whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for _, runner := range []string{"flink", "spark"} {
		dir := t.TempDir()
		out, err := asProcess(t, args(dir, "--runner", runner, "--endpoint", fmt.Sprint("localhost:", port), "--environment_type", "LOOPBACK", "--parallelism", "4")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v, %s", runner, err, out)
		}
		sample.Compare(t, tree(t, dir), tree(t, whole))
	}
}
