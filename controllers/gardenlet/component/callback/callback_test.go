package callback_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
)

func TestObjects(t *testing.T) {
	objects := callback.Objects("gardener", types.NamespacedName{Namespace: "garden", Name: "virtual-garden-kube-apiserver"})
	deployment := objects[len(objects)-1].(*appsv1.Deployment)
	pod := deployment.Spec.Template.Spec
	services := map[string]*corev1.Service{}
	for _, object := range objects[:len(objects)-1] {
		services[object.GetName()] = object.(*corev1.Service)
	}
	// server is the name of the server that the component connects with a port of its Services.
	server := func(service string, port int32) string {
		for _, p := range services[service].Spec.Ports {
			if p.Port != port {
				continue
			}
			for _, arg := range pod.Containers[0].Args {
				name, found := strings.CutSuffix(arg, fmt.Sprintf("=$(POD_IP):%d", p.TargetPort.IntVal))
				if name, listens := strings.CutPrefix(name, "--listen="); found && listens {
					if world := services[service].Annotations["networking.resources.gardener.cloud/from-world-to-ports"]; !strings.Contains(world, fmt.Sprintf(`"port":%d}`, p.TargetPort.IntVal)) {
						t.Errorf("policies do not allow connections to %s: %s", name, world)
					}
					return name
				}
			}
		}
		return ""
	}
	t.Run("GLT-22 the Service of the garden leads to the garden", func(t *testing.T) {
		if got := server("virtual-garden-kube-apiserver", 443); got != "garden" {
			t.Errorf("it leads to %q", got)
		}
	})
	for _, name := range []string{callback.ProviderLocal, callback.GardenOperator} {
		t.Run("EXT-17 OPR-27 API servers call "+name, func(t *testing.T) {
			at := callback.Webhook(name)
			if got := server(at.Name, *at.Port); got != name || at.Namespace != "garden" {
				t.Errorf("%s/%s:%d leads to %q", at.Namespace, at.Name, *at.Port, got)
			}
		})
	}
	t.Run("MIG-14 etcds in namespaces of shoots ask the name server for records, and policies allow it", func(t *testing.T) {
		host, port, err := net.SplitHostPort(callback.RecordsServer)
		if err != nil {
			t.Fatal(err)
		}
		found := services[strings.TrimSuffix(host, ".garden.svc")]
		if found == nil {
			t.Fatalf("no Service is at %s", host)
		}
		target := found.Spec.Ports[0].TargetPort.IntVal
		if fmt.Sprint(found.Spec.Ports[0].Port) != port || !slices.Contains(pod.Containers[0].Args, fmt.Sprintf("--listen=%s=$(POD_IP):%d", callback.Records, target)) {
			t.Errorf("%s leads to %d of %q", callback.RecordsServer, target, pod.Containers[0].Args)
		}
		shoots := []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--s", Labels: map[string]string{"gardener.cloud/role": "shoot"}}}}
		policies, err := networkpolicy.Policies(found, shoots, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(policies, func(p *networkingv1.NetworkPolicy) bool {
			return p.Namespace == "shoot--p--s" && len(p.Spec.Egress) == 1 && p.Spec.PodSelector.MatchLabels[callback.ReachRecords()] == "allowed"
		}) {
			t.Errorf("no policy for pods with the label %s: %v", callback.ReachRecords(), policies)
		}
	})
	t.Run("only the landscape connects to the pods, and they have no credential", func(t *testing.T) {
		if args := pod.Containers[0].Args; !slices.Contains(args, fmt.Sprintf("--landscape-address=127.0.0.1:%d", callback.LandscapePort)) {
			t.Errorf("arguments %q", args)
		}
		if *pod.AutomountServiceAccountToken || pod.ServiceAccountName != "" || pod.HostNetwork {
			t.Errorf("pod %+v", pod)
		}
	})
	t.Run("Services lead to pods that are connected", func(t *testing.T) {
		if path := pod.Containers[0].ReadinessProbe.HTTPGet.Path; path != "/connected" {
			t.Errorf("the probe asks for %s", path)
		}
		for _, service := range services {
			for key, value := range service.Spec.Selector {
				if deployment.Spec.Template.Labels[key] != value {
					t.Errorf("Service %s does not select the pods", service.Name)
				}
			}
		}
	})
}
