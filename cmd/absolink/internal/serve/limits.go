package serve

import (
	"slices"

	"absolink/cmd/absolink/internal/console"
)

// Warn takes a warning about the document of x. The client is told which limits were met.
func (x *Exchange) Warn(_ int64, err error) {
	if name := console.LimitName(err); name != "" && !slices.Contains(x.limits, name) {
		x.limits = append(x.limits, name)
	}
}
