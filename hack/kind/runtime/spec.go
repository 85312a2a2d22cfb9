package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// restrictFile edits an OCI spec or process file in place and keeps its mode.
func restrictFile(path string, missing map[string]bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read spec: %w", err)
	}
	data, err = restrict(data, missing)
	if err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { // the file exists, so its mode stays
		return fmt.Errorf("write spec: %w", err)
	}
	return nil
}

// restrict removes the missing capabilities from a spec (in its field process) or from a process, and its resource
// limits if they could not be set. It does not change other fields.
func restrict(data []byte, missing map[string]bool) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	spec := map[string]any{}
	if err := decoder.Decode(&spec); err != nil {
		return nil, err
	}
	process := spec
	if inner, ok := spec["process"].(map[string]any); ok {
		process = inner
	}
	if missing[sysResource] {
		delete(process, "rlimits")
	}
	sets, _ := process["capabilities"].(map[string]any)
	for kind, value := range sets {
		list, _ := value.([]any)
		kept := []any{}
		for _, item := range list {
			if name, _ := item.(string); !missing[name] {
				kept = append(kept, item)
			}
		}
		sets[kind] = kept
	}
	return json.Marshal(spec)
}
