package deployment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// defaultHistory is how many empty sets are kept for a rollback by default.
const defaultHistory = 10

// scope finds the sets of the deployment, those being deleted among them.
func (r *Reconciler) scope(ctx context.Context, deployment *machinev1alpha1.MachineDeployment) (*scope, error) {
	list := &machinev1alpha1.MachineSetList{}
	if err := r.Client.List(ctx, list, client.InNamespace(deployment.Namespace)); err != nil {
		return nil, fmt.Errorf("list MachineSets: %w", err)
	}
	s := &scope{deployment: deployment, before: deployment.DeepCopy()}
	for i := range list.Items {
		if err := r.adopt(ctx, deployment, &list.Items[i]); err != nil {
			return nil, err
		}
		if metav1.IsControlledBy(&list.Items[i], deployment) {
			s.old = append(s.old, &list.Items[i])
		}
	}
	slices.SortFunc(s.old, func(a, b *machinev1alpha1.MachineSet) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	for i, set := range s.old {
		if set.DeletionTimestamp == nil && sameMachines(&set.Spec.Template, &deployment.Spec.Template) {
			s.current, s.old = set, slices.Delete(s.old, i, i+1)
			break
		}
	}
	if !s.inPlace() {
		return s, nil
	}
	return s, r.loadMachines(ctx, s)
}

// adopt takes over a set of the deployment's selector that nobody controls, such as one that another seed had.
func (r *Reconciler) adopt(ctx context.Context, deployment *machinev1alpha1.MachineDeployment, set *machinev1alpha1.MachineSet) error {
	if metav1.GetControllerOf(set) != nil || deployment.DeletionTimestamp != nil || set.DeletionTimestamp != nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
	if err != nil {
		return fmt.Errorf("read selector of MachineDeployment %q: %w", deployment.Name, err)
	}
	if !selector.Matches(labels.Set(set.Labels)) {
		return nil
	}
	err = patch.Metadata(ctx, r.Client, set, func() {
		set.OwnerReferences = append(set.OwnerReferences, *metav1.NewControllerRef(deployment, machinev1alpha1.SchemeGroupVersion.WithKind("MachineDeployment")))
	})
	if err != nil {
		return fmt.Errorf("adopt MachineSet %q: %w", set.Name, err)
	}
	return nil
}

// create makes the set of the current template. Its name is derived from the template, so that it is made only once.
func (r *Reconciler) create(ctx context.Context, s *scope) error {
	template := s.deployment.Spec.Template.DeepCopy()
	hash, err := hash(template, s.deployment.Status.CollisionCount)
	if err != nil {
		return err
	}
	selector := s.deployment.Spec.Selector.DeepCopy()
	if selector == nil {
		selector = &metav1.LabelSelector{}
	}
	selector.MatchLabels = withHash(selector.MatchLabels, hash)
	template.Labels = withHash(template.Labels, hash)
	set := &machinev1alpha1.MachineSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       s.deployment.Namespace,
			Name:            s.deployment.Name + "-" + hash,
			Labels:          template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s.deployment, machinev1alpha1.SchemeGroupVersion.WithKind("MachineDeployment"))},
			Annotations:     map[string]string{machinev1alpha1.RevisionAnnotation: strconv.FormatInt(s.newestRevision()+1, 10)},
		},
		Spec: machinev1alpha1.MachineSetSpec{
			Selector: selector, Template: *template, MachineClass: template.Spec.Class,
			MinReadySeconds: s.deployment.Spec.MinReadySeconds,
		},
	}
	err = r.Client.Create(ctx, set)
	if apierrors.IsAlreadyExists(err) {
		return r.collide(ctx, s, set)
	}
	if err != nil {
		return fmt.Errorf("create MachineSet %q: %w", set.Name, err)
	}
	s.current = set
	return nil
}

// collide distinguishes a name used by our own set, which the cache does not show yet, from a name used by another
// owner.
func (r *Reconciler) collide(ctx context.Context, s *scope, want *machinev1alpha1.MachineSet) error {
	found := &machinev1alpha1.MachineSet{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(want), found)
	if apierrors.IsNotFound(err) || err == nil && found.DeletionTimestamp != nil {
		return fmt.Errorf("wait for MachineSet %q to appear or to go", want.Name)
	}
	if err != nil {
		return fmt.Errorf("read MachineSet %q: %w", want.Name, err)
	}
	if err := r.adopt(ctx, s.deployment, found); err != nil {
		return err
	}
	if metav1.IsControlledBy(found, s.deployment) && sameMachines(&found.Spec.Template, &want.Spec.Template) {
		s.current = found
		return nil
	}
	s.deployment.Status.CollisionCount = ptr.To(ptr.Deref(s.deployment.Status.CollisionCount, 0) + 1)
	return fmt.Errorf("name of MachineSet %q is taken", want.Name)
}

// update sets the size of a set, and the properties that machines can adopt without being replaced.
func (r *Reconciler) update(ctx context.Context, s *scope, set *machinev1alpha1.MachineSet, size int32) error {
	if set.DeletionTimestamp != nil {
		return nil
	}
	template := s.deployment.Spec.Template.Spec.DeepCopy()
	if s.rolls() && !s.inPlace() {
		markRolling(&template.NodeTemplateSpec, set != s.current)
	}
	err := patch.Metadata(ctx, r.Client, set, func() { // refused if the set has changed: its size is no blind write
		set.Spec.Replicas = size
		set.Spec.MinReadySeconds = s.deployment.Spec.MinReadySeconds
		if set == s.current || !s.inPlace() { // a node has the labels of its version, for example, once it has been updated
			set.Spec.Template.Spec.NodeTemplateSpec = template.NodeTemplateSpec
		}
		s.markSuccession(set)
		set.Spec.Template.Spec.MachineConfiguration = template.MachineConfiguration
		if set == s.current && revision(set) < s.newestRevision() {
			metav1.SetMetaDataAnnotation(&set.ObjectMeta, machinev1alpha1.RevisionAnnotation, strconv.FormatInt(s.newestRevision()+1, 10))
		}
	})
	if err != nil {
		return fmt.Errorf("update MachineSet: %w", err)
	}
	return nil
}

// rolls reports whether machines are being replaced.
func (s *scope) rolls() bool {
	return s.current != nil && slices.ContainsFunc(s.old, func(set *machinev1alpha1.MachineSet) bool {
		return set.Spec.Replicas > 0 || set.Status.Replicas > 0
	})
}

// markRolling keeps the autoscaler from removing nodes while machines are replaced, and pods from moving to nodes
// that will be removed. The marks reach the nodes, and disappear from them, like the rest of the template.
func markRolling(template *machinev1alpha1.NodeTemplateSpec, goes bool) {
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, machinev1alpha1.ClusterAutoscalerScaleDownDisabledAnnotation, "true")
	if goes {
		template.Spec.Taints = append(template.Spec.Taints, corev1.Taint{
			Key: machinev1alpha1.PreferNoScheduleKey, Value: "True", Effect: corev1.TaintEffectPreferNoSchedule,
		})
	}
}

// cleanUp removes empty old sets beyond the history limit.
func (r *Reconciler) cleanUp(ctx context.Context, s *scope) error {
	var empty []*machinev1alpha1.MachineSet
	for _, set := range s.old {
		if set.DeletionTimestamp == nil && set.Spec.Replicas == 0 && set.Status.Replicas == 0 && set.Status.ObservedGeneration == set.Generation {
			empty = append(empty, set)
		}
	}
	slices.SortFunc(empty, func(a, b *machinev1alpha1.MachineSet) int { return cmp.Compare(revision(a), revision(b)) })
	excess := len(empty) - int(ptr.Deref(s.deployment.Spec.RevisionHistoryLimit, defaultHistory))
	for i := range max(excess, 0) {
		if err := r.remove(ctx, empty[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) remove(ctx context.Context, set *machinev1alpha1.MachineSet) error {
	if set.DeletionTimestamp != nil {
		return nil
	}
	if err := r.Client.Delete(ctx, set); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete MachineSet %q: %w", set.Name, err)
	}
	return nil
}
