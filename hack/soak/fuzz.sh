#!/usr/bin/env bash
# Runs all fuzz tests of packages, one after the other: hack/soak/fuzz.sh TIME PACKAGE...
# TIME is a duration, or a number of executions such as 20x. So few need no guidance by coverage, for which Go compiles everything once more.
set -euo pipefail
time=$1
shift
guided=(-fuzz .)
[[ $time == *x ]] && guided=()
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for package in "$@"; do
  "${GO:-go}" test -trimpath -vet=off -c "${guided[@]}" -o "$dir/test" "$package"
  targets=$("$dir/test" -test.list '^Fuzz' | grep '^Fuzz')
  for target in $targets; do
    echo "$package $target"
    (cd "$package" && "$dir/test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$time" -test.fuzzcachedir "$dir/cache")
  done
done
