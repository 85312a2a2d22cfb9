package rows

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// apiServer is the name of the pod of the API server of the shoot, whose containers are processes.
func (f *fixture) apiServer() string {
	return f.seed("pods", "{.items[0].metadata.name}", "-l", "role=apiserver", "--field-selector=status.phase=Running")
}

// execution runs the one command that a container of the appliance image has for users.
func execution(t *testing.T, f *fixture) {
	pod := f.apiServer()
	if version := f.Kubectl(f.Seed(), "-n", technical, "exec", pod, "--", "/gardener", "version"); !strings.Contains(version, kubeversion.Version) {
		t.Errorf("the binary of the image says %q", version)
	}
	for _, program := range []string{"sh", "no-such-command"} {
		if r := f.TryKubectl(f.Seed(), "-n", technical, "exec", pod, "--", program); r.Code == 0 || !strings.Contains(r.Stderr, `exec: "`+program+`": executable file not found in $PATH`) {
			t.Errorf("%s: exit code %d, %s", program, r.Code, r.Stderr)
		}
	}
}

// copying needs a program that the image does not have.
func copying(t *testing.T, f *fixture) {
	pod, file := f.apiServer(), f.File("sent.txt", "content of a file\n")
	for _, args := range [][]string{{filepath.Base(file), pod + ":tmp/sent.txt"}, {pod + ":etc/passwd", "returned.txt"}} {
		f.Eventually(time.Minute, fmt.Sprintf("cp %v fails with its reason", args), func() (bool, string) {
			r := f.TryKubectl(f.Seed(), append([]string{"-n", technical, "cp"}, args...)...)
			if r.Code == 0 {
				t.Fatalf("cp %v succeeds: %s", args, r.Stdout)
			}
			// The reason is lost if the server closes the connection before it has read what kubectl sends.
			return strings.Contains(r.Stderr, `exec: "tar": executable file not found in $PATH`), r.Stderr
		})
	}
	if _, err := os.Lstat(filepath.Join(f.Dir, "returned.txt")); !os.IsNotExist(err) {
		t.Errorf("a file came out: %v", err)
	}
}

// forwarding does a TLS handshake with the API server of the shoot through kubectl port-forward.
func forwarding(t *testing.T, f *fixture) {
	forward := f.StartKubectl(f.Seed(), "", "-n", technical, "port-forward", "pod/"+f.apiServer(), ":6443")
	forward.Says(time.Minute, "Forwarding from")
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(forward.Output())
	conn, err := (&tls.Dialer{NetDialer: &net.Dialer{Timeout: 20 * time.Second}, Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(t.Context(), "tcp", address) //nolint:gosec // who answers is what we look at
	if err != nil {
		t.Fatalf("through %s: %v", address, err)
	}
	defer conn.Close()
	if answered := conn.(*tls.Conn).ConnectionState().PeerCertificates[0]; answered.VerifyHostname("kube-apiserver") != nil {
		t.Errorf("%s answers for %v", answered.Subject, answered.DNSNames)
	}
}

// following follows the log of a container until its pod is deleted.
func following(t *testing.T, f *fixture) {
	pod := f.seed("pods", "{.items[0].metadata.name}", "-l", "role=scheduler")
	logs := f.StartKubectl(f.Seed(), "", "-n", technical, "logs", "-f", "--tail=1", pod)
	f.Eventually(time.Minute, "the last line is there", func() (bool, string) { return logs.Output() != "", "" })
	before := len(logs.Output())
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", pod, "--wait=false")
	if code := logs.Ends(time.Minute); code != 0 {
		t.Errorf("exit code %d: %s", code, logs.Output())
	}
	if len(logs.Output()) == before {
		t.Errorf("nothing came after the first lines:\n%s", logs.Output())
	}
	f.Kubectl(f.Seed(), "-n", technical, "rollout", "status", "deployment/kube-scheduler", "--timeout=10m")
}

// simulated tries operations that a simulated pod of the shoot cannot do.
func simulated(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "create", "deployment", "simulated", "--image=nginx")
	f.Kubectl(f.shoot, "rollout", "status", "deployment/simulated", "--timeout=10m")
	pod := f.get(f.shoot, []string{"get", "pods", "-l", "app=simulated"}, "{.items[0].metadata.name}")
	if logs := f.Kubectl(f.shoot, "logs", pod); !strings.Contains(logs, "Image nginx is simulated") {
		t.Errorf("log: %s", logs)
	}
	for _, args := range [][]string{
		{"exec", pod, "--", "ls"}, {"attach", pod}, {"port-forward", pod, ":80"}, {"cp", pod + ":/etc/hosts", "hosts"},
	} {
		refused := f.StartKubectl(f.shoot, "", args...)
		code := refused.Ends(time.Minute)
		for _, want := range []string{"container nginx is simulated", "nothing of image nginx runs", "gardener up --provider=kind"} {
			if code == 0 || !strings.Contains(refused.Output(), want) {
				t.Errorf("kubectl %s: exit code %d, no %q in %s", args[0], code, want, refused.Output())
			}
		}
	}
	f.Kubectl(f.shoot, "delete", "deployment", "simulated")
	f.Kubectl(f.shoot, "run", "failing", "--image=nginx", "--restart=Never", "--annotations=simulation.gardener.local/exit-code=3")
	f.Kubectl(f.shoot, "wait", "--for=jsonpath={.status.phase}=Failed", "pod/failing", "--timeout=5m")
	if code := f.get(f.shoot, []string{"get", "pod", "failing"}, "{.status.containerStatuses[0].state.terminated.exitCode}"); code != "3" {
		t.Errorf("the exit code is %s", code)
	}
	f.Kubectl(f.shoot, "delete", "pod", "failing")
}
