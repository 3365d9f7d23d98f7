package main

import (
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/resolver"
)

// besideHosts are what wget and HTTrack write beside the directories of hosts.
var besideHosts = []string{"hts-cache", "hts-log.txt", "index.html", "backblue.gif", "fade.gif", "cookies.txt", "robots.txt"}

// warnOfMirror warns of a tree that is the directory above the host of its URL, as mirrors of
// wget and HTTrack have it: every URL would have the name of that directory in its path.
func (c *treeCommand) warnOfMirror(ui *console.UI, url *resolver.Base) {
	dir, err := os.Open(c.Src)
	if err != nil {
		return // the run says so
	}
	defer dir.Close()
	u, err := neturl.Parse(url.String())
	if err != nil || u.Host == "" || u.Path != "/" {
		return
	}
	const most = 16 // a site has more files
	entries, _ := dir.ReadDir(most)
	host, others := "", len(entries) == most
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		switch port := strings.NewReplacer("+", ":", "_", ":"); {
		case e.IsDir() && (name == strings.ToLower(u.Host) || port.Replace(name) == strings.ToLower(u.Host)):
			host = e.Name()
		case !slices.Contains(besideHosts, name):
			others = true
		}
	}
	if host != "" && !others {
		ui.Warnf("%s is the directory above the host, so that URLs have /%s in their path; if it is a mirror, its site is %s", c.Src, host, filepath.Join(c.Src, host))
	}
}
