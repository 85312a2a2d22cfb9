package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// mostSteps of a query over a range, as in Prometheus.
const mostSteps = 11000

type queryResult struct {
	ResultType parser.ValueType `json:"resultType"`
	Result     parser.Value     `json:"result"`
}

func (a API) query(r *http.Request) (any, []string, error) {
	at, err := timeOf(r, "time", time.Now())
	if err != nil {
		return nil, nil, err
	}
	query, err := a.Engine.NewInstantQuery(r.Context(), a.Storage, nil, r.FormValue("query"), at)
	return execute(r.Context(), query, err)
}

func (a API) queryRange(r *http.Request) (any, []string, error) {
	start, err := timeOf(r, "start", time.Time{})
	if err != nil {
		return nil, nil, err
	}
	end, err := timeOf(r, "end", time.Time{})
	if err != nil {
		return nil, nil, err
	}
	step, err := durationOf(r.FormValue("step"))
	switch {
	case err != nil:
		return nil, nil, badRequest{fmt.Errorf("step: %w", err)}
	case start.IsZero() || end.Before(start):
		return nil, nil, badRequest{fmt.Errorf("the range ends before it starts, or has no start")}
	case step <= 0 || end.Sub(start)/step > mostSteps:
		return nil, nil, badRequest{fmt.Errorf("the step has to be positive, and the range at most %d steps", mostSteps)}
	}
	query, err := a.Engine.NewRangeQuery(r.Context(), a.Storage, nil, r.FormValue("query"), start, end, step)
	return execute(r.Context(), query, err)
}

func execute(ctx context.Context, query promql.Query, err error) (any, []string, error) {
	if err != nil {
		return nil, nil, badRequest{err}
	}
	defer query.Close()
	result := query.Exec(ctx)
	if result.Err != nil {
		return nil, nil, result.Err
	}
	warnings, infos := result.Warnings.AsStrings("", 10, 10)
	return queryResult{ResultType: result.Value.Type(), Result: result.Value}, append(warnings, infos...), nil
}

// asked are the bounds and the selectors of a question about series.
type asked struct {
	querier  storage.Querier
	matchers [][]*labels.Matcher
	start    int64
	end      int64
}

func (a API) asked(r *http.Request) (asked, error) {
	start, err := timeOf(r, "start", time.UnixMilli(math.MinInt32))
	if err != nil {
		return asked{}, err
	}
	end, err := timeOf(r, "end", time.Now())
	if err != nil {
		return asked{}, err
	}
	out := asked{start: start.UnixMilli(), end: end.UnixMilli()}
	for _, text := range r.Form["match[]"] {
		matchers, err := parser.ParseMetricSelector(text)
		if err != nil {
			return asked{}, badRequest{err}
		}
		out.matchers = append(out.matchers, matchers)
	}
	out.querier, err = a.Storage.Querier(out.start, out.end)
	return out, err
}

// timeOf reads seconds since 1970 or a time of RFC 3339.
func timeOf(r *http.Request, name string, otherwise time.Time) (time.Time, error) {
	text := r.FormValue(name)
	if text == "" {
		return otherwise, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(seconds) < math.MaxInt32*10 {
		whole, part := math.Modf(seconds)
		return time.Unix(int64(whole), int64(part*float64(time.Second))).UTC(), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, badRequest{fmt.Errorf("%s: %q is no time", name, text)}
	}
	return at, nil
}

func durationOf(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(seconds) < math.MaxInt32 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	duration, err := model.ParseDuration(text)
	return time.Duration(duration), err
}

// released is the version of a release by the version of its module, where 3 is 0.300.
func released(module string) string {
	parts := strings.Split(strings.TrimPrefix(module, "v"), ".")
	if len(parts) != 3 {
		return module
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number < 100 {
		return module
	}
	return fmt.Sprintf("%d.%d.%s", number/100, number%100, parts[2])
}
