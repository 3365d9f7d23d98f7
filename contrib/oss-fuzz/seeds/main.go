// Seeds writes a zip file with the first inputs of a fuzz target in OSS-Fuzz, made of the files
// in a directory testdata/fuzz/FuzzX of Go:
//
//	go run ./contrib/oss-fuzz/seeds DIR ZIP
package main

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: seeds DIR ZIP")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "seeds:", err)
		os.Exit(1)
	}
}

// write writes the zip file.
func write(dir, name string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return err
		}
		seed, err := raw(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, file.Name()), err)
		}
		w, err := z.Create(file.Name())
		if err == nil {
			_, err = w.Write(seed)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), f.Close())
}

// raw returns the bytes from which go-118-fuzz-build reads the values in a file of Go.
func raw(text string) (seed []byte, err error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[0] != "go test fuzz v1" {
		return nil, errors.New("it is not a file of go test")
	}
	for _, line := range lines[1:] {
		if seed, err = appendValue(seed, line); err != nil {
			return nil, fmt.Errorf("%.100s: %w", line, err)
		}
	}
	return seed, nil
}

// appendValue adds a value such as string("x") in the form that ConsumeFuzzer of go-fuzz-headers
// reads: text after its length, and after a uint16 a byte that says that it is big-endian.
func appendValue(seed []byte, line string) ([]byte, error) {
	if text, ok := strings.CutPrefix(line, "[]byte("); ok {
		line = "string(" + text // which is a constant
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, line)
	if err != nil {
		return nil, err
	}
	if v.Value == nil {
		return nil, errors.New("it is not a value")
	}
	switch v.Type.String() {
	case "string":
		value := constant.StringVal(v.Value)
		return append(binary.BigEndian.AppendUint32(seed, uint32(len(value))), value...), nil
	case "byte", "uint8":
		value, _ := constant.Uint64Val(v.Value)
		return append(seed, byte(value)), nil
	case "uint16":
		value, _ := constant.Uint64Val(v.Value)
		return append(binary.BigEndian.AppendUint16(seed, uint16(value)), 1), nil
	}
	return nil, errors.New("its type is not known")
}
