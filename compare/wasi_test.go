package compare

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// In wazero, the command runs with the system interface of WASI, and prints what it prints
// elsewhere.
func TestWASI(t *testing.T) {
	native, wasm := buildAbsolink(t), filepath.Join(t.TempDir(), "absolink.wasm")
	noError(t, build(wasm, "GOOS=wasip1", "GOARCH=wasm"))
	code := must(os.ReadFile(wasm))(t)
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	compiled := must(runtime.CompileModule(ctx, code))(t)
	page := must(os.ReadFile("../testdata/pages/appendix.html"))(t)
	for _, args := range [][]string{
		{},
		{"--url", "http://www.ics.uci.edu/Test/"},
		{"list", "--profile", "whatwg"},
		{"--report"},
		{"--no-such-option"},
		{"--help"},
	} {
		var want, got streams
		cmd := exec.Command(native, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(page), &want.out, &want.err
		cmd.Run()
		want.code = cmd.ProcessState.ExitCode()

		config := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"absolink"}, args...)...).
			WithStdin(bytes.NewReader(page)).WithStdout(&got.out).WithStderr(&got.err).WithSysWalltime().WithSysNanotime()
		_, err := runtime.InstantiateModule(ctx, compiled, config)
		var exit *sys.ExitError
		if errors.As(err, &exit) {
			got.code = int(exit.ExitCode())
		} else if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if got.String() != want.String() || got.code != want.code {
			t.Errorf("%q gives\n%s(%d)\nnot\n%s(%d)", args, &got, got.code, &want, want.code)
		}
	}
}

// streams are what a command has written, and its exit code.
type streams struct {
	out, err bytes.Buffer
	code     int
}

func (s *streams) String() string { return s.out.String() + s.err.String() }
