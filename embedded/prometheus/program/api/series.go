package api

import (
	"errors"
	"net/http"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// mostSeries of one answer.
const mostSeries = 50_000

func (a API) series(r *http.Request) (any, []string, error) {
	asked, err := a.asked(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = asked.querier.Close() }()
	if len(asked.matchers) == 0 {
		return nil, nil, badRequest{errors.New("no match[] says which series")}
	}
	hints := &storage.SelectHints{Start: asked.start, End: asked.end, Func: "series", Limit: mostSeries}
	var sets []storage.SeriesSet
	for _, matchers := range asked.matchers {
		sets = append(sets, asked.querier.Select(r.Context(), true, hints, matchers...))
	}
	set := storage.NewMergeSeriesSet(sets, 0, storage.ChainedSeriesMerge)
	out := []labels.Labels{}
	for len(out) < mostSeries && set.Next() {
		out = append(out, set.At().Labels())
	}
	return out, texts(set.Warnings()), set.Err()
}

func (a API) labelNames(r *http.Request) (any, []string, error) {
	return a.strings(r, func(asked asked, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return asked.querier.LabelNames(r.Context(), &storage.LabelHints{Limit: mostSeries}, matchers...)
	})
}

func (a API) labelValues(r *http.Request) (any, []string, error) {
	name := r.PathValue("name")
	if !model.UTF8Validation.IsValidLabelName(name) {
		return nil, nil, badRequest{errors.New("this is no name of a label")}
	}
	return a.strings(r, func(asked asked, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return asked.querier.LabelValues(r.Context(), name, &storage.LabelHints{Limit: mostSeries}, matchers...)
	})
}

// strings merges what ask finds for each selector; without one, for all series.
func (a API) strings(r *http.Request, ask func(asked, []*labels.Matcher) ([]string, annotations.Annotations, error)) (any, []string, error) {
	asked, err := a.asked(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = asked.querier.Close() }()
	if len(asked.matchers) == 0 {
		asked.matchers = [][]*labels.Matcher{nil}
	}
	out, warnings := []string{}, annotations.Annotations{}
	for _, matchers := range asked.matchers {
		found, warned, err := ask(asked, matchers)
		if err != nil {
			return nil, nil, err
		}
		out, warnings = append(out, found...), warnings.Merge(warned)
	}
	slices.Sort(out)
	return slices.Compact(out), texts(warnings), nil
}

func texts(all annotations.Annotations) []string {
	warnings, infos := all.AsStrings("", 10, 10)
	return append(warnings, infos...)
}
