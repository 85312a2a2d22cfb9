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
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
)

// interval for looking at the claims and volumes in memory, which are watched.
const interval = time.Second

// server for the claims of one node.
type server struct {
	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	node    string
	dir     string // same path on the node and in the container
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
	factory := informers.NewSharedInformerFactory(s.client, 0)
	s.claims, s.volumes = factory.Core().V1().PersistentVolumeClaims().Lister(), factory.Core().V1().PersistentVolumes().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
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
	claims, err := s.claims.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list claims: %w", err)
	}
	for _, claim := range claims {
		if waits(claim, s.node) {
			if err := s.provision(ctx, claim); err != nil {
				return err
			}
		}
	}
	volumes, err := s.volumes.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list volumes: %w", err)
	}
	for _, pv := range volumes {
		if released(pv, s.node) {
			if err := s.remove(ctx, pv); err != nil {
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
