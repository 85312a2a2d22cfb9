package openapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	"k8s.io/client-go/tools/cache"
)

// syncTimeout limits the first list of CustomResourceDefinitions.
const syncTimeout = 30 * time.Second

// definitions caches the CustomResourceDefinitions while documents are kept.
type definitions struct {
	informer cache.SharedIndexInformer
	changed  atomic.Bool
}

// watch starts a watch and waits until all definitions are known. The watch ends with ctx.
func watch(ctx context.Context, client crdclient.Interface) (*definitions, error) {
	factory := externalversions.NewSharedInformerFactory(client, 0)
	d := &definitions{informer: factory.Apiextensions().V1().CustomResourceDefinitions().Informer()}
	note := func() { d.changed.Store(true) }
	handler, err := d.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { note() }, UpdateFunc: func(any, any) { note() }, DeleteFunc: func(any) { note() },
	})
	if err != nil {
		return nil, fmt.Errorf("watch CustomResourceDefinitions: %w", err)
	}
	factory.Start(ctx.Done())
	timeout, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if !cache.WaitForCacheSync(timeout.Done(), handler.HasSynced) {
		return nil, errors.New("list CustomResourceDefinitions: no answer in time")
	}
	note() // also if there are none
	return d, nil
}

// changes passes all served definitions to update if any has changed since the last call. It reports whether it did.
func (d *definitions) changes(update func([]*apiextensionsv1.CustomResourceDefinition)) bool {
	if !d.changed.Swap(false) {
		return false
	}
	var served []*apiextensionsv1.CustomResourceDefinition
	for _, object := range d.informer.GetStore().List() {
		if crd := object.(*apiextensionsv1.CustomResourceDefinition); apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
			served = append(served, crd)
		}
	}
	slices.SortFunc(served, func(a, b *apiextensionsv1.CustomResourceDefinition) int { return cmp.Compare(a.Name, b.Name) })
	update(served)
	return true
}
