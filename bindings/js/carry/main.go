// Command carry writes carried.js of the npm package: the module as text, compressed, for
// inline.js. Standard input is the module.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := carry(os.Stdout, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "carry:", err)
		os.Exit(1)
	}
}

func carry(dst io.Writer, src io.Reader) error {
	module, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	var compressed bytes.Buffer
	w, err := flate.NewWriter(&compressed, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(module); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(compressed.Bytes())
	_, err = fmt.Fprintf(dst, "export const length = %d;\nexport const carried = '%s';\n", len(module), text)
	return err
}
