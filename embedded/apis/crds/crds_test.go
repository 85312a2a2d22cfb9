package crds_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

type definitions = []*apiextensionsv1.CustomResourceDefinition

func TestDefinitionsAreThoseOfTheirGroup(t *testing.T) {
	for name, tc := range map[string]struct {
		load func() (definitions, error)
		want []string
	}{
		"autoscaling": {crds.Autoscaling, []string{"verticalpodautoscalercheckpoints.autoscaling.k8s.io", "verticalpodautoscalers.autoscaling.k8s.io"}},
		"druid":       {crds.Druid, []string{"etcdcopybackupstasks.druid.gardener.cloud", "etcdopstasks.druid.gardener.cloud", "etcds.druid.gardener.cloud"}},
		"extensions": {crds.Extensions, []string{
			"backupbuckets.extensions.gardener.cloud", "backupentries.extensions.gardener.cloud", "bastions.extensions.gardener.cloud",
			"clusters.extensions.gardener.cloud", "containerruntimes.extensions.gardener.cloud", "controlplanes.extensions.gardener.cloud",
			"dnsrecords.extensions.gardener.cloud", "extensions.extensions.gardener.cloud", "infrastructures.extensions.gardener.cloud",
			"networks.extensions.gardener.cloud", "operatingsystemconfigs.extensions.gardener.cloud", "workers.extensions.gardener.cloud",
		}},
		"istio": {crds.Istio, []string{"gateways.networking.istio.io", "virtualservices.networking.istio.io"}},
		"machine": {crds.Machine, []string{
			"machineclasses.machine.sapcloud.io", "machinedeployments.machine.sapcloud.io",
			"machines.machine.sapcloud.io", "machinesets.machine.sapcloud.io",
		}},
		"openidconnect":                         {crds.OpenIDConnect, []string{"openidconnects.authentication.gardener.cloud"}},
		"operator":                              {crds.Operator, []string{"extensions.operator.gardener.cloud", "gardens.operator.gardener.cloud"}},
		"scaling":                               {crds.Scaling, []string{"hvpas.autoscaling.k8s.io"}},
		"resources":                             {crds.Resources, []string{"managedresources.resources.gardener.cloud"}},
		"clusters with their own control plane": {crds.SelfHosted, []string{"selfhostedshootexposures.extensions.gardener.cloud"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, crd := range load(t, tc.load) {
				got = append(got, crd.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefinitionsAreAcceptedByAnAPIServer(t *testing.T) {
	for _, group := range []func() (definitions, error){crds.Autoscaling, crds.Druid, crds.Extensions, crds.Istio, crds.Machine, crds.OpenIDConnect, crds.Operator, crds.Resources, crds.Scaling, crds.SelfHosted} {
		for _, crd := range load(t, group) {
			t.Run(crd.Name, func(t *testing.T) {
				if served := len(crd.Spec.Versions); served != 1 {
					t.Errorf("%d versions, each costs memory; want 1", served)
				}
				apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
				apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
				internal := &apiextensions.CustomResourceDefinition{}
				if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
					t.Fatal(err)
				}
				internal.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
				if errs := validation.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
					t.Error(errs.ToAggregate())
				}
			})
		}
	}
}

func load(t *testing.T, from func() (definitions, error)) definitions {
	t.Helper()
	out, err := from()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
