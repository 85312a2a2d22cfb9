# Prints a tar of a shell, the network tools and the libraries they load. Links are followed, so that nothing dangles.
set -e
cd /
tools=""
for name in sh cat ls mkdir rm chmod sleep ip nft conntrack \
	iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore \
	iptables-nft iptables-nft-save iptables-nft-restore ip6tables-nft ip6tables-nft-save ip6tables-nft-restore; do
	tools="$tools $(command -v $name)"
done
{
	for tool in $tools; do
		echo ".$tool"
		ldd "$tool" | sed -n 's/^[^/]*\(\/[^ ]*\).*/.\1/p'
	done
	find ./usr/lib -path '*/xtables/*.so'
	find ./usr/lib -path '*/xtables/*.so' | while read -r plugin; do ldd "$plugin" | sed -n 's/^[^/]*\(\/[^ ]*\).*/.\1/p'; done
	echo ./etc/protocols
	echo ./etc/services
} | sort -u | while read -r file; do [ ! -e "$file" ] || echo "$file"; done | tar -chf - -T -
