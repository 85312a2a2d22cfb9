// Package cluster runs seeds as kind clusters. It creates them through the kind library, finds them again after a
// restart, loads images into their nodes and removes them. It can also find kind clusters that others made and load
// images into them. It knows nothing about what runs in the clusters.
package cluster
