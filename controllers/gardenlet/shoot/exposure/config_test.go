package exposure_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

// A user of a shoot makes as many Nodes as the etcd holds, or has an API server of his own behind that of the shoot.
func TestLongAnswersOfShootsAreNotRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range 4 * shortanswers.Longest / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	kubeconfig := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
		"clusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: u, user: {token: t}}]\n", server.URL)
	config, err := exposure.Access{}.Config([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	shoot, err := client.New(config, client.Options{Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	if err := shoot.List(t.Context(), &corev1.NodeList{}); !errors.Is(err, shortanswers.ErrLong) {
		t.Errorf("error %v", err)
	}
}

func TestClientsOfShootsHaveTheConfiguredLimit(t *testing.T) {
	const kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
		"clusters: [{name: c, cluster: {server: https://a}}]\nusers: [{name: u, user: {token: t}}]\n"
	t.Run("GLT-10 one limit is for the requests of all kinds", func(t *testing.T) {
		config, err := exposure.Access{QPS: 25, Burst: 2}.Config([]byte(kubeconfig))
		if err != nil {
			t.Fatal(err)
		}
		if limit := config.RateLimiter; limit == nil || limit.QPS() != 25 || !limit.TryAccept() || !limit.TryAccept() || limit.TryAccept() {
			t.Errorf("a client with a burst of 2 has the limit %+v", limit)
		}
	})
	t.Run("GLT-10 without a configuration there is no limit", func(t *testing.T) {
		if config, err := (exposure.Access{}).Config([]byte(kubeconfig)); err != nil || config.QPS >= 0 || config.RateLimiter != nil {
			t.Errorf("the configuration is %+v, %v", config, err)
		}
	})
}
