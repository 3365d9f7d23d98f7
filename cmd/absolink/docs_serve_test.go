package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// Every example in docs/serve.md that asks a server does what the page says. The program
// that runs it may be missing, unless ABSOLINK_CLIENTS is set.
func TestDocsServe(t *testing.T) {
	t.Parallel()
	server := strings.TrimPrefix(startServe(t), "http://")
	ran := 0
	for _, page := range docs.Pages(t) {
		for _, b := range page.Blocks() {
			if !strings.HasPrefix(b.Note, "not run: TestDocsServe ") {
				continue
			}
			ran++
			b.Text = strings.ReplaceAll(b.Text, "localhost:8080", server)
			t.Run(b.Language, func(t *testing.T) {
				needs(t, "curl")
				runConsole(t, t.TempDir(), b)
			})
		}
	}
	for _, c := range clients {
		t.Run(c.program, func(t *testing.T) {
			needs(t, c.program)
			name := filepath.Join(t.TempDir(), c.file)
			write(t, name, strings.ReplaceAll(c.text, "localhost:8080", server))
			out, err := exec.Command(c.program, name).CombinedOutput()
			if want := "<a href=https://example.org/docs/x>x</a>\n"; err != nil || string(out) != want {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if ran != 2 {
		t.Errorf("%d blocks", ran)
	}
}

// clients are programs that use a server, and print a page. The one in JavaScript sends a document in
// pieces, and reads the answer in pieces.
var clients = []struct{ program, file, text string }{
	{"python3", "client.py", `import http.client
from urllib.parse import urlencode

server = http.client.HTTPConnection("localhost:8080")
query = urlencode({"url": "https://example.org/docs/", "profile": "whatwg"})
server.request("POST", "/rewrite?" + query, b"<a href=x>x</a>", {"Content-Type": "text/html"})
answer = server.getresponse()
body = answer.read()  # raises IncompleteRead if the answer is aborted
if answer.status != 200:
    raise SystemExit(body.decode())
print(body.decode())
`},
	{"node", "client.mjs", `const page = new ReadableStream({
	start(controller) {
		controller.enqueue(new TextEncoder().encode('<a href=x>'));
		controller.enqueue(new TextEncoder().encode('x</a>\n'));
		controller.close();
	},
});
const query = new URLSearchParams({ url: 'https://example.org/docs/' });
const answer = await fetch(` + "`" + `http://localhost:8080/rewrite?${query}` + "`" + `, {
	method: 'POST',
	headers: { 'Content-Type': 'text/html' },
	body: page,
	duplex: 'half',
});
if (!answer.ok) throw new Error((await answer.json()).detail);
for await (const piece of answer.body) process.stdout.write(piece);
`},
}

// needs skips a test that needs a program. With ABSOLINK_CLIENTS, the test fails.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("ABSOLINK_CLIENTS") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("SKIPPED: %s is not installed", program)
}
