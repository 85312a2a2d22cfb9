package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/hack/conformance/results"
)

// list is the names of all conformance tests of this version of Kubernetes.
func list(kubernetes string) ([]string, error) {
	file := filepath.Join(kubernetes, "test/conformance/testdata/conformance.yaml")
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tests []struct{ Codename string }
	if err := yaml.Unmarshal(content, &tests); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	names := make([]string, 0, len(tests))
	for _, test := range tests {
		names = append(names, results.Normal(test.Codename))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// groups are those of the tests, such as sig-apps.
func groups(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, results.GroupOf(name))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
