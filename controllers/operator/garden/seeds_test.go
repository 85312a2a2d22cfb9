package garden

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// virtual is the API server of a virtual garden with these answers, by path. An empty answer is that of a server that is down.
func virtual(t *testing.T, answers map[string]string) host.Connect {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		answer, known := answers[request.URL.Path]
		if !known {
			http.NotFound(w, request)
			return
		}
		if answer == "" {
			http.Error(w, "service unavailable", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return host.Connected(&rest.Config{Host: server.URL})
}

func TestSeeds(t *testing.T) {
	const seeds, registration = "/apis/core.gardener.cloud/v1beta1/seeds", "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.core.gardener.cloud"
	list := func(items string) map[string]string {
		return map[string]string{registration: `{}`, seeds: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[` + items + `]}`}
	}
	none := apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "gardener-internal")
	destroys := func(context.Context, *operatorv1alpha1.Garden, host.Stage) error { return nil }
	for name, tc := range map[string]struct {
		virtual host.Connect
		force   string
		keeps   bool // the host destroys nothing
		want    []string
		fails   string
	}{
		"OPR-39 Seeds hold up the deletion":                        {virtual: virtual(t, list(`{"metadata":{"name":"one"}},{"metadata":{"name":"two"}}`)), want: []string{"one", "two"}},
		"OPR-39 a garden without Seeds is deleted":                 {virtual: virtual(t, list(``))},
		"OPR-39 a garden that does not know Seeds is deleted":      {virtual: virtual(t, nil)},
		"OPR-39 a garden whose Gardener API is down stays":         {virtual: virtual(t, map[string]string{seeds: "", registration: `{}`}), fails: "status 503"},
		"OPR-39 a garden that stopped serving Seeds stays":         {virtual: virtual(t, map[string]string{registration: `{}`}), fails: "does not serve Seeds now"},
		"OPR-39 an answer that is no list of Seeds is none":        {virtual: virtual(t, map[string]string{seeds: `{"kind":"Status"}`}), fails: `kind "Status"`},
		"OPR-39 a garden that has never served is deleted":         {virtual: func(context.Context) (*rest.Config, error) { return nil, none }},
		"OPR-39 a garden that does not answer is not deleted":      {virtual: host.Connected(&rest.Config{Host: "http://127.0.0.1:1"}), fails: "confirmation.gardener.cloud/force-deletion=true"},
		"OPR-39 a garden that cannot be reached is not deleted":    {virtual: func(context.Context) (*rest.Config, error) { return nil, errors.New("boom") }, fails: "boom"},
		"OPR-39 a user may confirm that nobody needs the Seeds":    {virtual: host.Connected(&rest.Config{Host: "http://127.0.0.1:1"}), force: "true"},
		"OPR-39 a host that destroys nothing keeps its Seeds, too": {virtual: host.Connected(&rest.Config{Host: "http://127.0.0.1:1"}), keeps: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Host: host.Host{Destroy: destroys}, Access: access.Access{Virtual: tc.virtual}}
			if tc.keeps {
				r.Host.Destroy = nil
			}
			garden := &operatorv1alpha1.Garden{}
			garden.Annotations = map[string]string{"confirmation.gardener.cloud/force-deletion": tc.force}
			got, err := r.seeds(t.Context(), garden)
			if !slices.Equal(got, tc.want) || (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("Seeds %v, error %v", got, err)
			}
		})
	}
}

func TestDestroying(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	garden := aGarden("any")
	garden.UID, garden.Finalizers, garden.DeletionTimestamp = "1", []string{constants.FinalizerOperator}, ptr.To(metav1.Now())
	garden.Annotations = map[string]string{constants.ConfirmationDeletion: "true"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(garden).WithStatusSubresource(garden).Build()
	key, serves, fails := client.ObjectKeyFromObject(garden), virtual(t, nil), true
	var noted string
	h := aHost()
	h.Name, h.Destroy = "", func(context.Context, *operatorv1alpha1.Garden, host.Stage) error {
		now := &operatorv1alpha1.Garden{}
		if err := c.Get(t.Context(), key, now); err != nil {
			t.Error(err)
		}
		noted = now.Annotations[annotationDestroying]
		if fails {
			return errBoom
		}
		return nil
	}
	run := func(virtual host.Connect) error {
		r := &Reconciler{
			Runtime: c, Host: h, Clock: clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), ComponentTimeout: time.Millisecond,
			Access: access.Access{Runtime: c, Reader: c, Virtual: virtual}, Password: observability.Password{Runtime: c, Reader: c},
		}
		_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
		return err
	}
	down := host.Connected(&rest.Config{Host: "http://127.0.0.1:1"})
	t.Run("OPR-39 nothing is destroyed before the question is answered", func(t *testing.T) {
		if err := run(down); err == nil || errors.Is(err, errBoom) || noted != "" {
			t.Errorf("noted %q: %v", noted, err)
		}
	})
	t.Run("OPR-39 a deletion that has begun to destroy says so first", func(t *testing.T) {
		if err := run(serves); !errors.Is(err, errBoom) || noted != "1" {
			t.Errorf("noted %q: %v", noted, err)
		}
	})
	t.Run("OPR-39 a deletion goes on when the virtual garden does not answer any more", func(t *testing.T) {
		fails = false
		if err := run(down); err != nil {
			t.Error(err)
		}
		if err := c.Get(t.Context(), key, &operatorv1alpha1.Garden{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Garden is still there: %v", err)
		}
	})
	t.Run("OPR-39 the note of another Garden counts for nothing", func(t *testing.T) {
		copied := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{UID: "2", Annotations: map[string]string{annotationDestroying: "1"}}}
		if destroying(copied) || destroying(&operatorv1alpha1.Garden{}) {
			t.Error("it counts")
		}
	})
}
