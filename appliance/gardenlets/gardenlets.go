// Package gardenlets makes the configuration of the gardenlets of a landscape. It starts with what an operator would write
// for them and merges the gardenlet keys of the landscape's configuration into it.
package gardenlets

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"text/template"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Port is the name of the listener at which the gardenlet of the first seed serves its health.
const Port = "gardenlet"

// EmbeddedNodes is the range of node addresses that Seeds and Shoots on embedded seeds have in the API. It does not overlap
// the range of pods, which the API requires. The nodes really take their addresses from the range of pods.
const EmbeddedNodes = "127.0.0.0/24"

//go:embed gardenlet.yaml
var configuration string

// Source is the input for the configuration of a gardenlet.
type Source struct {
	Identity   store.Identity  // of the landscape, with the name and the ranges of its first seed
	Keys       json.RawMessage // of the landscape's configuration; may be empty
	LogLevel   string
	HealthPort int32
	Version    string   // of the appliance
	Zones      []string // of the first seed
	// FurtherZones are those of each further embedded seed.
	FurtherZones []string
	// KindZones are those of each further kind seed.
	KindZones []string
}

// First is the configuration of the gardenlet of the first seed. nodes is the range of addresses of the seed's nodes.
func (s Source) First(nodes string) (*config.GardenletConfiguration, error) {
	ours, err := s.render(s.Identity, nodes, s.Zones)
	if err != nil {
		return nil, err
	}
	merged, err := merge(ours, s.Keys)
	if err != nil {
		return nil, fmt.Errorf("merge configuration of the gardenlet: %w", err)
	}
	return config.Decode(merged)
}

// Remote is the configuration of the gardenlet of a Seed that exists in the garden. The landscape's keys apply to it, too,
// except for those about the first seed alone: the description of the Seed, the address of the gardenlet's server, and the
// handlers of exposure classes.
func (s Source) Remote(seed *gardencorev1beta1.Seed) (*config.GardenletConfiguration, error) {
	c, err := s.First(EmbeddedNodes)
	if err != nil {
		return nil, err
	}
	c.SeedConfig = &config.SeedConfig{SeedTemplate: gardencorev1beta1.SeedTemplate{ObjectMeta: seed.ObjectMeta, Spec: seed.Spec}}
	c.GardenClientConnection.Kubeconfig = "" // of the first seed
	c.Server.HTTPS, c.Server.HealthProbes, c.Server.Metrics = nil, nil, nil
	c.ExposureClassHandlers = nil // their front doors lead to the first seed
	return c, nil
}

// Describe is the Seed object that the landscape registers for an embedded seed, without the landscape's keys.
func (s Source) Describe(name, podCIDR, serviceCIDR string) (*config.SeedConfig, error) {
	return s.describe(name, podCIDR, serviceCIDR, EmbeddedNodes, s.FurtherZones)
}

// DescribeKind is the same for a kind seed. nodes is the range of addresses of the seed's nodes.
func (s Source) DescribeKind(name, podCIDR, serviceCIDR, nodes string) (*config.SeedConfig, error) {
	return s.describe(name, podCIDR, serviceCIDR, nodes, s.KindZones)
}

func (s Source) describe(name, podCIDR, serviceCIDR, nodes string, zones []string) (*config.SeedConfig, error) {
	seed := s.Identity
	seed.Seed, seed.PodCIDR, seed.ServiceCIDR = name, podCIDR, serviceCIDR
	ours, err := s.render(seed, nodes, zones)
	if err != nil {
		return nil, err
	}
	c, err := config.Decode(ours)
	if err != nil {
		return nil, err
	}
	return c.SeedConfig, nil
}

// Health is the URL at which the gardenlet of the first seed serves its health; empty if the configuration is wrong.
func (s Source) Health() string {
	c, err := s.First("")
	if err != nil || c.Server.HTTPS == nil {
		return "" // the gardenlet's part reports the mistake
	}
	return "https://" + c.Server.HTTPS.Address() + "/healthz"
}

// User is the identity of a seed's gardenlet in the status of Seeds and Shoots.
func (s Source) User(seed string) gardencorev1beta1.Gardener {
	return gardencorev1beta1.Gardener{ID: s.Identity.ID, Name: "gardenlet-" + seed, Version: s.Version}
}

func (s Source) render(seed store.Identity, nodes string, zones []string) ([]byte, error) {
	list, err := json.Marshal(zones)
	if err != nil {
		return nil, fmt.Errorf("encode zones of the seed: %w", err)
	}
	tmpl, err := template.New("gardenlet.yaml").Option("missingkey=error").Parse(configuration)
	if err != nil {
		return nil, fmt.Errorf("parse configuration of the gardenlet: %w", err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, struct {
		store.Identity
		Nodes, LogLevel, Zones string
		HealthPort             int32
		KeepsOwners            bool // of kind seeds, which go on while the landscape, whose name server knows the owners, does not run
	}{seed, nodes, s.LogLevel, string(list), s.HealthPort, nodes != EmbeddedNodes}); err != nil {
		return nil, fmt.Errorf("render configuration of the gardenlet: %w", err)
	}
	return text.Bytes(), nil
}

// merge merges the user's keys into ours: mappings are merged, every other value replaces ours, null removes a key.
func merge(ours, users []byte) ([]byte, error) {
	if len(users) == 0 {
		return ours, nil
	}
	document, err := yaml.YAMLToJSON(ours)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(document, users)
}
