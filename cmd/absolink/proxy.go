package main

import (
	"fmt"
	"log/slog"
	"net/url"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/listing"
)

type proxyCommand struct {
	listenOptions
	Public  string `placeholder:"URL" help:"Where clients reach the proxy, as https://www.example.org. Links to the target's pages then stay on the proxy; without it, they lead to the target."`
	Headers bool   `help:"Make the URLs in Location, Content-Location, Link and Refresh absolute as well."`
	input.HTMLOptions

	Target string `arg:"" name:"TARGET" help:"The URL of the server to pass requests to, as https://example.org."`

	target, public *url.URL `kong:"-"`
}

func (c *proxyCommand) Help() string {
	return `Every request is passed to TARGET, and the pages in the answers are rewritten. Links that are only a fragment, such as #top, stay: they mean the same behind the proxy, and scripts look for them. Everything else passes as it is: other types, ranges, server-sent events, WebSockets.`
}

func (c *proxyCommand) Validate() (err error) {
	if c.target, err = parseServer(c.Target); err != nil {
		return err
	}
	if c.Public != "" {
		if c.public, err = parseServer(c.Public); err != nil {
			return fmt.Errorf("--public: %w", err)
		}
	}
	return c.HTMLOptions.Validate()
}

func parseServer(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%.200q is not the URL of a server; https://example.org is", listing.WithoutLogin(s))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%.200q has more than a host and a path; leave out the user, query and fragment", listing.WithoutLogin(s))
	}
	return u, nil
}

func (c *proxyCommand) Run(ui *console.UI) error {
	log := c.log(ui.Stderr)
	p := c.proxy(log)
	c.run(ui, log, p.Handler(), p.Limits())
	return nil
}

func (c *proxyCommand) proxy(log *slog.Logger) *serve.Proxy {
	o := c.Options()
	o.KeepFragments = true // scripts look for [href^="#"], and the page is where it was
	html := new(input.Settings).With(o, c.RuleOptions).HTML
	return &serve.Proxy{Target: c.target, Public: c.public, Headers: c.Headers, HTML: html, Log: log}
}
