package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Every command in a console block of README.md, with what it prints.
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
