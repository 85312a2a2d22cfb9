package integration

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
)

const statesPath = "/apis/core.gardener.cloud/v1beta1/namespaces/default/shootstates"

func TestTooManyRequests(t *testing.T) {
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "busy"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"core.gardener.cloud"}, Resources: []string{"shootstates"}, Verbs: []string{"create", "list"}},
	}})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "busy"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "busy"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "busy"}},
	})
	as := func(config *rest.Config) *rest.Config {
		busy := rest.CopyConfig(config)
		busy.Impersonate = rest.ImpersonationConfig{UserName: "busy"}
		return busy
	}
	t.Run("API-41 more writes at once than are served are answered by 429", func(t *testing.T) {
		_, direct := another(t, func(c *gardenapi.Config) { c.NoFairness, c.MaxMutatingRequestsInFlight = true, 1 })
		checkOverload(t, as(direct))
	})
	t.Run("API-41 who uses up the share of a flow schema is answered by 429", func(t *testing.T) {
		create(t, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "busy"}, Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](1), BorrowingLimitPercent: ptr.To[int32](0),
				LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		}})
		schema := create(t, &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "busy"}, Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "busy"}, MatchingPrecedence: 3,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "busy"}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"create"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"},
				}},
			}},
		}})
		_, direct := another(t, func(c *gardenapi.Config) { c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight = 10, 10 })
		busy := as(direct)
		eventually(t, func() error { // the schema gets there by an informer
			if _, got := post(t, busy, strings.NewReader("{}")); got.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID) != string(schema.UID) {
				return errNotYet
			}
			return nil
		})
		checkOverload(t, busy)
	})
}

// checkOverload holds the only seat for writes with a body that does not end, and lets it go again.
func checkOverload(t *testing.T, config *rest.Config) {
	t.Helper()
	eventually(t, func() error { // the role gets to the authorizer by an informer
		if status, _ := post(t, config, strings.NewReader("{}")); status == http.StatusForbidden {
			return errNotYet
		}
		return nil
	})
	first := holdSeat(t, config)
	var header http.Header
	eventually(t, func() error {
		select {
		case <-first.answered: // a seat is free again a little later than its answer arrives: the first came too early
			first = holdSeat(t, config)
		default:
		}
		var status int
		if status, header = post(t, config, strings.NewReader("{}")); status != http.StatusTooManyRequests {
			return fmt.Errorf("%w: a second write is answered by %d", errNotYet, status)
		}
		return nil
	})
	if header.Get("Retry-After") == "" {
		t.Error("nobody is told when to come back")
	}
	if status, answer := send(t, config, http.MethodGet, statesPath, "", nil); status != http.StatusOK {
		t.Errorf("meanwhile a read is answered by %d with %.200s", status, answer)
	}
	_, _ = first.body.Write([]byte(`"kind":"ShootState","metadata":{"name":"Not A Name"}}`))
	_ = first.body.Close()
	if status := <-first.answered; status != http.StatusUnprocessableEntity {
		t.Errorf("the write that was served first is answered by %d", status)
	}
	eventually(t, func() error {
		if status, _ := post(t, config, strings.NewReader("{}")); status == http.StatusTooManyRequests {
			return errNotYet
		}
		return nil
	})
}

// held is a write that lacks the end of its body.
type held struct {
	body     *io.PipeWriter
	answered chan int
}

func holdSeat(t *testing.T, config *rest.Config) held {
	t.Helper()
	body, end := io.Pipe()
	h := held{end, make(chan int, 1)}
	go func() {
		status, _ := post(t, config, body)
		_ = body.CloseWithError(io.ErrClosedPipe) // nobody reads any more
		h.answered <- status
	}()
	_, _ = end.Write([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1",`))
	return h
}

// post tries to create a ShootState of the body. Each has a connection of its own.
func post(t *testing.T, config *rest.Config, body io.Reader) (int, http.Header) {
	config = rest.CopyConfig(config)
	config.DisableCompression = true
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, config.Host+statesPath, body)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.Do(request)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header
}
