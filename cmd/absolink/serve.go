package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/fetch"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/size"
)

// listenOptions say where a server listens, and what it says.
type listenOptions struct {
	Listen string        `default:"localhost:8080" placeholder:"ADDRESS" group:"listening" help:"Listen on host:port, or on the Unix socket of unix:PATH. Port 0 is any free port; the log shows it. By default that is localhost:8080, which only this machine reaches."`
	Grace  time.Duration `default:"30s" placeholder:"TIME" group:"listening" help:"How long requests may go on after SIGTERM or an interrupt (30s)."`
	Log    string        `enum:"text,json,none" default:"text" placeholder:"FORMAT" group:"messages" help:"The format of the log on standard error: text (the default), json or none."`
}

func (o *listenOptions) log(w io.Writer) *slog.Logger {
	switch o.Log {
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil))
	case "none":
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// run serves until an interrupt. What net/http says to nobody in particular goes to the log,
// too.
func (o *listenOptions) run(ui *console.UI, log *slog.Logger, handler http.Handler, limits serve.Limits) {
	slog.SetLogLoggerLevel(slog.LevelWarn)
	slog.SetDefault(log)
	l, err := serve.Listen(o.Listen)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err
		}
		ui.Errorf("cannot listen on %s: %v (--listen names another address)", o.Listen, err)
		return
	}
	ctx, stop := outfile.UntilInterrupt()
	defer stop()
	log.Info("listening", "address", serve.Address(l))
	if err := serve.Run(ctx, l, handler, log, o.Grace, limits); err != nil {
		ui.Errorf("%v", err)
		return
	}
	log.Info("stopped")
}

type serveCommand struct {
	listenOptions
	Jobs    int           `short:"j" default:"32" placeholder:"N" group:"limits" help:"How many documents are worked on at the same time (32)."`
	Queue   int           `default:"1024" placeholder:"N" group:"limits" help:"How many more requests may wait. Beyond that the answer is 503 (1024)."`
	Timeout time.Duration `default:"1m" placeholder:"TIME" group:"limits" help:"How long a document may take, with the arrival of its body and the departure of the answer (1m)."`
	MaxBody size.Bytes    `default:"64MiB" placeholder:"SIZE" group:"limits" help:"How long a body may be, as it arrives and decoded (${default})."`
	Cors    []string      `placeholder:"ORIGINS" group:"listening" help:"Let the pages of these origins read answers, as https://app.example.org; * is any. By default no other site's page may."`

	Fetch         []string `placeholder:"HOSTS" group:"fetching" help:"Let GET requests name a document to be fetched, from these hosts only: example.org, example.org:8443, *.example.org for the hosts below it, * for any. By default nothing is fetched."`
	FetchNetworks []string `placeholder:"NETWORKS" group:"fetching" help:"Fetch from these addresses too, which are not public: 10.0.0.0/8, 127.0.0.1. By default only public addresses are connected to."`
	UserAgent     string   `placeholder:"TEXT" group:"fetching" help:"The User-Agent with which documents are fetched, instead of absolink/VERSION."`
}

func (c *serveCommand) Help() string {
	return `POST /rewrite?url=URL answers with the document in the body, its links absolute. POST /list?url=URL answers with its places, POST /base?url=URL with its base URL. GET and POST /resolve?base=URL resolve references. The parameters are named like the options of absolink. /openapi.json describes them all; /healthz and /metrics are for operators; / is a page that shows what becomes of a document, and why.`
}

func (c *serveCommand) Validate() error {
	switch {
	case c.Jobs < 1 || c.Jobs > console.MaxJobs:
		return console.ErrJobs
	case c.Queue < 0:
		return errors.New("--queue takes a number, or 0 for none")
	case len(c.FetchNetworks) > 0 && len(c.Fetch) == 0:
		return errors.New("--fetch-networks needs --fetch, which names the hosts")
	}
	for _, origin := range c.Cors {
		if err := serve.CheckOrigin(origin); err != nil {
			return fmt.Errorf("--cors: %w", err)
		}
	}
	if _, err := serve.ParseNetworks(c.FetchNetworks); err != nil {
		return fmt.Errorf("--fetch-networks: %w", err)
	}
	return (&input.FetchOptions{Timeout: c.Timeout, MaxBody: c.MaxBody}).Check()
}

func (c *serveCommand) Run(ui *console.UI) error {
	log := c.log(ui.Stderr)
	s := c.server(log)
	c.run(ui, log, s.Handler(), s.Limits())
	return nil
}

func (c *serveCommand) server(log *slog.Logger) *serve.Server {
	s := &serve.Server{Jobs: c.Jobs, Memory: int64(c.Jobs) * jobMemory, Queue: c.Queue, Timeout: c.Timeout, MaxBody: int64(c.MaxBody), Origins: c.Cors, Fetches: len(c.Fetch) > 0, Log: log}
	s.Init()
	e := &endpoints{fetches: input.FetchOptions{UserAgent: c.UserAgent, Timeout: c.Timeout, MaxBody: c.MaxBody}}
	if len(c.Fetch) > 0 {
		networks, err := serve.ParseNetworks(c.FetchNetworks)
		if err != nil {
			panic(err) // Validate saw it
		}
		f := &serve.Fetcher{Hosts: c.Fetch, Networks: networks}
		f.Init()
		e.fetch = fetch.By(f)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		for path, do := range map[string]serve.Answer{"/rewrite": e.rewrite, "/list": e.list, "/base": e.base} {
			s.Handle(method+" "+path, e.weigh, do)
		}
		s.Handle(method+" /view", alike(viewMemory), e.view)
		s.Handle(method+" /resolve", alike(documentMemory), e.resolve)
	}
	s.Static("GET /openapi.json", "application/openapi+json", sync.OnceValue(openAPI))
	return s
}

// openAPIFile is the OpenAPI 3.1 description of absolink serve, whatever its version is.
//
//go:embed openapi.json
var openAPIFile string

// openAPI returns openAPIFile with the version of this program.
func openAPI() []byte {
	return []byte(strings.Replace(openAPIFile, `"devel"`, strconv.Quote(console.Release()), 1))
}
