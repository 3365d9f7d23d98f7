package mail

import (
	"maps"
	"strings"
	"testing"

	"github.com/emersion/go-message"
)

// A Content-Type that is well-formed is read as go-message reads it. Of a malformed one,
// the type, the boundary and the charset are read as far as they can be made out.
func TestContentType(t *testing.T) {
	for _, tt := range []struct {
		value, media string
		params       map[string]string
		malformed    bool
	}{
		{value: "", media: "text/plain"},
		{value: "text/html", media: "text/html"},
		{value: " Text/HTML ;", media: "text/html"},
		{value: "text", media: "text"},
		{value: `multipart/mixed; Boundary="b c:"; type="text/html"`, media: "multipart/mixed", params: map[string]string{"boundary": "b c:", "type": "text/html"}},
		{value: "multipart/mixed; boundary=b=/c; type=text/html", media: "multipart/mixed", params: map[string]string{"boundary": "b=/c"}, malformed: true},
		{value: `multipart/mixed; boundary="b\"c"`, media: "multipart/mixed", params: map[string]string{"boundary": `b"c`}},
		{value: "multipart/mixed; boundary*0=b; boundary*1*=%63", media: "multipart/mixed", params: map[string]string{"boundary": "bc"}},
		{value: "text/html; charset*=us-ascii''utf-16be", media: "text/html", params: map[string]string{"charset": "utf-16be"}},
		{value: `text/html; charset="=?us-ascii?q?utf-8?="`, media: "text/html", params: map[string]string{"charset": "utf-8"}},
		{value: `text/html; charset="=?x-unknown?q?utf-8?="`, media: "text/html", params: map[string]string{"charset": "=?x-unknown?q?utf-8?="}},
		{value: `text/html; charset="=?utf-8?q?=zz?="`, media: "text/html", params: map[string]string{"charset": "=?utf-8?q?=zz?="}},

		{value: "text/html; charset", media: "text/html", malformed: true},
		{value: "text/html; charset=", media: "text/html", malformed: true},
		{value: `text/html; charset=""`, media: "text/html", params: map[string]string{"charset": ""}},
		{value: "text/html; a; charset=utf-8", media: "text/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html; charset=a; charset=b", media: "text/html", params: map[string]string{"charset": "a"}, malformed: true},
		{value: `text/html; charset="utf-8`, media: "text/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html charset=utf-8", media: "text/html charset=utf-8", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html, charset=utf-8", media: "text/html, charset=utf-8", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html;; charset=utf-8", media: "text/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html (a page); charset=utf-8", media: "text/html (a page)", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html; charset=utf-8 (it is)", media: "text/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "multipart/mixed; a=\xff; Boundary = b c; d", media: "multipart/mixed", params: map[string]string{"boundary": "b"}, malformed: true},
		{value: "multipart/mixed; xboundary=a; boundary =\t\"b c\" d", media: "multipart/mixed", params: map[string]string{"boundary": "b c"}, malformed: true},
		{value: "multipart/mixed; boundary*0=b; boundary*0=c; boundary=d", media: "multipart/mixed", params: map[string]string{"boundary": "d"}, malformed: true},
		{value: "/html; charset=utf-8", media: "/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
		{value: "text/html; charset=utf-8; x=" + strings.Repeat("y", maxValue), media: "text/html", params: map[string]string{"charset": "utf-8"}, malformed: true},
	} {
		h := header{fields: []field{{name: "Content-Type", value: unfold([]byte(tt.value))}}}
		media, params := h.contentType("text/plain")
		if media != tt.media || !maps.Equal(params, tt.params) {
			t.Errorf("%.80q: %q, %q", tt.value, media, params)
		}
		var m message.Header
		m.Set("Content-Type", unfold([]byte(tt.value)))
		media, params, err := m.ContentType()
		switch {
		case len(tt.value) > maxValue:
		case (err != nil) != tt.malformed:
			t.Errorf("%.80q: go-message says %v", tt.value, err)
		case err == nil && (media != tt.media || !maps.Equal(params, tt.params)):
			t.Errorf("%.80q: go-message reads %q, %q", tt.value, media, params)
		}
	}
}
