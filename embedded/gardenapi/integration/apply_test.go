package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
)

// apply applies spec or status of an object as a manager of fields and returns status and answer.
func apply(t *testing.T, manager string, object client.Object, kind, content, subresource string, force bool) (int, string) {
	t.Helper()
	version, path := core.SchemeGroupVersion, strings.ToLower(kind)+"s"
	if _, bastion := object.(*operations.Bastion); bastion {
		version = operations.SchemeGroupVersion
	}
	if object.GetNamespace() != "" {
		path = "namespaces/" + object.GetNamespace() + "/" + path
	}
	path = fmt.Sprintf("/apis/%s/%s/%s%s?fieldManager=%s&force=%t", version, path, object.GetName(), subresource, manager, force)
	body := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},%s}`, version, kind, object.GetName(), content)
	return send(t, garden.Config, http.MethodPatch, path, "application/apply-patch+yaml", []byte(body))
}

func condition(kind, status string) string {
	return fmt.Sprintf(`{"type":%q,"status":%q,"reason":"Because","message":"m","lastTransitionTime":"2024-01-01T00:00:00Z","lastUpdateTime":"2024-01-01T00:00:00Z"}`, kind, status)
}

func TestServerSideApply(t *testing.T) {
	c, ctx := admin(t), t.Context()
	s := shoot(t)
	want := func(t *testing.T, code int, part string, status int, answer string) {
		t.Helper()
		if status != code || !strings.Contains(answer, part) {
			t.Errorf("got %d with %.600s, want %d with %q", status, answer, code, part)
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
			t.Fatal(err)
		}
	}
	worker := func(name, change string) string {
		return `"spec":{"provider":{"workers":[{"name":"` + name + `","minimum":1,"maximum":2,"machine":{"type":"local"}` + change + `}]}}`
	}

	t.Run("API-16 two managers have a worker pool each", func(t *testing.T) {
		status, answer := apply(t, "one", s, "Shoot", worker("one", ``), "", false)
		want(t, 200, "", status, answer)
		status, answer = apply(t, "two", s, "Shoot", worker("two", `,"taints":[{"key":"a","effect":"NoSchedule"}]`), "", false)
		want(t, 200, "", status, answer)
		status, answer = apply(t, "one", s, "Shoot", worker("one", `,"labels":{"a":"b"}`), "", false)
		want(t, 200, "", status, answer)
		var names []string
		for _, w := range s.Spec.Provider.Workers {
			names = append(names, w.Name)
		}
		if strings.Join(names, " ") != "local one two" || s.Spec.Provider.Workers[1].Labels["a"] != "b" {
			t.Errorf("got workers %+v", s.Spec.Provider.Workers)
		}
	})
	t.Run("API-16 taints of two managers are kept apart by key and effect", func(t *testing.T) {
		status, answer := apply(t, "three", s, "Shoot", `"spec":{"provider":{"workers":[{"name":"two","taints":[{"key":"a","effect":"NoExecute","value":"v"}]}]}}`, "", false)
		want(t, 200, "", status, answer)
		if taints := s.Spec.Provider.Workers[2].Taints; len(taints) != 2 {
			t.Errorf("got taints %v", taints)
		}
	})
	t.Run("a conflict names field and manager, and can be forced", func(t *testing.T) {
		status, answer := apply(t, "two", s, "Shoot", worker("one", `,"labels":{"a":"c"}`), "", false)
		want(t, 409, `.spec.provider.workers[name=\"one\"].labels.a`, status, answer)
		want(t, 409, `conflict with \"one\"`, status, answer)
		status, answer = apply(t, "four", s, "Shoot", `"spec":{"provider":{"workers":[{"name":"one","labels":{"a":"c"}}]}}`, "", true)
		want(t, 200, "", status, answer)
		if s.Spec.Provider.Workers[1].Labels["a"] != "c" {
			t.Errorf("got workers %+v", s.Spec.Provider.Workers)
		}
	})
	t.Run("API-24 two managers have an extension each, and one gives its own up", func(t *testing.T) {
		create(t, &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "applied"}, Spec: core.ControllerRegistrationSpec{
			Resources: []core.ControllerResource{{Kind: "Extension", Type: "bar"}},
		}})
		for manager, extension := range map[string]string{"one": "foo", "two": "bar"} {
			status, answer := apply(t, manager+"-extensions", s, "Shoot", `"spec":{"extensions":[{"type":"`+extension+`"}]}`, "", false)
			want(t, 200, "", status, answer)
		}
		if len(s.Spec.Extensions) != 2 {
			t.Errorf("got extensions %v", s.Spec.Extensions)
		}
		status, answer := apply(t, "one-extensions", s, "Shoot", `"spec":{"extensions":[]}`, "", false)
		want(t, 200, "", status, answer)
		if len(s.Spec.Extensions) != 1 || s.Spec.Extensions[0].Type != "bar" {
			t.Errorf("got extensions %v", s.Spec.Extensions)
		}
	})
	t.Run("API-28 API-29 two managers have a condition each", func(t *testing.T) {
		status, answer := apply(t, "one", s, "Shoot", `"status":{"conditions":[`+condition("APIServerAvailable", "True")+`]}`, "/status", false)
		want(t, 200, "", status, answer)
		status, answer = apply(t, "two", s, "Shoot", `"status":{"conditions":[`+condition("EveryNodeReady", "False")+`]}`, "/status", false)
		want(t, 200, "", status, answer)
		if len(s.Status.Conditions) != 2 {
			t.Errorf("got conditions %v", s.Status.Conditions)
		}
		status, answer = apply(t, "two", s, "Shoot", `"status":{"conditions":[`+condition("APIServerAvailable", "False")+`]}`, "/status", false)
		want(t, 409, `.status.conditions[type=\"APIServerAvailable\"].status`, status, answer)
	})
	t.Run("API-41 an element twice and an unknown field are the sender's mistakes", func(t *testing.T) {
		status, answer := apply(t, "one", s, "Shoot", `"spec":{"extensions":[{"type":"foo"},{"type":"foo"}]}`, "", false)
		want(t, 400, "duplicate entries for key", status, answer)
		status, answer = apply(t, "one", s, "Shoot", `"spec":{"extension":[]}`, "", false)
		want(t, 400, "field not declared in schema", status, answer)
		status, answer = apply(t, "one", s, "Shoot", `"status":{"conditions":[`+condition("a", "True")+`,`+condition("a", "True")+`]}`, "/status", false)
		want(t, 400, "duplicate entries for key", status, answer)
	})
}

func TestStrategicMerge(t *testing.T) {
	c, ctx := admin(t), t.Context()
	patch := func(t *testing.T, object client.Object, text string, subresource ...string) {
		t.Helper()
		raw := client.RawPatch("application/strategic-merge-patch+json", []byte(text))
		err := error(nil)
		if len(subresource) > 0 {
			err = c.SubResource(subresource[0]).Patch(ctx, object, raw)
		} else {
			err = c.Patch(ctx, object, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("API-28 conditions are merged by type", func(t *testing.T) {
		s := shoot(t)
		patch(t, s, `{"status":{"conditions":[`+condition("APIServerAvailable", "True")+`,`+condition("EveryNodeReady", "True")+`]}}`, "status")
		patch(t, s, `{"status":{"conditions":[{"type":"EveryNodeReady","status":"False"}]}}`, "status")
		if got := s.Status.Conditions; len(got) != 2 || got[0].Status != core.ConditionTrue || got[1].Status != core.ConditionFalse || got[1].Reason != "Because" {
			t.Errorf("got conditions %+v", got)
		}
		patch(t, s, `{"status":{"conditions":[{"type":"EveryNodeReady","$patch":"delete"}]}}`, "status")
		if len(s.Status.Conditions) != 1 {
			t.Errorf("got conditions %+v", s.Status.Conditions)
		}
	})
	t.Run("API-2 machine types are merged by name, versions by version", func(t *testing.T) {
		p := cloudProfile(t)
		patch(t, p, `{"spec":{"machineTypes":[{"name":"large","cpu":"8","gpu":"0","memory":"16Gi"}],"kubernetes":{"versions":[{"version":"1.35.9","classification":"deprecated"}]}}}`)
		if len(p.Spec.MachineTypes) != 2 || len(p.Spec.Kubernetes.Versions) != 4 {
			t.Errorf("got machine types %+v and versions %+v", p.Spec.MachineTypes, p.Spec.Kubernetes.Versions)
		}
	})
	t.Run("API-16 a list of workers is replaced, as clients expect it", func(t *testing.T) {
		s := shoot(t)
		patch(t, s, `{"spec":{"provider":{"workers":[{"name":"other","minimum":1,"maximum":1,"machine":{"type":"local"}}]}}}`)
		if len(s.Spec.Provider.Workers) != 1 || s.Spec.Provider.Workers[0].Name != "other" {
			t.Errorf("got workers %+v", s.Spec.Provider.Workers)
		}
	})
}
