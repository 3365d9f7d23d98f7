package resolver

// fileState is the file state, and the file slash state: dst has the scheme.
func (p *urlParser) fileState(in []byte) error {
	state, b, slash := "4.4 file state", p.base, p.startsWithSlash(in)
	if slash {
		state, in = "4.4 file slash state", in[1:]
	}
	switch {
	case slash && p.startsWithSlash(in):
		return p.fileHostState(in[1:])
	case b == nil || !b.file:
		p.emptyHost(state, "the host is empty")
		return p.pathState(in)
	case startsWithDrive(in):
		p.inherit(b.url[:b.netLoc])
		p.step(state, "the host is inherited")
		return p.pathState(in)
	case !slash:
		return p.inheritPath(in, state)
	}
	p.inherit(b.dir[:b.floor])
	if b.floor == b.netLoc+len("/") {
		p.step(state, "the host is inherited")
	} else {
		p.step(state, "the host is inherited, and the drive letter")
	}
	return p.segments(in)
}

// fileHostState is the file host state. A drive letter is the first segment of the path,
// not a host.
func (p *urlParser) fileHostState(in []byte) error {
	const state = "4.4 file host state"
	end := indexSet(in, 0, endsSpecial)
	switch host := in[:end]; {
	case len(host) == 0:
		p.emptyHost(state, "the host is empty")
		return p.pathStartState(in)
	case isDrive(host):
		p.emptyHost(state, "what follows is a drive letter, not a host")
		return p.pathState(in)
	}
	p.dst = append(p.dst, "//"...)
	at := len(p.dst)
	if err := p.host(in[:end]); err != nil {
		return err
	}
	if string(p.dst[at:]) == "localhost" {
		p.dst = p.dst[:at]
		p.step(state, "the host is localhost: it becomes empty")
	}
	p.netLoc = len(p.dst) - p.start
	return p.pathStartState(in[end:])
}

// emptyHost appends the empty host, in a state that has a reason for it.
func (p *urlParser) emptyHost(state, why string) {
	p.dst = append(p.dst, "//"...)
	p.netLoc = len(p.dst) - p.start
	p.step(state, why)
}

// keepDrive raises the floor over a drive letter, the first and only segment.
func (p *urlParser) keepDrive() {
	root := p.start + p.netLoc + 1
	if p.floor == root && len(p.dst) == root+len("C:/") && isDrive(p.dst[root:root+2]) {
		p.floor = len(p.dst)
	}
}

// isDrive reports whether s is a Windows drive letter.
func isDrive(s []byte) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

// startsWithDrive reports whether s starts with a Windows drive letter.
func startsWithDrive(s []byte) bool {
	return len(s) >= 2 && isDrive(s[:2]) && (len(s) == 2 || urlClass[s[2]]&endsSpecial != 0)
}
