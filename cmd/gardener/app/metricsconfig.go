package app

import (
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// prometheusConfig is the part of a configuration of Prometheus that is needed here.
type prometheusConfig struct {
	ScrapeConfigs []scrapeConfig `json:"scrape_configs"`
}

type scrapeConfig struct {
	JobName  string `json:"job_name"`
	Scheme   string `json:"scheme"`
	Path     string `json:"metrics_path"`
	Interval string `json:"scrape_interval"`
	Timeout  string `json:"scrape_timeout"`
	// HonorLabels keeps the labels cluster, job and instance.
	HonorLabels   bool           `json:"honor_labels"`
	Authorization authorization  `json:"authorization"`
	TLS           tlsConfig      `json:"tls_config"`
	Static        []staticConfig `json:"static_configs"`
}

type authorization struct {
	Credentials     string `json:"credentials,omitempty"`
	CredentialsFile string `json:"credentials_file,omitempty"`
}

type tlsConfig struct {
	CA         string `json:"ca"`
	ServerName string `json:"server_name,omitempty"`
}

type staticConfig struct {
	Targets []string `json:"targets"`
}

// scrapeConfigOf fits the times that the landscape takes at most.
func scrapeConfigOf(at metricsAddress, login authorization) prometheusConfig {
	return prometheusConfig{ScrapeConfigs: []scrapeConfig{{
		JobName: "gardener", Scheme: "https", Path: at.url.Path, Interval: "30s", Timeout: "20s", HonorLabels: true,
		Authorization: login, TLS: tlsConfig{CA: string(at.ca), ServerName: at.serverName}, Static: []staticConfig{{Targets: []string{at.dial}}},
	}}}
}

func newMetricsScrapeConfig(global *globalFlags) *cobra.Command {
	var file string
	expiration := usualToken
	cmd := &cobra.Command{
		Use: "scrape-config", Short: "Print a configuration for Prometheus", Args: needsNone,
		Long: `Print a configuration for Prometheus that scrapes the whole landscape. It holds a token, which is a secret and expires. With
--token-file it names a file instead, which Prometheus reads again each time; "gardener metrics token" writes a new one into it.`,
		Example: `  gardener metrics scrape-config > prometheus.yml
  gardener metrics scrape-config --token-file /etc/prometheus/metrics.token > prometheus.yml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkToken(expiration); err != nil {
				return err
			}
			l, at, err := reachMetrics(cmd, global)
			if err != nil {
				return err
			}
			login := authorization{CredentialsFile: file}
			if file == "" {
				if login.Credentials, err = metricsToken(cmd.Context(), l, expiration); err != nil {
					return err
				}
			}
			text, err := yaml.Marshal(scrapeConfigOf(at, login))
			if err != nil {
				return fmt.Errorf("write the configuration: %w", err)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	addTokenExpiration(cmd, &expiration)
	cmd.Flags().StringVar(&file, "token-file", "", "name this file of a token instead of a token")
	cmd.MarkFlagsMutuallyExclusive("expiration", "token-file")
	_ = cmd.MarkFlagFilename("token-file")
	return cmd
}
