//go:build wasip1 || js

package main

import (
	"context"

	"absolink/rewriter/tree"
)

// startProgress shows nothing: mpb is for systems with terminals.
func startProgress(context.Context, *ui, *tree.Rewriter, string) (end func()) { return func() {} }
