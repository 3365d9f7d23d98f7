package markup

import (
	"slices"

	"golang.org/x/net/html"
)

// IsHTML reports whether n is an element of HTML with the name.
func IsHTML(n *html.Node, name string) bool {
	return n.Type == html.ElementNode && n.Namespace == "" && n.Data == name
}

// ValueOf returns the value of a node's attribute, "" where it has none.
func ValueOf(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

// HrefOf returns the index of a node's href, or -1.
func HrefOf(n *html.Node) int {
	return slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "href" && a.Namespace == "" })
}

// IsHidden reports whether n is in a template or noscript.
func IsHidden(n *html.Node) bool {
	for p := range n.Ancestors() {
		if IsHTML(p, "template") || IsHTML(p, "noscript") {
			return true
		}
	}
	return false
}

// ChildOf returns the first child of n, which may be nil, that is an element of
// HTML of that name, or nil.
func ChildOf(n *html.Node, name string) *html.Node {
	if n != nil {
		for c := range n.ChildNodes() {
			if IsHTML(c, name) {
				return c
			}
		}
	}
	return nil
}
