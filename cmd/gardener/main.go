package main

import (
	_ "github.com/go-logr/zapr"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hashicorp/yamux"
	_ "github.com/miekg/dns"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/tidwall/buntdb"
	_ "go.etcd.io/etcd/server/v3/embed"
	_ "go.etcd.io/etcd/server/v3/etcdmain"
	_ "go.uber.org/zap"
	_ "golang.org/x/term"
	_ "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	_ "k8s.io/kubectl/pkg/cmd"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "k8s.io/kubernetes/cmd/kubelet/app"
	_ "k8s.io/kubernetes/pkg/kubemark"
	_ "sigs.k8s.io/controller-runtime"
	_ "sigs.k8s.io/yaml"
)

func main() {}
