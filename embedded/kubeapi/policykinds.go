package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/admission"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

const (
	// policyKindsPlugin is the name of an admission plugin that admits everything, see policyKinds.
	policyKindsPlugin = "PolicyKinds"
	policyKindsStep   = 200 * time.Millisecond
	// policyKindsTimeout is the time after which kube-apiserver asks again which kinds there are without us.
	policyKindsTimeout = 30 * time.Second
)

// policyKinds lets admission policies know the kinds of custom resources as soon as the server serves them.
//
// kube-apiserver asks itself which kinds it has when it starts, before it has read its CustomResourceDefinitions, and then every 30
// seconds. In between, a policy whose parameters are custom resources denies what it matches, and the server logs an error every
// second. The mapper of kinds is only given to admission plugins, so this is one.
type policyKinds struct{ mapper meta.ResettableRESTMapper }

// SetRESTMapper implements initializer.WantsRESTMapper.
func (k *policyKinds) SetRESTMapper(mapper meta.RESTMapper) {
	k.mapper, _ = mapper.(meta.ResettableRESTMapper)
}

// ValidateInitialization implements admission.InitializationValidator. A new version of Kubernetes must not leave this without an effect.
func (k *policyKinds) ValidateInitialization() error {
	if k.mapper == nil {
		return fmt.Errorf("admission plugin %s has no mapper of kinds that can be reset", policyKindsPlugin)
	}
	return nil
}

// Handles implements admission.Interface.
func (*policyKinds) Handles(admission.Operation) bool { return false }

// register adds the plugin to those of one server.
func (k *policyKinds) register(options *genericoptions.AdmissionOptions) {
	options.Plugins.Register(policyKindsPlugin, func(io.Reader) (admission.Interface, error) { return k, nil })
	options.RecommendedPluginOrder = append(slices.Clone(options.RecommendedPluginOrder), policyKindsPlugin)
}

// watch makes the server forget which kinds it had at its start once it serves all.
func (k *policyKinds) watch(config *genericapiserver.Config, log logr.Logger) error {
	if k.mapper == nil { // the flags name all plugins
		return nil
	}
	return config.AddPostStartHook("policy-kinds", func(hook genericapiserver.PostStartHookContext) error {
		definitions, groups, err := groupsOf(hook.LoopbackClientConfig)
		if err != nil {
			return err
		}
		go func() {
			ctx, cancel := context.WithTimeout(hook.Context, policyKindsTimeout)
			defer cancel()
			if err := k.learn(ctx, definitions, groups); err != nil && hook.Err() == nil {
				log.V(1).Info("Admission policies learn later which kinds of custom resources there are", "reason", err.Error())
			}
		}()
		return nil
	})
}

// learn resets the mapper once the groups that the server serves include those of all CustomResourceDefinitions. An API that is not served
// for other reasons ends the wait with ctx.
func (k *policyKinds) learn(ctx context.Context, definitions, groups func(context.Context) ([]string, error)) error {
	last := errors.New("not asked")
	var defined []string // read once: the mapper learns about later ones as before
	err := wait.PollUntilContextCancel(ctx, policyKindsStep, true, func(ctx context.Context) (bool, error) {
		if defined == nil {
			if defined, last = definitions(ctx); last != nil {
				return false, nil
			}
		}
		var served []string
		if served, last = groups(ctx); last != nil {
			return false, nil
		}
		for _, group := range defined {
			if !slices.Contains(served, group) {
				last = fmt.Errorf("group %q is not served yet", group)
				return false, nil
			}
		}
		return true, nil
	})
	k.mapper.Reset()
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}

// groupsOf returns functions that read the groups of CustomResourceDefinitions and the groups that the server serves.
func groupsOf(config *rest.Config) (definitions, groups func(context.Context) ([]string, error), err error) {
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make client for CustomResourceDefinitions: %w", err)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make client for discovery: %w", err)
	}
	crds := objects.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	definitions = func(ctx context.Context) ([]string, error) {
		list, err := crds.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return nil, err
		}
		var out []string
		for i := range list.Items {
			_, group, _ := strings.Cut(list.Items[i].Name, ".") // PLURAL.GROUP
			out = append(out, group)
		}
		return out, nil
	}
	groups = func(context.Context) ([]string, error) {
		list, err := kinds.ServerGroups()
		if err != nil {
			return nil, err
		}
		var out []string
		for _, group := range list.Groups {
			out = append(out, group.Name)
		}
		return out, nil
	}
	return definitions, groups, nil
}
