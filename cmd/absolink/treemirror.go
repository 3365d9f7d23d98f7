package main

import (
	neturl "net/url"
	"path/filepath"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/regular"
	"absolink/resolver"
)

// warnOfMirror warns of a tree that has a directory named like the host of its URL, as the
// directory above a mirror of wget or HTTrack has: every URL would have the name of that
// directory in its path. It returns how many warnings that is.
func (c *treeCommand) warnOfMirror(ui *console.UI, url *resolver.Base) int {
	u, err := neturl.Parse(url.String())
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return 0
	}
	root, err := regular.OpenRoot(c.Src)
	if err != nil {
		return 0 // the run says why
	}
	defer root.Close()
	host := strings.ToLower(u.Host)
	for _, name := range []string{host, strings.ReplaceAll(host, ":", "+"), strings.ReplaceAll(host, ":", "_")} {
		if info, err := root.Lstat(name); err == nil && info.IsDir() {
			ui.Warnf("%s is the directory above the host, so that URLs get /%s in their path; if it is a mirror, run absolink tree --url %s %s", c.Src, name, console.HideLogins(url.String()), filepath.Join(c.Src, name))
			return 1
		}
	}
	return 0
}
