// Package scaling gives the etcds of shoots the requests that a vertical pod autoscaler of the seed recommends, as far as their Hvpas
// allow it. It is part of gardenlets with the feature gate HVPA. It makes no recommendations itself.
package scaling
