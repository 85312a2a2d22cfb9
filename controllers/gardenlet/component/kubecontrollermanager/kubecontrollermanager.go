// Package kubecontrollermanager builds the kube-controller-manager of a shoot. It writes nothing to a cluster.
package kubecontrollermanager

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// Name of the Deployment.
const Name = "kube-controller-manager"

const port = 10257

// Values are the inputs for the Deployment.
type Values struct {
	Namespace string
	// Prefix begins the names of the Deployment and of the API server. It is empty in the namespace of a shoot.
	Prefix   string
	Replicas int32
	// Image is the appliance image.
	Image string
	// Version of Kubernetes in the spec of the shoot.
	Version string
	// Config is the configuration in the Shoot; nil for all defaults.
	Config *gardencorev1beta1.KubeControllerManagerConfig
	// MaxPods is the largest number of pods on a node. It determines the default size of the pod range of a node.
	MaxPods              int32
	PodCIDR, ServiceCIDR string
	Workerless           bool
	// Controllers to run; empty if they are the usual ones.
	Controllers string
	// SigningDuration is the validity of certificates that clients request; 0 if it is the usual one.
	SigningDuration time.Duration
	Secrets         Secrets
}

// Secrets are the names of the Secrets that the pods mount.
type Secrets struct {
	Server, CA, CAClient, CAKubelet, ServiceAccount string
	Access                                          pod.Mount
}

// GenerateSecrets generates the secrets that only the kube-controller-manager of a shoot uses. The CAs and keys must be generated
// before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	return GenerateSecretsFor(ctx, sm, names.APIServerURL(sm.Namespace))
}

// GenerateSecretsFor is GenerateSecrets for the API server with the URL.
func GenerateSecretsFor(ctx context.Context, sm *secretsmanager.Manager, server string) (Secrets, error) {
	certificate, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "kube-controller-manager-server", CommonName: Name, Usage: secretsmanager.Server, OmitCA: true,
		DNSNames: append(names.ServiceNames(Name, sm.Namespace), "localhost"),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	mount, err := access.Client{Component: "kube-controller-manager", User: "system:kube-controller-manager", Server: server}.Mount(ctx, sm)
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	out := Secrets{Server: certificate.Name, Access: mount}
	for config, name := range map[string]*string{
		constants.SecretNameCAClient: &out.CAClient, constants.SecretNameCAKubelet: &out.CAKubelet, constants.SecretNameServiceAccountKey: &out.ServiceAccount,
	} {
		secret := sm.Current(config)
		if secret == nil {
			return out, fmt.Errorf("secret %q of %s has not been generated", config, Name)
		}
		*name = secret.Name
	}
	ca := sm.Bundle(constants.SecretNameCACluster)
	if ca == nil {
		return out, fmt.Errorf("CA %q of %s has not been generated", constants.SecretNameCACluster, Name)
	}
	out.CA = ca.Name
	return out, nil
}

const (
	dirServer         = "/pki/server"
	dirCA             = "/pki/ca"
	dirCAClient       = "/pki/ca-client"
	dirCAKubelet      = "/pki/ca-kubelet"
	dirServiceAccount = "/pki/service-account"
)

// Deployment builds the object.
func Deployment(v Values) *appsv1.Deployment {
	return pod.Deployment(pod.Spec{
		Name: v.Prefix + Name, Namespace: v.Namespace, Image: v.Image, Labels: names.ControlPlane("controller-manager"), Component: Name,
		Args: arguments(v), Replicas: v.Replicas, Port: port, Ready: pod.Ready("/healthz", port), Live: pod.Live("/healthz", port),
		Mounts: []pod.Mount{
			v.Secrets.Access,
			{Path: dirServer, Secrets: []string{v.Secrets.Server}},
			{Path: dirCA, Secrets: []string{v.Secrets.CA}},
			{Path: dirCAClient, Secrets: []string{v.Secrets.CAClient}},
			{Path: dirCAKubelet, Secrets: []string{v.Secrets.CAKubelet}},
			{Path: dirServiceAccount, Secrets: []string{v.Secrets.ServiceAccount}},
		},
		PriorityClass: constants.PriorityClassNameShootControlPlane300,
		Restarted:     true,
		Mutated:       true,
		Reaches:       []string{constants.LabelNetworkPolicyToDNS, names.Reach(v.Prefix+names.APIServer, names.APIServerPort)},
	})
}

func arguments(v Values) []string {
	config := ptr.Deref(v.Config, gardencorev1beta1.KubeControllerManagerConfig{})
	out := []string{
		"--bind-address=$(POD_IP)",
		fmt.Sprintf("--secure-port=%d", port),
		"--kubeconfig=" + access.Kubeconfig(),
		"--authentication-kubeconfig=" + access.Kubeconfig(),
		"--authorization-kubeconfig=" + access.Kubeconfig(),
		fmt.Sprintf("--leader-elect=%t", v.Replicas > 1),
		"--profiling=false",
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
		"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
		"--root-ca-file=" + pod.File(dirCA, secretsmanager.KeyBundle),
		"--service-account-private-key-file=" + pod.File(dirServiceAccount, secretsmanager.KeyRSAPrivate),
		"--use-service-account-credentials=true",
		"--cluster-name=" + v.Namespace,
		"--controllers=" + cmp.Or(v.Controllers, controllers(v.Workerless)),
	}
	out = append(out, signing(v)...)
	if !v.Workerless {
		out = append(out, workers(v, config)...)
	}
	out = append(out, "--emulated-version="+names.Minor(v.Version), "--kubernetes-version="+names.GitVersion(v.Version))
	for i, gate := range flags.Pairs(config.FeatureGates) {
		if i == 0 {
			out = append(out, "--feature-gates="+gate)
			continue
		}
		out[len(out)-1] += "," + gate
	}
	return out
}

// signing sets the CA of each certificate signer. A single flag for all would sign serving certificates of kubelets
// with the CA for clients.
func signing(v Values) []string {
	pair := func(signer, dir string) []string {
		return []string{
			fmt.Sprintf("--cluster-signing-%s-cert-file=%s", signer, pod.File(dir, secretsmanager.KeyCACert)),
			fmt.Sprintf("--cluster-signing-%s-key-file=%s", signer, pod.File(dir, secretsmanager.KeyCAKey)),
		}
	}
	signed := "720h"
	if v.SigningDuration > 0 {
		signed = v.SigningDuration.String()
	}
	out := append(pair("kube-apiserver-client", dirCAClient), "--cluster-signing-duration="+signed)
	if !v.Workerless {
		out = append(out, pair("kubelet-client", dirCAClient)...)
		out = append(out, pair("kubelet-serving", dirCAKubelet)...)
	}
	return out
}

// controllers of a cluster without workers: those that need neither nodes nor pods.
func controllers(workerless bool) string {
	if !workerless {
		return "*,bootstrapsigner,tokencleaner"
	}
	return "namespace-controller,serviceaccount-controller,serviceaccount-token-controller,clusterrole-aggregation-controller," +
		"garbage-collector-controller,resourcequota-controller,certificatesigningrequest-approving-controller," +
		"certificatesigningrequest-signing-controller,certificatesigningrequest-cleaner-controller,root-ca-certificate-publisher-controller," +
		"validatingadmissionpolicy-status-controller"
}

func workers(v Values, config gardencorev1beta1.KubeControllerManagerConfig) []string {
	autoscaler := ptr.Deref(config.HorizontalPodAutoscalerConfig, gardencorev1beta1.HorizontalPodAutoscalerConfig{})
	out := []string{
		"--allocate-node-cidrs=true",
		"--cluster-cidr=" + v.PodCIDR,
		"--service-cluster-ip-range=" + v.ServiceCIDR,
		fmt.Sprintf("--node-cidr-mask-size=%d", ptr.Deref(config.NodeCIDRMaskSize, NodeCIDRMaskSize(v.MaxPods))),
		"--node-monitor-grace-period=" + duration(config.NodeMonitorGracePeriod, "40s"),
		"--horizontal-pod-autoscaler-cpu-initialization-period=" + duration(autoscaler.CPUInitializationPeriod, "5m0s"),
		"--horizontal-pod-autoscaler-downscale-stabilization=" + duration(autoscaler.DownscaleStabilization, "5m0s"),
		"--horizontal-pod-autoscaler-initial-readiness-delay=" + duration(autoscaler.InitialReadinessDelay, "30s"),
		"--horizontal-pod-autoscaler-sync-period=" + duration(autoscaler.SyncPeriod, "30s"),
		fmt.Sprintf("--horizontal-pod-autoscaler-tolerance=%v", ptr.Deref(autoscaler.Tolerance, 0.1)),
	}
	return out
}

func duration(value *metav1.Duration, fallback string) string {
	if value == nil {
		return fallback
	}
	return value.Duration.String()
}

// NodeCIDRMaskSize returns the mask size of a range that has room for twice the pods of a node, so that an address need
// not be reused at once.
func NodeCIDRMaskSize(maxPods int32) int32 {
	if maxPods <= 0 {
		maxPods = 110
	}
	addresses := uint64(min(int64(maxPods)*2, math.MaxInt32))
	return int32(32 - bits.Len64(addresses-1))
}
