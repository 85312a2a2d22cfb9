// Package cluster runs seeds as kind clusters: it creates them through the kind library, finds them again after a
// restart, loads images into their nodes and removes them. It finds and fills those of others, too. It knows nothing about
// what runs in them.
package cluster
