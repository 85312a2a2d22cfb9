package federation

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// exported precedes a label of a server that has the name of one of ours, as in Prometheus.
const exported = "exported_"

// chunk are the series of one family and one target as text, without the lines that describe the family.
type chunk struct {
	kind dto.MetricType
	help string
	text []byte
}

// render labels all series and writes them as text. It changes the families.
func render(families Families, labels map[string]string) (map[string]chunk, error) {
	names := slices.Sorted(maps.Keys(labels))
	out := map[string]chunk{}
	for name, family := range families {
		if reserved(name) || len(family.Metric) == 0 {
			continue
		}
		if !model.LegacyValidation.IsValidMetricName(name) {
			return nil, fmt.Errorf("the name of metric %.100q is not valid", name)
		}
		for _, metric := range family.Metric {
			metric.Label = relabel(metric.Label, names, labels)
		}
		var text bytes.Buffer
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			return nil, fmt.Errorf("write metric %s: %.200w", name, err)
		}
		out[name] = chunk{kind: family.GetType(), help: family.GetHelp(), text: withoutHeader(text.Bytes())}
	}
	return out, nil
}

// reserved are names that this package writes, and those that Prometheus itself adds.
func reserved(name string) bool {
	return name == Up || name == Duration || name == "scrape_samples_scraped" || name == "scrape_samples_post_metric_relabeling" || name == "scrape_series_added"
}

// relabel adds labels. Labels of the same names get another name, again and again until nothing else has that name.
func relabel(pairs []*dto.LabelPair, names []string, labels map[string]string) []*dto.LabelPair {
	taken := map[string]bool{}
	for _, pair := range pairs {
		taken[pair.GetName()] = true
	}
	out := make([]*dto.LabelPair, 0, len(names)+len(pairs))
	for _, name := range names {
		value := labels[name]
		out = append(out, &dto.LabelPair{Name: &name, Value: &value})
	}
	for _, pair := range pairs {
		if name := pair.GetName(); labels[name] != "" {
			for labels[name] != "" || taken[name] {
				name = exported + name
			}
			taken[name] = true
			pair = &dto.LabelPair{Name: &name, Value: pair.Value}
		}
		out = append(out, pair)
	}
	return out
}

// withoutHeader removes the lines HELP and TYPE, which come first.
func withoutHeader(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("# ")) {
		_, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
	}
	return text
}
