package install

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"

	"github.com/BurntSushi/toml"
)

// withHandler returns containerd's configuration with a runtime that is like runc but uses another program. If the
// configuration already has it, the result is the same byte by byte.
func withHandler(current []byte, handler, program string) ([]byte, error) {
	document := map[string]any{}
	if err := toml.Unmarshal(current, &document); err != nil {
		return nil, fmt.Errorf("read configuration of containerd: %w", err)
	}
	version, _ := document["version"].(int64)
	plugin := "io.containerd.grpc.v1.cri"
	if version >= 3 {
		plugin = "io.containerd.cri.v1.runtime"
	}
	if version == 0 {
		document["version"] = int64(2)
	}
	runtimes := table(document, "plugins", plugin, "containerd", "runtimes")
	runc, _ := runtimes["runc"].(map[string]any)
	wanted := map[string]any{"runtime_type": "io.containerd.runc.v2"}
	maps.Copy(wanted, runc)
	options := map[string]any{}
	if of, ok := wanted["options"].(map[string]any); ok {
		maps.Copy(options, of)
	}
	options["BinaryName"] = program
	wanted["options"] = options
	if reflect.DeepEqual(runtimes[handler], any(wanted)) {
		return current, nil
	}
	runtimes[handler] = wanted
	var out bytes.Buffer
	if err := toml.NewEncoder(&out).Encode(document); err != nil {
		return nil, fmt.Errorf("write configuration of containerd: %w", err)
	}
	return out.Bytes(), nil
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
