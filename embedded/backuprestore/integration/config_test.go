package integration

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
)

func TestConfiguration(t *testing.T) {
	content, err := configfile.Encode([]string{"--quota-backend-bytes=12345678"})
	must(t, err)
	m := newMember(t)
	path := filepath.Join(m.dir, "etcd.conf.yaml")
	must(t, os.WriteFile(path, content, 0o600))
	m.flags = []string{"--etcd-config=" + path, "--etcd-config-sum=" + configfile.Sum(content)}

	t.Run("ETC-2 etcd uses the settings of its configuration file", func(t *testing.T) {
		m.start()
		m.eventually("the quota of the file", func() error {
			response, err := http.Get("http://" + m.client + "/metrics")
			if err != nil {
				return err
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			if err == nil && !strings.Contains(string(text), "etcd_server_quota_backend_bytes 1.2345678e+07") {
				err = fmt.Errorf("not among %d bytes of metrics", len(text))
			}
			return err
		})
		m.end(syscall.SIGTERM)
	})
	t.Run("ETC-2 it does not begin with a file that somebody changed", func(t *testing.T) {
		must(t, os.WriteFile(path, append(content, "log-outputs: "+path+"\n"...), 0o600))
		m.launch()
		err := m.process.Wait()
		m.process = nil
		log, _ := os.ReadFile(filepath.Join(m.dir, "log"))
		if err == nil || !strings.Contains(string(log), "somebody changed it") {
			t.Errorf("%v, log:\n%s", err, log)
		}
	})
}
