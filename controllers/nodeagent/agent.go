package nodeagent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/apply"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	// lookPeriod is the interval for reading the Secret when no watch event arrives.
	lookPeriod = 30 * time.Second
	// retryPeriod is the pause after a failure.
	retryPeriod = 5 * time.Second
)

// ErrRestart is returned by Run if the agent's own service has changed. The agent must then be restarted.
var ErrRestart = errors.New("the service of the node agent has changed")

// Agent maintains one machine.
type Agent struct {
	// Config of the machine.
	Config config.Configuration
	// NodeName is the name of the machine's Node, HostName its host name.
	NodeName, HostName string
	// Client of the machine's cluster.
	Client kubernetes.Interface
	// Apply applies a content to the machine.
	Apply func(context.Context, apply.Content, *apply.Content) (apply.Result, error)
	// Files of the machine that the agent keeps for itself.
	Files Files
	// Led means that somebody else leads the updates of the machine in place, and reports their results.
	Led bool
	// Retry is the pause after a failure; default 5s.
	Retry time.Duration
	// Clock for periods.
	Clock clock.Clock
	// Log reports what happens.
	Log logr.Logger

	applied      string    // checksum of the configuration applied last
	lastCompared time.Time // when the machine was compared last
	lastTokens   time.Time
	inPlace      bool // the configuration is one for updates in place
}

// Run works until ctx ends or ErrRestart occurs.
func (a *Agent) Run(ctx context.Context) error {
	complained := ""
	for ctx.Err() == nil {
		version, err := a.Look(ctx)
		switch {
		case errors.Is(err, ErrRestart):
			return err
		case err != nil:
			if complained != err.Error() {
				a.Log.Error(err, "Could not bring this machine up to date")
			}
			complained = err.Error()
			a.sleep(ctx, a.retry())
		default:
			complained = ""
			a.awaitChange(ctx, version)
		}
	}
	return nil
}

// Look reads the configuration of the machine and applies it if it has changed or if the last comparison is too old. It
// returns the resource version that it read.
func (a *Agent) Look(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	wanted := a.Config.Controllers.OperatingSystemConfig
	secret, err := a.Client.CoreV1().Secrets(metav1.NamespaceSystem).Get(ctx, wanted.SecretName, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", wanted.SecretName, err)
	}
	data := secret.Data[config.DataKey]
	if len(data) == 0 {
		return "", fmt.Errorf("secret %s has no key %s", wanted.SecretName, config.DataKey)
	}
	sum := sha256.Sum256(data)
	checksum := hex.EncodeToString(sum[:])
	// A rotation changes the configuration, and its end makes older tokens useless.
	if err := a.syncTokens(ctx, a.applied != checksum); err != nil {
		return "", err
	}
	if a.applied != checksum || a.Clock.Since(a.lastCompared) >= wanted.SyncPeriod.Duration {
		if applied, err := a.bring(ctx, data, checksum); err != nil {
			return "", err
		} else if !applied {
			return secret.ResourceVersion, nil
		}
	} else if a.inPlace {
		if err := a.confirm(ctx, data); err != nil {
			return "", err
		}
	}
	return secret.ResourceVersion, a.keepAnnounced(ctx, checksum)
}

// keepAnnounced announces a configuration, also when the Node is another one or has lost the announcement.
func (a *Agent) keepAnnounced(ctx context.Context, checksum string) error {
	node, err := a.Client.CoreV1().Nodes().Get(ctx, a.NodeName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read node %s: %w", a.NodeName, err)
	}
	if node.Annotations[config.AnnotationChecksum] == checksum {
		return nil
	}
	return a.announce(ctx, checksum)
}

// bring applies a configuration, and reports whether it has: a configuration for an update in place waits until the machine may be
// updated.
func (a *Agent) bring(ctx context.Context, data []byte, checksum string) (bool, error) {
	osc, err := Decode(data)
	if err != nil {
		return false, err
	}
	former, before, err := a.before()
	if err != nil {
		return false, err
	}
	gate, err := a.gate(ctx, osc, former)
	if err != nil || gate.closed() {
		return false, err
	}
	result, err := a.Apply(ctx, apply.ContentOf(osc, a.HostName), before)
	if err != nil {
		err = fmt.Errorf("apply operating system config: %w", err)
		return false, errors.Join(err, a.report(ctx, gate, err))
	}
	if err := a.Files.Write(config.PathLastApplied, data); err != nil {
		return false, fmt.Errorf("remember what was applied: %w", err)
	}
	if err := a.report(ctx, gate, nil); err != nil {
		return false, err
	}
	if len(result.Changed)+len(result.Restarted) > 0 {
		a.Log.Info("Brought this machine up to date", "changed", result.Changed, "restarted", result.Restarted)
	}
	a.applied, a.lastCompared = checksum, a.Clock.Now()
	if result.Self {
		return true, errors.Join(ErrRestart, a.announce(ctx, checksum))
	}
	return true, nil
}

// before returns the configuration applied last, and its content. Both are nil on a new machine. The configuration is nil and the
// content is empty if the file is unreadable.
func (a *Agent) before() (*extensionsv1alpha1.OperatingSystemConfig, *apply.Content, error) {
	data, err := a.Files.Read(config.PathLastApplied)
	if err != nil || len(data) == 0 {
		return nil, nil, err
	}
	osc, err := Decode(data)
	if err != nil {
		a.Log.Error(err, "What was applied last cannot be read")
		return nil, &apply.Content{}, nil
	}
	content := apply.ContentOf(osc, a.HostName)
	return osc, &content, nil
}

// announce writes to the Node which configuration its machine has. The kubelet may not have registered the Node yet.
func (a *Agent) announce(ctx context.Context, checksum string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, config.AnnotationChecksum, checksum)
	if _, err := a.Client.CoreV1().Nodes().Patch(ctx, a.NodeName, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("annotate node %s: %w", a.NodeName, err)
	}
	return nil
}

// syncTokens writes tokens to their files if they are due, or now.
func (a *Agent) syncTokens(ctx context.Context, now bool) error {
	settings := a.Config.Controllers.Token
	if !now && !a.lastTokens.IsZero() && a.Clock.Since(a.lastTokens) < settings.SyncPeriod.Duration {
		return nil
	}
	for _, sync := range settings.SyncConfigs {
		if err := a.syncToken(ctx, sync); err != nil {
			return err
		}
	}
	a.lastTokens = a.Clock.Now()
	return nil
}

func (a *Agent) syncToken(ctx context.Context, sync config.TokenSync) error {
	secret, err := a.Client.CoreV1().Secrets(metav1.NamespaceSystem).Get(ctx, sync.SecretName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read token in secret %s: %w", sync.SecretName, err)
	}
	token := secret.Data["token"]
	if len(token) == 0 {
		return fmt.Errorf("secret %s has no token yet", sync.SecretName)
	}
	if err := a.Files.Write(sync.Path, token); err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	return nil
}

// awaitChange waits until the Secret changes, for at most the time of pace.
func (a *Agent) awaitChange(ctx context.Context, version string) {
	name := a.Config.Controllers.OperatingSystemConfig.SecretName
	seconds := int64(a.pace().Seconds())
	ctx, cancel := context.WithTimeout(ctx, a.pace())
	defer cancel()
	watch, err := a.Client.CoreV1().Secrets(metav1.NamespaceSystem).Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(), ResourceVersion: version, TimeoutSeconds: &seconds,
	})
	if err != nil {
		a.sleep(ctx, a.retry())
		return
	}
	defer watch.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-watch.ResultChan():
			if !open {
				a.sleep(ctx, time.Second) // avoid a busy loop if a server ends watches at once
				return
			}
			if secret, ok := event.Object.(*corev1.Secret); !ok || secret.ResourceVersion != version {
				return
			}
		}
	}
}

func (a *Agent) retry() time.Duration { return cmp.Or(a.Retry, retryPeriod) }

func (a *Agent) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-a.Clock.After(d):
	}
}

// Decode reads an OperatingSystemConfig in the form that the gardenlet writes for node agents.
func Decode(data []byte) (*extensionsv1alpha1.OperatingSystemConfig, error) {
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	if err := unmarshal(data, osc); err != nil {
		return nil, fmt.Errorf("read operating system config: %w", err)
	}
	return osc, nil
}
