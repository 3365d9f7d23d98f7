package input

import (
	"encoding"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"absolink/cmd/absolink/internal/console"
)

// Set sets the options as a query says, whose parameters have the names of the flags. Only
// fields with the tag query are set; each that the query lacks has its default.
func (o *DocumentOptions) Set(q url.Values) error {
	known := map[string]bool{}
	if err := setFields(reflect.ValueOf(o).Elem(), q, known); err != nil {
		return err
	}
	for name := range q {
		if !known[name] {
			return fmt.Errorf("there is no option %q", name)
		}
	}
	return o.Validate()
}

func setFields(v reflect.Value, q url.Values, known map[string]bool) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := setFields(v.Field(i), q, known); err != nil {
				return err
			}
			continue
		}
		name := flagName(field)
		given := []string{}
		if text, ok := field.Tag.Lookup("default"); ok {
			given = []string{text}
		}
		if _, ok := field.Tag.Lookup("query"); ok {
			known[name] = true
			if q.Has(name) {
				given = q[name]
			}
		}
		if enum := field.Tag.Get("enum"); enum != "" && len(given) > 0 && !slices.Contains(strings.Split(enum, ","), given[0]) {
			return fmt.Errorf("%s is one of %s, not %q", name, enum, given[0])
		}
		if err := set(v.Field(i), given, field.Tag.Get("sep") == ","); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// flagName returns the name of the flag of a field.
func flagName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	return console.OptionName(field.Name)
}

// set gives a field the values of a parameter: all of them to a list, and the first to any other
// field.
func set(field reflect.Value, given []string, commas bool) error {
	if len(given) == 0 {
		return nil
	}
	switch to := field.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(given[0]))
	case *bool:
		*to = given[0] == "true" || given[0] == ""
	case *string:
		*to = given[0]
	case *[]string:
		*to = slices.Clone(given)
		if commas {
			*to = strings.FieldsFunc(strings.Join(given, ","), func(c rune) bool { return c == ',' })
		}
	case *time.Duration:
		d, err := time.ParseDuration(given[0])
		*to = d
		return err
	}
	return nil
}
