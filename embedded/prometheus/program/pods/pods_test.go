package pods

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
)

var errUnknown = errors.New("no such host")

// found are the addresses of all targets.
func found(t *testing.T, l *lookup) string {
	t.Helper()
	groups, err := l.refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, group := range groups {
		for _, target := range group.Targets {
			all = append(all, string(target["__address__"]))
		}
	}
	return fmt.Sprint(all)
}

func TestPods(t *testing.T) {
	answer, fails := []string{"10.0.0.2", "10.0.0.1", "fd00::1"}, error(nil)
	l := &lookup{Config: Config{Names: []string{"one.garden.svc"}, Type: "A", Port: 80}, known: map[string]*targetgroup.Group{}, hosts: func(context.Context, string) ([]string, error) {
		return answer, fails
	}}
	t.Run("OPR-17 each pod behind a name is a target", func(t *testing.T) {
		if got := found(t, l); got != "[10.0.0.1:80 10.0.0.2:80 [fd00::1]:80]" {
			t.Error(got)
		}
	})
	t.Run("OPR-17 pods that are all gone are missed", func(t *testing.T) {
		answer, fails = nil, errUnknown
		if got := found(t, l); got != "[10.0.0.1:80 10.0.0.2:80 [fd00::1]:80]" {
			t.Error(got)
		}
	})
	t.Run("OPR-17 pods that are replaced are not", func(t *testing.T) {
		answer, fails = []string{"10.0.0.3"}, nil
		if got := found(t, l); got != "[10.0.0.3:80]" {
			t.Error(got)
		}
	})
	t.Run("OPR-17 pods that never were are missed, too", func(t *testing.T) {
		answer, fails, l.known = nil, errUnknown, map[string]*targetgroup.Group{}
		if got := found(t, l); got != "[one.garden.svc:80]" {
			t.Error(got)
		}
	})
	t.Run("OPR-17 their number is bounded", func(t *testing.T) {
		answer, fails = nil, nil
		for i := range 2 * mostOfName {
			answer = append(answer, fmt.Sprintf("10.0.1.%d", i))
		}
		if groups, err := l.refresh(t.Context()); err != nil || len(groups[0].Targets) != mostOfName {
			t.Errorf("%v, %v", groups, err)
		}
	})
}

// load reads the configuration of a scrape with this one.
func load(text string) error {
	loaded, err := config.Load("scrape_configs: [{job_name: a, dns_sd_configs: ["+text+"]}]", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	_, err = loaded.GetScrapeConfigs()
	return err
}

func TestConfig(t *testing.T) {
	for name, text := range map[string]string{
		"OPR-17 another type is refused": "{names: [a], type: SRV, port: 1}", "OPR-17 no name is refused": "{type: A, port: 1}", "OPR-17 no port is refused": "{names: [a], type: A}",
	} {
		t.Run(name, func(t *testing.T) {
			if err := load(text); err == nil {
				t.Error("no error")
			}
		})
	}
	if err := load("{names: [a], type: A, port: 1}"); err != nil {
		t.Errorf("OPR-17 the type A is refused: %v", err)
	}
}
