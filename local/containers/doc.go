// Package containers calls the host's container engine through its command line, as kind does. So it works with docker, podman and
// nerdctl, and with the endpoints that their own environment variables (DOCKER_HOST, CONTAINER_HOST …) select.
//
// It knows nothing about nodes, clusters or Gardener. The provider local and its composition root may import it. Code that runs in
// pods must not use it, since only the daemon on the host has an engine.
package containers
