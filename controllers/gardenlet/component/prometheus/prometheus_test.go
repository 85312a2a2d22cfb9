package prometheus

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var rewrite = flag.Bool("rewrite", false, "write the configurations as they are into testdata")

func shoot(change ...func(*Values)) Values {
	v := Values{
		Namespace: "shoot--sky--sun", Cluster: "shoot/garden-sky/sun", Image: "gardener", Replicas: 1, Members: 1,
		CoreDNS: true, Secrets: Secrets{CA: "ca", Server: "server", Users: "users"},
	}
	for _, c := range change {
		c(&v)
	}
	return v
}

func ofShoot(t *testing.T, v Values) ([]client.Object, *appsv1.StatefulSet) {
	t.Helper()
	objects, set, err := Objects(v)
	if err != nil {
		t.Fatal(err)
	}
	return objects, set
}

func ofGarden(t *testing.T) ([]client.Object, *appsv1.StatefulSet) {
	t.Helper()
	objects, set, err := GardenObjects(GardenValues{
		Namespace: "garden", Prefix: "virtual-garden-", Image: "gardener", Members: 3,
		APIServer: Server{Name: "virtual-garden-kube-apiserver", Port: 6443, Pods: map[string]string{"app": "kubernetes"}},
		Gardener:  Server{Name: "gardener-apiserver", Port: 8443, Pods: map[string]string{"app": "gardener-apiserver"}}, CAGardener: "ca-gardener",
		Plain: []Server{{Name: "gardener-scheduler", Port: 19251, Pods: map[string]string{"app": "gardener-scheduler"}}}, Secrets: Secrets{CA: "ca", Server: "server", Users: "users"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects, set
}

func configOf(objects []client.Object) string {
	for _, object := range objects {
		if config, ok := object.(*corev1.ConfigMap); ok {
			return config.Data[fileConfig]
		}
	}
	return ""
}

func TestConfiguration(t *testing.T) {
	seed, _, err := SeedObjects("north", "gardener", Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	inShoot, _ := ofShoot(t, shoot())
	workerless, _ := ofShoot(t, shoot(func(v *Values) { v.Workerless, v.CoreDNS, v.Members = true, false, 3 }))
	inGarden, _ := ofGarden(t)
	for name, objects := range map[string][]client.Object{"KON-4 shoot": inShoot, "GLT-33 workerless": workerless, "GLT-14 seed": seed, "OPR-17 garden": inGarden} {
		t.Run(name, func(t *testing.T) {
			file, got := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".yaml"), configOf(objects)
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("configuration (-want +got), -rewrite accepts it:\n%s", diff)
			}
		})
	}
}

func TestStatefulSet(t *testing.T) {
	objects, set := ofShoot(t, shoot())
	t.Run("GLT-33 its Service leads to it, and network policies let it reach the servers that it asks", func(t *testing.T) {
		services := map[string]*corev1.Service{}
		for _, object := range objects {
			if service, ok := object.(*corev1.Service); ok {
				services[service.Name] = service
			}
		}
		own := services[Shoot]
		if own == nil || !maps.Equal(own.Spec.Selector, set.Spec.Selector.MatchLabels) || set.Spec.ServiceName != own.Name {
			t.Errorf("Service %+v for pods with the labels %v", own, set.Spec.Selector.MatchLabels)
		}
		for _, name := range []string{"kube-controller-manager-tcp-10257", "kube-scheduler-tcp-10259", "prometheus-etcd-main-tcp-2381", "prometheus-etcd-events-tcp-2381", "kube-apiserver-tcp-6443"} {
			if set.Spec.Template.Labels["networking.resources.gardener.cloud/to-"+name] != "allowed" {
				t.Errorf("the pods may not reach %s: %v", name, set.Spec.Template.Labels)
			}
			service := name[:strings.LastIndex(name, "-tcp")]
			if service != "kube-apiserver" && services[service] == nil {
				t.Errorf("there is no Service %s, so no policy for it", service)
			}
		}
	})
	t.Run("GLT-33 the pods are not those of another component of the control plane", func(t *testing.T) {
		for _, object := range objects {
			if service, ok := object.(*corev1.Service); ok && service.Name != Shoot && maps.Equal(service.Spec.Selector, set.Spec.Selector.MatchLabels) {
				t.Errorf("Service %s selects the Prometheus", service.Name)
			}
		}
	})
	t.Run("GLT-33 what it may take of its node is bounded", func(t *testing.T) {
		spec := set.Spec.Template.Spec
		if memory := spec.Containers[0].Resources.Limits.Memory(); memory.IsZero() || !slices.ContainsFunc(spec.Containers[0].Env, func(one corev1.EnvVar) bool { return one.Name == "GOMEMLIMIT" }) {
			t.Errorf("memory: limits %v, variables %v", spec.Containers[0].Resources.Limits, spec.Containers[0].Env)
		}
		for _, volume := range spec.Volumes {
			if volume.EmptyDir != nil && volume.EmptyDir.SizeLimit.IsZero() {
				t.Errorf("the volume %s has no limit", volume.Name)
			}
		}
	})
	t.Run("GLT-33 what targets may serve is bounded", func(t *testing.T) {
		for _, one := range shoot().configuration().ScrapeConfigs {
			if slices.Contains([]int{one.SampleLimit, one.TargetLimit, one.LabelLimit, one.NameLimit, one.ValueLimit}, 0) || one.BodyLimit == "" {
				t.Errorf("a limit is missing: %+v", one)
			}
		}
	})
	t.Run("KON-4 all Secrets that the configuration names are mounted", func(t *testing.T) {
		if diff := cmp.Diff([]string{"ca", "server", "shoot-access-prometheus", "users"}, mounted(set)); diff != "" {
			t.Errorf("Secrets (-want +got):\n%s", diff)
		}
	})
}

// mounted are the names of all Secrets, sorted.
func mounted(set *appsv1.StatefulSet) (names []string) {
	for _, volume := range set.Spec.Template.Spec.Volumes {
		if volume.Secret != nil {
			names = append(names, volume.Secret.SecretName)
		}
	}
	slices.Sort(names)
	return names
}

func TestGarden(t *testing.T) {
	objects, set := ofGarden(t)
	t.Run("OPR-17 all Secrets that the configuration names are mounted", func(t *testing.T) {
		if diff := cmp.Diff([]string{"ca", "ca-gardener", "server", "shoot-access-prometheus-garden", "users"}, mounted(set)); diff != "" {
			t.Errorf("Secrets (-want +got):\n%s", diff)
		}
	})
	t.Run("OPR-17 kubelets forward ports to it", func(t *testing.T) {
		if args := set.Spec.Template.Spec.Containers[0].Args; !slices.Contains(args, "--bind-address=:9090") {
			t.Errorf("arguments %v", args)
		}
	})
	t.Run("OPR-17 no Service for one of its targets leads to itself", func(t *testing.T) {
		for _, object := range objects {
			if service, ok := object.(*corev1.Service); ok && (service.Name == Garden) != maps.Equal(service.Spec.Selector, set.Spec.Selector.MatchLabels) {
				t.Errorf("Service %s selects %v", service.Name, service.Spec.Selector)
			}
		}
	})
	t.Run("OPR-17 in the virtual garden it reads metrics and nothing else", func(t *testing.T) {
		for _, object := range GardenRights() {
			if role, ok := object.(*rbacv1.ClusterRole); ok {
				want := []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}
				if diff := cmp.Diff(want, role.Rules); diff != "" {
					t.Errorf("rights (-want +got):\n%s", diff)
				}
			}
		}
	})
}

func TestPermissionsInShoot(t *testing.T) {
	for _, object := range ShootObjects() {
		switch o := object.(type) {
		case *rbacv1.ClusterRole:
			for _, rule := range o.Rules {
				for _, resource := range rule.Resources {
					if !strings.HasPrefix(resource, "nodes") {
						t.Errorf("it may read %s of the whole shoot", resource)
					}
				}
				if slices.ContainsFunc(rule.Verbs, func(verb string) bool { return verb != "get" && verb != "list" && verb != "watch" }) {
					t.Errorf("KON-4 it may do more than read: %v", rule)
				}
			}
		case *rbacv1.Role:
			if len(o.Rules) != 1 || !slices.Equal(o.Rules[0].ResourceNames, []string{"kube-dns:metrics"}) {
				t.Errorf("rights in kube-system: %+v", o.Rules)
			}
		}
	}
}
