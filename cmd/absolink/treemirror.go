package main

import (
	neturl "net/url"
	"path/filepath"
	"slices"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/regular"
	"absolink/resolver"
)

// besideHosts are what wget and HTTrack write beside the directories of hosts.
var besideHosts = []string{"hts-log.txt", "index.html", "backblue.gif", "fade.gif", "cookies.txt", "robots.txt"}

// warnOfMirror warns of a tree that is the directory above the host of its URL, as mirrors of
// wget and HTTrack have it: every URL would have the name of that directory in its path. It
// returns how many warnings that is.
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
	dir, err := root.Open(".")
	if err != nil {
		return 0
	}
	defer dir.Close()
	const most = 16 // a site has more files
	entries, _ := dir.ReadDir(most)
	host, others, httrack := "", len(entries) == most, false
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		switch port := strings.NewReplacer("+", ":", "_", ":"); {
		case e.IsDir() && (name == strings.ToLower(u.Host) || port.Replace(name) == strings.ToLower(u.Host)):
			host = e.Name()
		case name == "hts-cache":
			httrack = true // which also has directories of other hosts
		case !slices.Contains(besideHosts, name):
			others = true
		}
	}
	if host == "" || others && !httrack {
		return 0
	}
	ui.Warnf("%s is the directory above the host, so that URLs get /%s in their path; if it is a mirror, run absolink tree --url %s %s", c.Src, host, console.HideLogins(url.String()), filepath.Join(c.Src, host))
	return 1
}
