// Package install makes schemes for clients: one for the garden, one for seeds and shoots. It adds no defaults and no
// conversions, which are the servers' business, and everyone may import it.
package install

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	authenticationv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	istiov1beta1 "github.com/gardener-up/gardener-up/embedded/apis/istio/v1beta1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settingsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

var garden = runtime.NewSchemeBuilder(
	kubernetesscheme.AddToScheme,
	apiregistrationv1.AddToScheme,
	gardencorev1beta1.AddToScheme, // before core/v1: the version that clients prefer
	gardencorev1.AddToScheme,
	authenticationv1alpha1.AddToScheme,
	operationsv1alpha1.AddToScheme,
	securityv1alpha1.AddToScheme,
	seedmanagementv1alpha1.AddToScheme,
	settingsv1alpha1.AddToScheme,
)

var seed = runtime.NewSchemeBuilder(
	kubernetesscheme.AddToScheme,
	apiregistrationv1.AddToScheme,
	apiextensionsv1.AddToScheme,
	extensionsv1alpha1.AddToScheme,
	resourcesv1alpha1.AddToScheme,
	druidv1alpha1.AddToScheme,
	machinev1alpha1.AddToScheme,
	operatorv1alpha1.AddToScheme,
	istiov1beta1.AddToScheme,
	autoscalingv1alpha1.AddToScheme,
	vpav1.AddToScheme,
)

// AddGarden makes everything known that a client of the garden meets: Kubernetes and the Gardener API.
func AddGarden(scheme *runtime.Scheme) error { return garden.AddToScheme(scheme) }

// AddSeed makes everything known that a client of a seed or a shoot meets: Kubernetes and the custom resources.
func AddSeed(scheme *runtime.Scheme) error { return seed.AddToScheme(scheme) }
