package worker

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// userDataKey is the key of the user data in the Secret of a class.
	userDataKey = "userData"
	// nameLabel is the label that all machines of a group share.
	nameLabel = "name"
	// defaultArchitecture is for pools that name none.
	defaultArchitecture = "amd64"
)

// fillClass describes how machines of a group are made.
func fillClass(class *v1alpha1.MachineClass, g group, worker *extensionsv1alpha1.Worker, cluster *contract.Cluster, spec api.MachineSpec) {
	class.Provider = api.Type
	class.ProviderSpec = *api.Encode(spec)
	class.SecretRef = &corev1.SecretReference{Namespace: worker.Namespace, Name: g.class}
	class.CredentialsSecretRef = worker.Spec.SecretRef.DeepCopy()
	class.NodeTemplate = &v1alpha1.NodeTemplate{
		Capacity:     capacity(g.pool, cluster),
		InstanceType: g.pool.MachineType,
		Region:       worker.Spec.Region,
		Zone:         g.zone,
		Architecture: architecture(g.pool),
	}
	if g.former != nil && g.former.NodeTemplate != nil {
		class.NodeTemplate = g.former.NodeTemplate.DeepCopy()
	}
}

// machineSpec is for machines in a namespace; those that are pods have the image. pods signs machine pods; nil signs none.
func machineSpec(g group, namespace, image string, pods *podsignature.Signer) (spec api.MachineSpec, err error) {
	spec.TypeMeta = api.Meta("MachineSpec")
	if g.nodeImage != "" {
		spec.Runtime, spec.NodeImage = api.Containers, g.nodeImage
		return spec, nil
	}
	spec.Image = image
	spec.Signature, err = machine.Signature(pods, namespace, spec.Image)
	return spec, err
}

// fillSecret carries the credentials of the infrastructure and the user data to the driver.
func fillSecret(secret *corev1.Secret, credentials map[string][]byte, userData []byte) {
	if secret.Labels == nil {
		secret.Labels = map[string]string{}
	}
	secret.Labels["gardener.cloud/purpose"] = "machineclass"
	secret.Type = corev1.SecretTypeOpaque
	secret.Data = map[string][]byte{}
	maps.Copy(secret.Data, credentials)
	secret.Data[userDataKey] = userData
}

// fillDeployment describes the machines of a group. The caller sets their number.
func fillDeployment(deployment *v1alpha1.MachineDeployment, g group, region string) {
	labels := map[string]string{nameLabel: g.name}
	if deployment.Labels == nil {
		deployment.Labels = map[string]string{}
	}
	maps.Copy(deployment.Labels, labels)
	annotate(deployment, g.pool.ClusterAutoscaler)
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Strategy = strategy(g)
	deployment.Spec.Template = v1alpha1.MachineTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: v1alpha1.MachineSpec{
			Class:                v1alpha1.ClassSpec{Kind: "MachineClass", Name: g.class},
			NodeTemplateSpec:     nodeTemplate(g, region),
			MachineConfiguration: configuration(g.pool),
		},
	}
}

// strategy says how the machines of a group are updated.
func strategy(g group) v1alpha1.MachineDeploymentStrategy {
	limits := v1alpha1.UpdateConfiguration{MaxSurge: &g.surge, MaxUnavailable: &g.unavailable}
	if !g.inPlace() {
		return v1alpha1.MachineDeploymentStrategy{
			Type:          v1alpha1.RollingUpdateMachineDeploymentStrategyType,
			RollingUpdate: &v1alpha1.RollingUpdateMachineDeployment{UpdateConfiguration: limits},
		}
	}
	orchestration := v1alpha1.OrchestrationTypeAuto
	if *g.pool.UpdateStrategy == gardencorev1beta1.ManualInPlaceUpdate {
		orchestration = v1alpha1.OrchestrationTypeManual
	}
	return v1alpha1.MachineDeploymentStrategy{
		Type:          v1alpha1.InPlaceUpdateMachineDeploymentStrategyType,
		InPlaceUpdate: &v1alpha1.InPlaceUpdateMachineDeployment{UpdateConfiguration: limits, OrchestrationType: orchestration},
	}
}

// annotate passes the settings of a pool to the autoscaler, and removes old settings.
func annotate(deployment *v1alpha1.MachineDeployment, options *extensionsv1alpha1.ClusterAutoscalerOptions) {
	if options == nil {
		options = &extensionsv1alpha1.ClusterAutoscalerOptions{}
	}
	duration := func(d *metav1.Duration) *string {
		if d == nil {
			return nil
		}
		text := d.Duration.String()
		return &text
	}
	for key, value := range map[string]*string{
		v1alpha1.ScaleDownUtilizationThresholdAnnotation:    options.ScaleDownUtilizationThreshold,
		v1alpha1.ScaleDownGPUUtilizationThresholdAnnotation: options.ScaleDownGpuUtilizationThreshold,
		v1alpha1.ScaleDownUnneededTimeAnnotation:            duration(options.ScaleDownUnneededTime),
		v1alpha1.ScaleDownUnreadyTimeAnnotation:             duration(options.ScaleDownUnreadyTime),
		v1alpha1.MaxNodeProvisionTimeAnnotation:             duration(options.MaxNodeProvisionTime),
	} {
		if value == nil {
			delete(deployment.Annotations, key)
		} else {
			metav1.SetMetaDataAnnotation(&deployment.ObjectMeta, key, *value)
		}
	}
}

func nodeTemplate(g group, region string) v1alpha1.NodeTemplateSpec {
	labels := map[string]string{
		corev1.LabelInstanceTypeStable: g.pool.MachineType,
		corev1.LabelTopologyRegion:     region,
	}
	if g.zone != "" {
		labels[corev1.LabelTopologyZone] = g.zone
	}
	maps.Copy(labels, g.pool.Labels)
	return v1alpha1.NodeTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: g.pool.Annotations},
		Spec:       corev1.NodeSpec{Taints: g.pool.Taints},
	}
}

// configuration passes a pool's settings to the machine controller; nil leaves all to its defaults.
func configuration(pool *extensionsv1alpha1.WorkerPool) *v1alpha1.MachineConfiguration {
	settings := pool.MachineControllerManagerSettings
	if settings == nil {
		return nil
	}
	configuration := &v1alpha1.MachineConfiguration{
		MachineDrainTimeout:         settings.MachineDrainTimeout,
		MachineHealthTimeout:        settings.MachineHealthTimeout,
		MachineCreationTimeout:      settings.MachineCreationTimeout,
		MachineInPlaceUpdateTimeout: settings.MachineInPlaceUpdateTimeout,
		MachinePreserveTimeout:      settings.MachinePreserveTimeout,
		DisableHealthTimeout:        settings.DisableHealthTimeout,
		MaxEvictRetries:             settings.MaxEvictRetries,
	}
	if len(settings.NodeConditions) > 0 {
		conditions := strings.Join(settings.NodeConditions, ",")
		configuration.NodeConditions = &conditions
	}
	return configuration
}

// capacity tells the autoscaler the capacity of a node, from the Worker or else from the CloudProfile.
func capacity(pool *extensionsv1alpha1.WorkerPool, cluster *contract.Cluster) corev1.ResourceList {
	if pool.NodeTemplate != nil {
		return pool.NodeTemplate.Capacity
	}
	if t := machineType(cluster, pool.MachineType); t != nil {
		return corev1.ResourceList{corev1.ResourceCPU: t.CPU, corev1.ResourceMemory: t.Memory, "gpu": t.GPU}
	}
	return corev1.ResourceList{}
}

func architecture(pool *extensionsv1alpha1.WorkerPool) *string {
	if pool.Architecture != nil {
		return pool.Architecture
	}
	value := defaultArchitecture
	return &value
}
