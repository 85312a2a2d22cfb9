package tenantkubeconfig

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// keyKubeconfig of a Secret holds a kubeconfig.
const keyKubeconfig = "kubeconfig"

// CheckData returns an error that names the first key of a Secret's data whose value Check refuses, in the order of keys. The
// value of the key "kubeconfig" must be a kubeconfig if it is not empty. Under other keys only values that clients could take
// for a kubeconfig are checked.
func CheckData(data map[string][]byte) error {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		value := data[key]
		if len(value) == 0 || key != keyKubeconfig && !looksLikeKubeconfig(value) {
			continue
		}
		if err := Check(value); err != nil {
			return fmt.Errorf("the kubeconfig in key %q is not allowed: %w", key, err)
		}
	}
	return nil
}

// looksLikeKubeconfig parses every value, since YAML has many spellings of one word.
func looksLikeKubeconfig(value []byte) bool {
	content := struct {
		Kind            string `json:"kind"`
		Users, Clusters []any
	}{}
	return yaml.Unmarshal(value, &content) == nil && (content.Kind == "Config" || content.Kind == "") && len(content.Users)+len(content.Clusters) > 0
}
