package protection

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// renewal is the interval for writing the policy again, which somebody may have changed, and again that after a failure.
	renewal = 5 * time.Minute
	again   = 5 * time.Second
)

// Keeper keeps the policy while its druid runs. It is a runnable of a manager.
type Keeper struct {
	Member *Member
	// Client is not cached.
	Client client.Client
	// Config is that of the druid's client: its user is the druid.
	Config *rest.Config
	// Enabled protects the objects of Etcds. Otherwise the druid leaves a policy that it has joined before.
	Enabled bool
}

// Start joins the policy, and keeps it until ctx ends. The policy stays then: its druid only rests.
func (k Keeper) Start(ctx context.Context) error {
	k.Member.returns()
	for {
		pause := renewal
		err := k.keep(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			log.FromContext(ctx).Error(err, "Cannot write the policy for the objects of Etcds", "protects", k.Enabled)
			pause = again
		case !k.Enabled:
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

func (k Keeper) keep(ctx context.Context) error {
	if !k.Enabled {
		return k.Member.Leave(ctx, k.Client)
	}
	asks, err := authentication.NewForConfig(k.Config)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	self, err := asks.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("ask who the druid is: %w", err)
	}
	return k.Member.Join(ctx, k.Client, self.Status.UserInfo.Username)
}
