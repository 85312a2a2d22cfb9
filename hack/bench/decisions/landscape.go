package decisions

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	profile  = "profile"
	apart    = "apart" // a seed without shoots
	projects = 50
)

// landscape is the graph of a garden with so many shoots on so many seeds, each in one of 50 projects, all with the same profile.
func landscape(shoots, seeds int) *graph.Graph {
	g := &graph.Graph{}
	add := func(object client.Object) {
		v, edges := dependency.Of(object)
		g.Set(v, edges)
	}
	add(seed(apart))
	for i := range seeds {
		add(seed(fmt.Sprintf("seed-%d", i)))
	}
	for i := range projects {
		namespace := fmt.Sprintf("garden-%d", i)
		add(&core.Project{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}, Spec: core.ProjectSpec{Namespace: &namespace}})
	}
	for i := range shoots {
		for _, object := range shoot(fmt.Sprintf("garden-%d", i%projects), fmt.Sprintf("shoot-%d", i), fmt.Sprintf("seed-%d", i%seeds)) {
			add(object)
		}
	}
	return g
}

func seed(name string) *core.Seed {
	return &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}, Spec: core.SeedSpec{
		Backup: &core.Backup{SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup-" + name}},
	}}
}

// shoot is a Shoot with its credentials and its backups.
func shoot(namespace, name, seed string) []client.Object {
	binding, dns := name, name+"-dns"
	at := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }
	return []client.Object{
		&core.SecretBinding{ObjectMeta: at(binding), SecretRef: corev1.SecretReference{Namespace: namespace, Name: name + "-cloud"}},
		&core.Shoot{ObjectMeta: at(name), Spec: core.ShootSpec{
			CloudProfile: &core.CloudProfileReference{Kind: "CloudProfile", Name: profile}, SecretBindingName: &binding, SeedName: &seed,
			DNS: &core.DNS{Providers: []core.DNSProvider{{SecretName: &dns}}},
		}},
		&core.BackupEntry{ObjectMeta: at("shoot--" + name + "--uid"), Spec: core.BackupEntrySpec{BucketName: "uid-" + seed, SeedName: &seed}},
	}
}
