package idna

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// nodeDir has the program that is compared with, and what npm installs for it.
const nodeDir = "../../../compare/idna"

// tr46Dir returns the folder of tr46. Where it is missing, the test is skipped, or fails
// if the environment variable NODE is set.
func tr46Dir(t *testing.T) string {
	dir := filepath.Join(nodeDir, "node_modules", "tr46")
	if _, err := os.Stat(dir); err != nil {
		missing(t)("no tr46: (cd compare/idna && npm ci) installs it: %v", err)
	}
	return dir
}

func missing(t *testing.T) func(format string, args ...any) {
	if os.Getenv("NODE") != "" {
		return t.Fatalf
	}
	return t.Skipf
}

// startNode returns the command that answers domains: the program that NODE names, or node.
func startNode(t *testing.T) *exec.Cmd {
	tr46Dir(t)
	path, err := exec.LookPath(cmp.Or(os.Getenv("NODE"), "node"))
	if err != nil {
		missing(t)("no node, and NODE does not say where it is: %v", err)
	}
	cmd := exec.Command(path, "toascii.js")
	cmd.Dir = nodeDir
	return cmd
}

// askNode returns what tr46 makes of the domains, each a string, nil for failure, or
// false where node is too old to tell.
func askNode(t *testing.T, domains []string) []any {
	cmd := startNode(t)
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, d := range domains {
		if err := encoder.Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(domains)+1 {
		t.Fatalf("node answered %d domains of %d", len(lines)-1, len(domains))
	}
	t.Logf("node has Unicode %s", lines[0])
	answers := make([]any, len(domains))
	for i, line := range lines[1:] {
		if err := json.Unmarshal([]byte(line), &answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

// compareWithNode checks domains that are not ASCII, as tr46 does not have the rule of
// the URL Standard for ASCII ones, and says how many were valid.
func compareWithNode(t *testing.T, domains []string) {
	valid, unknown, different := 0, 0, 0
	for i, answer := range askNode(t, domains) {
		got, ok := AppendASCII(nil, []byte(domains[i]))
		want, wantOK := answer.(string)
		if wantOK && want == "" {
			wantOK = false // a failure in the URL Standard
		}
		switch {
		case answer == false:
			unknown++
		case ok != wantOK || string(got) != want:
			if different++; different <= 20 {
				t.Errorf("%+q: %q, %t, tr46 has %q, %t", domains[i], got, ok, want, wantOK)
			}
		case ok:
			valid++
		}
	}
	t.Logf("%d domains, %d valid, %d with code points that node does not know, %d different", len(domains), valid, unknown, different)
	if unknown > len(domains)/10 {
		t.Errorf("node knows too few domains")
	}
}

func TestNodeDomains(t *testing.T) {
	random := rand.New(rand.NewPCG(1808, 3986))
	domains := make([]string, 20000)
	for i := range domains {
		domains[i] = randomDomain(random)
	}
	compareWithNode(t, domains)
}

// Every code point, alone beside a letter, except most of those that are disallowed.
func TestNodeCodePoints(t *testing.T) {
	var domains []string
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && (classOf(r).kind != disallowed || r < 0x3400 || r%61 == 0) {
			domains = append(domains, "ü"+string(r))
		}
	}
	compareWithNode(t, domains)
}

// Every valid code point after a mark, and every mark after one, in a label of Punycode
// that need not be normalized.
func TestNodePunycode(t *testing.T) {
	var domains []string
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		c := classOf(r)
		if c.kind != valid || !c.unsettled && r%31 != 0 {
			continue
		}
		for _, label := range [][]rune{{'e', r}, {'e', 0x316, r}, {r, 0x301}, {0x915, r, joiner}, {0x628, r, nonJoiner, r, 0x628}} {
			domains = append(domains, prefix+string(appendEncoded(nil, label))+".ü", string(label))
		}
	}
	compareWithNode(t, slices.DeleteFunc(domains, func(s string) bool { return isASCII([]byte(s)) }))
}

// The generator writes the tables as they are.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./gen", "-o", dir, tr46Dir(t)).CombinedOutput(); err != nil {
		t.Fatalf("gen: %v\n%s", err, out)
	}
	for _, name := range []string{"tables_class.go", "data/runs", "data/mappings", "data/texts", "data/compositions", "data/decompositions"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what gen writes: go generate (%v)", name, err)
		}
	}
}

// ranges have what the labels of a domain are made of: a domain takes few of them.
var ranges = [][2]rune{
	{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'-', '-'}, {'!', '~'}, {0xA0, 0x17F}, {0x300, 0x36F}, {0x370, 0x3FF},
	{0x400, 0x4FF}, {0x591, 0x5F4}, {0x600, 0x6FF}, {0x700, 0x8FF}, {0x900, 0x97F}, {0x980, 0xDFF}, {0xE00, 0xFFF},
	{0x10A0, 0x11FF}, {0x1780, 0x18AF}, {0x1AB0, 0x1AFF}, {0x1E00, 0x1FFF}, {0x2000, 0x206F}, {nonJoiner, joiner},
	{0x2070, 0x218F}, {0x2460, 0x24FF}, {0x2E80, 0x2FFF}, {0x3000, 0x30FF}, {0x4E00, 0x9FFF}, {0xA640, 0xABFF},
	{0xAC00, 0xD7A3}, {0xF900, 0xFDFF}, {0xFE00, 0xFFFF}, {0x10280, 0x10FFF}, {0x11000, 0x11FFF}, {0x16100, 0x16FFF},
	{0x1D100, 0x1D7FF}, {0x1E000, 0x1E9FF}, {0x1F000, 0x1FAFF}, {0x2F800, 0x2FA1F}, {0xE0000, 0xE01EF}, {0, utf8.MaxRune},
}

func randomDomain(random *rand.Rand) string {
	for {
		var labels []string
		for range 1 + random.IntN(3) {
			labels = append(labels, randomLabel(random))
		}
		stop := []string{".", ".", ".", "\u3002", "\uFF0E"}[random.IntN(5)]
		if domain := strings.Join(labels, stop); !isASCII([]byte(domain)) {
			return domain
		}
	}
}

// randomLabel returns a label. Some labels are encoded, and some of these with mistakes.
func randomLabel(random *rand.Rand) string {
	var label []rune
	scripts := [][2]rune{ranges[random.IntN(len(ranges))], ranges[random.IntN(len(ranges))], {'a', 'z'}}
	for range random.IntN(7) {
		s := scripts[random.IntN(len(scripts))]
		r := s[0] + random.Int32N(s[1]-s[0]+1)
		if k := classOf(r).kind; k == disallowed && random.IntN(20) > 0 || !utf8.ValidRune(r) {
			continue
		}
		label = append(label, r)
	}
	text := string(label)
	if random.IntN(8) == 0 {
		text = prefix + text
	}
	switch random.IntN(6) {
	case 0: // normalized, if it is valid
		encoded, _ := AppendASCII(nil, []byte(text))
		return string(encoded)
	case 1: // as it is
		return prefix + string(appendEncoded(nil, label))
	case 2: // with a byte changed
		encoded := append([]byte(prefix), appendEncoded(nil, label)...)
		encoded[random.IntN(len(encoded))] = alphabet[random.IntN(len(alphabet))]
		return string(encoded)
	}
	return text
}
