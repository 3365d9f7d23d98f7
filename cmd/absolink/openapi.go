package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/size"
)

type object = map[string]any

// openAPI returns the OpenAPI 3.1 description of absolink serve. The parameters are those
// that parseQuery takes, made of the same options. It says whether documents are fetched,
// for the page.
func openAPI(fetches bool) []byte {
	documents := kong.Must(new(listCommand), kong.Name("absolink"), kong.NoDefaultHelp(), values)
	resolve := kong.Must(new(resolveCommand), kong.Name("absolink"), kong.NoDefaultHelp(), values)
	url := parameter("url", "The URL that the document was retrieved from: the base of relative links where the document embeds none. With GET, it is the URL to fetch.", object{"type": "string"})
	of := func(more ...string) []any { return parametersOf(documents, []any{url}, more...) }
	name := parameter("name", "What lists and diffs call the document, instead of its URL.", object{"type": "string"})
	base := parameter("base", "The base URL.", object{"type": "string"})
	base["required"] = true
	ref := parameter("ref", "A reference. A query has at most 256 parameters; with POST, each line of the body is a reference too.", object{"type": "array", "items": object{"type": "string"}})
	description := object{
		"openapi": "3.1.0", "x-fetches": fetches,
		"info": object{
			"title": "absolink", "version": console.Release(),
			"description": "Makes every link in documents absolute and changes nothing else.",
		},
		"paths": object{
			"/rewrite": documentPath("The document with its links absolute", of(), content(slices.Collect(maps.Keys(input.KindOfTypes))...)),
			"/list":    documentPath("The places in the document where URLs stand, a line of JSON for each", of("format"), content(linesType, "text/csv", "text/plain")),
			"/view":    documentPath("Everything that the page shows of a document", append(of(), name), content("application/json")),
			"/base":    documentPath("The base URL of each document, and those that it overrides", of(), content(linesType)),
			"/resolve": operations("The absolute forms of references",
				parametersOf(resolve, []any{base, ref}), object{"description": "Done", "content": content(linesType)}, object{"text/plain": object{}}),
			"/healthz":      plain("Whether the server works", "text/plain"),
			"/metrics":      plain("Measurements, for Prometheus", "text/plain"),
			"/openapi.json": plain("This description", "application/openapi+json"),
			"/":             plain("A page to see places in", "text/html"),
		},
		"components": object{"schemas": object{"Problem": object{
			"type": "object", "required": []string{"title", "status", "detail"},
			"properties": object{"title": object{"type": "string"}, "status": object{"type": "integer"}, "detail": object{"type": "string"}},
		}}},
	}
	b, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		panic(err) // it holds nothing that JSON has no form for
	}
	return append(b, '\n')
}

// documentPath describes a path that takes a document. Fields say what was done.
func documentPath(summary string, parameters []any, body object) object {
	headers := object{}
	for i, name := range serve.ResultNames {
		headers[name] = object{"schema": object{"type": "integer"}}
		if i < serve.ResultTexts {
			headers[name] = object{"schema": object{"type": "string"}}
		}
	}
	headers["Absolink-Limits"] = object{
		"description": "The limits that the document has met, such as hold and max-tag. Without the field, it has met none",
		"schema":      object{"type": "string", "pattern": "^[a-z-]+(, [a-z-]+)*$"},
	}
	ok := object{"description": "Done. The fields are headers, or trailers where the document is long", "content": body, "headers": headers}
	return operations(summary, parameters, ok, object{"*/*": object{}})
}

// operations describes a path: with POST, which takes a body, and with GET.
func operations(summary string, parameters []any, ok, body object) object {
	problem := func(description string) object {
		return object{"description": description, "content": object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}}
	}
	responses := object{
		"200": ok,
		"400": problem("A parameter or the body is wrong"),
		"403": problem("Nothing is fetched from there, or a page of another site asks"),
		"408": problem("The body has not arrived in time"),
		"413": problem("The body is too long"),
		"415": problem("The body is not a document, or in a content coding that is not known"),
		"502": problem("The document cannot be fetched"),
		"431": problem("The header is longer than 16 KiB, or has more than 100 fields"),
		"503": problem("Too many requests wait"),
		"507": problem("There is no room to hold the body"),
		"504": problem("The document cannot be fetched in time"),
	}
	return object{
		"post": object{"summary": summary, "parameters": parameters, "requestBody": object{"content": body}, "responses": responses},
		"get":  object{"summary": summary, "parameters": parameters, "responses": responses},
	}
}

// content describes a body of one of the media types.
func content(types ...string) object {
	of := object{}
	for _, t := range types {
		of[t] = object{}
	}
	return of
}

// plain describes a path that takes nothing.
func plain(summary, contentType string) object {
	return object{"get": object{"summary": summary, "responses": object{"200": object{"description": "Done", "content": content(contentType)}}}}
}

func parameter(name, description string, schema object) object {
	return object{"name": name, "in": "query", "description": description, "schema": schema}
}

// parametersOf adds to parameters those that parseQuery takes for a grammar.
func parametersOf(grammar *kong.Kong, parameters []any, more ...string) []any {
	for _, f := range queryFlags(grammar, more...) {
		parameters = append(parameters, parameter(f.Name, f.Help, schemaOf(f)))
	}
	return parameters
}

// schemaOf describes the values of an option.
func schemaOf(f *kong.Flag) object {
	schema := object{"type": "string"}
	if _, most, ok := bytesOf(f); ok {
		schema["pattern"], schema["default"] = size.Pattern, most.String()
		schema["description"] = "A number of bytes, perhaps in KiB, MiB or GiB: at most the default."
		return schema
	}
	switch {
	case f.IsBool():
		schema["type"], schema["default"] = "boolean", false
	case f.IsSlice():
		schema = object{"type": "array", "items": object{"type": "string"}}
	case f.Enum != "":
		schema["enum"], schema["default"] = strings.Split(f.Enum, ","), f.Default
	case f.Default != "":
		schema["default"] = f.Default
	}
	return schema
}
