#!/usr/bin/env bash
# Prints the version of the build: a semantic version that is also a tag of container images, so it has no "+". A commit after
# a release counts as a version before the next one.
set -euo pipefail

dirty=""
commit=$(git rev-parse --short=8 HEAD 2>/dev/null) || { echo v0.0.0-dev; exit; }
git diff --quiet HEAD -- 2>/dev/null || dirty=.dirty
if ! described=$(git describe --tags --long --abbrev=8 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null); then
	echo "v0.0.0-dev.g$commit$dirty"
	exit
fi
[[ $described =~ ^(v[0-9]+\.[0-9]+\.)([0-9]+)(-.*)?-([0-9]+)-g[0-9a-f]+$ ]]
minor=${BASH_REMATCH[1]} patch=${BASH_REMATCH[2]} pre=${BASH_REMATCH[3]} commits=${BASH_REMATCH[4]}
if [[ $commits = 0 && -z $dirty ]]; then
	echo "$minor$patch$pre"
elif [[ -n $pre ]]; then
	echo "$minor$patch$pre.$commits.g$commit$dirty"
else
	echo "$minor$((patch + 1))-dev.$commits.g$commit$dirty"
fi
