package compare

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	pictureFile = "../docs/page.png"
	maxPicture  = 150_000
)

// The picture of the page in README.md shows the page as it is: the picture has the text that
// was seen when it was taken. PICTURE=1 takes it anew.
func TestPagePicture(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(chromedp.EmulateViewport(1040, 760, chromedp.EmulateScale(1.5)))
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	p.eval(`(() => { const own = document.getElementById('own'); own.textContent = own.textContent.replace(location.host, 'localhost:8080'); })()`)
	p.eval(`document.getElementById('offline').hidden = true`) // a release has it
	text := p.eval(`document.body.innerText`)
	if os.Getenv("PICTURE") != "" {
		var shot []byte
		p.run(chromedp.Sleep(300*time.Millisecond), chromedp.CaptureScreenshot(&shot))
		noError(t, os.WriteFile(pictureFile, described(indexed(t, shot), text), 0o666))
	}
	picture := must(os.ReadFile(pictureFile))(t)
	if len(picture) > maxPicture {
		t.Errorf("%s has %d bytes, more than %d", pictureFile, len(picture), maxPicture)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(picture, description(text)) {
		t.Errorf("%s shows another page than this (PICTURE=1 takes it anew):\n%s", pictureFile, text)
	}
}

// indexed returns a picture with the 256 colours that it has most of. Other colours become
// the nearest of these.
func indexed(t *testing.T, picture []byte) []byte {
	t.Helper()
	from := must(png.Decode(bytes.NewReader(picture)))(t)
	bounds := from.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colors[:min(256, len(colors))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range colors {
		nearest[c] = uint8(palette.Index(c))
	}
	to := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			to.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	var b bytes.Buffer
	noError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to))
	return b.Bytes()
}

// description is a chunk of a PNG with a text that describes what the picture shows.
func description(text string) []byte {
	chunk := []byte("iTXtDescription\x00\x00\x00en\x00\x00" + text)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	return binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
}

// described returns a PNG with a description after its first chunk, which has 25 bytes.
func described(picture []byte, text string) []byte {
	const first = 8 + 25
	return slices.Concat(picture[:first], description(text), picture[first:])
}
