package webhook

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/webhook"
)

// greetingPath is the file that a login to a machine shows.
const greetingPath = "/etc/motd"

// Contents is what the provider adds to the content of machines: a greeting and the mirrors of registries.
type Contents struct {
	// Reader of the seed without a cache: the gardenlet writes the Cluster right before the objects.
	Reader client.Reader
}

// Files are the files for the machines of an OperatingSystemConfig; none if another provider makes the machines. The error is permanent if the
// CloudProfile is wrong.
func (c Contents) Files(ctx context.Context, cluster *contract.Cluster, osc *extensionsv1alpha1.OperatingSystemConfig) ([]extensionsv1alpha1.File, error) {
	if cluster != nil && cluster.Shoot != nil && cluster.Shoot.Spec.Provider.Type != api.Type {
		return nil, nil
	}
	mirrors, err := c.mirrors(ctx, cluster, osc)
	if err != nil {
		return nil, err
	}
	return append([]extensionsv1alpha1.File{greeting(osc.Namespace)}, mirrors...), nil
}

// Mutate makes the object have the files. It acts on objects with a request of the gardenlet only. If it changed what the controller of the
// object writes, the controller's answer would belong to an older content.
func (c Contents) Mutate(ctx context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error {
	if osc.Annotations[constants.GardenerOperation] == "" {
		return nil
	}
	cluster, err := contract.GetCluster(ctx, c.Reader, osc.Namespace)
	if err != nil {
		return err
	}
	return c.Add(ctx, cluster, osc)
}

// Add makes the specification have the files. It removes those of earlier calls that are not wanted any more.
func (c Contents) Add(ctx context.Context, cluster *contract.Cluster, osc *extensionsv1alpha1.OperatingSystemConfig) error {
	files, err := c.Files(ctx, cluster, osc)
	if err != nil {
		return err
	}
	osc.Spec.Files = slices.DeleteFunc(osc.Spec.Files, func(f extensionsv1alpha1.File) bool {
		return former(f) && !slices.ContainsFunc(files, func(wanted extensionsv1alpha1.File) bool { return wanted.Path == f.Path })
	})
	for _, file := range files {
		webhook.File(osc, file)
	}
	return nil
}

// greeting tells who logs in where they are.
func greeting(technicalID string) extensionsv1alpha1.File {
	return text(greetingPath, "This is a machine of "+technicalID+", made by the provider "+api.Type+". It shares kernel, memory and disk with the computer that it runs on.\n")
}
