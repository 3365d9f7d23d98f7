package resolver

// fileState is the file state: dst has the scheme.
func (p *urlParser) fileState(in []byte) error {
	b := p.base
	if b != nil && !b.file {
		b = nil
	}
	switch {
	case p.startsWithSlash(in):
		return p.fileSlashState(in[1:], b)
	case b == nil:
		p.emptyHost()
		return p.pathState(in)
	case p.inheritPath(in):
		return p.queryState(in)
	case startsWithDrive(in):
		p.inherit(b.url[:b.netLoc])
		return p.pathState(in)
	}
	p.inherit(b.dir)
	return p.segments(in)
}

// fileSlashState is the file slash state. b is the base if that is a file URL.
func (p *urlParser) fileSlashState(in []byte, b *Base) error {
	switch {
	case p.startsWithSlash(in):
		return p.fileHostState(in[1:])
	case b == nil:
		p.emptyHost()
		return p.pathState(in)
	case startsWithDrive(in):
		p.inherit(b.url[:b.netLoc])
		return p.pathState(in)
	}
	p.inherit(b.dir[:b.floor]) // with the base's drive letter, if any
	return p.segments(in)
}

// fileHostState is the file host state. A drive letter is the first segment of the path,
// not a host.
func (p *urlParser) fileHostState(in []byte) (err error) {
	end := indexSet(in, 0, endsSpecial)
	host := in[:end]
	if len(host) == 0 || isDrive(host) {
		p.emptyHost()
		if len(host) > 0 {
			return p.pathState(in)
		}
		return p.pathStartState(in)
	}
	p.dst = append(p.dst, "//"...)
	at := len(p.dst)
	if p.dst, err = appendHost(p.dst, host, false); err != nil {
		return err
	}
	if string(p.dst[at:]) == "localhost" {
		p.dst = p.dst[:at]
	}
	p.netLoc = len(p.dst) - p.start
	return p.pathStartState(in[end:])
}

// emptyHost appends the empty host.
func (p *urlParser) emptyHost() {
	p.dst = append(p.dst, "//"...)
	p.netLoc = len(p.dst) - p.start
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
