package compare

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// findChromium returns the program that the environment variable CHROMIUM names, or one
// with a usual name. If there is none, the test is skipped, or fails if CHROMIUM is set.
func findChromium(t *testing.T) string {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("CHROMIUM"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("CHROMIUM: %v", err)
		}
		return path
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no Chromium: none of %v is installed, and CHROMIUM does not say where it is", names)
	return ""
}

// noHosts are the rules for a browser that reaches nothing.
const noHosts = "MAP * ~NOTFOUND"

// startBrowser returns a browser that no other test uses meanwhile, and that finds the hosts
// that the rules of Chromium's --host-resolver-rules leave. It has a tab for chromedp alone.
func startBrowser(t *testing.T, hosts string) (browser context.Context) {
	program := findChromium(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for browser == nil || browser.Err() != nil { // none yet, or one that has crashed
		n := len(shared.idle[hosts])
		if n == 0 {
			browser = newBrowser(t, program, hosts)
			break
		}
		browser, shared.idle[hosts] = shared.idle[hosts][n-1], shared.idle[hosts][:n-1]
	}
	t.Cleanup(func() {
		if hosts != noHosts && hosts != onlyLocal { // with ports that no other test has
			chromedp.Cancel(browser)
			return
		}
		shared.mu.Lock()
		defer shared.mu.Unlock()
		shared.idle[hosts] = append(shared.idle[hosts], browser)
	})
	return browser
}

// newBrowser starts a browser, which ends at the latest when all tests have ended.
func newBrowser(t *testing.T, program, hosts string) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // which needs rights that containers do not have
		chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", hosts),
		// http: stays http:, and a page replaces another in the same process.
		chromedp.Flag("disable-features", "HttpsUpgrades,BackForwardCache,ProactivelySwapBrowsingInstance,RenderDocument"),
	)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	// Chromium has events that chromedp does not know yet, and that no test here needs.
	browser, closes := chromedp.NewContext(ctx, chromedp.WithErrorf(func(format string, args ...any) {
		if !strings.HasPrefix(format, "unhandled ") {
			log.Printf(format, args...)
		}
	}))
	shared.closes = append(shared.closes, func() { closes(); cancel() })
	if err := chromedp.Run(browser); err != nil {
		t.Fatalf("starting Chromium: %v", err)
	}
	return browser
}

// startChromium returns tabs of one browser, one for each test that runs at a time. The
// browser reaches no network and runs no script of a page.
func startChromium(t *testing.T) (tabs chan *tab) {
	browser := startBrowser(t, noHosts)
	tabs = make(chan *tab, runtime.GOMAXPROCS(0))
	for range cap(tabs) {
		tabs <- newTab(t, browser)
	}
	return tabs
}

// A tab shows one page at a time.
type tab struct {
	browser context.Context
	ctx     context.Context
	close   context.CancelFunc
	mu      sync.Mutex
	page    Page
	policy  string   // the Content-Security-Policy of the page
	fetched []string // URLs that the page asked for; all were refused
}

func newTab(t *testing.T, browser context.Context) *tab {
	b := &tab{browser: browser, policy: "default-src 'none'"}
	if err := b.start(); err != nil {
		t.Fatalf("opening a tab: %v", err)
	}
	t.Cleanup(func() { b.close() })
	return b
}

// start opens the tab in the browser.
func (b *tab) start() error {
	b.ctx, b.close = chromedp.NewContext(b.browser)
	ctx := b.ctx
	chromedp.ListenTarget(ctx, func(event any) {
		if request, ok := event.(*fetch.EventRequestPaused); ok {
			go b.answer(ctx, request)
		}
	})
	return chromedp.Run(ctx, fetch.Enable())
}

// answer serves the page of the tab and refuses all other requests. Under its policy,
// the page can neither fetch anything nor run scripts. If answer fails, open fails too,
// because the page does not load.
func (b *tab) answer(ctx context.Context, r *fetch.EventRequestPaused) {
	b.mu.Lock()
	page, policy := b.page, b.policy
	if r.Request.URL != page.URL {
		b.fetched = append(b.fetched, r.Request.URL)
	}
	b.mu.Unlock()
	ctx = cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Target)
	if r.ResourceType != network.ResourceTypeDocument || r.Request.URL != page.URL {
		fetch.FailRequest(r.RequestID, network.ErrorReasonAborted).Do(ctx)
		return
	}
	fetch.FulfillRequest(r.RequestID, 200).WithResponseHeaders([]*fetch.HeaderEntry{
		{Name: "Content-Type", Value: page.Type},
		{Name: "Content-Security-Policy", Value: policy},
	}).WithBody(base64.StdEncoding.EncodeToString(page.HTML)).Do(ctx)
}

//go:embed places.js
var placesScript string

// A seenPage is what the browser sees in a page.
type seenPage struct {
	Places []seenPlace // URLs in attributes, in document order
	Chosen []string    // the candidates in srcset that the browser chose
}

type seenPlace struct {
	Element, Attr string
	Written       string // the value, or the URL of a candidate in it
	Resolved      string // by the browser; Written, if it cannot resolve that
	Absolute      bool   // whatever the base
	Local         bool   // names an element of the same document
}

// open shows a page, parsed as with scripts on or off, and returns what the browser
// sees in it. Where a tab of a busy browser never says that the page has loaded, another tab
// takes its place, once.
func (b *tab) open(page Page, scripts bool) (seen seenPage, err error) {
	b.mu.Lock()
	b.page = page
	b.mu.Unlock()
	if seen, err = b.show(page, scripts); !errors.Is(err, context.DeadlineExceeded) {
		return seen, err
	}
	log.Printf("opening %s took a minute; another tab tries again", page.URL)
	b.close()
	if err := b.start(); err != nil {
		return seen, err
	}
	return b.show(page, scripts)
}

func (b *tab) show(page Page, scripts bool) (seen seenPage, err error) {
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	err = chromedp.Run(ctx,
		emulation.SetScriptExecutionDisabled(!scripts),
		chromedp.Navigate(page.URL),
		chromedp.Evaluate(placesScript, &seen),
	)
	return seen, err
}
