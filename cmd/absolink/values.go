package main

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
)

// values has arguments taken as they are, on the command line and in a query.
var values = kong.KindMapper(reflect.String, kong.MapperFunc(decodeString))

// decodeString takes an argument as it is. The parser's own decoder goes by way of
// JSON, which changes the names of files that are not UTF-8.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(fmt.Sprint(token.Value))
	return nil
}
