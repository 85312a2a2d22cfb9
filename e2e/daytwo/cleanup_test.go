package daytwo

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

// blocked are objects that nobody but the clean-up lets go.
const blocked = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard, finalizers: [example.org/stuck]}
webhooks:
- name: guard.example.org
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods], scope: "*"}]
  admissionReviewVersions: [v1]
  sideEffects: None
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default, finalizers: [example.org/stuck]}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: csi, namespace: default, labels: {shoot.gardener.cloud/no-cleanup: "true"}}
spec:
  selector: {matchLabels: {app: csi}}
  template: {metadata: {labels: {app: csi, shoot.gardener.cloud/no-cleanup: "true"}}, spec: {containers: [{name: driver, image: nginx}]}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

const widget = `---
apiVersion: example.org/v1
kind: Widget
metadata: {name: stuck, namespace: default, finalizers: [example.org/stuck]}
`

// watched are the objects whose end is timed, by what the test calls them.
var watched = map[string]struct {
	resource        schema.GroupVersionResource
	namespace, name string
}{
	"webhook":    {schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}, "", "guard"},
	"definition": {schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}, "", "widgets.example.org"},
	"claim":      {schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, "default", "data"},
	"workload":   {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "default", "web"},
	"driver":     {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "default", "csi"},
	"CoreDNS":    {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "kube-system", "coredns"},
}

// ends records when objects of the shoot were seen last, and first found missing.
type ends struct {
	lock sync.Mutex
	seen map[string]time.Time
	gone map[string]time.Time
}

// watchEnds asks for the objects until the context ends.
func watchEnds(ctx context.Context, t *testing.T, kubeconfig string) *ends {
	t.Helper()
	objects, err := metadata.NewForConfig(poller.Config(t, kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	e := &ends{seen: map[string]time.Time{}, gone: map[string]time.Time{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for name, what := range watched {
				_, err := objects.Resource(what.resource).Namespace(what.namespace).Get(ctx, what.name, metav1.GetOptions{})
				e.note(name, err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(poller.Period):
			}
		}
	}()
	t.Cleanup(func() { <-done })
	return e
}

func (e *ends) note(name string, err error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	switch {
	case err == nil:
		e.seen[name] = time.Now()
		delete(e.gone, name)
	case apierrors.IsNotFound(err) && e.gone[name].IsZero():
		e.gone[name] = time.Now()
	}
}

// inOrder checks that every object was still seen when the one before it was gone.
func (e *ends) inOrder(t *testing.T, names ...string) {
	t.Helper()
	e.lock.Lock()
	defer e.lock.Unlock()
	for i, name := range names {
		if e.seen[name].IsZero() {
			t.Errorf("%s was never seen", name)
		}
		if i > 0 && (e.gone[names[i-1]].IsZero() || !e.seen[name].After(e.gone[names[i-1]])) {
			t.Errorf("%s was gone at %s, %s was seen last at %s", names[i-1], e.gone[names[i-1]].Format(time.StampMilli), name, e.seen[name].Format(time.StampMilli))
		}
	}
}

// remove deletes the shoot and observes its clean-up.
func (f *fixture) remove() {
	f.t.Helper()
	f.Kubectl(f.shoot, "create", "-f", f.File("blocked.yaml", blocked))
	f.Kubectl(f.shoot, "wait", "--for=condition=Established", "crd/widgets.example.org", "--timeout=10m")
	f.Eventually(time.Minute, "a widget is created", func() (bool, string) { // not each API server serves widgets yet
		r := f.TryKubectl(f.shoot, "apply", "-f", f.File("widget.yaml", widget))
		return r.Code == 0, r.Stderr
	})
	annotations := []string{"confirmation.gardener.cloud/deletion=true"}
	for _, stage := range []string{"webhooks", "extended-apis", "kubernetes-resources"} {
		annotations = append(annotations, fmt.Sprintf("shoot.gardener.cloud/cleanup-%s-finalize-grace-period-seconds=10", stage))
	}
	f.Kubectl(f.Garden(), append([]string{"-n", project, "annotate", "shoot", "daytwo"}, annotations...)...)
	ctx, stop := context.WithCancel(f.t.Context())
	defer stop()
	e := watchEnds(ctx, f.t, f.shoot)
	f.Kubectl(f.Garden(), "-n", project, "delete", "shoot", "daytwo", "--timeout=10m")
	stop()
	if left := f.Kubectl(f.Seed(), "get", "namespaces", "-o", "name"); strings.Contains(left, technical) {
		f.t.Errorf("namespaces are left:\n%s", left)
	}
	f.t.Run("CLN-1 CLN-2 CLN-3 CLN-6 CLN-7 finalizers are removed stage by stage", func(t *testing.T) {
		e.inOrder(t, "webhook", "definition", "claim")
	})
	f.t.Run("CLN-8 system components stay until workloads are gone", func(t *testing.T) {
		e.inOrder(t, "workload", "claim", "CoreDNS")
	})
	f.t.Run("CLN-9 a labelled driver stays to the end", func(t *testing.T) { e.inOrder(t, "workload", "claim", "driver") })
}
