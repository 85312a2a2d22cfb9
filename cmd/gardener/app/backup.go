package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/server"
)

const (
	etcdMain   = "etcd-main"
	backupPort = 8080
	// maxAnswer bounds what is read of an answer of the backup server.
	maxAnswer = 1 << 20
)

func newShootBackup(global *globalFlags) *cobra.Command {
	var (
		full    bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use: "backup NAME", Short: "Back up the etcd of a shoot now", Args: cobra.ExactArgs(1), ValidArgsFunction: completeShoots(global),
		Long: `Back up the etcd of a shoot now: all changes since the last snapshot, or everything with --full.`,
		Example: `  gardener shoot backup sun
  gardener shoot backup sun --full`,
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			made, err := backUp(ctx, l, key, full)
			switch {
			case err != nil:
				return err
			case made == nil:
				fmt.Fprintf(cmd.OutOrStdout(), "shoot %s has not changed since its last backup\n", key)
			default:
				fmt.Fprintf(cmd.OutOrStdout(), "shoot %s is backed up to revision %d: %s, %d bytes\n", key, made.LastRevision, made.SnapName, made.Size)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "store everything, not only what has changed")
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Minute, "how long the backup may take")
	return cmd
}

// backUp asks the backup server of the shoot's etcd for a snapshot. It returns nil if there was nothing to store.
func backUp(ctx context.Context, l *landscape, key types.NamespacedName, full bool) (*server.Snapshot, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	shoot := &gardencorev1beta1.Shoot{}
	if err := garden.Get(ctx, key, shoot); apierrors.IsNotFound(err) {
		return nil, shootNotFound(key.Namespace, key.Name)
	} else if err != nil {
		return nil, fmt.Errorf("read shoot %s: %w", key, err)
	}
	if asleep(shoot) {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("shoot %s sleeps: its etcd does not run", key), hint: "it was backed up when it fell asleep"}
	}
	seed, err := l.seed(ctx, ptr.Deref(shoot.Status.SeedName, ""))
	if err != nil {
		return nil, err
	}
	member, err := findMember(ctx, seed, shoot.Status.TechnicalID)
	if err != nil {
		return nil, fmt.Errorf("shoot %s: %w", key, err)
	}
	return member.take(ctx, full)
}

// seed returns a client for a seed of the landscape.
func (l *landscape) seed(ctx context.Context, name string) (client.Client, error) {
	paths := l.paths
	if name != l.Seed.Name {
		paths = l.paths.Seed(name)
	}
	config, err := clientcmd.BuildConfigFromFlags("", paths.Kubeconfig(seedKubeconfig))
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of seed %q: %w", name, err)
	}
	if config, err = withoutPlugin(ctx, config); err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// backupMember is the backup server of an etcd.
type backupMember struct {
	address string
	tls     *tls.Config
}

// findMember finds the backup server by the objects of the seed. Pods of embedded seeds have addresses of this machine.
func findMember(ctx context.Context, seed client.Reader, namespace string) (*backupMember, error) {
	named := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: namespace, Name: name} }
	etcd, pod := &druidv1alpha1.Etcd{}, &corev1.Pod{}
	if err := seed.Get(ctx, named(etcdMain), etcd); err != nil {
		return nil, fmt.Errorf("read its etcd: %w", err)
	}
	if !backsUp(etcd) {
		return nil, errors.New("its etcd is not backed up: only shoots on embedded seeds are")
	}
	if err := seed.Get(ctx, named(etcdMain+"-0"), pod); err != nil || pod.Status.PodIP == "" {
		return nil, errors.Join(errors.New("its etcd does not run"), err)
	}
	ca, own, refs := &corev1.Secret{}, &corev1.Secret{}, etcd.Spec.Backup.TLS
	if refs == nil {
		return nil, errors.New("its backup server has no certificate")
	}
	err := errors.Join(seed.Get(ctx, named(refs.TLSCASecretRef.Name), ca), seed.Get(ctx, named(refs.ClientTLSSecretRef.Name), own))
	if err != nil {
		return nil, fmt.Errorf("read certificates of its etcd: %w", err)
	}
	certificate, err := tls.X509KeyPair(own.Data[corev1.TLSCertKey], own.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, fmt.Errorf("certificate for its etcd: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.Data[ptr.Deref(refs.TLSCASecretRef.DataKey, "ca.crt")])
	port := int(ptr.Deref(etcd.Spec.Backup.Port, backupPort))
	return &backupMember{
		address: net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(port)),
		tls: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{certificate}, ServerName: etcdMain + "-client." + namespace + ".svc",
		},
	}, nil
}

// backsUp tells whether druid claims anything about backups of the etcd.
func backsUp(etcd *druidv1alpha1.Etcd) bool {
	for _, condition := range etcd.Status.Conditions {
		if condition.Type == druidv1alpha1.ConditionTypeBackupReady {
			return true
		}
	}
	return false
}

func (m *backupMember) take(ctx context.Context, full bool) (*server.Snapshot, error) {
	kind := "delta"
	if full {
		kind = "full"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+m.address+"/snapshot/"+kind, nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: m.tls}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for a backup: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	if err != nil {
		return nil, fmt.Errorf("ask for a backup: %w", err)
	}
	var made *server.Snapshot // null means that there was nothing to store
	if err := json.Unmarshal(body, &made); err != nil {
		return nil, fmt.Errorf("read the answer of the backup server: %w", err)
	}
	return made, nil
}
