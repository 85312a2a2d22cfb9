package legacy

// addons that there still are.
var addonNames = map[string]string{"kubernetes-dashboard": "kubernetesDashboard", "nginx-ingress": "nginxIngress"}

// formerAddons are those that there are no more. The autoscaler works without being asked.
var formerAddons = []string{"cluster-autoscaler", "heapster", "helm-tiller", "kube-lego", "kube2iam", "monocular"}

func addons(n node) document {
	out := document{}
	for old, name := range addonNames {
		n.move(old, out, name)
	}
	for _, name := range formerAddons {
		fields, _ := n.fields[name].(document)
		switch enabled, _ := fields["enabled"].(bool); {
		case fields == nil:
		case name == "cluster-autoscaler":
			n.leaveOut(name, "pools grow and shrink between minimum and maximum without it")
		case enabled:
			n.refuse(name, "there is no such add-on any more")
		default:
			n.leaveOut(name, "there is no such add-on any more, and it is off")
		}
	}
	return out
}
