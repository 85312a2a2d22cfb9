package app

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/federation"
)

func newMetrics(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "metrics", GroupID: "use", Short: "Tell where Prometheus finds the metrics of the landscape",
		Long: `Tell where Prometheus finds the metrics of the garden, of all seeds and of the control planes and nodes of all shoots. One URL serves
all of them, for a token. The parameter scope of the URL narrows them to the garden, one seed or one shoot, name[] to some names.
Users of a shoot read the metrics of their shoot with the user name and the password in the Secret <shoot>.monitoring, which also has
the URL. docs/monitoring.md describes the labels, and examples/monitoring has dashboards and alert rules.`,
		Example: `  gardener metrics
  gardener metrics scrape-config > prometheus.yml
  gardener metrics get --scope garden --name 'etcd_*'`,
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, at, err := reachMetrics(cmd, global)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), at.url)
		return err
	}
	cmd.AddCommand(newMetricsGet(global), newMetricsToken(global), newMetricsScrapeConfig(global))
	return cmd
}

func newMetricsGet(global *globalFlags) *cobra.Command {
	var scope string
	var names []string
	cmd := &cobra.Command{
		Use: "get", Short: "Print metrics of the landscape, in the text format of Prometheus", Args: needsNone,
		Long: `Print metrics of the landscape, in the text format of Prometheus. Comments at the end say which servers did not answer, and why.`,
		Example: `  gardener metrics get --scope garden
  gardener metrics get --scope shoot/garden-local/sun --name apiserver_request_total --name 'etcd_*'
  gardener metrics get --name up`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := federation.ParseScope(scope)
			if err != nil {
				return usageError(fmt.Errorf("--scope cannot be %q", scope), `--scope takes "garden", "seed/NAME" or "shoot/NAMESPACE/NAME"`)
			}
			l, at, err := reachMetrics(cmd, global)
			if err != nil {
				return err
			}
			token, err := metricsToken(cmd.Context(), l, shortestToken)
			if err != nil {
				return err
			}
			body, err := at.get(cmd.Context(), token, wanted, names)
			if err != nil {
				return err
			}
			defer func() { _ = body.Close() }()
			_, err = io.Copy(cmd.OutOrStdout(), body)
			return err
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only of garden, seed/NAME or shoot/NAMESPACE/NAME; by default of everything")
	cmd.Flags().StringArrayVar(&names, "name", nil, "only metrics with this name; a * at the end stands for everything with this beginning; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("scope", completeScopes(global))
	return cmd
}

func newMetricsToken(global *globalFlags) *cobra.Command {
	expiration := usualToken
	cmd := &cobra.Command{
		Use: "token", Short: "Print a token for the metrics of the landscape", Args: needsNone,
		Long: `Print a token for the metrics of the landscape. It gives access to nothing else. It is of the service account landscape-metrics in
the namespace garden of the garden; to revoke all tokens, delete the service account and start the landscape again.`,
		Example: `  gardener metrics token > metrics.token
  gardener metrics token --expiration 24h > metrics.token`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkToken(expiration); err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			token, err := metricsToken(cmd.Context(), l, expiration)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			return err
		},
	}
	addTokenExpiration(cmd, &expiration)
	return cmd
}

// completeScopes completes what --scope takes.
func completeScopes(global *globalFlags) cobra.CompletionFunc {
	return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		in, err := l.askSeeds(ctx, completionTimeout)
		if err != nil {
			return nil, err
		}
		out := []string{federation.Garden}
		for _, seed := range in.seeds.Items {
			out = append(out, federation.Scope{Kind: federation.Seed, Name: seed.Name}.String())
		}
		for _, shoot := range in.shoots.Items {
			out = append(out, federation.Scope{Kind: federation.Shoot, Namespace: shoot.Namespace, Name: shoot.Name}.String())
		}
		return out, nil
	})
}
