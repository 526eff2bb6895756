/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lab_nic: a stand-in. It lends every e1000e of a virtual machine the face of a RoCE NIC, so that the tools that
 * configure such NICs (dcb, ethtool, lspci, setpci, files below ecn/ and tc/) can be used on a machine without one.
 * Settings are kept and read back; of them only DSCP-to-priority and the traffic class change what packets look like.
 */
#ifndef LAB_NIC_H
#define LAB_NIC_H

#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/kobject.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <rdma/ib_verbs.h>

#define PRIORITIES 8
#define DSCPS 64

/* A number in a sysfs file. */
struct lab_value {
	struct kobj_attribute file;
	u32 value;
	u32 max;
};

#define NP_VALUES 3
#define RP_VALUES 16

/* What one priority has seen. Written by one softirq at a time: the lab's machines have few CPUs and small numbers. */
struct lab_counters {
	u64 rx_packets, rx_bytes, rx_marked, rx_pause, rx_quanta;
	u64 tx_packets, tx_bytes;
};

struct lab_nic {
	struct list_head list;
	struct net_device *dev;
	struct pci_dev *pdev;

	/* dcb.c */
	struct ieee_pfc pfc;
	struct ieee_ets ets;
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	bool trust_dscp;
	u8 dscp_priority[DSCPS];

	/* ecn.c */
	struct kobject *ecn, *np, *rp, *np_enable, *rp_enable;
	struct lab_value np_enabled[PRIORITIES], rp_enabled[PRIORITIES];
	struct lab_value np_values[NP_VALUES], rp_values[RP_VALUES];

	/* counters.c */
	const struct ethtool_ops *driver_ethtool;
	struct ethtool_ops ethtool;
	struct lab_counters counters[PRIORITIES];

	/* traffic.c */
	struct packet_type pause_frames;

	/* rdma.c */
	struct ib_device *ib;
	struct kobject *tc, *tc_port;
	struct kobj_attribute traffic_class_file;
	int traffic_class; /* -1: applications choose */
	bool linked_device;
};

/* Guards the list and what hangs on it; taken inside rtnl. Packets look the list up under RCU. */
extern struct mutex lab_mutex;
extern struct list_head lab_nics;

struct lab_nic *lab_nic_of(const struct net_device *dev);

void lab_dcb_attach(struct lab_nic *nic);
void lab_dcb_detach(struct lab_nic *nic);
int lab_ecn_attach(struct lab_nic *nic);
void lab_ecn_detach(struct lab_nic *nic);
void lab_counters_attach(struct lab_nic *nic);
void lab_counters_detach(struct lab_nic *nic);
void lab_traffic_attach(struct lab_nic *nic);
void lab_traffic_detach(struct lab_nic *nic);
int lab_traffic_register(void);
void lab_traffic_unregister(void);
void lab_rdma_detach(struct lab_nic *nic);
int lab_rdma_register(void);
int lab_pci_register(void);

/* link.c: what a link reports. Changed at run time below /sys/module/lab_nic/parameters. */
enum lab_kind { LAB_NIC, LAB_GPU, LAB_SLOT, LAB_PORT }; /* a slot is the port that a NIC hangs on */
u32 lab_link_capability(enum lab_kind kind, unsigned int rail, u32 real);
u16 lab_link_status(enum lab_kind kind, unsigned int rail, u16 real);
unsigned int lab_link_vfs(unsigned int rail);
unsigned int lab_link_speed_mbps(void);
bool lab_link_acs(void);

#endif
