// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets: which priority they belong to, counted; RoCE packets get the traffic class of the NIC if it has one. */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>

#include "lab_nic.h"

#define ROCE_PORT 4791
#define MAC_CONTROL 0x8808
#define PFC_OPCODE 0x0101

static struct lab_nic *nic_below(const struct net_device *dev)
{
	if (!dev)
		return NULL;
	return lab_nic_of(is_vlan_dev(dev) ? vlan_dev_real_dev(dev) : dev);
}

/* By DSCP once the port trusts it. Before, by VLAN tag, which the lab's wire does not set: priority 0. */
static unsigned int priority_of(const struct lab_nic *nic, const struct iphdr *ip)
{
	return nic->trust_dscp ? nic->dscp_priority[ipv4_get_dsfield(ip) >> 2] : 0;
}

static void mark_roce(const struct lab_nic *nic, struct iphdr *ip)
{
	const struct udphdr *udp = (void *)ip + ip->ihl * 4;

	if (nic->traffic_class >= 0 && ip->protocol == IPPROTO_UDP && udp->dest == htons(ROCE_PORT))
		ipv4_change_dsfield(ip, 0, nic->traffic_class);
}

static unsigned int on_leave(void *unused, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct lab_nic *nic = nic_below(state->out);
	struct lab_counters *c;

	if (!nic)
		return NF_ACCEPT;
	mark_roce(nic, ip_hdr(skb));
	skb->priority = priority_of(nic, ip_hdr(skb));
	c = &nic->counters[skb->priority];
	c->tx_packets++;
	c->tx_bytes += skb->len;
	return NF_ACCEPT;
}

static unsigned int on_arrival(void *unused, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct lab_nic *nic = nic_below(state->in);
	struct lab_counters *c;

	if (!nic)
		return NF_ACCEPT;
	c = &nic->counters[priority_of(nic, ip_hdr(skb))];
	c->rx_packets++;
	c->rx_bytes += skb->len;
	c->rx_marked += INET_ECN_is_ce(ipv4_get_dsfield(ip_hdr(skb)));
	return NF_ACCEPT;
}

static const struct nf_hook_ops hooks[] = {
	{ .hook = on_leave, .pf = NFPROTO_IPV4, .hooknum = NF_INET_POST_ROUTING, .priority = NF_IP_PRI_LAST },
	{ .hook = on_arrival, .pf = NFPROTO_IPV4, .hooknum = NF_INET_PRE_ROUTING, .priority = NF_IP_PRI_FIRST },
};

/* PFC frames that arrive are counted, not obeyed. */
static int on_pause(struct sk_buff *skb, struct net_device *dev, struct packet_type *type, struct net_device *orig)
{
	struct lab_nic *nic = container_of(type, struct lab_nic, pause_frames);
	struct { __be16 opcode, enabled, quanta[PRIORITIES]; } __packed frame;
	int p;

	if (!skb_copy_bits(skb, 0, &frame, sizeof(frame)) && frame.opcode == htons(PFC_OPCODE))
		for (p = 0; p < PRIORITIES; p++)
			if (ntohs(frame.enabled) & BIT(p)) {
				nic->counters[p].rx_pause++;
				nic->counters[p].rx_quanta += ntohs(frame.quanta[p]);
			}
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

void lab_traffic_attach(struct lab_nic *nic)
{
	nic->pause_frames.type = htons(MAC_CONTROL);
	nic->pause_frames.dev = nic->dev;
	nic->pause_frames.func = on_pause;
	dev_add_pack(&nic->pause_frames);
}

void lab_traffic_detach(struct lab_nic *nic)
{
	dev_remove_pack(&nic->pause_frames);
}

int lab_traffic_register(void)
{
	return nf_register_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
}

void lab_traffic_unregister(void)
{
	nf_unregister_net_hooks(&init_net, hooks, ARRAY_SIZE(hooks));
}
