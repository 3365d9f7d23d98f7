package compare

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// TestSavedPage shows that Chromium finds the picture beside a saved page after the page
// was rewritten in place, and follows the other link to the web; and that it would not
// find the picture if all links had become absolute.
func TestSavedPage(t *testing.T) {
	b := <-startChromium(t)
	absolink := buildAbsolink(t)
	for _, test := range []struct {
		option string
		width  int // of the picture; 0 if it is not found
	}{
		{"--no-keep-local", 0},
		{"-q", 1},
	} {
		dir := t.TempDir()
		noError(t, os.CopyFS(dir, os.DirFS("../testdata/saved")))
		page := filepath.Join(dir, "Page.html")
		if out, err := exec.Command(absolink, "-w", test.option, page).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var width int
		var link string
		err := chromedp.Run(b.ctx, fetch.Disable(), chromedp.Navigate("file://"+filepath.ToSlash(page)),
			chromedp.Evaluate(`document.images[0].naturalWidth`, &width),
			chromedp.Evaluate(`document.links[0].href`, &link))
		if err != nil || width != test.width || link != "https://example.org/a/next" {
			t.Errorf("%s: the picture has width %d, and the link leads to %s; %v", test.option, width, link, err)
		}
	}
}
