package settings

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// administrator is a client of the garden with a kubeconfig of its own, whose certificates stay the same.
func administrator(t *testing.T, l *framework.Landscape) (garden *kubernetes.Clientset, kubeconfig string) {
	t.Helper()
	kubeconfig = l.Gardener("kubeconfig", "garden")
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	if len(config.CertData) == 0 {
		t.Fatal("the kubeconfig has no client certificate")
	}
	if garden, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return garden, kubeconfig
}

// poll asks both API servers of the garden again and again. The function ends it and reports requests that failed.
func poll(t *testing.T, garden *kubernetes.Clientset) func() {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	answered, failures, ended := 0, []error(nil), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			for _, path := range []string{"/api/v1/secrets", "/apis/core.gardener.cloud/v1beta1/controllerregistrations"} {
				err := garden.Discovery().RESTClient().Get().AbsPath(path).Param("limit", "5").Do(ctx).Error()
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					failures = append(failures, err)
				default:
					answered++
				}
			}
		}
	}()
	return func() {
		t.Helper()
		stop()
		<-ended
		if answered == 0 || len(failures) > 0 {
			t.Errorf("%d requests were answered, %d failed, such as %v", answered, len(failures), failures[:min(len(failures), 3)])
		}
	}
}

// metricsPassword is that of the whole landscape.
func metricsPassword(t *testing.T, l *framework.Landscape) string {
	t.Helper()
	encoded := l.Kubectl(l.Seed(), "-n", "garden", "get", "secret", "-l", "name=observability-ingress", "-o", "jsonpath={.items[*].data.password}")
	password, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(password) == 0 {
		t.Fatalf("the passwords for metrics are %d bytes long, %v", len(encoded), err)
	}
	return string(password)
}

// metricsWith asks for the metrics of the garden with a password.
func metricsWith(t *testing.T, l *framework.Landscape, password string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(l.Gardener("metrics"))+"?scope=garden&name[]=up", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("admin", password)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// arguments are those of the one command of an example.
func arguments(example []console.Step) []string { return strings.Fields(example[0].Command)[1:] }

// rotateGarden rotates the credentials of the garden twice. The daemon is killed in the middle of the second time.
func rotateGarden(t *testing.T, l *framework.Landscape, name string) {
	phases := func(l *framework.Landscape) string {
		return strings.TrimSpace(l.Kubectl(l.Seed(), "get", "garden", name, "-o",
			"jsonpath={.status.credentials.rotation.certificateAuthorities.phase} {.status.credentials.rotation.serviceAccountKey.phase} {.status.credentials.rotation.etcdEncryptionKey.phase}"))
	}
	token := func(l *framework.Landscape) string {
		return strings.TrimSpace(l.Kubectl(l.Garden(), "-n", "garden-local", "create", "token", "default"))
	}
	accepted := func(l *framework.Landscape, token string) bool {
		review := l.File("review.json", fmt.Sprintf(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":%q}}`, token))
		return strings.Contains(l.Kubectl(l.Garden(), "create", "--raw", "/apis/authentication.k8s.io/v1/tokenreviews", "-f", review), `"authenticated":true`)
	}
	keys := func() (names []string) {
		text, err := os.ReadFile(filepath.Join(l.StateDir, "pki", "garden", "encryption.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, name, found := strings.Cut(line, "- name: "); found {
				names = append(names, strings.TrimSpace(name))
			}
		}
		return names
	}
	t.Run("OPR-29 nothing is completed that was not started", func(t *testing.T) {
		l := l.For(t)
		if r := l.Run("garden", "rotate", "--complete"); r.Code == 0 || !strings.Contains(r.Stderr, "needs rotations in phase Prepared") {
			t.Errorf("code %d: %s", r.Code, r.Stderr)
		}
	})
	t.Run("OPR-29 CAR-14 the password for metrics rotates alone", func(t *testing.T) {
		l := l.For(t)
		former := metricsPassword(t, l)
		if code := metricsWith(t, l, former); code != http.StatusOK {
			t.Errorf("the password gives code %d", code)
		}
		l.Gardener(arguments(follow.Example(t, "gardener garden rotate --of observability"))...)
		if code := metricsWith(t, l, former); code != http.StatusUnauthorized {
			t.Errorf("the former password gives code %d", code)
		}
		if code := metricsWith(t, l, metricsPassword(t, l)); code != http.StatusOK {
			t.Errorf("the new password gives code %d", code)
		}
	})
	before, old := keys(), token(l)
	t.Run("OPR-29 OPR-30 a whole rotation fails no request, and ends the old credentials", func(t *testing.T) {
		l := l.For(t)
		seen := l.StartKubectl(l.Garden(), "", "get", "seed", "local", "-w", "-o", `jsonpath={.metadata.annotations.gardener\.cloud/operation}{"\n"}`)
		former, kubeconfig := administrator(t, l)
		ended := poll(t, former)
		l.Gardener(arguments(follow.Example(t, "gardener garden rotate --start"))...)
		if got := phases(l); got != "Prepared Prepared Prepared" {
			t.Errorf("phases after the start: %s", got)
		}
		between := token(l)
		if one, other := accepted(l, old), accepted(l, between); !one || !other {
			t.Errorf("between the phases the old token is accepted: %v, the new one: %v", one, other)
		}
		ended()
		present, _ := administrator(t, l)
		ended = poll(t, present)
		l.Gardener(arguments(follow.Example(t, "gardener garden rotate --complete"))...)
		if got := phases(l); got != "Completed Completed Completed" {
			t.Errorf("phases at the end: %s", got)
		}
		l.Eventually(time.Minute, "the old token is refused", func() (bool, string) { // the API server remembers for seconds what it has accepted
			return !accepted(l, old), "it is accepted"
		})
		if !accepted(l, between) {
			t.Error("the new token is refused, too")
		}
		if _, err := former.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{Limit: 1}); !apierrors.IsUnauthorized(err) {
			t.Errorf("with the old client certificate: %v", err)
		}
		if r := l.TryKubectl(l.File("former.yaml", kubeconfig), "get", "seeds"); r.Code == 0 || !strings.Contains(r.Stderr, "unknown authority") {
			t.Errorf("who trusts only the old authority: code %d, %s", r.Code, r.Stderr)
		}
		ended()
		if after := keys(); len(after) != 1 || after[0] == before[0] {
			t.Errorf("encryption keys %v, before %v", after, before)
		}
		seen.Says(time.Minute, "renew-garden-access-secrets")
		seen.Says(time.Minute, "renew-kubeconfig")
	})
	t.Run("OPR-29 a rotation whose daemon is killed goes on", func(t *testing.T) {
		l := l.For(t)
		former := token(l)
		l.Gardener("garden", "rotate", "--start", "--wait=false")
		if err := syscall.Kill(l.Daemon(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		l.Eventually(time.Minute, "all processes die with the daemon", func() (bool, string) {
			left := l.Processes()
			return len(left) == 0, fmt.Sprint(left)
		})
		l.Gardener("up")
		l.Eventually(3*time.Minute, "the rotation is prepared", func() (bool, string) { got := phases(l); return got == "Prepared Prepared Prepared", got })
		if !accepted(l, former) {
			t.Error("the token from before is refused")
		}
		l.Gardener("garden", "rotate", "--complete")
		if after := keys(); len(after) != 1 {
			t.Errorf("encryption keys %v", after)
		}
		l.Kubectl(l.Garden(), "get", "secrets", "--all-namespaces")
		l.Kubectl(l.Garden(), "get", "controllerregistrations,controllerdeployments")
	})
}
