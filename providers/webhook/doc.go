// Package webhook lets a provider change what the gardenlet writes for the control planes of its shoots. The gardenlet knows no
// provider: it writes the same Deployments, Etcds and OperatingSystemConfigs for all of them, with the label
// constants.LabelExtensionProviderMutatedByControlplaneWebhook. The webhook adds what the provider needs.
//
// Add registers one webhook in the seed. It concerns the namespaces of the provider's shoots only, and its failure policy is Fail:
// without the provider's answer nothing is written, and the gardenlet's error names the webhook.
//
// A Mutator must give the same result for an object that it has changed before, or gardenlet and webhook would write in turn. The functions of this
// package that change parts of objects do so.
package webhook
