// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtool: the driver's own answers, and counters per priority, firmware version and speed of a RoCE NIC. */
#include "lab_nic.h"

#define FIRMWARE "28.39.1002 (MT_0000000838)"

/* Calls tell() for every counter of ours, in one order: names and values come from the same walk. Like a mlx5, pause
 * counters are there only for priorities with PFC. */
static void walk(struct lab_nic *nic, void (*tell)(void *, const char *, int, u64), void *context)
{
	int p;

	for (p = 0; p < PRIORITIES; p++) {
		const struct lab_counters *c = &nic->counters[p];

		tell(context, "rx_prio%d_bytes", p, c->rx_bytes);
		tell(context, "rx_prio%d_packets", p, c->rx_packets);
		tell(context, "rx_prio%d_marked", p, c->rx_marked);
		tell(context, "rx_prio%d_discards", p, 0);
		tell(context, "tx_prio%d_bytes", p, c->tx_bytes);
		tell(context, "tx_prio%d_packets", p, c->tx_packets);
		if (!(nic->pfc.pfc_en & BIT(p)))
			continue;
		tell(context, "rx_prio%d_pause", p, c->rx_pause);
		/* A quantum is 512 bit times, the counter is in microseconds. */
		tell(context, "rx_prio%d_pause_duration", p, div_u64(c->rx_quanta * 512, lab_link_speed_mbps()));
		tell(context, "tx_prio%d_pause", p, 0);
		tell(context, "tx_prio%d_pause_duration", p, 0);
	}
}

static void count(void *context, const char *format, int priority, u64 value)
{
	(*(int *)context)++;
}

static void name(void *context, const char *format, int priority, u64 value)
{
	u8 **at = context;

	snprintf(*at, ETH_GSTRING_LEN, format, priority);
	*at += ETH_GSTRING_LEN;
}

static void store(void *context, const char *format, int priority, u64 value)
{
	u64 **at = context;

	*(*at)++ = value;
}

static int get_sset_count(struct net_device *dev, int set)
{
	struct lab_nic *nic = lab_nic_of(dev);
	int total = nic->driver_ethtool->get_sset_count(dev, set);

	if (set == ETH_SS_STATS && total >= 0)
		walk(nic, count, &total);
	return total;
}

static void get_strings(struct net_device *dev, u32 set, u8 *strings)
{
	struct lab_nic *nic = lab_nic_of(dev);

	nic->driver_ethtool->get_strings(dev, set, strings);
	if (set != ETH_SS_STATS)
		return;
	strings += ETH_GSTRING_LEN * nic->driver_ethtool->get_sset_count(dev, set);
	walk(nic, name, &strings);
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *values)
{
	struct lab_nic *nic = lab_nic_of(dev);

	nic->driver_ethtool->get_ethtool_stats(dev, stats, values);
	values += nic->driver_ethtool->get_sset_count(dev, ETH_SS_STATS);
	walk(nic, store, &values);
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	int err = lab_nic_of(dev)->driver_ethtool->get_link_ksettings(dev, settings);

	if (!err && netif_carrier_ok(dev))
		settings->base.speed = lab_link_speed_mbps();
	return err;
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	lab_nic_of(dev)->driver_ethtool->get_drvinfo(dev, info);
	strscpy(info->fw_version, FIRMWARE, sizeof(info->fw_version));
}

void lab_counters_attach(struct lab_nic *nic)
{
	nic->driver_ethtool = nic->dev->ethtool_ops;
	nic->ethtool = *nic->driver_ethtool;
	nic->ethtool.get_sset_count = get_sset_count;
	nic->ethtool.get_strings = get_strings;
	nic->ethtool.get_ethtool_stats = get_ethtool_stats;
	nic->ethtool.get_link_ksettings = get_link_ksettings;
	nic->ethtool.get_drvinfo = get_drvinfo;
	nic->dev->ethtool_ops = &nic->ethtool;
}

void lab_counters_detach(struct lab_nic *nic)
{
	nic->dev->ethtool_ops = nic->driver_ethtool;
}
