// Command caddy is Caddy with its standard modules and the directive absolink.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "absolink/contrib/caddy"
)

func main() { caddycmd.Main() }
