// Command make writes absolink.html to standard output, compressed by gzip, with the module in the
// file that it is given: see ../build. It runs in the root of the repository.
package main

import (
	"compress/gzip"
	"log"
	"os"

	"absolink/cmd/absolink/internal/page"
)

func main() {
	log.SetFlags(0)
	module, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	wasi, err := os.ReadFile("bindings/js/wasi.js")
	if err != nil {
		log.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err := page.WriteFile(z, module, string(wasi)); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
}
