package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"absolink/archives/internal/sample"

	"github.com/klauspost/compress/gzip"
)

// sparkTable does a job in one process of Spark, and prints the rows of its table.
const sparkTable = `
import json, sys
from absolink_job import do, SparkSession
with SparkSession.builder.getOrCreate() as spark:
    do(spark, sys.argv[1], "links", sys.argv[2], sys.argv[3:])
    table = spark.table("links")
    for row in table.limit(2).collect():  # by the statistics, Spark passes over what cannot have these values
        equal = table
        for name, value in row.asDict().items():
            equal = equal.filter(equal[name].isNull() if value is None else equal[name] == value)
        assert equal.count() > 0, row
    for row in table.orderBy("file", "warc_record_offset", "offset", "element").toLocalIterator():
        print(json.dumps({k: v for k, v in row.asDict().items() if v is not None}, default=lambda t: t.isoformat() + "Z"))
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
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
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
		if out, err := asProcess(t, append(list, "--out", out)...).CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
	want := tree(t, whole)

	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr = t.TempDir(), &syscall.SysProcAttr{Setpgid: true}
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(script), "PYTHONDONTWRITEBYTECODE=1", "PYSPARK_PYTHON="+python, "TZ=UTC")
		return cmd
	}
	cmd := command(python, append([]string{"-c", sparkTable, program, spark}, args("parquet")...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	table, err := cmd.Output()
	if err != nil || !strings.Contains(stderr.String(), "4 archives in, 3 done, 1 dead") {
		t.Fatalf("%v, %s", err, &stderr)
	}
	sample.Compare(t, tree(t, spark), want)
	compareRows(t, table, tree(t, filepath.Join(lists, "list")))

	spark = t.TempDir()
	submit := append([]string{"--master", "local-cluster[2,1,1024]", "--files", program, script, "--out", spark}, args("parquet")...)
	cmd = command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1200 { // two minutes
		if reports, _ := os.ReadDir(filepath.Join(spark, "_job", "reports")); len(reports) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
	if out, err := command(filepath.Join(filepath.Dir(python), "spark-submit"), submit...).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	sample.Compare(t, tree(t, spark), want)
}

// compareRows compares the rows of a table, as lines of JSON without NULL, with lists.
func compareRows(t *testing.T, table []byte, lists map[string]string) {
	t.Helper()
	values := func(text string) (rows map[string]int) {
		rows = map[string]int{}
		for line := range strings.Lines(text) {
			row := map[string]any{}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if at, err := time.Parse(time.RFC3339, row["fetch_time"].(string)); err == nil {
				row["fetch_time"] = at.UnixMicro()
			}
			b, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			rows[string(b)]++
		}
		return rows
	}
	var all strings.Builder
	for _, text := range lists {
		all.WriteString(text)
	}
	got, want := values(string(table)), values(all.String())
	t.Logf("%d different rows", len(want))
	if !reflect.DeepEqual(got, want) || len(want) < 100 {
		t.Errorf("the table has %d different rows, and the lists %d", len(got), len(want))
		for row, n := range want {
			if got[row] != n {
				t.Errorf("the table lacks %s", row)
				break
			}
		}
	}
}
