package monitoring

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const technical = "shoot--dev--sun"

func shootOn(seed string) *gardencorev1beta1.Shoot {
	return &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "sun"},
		Status: gardencorev1beta1.ShootStatus{SeedName: &seed, TechnicalID: technical, Conditions: []gardencorev1beta1.Condition{
			{Type: gardencorev1beta1.ShootAPIServerAvailable, Status: gardencorev1beta1.ConditionFalse},
		}},
	}
}

// fakeSeed is a seed whose API server is a fake. Other methods of managers.Seed are not called.
type fakeSeed struct {
	managers.Seed
	name   string
	config *rest.Config
}

func (s fakeSeed) Name() string                  { return s.name }
func (s fakeSeed) Config() (*rest.Config, error) { return s.config, nil }
func (s fakeSeed) Adapt(*gardenlet.Config)       {}

// cluster serves lists of a seed and, since it is the same server, of the shoot in it. It notes the paths that it is asked for.
type cluster struct {
	pods    []corev1.Pod
	secrets []corev1.Secret
	nodes   []corev1.Node
	mu      sync.Mutex
	asked   map[string]bool
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked[r.URL.Path] = true
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	list := func(kind string, items any) {
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": kind, "items": items})
	}
	selector := r.URL.Query().Get("labelSelector")
	switch {
	case strings.HasSuffix(r.URL.Path, metricsPath):
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("x{cluster=\"garden\"} 1\n"))
	case strings.HasSuffix(r.URL.Path, "/nodes"):
		list("NodeList", c.nodes)
	case strings.HasSuffix(r.URL.Path, "/kube-system/pods"):
		list("PodList", []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "coredns-1"}}})
	case strings.HasSuffix(r.URL.Path, "/pods"):
		var some []corev1.Pod
		for _, one := range c.pods {
			if (one.Labels["app"] == labelMachine) == (selector == "app=machine") {
				some = append(some, one)
			}
		}
		list("PodList", some)
	case strings.HasSuffix(r.URL.Path, "/secrets"):
		var some []corev1.Secret
		for _, one := range c.secrets {
			if selected := r.URL.Query().Get("fieldSelector"); selected == "metadata.name="+one.Name || selected == "" && strings.Contains(selector, one.Labels["name"]) && one.Labels["name"] != "" {
				some = append(some, one)
			}
		}
		list("SecretList", some)
	default:
		http.NotFound(w, r)
	}
}

// serve starts the cluster and adds the access to the shoot.
func (c *cluster) serve(t *testing.T) *rest.Config {
	t.Helper()
	c.asked = map[string]bool{}
	server := httptest.NewTLSServer(c)
	t.Cleanup(server.Close)
	ca := pemOf(server.Certificate())
	kubeconfig, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: server.URL, CertificateAuthorityData: ca}},
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c"}},
		CurrentContext: "c",
	})
	if err != nil {
		t.Fatal(err)
	}
	c.secrets = append(c.secrets, corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: technical, Name: "gardener-internal"}, Data: map[string][]byte{"kubeconfig": kubeconfig},
	})
	return &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}
