package testenv

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const pollInterval = 50 * time.Millisecond

// waitReady waits until kube-apiserver is ready and has created the default namespace.
func (e *Env) waitReady(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(e.Config)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	return poll(ctx, func(ctx context.Context) (error, error) {
		for _, c := range e.children {
			if err := c.ended(); err != nil {
				return nil, err
			}
		}
		if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
			return err, nil
		}
		_, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err, nil
	})
}

// InstallCRDs creates or updates all definitions, then waits until all are served.
func InstallCRDs(ctx context.Context, config *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	if len(crds) == 0 {
		return nil
	}
	clientset, err := apiextensions.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	client := clientset.ApiextensionsV1().CustomResourceDefinitions()
	for _, crd := range crds {
		_, err := client.Create(ctx, crd.DeepCopy(), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			current, getErr := client.Get(ctx, crd.Name, metav1.GetOptions{})
			if getErr != nil {
				return fmt.Errorf("get definition %s: %w", crd.Name, getErr)
			}
			current.Spec = *crd.Spec.DeepCopy()
			_, err = client.Update(ctx, current, metav1.UpdateOptions{})
		}
		if err != nil {
			return fmt.Errorf("install definition %s: %w", crd.Name, err)
		}
	}
	for _, crd := range crds {
		err := poll(ctx, func(ctx context.Context) (error, error) {
			current, err := client.Get(ctx, crd.Name, metav1.GetOptions{})
			if err != nil {
				return err, nil
			}
			for _, condition := range current.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					return nil, nil
				}
				if condition.Type == apiextensionsv1.NamesAccepted && condition.Status == apiextensionsv1.ConditionFalse {
					return nil, fmt.Errorf("names are not accepted: %s", condition.Message)
				}
			}
			return fmt.Errorf("not established"), nil
		})
		if err != nil {
			return fmt.Errorf("wait for definition %s: %w", crd.Name, err)
		}
	}
	return nil
}

// poll calls the check until it succeeds (nil, nil), fails permanently, or ctx ends.
func poll(ctx context.Context, ask func(context.Context) (waitingFor, hopeless error)) error {
	for {
		waitingFor, hopeless := ask(ctx)
		if hopeless != nil {
			return hopeless
		}
		if waitingFor == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", ctx.Err(), waitingFor)
		case <-time.After(pollInterval):
		}
	}
}
