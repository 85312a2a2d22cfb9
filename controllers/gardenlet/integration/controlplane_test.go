package integration

import (
	"context"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/clusterautoscaler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubescheduler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/machinecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/seedadmission"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// tunnelOf is the way into a shoot, and the ports of its server for agents and for the API server: the second shoot has the
// API server network proxy.
func tunnelOf(namespace string) (mode vpn.Mode, agents, egress int32) {
	if namespace == moon {
		return vpn.Konnectivity(), 8132, 8131
	}
	return vpn.ReversedVPN(), 1194, 9443
}

// controlPlane are the objects of a shoot with a tunnel, as the flow builds them, without its etcds.
func controlPlane(t *testing.T, namespace string) []client.Object {
	t.Helper()
	mode, _, _ := tunnelOf(namespace)
	objects, _, err := kubeapiserver.Objects(kubeapiserver.Values{
		Namespace: namespace, Replicas: 1, Version: "1.36.3", AdvertiseAddress: "10.2.0.7", ServiceCIDR: "100.64.0.0/13", Hostname: "api", Issuer: "https://api",
		Encryption: []kubeapiserver.EncryptionKeyData{{Name: "key1", Secret: "c2VjcmV0"}},
		Egress:     mode.Egress(vpn.Secrets{CA: "ca-vpn", Egress: "http-proxy"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	config, scheduler, err := kubescheduler.Objects(kubescheduler.Values{Namespace: namespace, Replicas: 1, Version: "1.36.3"})
	if err != nil {
		t.Fatal(err)
	}
	controllers := kubecontrollermanager.Deployment(kubecontrollermanager.Values{Namespace: namespace, Replicas: 1, Version: "1.36.3"})
	machines, _ := machinecontrollermanager.Objects(machinecontrollermanager.Values{Namespace: namespace, Replicas: 1})
	autoscaler, _ := clusterautoscaler.Objects(clusterautoscaler.Values{Namespace: namespace, Replicas: 1})
	vertical, _ := verticalpodautoscaler.Objects(verticalpodautoscaler.Values{Namespace: namespace, Replicas: 1})
	metrics, _ := metricsserver.SeedObjects(metricsserver.Values{Namespace: namespace, Replicas: 1}) // elsewhere if there is a tunnel
	resources, _ := resourcemanager.Objects(resourcemanager.Values{Namespace: namespace, Replicas: 1})
	tunnel, _ := mode.ServerObjects(namespace, "gardener", 1, vpn.Secrets{})
	objects = append(objects, kubeapiserver.Service(namespace), config, scheduler, controllers)
	objects = slices.Concat(objects, machines, autoscaler, vertical, metrics, resources, tunnel)
	return objects
}

// etcds writes both etcds and returns what the druid makes of them.
func etcds(t *testing.T, namespace string) []client.Object {
	t.Helper()
	secrets := etcd.Secrets{CA: "ca", Server: "server", Client: "client", PeerCA: "ca-peer", PeerServer: "server-peer"}
	for _, name := range []string{secrets.CA, secrets.Server, secrets.Client, secrets.PeerCA, secrets.PeerServer, constants.BackupSecretName} {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	}
	var sets []client.Object
	for _, role := range []string{etcd.Main, etcd.Events} {
		create(t, etcd.Object(etcd.Values{
			Namespace: namespace, Role: role, Replicas: 3, Secrets: secrets,
			Backup: &etcd.Backup{Provider: "local", Bucket: "bucket", Prefix: namespace + "--uid", SecretName: constants.BackupSecretName},
		}))
		set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: etcd.Name(role)}}
		eventually(t, "stateful set", func(ctx context.Context) error { _, err := get(ctx, set); return err })
		sets = append(sets, set)
	}
	return sets
}

// seedComponents are those of a seed whose API server cannot call the gardenlet.
func seedComponents() []client.Object {
	configuration := &config.GardenletConfiguration{ExposureClassHandlers: []config.ExposureClassHandler{{Name: "edge"}}}
	config.SetDefaults(configuration)
	objects := append(resourcemanager.SeedObjects("gardener"), seedadmission.Objects("gardener")...)
	objects = append(objects, callback.Objects("gardener", gardenService)...)
	for _, gateway := range frontdoor.Gateways(configuration, "gardener", map[string]frontdoor.Ports{"edge": {TLS: 543, Proxy: 8543, Tunnel: 8232}}) {
		objects = append(objects, gateway.Objects()...)
	}
	return objects
}

// handlerNamespace is that of the gateway of a handler of exposure classes.
const handlerNamespace = "istio-ingress-handler-edge"

// templates are the pods of all workloads, by namespace/name.
func templates(objects []client.Object) map[string]corev1.PodTemplateSpec {
	out := map[string]corev1.PodTemplateSpec{}
	for _, object := range objects {
		key := client.ObjectKeyFromObject(object).String()
		switch typed := object.(type) {
		case *appsv1.Deployment:
			out[key] = typed.Spec.Template
		case *appsv1.StatefulSet:
			out[key] = typed.Spec.Template
		case *appsv1.DaemonSet:
			out[key] = typed.Spec.Template
		}
	}
	return out
}

// applyServices writes only namespaces and Services: no pods run here, and nothing waits for them.
func applyServices(t *testing.T, objects []client.Object) {
	t.Helper()
	applier := patch.Applier{Client: cluster, Owner: "test"}
	for _, object := range objects {
		switch object.(type) {
		case *corev1.Namespace, *corev1.Service:
			if _, err := applier.Apply(t.Context(), object.DeepCopyObject().(client.Object)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func address(third, fourth int) string { return fmt.Sprintf("10.1.%d.%d", third, fourth) }
