// Package backupserver asks the backup server of an etcd for snapshots, wherever its pods run. It knows an etcd by the objects of its
// seed.
package backupserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podreach"
)

const defaultPort = 8080

// Errors of Connect that do not go away by trying again at once.
var (
	// ErrNoBackups means that the members of the etcd make no backups.
	ErrNoBackups = errors.New("its etcd is not backed up: the nodes of its seed do not have the directory for backups")
	// ErrNotRunning means that the member has no pod.
	ErrNotRunning = errors.New("its etcd does not run")
)

// Connection is a way to the backup server of a member of an etcd. Close ends it.
type Connection struct {
	address   string
	transport *http.Transport
	end       func()
}

// Connect finds the backup server of the member that makes backups. The configuration is that of the seed's API server, which forwards to pods in a network of their own.
func Connect(ctx context.Context, seed client.Reader, config *rest.Config, key types.NamespacedName) (*Connection, error) {
	etcd, err := backedUp(ctx, seed, key)
	if err != nil {
		return nil, err
	}
	return connect(ctx, seed, config, etcd, leader(etcd))
}

// ConnectAll finds the backup servers of all members that run, as Connect does.
func ConnectAll(ctx context.Context, seed client.Reader, config *rest.Config, key types.NamespacedName) ([]*Connection, error) {
	etcd, err := backedUp(ctx, seed, key)
	if err != nil {
		return nil, err
	}
	var found []*Connection
	failed := []error{ErrNotRunning}
	for i := range etcd.Spec.Replicas {
		connection, err := connect(ctx, seed, config, etcd, fmt.Sprintf("%s-%d", etcd.Name, i))
		if err != nil {
			failed = append(failed, err)
			continue
		}
		found = append(found, connection)
	}
	if len(found) == 0 {
		return nil, errors.Join(failed...)
	}
	return found, nil
}

func backedUp(ctx context.Context, seed client.Reader, key types.NamespacedName) (*druidv1alpha1.Etcd, error) {
	etcd := &druidv1alpha1.Etcd{}
	if err := seed.Get(ctx, key, etcd); err != nil {
		return nil, fmt.Errorf("read its etcd: %w", err)
	}
	if !BacksUp(etcd) {
		return nil, ErrNoBackups
	}
	return etcd, nil
}

// connect finds the backup server of a member.
func connect(ctx context.Context, seed client.Reader, config *rest.Config, etcd *druidv1alpha1.Etcd, member string) (*Connection, error) {
	pod, name := &corev1.Pod{}, types.NamespacedName{Namespace: etcd.Namespace, Name: member}
	if err := seed.Get(ctx, name, pod); err != nil || pod.Status.PodIP == "" {
		return nil, errors.Join(ErrNotRunning, client.IgnoreNotFound(err))
	}
	secured, err := tlsOf(ctx, seed, etcd)
	if err != nil {
		return nil, err
	}
	address, end, err := podreach.Reach(ctx, config, name, pod.Status.PodIP, strconv.Itoa(int(ptr.Deref(etcd.Spec.Backup.Port, defaultPort))))
	if err != nil {
		return nil, err
	}
	return &Connection{address: address, transport: &http.Transport{TLSClientConfig: secured}, end: end}, nil
}

// BacksUp tells whether druid claims anything about backups of the etcd.
func BacksUp(etcd *druidv1alpha1.Etcd) bool {
	for _, condition := range etcd.Status.Conditions {
		if condition.Type == druidv1alpha1.ConditionTypeBackupReady {
			return true
		}
	}
	return false
}

// leader is the member that makes backups: the first one until it is known.
func leader(etcd *druidv1alpha1.Etcd) string {
	for _, member := range etcd.Status.Members {
		if ptr.Deref(member.Role, "") == druidv1alpha1.EtcdRoleLeader {
			return member.Name
		}
	}
	return etcd.Name + "-0"
}

// tlsOf reads the certificates that the Etcd names. The server is the one that clients of the Service verify.
func tlsOf(ctx context.Context, seed client.Reader, etcd *druidv1alpha1.Etcd) (*tls.Config, error) {
	refs := etcd.Spec.Backup.TLS
	if refs == nil {
		return nil, errors.New("its backup server has no certificate")
	}
	ca, own := &corev1.Secret{}, &corev1.Secret{}
	named := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: etcd.Namespace, Name: name}
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
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{certificate}, ServerName: etcd.Name + "-client." + etcd.Namespace + ".svc",
	}, nil
}

// Close ends the connection.
func (c *Connection) Close() {
	c.transport.CloseIdleConnections()
	c.end()
}
