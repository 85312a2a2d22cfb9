package app

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFollow(t *testing.T) {
	type item struct{ Name, State string }
	for output, want := range map[string]string{
		"table": "NAME   STATE\na      up\nlong   up\na      down\nlong   gone\n",
		"name":  "a\nlong\nlong   gone\n",
		"yaml":  "---\nName: a\nState: up\n---\nName: long\nState: up\n---\nName: a\nState: down\n",
	} {
		t.Run("APP-35 -w prints what changes, as "+output, func(t *testing.T) {
			lists := [][]item{{{"a", "up"}, {"long", "up"}}, {{"a", "up"}, {"long", "up"}}, {{"a", "down"}}}
			errEnd := errors.New("end")
			var out bytes.Buffer
			tick := make(chan time.Time, len(lists))
			for range lists {
				tick <- time.Time{}
			}
			err := followed[item]{
				output: output, display: newDisplay(), name: func(i item) string { return i.Name },
				collect: func(context.Context) ([]item, error) {
					if len(lists) == 0 {
						return nil, errEnd
					}
					next := lists[0]
					lists = lists[1:]
					return next, nil
				},
				rows: func(items []item) [][]string {
					rows := [][]string{{"NAME", "STATE"}}
					if output == "name" {
						rows = nil
					}
					for _, i := range items {
						row := []string{i.Name, i.State}
						if output == "name" {
							row = row[:1]
						}
						rows = append(rows, row)
					}
					return rows
				},
			}.follow(t.Context(), &out, tick)
			if !errors.Is(err, errEnd) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}
