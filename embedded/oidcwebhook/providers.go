package oidcwebhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/apiserver/pkg/authentication/user"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// Keys of a user's extra values.
const (
	ExtraName = "gardener.cloud/authenticator/name"
	ExtraUID  = "gardener.cloud/authenticator/uid"
)

// providers are those of the cluster, by name of their object. It may be used by several goroutines.
type providers struct {
	// base ends all requests of all providers.
	base context.Context
	dial Dial

	lock sync.RWMutex
	all  map[string]*provider
}

func newProviders(base context.Context, dial Dial) *providers {
	return &providers{base: base, dial: dial, all: map[string]*provider{}}
}

// set makes a provider of the object. It changes nothing if it has made one of this very object. After an error the object
// has no provider, also not one of its former settings.
func (p *providers) set(object *oidcv1alpha1.OpenIDConnect) error {
	if known := p.get(object.Name); known != nil && known.uid == object.UID && known.generation == object.Generation {
		return nil
	}
	made, err := newProvider(p.base, object, p.dial)
	p.replace(object.Name, made)
	return err
}

// remove forgets a provider. Its tokens are invalid at once.
func (p *providers) remove(name string) { p.replace(name, nil) }

func (p *providers) get(name string) *provider {
	p.lock.RLock()
	defer p.lock.RUnlock()
	return p.all[name]
}

func (p *providers) replace(name string, with *provider) {
	p.lock.Lock()
	former := p.all[name]
	if delete(p.all, name); with != nil {
		p.all[name] = with
	}
	p.lock.Unlock()
	if former != nil {
		former.stop()
	}
}

// list is sorted by name, so that equal tokens get equal answers.
func (p *providers) list() []*provider {
	p.lock.RLock()
	defer p.lock.RUnlock()
	var out []*provider
	for _, name := range slices.Sorted(maps.Keys(p.all)) {
		out = append(out, p.all[name])
	}
	return out
}

// authenticate asks all providers. It returns nil if the token is invalid; the error says why if it is of a known issuer.
func (p *providers) authenticate(ctx context.Context, token string) (user.Info, error) {
	var errs []error
	for _, one := range p.list() {
		resp, ok, err := one.AuthenticateToken(ctx, token)
		if err != nil {
			errs = append(errs, fmt.Errorf("OpenIDConnect %s: %w", one.name, err))
		}
		if err != nil || !ok {
			continue
		}
		extra := maps.Clone(resp.User.GetExtra())
		if extra == nil {
			extra = map[string][]string{}
		}
		extra[ExtraName], extra[ExtraUID] = []string{one.name}, []string{string(one.uid)}
		return &user.DefaultInfo{Name: resp.User.GetName(), UID: resp.User.GetUID(), Groups: resp.User.GetGroups(), Extra: extra}, nil
	}
	return nil, errors.Join(errs...)
}
