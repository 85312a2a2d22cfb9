package resourcesize_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/metrics"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/resourcesize"
)

func limits(mode config.OperationMode) *config.ResourceAdmissionConfiguration {
	size := resource.MustParse("1k")
	return &config.ResourceAdmissionConfiguration{
		OperationMode: mode,
		Limits: []config.ResourceLimit{
			{APIGroups: []string{"core.gardener.cloud"}, APIVersions: []string{"*"}, Resources: []string{"shoots"}, Size: &size},
			{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}, Size: &size},
		},
		UnrestrictedSubjects: []rbacv1.Subject{
			{Kind: "Group", Name: "gardener.cloud:system:seeds"}, {Kind: "User", Name: "admin"}, {Kind: "User", Name: "robot-*-x"},
			{Kind: "ServiceAccount", Namespace: "garden", Name: "*"},
		},
	}
}

// object has content of the given number of bytes in its spec, its status and its managed fields.
func object(spec, status, fields int) runtime.RawExtension {
	text := func(n int) string { return strings.Repeat("x", n) }
	return runtime.RawExtension{Raw: fmt.Appendf(nil, `{"kind":"Shoot","metadata":{"name":"s","managedFields":[{"manager":%q}]},"spec":{"a":%q},"status":{"b":%q}}`,
		text(fields), text(spec), text(status))}
}

func TestHandler(t *testing.T) {
	user := func(name string, groups ...string) authenticationv1.UserInfo {
		return authenticationv1.UserInfo{Username: name, Groups: groups}
	}
	shoots := metav1.GroupVersionResource{Group: "core.gardener.cloud", Version: "v1beta1", Resource: "shoots"}
	for name, tc := range map[string]struct {
		resource    metav1.GroupVersionResource
		object, old runtime.RawExtension
		user        authenticationv1.UserInfo
		mode        config.OperationMode
		allowed     bool
	}{
		"GAC-4 a small object passes":                     {resource: shoots, object: object(800, 0, 0), allowed: true},
		"GAC-4 a large object is refused":                 {resource: shoots, object: object(1100, 0, 0)},
		"GAC-4 a resource without a limit may be large":   {resource: metav1.GroupVersionResource{Version: "v1", Resource: "configmaps"}, object: object(1100, 0, 0), allowed: true},
		"GAC-4 a version without a limit may be large":    {resource: metav1.GroupVersionResource{Version: "v2", Resource: "secrets"}, object: object(1100, 0, 0), allowed: true},
		"GAC-5 a group may be unrestricted":               {resource: shoots, object: object(1100, 0, 0), user: user("x", "gardener.cloud:system:seeds"), allowed: true},
		"GAC-5 a user may be unrestricted":                {resource: shoots, object: object(1100, 0, 0), user: user("admin"), allowed: true},
		"GAC-5 a pattern of users may be unrestricted":    {resource: shoots, object: object(1100, 0, 0), user: user("robot-12-x"), allowed: true},
		"GAC-5 a pattern matches the whole name":          {resource: shoots, object: object(1100, 0, 0), user: user("robot-12-xy")},
		"GAC-5 service accounts of a namespace may be":    {resource: shoots, object: object(1100, 0, 0), user: user("system:serviceaccount:garden:any"), allowed: true},
		"GAC-5 service accounts of others are restricted": {resource: shoots, object: object(1100, 0, 0), user: user("system:serviceaccount:garden-p:any")},
		"GAC-5 a group is not a user":                     {resource: shoots, object: object(1100, 0, 0), user: user("gardener.cloud:system:seeds")},
		"GAC-6 a large object is only logged":             {resource: shoots, object: object(1100, 0, 0), mode: config.ModeLog, allowed: true},
		"GAC-7 status and managed fields do not count":    {resource: shoots, object: object(500, 5000, 5000), allowed: true},
		"GAC-7 a large object may become smaller":         {resource: shoots, object: object(1100, 0, 0), old: object(1200, 0, 0), allowed: true},
		"GAC-7 a large object may not grow":               {resource: shoots, object: object(1100, 0, 0), old: object(1099, 5000, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			mode := tc.mode
			if mode == "" {
				mode = config.ModeBlock
			}
			response := resourcesize.Handler{Limits: limits(mode)}.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Resource: tc.resource, Object: tc.object, OldObject: tc.old, UserInfo: tc.user,
			}})
			if response.Allowed != tc.allowed {
				t.Errorf("allowed: %t, %v", response.Allowed, response.Result)
			}
			if !tc.allowed && !strings.Contains(response.Result.Message, "the limit is 1000 (1k)") {
				t.Errorf("the message does not tell the limit: %s", response.Result.Message)
			}
		})
	}
	t.Run("GAC-6 the log and a metric tell of a large object that is only logged", func(t *testing.T) {
		metrics.Register()
		count := func() float64 {
			t.Helper()
			families, err := ctrlmetrics.Registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, family := range families {
				if family.GetName() != "gardener_admission_controller_oversized_resources_total" {
					continue
				}
				for _, one := range family.GetMetric() {
					labels := map[string]string{}
					for _, label := range one.GetLabel() {
						labels[label.GetName()] = label.GetValue()
					}
					if labels["operation_mode"] == "log" && labels["group"] == "core.gardener.cloud" && labels["resource"] == "shoots" {
						return one.GetCounter().GetValue()
					}
				}
			}
			return 0
		}
		var lines []string
		logger := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
		before := count()
		response := resourcesize.Handler{Limits: limits(config.ModeLog)}.Handle(log.IntoContext(t.Context(), logger), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Resource: shoots, Name: "large", Namespace: "garden-p", Object: object(1100, 0, 0), UserInfo: user("somebody"),
		}})
		if !response.Allowed || count() != before+1 {
			t.Errorf("allowed: %t; counted: %v, before %v", response.Allowed, count(), before)
		}
		if len(lines) != 1 || !strings.Contains(lines[0], `"name"="large"`) || !strings.Contains(lines[0], `"user"="somebody"`) || !strings.Contains(lines[0], `"limit"=1000`) {
			t.Errorf("the log is %q", lines)
		}
	})
	t.Run("garbage is refused", func(t *testing.T) {
		response := resourcesize.Handler{Limits: limits(config.ModeBlock)}.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Resource: shoots, Object: runtime.RawExtension{Raw: []byte(strings.Repeat("[", 2000))},
		}})
		if response.Allowed || response.Result.Code != http.StatusBadRequest {
			t.Errorf("%+v", response.Result)
		}
	})
}
