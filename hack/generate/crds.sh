#!/usr/bin/env bash
# Writes the deep copies of the kinds that are custom resources, and their CustomResourceDefinitions. Running it
# twice changes nothing. The CRDs of networking.istio.io are written by hand; those of the vertical pod autoscaler are generated from the
# types of its module, without descriptions.
set -euo pipefail
cd "$(dirname "$0")/../.."

groups=(extensions resources druid machine operator openidconnect autoscaling)
paths=(./embedded/apis/istio/v1beta1)
crds=()
for group in "${groups[@]}"; do
	paths+=("./embedded/apis/$group/v1alpha1")
	crds+=("paths=./embedded/apis/$group/v1alpha1")
done

export CGO_ENABLED=0 GOFLAGS=-trimpath
go tool controller-gen object "${paths[@]/#/paths=}"

# Descriptions cost the API server memory; the first sentence is enough for kubectl explain.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go tool controller-gen crd:generateEmbeddedObjectMeta=true,allowDangerousTypes=true,maxDescLen=120 "${crds[@]}" output:crd:dir="$out"
for group in "${groups[@]}"; do
	rm -f embedded/apis/crds/"$group".*_*.yaml
done
mv "$out"/*.yaml embedded/apis/crds/

# A map in the checkpoints has numbers as keys. The generator reports that as an error after it has written both files.
vpa=k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1
go tool controller-gen crd:generateEmbeddedObjectMeta=true,allowDangerousTypes=true,maxDescLen=0 "paths=$vpa" output:crd:dir="$out" 2>"$out/errors" ||
	grep -q "map keys must be strings" "$out/errors"
for kind in verticalpodautoscalers verticalpodautoscalercheckpoints; do
	mv "$out/autoscaling.k8s.io_$kind.yaml" embedded/apis/crds/
done
