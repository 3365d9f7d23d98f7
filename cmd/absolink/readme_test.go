package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Every command in a console block of README.md prints what the block says.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```console\n")[1:]
	n := 0
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		for _, c := range strings.Split(block, "$ ")[1:] {
			command, want, _ := strings.Cut(c, "\n")
			n++
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = "../.."
			got, err := cmd.CombinedOutput()
			if err != nil || string(got) != want {
				t.Errorf("%s\nprints\n%s(%v)\nREADME.md says\n%s", command, got, err, want)
			}
		}
	}
	if n < 3 {
		t.Errorf("only %d commands", n)
	}
}

// Every row of the table of bases in README.md is true.
func TestReadmeBases(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "<!-- bases: this table is a test -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if len(rows) < 10 {
		t.Fatalf("only %d lines", len(rows))
	}
	for _, row := range rows {
		cell := strings.Split(strings.Trim(row, "|"), "|")
		for i := range cell {
			cell[i] = strings.Trim(cell[i], " `")
		}
		head, options, want := cell[0], strings.Fields(cell[1]), cell[2]
		var stdout, stderr strings.Builder
		run(options, strings.NewReader(head+"<a href=x>"), &stdout, &stderr)
		if got := stdout.String(); !strings.HasSuffix(got, "<a href="+want+">") {
			t.Errorf("%s\ngives %s%s", row, got, &stderr)
		}
		if (want == "x") != strings.Contains(stderr.String(), "no base URL is known") {
			t.Errorf("%s\nsays %s", row, &stderr)
		}
	}
}
