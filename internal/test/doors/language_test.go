package doors_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"absolink/internal/test/doors"
	"absolink/rewriter"
)

// A language is a program in another language, whose doors are those of the library there.
// It is told of one document after another, in a line of JSON. It asks for what it needs,
// in a line too, and is answered.
type language struct {
	built   string                      // the environment variable that names the built package
	command func(built string) []string // starts the program

	to     *json.Encoder
	from   *json.Decoder
	memory int64 // what the program has last said of its memory
}

// A request is a document for a program.
type request struct {
	Door      string         `json:"door"`
	Mode      string         `json:"mode"`
	URL       string         `json:"url,omitempty"`
	Options   map[string]any `json:"options"`
	Functions []string       `json:"functions"` // those of visit, unresolvable, warn and done that the caller has
	Document  []byte         `json:"document"`  // of a stream nothing: it asks
	Ended     bool           `json:"ended"`     // the context of the caller
}

// A question is what a program says while it has a document.
type question struct {
	Ask   string // "read", "write", "list", "visit", "unresolvable", "warn", "result"; "done" is the last
	Data  []byte // to be written
	Place struct {
		Offset                              int64
		Element, Attr, Raw, Ref, URL, Error string
	}
	Warning struct {
		Offset  int64
		Message string
	}
	Result struct{ Rewritten, Absolute, Left, Unresolvable, Removed, Warnings int }
	Error  *string // of the door, when it is done
	Used   int64   // how much more memory is in use than at the least, after some MiB of the document
}

// An answer is what the program is told then.
type answer struct {
	Data   []byte  `json:"data,omitempty"` // that is read
	End    bool    `json:"end,omitempty"`
	URL    *string `json:"url,omitempty"`    // of visit; absent where Visit changes nothing
	Throws string  `json:"throws,omitempty"` // the message of the error
	Panics bool    `json:"panics,omitempty"` // what is thrown is not an error
}

// start starts the program. It ends with the test, and has left no temporary files then.
func (l *language) start(t *testing.T, args []string) {
	temp := t.TempDir()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: temporary files are left: %v, %v", args, left, err)
		}
	})
	l.to, l.from = json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))
}

// used returns how much more memory the program uses than at the least in its document.
func (l *language) used() int64 { return l.memory }

// gathered returns the Run of a door that takes the whole document.
func (l *language) gathered(of string, m mode) func(*doors.Pass) error {
	return func(p *doors.Pass) error {
		doc, err := read(p.Src)
		if err != nil {
			return err
		}
		return l.pass(p, of, m, doc)
	}
}

// pass has the program send a document through a door, and answers its questions.
func (l *language) pass(p *doors.Pass, of string, m mode, doc []byte) error {
	_, door, _ := strings.Cut(of, ":")
	r := request{Door: door, Mode: m.name, Document: doc, Ended: p.Ctx.Err() != nil}
	r.Options, r.Functions = optionsOf(p.HTML)
	if p.Result != nil {
		r.Functions = append(r.Functions, "done")
	}
	if p.Outer != nil {
		r.URL = p.Outer.String()
	}
	defer func() { l.memory = 0 }()
	if err := l.to.Encode(r); err != nil {
		return err
	}
	var fault *rewriter.Error // the first one that the program was told of
	for {
		var q question
		if err := l.from.Decode(&q); err != nil {
			return fmt.Errorf("the program has ended: %w", err)
		}
		l.memory = cmp.Or(q.Used, l.memory)
		if q.Ask == "done" {
			switch {
			case q.Error == nil:
				return nil
			case fault != nil && *q.Error == fault.Err.Error():
				return fault // the door throws what the caller threw
			}
			return errors.New(*q.Error)
		}
		a, err := q.answer(p)
		if err != nil {
			fault = cmp.Or(fault, &rewriter.Error{Op: strings.Replace(q.Ask, "list", "write", 1), Offset: -1, Err: err})
			a.Throws = err.Error()
		}
		if err := l.to.Encode(a); err != nil {
			return err
		}
	}
}

// answer calls the function of the caller that a question is for.
func (q *question) answer(p *doors.Pass) (a answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = answer{Panics: true}, errors.New("undefined")
		}
	}()
	switch q.Ask {
	case "read":
		b := make([]byte, 32<<10)
		n, err := p.Src.Read(b)
		a.Data, a.End = b[:n], err == io.EOF
		if !a.End {
			return a, err
		}
	case "write":
		return a, doors.Put(p.Dst, q.Data)
	case "list":
		return a, doors.Put(p.Dst, line(q.place()))
	case "unresolvable":
		p.HTML.Hooks().Unresolvable(q.place())
	case "warn":
		p.HTML.Hooks().Warn(q.Warning.Offset, errors.New(q.Warning.Message))
	case "result":
		r := q.Result
		p.Result = &rewriter.Result{Rewritten: r.Rewritten, Absolute: r.Absolute, Left: r.Left, Unresolvable: r.Unresolvable, Removed: r.Removed, Warnings: r.Warnings}
	case "visit":
		place := q.place()
		err := p.HTML.Hooks().Visit(place)
		if place.URL != q.Place.URL {
			a.URL = &place.URL
		}
		return a, err
	default:
		return a, fmt.Errorf("no such question: %q", q.Ask)
	}
	return a, nil
}

func (q *question) place() *rewriter.Place {
	p := &rewriter.Place{Offset: q.Place.Offset, Element: q.Place.Element, Attr: q.Place.Attr, Raw: q.Place.Raw, Ref: q.Place.Ref, URL: q.Place.URL}
	if q.Place.Error != "" {
		p.Err = errors.New(q.Place.Error)
	}
	return p
}

// optionsOf returns the options and hooks of a Rewriter that are not the default, and the
// profile, whose default is another one in each language. A language has them all, under these
// names, or the program says which option it lacks.
func optionsOf(rw *rewriter.Rewriter) (options map[string]any, functions []string) {
	options, functions = map[string]any{}, []string{}
	eachField(rw.Options(), new(rewriter.Rewriter).Options(), func(name string, value any) { options[name] = value })
	options["profile"] = rw.Profile().String()
	eachField(rw.Hooks(), rewriter.Hooks{}, func(name string, value any) {
		if set, ok := value.(bool); ok {
			options[name] = set
		} else {
			functions = append(functions, name)
		}
	})
	return options, functions
}

// eachField calls f for each field of a struct that is not as in another one.
func eachField(of, other any, f func(name string, value any)) {
	v, w := reflect.ValueOf(of), reflect.ValueOf(other)
	for i := range v.NumField() {
		if name, value := v.Type().Field(i).Name, v.Field(i).Interface(); !reflect.DeepEqual(value, w.Field(i).Interface()) {
			f(strings.ToLower(name[:1])+name[1:], value)
		}
	}
}
