// Package pods discovers the pods behind a headless Service by its name. It is the type A of Prometheus' dns_sd_configs, with the same keys and labels,
// but asks the resolver of this program, and both kinds of addresses.
package pods

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/discovery/refresh"
	"github.com/prometheus/prometheus/discovery/targetgroup"
)

// Bounds of an answer.
const (
	period     = 15 * time.Second
	mostOfName = 50
)

const mechanism = "dns"

const labelName = model.MetaLabelPrefix + "dns_name"

func init() { discovery.RegisterConfig(&Config{}) }

// Config is one of dns_sd_configs.
type Config struct {
	Names []string `yaml:"names"`
	Type  string   `yaml:"type"`
	Port  int      `yaml:"port"`
}

// UnmarshalYAML checks the configuration.
func (c *Config) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Config
	*c = Config{}
	if err := unmarshal((*plain)(c)); err != nil {
		return err
	}
	if c.Type != "A" {
		return fmt.Errorf("type %q is not built in, only A", c.Type)
	}
	if len(c.Names) == 0 || c.Port < 1 || c.Port > 65535 {
		return errors.New("names and a port are required")
	}
	return nil
}

// Name is that of discovery.Config.
func (*Config) Name() string { return mechanism }

// NewDiscovererMetrics has none beside those that all have.
func (*Config) NewDiscovererMetrics(_ prometheus.Registerer, rmi discovery.RefreshMetricsInstantiator) discovery.DiscovererMetrics {
	return &metrics{rmi}
}

type metrics struct {
	discovery.RefreshMetricsInstantiator
}

func (*metrics) Register() error { return nil }
func (*metrics) Unregister()     {}

// NewDiscoverer asks for the names again and again.
func (c *Config) NewDiscoverer(options discovery.DiscovererOptions) (discovery.Discoverer, error) {
	m, ok := options.Metrics.(*metrics)
	if !ok {
		return nil, fmt.Errorf("metrics of discovery are %T", options.Metrics)
	}
	l := &lookup{Config: *c, hosts: net.DefaultResolver.LookupHost, known: map[string]*targetgroup.Group{}}
	return refresh.NewDiscovery(refresh.Options{
		Logger: options.Logger, Mech: mechanism, Interval: period, RefreshF: l.refresh, MetricsInstantiator: m.RefreshMetricsInstantiator,
	}), nil
}

// lookup remembers what it has found: pods whose name is not known for a while, or that are all gone, are still asked, so that alerts tell of them.
type lookup struct {
	Config
	hosts func(context.Context, string) ([]string, error)
	known map[string]*targetgroup.Group
}

// refresh returns a group per name. A name that was never known has a target without an address, the name itself: it is down.
func (l *lookup) refresh(ctx context.Context) (groups []*targetgroup.Group, _ error) {
	for _, name := range l.Names {
		addresses, err := l.hosts(ctx, name)
		switch {
		case err == nil && len(addresses) > 0:
			l.known[name] = l.group(name, addresses)
		case l.known[name] == nil:
			groups = append(groups, l.group(name, []string{name}))
			continue
		}
		groups = append(groups, l.known[name])
	}
	return groups, nil
}

func (l *lookup) group(name string, addresses []string) *targetgroup.Group {
	slices.Sort(addresses)
	out := &targetgroup.Group{Source: name}
	for _, address := range addresses[:min(len(addresses), mostOfName)] {
		out.Targets = append(out.Targets, model.LabelSet{
			model.AddressLabel: model.LabelValue(net.JoinHostPort(address, strconv.Itoa(l.Port))), labelName: model.LabelValue(name),
		})
	}
	return out
}
