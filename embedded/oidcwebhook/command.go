package oidcwebhook

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// Name of the component.
const Name = "oidc-webhook-authenticator"

// Command is the component: a webhook for the authentication of an API server. It ends when the context of the command does.
func Command() *cobra.Command {
	c, hosts, refused, private := Config{}, []string{}, []string{}, []string{}
	cmd := &cobra.Command{
		Use: Name, Short: "Verify tokens of the identity providers that OpenIDConnects name", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rules := guardeddial.Rules{Hosts: hosts}
			var err error
			if rules.Refused, err = prefixes(refused); err != nil {
				return fmt.Errorf("--refused-ranges: %w", err)
			}
			if rules.Private, err = prefixes(private); err != nil {
				return fmt.Errorf("--private-networks: %w", err)
			}
			c.Dial, c.Log = rules.DialContext, log.Log.WithName(Name)
			return Run(cmd.Context(), c)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the OpenIDConnects")
	flags.IPVar(&c.BindAddress, "bind-address", net.IPv4zero, "IP address to listen on")
	flags.IntVar(&c.Port, "secure-port", 10443, "port to serve HTTPS on")
	flags.StringVar(&c.CertFile, "tls-cert-file", "", "certificate to serve with")
	flags.StringVar(&c.KeyFile, "tls-private-key-file", "", "key of the certificate")
	flags.StringSliceVar(&hosts, "allowed-issuer-hosts", nil, "names of issuers that may have any address, even one of this machine; * stands for any text")
	flags.StringSliceVar(&refused, "refused-ranges", nil, "further ranges of addresses that issuers must not have")
	flags.StringSliceVar(&private, "private-networks", nil, "private networks that issuers may be in")
	for _, required := range []string{"kubeconfig", "tls-cert-file", "tls-private-key-file"} {
		_ = cmd.MarkFlagRequired(required) // fails only if the flag does not exist
	}
	return cmd
}

func prefixes(texts []string) (out []netip.Prefix, _ error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		out = append(out, prefix)
	}
	return out, nil
}
