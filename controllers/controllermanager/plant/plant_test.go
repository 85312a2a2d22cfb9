package plant

import (
	"compress/gzip"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func node(name, providerID, region string, ready corev1.ConditionStatus) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: providerID}}
	if region != "" {
		n.Labels = map[string]string{corev1.LabelTopologyRegion: region}
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	return n
}

func TestStatus(t *testing.T) {
	v := &version.Info{GitVersion: "v1.35.7"}
	for name, tc := range map[string]struct {
		seen                 Observation
		server, nodes        string // status and reason
		message              string // of either
		cloud, region, known string
	}{
		"GCM-32 a healthy cluster": {
			Observation{Health: 200, Version: v, Nodes: []corev1.Node{node("a", "kind://docker/x", "", "True"), node("b", "kind://docker/y", "eu", "True")}},
			"True HealthzRequestSucceeded", "True EveryNodeReady", "Every node", "kind", "eu", "1.35.7",
		},
		"GCM-32 a node that is not ready is named": {
			Observation{Health: 200, Version: v, Nodes: []corev1.Node{node("a", "aws:///eu/i-1", "eu", "True"), node("b", "", "", "Unknown")}},
			"True HealthzRequestSucceeded", "False NodeUnhealthy", "1 of 2 nodes are not ready: b.", "aws", "eu", "1.35.7",
		},
		"GCM-32 information that the cluster does not report keeps its last value": {
			Observation{Health: 200, Version: v, NodesErr: errors.New("forbidden")},
			"True HealthzRequestSucceeded", "Unknown ListNodesFailed", "forbidden", "old", "old", "1.35.7",
		},
		"GCM-32 a sick API server": {
			Observation{Health: 500}, "False HealthzRequestError", "Unknown APIServerDown", "status 500", "old", "old", "old",
		},
		"GCM-32 no API server": {
			Observation{Down: errors.New("connection refused")}, "False HealthzRequestFailed", "Unknown APIServerDown", "connection refused", "old", "old", "old",
		},
		"API-30 an unusable Secret is reported": {
			Observation{Unusable: errors.New(`secret "x" does not exist`)}, "Unknown KubeconfigUnusable", "Unknown KubeconfigUnusable", `secret "x" does not exist`, "old", "old", "old",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &gardencorev1beta1.Plant{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			p.Status.ClusterInfo = &gardencorev1beta1.PlantClusterInfo{
				Cloud: gardencorev1beta1.PlantCloudInfo{Type: "old", Region: "old"}, Kubernetes: gardencorev1beta1.PlantKubernetesInfo{Version: "old"},
			}
			status := tc.seen.Status(p, time.Now())
			server := conditions.Get(status.Conditions, gardencorev1beta1.PlantAPIServerAvailable)
			nodes := conditions.Get(status.Conditions, gardencorev1beta1.PlantEveryNodeReady)
			if got := string(server.Status) + " " + server.Reason; got != tc.server {
				t.Errorf("APIServerAvailable is %s", got)
			}
			if got := string(nodes.Status) + " " + nodes.Reason; got != tc.nodes {
				t.Errorf("EveryNodeReady is %s", got)
			}
			if !strings.Contains(server.Message+nodes.Message, tc.message) {
				t.Errorf("messages %q, %q", server.Message, nodes.Message)
			}
			info := status.ClusterInfo
			if info.Cloud.Type != tc.cloud || info.Cloud.Region != tc.region || info.Kubernetes.Version != tc.known || *status.ObservedGeneration != 3 {
				t.Errorf("cluster info %+v", info)
			}
		})
	}
}

func TestAccessOf(t *testing.T) {
	const head = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
	const cluster = "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
	for name, tc := range map[string]struct{ kubeconfig, want string }{
		"API-30 a kubeconfig with a token":         {head + cluster + "users: [{name: u, user: {token: t}}]", ""},
		"API-30 nothing":                           {"", "has no key kubeconfig"},
		"API-30 something else":                    {"{", "no valid kubeconfig"},
		"API-30 no cluster":                        {"apiVersion: v1\nkind: Config", "names no cluster"},
		"programs of this machine are not run":     {head + cluster + "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}}}]", "runs a program"},
		"old plugins are not run":                  {head + cluster + "users: [{name: u, user: {auth-provider: {name: gcp}}}]", "runs a program"},
		"tokens of this machine are not read":      {head + cluster + "users: [{name: u, user: {tokenFile: /etc/passwd}}]", "refers to a file"},
		"keys of this machine are not read":        {head + cluster + "users: [{name: u, user: {client-key: /etc/passwd}}]", "refers to a file"},
		"authorities of this machine are not read": {head + "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority: /etc/passwd}}]", "refers to a file"},
		"invalid content is not quoted":            {head + "users: [{name: u, user: {token: [topsecret]}}]", "cannot be parsed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := accessOf(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"kubeconfig": []byte(tc.kubeconfig)}})
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error = %v, want one with %q", err, tc.want)
			case err != nil && strings.Contains(err.Error(), "topsecret"):
				t.Errorf("error quotes a secret: %v", err)
			}
		})
	}
}

// Users choose the server of a Plant, and whoever runs this controller decides which addresses that may be.
func TestServersAreDialledAsTheReconcilerSays(t *testing.T) {
	const kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
		"clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: t}}]\n"
	plant := &gardencorev1beta1.Plant{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "a"}, Spec: gardencorev1beta1.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: "s"}}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}, Data: map[string][]byte{"kubeconfig": []byte(kubeconfig)}}
	garden := fake.NewClientBuilder().WithObjects(secret).Build()
	refused := errors.New("refused")
	r := &Reconciler{Client: garden, Reader: garden, Look: Look, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		if address != "127.0.0.1:1" {
			t.Errorf("dialled %s", address)
		}
		return nil, refused
	}}
	seen, err := r.look(t.Context(), plant)
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(seen.Down, refused) {
		t.Errorf("observation: %+v", seen)
	}
}

// answering serves what a user of a Plant may send.
func answering(t *testing.T, nodes http.HandlerFunc) *rest.Config {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/healthz":
			_, _ = w.Write([]byte("ok"))
		case "/version":
			_, _ = w.Write([]byte(`{"gitVersion":"v1.36.0"}`))
		default:
			nodes(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, Timeout: timeout}
}

func TestLongAnswersAreNotRead(t *testing.T) {
	chunk := make([]byte, 1<<20)
	for name, tc := range map[string]struct {
		nodes   http.HandlerFunc
		problem string
	}{
		"a short answer": {nodes: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`))
		}},
		"an answer without end": {problem: "more than 16 MiB", nodes: func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}},
		"an answer that says that it is long": {problem: "more than 16 MiB", nodes: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000000")
			_, _ = w.Write([]byte("{"))
		}},
		"a short answer that becomes long": {problem: "more than 16 MiB", nodes: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			for range 64 {
				_, _ = packed.Write(chunk)
			}
			_ = packed.Close()
		}},
	} {
		t.Run("APP-19 "+name, func(t *testing.T) {
			seen := Look(t.Context(), answering(t, tc.nodes))
			if seen.Down != nil || seen.Unusable != nil {
				t.Fatalf("no look: %v %v", seen.Down, seen.Unusable)
			}
			if tc.problem == "" {
				if seen.NodesErr != nil || len(seen.Nodes) != 1 {
					t.Errorf("%d nodes, %v", len(seen.Nodes), seen.NodesErr)
				}
				return
			}
			if seen.NodesErr == nil || !strings.Contains(seen.NodesErr.Error(), tc.problem) {
				t.Errorf("error %v, want %s", seen.NodesErr, tc.problem)
			}
		})
	}
}
