package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// rule says what the value of a field has to be. fits reports whether it is so.
type rule struct {
	want string
	fits func(any) bool
}

var (
	object  = rule{"an object", func(v any) bool { _, ok := v.(map[string]any); return ok }}
	text    = rule{"a text", func(v any) bool { _, ok := v.(string); return ok }}
	boolean = rule{"true or false", func(v any) bool { _, ok := v.(bool); return ok }}
	number  = rule{"a whole number", func(v any) bool {
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		_, err := n.Int64()
		return err == nil
	}}
)

func oneOf(values ...string) rule {
	return rule{"one of " + strings.Join(values, ", "), func(v any) bool {
		s, ok := v.(string)
		return ok && slices.Contains(values, s)
	}}
}

// fields are the rules for the documents of the types that others define, by the path of the field. Only these are read: the documents
// have more fields in later versions, and those are passed on as they are.
var fields = map[string]map[string]rule{
	"calico": {
		"backend": oneOf("bird", "none", "vxlan"),
		"ipam":    object, "ipam.type": oneOf("host-local", "calico-ipam"), "ipam.cidr": text,
		"typha": object, "typha.enabled": boolean,
		"ipv4": object, "ipv4.pool": oneOf("ipip", "vxlan"), "ipv4.mode": oneOf("Always", "Never", "CrossSubnet", "Off"), "ipv4.autoDetectionMethod": text,
		"overlay": object, "overlay.enabled": boolean, "overlay.createPodRoutes": boolean,
		"snatToUpstreamDNS": object, "snatToUpstreamDNS.enabled": boolean,
		"ebpfDataplane": object, "ebpfDataplane.enabled": boolean,
		"vethMTU": text, "wireguardEncryption": boolean,
	},
	"cilium": {
		"debug": boolean, "hubble": object, "hubble.enabled": boolean,
		"tunnel": oneOf("vxlan", "geneve", "disabled"), "mtu": number,
		"overlay": object, "overlay.enabled": boolean, "overlay.createPodRoutes": boolean,
		"snatToUpstreamDNS": object, "snatToUpstreamDNS.enabled": boolean,
		"kubeproxy": object, "kubeproxy.k8sServiceHost": text, "kubeproxy.k8sServicePort": number,
		"bgpControlPlane": object, "bgpControlPlane.enabled": boolean,
	},
}

// checkConfig returns an error that names the field and its value if the configuration cannot be read as that of the network type.
func checkConfig(networkType string, raw *runtime.RawExtension) error {
	if raw == nil || len(raw.Raw) == 0 {
		return nil
	}
	document := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(raw.Raw))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return fmt.Errorf("providerConfig is %.100q, which is no object: %w", raw.Raw, err)
	}
	known, strict := fields[networkType]
	if !strict {
		return nil
	}
	group := networkType + ".networking.extensions.gardener.cloud"
	identity := map[string]rule{
		"kind":       oneOf("NetworkConfig"),
		"apiVersion": oneOf(group+"/v1alpha1", networkType+".extensions.gardener.cloud/v1alpha1"), // the second is the name of early versions
	}
	for _, rules := range []map[string]rule{identity, known} {
		for _, path := range slices.Sorted(maps.Keys(rules)) { // an object comes before its fields
			if value, found := lookup(document, strings.Split(path, ".")); found && !rules[path].fits(value) {
				return fmt.Errorf("providerConfig.%s is %s, not %s, as network type %s needs it", path, shown(value), rules[path].want, networkType)
			}
		}
	}
	return nil
}

// lookup returns the value at the path. A field that is null counts as missing.
func lookup(document map[string]any, path []string) (any, bool) {
	value, found := document[path[0]]
	if !found || value == nil || len(path) == 1 {
		return value, found && value != nil
	}
	inner, ok := value.(map[string]any)
	if !ok {
		return nil, false // the rule of the outer field refuses it
	}
	return lookup(inner, path[1:])
}

// shown is the value as it stands in the document, shortened.
func shown(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%.100v", value)
	}
	return fmt.Sprintf("%.100s", data)
}
