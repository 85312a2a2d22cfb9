package shootwebhook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/local/api"
)

func TestObjects(t *testing.T) {
	objects := Objects("gardener", api.Containers)
	deployment := objects[len(objects)-1].(*appsv1.Deployment)
	pod := deployment.Spec.Template
	service := objects[len(objects)-2].(*corev1.Service)
	t.Run("EXT-24 the Service that shoots call leads to the pod", func(t *testing.T) {
		webhooks := Webhooks(api.Containers)
		if service.Name != webhooks.Service.Name || service.Namespace != webhooks.Service.Namespace || service.Spec.Ports[0].Port != webhooks.Port {
			t.Errorf("Service %s/%s, called is %+v", service.Namespace, service.Name, webhooks.Service)
		}
		for key, value := range service.Spec.Selector {
			if pod.Labels[key] != value {
				t.Errorf("it does not select the pod by %s", key)
			}
		}
		if listens := fmt.Sprintf("--bind-address=$(POD_IP):%s", service.Spec.Ports[0].TargetPort.String()); !slices.Contains(pod.Spec.Containers[0].Args, listens) {
			t.Errorf("the pod does not listen there: %q", pod.Spec.Containers[0].Args)
		}
		var ports []networkingv1.NetworkPolicyPort
		if err := json.Unmarshal([]byte(service.Annotations["networking.resources.gardener.cloud/from-all-webhook-targets-allowed-ports"]), &ports); err != nil || ports[0].Port.String() != service.Spec.Ports[0].TargetPort.String() {
			t.Errorf("policies allow %v, %v", ports, err)
		}
	})
	t.Run("EXT-24 clients in other namespaces have a label that fits", func(t *testing.T) {
		const group = "networking.resources.gardener.cloud/"
		alias, port := service.Annotations[group+"pod-label-selector-namespace-alias"], service.Spec.Ports[0].TargetPort
		if problems := validation.IsQualifiedName(group + "to-" + alias + "-" + service.Name + "-tcp-" + port.String()); alias == "" || len(problems) > 0 {
			t.Errorf("alias %q: %v", alias, problems)
		}
	})
	t.Run("EXT-24 the webhook is told what the machines are", func(t *testing.T) {
		if !slices.Contains(pod.Spec.Containers[0].Args, "--machines=container") {
			t.Errorf("arguments %q", pod.Spec.Containers[0].Args)
		}
		response := Webhooks(api.Containers).Hooks[0].Handler.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Object: runtime.RawExtension{Raw: []byte(`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","annotations":{"a":"b"}},"spec":{"own":1}}`)},
		}})
		patch, err := json.Marshal(response.Patches)
		if err != nil || !response.Allowed || !strings.Contains(string(patch), "container") || strings.Contains(string(patch), "spec") {
			t.Errorf("allowed %v, %s, %v", response.Allowed, patch, err)
		}
	})
}
