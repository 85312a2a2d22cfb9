// Package nodes discovers the nodes of a cluster. It is the role node of Prometheus' kubernetes_sd_configs, with the same keys and labels, but without
// the client library of Kubernetes, which would double the size of the program. Of a node it keeps the name and the address only: users of
// the cluster write everything else, as much as they like.
package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/discovery/refresh"
	"github.com/prometheus/prometheus/discovery/targetgroup"
)

// Bounds of a list of nodes.
const (
	period     = 15 * time.Second
	pageSize   = 50
	mostNodes  = 500
	longest    = 64 << 20 // bytes that are read of a page, one node at a time
	labelStart = model.MetaLabelPrefix + "kubernetes_node_"
)

const mechanism = "kubernetes"

// internalIP is the type of the address that is kept.
const internalIP = "InternalIP"

func init() { discovery.RegisterConfig(&Config{}) }

// Config is one of kubernetes_sd_configs.
type Config struct {
	APIServer        config.URL              `yaml:"api_server"`
	Role             string                  `yaml:"role"`
	HTTPClientConfig config.HTTPClientConfig `yaml:",inline"`
}

// UnmarshalYAML checks the configuration.
func (c *Config) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Config
	*c = Config{HTTPClientConfig: config.DefaultHTTPClientConfig}
	if err := unmarshal((*plain)(c)); err != nil {
		return err
	}
	if c.Role != "node" {
		return fmt.Errorf("role %q is not built in, only node", c.Role)
	}
	if c.APIServer.URL == nil {
		return errors.New("api_server is required")
	}
	return c.HTTPClientConfig.Validate()
}

// Name is that of discovery.Config.
func (*Config) Name() string { return mechanism }

// SetDirectory makes paths absolute.
func (c *Config) SetDirectory(dir string) { c.HTTPClientConfig.SetDirectory(dir) }

// NewDiscovererMetrics has none beside those that all have.
func (*Config) NewDiscovererMetrics(_ prometheus.Registerer, rmi discovery.RefreshMetricsInstantiator) discovery.DiscovererMetrics {
	return &metrics{rmi}
}

type metrics struct {
	discovery.RefreshMetricsInstantiator
}

func (*metrics) Register() error { return nil }
func (*metrics) Unregister()     {}

// NewDiscoverer lists the nodes again and again.
func (c *Config) NewDiscoverer(options discovery.DiscovererOptions) (discovery.Discoverer, error) {
	m, ok := options.Metrics.(*metrics)
	if !ok {
		return nil, fmt.Errorf("metrics of discovery are %T", options.Metrics)
	}
	client, err := config.NewClientFromConfig(c.HTTPClientConfig, "kubernetes_sd")
	if err != nil {
		return nil, err
	}
	client.Timeout = period
	l := &lister{client: client, server: c.APIServer.URL}
	return refresh.NewDiscovery(refresh.Options{
		Logger: options.Logger, Mech: mechanism, Interval: period, RefreshF: l.refresh, MetricsInstantiator: m.RefreshMetricsInstantiator,
	}), nil
}

type lister struct {
	client *http.Client
	server *url.URL
}

// list is what is kept of a NodeList.
type list struct {
	next  string
	items []model.LabelSet
}

type node struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Addresses []struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		} `json:"addresses"`
		DaemonEndpoints struct {
			KubeletEndpoint struct {
				Port int `json:"Port"`
			} `json:"kubeletEndpoint"`
		} `json:"daemonEndpoints"`
	} `json:"status"`
}

func (l *lister) refresh(ctx context.Context) ([]*targetgroup.Group, error) {
	group := &targetgroup.Group{Source: "nodes"}
	for next := ""; ; {
		page, err := l.page(ctx, next)
		if err != nil {
			return nil, fmt.Errorf("list nodes: %w", err)
		}
		group.Targets = append(group.Targets, page.items...)
		if len(group.Targets) >= mostNodes {
			group.Targets, page.next = group.Targets[:mostNodes], ""
		}
		if next = page.next; next == "" {
			return []*targetgroup.Group{group}, nil
		}
	}
}

func (l *lister) page(ctx context.Context, next string) (*list, error) {
	at := l.server.JoinPath("/api/v1/nodes")
	at.RawQuery = url.Values{"limit": {fmt.Sprint(pageSize)}, "continue": {next}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body := &io.LimitedReader{R: response.Body, N: longest}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(body, 300))
		return nil, fmt.Errorf("%s: %s", response.Status, text)
	}
	out := &list{}
	if err := out.read(json.NewDecoder(body)); err != nil && body.N > 0 {
		return nil, err
	}
	return out, nil // of a page that is too long, as much as was read: the next page begins behind it
}

// read decodes one node after the other. What comes before them says where the next page begins.
func (l *list) read(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		switch key {
		case "metadata":
			var metadata struct {
				Continue string `json:"continue"`
			}
			err = decoder.Decode(&metadata)
			l.next = metadata.Continue
		case "items":
			err = l.readItems(decoder)
		default:
			err = decoder.Decode(&json.RawMessage{})
		}
		if err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

func (l *list) readItems(decoder *json.Decoder) error {
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return err // null is empty
	}
	for decoder.More() {
		var one node
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		l.items = append(l.items, one.target())
	}
	_, err := decoder.Token()
	return err
}

// target is the kubelet. Most configurations replace its address by that of the API server.
func (n node) target() model.LabelSet {
	out := model.LabelSet{model.InstanceLabel: model.LabelValue(n.Metadata.Name), labelStart + "name": model.LabelValue(n.Metadata.Name)}
	address := n.Metadata.Name
	for _, one := range n.Status.Addresses {
		if one.Type != internalIP {
			continue
		}
		if _, err := netip.ParseAddr(one.Address); err == nil {
			address, out[labelStart+"address_"+internalIP] = one.Address, model.LabelValue(one.Address)
			break
		}
	}
	out[model.AddressLabel] = model.LabelValue(net.JoinHostPort(address, strconv.Itoa(n.Status.DaemonEndpoints.KubeletEndpoint.Port)))
	return out
}
