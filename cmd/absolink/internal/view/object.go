package view

import (
	"bytes"
	"encoding/base64"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
)

// An objectWriter writes an object as a line of JSON, piece by piece: all of a long object would
// take much memory.
type objectWriter struct {
	out    *listing.Buffer
	before string // what stands before the next member
}

// add adds a member.
func (o *objectWriter) add(name string, value any) {
	o.addName(name)
	o.addValue(value)
}

// addBytes adds a member as encoding/json does: in base64, or null.
func (o *objectWriter) addBytes(name string, b []byte) {
	if b == nil {
		o.add(name, nil)
		return
	}
	o.addName(name)
	o.out.Add(`"`)
	text := base64.NewEncoder(base64.StdEncoding, o.out)
	text.Write(b)
	text.Close()
	o.out.Add(`"`)
}

// addList adds a member that is a list, or null.
func addList[E any](o *objectWriter, name string, list []E) {
	if list == nil {
		o.add(name, nil)
		return
	}
	o.addName(name)
	o.out.Add("[")
	for i := range list {
		if i > 0 {
			o.out.Add(",")
		}
		o.addValue(&list[i])
	}
	o.out.Add("]")
}

func (o *objectWriter) addName(name string) {
	o.out.Add(o.before + `"` + name + `":`)
	o.before = ","
}

func (o *objectWriter) addValue(value any) {
	var b bytes.Buffer
	if err := console.WriteJSON(&b, value); err != nil {
		panic(err) // the values of this program have a form in JSON
	}
	o.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// end ends the object, which has a member, and returns the first error of the writer.
func (o *objectWriter) end() error {
	o.out.Add("}\n")
	return o.out.Flush()
}
