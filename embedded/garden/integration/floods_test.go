package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	flowcontrol "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// Both servers of the tests serve so many requests at a time. 28 of them are for tenants.
const (
	readingAtOnce  = 40
	mutatingAtOnce = 20
)

// floodsAtOnce is how many of each request a greedy tenant sends at a time, which is more than both servers serve.
const floodsAtOnce = readingAtOnce + mutatingAtOnce + 10

const (
	configMaps = "/api/v1/namespaces/default/configmaps"
	quotas     = "/apis/core.gardener.cloud/v1beta1/namespaces/default/quotas" // of the Gardener API server
	leases     = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
)

// bodies create an object each.
var bodies = map[string]string{
	configMaps: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"flood-"}}`,
	quotas: `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Quota","metadata":{"generateName":"flood-"},
		"spec":{"scope":{"apiVersion":"v1","kind":"Secret"},"metrics":{}}}`,
	leases: `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"generateName":"flood-"}}`,
}

// actor is a user of the garden.
type actor struct {
	name   string
	groups []string
}

func account(namespace, name string) actor {
	return actor{"system:serviceaccount:" + namespace + ":" + name, []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "tenants"}}
}

var (
	gardenlet = actor{"gardener.cloud:system:seed:local", []string{"gardener.cloud:system:seeds"}}
	operator  = actor{"gardener-admin", []string{"gardener.cloud:landscape:operators"}}
	eve       = actor{"eve", []string{"tenants"}}
	bob       = actor{"bob", []string{"tenants"}}
)

// send sends one request, without further tries. The status is 0 if there was no answer.
func (a actor) send(ctx context.Context, method, path string, body io.Reader) (status int, header http.Header, answer string) {
	config := rest.CopyConfig(garden.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: a.name, Groups: append([]string{"system:authenticated"}, a.groups...)}
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, nil, err.Error()
	}
	request, err := http.NewRequestWithContext(ctx, method, config.Host+path, body)
	if err != nil {
		return 0, nil, err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.Do(request)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(text)
}

// works creates an object of each path and lists all.
func (a actor) works(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if status, _, answer := a.send(ctx, http.MethodPost, path, strings.NewReader(bodies[path])); status != http.StatusCreated {
			return fmt.Errorf("create at %s: answer %d: %.300s", path, status, answer)
		}
		if status, _, answer := a.send(ctx, http.MethodGet, path, nil); status != http.StatusOK {
			return fmt.Errorf("list at %s: answer %d: %.300s", path, status, answer)
		}
	}
	return nil
}

// floods sends requests until ctx ends: lists, creations, and creations that do not end.
func (a actor) floods(ctx context.Context, path string) {
	for i := 0; ctx.Err() == nil; i++ {
		switch i % 3 {
		case 0:
			body, _ := io.Pipe() // nobody writes, so reading waits until the client closes it
			a.send(ctx, http.MethodPost, path, body)
		case 1:
			a.send(ctx, http.MethodGet, path, nil)
		default:
			a.send(ctx, http.MethodPost, path, strings.NewReader(bodies[path]))
		}
	}
}

// refused returns nil if a creation is refused because there are too many.
func (a actor) refused(ctx context.Context, path string) error {
	status, _, answer := a.send(ctx, http.MethodPost, path, strings.NewReader("{}"))
	if status != http.StatusTooManyRequests {
		return fmt.Errorf("answer %d: %.300s", status, answer)
	}
	return nil
}

// allow lets all actors do everything.
func allow(t *testing.T) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "floods"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
	}
	for _, group := range []string{"tenants", gardenlet.groups[0], operator.groups[0]} {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group})
	}
	if _, err := kubernetes.NewForConfigOrDie(garden.Config).RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for _, user := range []actor{eve, gardenlet, operator} {
		garden.Until(t, "rights of "+user.name, func(ctx context.Context) error { return user.works(ctx, configMaps) })
	}
}

// TestFloods is about tenants who ask for as much as they get, of both servers.
func TestFloods(t *testing.T) {
	allow(t)
	const accounts = 50
	robot := func(i int) actor { return account("garden-dev", fmt.Sprintf("robot-%d", i%accounts)) }
	flooding, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	for _, path := range []string{configMaps, quotas} {
		for i := range floodsAtOnce {
			all.Go(func() { eve.floods(flooding, path) })
			all.Go(func() { robot(i).floods(flooding, path) })
		}
	}
	for _, path := range []string{configMaps, quotas} {
		garden.Until(t, "eve has too many requests at "+path, func(ctx context.Context) error { return eve.refused(ctx, path) })
		garden.Until(t, "the project dev has too many requests at "+path, func(ctx context.Context) error { return robot(0).refused(ctx, path) })
	}
	for name, user := range map[string]actor{
		"a gardenlet": gardenlet, "an operator": operator, "a service account of the landscape": account("garden", "controller"),
		"another tenant": bob, "a service account of another project": account("garden-prod", "robot"),
	} {
		t.Run("APP-19 floods of tenants do not keep "+name+" from its work", func(t *testing.T) {
			for range 5 {
				// one request in between may be refused on a busy machine
				garden.Until(t, "its work is done", func(ctx context.Context) error { return user.works(ctx, leases, configMaps, quotas) })
			}
		})
	}
}

// TestGardenlets is about a gardenlet who asks for as much as it gets.
func TestGardenlets(t *testing.T) {
	allow(t)
	greedy := actor{"gardener.cloud:system:seed:greedy", gardenlet.groups}
	flooding, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	for _, path := range []string{leases, configMaps, quotas} {
		for range floodsAtOnce {
			all.Go(func() { greedy.floods(flooding, path) })
		}
	}
	for _, path := range []string{leases, configMaps, quotas} {
		garden.Until(t, "the gardenlet has too many requests at "+path, func(ctx context.Context) error { return greedy.refused(ctx, path) })
	}
	for name, user := range map[string]actor{"another gardenlet": gardenlet, "an operator": operator} {
		t.Run("APP-19 floods of a gardenlet do not keep "+name+" from its work", func(t *testing.T) {
			for range 5 {
				// one request in between may be refused on a busy machine
				garden.Until(t, "its work is done", func(ctx context.Context) error { return user.works(ctx, leases, configMaps, quotas) })
			}
		})
	}
}

// watches are those of one tenant, who reads nothing but the header of each answer. They are open until the test ends.
type watches struct {
	config *rest.Config
	path   string
}

func newWatches(t *testing.T, who actor, path string) watches {
	t.Helper()
	config := rest.CopyConfig(garden.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: who.name, Groups: append([]string{"system:authenticated"}, who.groups...)}
	config.NextProtos = []string{"http/1.1"} // a connection for each watch
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			err = connection.(*net.TCPConn).SetReadBuffer(4096)
		}
		return connection, err
	}
	return watches{config: config, path: path}
}

// open returns the status of the answer to one watch of all objects that exist, and of changes.
func (w watches) open(t *testing.T) int {
	c, err := rest.HTTPClientFor(w.config)
	if err != nil {
		t.Error(err)
		return 0
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.config.Host+w.path+"?watch=true&resourceVersion=0", nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	response, err := c.Do(request)
	if err != nil {
		t.Error(err)
		return 0
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response.StatusCode
}

// TestWatches is about a tenant who has more watches than there are seats.
func TestWatches(t *testing.T) {
	allow(t)
	for _, path := range []string{configMaps, quotas} {
		t.Run("APP-19 watches hold no seats: "+path, func(t *testing.T) {
			watches := newWatches(t, eve, path)
			for i := range floodsAtOnce {
				garden.Until(t, fmt.Sprintf("watch %d is open", i), func(context.Context) error {
					if status := watches.open(t); status != http.StatusOK {
						return fmt.Errorf("answer %d", status)
					}
					return nil
				})
			}
			if err := bob.works(t.Context(), configMaps, quotas); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("APP-19 watches whose first events nobody reads leave seats to others", testUnread)
}

// testUnread is about watches that do not begin.
func testUnread(t *testing.T) {
	const namespace = "unread"
	client := kubernetes.NewForConfigOrDie(garden.Config).CoreV1()
	if _, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 40 { // more than connections and channels of the server hold
		large := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("large-", i)}, Data: map[string]string{"x": strings.Repeat("x", 500_000)}}
		if _, err := client.ConfigMaps(namespace).Create(t.Context(), large, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	watches, status := newWatches(t, eve, "/api/v1/namespaces/"+namespace+"/configmaps"), http.StatusOK
	for n := 0; status == http.StatusOK && n < floodsAtOnce; n++ {
		status = watches.open(t)
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the last watch is answered with %d, want 429", status)
	}
	for range 5 {
		if err := bob.works(t.Context(), configMaps, quotas); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlowSchemas(t *testing.T) {
	allow(t)
	client := kubernetes.NewForConfigOrDie(garden.Config).FlowcontrolV1()
	for name, tc := range map[string]struct {
		user       actor
		path, want string
	}{
		"a gardenlet's leases do not wait for its other requests":      {gardenlet, leases + "/local", "gardener-leases"},
		"a gardenlet is of the landscape":                              {gardenlet, configMaps, "gardener-landscape"},
		"a gardenlet is of the landscape for the Gardener API, too":    {gardenlet, quotas, "gardener-landscape"},
		"an operator is of the landscape":                              {operator, quotas, "gardener-landscape"},
		"service accounts of the garden are of the landscape":          {account("garden", "controller"), quotas, "gardener-landscape"},
		"service accounts of projects are tenants":                     {account("garden-dev", "robot"), quotas, "gardener-tenants"},
		"a user is a tenant":                                           {eve, quotas, "gardener-tenants"},
		"a user is a tenant of the kube-apiserver":                     {eve, configMaps, "gardener-tenants"},
		"leases of tenants are nothing special":                        {eve, leases + "/local", "gardener-tenants"},
		"Kubernetes' own components have the levels of Kubernetes":     {account("kube-system", "namespace-controller"), configMaps, "kube-system-service-accounts"},
		"members of system:masters, such as the landscape, are exempt": {actor{"gardener.cloud:appliance", []string{"system:masters"}}, configMaps, "exempt"},
	} {
		t.Run("APP-19 "+name, func(t *testing.T) {
			garden.Until(t, "flow schema "+tc.want, func(ctx context.Context) error { // gets to each server by an informer
				schema, err := client.FlowSchemas().Get(ctx, tc.want, metav1.GetOptions{})
				if err != nil {
					return err
				}
				_, header, _ := tc.user.send(ctx, http.MethodGet, tc.path, nil)
				if got := header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID); got != string(schema.UID) {
					return fmt.Errorf("flow schema is %q, want %q", got, schema.UID)
				}
				return nil
			})
		})
	}
	t.Run("APP-19 operators may change flow schemas and levels, as those of Kubernetes", func(t *testing.T) { testEdits(t, client) })
}

// restored is how long it may take until the kube-apiserver, which looks at its objects once a minute, has restored one.
const restored = 3 * time.Minute

// testEdits ends as soon as an object is restored that was deleted last.
func testEdits(t *testing.T, client flowcontrol.FlowcontrolV1Interface) {
	ctx := t.Context()
	shares := func(level, autoUpdate string, shares int32) {
		t.Helper()
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}},"spec":{"limited":{"nominalConcurrencyShares":%d}}}`, flowcontrolv1.AutoUpdateAnnotationKey, autoUpdate, shares)
		if _, err := client.PriorityLevelConfigurations().Patch(ctx, level, "application/merge-patch+json", []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	sharesOf := func(level string) int32 {
		t.Helper()
		object, err := client.PriorityLevelConfigurations().Get(ctx, level, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return *object.Spec.Limited.NominalConcurrencyShares
	}
	before := sharesOf("gardener-landscape")
	shares("gardener-tenants", "false", 299)
	shares("gardener-landscape", "true", 99)
	if err := client.FlowSchemas().Delete(ctx, "gardener-leases", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, restored, "the deleted flow schema", func() error {
		_, err := client.FlowSchemas().Get(ctx, "gardener-leases", metav1.GetOptions{})
		return err
	})
	if got := sharesOf("gardener-landscape"); got != before {
		t.Errorf("a level that is kept up to date has %d shares, want %d", got, before)
	}
	if got := sharesOf("gardener-tenants"); got != 299 {
		t.Errorf("a level that an operator took over has %d shares", got)
	}
}
