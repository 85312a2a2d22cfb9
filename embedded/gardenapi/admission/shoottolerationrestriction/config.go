package shoottolerationrestriction

import (
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/pluginconfig"
)

const configVersion = "shoottolerationrestriction.admission.gardener.cloud/v1alpha1"

// Configuration is the plugin's part of the admission configuration file. Its kind is Configuration or
// ShootTolerationRestrictionConfiguration.
type Configuration struct {
	metav1.TypeMeta `json:",inline"`
	// Defaults are added to all new shoots.
	Defaults []core.Toleration `json:"defaults,omitempty"`
	// Whitelist are the tolerations that all shoots may have.
	Whitelist []core.Toleration `json:"whitelist,omitempty"`
}

func readConfiguration(from io.Reader) (*Configuration, error) {
	config := &Configuration{}
	if err := pluginconfig.Decode(from, configVersion, []string{"Configuration", "ShootTolerationRestrictionConfiguration"}, config); err != nil {
		return nil, err
	}
	return config, errors.Join(check("defaults", config.Defaults), check("whitelist", config.Whitelist))
}

func check(name string, tolerations []core.Toleration) error {
	seen := map[string]bool{}
	var errs []error
	for i, toleration := range tolerations {
		if toleration.Key == "" {
			errs = append(errs, fmt.Errorf("%s[%d].key is required", name, i))
		}
		if seen[id(toleration)] {
			errs = append(errs, fmt.Errorf("%s[%d] repeats %s", name, i, id(toleration)))
		}
		seen[id(toleration)] = true
	}
	return errors.Join(errs...)
}

// id identifies a toleration. A toleration without a value differs from one with an empty value.
func id(toleration core.Toleration) string {
	if toleration.Value == nil {
		return toleration.Key
	}
	return toleration.Key + "=" + *toleration.Value
}
