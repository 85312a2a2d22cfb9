// Package admissionplugin reads configurations of kube-apiserver's admission plugins that users provide. A plugin reads the files
// that its configuration names. So this package knows the configuration of each plugin and refuses all paths. It writes a new
// configuration with only the fields that it knows.
package admissionplugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// plugin says how to read a plugin's configuration.
type plugin struct {
	// kinds are those that the document may have; empty for documents without a kind.
	kinds []metav1.TypeMeta
	// kubeconfig means that the configuration may name a kubeconfig, required that it must.
	kubeconfig, required bool
	// make returns an empty configuration.
	make func() any
	// setFile sets the path of the kubeconfig in what make returned. It returns an error if that had other paths.
	setFile func(config any, kubeconfigFile string) error
	// adapt changes what make returned so that the system of a shoot works with it. It may be nil.
	adapt func(config any)
}

// UsesKubeconfig reports whether the plugin can be configured with a kubeconfig.
func UsesKubeconfig(name string) bool { return plugins[name].kubeconfig }

// Rewrite returns the configuration of a plugin, which is nil if the plugin needs none. config is JSON that a user wrote, nil if
// there is none. kubeconfigFile is the path of the plugin's kubeconfig, and empty without one. The result contains no other path.
// Rewrite adds the settings that the system components of a shoot need: PodSecurity exempts the namespace kube-system.
func Rewrite(name string, config []byte, kubeconfigFile string) ([]byte, error) {
	known, ok := plugins[name]
	switch {
	case !ok && len(config) > 0:
		return nil, fmt.Errorf("the admission plugin %s has no configuration", name)
	case !ok, len(config) == 0 && (!known.kubeconfig || kubeconfigFile == "") && !known.required:
		return nil, nil
	case known.required && kubeconfigFile == "":
		return nil, errors.New("the plugin needs a kubeconfig: set kubeconfigSecretName")
	}
	into := known.make()
	if len(config) > 0 {
		if err := known.read(config, into); err != nil {
			return nil, err
		}
	} else {
		known.describe(into)
	}
	if known.setFile != nil {
		if err := known.setFile(into, kubeconfigFile); err != nil {
			return nil, err
		}
	}
	if known.adapt != nil {
		known.adapt(into)
	}
	return json.Marshal(into)
}

// read decodes config as strictly as possible: other spellings of a field would be fields for the plugin.
func (p plugin) read(config []byte, into any) error {
	unknown, err := kjson.UnmarshalStrict(config, into)
	if err != nil {
		return errors.New("it does not have the form of the plugin's configuration")
	}
	if len(unknown) > 0 {
		return unknown[0]
	}
	if len(p.kinds) == 0 {
		return nil
	}
	var is metav1.TypeMeta
	if err := json.Unmarshal(config, &is); err != nil {
		return errors.New("it is no object")
	}
	if !slices.Contains(p.kinds, is) {
		return fmt.Errorf("it must have kind %s and apiVersion %s, not %q and %q", p.kinds[0].Kind, p.kinds[0].APIVersion, is.Kind, is.APIVersion)
	}
	return nil
}

// describe sets kind and version of a configuration that the user did not write.
func (p plugin) describe(into any) {
	if len(p.kinds) == 0 {
		return
	}
	raw, _ := json.Marshal(p.kinds[0])
	_ = json.Unmarshal(raw, into)
}
