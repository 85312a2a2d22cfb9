package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// clientValidity is how long certificates of clients are valid. Clients request new ones when they end.
const clientValidity = time.Hour

// newCredential makes the verb that kubeconfigs of operators name: a credential plugin of kubectl and other clients.
func newCredential(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:     servers.CredentialVerb + " garden|seed",
		Example: `  gardener credential garden`,
		GroupID: "use", Short: "Print a credential for kubectl; kubeconfigs of the landscape name this command",
		Long: `Kubeconfigs of a landscape contain no credential. They name this command, which asks the running landscape for a
client certificate of an hour, and prints it as an ExecCredential (client.authentication.k8s.io/v1).
Only the user who runs the landscape can do that.`,
		Args: needs("the name of the cluster, garden or seed"), ValidArgs: []string{pki.GardenCluster, pki.SeedCluster},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := global.stateDir
			if root == "" {
				l, err := global.load(nil)
				if err != nil {
					return err
				}
				root = l.paths.Root()
			}
			credential, err := issued(cmd.Context(), root, args[0])
			if err != nil {
				return err
			}
			expires := metav1.NewTime(credential.Expires)
			return json.NewEncoder(cmd.OutOrStdout()).Encode(&clientauthentication.ExecCredential{
				TypeMeta: metav1.TypeMeta{APIVersion: clientauthentication.SchemeGroupVersion.String(), Kind: "ExecCredential"},
				Status: &clientauthentication.ExecCredentialStatus{
					ExpirationTimestamp: &expires, ClientCertificateData: string(credential.Cert), ClientKeyData: string(credential.Key),
				},
			})
		},
	}
}

// issued asks the process with this state directory for a credential.
func issued(ctx context.Context, root, cluster string) (daemon.Credential, error) {
	p, err := paths.New(root)
	if err != nil {
		return daemon.Credential{}, usageError(err, nameStateDir)
	}
	return credentialOf(ctx, p, daemon.CredentialRequest{Cluster: cluster, Expiration: clientValidity})
}

func credentialOf(ctx context.Context, p paths.Paths, request daemon.CredentialRequest) (daemon.Credential, error) {
	pid, err := daemon.Holder(p.Lock())
	if err != nil {
		return daemon.Credential{}, unreadable(err)
	}
	if pause, paused := state.Paused(p); paused && pid == 0 {
		return daemon.Credential{}, pausedError("the landscape in "+p.Root(), "gardener resume", pause)
	}
	if pid == 0 {
		return daemon.Credential{}, &exitError{code: codeNotRunning, err: fmt.Errorf("nothing runs with the state directory %s", p.Root()), hint: `start the landscape with "gardener up"`}
	}
	return daemon.NewClient(p.Run().Socket()).Credential(ctx, request)
}

// withoutPlugin returns a configuration that does not run this binary once more: if the plugin of the configuration is the
// verb credential, it does here what the verb does.
func withoutPlugin(ctx context.Context, config *rest.Config) (*rest.Config, error) {
	plugin := config.ExecProvider
	if plugin == nil || len(plugin.Args) != 4 || !slices.Equal([]string{plugin.Args[0], plugin.Args[2]}, []string{servers.CredentialVerb, "--state-dir"}) {
		return config, nil
	}
	credential, err := issued(ctx, plugin.Args[3], plugin.Args[1])
	if err != nil {
		return nil, errors.Join(errors.New("the kubeconfig asks the landscape for a credential"), err)
	}
	direct := rest.CopyConfig(config)
	direct.ExecProvider, direct.CertData, direct.KeyData = nil, credential.Cert, credential.Key
	return direct, nil
}
