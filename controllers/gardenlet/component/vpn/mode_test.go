package vpn

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestModeOf(t *testing.T) {
	usual := Gates{APIServerSNI: true, ReversedVPN: true}
	for name, tc := range map[string]struct {
		gates       Gates
		annotations map[string]string
		want        Mode
	}{
		"VPN-8 a reversed VPN is usual":                            {gates: usual, want: ReversedVPN()},
		"VPN-8 a shoot may do without":                             {usual, map[string]string{AnnotationReversedVPN: "false"}, Konnectivity()},
		"VPN-8 a shoot may have one where others have none":        {Gates{APIServerSNI: true}, map[string]string{AnnotationReversedVPN: "true"}, ReversedVPN()},
		"VPN-8 without APIServerSNI the annotation is ignored":     {Gates{}, map[string]string{AnnotationReversedVPN: "true"}, Konnectivity()},
		"VPN-8 what is neither true nor false is ignored":          {usual, map[string]string{AnnotationReversedVPN: "off", AnnotationKonnectivity: "maybe"}, ReversedVPN()},
		"KON-3 the gate chooses the proxy":                         {Gates{APIServerSNI: true, ReversedVPN: true, Konnectivity: true}, nil, Konnectivity()},
		"KON-3 without a reversed VPN there is the proxy":          {Gates{APIServerSNI: true}, nil, Konnectivity()},
		"KON-3 a shoot may choose the proxy":                       {usual, map[string]string{AnnotationKonnectivity: "true"}, Konnectivity()},
		"KON-3 a shoot may do without it":                          {Gates{APIServerSNI: true, Konnectivity: true}, map[string]string{AnnotationKonnectivity: "false"}, ReversedVPN()},
		"KON-3 VPN-8 the annotation about the proxy has the say":   {usual, map[string]string{AnnotationReversedVPN: "true", AnnotationKonnectivity: "true"}, Konnectivity()},
		"KON-3 VPN-8 a reversed VPN by annotation beats the gates": {Gates{APIServerSNI: true, Konnectivity: true}, map[string]string{AnnotationReversedVPN: "true"}, ReversedVPN()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.gates.ModeOf(tc.annotations); got != tc.want {
				t.Errorf("mode is that of %s, want %s", got.Server, tc.want.Server)
			}
		})
	}
}

func TestKonnectivity(t *testing.T) {
	server, deployment := Konnectivity().ServerObjects("shoot--p--s", "gardener", 1, Secrets{})
	t.Run("KON-2 the API server asks proxy-server at port 8131", func(t *testing.T) {
		if url := Konnectivity().Egress(Secrets{}).URL(); url != "https://proxy-server:8131" {
			t.Errorf("url is %s", url)
		}
		if args := deployment.Spec.Template.Spec.Containers[0].Args; deployment.Name != "proxy-server" || !slices.Contains(args, "--bind-address=$(POD_IP):8131") {
			t.Errorf("deployment %s has args %q", deployment.Name, args)
		}
	})
	t.Run("KON-5 the proxy has no load balancer, its agents come through the front door by a name", func(t *testing.T) {
		for _, object := range server {
			if service, ok := object.(*corev1.Service); ok && service.Spec.Type != corev1.ServiceTypeClusterIP {
				t.Errorf("service %s has type %s", service.Name, service.Spec.Type)
			}
		}
		args := clientDeployment(t, Konnectivity()).Spec.Template.Spec.Containers[0].Args
		for _, want := range []string{"--gateway=api.s.p.internal:8132", "--destination=outbound|8132||proxy-server.shoot--p--s.svc.cluster.local", "--server-name=proxy-server"} {
			if !slices.Contains(args, want) {
				t.Errorf("no %s in %q", want, args)
			}
		}
	})
	t.Run("KON-3 the agent in the shoot is called proxy-agent and listens to nothing", func(t *testing.T) {
		agent := clientDeployment(t, Konnectivity())
		if agent.Name != "proxy-agent" || len(agent.Spec.Template.Spec.Containers[0].Ports) > 0 {
			t.Errorf("agent %s has ports %v", agent.Name, agent.Spec.Template.Spec.Containers[0].Ports)
		}
	})
	t.Run("VPN-8 the modes share no name, so that the former one can be removed", func(t *testing.T) {
		for _, mode := range []Mode{ReversedVPN(), Konnectivity()} {
			objects, _ := mode.ServerObjects("shoot--p--s", "gardener", 1, Secrets{})
			for _, stale := range mode.Stale("shoot--p--s") {
				if slices.ContainsFunc(objects, func(o client.Object) bool { return o.GetName() == stale.GetName() }) || strings.HasPrefix(mode.Server, stale.GetName()) {
					t.Errorf("%s would be removed by its own mode", stale.GetName())
				}
			}
		}
	})
}

func clientDeployment(t *testing.T, mode Mode) *appsv1.Deployment {
	t.Helper()
	for _, object := range mode.ClientObjects("shoot--p--s", "gardener", "api.s.p.internal:8132", Secrets{}) {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			return deployment
		}
	}
	t.Fatal("no deployment")
	return nil
}
