// Package kubescheduler builds the kube-scheduler of a shoot. It writes nothing to a cluster.
package kubescheduler

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// Name of the Deployment.
const Name = "kube-scheduler"

const (
	port      = 10259
	dirServer = "/pki/server"
	dirConfig = "/etc/kubernetes/scheduler"
	keyConfig = "config.yaml"
)

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image string
	// Version of Kubernetes in the spec of the shoot.
	Version string
	// Config is the configuration in the Shoot; nil for all defaults.
	Config  *gardencorev1beta1.KubeSchedulerConfig
	Secrets Secrets
}

// Secrets are the names of the Secrets that the pods mount.
type Secrets struct {
	Server string
	Access pod.Mount
}

// GenerateSecrets generates the secrets that only kube-scheduler uses. The CAs must be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "kube-scheduler-server", CommonName: Name, Usage: secretsmanager.Server, OmitCA: true,
		DNSNames: append(names.ServiceNames(Name, sm.Namespace), "localhost"),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	mount, err := access.Client{Component: "kube-scheduler", User: "system:kube-scheduler"}.Mount(ctx, sm)
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	return Secrets{Server: server.Name, Access: mount}, nil
}

// Objects builds the configuration and the Deployment.
func Objects(v Values) (*corev1.ConfigMap, *appsv1.Deployment, error) {
	document, err := configuration(v)
	if err != nil {
		return nil, nil, err
	}
	config := pod.ConfigMap("kube-scheduler-config", v.Namespace, map[string]string{keyConfig: string(document)})
	args := []string{
		"--config=" + pod.File(dirConfig, keyConfig),
		"--bind-address=$(POD_IP)",
		fmt.Sprintf("--secure-port=%d", port),
		"--authentication-kubeconfig=" + access.Kubeconfig(),
		"--authorization-kubeconfig=" + access.Kubeconfig(),
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
		"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
	}
	args = append(args, "--emulated-version="+names.Minor(v.Version), "--kubernetes-version="+names.GitVersion(v.Version))
	if v.Config != nil && len(v.Config.FeatureGates) > 0 {
		args = append(args, "--feature-gates="+strings.Join(flags.Pairs(v.Config.FeatureGates), ","))
	}
	return config, pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: names.ControlPlane("scheduler"), Component: Name,
		Args: args, Replicas: v.Replicas, Port: port, Ready: pod.Ready("/healthz", port), Live: pod.Live("/healthz", port),
		Mounts: []pod.Mount{
			v.Secrets.Access,
			{Path: dirServer, Secrets: []string{v.Secrets.Server}},
			{Path: dirConfig, ConfigMaps: []string{config.Name}},
		},
		PriorityClass: constants.PriorityClassNameShootControlPlane300,
		Mutated:       true,
		Reaches:       []string{constants.LabelNetworkPolicyToDNS, names.Reach(names.APIServer, names.APIServerPort)},
	}), nil
}

// configuration is a KubeSchedulerConfiguration. The profile bin-packing fills used nodes before empty ones.
func configuration(v Values) ([]byte, error) {
	document := map[string]any{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"kubeconfig": access.Kubeconfig()},
		"leaderElection":   map[string]any{"leaderElect": v.Replicas > 1},
		"enableProfiling":  false,
	}
	if v.Config != nil && ptr.Deref(v.Config.Profile, "") == gardencorev1beta1.SchedulingProfileBinPacking {
		document["profiles"] = []any{map[string]any{
			"schedulerName": "default-scheduler",
			"plugins":       map[string]any{"score": map[string]any{"disabled": []any{map[string]any{"name": "NodeResourcesBalancedAllocation"}}}},
			"pluginConfig": []any{map[string]any{
				"name": "NodeResourcesFit",
				"args": map[string]any{"scoringStrategy": map[string]any{"type": "MostAllocated"}},
			}},
		}}
	}
	raw, err := yaml.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encode configuration of %s: %w", Name, err)
	}
	return raw, nil
}
