package cluster

import (
	"context"
	"fmt"
)

// arrangeScript gives nodes their zones and lets all of them run pods. The arguments are pairs of a node and its zone. With several nodes,
// it spreads the name servers over them, since kind starts both on the first node. It changes nothing that is as it has to be.
const arrangeScript = `set -e
export KUBECONFIG=/etc/kubernetes/admin.conf
several=$1
shift
while [ $# -gt 1 ]; do
	kubectl label --overwrite node "$1" topology.kubernetes.io/zone="$2"
	shift 2
done
if [ "$several" = true ]; then
	kubectl taint nodes --all node-role.kubernetes.io/control-plane- || true # fails if no node has it
	kubectl --namespace kube-system patch deployment coredns --patch '` + spreadPatch + `'
fi`

// spreadPatch keeps name servers on different nodes.
const spreadPatch = `{"spec":{"template":{"spec":{"topologySpreadConstraints":[` +
	`{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"k8s-app":"kube-dns"}}}]}}}}`

// arrange tells the cluster the zones of its nodes. It does nothing if no zones are given.
func (c *Cluster) arrange(ctx context.Context) error {
	if len(c.config.Zones) == 0 {
		return nil
	}
	nodes, err := c.containers(ctx)
	if err != nil {
		return err
	}
	zones := map[string]string{}
	for i, name := range c.config.NodeNames() {
		zones[name] = c.config.Zones[i%len(c.config.Zones)]
	}
	args := []string{"sh", "-c", arrangeScript, "sh", fmt.Sprint(len(c.config.Others) > 0)}
	for _, node := range nodes {
		args = append(args, node.Name, zones[node.Name])
	}
	if _, err := c.engine.Exec(ctx, c.config.NodeName(), nil, args...); err != nil {
		return fmt.Errorf("arrange the nodes of kind cluster %s: %w", c.config.Name, err)
	}
	return nil
}
