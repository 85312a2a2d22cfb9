// Package chart renders Helm charts with Helm's own engine. It reaches no cluster and no network: what a chart may ask
// about the cluster is passed in.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
)

// load reads a chart from its compressed tar archive and checks that the chart can be installed at all.
func load(archive []byte, kubeVersion string) (*helmchart.Chart, error) {
	if len(archive) == 0 {
		return nil, errors.New("the chart is empty")
	}
	chart, err := loader.LoadArchive(bytes.NewReader(archive)) // bounds the size of all files together
	if err != nil {
		return nil, fmt.Errorf("read archive of chart: %w", err)
	}
	if err := chart.Validate(); err != nil {
		return nil, fmt.Errorf("chart %q: %w", chart.Name(), err)
	}
	if chart.Metadata.Type != "" && chart.Metadata.Type != "application" {
		return nil, fmt.Errorf("chart %q is of type %q: only charts of type application can be installed", chart.Name(), chart.Metadata.Type)
	}
	if wanted := chart.Metadata.KubeVersion; wanted != "" && !chartutil.IsCompatibleRange(wanted, kubeVersion) {
		return nil, fmt.Errorf("chart %q needs Kubernetes %s, the seed has %s", chart.Name(), wanted, kubeVersion)
	}
	if missing := missingDependencies(chart); len(missing) > 0 {
		return nil, fmt.Errorf("chart %q lacks the charts it depends on in its directory charts: %s", chart.Name(), strings.Join(missing, ", "))
	}
	return chart, nil
}

func missingDependencies(chart *helmchart.Chart) []string {
	var missing []string
	for _, dependency := range chart.Metadata.Dependencies {
		if !slices.ContainsFunc(chart.Dependencies(), func(have *helmchart.Chart) bool { return have.Name() == dependency.Name }) {
			missing = append(missing, dependency.Name)
		}
	}
	return missing
}
