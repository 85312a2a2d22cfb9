// Package containers speaks to the host's container engine through its command line, as kind does, so that docker,
// podman and nerdctl all do, wherever their own environment variables (DOCKER_HOST, CONTAINER_HOST …) point.
//
// It knows nothing about nodes, clusters or Gardener. The provider local and what composes it may import it; pods may not
// use it, since only the daemon on the host has an engine.
package containers
