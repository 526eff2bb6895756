// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches to network interfaces as their driver makes them, and lets go as it takes them away. */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "lab_nic.h"

#define DRIVER "e1000e"

DEFINE_MUTEX(lab_mutex);
LIST_HEAD(lab_nics);

struct lab_nic *lab_nic_of(const struct net_device *dev)
{
	struct lab_nic *nic;

	list_for_each_entry_rcu(nic, &lab_nics, list, true)
		if (nic->dev == dev)
			return nic;
	return NULL;
}

static bool is_ours(const struct net_device *dev)
{
	const struct device *parent = dev->dev.parent;

	return parent && dev_is_pci(parent) && parent->driver && !strcmp(parent->driver->name, DRIVER);
}

/* A driver that starts has a NIC in the state after reset: nothing of an earlier attachment is kept. */
static void attach(struct net_device *dev)
{
	struct lab_nic *nic = kzalloc(sizeof(*nic), GFP_KERNEL);

	if (!nic)
		return;
	nic->dev = dev;
	nic->pdev = to_pci_dev(dev->dev.parent);
	if (lab_ecn_attach(nic)) {
		netdev_err(dev, "lab_nic: no room for the files below ecn/\n");
		kfree(nic);
		return;
	}
	lab_dcb_attach(nic);
	lab_counters_attach(nic);
	nic->traffic_class = -1;
	mutex_lock(&lab_mutex);
	list_add_tail_rcu(&nic->list, &lab_nics);
	mutex_unlock(&lab_mutex);
	lab_traffic_attach(nic);
}

static void detach(struct lab_nic *nic)
{
	lab_traffic_detach(nic);
	mutex_lock(&lab_mutex);
	lab_rdma_detach(nic);
	list_del_rcu(&nic->list);
	mutex_unlock(&lab_mutex);
	lab_counters_detach(nic);
	lab_dcb_detach(nic);
	lab_ecn_detach(nic);
	synchronize_net();
	kfree(nic);
}

static int on_netdevice(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct lab_nic *nic = lab_nic_of(dev);

	if (event == NETDEV_REGISTER && !nic && is_ours(dev))
		attach(dev);
	else if (event == NETDEV_UNREGISTER && nic)
		detach(nic);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_netdevice };

/* There is no exit: the faces of PCI devices cannot be taken back while drivers use them. */
static int __init lab_nic_init(void)
{
	int err = lab_pci_register();

	if (err)
		return err;
	err = lab_traffic_register();
	if (err)
		return err;
	err = lab_rdma_register();
	if (err)
		goto traffic;
	err = register_netdevice_notifier(&notifier); /* is told of the interfaces that are there already, too */
	if (err)
		goto traffic;
	return 0;
traffic:
	lab_traffic_unregister();
	return err;
}

module_init(lab_nic_init);
MODULE_DESCRIPTION("Stand-in of the lossless.fabric lab: lends an e1000e the face of a RoCE NIC. Not for real hardware.");
MODULE_AUTHOR("lossless.fabric");
MODULE_LICENSE("GPL");
MODULE_VERSION("1.0");
MODULE_SOFTDEP("pre: e1000e ib_core");
