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

// With SPARK_PYTHON set to a Python that has pyspark, contrib/spark writes the files that a job
// in this process writes: in one process, and on workers, after a kill. The table of Spark has
// every value of every line of the list.
func TestSpark(t *testing.T) {
	python := os.Getenv("SPARK_PYTHON")
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
	whole, lists, spark := t.TempDir(), t.TempDir(), t.TempDir()
	for out, list := range map[string][]string{whole: args("parquet"), lists: append(args("jsonl"), "--hosts")} {
		mustDo(t, asProcess(t, append(list, "--out", out)...))
	}
	want := tree(t, whole)

	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr = t.TempDir(), &syscall.SysProcAttr{Setpgid: true}
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(script), "PYTHONDONTWRITEBYTECODE=1", "PYSPARK_PYTHON="+python, "TZ=UTC")
		return cmd
	}
	cmd := command(python, append([]string{"-c", sparkTable, program, filepath.Join(lists, "list"), spark}, args("parquet")...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	compared, err := cmd.Output()
	if err != nil || !strings.Contains(stderr.String(), "4 archives in, 3 done, 1 dead") {
		t.Fatalf("%v, %s", err, &stderr)
	}
	if string(compared) != "True 0 0\n" {
		t.Errorf("rows that differ: %s", compared)
	}
	sample.Compare(t, tree(t, spark), want)

	spark = t.TempDir()
	submit := append([]string{"--master", "local-cluster[2,1,1024]", "--files", program, script, "--out", spark}, args("parquet")...)
	cmd = command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if reports, _ := os.ReadDir(filepath.Join(spark, "_job", "reports")); len(reports) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no work has begun")
		}
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
	mustDo(t, command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...))
	sample.Compare(t, tree(t, spark), want)
}
