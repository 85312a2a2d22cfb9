// Package release takes the objects of a shoot from its seed when its control plane moves to another seed. What the objects stand for,
// such as machines, DNS names and objects in the shoot, stays.
package release
