package admission_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local/admission"
)

const cache = `{extensions: [{type: registry-cache, providerConfig: {apiVersion: registry.extensions.gardener.cloud/v1alpha3, kind: RegistryConfig, caches: [CACHE]}}]}`

func cached(cache1 string) string { return strings.ReplaceAll(cache, "CACHE", cache1) }

func TestHooks(t *testing.T) {
	hooks := map[string]webhook.Hook{}
	for _, hook := range admission.Hooks() {
		hooks[hook.Name] = hook
	}
	const provider, registry = "shoots.provider-local.extensions.gardener.cloud", "shoots.registry-cache.extensions.gardener.cloud"
	for name, tc := range map[string]struct {
		hook, former, spec string
		refusal            string // empty: allowed
	}{
		"no configuration":                       {hook: provider, spec: `{provider: {type: local}}`},
		"fields that the provider does not know": {hook: provider, spec: `{provider: {infrastructureConfig: {unknown: x}}}`},
		"a fault as documented":                  {hook: provider, spec: `{provider: {infrastructureConfig: {fault: {message: x}}}}`},
		"a fault that is no fault":               {hook: provider, spec: `{provider: {infrastructureConfig: {fault: full}}}`, refusal: "spec.provider.infrastructureConfig"},
		"the configuration of another provider": {
			hook: provider, spec: `{provider: {infrastructureConfig: {apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig}}}`, refusal: "it has to be InfrastructureConfig of local.",
		},
		"a mistake that is stored already": {
			hook: provider, former: `{provider: {infrastructureConfig: {fault: full}}}`, spec: `{purpose: testing, provider: {infrastructureConfig: {fault: full}}}`,
		},
		"a cache":                           {hook: registry, spec: cached("{upstream: docker.io}")},
		"a cache without a host":            {hook: registry, spec: cached("{upstream: 'https://docker.io'}"), refusal: "caches[0].upstream"},
		"a cache without a document":        {hook: registry, spec: `{extensions: [{type: registry-cache}]}`, refusal: "providerConfig is missing"},
		"an extension that is switched off": {hook: registry, spec: `{extensions: [{type: registry-cache, disabled: true}]}`},
		"a Secret that the shoot has not":   {hook: registry, spec: cached("{upstream: docker.io, secretReferenceName: login}"), refusal: "secretReferenceName"},
		"a volume of another size": {
			hook: registry, former: cached("{upstream: docker.io}"), spec: cached("{upstream: docker.io, volume: {size: 20Gi}}"), refusal: "cannot change from 10Gi to 20Gi",
		},
		"a volume of the same size": {hook: registry, former: cached("{upstream: docker.io}"), spec: cached("{upstream: docker.io, volume: {size: 10Gi}, garbageCollection: {ttl: 1h}}")},
	} {
		t.Run("EXT-25 "+name, func(t *testing.T) {
			request := ctrladmission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Object: shoot(t, tc.spec)}}
			if tc.former != "" {
				request.OldObject = shoot(t, tc.former)
			}
			response := hooks[tc.hook].Handler.Handle(t.Context(), request)
			if response.Allowed != (tc.refusal == "") || !response.Allowed && !strings.Contains(response.Result.Message, tc.refusal) {
				t.Errorf("allowed %v, %+v", response.Allowed, response.Result)
			}
		})
	}
}

func shoot(t *testing.T, spec string) runtime.RawExtension {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"spec": json.RawMessage(content)})
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: raw}
}

// FuzzHooks looks for a Shoot that ends the process. Users choose both.
func FuzzHooks(f *testing.F) {
	f.Add(`{"spec":{"provider":{"infrastructureConfig":{"fault":null}}}}`, `{"spec":{}}`)
	f.Add(`{"spec":{"extensions":[{"type":"registry-cache","providerConfig":{"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig","caches":[{"upstream":"a:1","volume":{"size":"1"}}]}}]}}`, "")
	f.Fuzz(func(_ *testing.T, object, former string) {
		request := ctrladmission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Object: runtime.RawExtension{Raw: []byte(object)}, OldObject: runtime.RawExtension{Raw: []byte(former)}}}
		for _, hook := range admission.Hooks() {
			hook.Handler.Handle(context.Background(), request)
		}
	})
}
