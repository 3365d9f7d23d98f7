module absolink

go 1.26.0

ignore node_modules

require (
	code.dny.dev/ssrf v0.3.0
	github.com/PuerkitoBio/goquery v1.12.0
	github.com/alecthomas/kong v1.14.0
	github.com/andybalholm/brotli v1.2.0
	github.com/bmatcuk/doublestar/v4 v4.9.1
	github.com/creack/pty v1.1.24
	github.com/emersion/go-message v0.18.2
	github.com/fatih/color v1.18.0
	github.com/google/go-cmp v0.7.0
	github.com/klauspost/compress v1.18.4
	github.com/rogpeppe/go-internal v1.14.1
	github.com/tdewolff/parse/v2 v2.8.5
	github.com/vbauerster/mpb/v8 v8.10.2
	golang.org/x/net v0.62.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
	golang.org/x/tools v0.51.0
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/andybalholm/cascadia v1.3.3 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
)
