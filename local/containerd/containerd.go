// Package containerd has what the provider tells the containerd of all machines that are containers: those of shoots and those of seeds.
package containerd

// Path is a file that containerd reads in addition to its configuration, once the node agent has been there.
const Path = "/etc/containerd/conf.d/local.toml"

// Settings are lines of a configuration. Since version 2.3, containerd reads the cgroup of each container every second. A figure of every ten
// seconds is enough for a kubelet, which looks at it that often. Older versions ignore the plugin, since they call it otherwise.
const Settings = `[plugins."io.containerd.cri.v1.runtime"]
stats_collect_period = "10s"
`

// File is the content of the file at Path. Its version must not be above that of the configuration that imports it.
const File = "version = 2\n" + Settings
