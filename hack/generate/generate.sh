#!/usr/bin/env bash
# Generates deep copies, defaults, protocol buffers, OpenAPI and CRDs of the API types. Running it twice changes nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export CGO_ENABLED=0 GOFLAGS="-trimpath${GOFLAGS:+ $GOFLAGS}"

apis=embedded/apis
module=$(go list -m)

bash hack/generate/kubeversion.sh

# Groups served by the Gardener API server.
aggregated=(
  core/v1 core/v1beta1 authentication/v1alpha1 operations/v1alpha1
  security/v1alpha1 seedmanagement/v1alpha1 settings/v1alpha1
)
packages=("${aggregated[@]/#/$module/$apis/}")

# Upstream packages whose types the aggregated groups use.
upstream=(
  k8s.io/api/autoscaling/v1 k8s.io/api/core/v1 k8s.io/api/networking/v1 k8s.io/api/rbac/v1
  k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1
  k8s.io/apimachinery/pkg/api/resource k8s.io/apimachinery/pkg/apis/meta/v1 k8s.io/apimachinery/pkg/runtime
  k8s.io/apimachinery/pkg/util/intstr k8s.io/apimachinery/pkg/version
)

go tool deepcopy-gen --go-header-file /dev/null --output-file zz_generated.deepcopy.go "${packages[@]}"

go tool defaulter-gen --go-header-file /dev/null --output-file zz_generated.defaults.go "${packages[@]}"

go tool openapi-gen --go-header-file /dev/null \
  --output-dir embedded/gardenapi/openapi --output-pkg "$module/embedded/gardenapi/openapi" \
  --output-file zz_generated.openapi.go --output-model-name-file zz_generated.model_name.go \
  "${upstream[@]/#/--readonly-pkg=}" \
  --report-filename /dev/null \
  "${packages[@]}" "${upstream[@]}"

bash hack/generate/protobuf.sh "${aggregated[@]/#/$apis/}"

# Groups served by custom resource definitions.
bash hack/generate/crds.sh
