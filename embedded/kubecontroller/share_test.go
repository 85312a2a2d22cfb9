package kubecontroller_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// The servers of the tests serve so many requests at a time. Eight of them are for tenants, and not all of these for one tenant.
const (
	requestsAtOnce = 16
	writesOfTenant = 4

	watchesOfTenant, watchesOfTenants = 1, 10
)

// limited sets the limits.
func limited(c *kubeapi.Config) {
	c.MaxRequestsPerUser, c.MaxWatchesPerUser = writesOfTenant, watchesOfTenant
}

// send sends a request as a tenant, or as the administrator if there is none. It returns the status and the answer; the status is
// 0 if there was none.
func send(ctx context.Context, server *rest.Config, tenant, method string, body io.Reader) (status int, answer string) {
	response, err := begin(ctx, server, tenant, method, "", body)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// begin sends a request and returns once the answer begins.
func begin(ctx context.Context, server *rest.Config, tenant, method, query string, body io.Reader) (*http.Response, error) {
	config := rest.CopyConfig(server)
	if tenant != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: tenant, Groups: []string{"tenants"}}
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, config.Host+"/api/v1/namespaces/default/configmaps"+query, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return client.Do(request)
}

func createAs(ctx context.Context, server *rest.Config, tenant string) error {
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"share-"}}`
	if status, answer := send(ctx, server, tenant, http.MethodPost, strings.NewReader(object)); status != http.StatusCreated {
		return fmt.Errorf("answer %d: %.300s", status, answer)
	}
	return nil
}

// flood begins as many creations as two tenants get, and ends them late. The service accounts of a namespace are one tenant.
func flood(ctx context.Context, t *testing.T, server *rest.Config) {
	meta := metav1.ObjectMeta{Name: "tenants"}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "tenants"}},
	}
	if _, err := kubernetes.NewForConfigOrDie(server).RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "tenants may create", func() error { return createAs(ctx, server, "modest") })

	held, release := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer release()
	greedy := []string{"system:serviceaccount:garden-dev:greedy-%d", "system:serviceaccount:garden-prod:greedy-%d"}
	for _, tenant := range greedy {
		for i := range requestsAtOnce {
			all.Go(func() {
				for held.Err() == nil { // until there is a place
					body, _ := io.Pipe() // nobody writes, so reading waits until the client closes it
					status, answer := send(held, server, fmt.Sprintf(tenant, i), http.MethodPost, body)
					if status != http.StatusTooManyRequests && held.Err() == nil {
						t.Errorf("a creation without end is answered by %d: %s", status, answer)
						return
					}
				}
			})
		}
	}
	for _, tenant := range greedy {
		testwait.Until(t, "a greedy tenant is refused", func() error {
			status, answer := send(ctx, server, fmt.Sprintf(tenant, requestsAtOnce), http.MethodPost, strings.NewReader("{}"))
			if status != http.StatusTooManyRequests {
				return fmt.Errorf("answer %d: %.300s", status, answer)
			}
			return nil
		})
	}
	for _, other := range []string{"modest", "system:serviceaccount:garden-other:modest", "gardener.cloud:system:seed:local", ""} {
		for range 3 {
			if err := createAs(ctx, server, other); err != nil {
				t.Errorf("meanwhile a creation of %q: %v", other, err)
			}
		}
		if status, answer := send(ctx, server, other, http.MethodGet, http.NoBody); status != http.StatusOK {
			t.Errorf("meanwhile %q reads and is answered by %d: %.300s", other, status, answer)
		}
	}
}

// watchesTogether begins as many watches as tenants may have together, each tenant as many as it may have.
func watchesTogether(ctx context.Context, t *testing.T, server *rest.Config) {
	watch := func(tenant string) (status int, answer string, end func()) {
		response, err := begin(ctx, server, tenant, http.MethodGet, "?watch=true", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		end = func() { _ = response.Body.Close() }
		if response.StatusCode == http.StatusOK {
			return response.StatusCode, "", end
		}
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text), end
	}
	refused := func(tenant, why string) {
		t.Helper()
		status, answer, end := watch(tenant)
		defer end()
		if status != http.StatusTooManyRequests || !strings.Contains(answer, why) {
			t.Errorf("the watch of %s is answered by %d: %s", tenant, status, answer)
		}
	}
	for i := range watchesOfTenants {
		status, answer, end := watch(fmt.Sprintf("system:serviceaccount:garden-%d:watcher", i))
		defer end()
		if status != http.StatusOK {
			t.Fatalf("watch %d is answered by %d: %s", i, status, answer)
		}
	}
	refused("system:serviceaccount:garden-0:another", "of one user at a time: 1 are allowed")
	refused("system:serviceaccount:garden-more:watcher", "that last, of all users together, at a time: 10 are allowed")
	status, answer, end := watch("")
	defer end()
	if status != http.StatusOK {
		t.Errorf("meanwhile the landscape watches and is answered by %d: %s", status, answer)
	}
}

// hugeRequest is larger than what an API server reads.
func hugeRequest(ctx context.Context, t *testing.T, server *rest.Config) {
	object := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"huge"},"data":{"a":%q}}`, strings.Repeat("x", 3<<20))
	status, answer := send(ctx, server, "", http.MethodPost, strings.NewReader(object))
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "Request entity too large: limit is 3145728") {
		t.Errorf("answer %d: %.300s", status, answer)
	}
}
