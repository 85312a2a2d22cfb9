package webhook

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// File makes an OperatingSystemConfig have the file. It replaces a file with the same path.
func File(osc *extensionsv1alpha1.OperatingSystemConfig, file extensionsv1alpha1.File) {
	if i := slices.IndexFunc(osc.Spec.Files, func(f extensionsv1alpha1.File) bool { return f.Path == file.Path }); i >= 0 {
		osc.Spec.Files[i] = file
		return
	}
	osc.Spec.Files = append(osc.Spec.Files, file)
}

// Unit makes an OperatingSystemConfig have the unit. It replaces a unit with the same name.
func Unit(osc *extensionsv1alpha1.OperatingSystemConfig, unit extensionsv1alpha1.Unit) {
	if i := slices.IndexFunc(osc.Spec.Units, func(u extensionsv1alpha1.Unit) bool { return u.Name == unit.Name }); i >= 0 {
		osc.Spec.Units[i] = unit
		return
	}
	osc.Spec.Units = append(osc.Spec.Units, unit)
}

// Argument gives a container's flag, for example --cluster-name, the value. It replaces the first one that the flag has.
//
// Pods of embedded nodes are processes only as the landscape has signed them. A container that was changed is not.
func Argument(container *corev1.Container, flag, value string) {
	argument := flag + "=" + value
	if i := slices.IndexFunc(container.Args, func(a string) bool { return a == flag || strings.HasPrefix(a, flag+"=") }); i >= 0 {
		container.Args[i] = argument
		return
	}
	container.Args = append(container.Args, argument)
}
