// Command volumes gives each PersistentVolumeClaim of a test cluster a directory of the node, for environments without
// the provisioner of kindest/node. It runs on every node and serves claims whose pod was scheduled there. It does not
// enforce sizes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// interval for listing claims and volumes.
const interval = time.Second

// server for the claims of one node.
type server struct {
	client kubernetes.Interface
	node   string
	dir    string // same path on the node and in the container
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := server{}
	flag.StringVar(&s.node, "node", "", "name of the node this runs on")
	flag.StringVar(&s.dir, "dir", "/var/local-path-provisioner", "directory of the node for volumes")
	flag.Parse()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "volumes:", err)
		os.Exit(1)
	}
}

func (s server) run(ctx context.Context) error {
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("read service account: %w", err)
	}
	if s.client, err = kubernetes.NewForConfig(cfg); err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	for ticker := time.NewTicker(interval); ; {
		if err := s.sync(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "volumes:", err) // the next round retries
		}
		select {
		case <-ctx.Done():
			ticker.Stop()
			return nil
		case <-ticker.C:
		}
	}
}

func (s server) sync(ctx context.Context) error {
	cached := metav1.ListOptions{ResourceVersion: "0"}
	claims, err := s.client.CoreV1().PersistentVolumeClaims("").List(ctx, cached)
	if err != nil {
		return fmt.Errorf("list claims: %w", err)
	}
	for i := range claims.Items {
		if waits(&claims.Items[i], s.node) {
			if err := s.provision(ctx, &claims.Items[i]); err != nil {
				return err
			}
		}
	}
	volumes, err := s.client.CoreV1().PersistentVolumes().List(ctx, cached)
	if err != nil {
		return fmt.Errorf("list volumes: %w", err)
	}
	for i := range volumes.Items {
		if released(&volumes.Items[i], s.node) {
			if err := s.remove(ctx, &volumes.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// provision creates the directory before the volume, so that no pod finds a volume without a directory.
func (s server) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	pv := volume(claim, s.node, s.dir)
	path := pv.Spec.HostPath.Path
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	if err := os.Chmod(path, 0o777); err != nil { // for a pod with any user
		return fmt.Errorf("open directory: %w", err)
	}
	_, err := s.client.CoreV1().PersistentVolumes().Create(ctx, pv, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create volume for %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

func (s server) remove(ctx context.Context, pv *corev1.PersistentVolume) error {
	if err := os.RemoveAll(filepath.Join(s.dir, pv.Name)); err != nil {
		return fmt.Errorf("remove directory: %w", err)
	}
	err := s.client.CoreV1().PersistentVolumes().Delete(ctx, pv.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pv.UID))})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete volume %s: %w", pv.Name, err)
	}
	return nil
}
