package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"absolink/archives/internal/sample"

	"github.com/klauspost/compress/gzip"
)

// sparkTable does a job in one process of Spark, and compares the rows of its table with lists.
const sparkTable = `
import sys
from absolink_job import do, SparkSession
with SparkSession.builder.getOrCreate() as spark:
    do(spark, sys.argv[1], "links", sys.argv[3], sys.argv[4:])
    table = spark.table("links")
    lists = spark.read.schema(table.schema).json(sys.argv[2])
    print(lists.count() > 100, table.exceptAll(lists).count(), lists.exceptAll(table).count())
    for row in table.limit(2).collect():  # by the statistics, Spark passes over what cannot have these values
        equal = table
        for name, value in row.asDict().items():
            equal = equal.filter(equal[name].isNull() if value is None else equal[name] == value)
        assert equal.count() > 0, row
`

// spark returns a Python that has pyspark, the script of contrib/spark, and what makes commands
// for them.
func spark(t *testing.T) (python, script string, command func(name string, args ...string) *exec.Cmd) {
	python = os.Getenv("SPARK_PYTHON")
	if python == "" {
		t.Skip("SPARK_PYTHON does not name a Python with pyspark")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("java is missing, which Spark needs")
	}
	script, err := filepath.Abs("../contrib/spark/absolink_job.py")
	if err != nil {
		t.Fatal(err)
	}
	return python, script, func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr = t.TempDir(), &syscall.SysProcAttr{Setpgid: true}
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(script), "PYTHONDONTWRITEBYTECODE=1", "PYSPARK_PYTHON="+python, "TZ=UTC")
		return cmd
	}
}

// With SPARK_PYTHON set to a Python that has pyspark, contrib/spark writes the files that a job
// in this process writes: in one process, and on workers, after a kill. The table of Spark has
// every value of every line of the list.
func TestSpark(t *testing.T) {
	python, script, command := spark(t)
	program := filepath.Join(t.TempDir(), "absolink-archives")
	mustDo(t, exec.Command("go", "build", "-tags", "disable_grpc_modules", "-o", program, "."))
	dir := t.TempDir()
	good := sample.Archive(1, 60)
	write(t, filepath.Join(dir, "good.warc.gz"), good)
	write(t, filepath.Join(dir, "cut.warc.gz"), good[:len(good)*2/3])
	write(t, filepath.Join(dir, "plain.warc"), sample.Unzip(t, good))
	m := filepath.Join(dir, "warc.paths.gz") // as Common Crawl has it
	var paths bytes.Buffer
	packed := gzip.NewWriter(&paths)
	packed.Write([]byte("good.warc.gz\ncut.warc.gz\nplain.warc\nnone.warc.gz\n"))
	packed.Close()
	write(t, m, paths.Bytes())
	args := func(list string) []string {
		return []string{"--manifest", m, "--base", dir + "/", "--convert", "--list", list, "--max-dead", "50%"}
	}
	whole, lists, out := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, list := range map[string][]string{whole: args("parquet"), lists: append(args("jsonl"), "--hosts")} {
		mustDo(t, asProcess(t, append(list, "--out", dir)...))
	}
	want := tree(t, whole)

	cmd := command(python, append([]string{"-c", sparkTable, program, filepath.Join(lists, "list"), out}, args("parquet")...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	compared, err := cmd.Output()
	if err != nil || !strings.Contains(stderr.String(), "4 archives in, 3 done, 1 dead") {
		t.Fatalf("%v, %s", err, &stderr)
	}
	if string(compared) != "True 0 0\n" {
		t.Errorf("rows that differ: %s", compared)
	}
	sample.Compare(t, tree(t, out), want)

	out = t.TempDir()
	submit := append([]string{"--master", "local-cluster[2,1,1024]", "--files", program, script, "--out", out}, args("parquet")...)
	cmd = command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if reports, _ := os.ReadDir(filepath.Join(out, "_job", "reports")); len(reports) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no work has begun")
		}
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
	mustDo(t, command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...))
	sample.Compare(t, tree(t, out), want)
}

// Of the archives of a call, those that end its process get dead letters, and no other archive
// does. Spark makes four attempts, as it does on a cluster.
func TestSparkDeadly(t *testing.T) {
	python, _, command := spark(t)
	out, want := t.TempDir(), t.TempDir()
	good := archives(t, 30)
	m := filepath.Join(t.TempDir(), "manifest")
	write(t, m, []byte("deadly://x/0.warc.gz\n"+filepath.Join(filepath.Dir(good), "*.warc.gz")+"\ndeadly://x/1.warc.gz\ndeadly://x/2.warc.gz\ndeadly://x/3.warc.gz\n"))
	cmd := command(python, "-c", `
import sys, absolink_job
absolink_job.ROUNDS = 1
with absolink_job.SparkSession.builder.master("local[2,4]").getOrCreate() as spark:
    sys.exit(absolink_job.do(spark, sys.argv[1], None, sys.argv[2], sys.argv[3:]))
`, os.Args[0], out, "--manifest", m, "--convert", "--max-dead", "50%")
	cmd.Env = append(cmd.Env, asCommand+"=1")
	mustDo(t, cmd)
	dead, err := os.ReadFile(filepath.Join(out, "dead.jsonl"))
	if err != nil || strings.Count(string(dead), "\n") != 4 || strings.Count(string(dead), `"input":"deadly://x/`) != 4 {
		t.Errorf("%v, %s", err, dead)
	}
	mustDo(t, asProcess(t, "--manifest", good, "--out", want, "--convert"))
	sample.Compare(t, tree(t, filepath.Join(out, "converted")), tree(t, filepath.Join(want, "converted")))
}
