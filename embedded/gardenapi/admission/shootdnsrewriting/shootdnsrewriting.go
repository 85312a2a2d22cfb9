// Package shootdnsrewriting is the admission plugin that adds the garden's common suffixes to the DNS rewriting of new
// shoots. It is off by default.
package shootdnsrewriting

import (
	"context"
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/pluginconfig"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootDNSRewriting"

const (
	configVersion = "shootdnsrewriting.admission.gardener.cloud/v1alpha1"
	// disabled is the annotation of shoots that want no rewriting at all.
	disabled = "alpha.featuregates.shoot.gardener.cloud/core-dns-rewriting-disabled"
)

// Configuration is the plugin's part of the admission configuration file. Its kind is Configuration or
// ShootDNSRewritingConfiguration.
type Configuration struct {
	metav1.TypeMeta `json:",inline"`
	// CommonSuffixes are domains whose names are looked up as they are.
	CommonSuffixes []string `json:"commonSuffixes,omitempty"`
}

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(from io.Reader) (admission.Interface, error) {
		config := Configuration{}
		if err := pluginconfig.Decode(from, configVersion, []string{"Configuration", "ShootDNSRewritingConfiguration"}, &config); err != nil {
			return nil, err
		}
		for i, suffix := range config.CommonSuffixes {
			if problems := validation.IsDNS1123Subdomain(trimDot(suffix)); len(problems) > 0 {
				return nil, fmt.Errorf("commonSuffixes[%d] %q: %v", i, suffix, problems)
			}
		}
		return &Plugin{admission.NewHandler(admission.Create), config.CommonSuffixes}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct {
	*admission.Handler
	suffixes []string
}

// Admit adds the suffixes that are missing.
func (p *Plugin) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || helper.IsWorkerless(shoot) || len(p.suffixes) == 0 {
		return nil
	}
	if _, off := shoot.Annotations[disabled]; off {
		return nil
	}
	if shoot.Spec.SystemComponents == nil {
		shoot.Spec.SystemComponents = &core.SystemComponents{}
	}
	components := shoot.Spec.SystemComponents
	if components.CoreDNS == nil {
		components.CoreDNS = &core.CoreDNS{}
	}
	if components.CoreDNS.Rewriting == nil {
		components.CoreDNS.Rewriting = &core.CoreDNSRewriting{}
	}
	rewriting := components.CoreDNS.Rewriting
	for _, suffix := range p.suffixes {
		if !slices.ContainsFunc(rewriting.CommonSuffixes, func(present string) bool { return trimDot(present) == trimDot(suffix) }) {
			rewriting.CommonSuffixes = append(rewriting.CommonSuffixes, suffix)
		}
	}
	return nil
}

// trimDot lets .example.org mean example.org.
func trimDot(suffix string) string {
	if len(suffix) > 0 && suffix[0] == '.' {
		return suffix[1:]
	}
	return suffix
}
