package scheme

import (
	"bytes"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	corev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// These annotations keep fields that a version lacks: v1 keeps those of v1beta1 in annotations, v1beta1 keeps those
	// of v1 in providerConfig or, for resources, in an annotation.
	annotationType           = "migration.controllerdeployment.gardener.cloud/type"
	annotationProviderConfig = "migration.controllerdeployment.gardener.cloud/providerConfig"
	annotationResources      = "migration.controllerdeployment.gardener.cloud/resources"
)

// helmConfig is the providerConfig of deployments of type helm. Chart is a gzipped tar archive.
type helmConfig struct {
	Chart         []byte                `json:"chart,omitempty"`
	Values        *apiextensionsv1.JSON `json:"values,omitempty"`
	OCIRepository *corev1.OCIRepository `json:"ociRepository,omitempty"`
}

func addControllerDeploymentConversions(scheme *runtime.Scheme) error {
	hub, v1 := (*corev1beta1.ControllerDeployment)(nil), (*corev1.ControllerDeployment)(nil)
	hubList, v1List := (*corev1beta1.ControllerDeploymentList)(nil), (*corev1.ControllerDeploymentList)(nil)
	for _, add := range []error{
		scheme.AddConversionFunc(hub, v1, func(a, b any, _ conversion.Scope) error {
			return toV1(a.(*corev1beta1.ControllerDeployment), b.(*corev1.ControllerDeployment))
		}),
		scheme.AddConversionFunc(v1, hub, func(a, b any, _ conversion.Scope) error {
			return fromV1(a.(*corev1.ControllerDeployment), b.(*corev1beta1.ControllerDeployment))
		}),
		scheme.AddConversionFunc(hubList, v1List, func(a, b any, _ conversion.Scope) error {
			return listToV1(a.(*corev1beta1.ControllerDeploymentList), b.(*corev1.ControllerDeploymentList))
		}),
		scheme.AddConversionFunc(v1List, hubList, func(a, b any, _ conversion.Scope) error {
			return listFromV1(a.(*corev1.ControllerDeploymentList), b.(*corev1beta1.ControllerDeploymentList))
		}),
	} {
		if add != nil {
			return add
		}
	}
	return nil
}

func toV1(in *corev1beta1.ControllerDeployment, out *corev1.ControllerDeployment) error {
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.InjectGardenKubeconfig = in.InjectGardenKubeconfig
	if text, kept := out.Annotations[annotationResources]; kept {
		if err := json.Unmarshal([]byte(text), &out.Resources); err != nil {
			return fmt.Errorf("annotation %s: %w", annotationResources, err)
		}
		delete(out.Annotations, annotationResources)
	}
	if in.Type != corev1beta1.ControllerDeploymentTypeHelm {
		annotate(&out.Annotations, annotationType, in.Type)
		annotate(&out.Annotations, annotationProviderConfig, string(in.ProviderConfig.Raw))
		return nil
	}
	var config helmConfig
	if len(in.ProviderConfig.Raw) > 0 {
		if err := json.Unmarshal(in.ProviderConfig.Raw, &config); err != nil {
			return fmt.Errorf("providerConfig of type helm: %w", err)
		}
	}
	out.Helm = &corev1.HelmControllerDeployment{RawChart: config.Chart, Values: config.Values, OCIRepository: config.OCIRepository}
	return nil
}

func fromV1(in *corev1.ControllerDeployment, out *corev1beta1.ControllerDeployment) error {
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.InjectGardenKubeconfig = in.InjectGardenKubeconfig
	if len(in.Resources) > 0 {
		text, err := json.Marshal(in.Resources)
		if err != nil {
			return err
		}
		annotate(&out.Annotations, annotationResources, string(text))
	}
	if in.Helm == nil {
		out.Type = out.Annotations[annotationType]
		if raw := out.Annotations[annotationProviderConfig]; raw != "" {
			out.ProviderConfig.Raw = []byte(raw)
		}
		delete(out.Annotations, annotationType)
		delete(out.Annotations, annotationProviderConfig)
		return nil
	}
	raw, err := json.Marshal(helmConfig{Chart: in.Helm.RawChart, Values: in.Helm.Values, OCIRepository: in.Helm.OCIRepository})
	if err != nil {
		return err
	}
	out.Type, out.ProviderConfig.Raw = corev1beta1.ControllerDeploymentTypeHelm, bytes.TrimSpace(raw)
	return nil
}

func annotate(annotations *map[string]string, key, value string) {
	if value == "" {
		return
	}
	if *annotations == nil {
		*annotations = map[string]string{}
	}
	(*annotations)[key] = value
}

func listToV1(in *corev1beta1.ControllerDeploymentList, out *corev1.ControllerDeploymentList) error {
	out.ListMeta, out.Items = in.ListMeta, make([]corev1.ControllerDeployment, len(in.Items))
	for i := range in.Items {
		if err := toV1(&in.Items[i], &out.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func listFromV1(in *corev1.ControllerDeploymentList, out *corev1beta1.ControllerDeploymentList) error {
	out.ListMeta, out.Items = in.ListMeta, make([]corev1beta1.ControllerDeployment, len(in.Items))
	for i := range in.Items {
		if err := fromV1(&in.Items[i], &out.Items[i]); err != nil {
			return err
		}
	}
	return nil
}
