// Package containerd merges the containerd section of an OperatingSystemConfig into the configuration on a machine. All
// other settings of the image of the machine stay; comments do not.
package containerd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/extensions"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Paths on the machine.
const (
	// ConfigPath is containerd's configuration.
	ConfigPath = "/etc/containerd/config.toml"
	// ConfDir contains further configuration. Containerd merges every file with the suffix .toml, section by section.
	ConfDir = "/etc/containerd/conf.d"
	// Unit is the service of containerd.
	Unit = "containerd.service"
)

const (
	importPattern = ConfDir + "/*.toml"
	header        = "# Managed by Gardener. Put settings of your own into " + ConfDir + ".\n"
)

// sections are the names of the plugins in a version of the configuration format.
type sections struct{ images, runtime string }

func sectionsOf(version int64) sections {
	if version >= 3 {
		return sections{images: "io.containerd.cri.v1.images", runtime: "io.containerd.cri.v1.runtime"}
	}
	return sections{images: "io.containerd.grpc.v1.cri", runtime: "io.containerd.grpc.v1.cri"}
}

// Merge returns the configuration with the settings of Gardener. A new machine gets Gardener's initial settings:
// registries by directory, imports of further files, and the cgroup driver. Existing machines keep their initial
// settings, even if they were changed since. Only the further settings in cri are merged. Merging twice changes
// nothing, not even comments. cri may be nil. An empty current means the default of containerd.
func Merge(current []byte, cri *extensionsv1alpha1.CRIConfig, isNew bool) ([]byte, error) {
	document, before := map[string]any{}, map[string]any{}
	if err := errors.Join(toml.Unmarshal(current, &document), toml.Unmarshal(current, &before)); err != nil {
		return nil, fmt.Errorf("read configuration of containerd: %w", err)
	}
	version, _ := document["version"].(int64)
	if version == 0 {
		version = 2
	}
	names := sectionsOf(version)
	if isNew {
		document["version"] = version
		begin(document, names, cri)
	}
	if cri != nil && cri.Containerd != nil {
		if err := mergeSettings(document, version, names, cri.Containerd); err != nil {
			return nil, err
		}
	}
	if reflect.DeepEqual(before, document) {
		return current, nil
	}
	var out bytes.Buffer
	out.WriteString(header)
	if err := toml.NewEncoder(&out).Encode(document); err != nil {
		return nil, fmt.Errorf("write configuration of containerd: %w", err)
	}
	return out.Bytes(), nil
}

// begin sets the settings that only new machines get.
func begin(document map[string]any, names sections, cri *extensionsv1alpha1.CRIConfig) {
	addImport(document)
	useCertsDir(document, names)
	if cri != nil && cri.CgroupDriver != nil {
		options := table(document, "plugins", names.runtime, "containerd", "runtimes", "runc", "options")
		options["SystemdCgroup"] = *cri.CgroupDriver == extensionsv1alpha1.CgroupDriverSystemd
	}
}

// useCertsDir makes containerd look up registries in a directory instead of in the configuration itself.
func useCertsDir(document map[string]any, names sections) {
	registry := table(document, "plugins", names.images, "registry")
	registry["config_path"] = helper.CertsDir
	delete(registry, "mirrors") // containerd refuses them beside config_path
	delete(registry, "configs")
}

func addImport(document map[string]any) {
	imports, _ := document["imports"].([]any)
	if !slices.Contains(imports, any(importPattern)) {
		document["imports"] = append(imports, importPattern)
	}
}

func mergeSettings(document map[string]any, version int64, names sections, settings *extensionsv1alpha1.ContainerdConfig) error {
	if len(settings.Registries) > 0 {
		useCertsDir(document, names)
	}
	if image := settings.SandboxImage; image != "" && version >= 3 {
		table(document, "plugins", names.images, "pinned_images")["sandbox"] = image
	} else if image != "" {
		table(document, "plugins", names.images)["sandbox_image"] = image
	}
	for _, plugin := range settings.Plugins {
		if err := mergePlugin(document, plugin); err != nil {
			return err
		}
	}
	return nil
}

// mergePlugin adds values at a path below plugins, or removes the path.
func mergePlugin(document map[string]any, plugin extensionsv1alpha1.PluginConfig) error {
	if len(plugin.Path) == 0 {
		return nil
	}
	if plugin.Op != nil && *plugin.Op == extensionsv1alpha1.RemovePluginPathOperation {
		last := len(plugin.Path) - 1
		delete(table(document, append([]string{"plugins"}, plugin.Path[:last]...)...), plugin.Path[last])
		return nil
	}
	if plugin.Values == nil {
		return nil
	}
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(plugin.Values.Raw))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return fmt.Errorf("read values of plugin %s: %w", strings.Join(plugin.Path, "."), err)
	}
	target := table(document, append([]string{"plugins"}, plugin.Path...)...)
	for key, value := range values {
		target[key] = numbers(value)
	}
	return nil
}

// numbers converts numbers of JSON to those of TOML, in which 1 and 1.0 differ.
func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	}
	return value
}

// table returns the table at a path. It creates missing tables.
func table(document map[string]any, path ...string) map[string]any {
	for _, name := range path {
		next, ok := document[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			document[name] = next
		}
		document = next
	}
	return document
}
