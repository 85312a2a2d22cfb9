package contract

// MachinePodLabels are the labels of machines that are pods of the seed. The gardenlet finds the kubelets of a shoot by them.
func MachinePodLabels() map[string]string {
	return map[string]string{"app": "machine", "machine-provider": "local"}
}
