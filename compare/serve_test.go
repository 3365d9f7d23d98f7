package compare

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

var listening = regexp.MustCompile(`msg=listening address=(http://\S+)`)

// startAbsolink runs a command that serves, and returns its URL.
func startAbsolink(t testing.TB, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, append(args, "--listen", "127.0.0.1:0")...)
	stderr := must(cmd.StderrPipe())(t)
	start(t, cmd)
	log := bufio.NewReader(stderr)
	line, err := log.ReadString('\n')
	m := listening.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, log)
	return m[1]
}

// page200 returns a page of 200 KB, made of a real one.
func page200(t testing.TB) []byte {
	t.Helper()
	files, err := filepath.Glob("../testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages", err)
	}
	var page []byte
	for i := 0; len(page) < 200<<10; i++ {
		page = append(page, must(os.ReadFile(files[i%len(files)]))(t)...)
	}
	return page[:200<<10]
}

// BenchmarkServeLoad passes pages of 200 KB on connections that are kept, beside an
// httputil.ReverseProxy that changes nothing.
func BenchmarkServeLoad(t *testing.B) {
	page := page200(t)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(page)
	}))
	defer origin.Close()
	target, _ := url.Parse(origin.URL)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.DisableCompression = 100, true
	plain := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	defer plain.Close()
	absolink := buildAbsolink(t)
	header := http.Header{"Content-Type": {"text/html"}, "Accept-Encoding": {"identity"}}
	get := func(url string) vegeta.Target { return vegeta.Target{Method: "GET", URL: url, Header: header} }
	targets := []vegeta.Target{
		get(plain.URL + "/d/"),
		get(startAbsolink(t, absolink, "proxy", origin.URL) + "/d/"),
		{Method: "POST", URL: startAbsolink(t, absolink, "serve") + "/rewrite?url=http://h/d/", Header: header, Body: page},
	}
	names := []string{"httputil.ReverseProxy", "absolink proxy", "absolink serve"}
	rates := make([][]float64, len(targets))
	for range 5 * t.N {
		for i, target := range targets {
			rates[i] = append(rates[i], attack(t, target))
		}
	}
	for i, name := range names {
		slices.Sort(rates[i])
		rate, reference := rates[i][len(rates[i])/2], rates[0][len(rates[0])/2]
		t.Logf("%-22s %6.0f pages a second, %3.0f%% (medians)", name, rate, 100*rate/reference)
	}
}

// attack returns how many requests a second are answered well.
func attack(t testing.TB, target vegeta.Target) float64 {
	t.Helper()
	attacker := vegeta.NewAttacker(vegeta.Workers(8), vegeta.MaxWorkers(8), vegeta.KeepAlive(true))
	var m vegeta.Metrics
	for result := range attacker.Attack(vegeta.NewStaticTargeter(target), vegeta.Rate{}, time.Second, "") {
		m.Add(result)
	}
	m.Close()
	if m.Success < 1 || m.BytesIn.Mean < 200<<10 {
		t.Fatalf("%s: %v%% done, %.0f bytes: %v", target.URL, 100*m.Success, m.BytesIn.Mean, m.Errors)
	}
	return m.Throughput
}

// served are requests, and the statuses of their answers.
var served = []struct {
	method, path, contentType, body string
	status                          int
	wrong                           bool // by the description too
}{
	{"POST", "/rewrite?url=http://h/&profile=whatwg&rules=html&rules=meta&hold=1000&keep-fragments=true", "text/html", "<a href=x>", 200, false},
	{"POST", "/rewrite?rule=-a[href]&scope=document&base-tag=remove&type=html", "text/html", "<a href=x>", 200, false},
	{"POST", "/list?url=http://h/&format=csv", "text/html", "<a href=x>", 200, false},
	{"POST", "/base?url=http://h/", "text/html", "<a href=x>", 200, false},
	{"POST", "/view?url=http://h/&name=page.html", "text/html", "<a href=x>", 200, false},
	{"POST", "/resolve?base=http://h/", "text/plain", "x", 200, false},
	{"GET", "/resolve?base=http://h/&ref=x&ref=y&explain=true", "", "", 200, false},
	{"GET", "/healthz", "", "", 200, false},
	{"GET", "/metrics", "", "", 200, false},
	{"GET", "/openapi.json", "", "", 200, false},
	{"GET", "/", "", "", 200, false},
	{"GET", "/rewrite?url=http://h/", "", "", 403, false},
	{"POST", "/rewrite?profile=no", "text/html", "", 400, true},
	{"POST", "/rewrite", "image/png", "", 415, false},
	{"POST", "/rewrite?hold=99999999999", "text/html", "", 400, false}, // the description is a pattern
	{"POST", "/rewrite?hold=1kg", "text/html", "", 400, true},
	{"POST", "/rewrite?scope=body", "text/html", "", 400, true},
	{"POST", "/list?format=pdf", "text/html", "", 400, true},
	{"GET", "/resolve?ref=x", "", "", 400, true},
}

// What is served is what /openapi.json describes: the description is valid, and the
// requests and answers of each path are valid by it.
func TestServeOpenAPI(t *testing.T) {
	server := startAbsolink(t, buildAbsolink(t), "serve")
	resp := must(http.Get(server + "/openapi.json"))(t)
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	noError(t, err)
	document := must(openapi3.NewLoader().LoadFromData(b))(t)
	noError(t, document.Validate(t.Context()))
	router := must(gorillamux.NewRouter(document))(t)
	for _, test := range served {
		request := func() *http.Request {
			r, _ := http.NewRequest(test.method, server+test.path, strings.NewReader(test.body))
			if test.contentType != "" {
				r.Header.Set("Content-Type", test.contentType)
			}
			return r
		}
		described := &openapi3filter.RequestValidationInput{Request: request()}
		described.Route, described.PathParams, err = router.FindRoute(described.Request)
		noError(t, err)
		if err := openapi3filter.ValidateRequest(t.Context(), described); (err != nil) != test.wrong {
			t.Errorf("%s %s: by the description: %v", test.method, test.path, err)
		}
		resp := must(http.DefaultClient.Do(request()))(t)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != test.status {
			t.Errorf("%s %s: %s\n%s", test.method, test.path, resp.Status, body)
		}
		answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: described, Status: resp.StatusCode, Header: resp.Header, Options: &openapi3filter.Options{IncludeResponseStatus: true}}
		if err := openapi3filter.ValidateResponse(t.Context(), answer.SetBodyBytes(body)); err != nil {
			t.Errorf("%s %s: the answer: %v", test.method, test.path, err)
		}
	}
}

// The metrics are as Prometheus' own linter wants them.
func TestServeMetrics(t *testing.T) {
	server := startAbsolink(t, buildAbsolink(t), "serve")
	for range 3 {
		resp := must(http.Post(server+"/rewrite", "text/html", strings.NewReader("<a href=x>")))(t)
		resp.Body.Close()
	}
	resp := must(http.Get(server + "/metrics"))(t)
	defer resp.Body.Close()
	var text bytes.Buffer
	problems, err := promlint.New(io.TeeReader(resp.Body, &text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v\n%s", problems, err, &text)
	}
	want := fmt.Sprintf("absolink_requests_total{path=%q,code=\"200\"} 3\n", "/rewrite")
	if !strings.Contains(text.String(), want) {
		t.Errorf("no %s in\n%s", want, &text)
	}
}
