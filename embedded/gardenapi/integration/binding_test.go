package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

// TestBindingOfMultilineConfiguration binds a shoot as the scheduler does: the whole Shoot is read as JSON and sent back with a seed. The configuration
// of the provider was handed in over several lines, which a client loses when it writes JSON, and storage as protocol buffers keeps.
func TestBindingOfMultilineConfiguration(t *testing.T) {
	p, profile, target := project(t), cloudProfile(t), seed(t)
	s := newShoot(p, profile, func(s *core.Shoot) {
		s.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"local.provider.extensions.gardener.cloud/v1alpha1","kind":"InfrastructureConfig"}`)}
	})
	s.APIVersion, s.Kind = core.SchemeGroupVersion.String(), "Shoot"
	body, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(body), "\n\t\t\t\t\"kind\": \"InfrastructureConfig\"") {
		t.Fatalf("the configuration is on one line in %s", body)
	}
	_, direct := another(t, func(c *gardenapi.Config) { c.StorageMediaType = runtime.ContentTypeProtobuf })
	config := rest.CopyConfig(direct)
	config.APIPath, config.GroupVersion = "/apis", &core.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.New().Codecs.WithoutConversion()
	raw, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Post().Namespace(s.Namespace).Resource("shoots").SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	c := admin(t)
	t.Cleanup(func() { remove(t, c, s) })
	read := &core.Shoot{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(s), read); err != nil {
		t.Fatal(err)
	}
	read.Spec.SeedName = ptr.To(target.Name)
	if err := c.SubResource("binding").Update(t.Context(), read); err != nil {
		t.Fatalf("the shoot cannot be bound: %v", err)
	}
}
