// Package caddy is a module for Caddy: the directive absolink makes the links in HTML
// responses absolute. See README.md.
package caddy

import (
	"encoding"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"absolink/internal/size"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/web"
)

func init() {
	caddy.RegisterModule(Handler{})
	httpcaddyfile.RegisterHandlerDirective("absolink", parse)
	httpcaddyfile.RegisterDirectiveOrder("absolink", httpcaddyfile.After, "encode")
}

// Handler makes the links in HTML responses absolute, and changes nothing else. The base
// of a page is its BASE, and otherwise the URL that the client asked for.
type Handler struct {
	// Public is where clients reach the site, such as https://www.example.org, if they do
	// not reach it by the name that they ask for.
	Public string `json:"public,omitempty"`

	// Profile is the standard to resolve by: rfc1808 (the default), rfc3986 or whatwg.
	Profile resolver.Profile `json:"profile,omitempty"`

	// Rules are more places, or places less, as with absolink --rule.
	Rules []string `json:"rules,omitempty"`

	// KeepFragments leaves links that are only a fragment unchanged.
	KeepFragments bool `json:"keep_fragments,omitempty"`

	// Keep has patterns of links that stay as they are, as with absolink --keep.
	Keep []string `json:"keep,omitempty"`

	// Hold is how much of a page may be held in memory until it is known whether its HEAD has
	// a BASE: a number of bytes, or a string such as "64KiB"; 16MiB by default.
	Hold size.Bytes `json:"hold,omitempty"`

	// MaxTag is how long a tag, style sheet, script or comment with places may be before it
	// stays as it is; 1MiB by default.
	MaxTag size.Bytes `json:"max_tag,omitempty"`

	rewriter *web.Rewriter
}

var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyfile.Unmarshaler       = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)

// CaddyModule implements [caddy.Module].
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.absolink", New: func() caddy.Module { return new(Handler) }}
}

// Provision implements [caddy.Provisioner].
func (h *Handler) Provision(ctx caddy.Context) error {
	html := rewriter.Options{Profile: h.Profile, KeepFragments: h.KeepFragments, Keep: h.Keep, Hold: h.Hold.Int(), MaxTag: h.MaxTag.Int()}
	for i, text := range h.Rules {
		rule, err := rewriter.ParseRule(text)
		if err != nil {
			return err
		}
		if i == 0 {
			html.Rules = rewriter.HTML()
		}
		html.Rules = append(html.Rules, rule)
	}
	log := func(err error, more ...zap.Field) {
		var e *web.Error
		errors.As(err, &e)
		ctx.Logger().Warn(err.Error(), append(more, zap.String("path", e.Request.URL.Path))...)
	}
	warn := func(offset int64, err error) {
		if offset < 0 { // of the response
			log(err)
		} else if limit, ok := errors.AsType[*rewriter.LimitError](err); ok { // a page may cause any number of other warnings
			option := map[string]string{"Hold": "hold", "MaxTag": "max_tag"}[limit.Field]
			log(err, zap.Int64("byte", offset), zap.String("limit", option))
		}
	}
	rw, err := rewriter.New(html)
	if err != nil {
		return err
	}
	h.rewriter = &web.Rewriter{HTML: rw.With(rewriter.Hooks{Warn: warn})}
	if h.Public != "" {
		public, err := url.Parse(h.Public)
		if err != nil || public.Scheme != "http" && public.Scheme != "https" || public.Host == "" || public.User != nil || public.RawQuery != "" || public.Fragment != "" {
			return fmt.Errorf("public: %q is not the URL of a site; https://www.example.org is", h.Public)
		}
		h.rewriter.Public = public
	}
	return h.rewriter.Validate()
}

// A failure is the panic by which the error of the next handler passes the rewriter: the
// rewriter must not end the response, which Caddy's error routes write.
type failure struct{ error }

// ServeHTTP implements [caddyhttp.MiddlewareHandler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	h.rewriter.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := next.ServeHTTP(w, r); err != nil {
			panic(failure{err})
		}
	})).ServeHTTP(w, r)
	return nil
}

// UnmarshalCaddyfile implements [caddyfile.Unmarshaler].
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive
	if d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		switch option := d.Val(); option {
		case "public":
			if !d.AllArgs(&h.Public) {
				return d.ArgErr()
			}
		case "profile":
			if err := unmarshal(d, &h.Profile); err != nil {
				return err
			}
		case "hold", "max_tag":
			bytes := map[string]*size.Bytes{"hold": &h.Hold, "max_tag": &h.MaxTag}[option]
			if err := unmarshal(d, bytes); err != nil {
				return err
			}
			if *bytes == 0 {
				return d.Errf("%s takes a number of bytes above 0", option)
			}
		case "rule", "keep":
			var text string
			if !d.AllArgs(&text) {
				return d.ArgErr()
			}
			list := map[string]*[]string{"rule": &h.Rules, "keep": &h.Keep}[option]
			*list = append(*list, text)
		case "keep_fragments":
			if d.NextArg() {
				return d.ArgErr()
			}
			h.KeepFragments = true
		default:
			return d.Errf("unknown option %s; absolink has public, profile, rule, keep, keep_fragments, hold and max_tag", option)
		}
	}
	return nil
}

// unmarshal sets the value of an option to its one argument.
func unmarshal(d *caddyfile.Dispenser, value encoding.TextUnmarshaler) error {
	option := d.Val()
	var text string
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	if err := value.UnmarshalText([]byte(text)); err != nil {
		return d.Errf("%s: %w", option, err)
	}
	return nil
}

func parse(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	handler := new(Handler)
	return handler, handler.UnmarshalCaddyfile(h.Dispenser)
}
