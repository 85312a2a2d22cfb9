package rows

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

const operators = "gardener.cloud:landscape:operators"

func operatorKubeconfigs(t *testing.T, f *fixture) {
	for _, file := range []string{f.Garden(), f.Seed()} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "client-key-data") || strings.Contains(string(text), "token:") {
			t.Errorf("%s holds a credential", file)
		}
	}
	for _, cluster := range []string{"garden", "seed"} {
		kubeconfig := f.Gardener("kubeconfig", cluster)
		if certificate := clientCertificate(t, kubeconfig); certificate.Subject.Organization[0] != operators || !lasts(certificate, 8*time.Hour) {
			t.Errorf("the certificate for the %s is for %s, until %s", cluster, certificate.Subject, certificate.NotAfter)
		}
		if certificate := clientCertificate(t, f.Gardener("kubeconfig", cluster, "--expiration", "1h")); !lasts(certificate, time.Hour) {
			t.Errorf("the certificate for the %s lasts until %s, want an hour", cluster, certificate.NotAfter)
		}
		file := f.File(cluster+"-operator.yaml", kubeconfig)
		if who := f.Kubectl(file, "auth", "whoami", "-o", "jsonpath={.status.userInfo.groups}"); strings.Contains(who, "system:masters") || !strings.Contains(who, operators) {
			t.Errorf("the %s sees groups %s", cluster, who)
		}
		if answer := f.Kubectl(file, "auth", "can-i", "*", "*", "--all-namespaces"); strings.TrimSpace(answer) != "yes" {
			t.Errorf("an operator of the %s may not do everything: %s", cluster, answer)
		}
	}
	if r := f.Run("kubeconfig", "garden", "--expiration", "9000h"); r.Code == 0 || !strings.Contains(r.Stderr, "168h") {
		t.Errorf("a year: code %d, %s", r.Code, r.Stderr)
	}
	t.Run("other users of the machine get no credential", func(t *testing.T) { otherUser(t, f) })
	t.Run("the operators' rights can be taken, and broken glass gives them back", func(t *testing.T) { breakGlass(t, f) })
}

func otherUser(t *testing.T, f *fixture) {
	cmd := exec.Command(f.Binary, "credential", "garden", "--state-dir", f.StateDir)
	cmd.Dir, cmd.Env = "/", []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
	if os.Geteuid() != 0 {
		testskip.OutsideCI(t, "only root can become another user")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 64322, Gid: 64322}}
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "PRIVATE KEY") || !strings.Contains(string(out), "permission denied") {
		t.Errorf("another user got: %v, %s", err, out)
	}
}

func breakGlass(t *testing.T, f *fixture) {
	kubeconfig := f.Gardener("kubeconfig", "garden", "--break-glass", "--expiration", "10m")
	if certificate := clientCertificate(t, kubeconfig); certificate.Subject.Organization[0] != "system:masters" {
		t.Fatalf("the certificate is for %s", certificate.Subject)
	}
	master := f.File("break-glass.yaml", kubeconfig)
	f.Kubectl(master, "delete", "clusterrolebinding", operators)
	t.Cleanup(func() {
		f.Kubectl(master, "create", "clusterrolebinding", operators, "--clusterrole=cluster-admin", "--group="+operators)
		f.Eventually(time.Minute, "operators are allowed again", func() (bool, string) { // before the next test needs it
			r := f.TryKubectl(f.Garden(), "get", "shoots", "-A")
			return r.Code == 0, r.Stderr
		})
	})
	f.Eventually(time.Minute, "operators are refused", func() (bool, string) {
		r := f.TryKubectl(f.Garden(), "get", "shoots", "-A")
		return r.Code != 0 && strings.Contains(r.Stderr, "forbidden"), r.Stdout + r.Stderr
	})
}

func clientCertificate(t *testing.T, kubeconfig string) *x509.Certificate {
	t.Helper()
	config := load(t, []byte(kubeconfig))
	block, _ := pem.Decode(config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo].ClientCertificateData)
	if block == nil {
		t.Fatal("the kubeconfig has no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// lasts tolerates the minutes that the test takes.
func lasts(certificate *x509.Certificate, validity time.Duration) bool {
	left := time.Until(certificate.NotAfter)
	return left <= validity && left > validity-5*time.Minute
}
