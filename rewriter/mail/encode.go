package mail

import (
	"bytes"
	"errors"
	"strings"

	"absolink/internal/passage"
	"absolink/rewriter"
	"absolink/rewriter/internal/ascii"
)

// A splicer writes the body of an HTML part in its transfer encoding.
type splicer interface {
	rewriter.Splicer

	// finish writes what is left of the document. The separator that it returns keeps
	// what follows in the body from being decoded as more of the document.
	finish() (separator string)
}

// A splice has the fields that all splicers share.
type splice struct {
	walk  *walk
	queue *queue
	eol   string
}

// maxText is how long a line may be, without its line end (RFC 5322 §2.1.1).
const maxText = 998

var errLongLine = errors.New("a line becomes longer than the 998 characters that a 7bit or 8bit part may have; mail servers may refuse it")

// A plainSplicer splices 7bit, 8bit and binary, in which lines cannot be broken.
type plainSplicer struct {
	splice
	limit   int   // of a line; 0 is none
	was, is int   // the length of the line so far, as it was read and as it is written
	touched int64 // the offset of the change in the line that Warn is told of
	warned  bool
}

func (s *plainSplicer) Keep(end int64) error {
	for s.queue.textAt < end {
		raw := s.queue.drop(s.queue.unit(end))
		s.walk.out.Put(raw)
		s.count(raw)
	}
	return s.walk.out.Err()
}

func (s *plainSplicer) Replace(end int64, b []byte) error {
	if s.is == s.was || s.touched == 0 {
		s.touched = s.queue.rawAt
	}
	s.queue.changed = true
	for s.queue.textAt < end {
		s.was = lineAfter(s.was, s.queue.drop(s.queue.unit(end)))
	}
	s.walk.out.Put(b)
	s.is = lineAfter(s.is, b)
	return s.walk.out.Err()
}

func (s *plainSplicer) finish() (separator string) {
	for !s.queue.isSpliced() {
		raw := s.queue.next()
		s.walk.out.Put(raw)
		s.count(raw)
	}
	s.count([]byte("\n"))
	return ""
}

// count follows the length of lines through bytes that are kept.
func (s *plainSplicer) count(raw []byte) {
	if s.limit == 0 || s.warned {
		return
	}
	if i := bytes.IndexByte(raw, '\n'); i >= 0 {
		if s.is+i > s.limit && s.was+i <= s.limit && s.is > s.was {
			s.walk.warn(s.touched, errLongLine)
			s.warned = true
		}
		s.was, s.is = lineAfter(0, raw[i+1:]), lineAfter(0, raw[i+1:])
		s.touched = 0
		return
	}
	s.was += len(raw)
	s.is += len(raw)
}

// lineAfter returns the length of the last line if b follows a line of n bytes.
func lineAfter(n int, b []byte) int {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return len(b) - i - 1
	}
	return n + len(b)
}

// maxQuoted is how long a line of quoted-printable may be, including the = at its end (RFC
// 2045 §6.7 (5)).
const maxQuoted = 76

// A quotedSplicer splices quoted-printable. A changed line that is too long is broken;
// other lines keep their bytes.
type quotedSplicer struct {
	splice
	column  int  // in the line that is written
	touched bool // the line has changed
	space   bool // a space waits to be written: what follows decides whether it is encoded
}

func (s *quotedSplicer) Keep(end int64) error {
	s.endSpace()
	for s.queue.textAt < end {
		s.keep(s.queue.unit(end))
	}
	return s.walk.out.Err()
}

// keep writes a unit as it is, except that a line that has changed may be broken in it.
func (s *quotedSplicer) keep(u unit) {
	raw := s.queue.drop(u)
	for u.literal && s.touched && len(raw) > 0 {
		s.char(raw[0], raw[0] != '\r' && raw[0] != '\n')
		if raw[0] == '\n' {
			s.column, s.touched = 0, false
		}
		raw = raw[1:]
	}
	if s.touched && !u.literal && len(u.text) > 0 {
		s.room(len(raw))
	}
	s.column += len(raw)
	s.walk.out.Put(raw)
	if i := bytes.LastIndexByte(raw, '\n'); i >= 0 {
		s.column, s.touched = len(raw)-i-1, false
	}
}

// room breaks the line if it has no room for n more characters.
func (s *quotedSplicer) room(n int) {
	if s.column+n >= maxQuoted {
		s.walk.out.PutString("=" + s.eol)
		s.column = 0
	}
}

// char writes a character that stands for itself. If counts, it takes room in the line. At
// the beginning of a line some characters mean something to programs that carry or store
// messages; those are encoded there.
func (s *quotedSplicer) char(c byte, counts bool) {
	if counts {
		s.room(1)
	}
	if s.column == 0 && strings.IndexByte("-.F", c) >= 0 {
		s.encoded(c)
		return
	}
	s.walk.out.PutByte(c)
	if counts {
		s.column++
	}
}

// encoded writes a byte as =XX.
func (s *quotedSplicer) encoded(c byte) {
	s.room(3)
	s.walk.out.PutByte('=')
	s.walk.out.PutByte(ascii.HexDigits[c>>4])
	s.walk.out.PutByte(ascii.HexDigits[c&15])
	s.column += 3
}

// endSpace writes the space that waits, encoded, since the line may end after it.
func (s *quotedSplicer) endSpace() {
	if s.space {
		s.space = false
		s.encoded(' ')
	}
}

func (s *quotedSplicer) Replace(end int64, b []byte) error {
	if s.queue.textAt < end {
		s.endSpace()
	}
	for s.queue.textAt < end {
		u := s.queue.unit(end)
		if len(u.text) > 0 {
			break
		}
		s.keep(u)
	}
	s.queue.changed, s.touched = true, true
	for s.queue.textAt < end {
		s.queue.drop(s.queue.unit(end))
	}
	for _, c := range b {
		if s.space {
			s.space = false
			s.char(' ', true)
		}
		switch {
		case c == ' ':
			s.space = true
		case '!' <= c && c <= '~' && c != '=':
			s.char(c, true)
		default:
			s.encoded(c)
		}
	}
	return s.walk.out.Err()
}

func (s *quotedSplicer) finish() (separator string) {
	s.endSpace()
	for !s.queue.isSpliced() {
		u := s.queue.unit(s.queue.textAt + passage.Size)
		if u.raw == 0 {
			break
		}
		s.keep(u)
	}
	return ""
}

// A base64Splicer splices base64. Everything before the first change keeps its bytes.
// From the group of three bytes with that change on, everything is encoded anew, in lines
// of the same length.
type base64Splicer struct {
	splice
	at    int64 // in the document: the end of what has been spliced, also within a unit
	lines passage.Base64
}

func (s *base64Splicer) Keep(end int64) error {
	s.take(end, true)
	return s.walk.out.Err()
}

func (s *base64Splicer) Replace(end int64, b []byte) error {
	if !s.queue.changed {
		if err := s.begin(); err != nil {
			return err
		}
	}
	s.take(end, false)
	s.lines.Encode(b)
	return s.walk.out.Err()
}

// begin begins to encode, with what comes before the change in its unit. An error says that
// reading failed before it was known how long lines are.
func (s *base64Splicer) begin() error {
	ends := s.lines
	for more := true; ends.Length == 0 && more; {
		var ahead []byte
		ahead, more = s.queue.ahead()
		ends = s.lines
		ends.Follow(ahead)
	}
	if err := s.walk.in.Err(); ends.Length == 0 && err != nil {
		return err
	}
	if s.lines.Length, s.lines.Ending = ends.Length, ends.Ending; ends.Length == 0 || ends.Length > maxText {
		s.lines.Length, s.lines.Ending = maxQuoted, s.eol
	}
	s.queue.changed = true
	before := int(s.at - s.queue.textAt)
	for u := s.unit(); ; u = s.unit() {
		if len(u.text) > 0 || u.raw == 0 {
			s.lines.Encode(u.text[:min(before, len(u.text))])
			return nil
		}
		s.asIs(s.queue.drop(u))
	}
}

func (s *base64Splicer) unit() unit { return s.queue.unit(s.queue.textAt) }

// take goes on to an offset in the document, and writes what comes before it if that is
// kept.
func (s *base64Splicer) take(end int64, keep bool) {
	for s.at < end {
		u := s.unit()
		from, to := int(s.at-s.queue.textAt), min(len(u.text), int(end-s.queue.textAt))
		if s.queue.changed && keep {
			s.lines.Encode(u.text[from:to])
		}
		s.at += int64(to - from)
		if to < len(u.text) {
			continue
		}
		if raw := s.queue.drop(u); s.queue.changed {
			s.junk(raw)
		} else {
			s.asIs(raw)
		}
	}
}

// asIs writes raw bytes as they are, and follows where lines end in them.
func (s *base64Splicer) asIs(raw []byte) {
	s.walk.out.Put(raw)
	s.lines.Follow(raw)
}

// junk writes those bytes of a unit that are not base64, if the unit is encoded anew.
func (s *base64Splicer) junk(raw []byte) {
	for i, c := range raw {
		if base64Value[c] == junk {
			s.walk.out.Put(raw[i : i+1])
		}
	}
}

func (s *base64Splicer) finish() (separator string) {
	s.take(s.queue.readText, true)
	if !s.queue.changed {
		return ""
	}
	if s.queue.tooLong { // what follows is encoded anew as well: its groups begin elsewhere
		s.queue.ended = false
		buf := make([]byte, 4<<10)
		for err := error(nil); err == nil && !s.walk.failed(); s.take(s.queue.readText, true) {
			_, err = s.queue.Read(buf)
		}
	}
	if s.lines.Close() {
		return ""
	}
	return "="
}
