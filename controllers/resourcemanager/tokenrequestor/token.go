package tokenrequestor

import (
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	defaultLifetime = 12 * time.Hour
	// longestUse is the maximum time a token is used, even if it is valid for longer.
	longestUse = 24 * time.Hour
)

// Responsible reports whether a resource manager of the class fills a Secret with these labels.
func Responsible(class string, labels map[string]string) bool {
	if labels[resourcesv1alpha1.ResourceManagerPurpose] != resourcesv1alpha1.LabelPurposeTokenRequest {
		return false
	}
	wanted, limited := labels[resourcesv1alpha1.ResourceManagerClass]
	return !limited || wanted == class
}

func (r *Reconciler) responsible(labels map[string]string) bool {
	if _, limited := labels[resourcesv1alpha1.ResourceManagerClass]; r.OnlyClass && !limited {
		return false
	}
	return Responsible(r.Class, labels)
}

// Lifetime returns the requested validity of a token, from the annotations of its Secret.
func Lifetime(annotations map[string]string) (time.Duration, error) {
	value := annotations[resourcesv1alpha1.ServiceAccountTokenExpirationDuration]
	if value == "" {
		return defaultLifetime, nil
	}
	lifetime, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("parse token expiration duration: %w", err)
	}
	return lifetime, nil
}

// RenewAt returns when to replace a token that is issued now and expires at the given time: after 80 % of its validity,
// and after 24 hours at the latest.
func RenewAt(now, expires time.Time) time.Time {
	use := expires.Sub(now) * 4 / 5
	return now.Add(min(use, longestUse))
}

// HasToken reports whether the data of a Secret contains a token where PutToken would write one.
func HasToken(data map[string][]byte) bool {
	raw, found := data[resourcesv1alpha1.DataKeyKubeconfig]
	if !found {
		return len(data[resourcesv1alpha1.DataKeyToken]) > 0
	}
	_, user, err := currentUser(raw)
	return err == nil && user["token"] != nil && user["token"] != ""
}

// PutToken writes the token into the kubeconfig of the data, for the user of its current context. Without a kubeconfig
// it writes the token under the key token. Everything else in a kubeconfig stays as it is.
func PutToken(data map[string][]byte, token string) error {
	raw, found := data[resourcesv1alpha1.DataKeyKubeconfig]
	if !found {
		data[resourcesv1alpha1.DataKeyToken] = []byte(token)
		return nil
	}
	config, user, err := currentUser(raw)
	if err != nil {
		return fmt.Errorf("put token into kubeconfig: %w", err)
	}
	user["token"] = token
	encoded, err := yaml.Marshal(config)
	if err != nil {
		return fmt.Errorf("encode kubeconfig: %w", err)
	}
	data[resourcesv1alpha1.DataKeyKubeconfig] = encoded
	return nil
}

// currentUser decodes a kubeconfig and finds the user of its current context. The returned user is part of the returned
// configuration.
func currentUser(raw []byte) (config, user map[string]any, err error) {
	if err := yaml.Unmarshal(raw, &config); err != nil {
		return nil, nil, fmt.Errorf("decode kubeconfig: %w", err)
	}
	context, err := named(config, "contexts", config["current-context"])
	if err != nil {
		return nil, nil, err
	}
	details, _ := context["context"].(map[string]any)
	entry, err := named(config, "users", details["user"])
	if err != nil {
		return nil, nil, err
	}
	user, ok := entry["user"].(map[string]any)
	if !ok {
		user = map[string]any{}
		entry["user"] = user
	}
	return config, user, nil
}

func named(config map[string]any, list string, name any) (map[string]any, error) {
	items, _ := config[list].([]any)
	for _, item := range items {
		if entry, ok := item.(map[string]any); ok && name != nil && entry["name"] == name {
			return entry, nil
		}
	}
	return nil, fmt.Errorf("kubeconfig has no entry %v in %s", name, list)
}
