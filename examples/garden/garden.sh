#!/usr/bin/env bash
# A garden for developers on a kind cluster, without a registry. It needs kind and gardener in PATH, and what kind needs.
set -euo pipefail

usage() {
	cat <<-TEXT
		usage: garden.sh up|cluster|down
		  up       make the cluster and the garden "local" in it; may be run again
		  cluster  make the cluster only
		  down     remove the cluster with the garden
		CLUSTER names the cluster, gardener-local by default. KUBECONFIG_FILE is where its kubeconfig is written,
		runtime.yaml by default. NODE_IMAGE is another image for its node.
	TEXT
	exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cluster=${CLUSTER:-gardener-local}
kubeconfig=${KUBECONFIG_FILE:-runtime.yaml}
domain=virtual-garden.local.gardener.cloud

make_cluster() {
	if kind get clusters --quiet | grep -qxF "$cluster"; then
		kind export kubeconfig --quiet --name "$cluster" --kubeconfig "$kubeconfig"
		return
	fi
	kind create cluster --quiet --wait 10m --name "$cluster" --config "$here/kind.yaml" --kubeconfig "$kubeconfig" ${NODE_IMAGE:+--image "$NODE_IMAGE"}
}

case ${1:-} in
up)
	make_cluster
	gardener bootstrap --kubeconfig "$kubeconfig" --name local --domain "$domain" --load
	cat <<-TEXT
		Its API server is inside of the cluster. Forward port 443, as root or with setcap, and tell this machine its name:

		  gardener kubectl --kubeconfig $kubeconfig -n virtual-garden-istio-ingress port-forward service/istio-ingressgateway 443:443
		  echo 127.0.0.1 api.$domain | sudo tee -a /etc/hosts
	TEXT
	;;
cluster) make_cluster ;;
down) kind delete cluster --name "$cluster" --kubeconfig "$kubeconfig" ;;
*) usage ;;
esac
