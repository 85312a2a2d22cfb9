package federation

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Sizes of the text of one server, in bytes. The API servers of a landscape with a shoot take 4.5 MiB, a kubelet less than 1 MiB.
// What is read takes about ten times as much memory for a moment.
const (
	Longest = 24 << 20
	// LongestOfUsers is for servers that users can replace, such as those on nodes of their clusters.
	LongestOfUsers = 4 << 20
)

// HTTP asks a server at a URL. The client has the credentials; it should verify the server. Redirections are not followed: they
// would lead elsewhere. The answer may have so many bytes at most.
func HTTP(client *http.Client, url string, longest int64) func(context.Context) (Families, error) {
	once := *client
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(ctx context.Context) (Families, error) {
		defer once.CloseIdleConnections()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "text/plain;version=0.0.4")
		resp, err := once.Do(req)
		if err != nil {
			return nil, err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the server answers %s", resp.Status)
		}
		return Parse(resp.Body, longest)
	}
}

// Parse reads text of at most so many bytes.
func Parse(text io.Reader, longest int64) (Families, error) {
	bounded := &io.LimitedReader{R: text, N: longest + 1}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bounded)
	if bounded.N <= 0 {
		return nil, fmt.Errorf("the answer is longer than %d MiB", longest>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return families, nil
}

// Registry asks a registry of this process.
func Registry(from prometheus.Gatherer) func(context.Context) (Families, error) {
	return func(context.Context) (Families, error) {
		gathered, err := from.Gather()
		if err != nil {
			return nil, err
		}
		out := Families{}
		for _, family := range gathered {
			out[family.GetName()] = copied(family)
		}
		return out, nil
	}
}

// copied is a family whose labels may be changed: metrics that a registry returns may belong to its collectors.
func copied(family *dto.MetricFamily) *dto.MetricFamily {
	out := &dto.MetricFamily{Name: family.Name, Help: family.Help, Type: family.Type, Unit: family.Unit}
	for _, m := range family.Metric {
		out.Metric = append(out.Metric, &dto.Metric{
			Label: m.Label, Gauge: m.Gauge, Counter: m.Counter, Summary: m.Summary, Untyped: m.Untyped, Histogram: m.Histogram, TimestampMs: m.TimestampMs,
		})
	}
	return out
}
