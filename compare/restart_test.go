package compare

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"absolink/internal/test/testio"
)

// startOn runs absolink serve on an address, as the image does, and returns when it is healthy.
func startOn(t *testing.T, absolink, address string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(absolink, "serve", "--log", "none", "--listen", address)
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=1800MiB")
	noError(t, cmd.Start())
	for range 400 {
		if answer, err := http.Get("http://" + address + "/healthz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return cmd
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	t.Fatal("absolink serve is not healthy")
	return nil
}

// Two servers behind nginx, as in docs/operations.md, are restarted one after the other, again
// and again, and each of 50 requests a second is answered.
func TestRollingRestart(t *testing.T) {
	nginx := tool(t, "NGINX_PROGRAM")
	absolink := buildAbsolink(t)
	addresses := []string{testio.FreeAddress(t), testio.FreeAddress(t)}
	front := startNginx(t, nginx, strings.NewReplacer("127.0.0.1:8081", addresses[0], "127.0.0.1:8082", addresses[1]).Replace(blocks(t, "nginx")[2]))
	servers := []*exec.Cmd{startOn(t, absolink, addresses[0]), startOn(t, absolink, addresses[1])}
	defer func() {
		for _, server := range servers {
			server.Process.Kill()
			server.Wait()
		}
	}()

	page := page200(t)
	target := vegeta.Target{Method: "POST", URL: front + "/rewrite?url=http://h/d/", Header: http.Header{"Content-Type": {"text/html"}}, Body: page}
	answer := must(http.Post(target.URL, "text/html", bytes.NewReader(page)))(t)
	answer.Body.Close()
	// Where the machine does not manage 50 a second, there are fewer: no more wait than 8.
	attacker := vegeta.NewAttacker(vegeta.Timeout(time.Minute), vegeta.Workers(8), vegeta.MaxWorkers(8))
	results := attacker.Attack(vegeta.NewStaticTargeter(target), vegeta.Rate{Freq: 50, Per: time.Second}, 0, "")
	var m vegeta.Metrics
	counted := make(chan bool)
	go func() {
		defer close(counted)
		for result := range results {
			m.Add(result)
		}
		m.Close()
	}()
	const rounds = 6
	for range rounds {
		for i, address := range addresses {
			servers[i].Process.Signal(syscall.SIGTERM)
			if err := servers[i].Wait(); err != nil {
				t.Errorf("after SIGTERM, a server ends with %v", err)
			}
			servers[i] = startOn(t, absolink, address)
			time.Sleep(200 * time.Millisecond)
		}
	}
	attacker.Stop()
	<-counted
	t.Logf("%d requests, %.0f a second, during %d restarts, the slowest in %v", m.Requests, m.Rate, rounds*len(addresses), m.Latencies.Max)
	if m.Success != 1 || m.BytesIn.Mean < 200<<10 {
		t.Errorf("%.2f %% were answered, with %.0f bytes: %v: %v", 100*m.Success, m.BytesIn.Mean, m.StatusCodes, m.Errors)
	}
}
