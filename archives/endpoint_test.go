package main

import (
	"context"
	"fmt"
	"net"
	"strings"
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
	mustDo(t, asProcess(t, args(whole)...))
	for _, runner := range []string{"flink", "spark"} {
		dir := t.TempDir()
		mustDo(t, asProcess(t, args(dir, "--runner", runner, "--endpoint", fmt.Sprint("localhost:", port), "--environment_type", "LOOPBACK", "--parallelism", "4")...))
		sample.Compare(t, tree(t, dir), tree(t, whole))
	}
}

// A job whose workers do not start ends in one line, which says why.
func TestNoWorkers(t *testing.T) {
	for _, row := range []struct {
		environment []string
		says        string
	}{
		{[]string{"PROCESS"}, `needs --environment_config '{"command": `},
		{[]string{"PROCESS", "--start-within", "10s", "--environment_config", `{"command":"/none/program"}`}, `msg="process failed to start" envID=go error="fork/exec /none/program: no such file or directory"`},
		{[]string{"DOCKER"}, "docker"},
	} {
		args := append([]string{"--manifest", archives(t, 1), "--convert", "--out", t.TempDir(), "--runner", "prism", "--environment_type"}, row.environment...)
		cmd := asProcess(t, args...)
		cmd.Env = append(cmd.Env, "DOCKER_HOST=unix:///none")
		b, err := cmd.CombinedOutput()
		if line := string(b); err == nil || strings.Count(line, "\n") != 1 || !strings.Contains(line, row.says) {
			t.Errorf("%s: %v, %s", row.environment, err, b)
		}
	}
}
