// SPDX-License-Identifier: GPL-2.0-or-later
/* Data center bridging: what `dcb` reads and writes, with the limits and the state after reset of a mlx5. */
#include <net/dcbnl.h>

#include "lab_nic.h"

#define BUFFER_TOTAL 524288
#define BUFFER_FIRST 262144
#define CABLE_METRES 7

static int get_pfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	*pfc = lab_nic_of(dev)->pfc;
	return 0;
}

/* The delay is the length of the cable in metres. 0 says nothing about it. */
static int set_pfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct lab_nic *nic = lab_nic_of(dev);

	nic->pfc.pfc_en = pfc->pfc_en;
	nic->pfc.mbc = pfc->mbc;
	if (pfc->delay)
		nic->pfc.delay = pfc->delay;
	return 0;
}

static int get_ets(struct net_device *dev, struct ieee_ets *ets)
{
	*ets = lab_nic_of(dev)->ets;
	return 0;
}

/* Bandwidth of the ETS classes adds up to all of it or is not given. */
static int set_ets(struct net_device *dev, struct ieee_ets *ets)
{
	struct lab_nic *nic = lab_nic_of(dev);
	unsigned int sum = 0, i;

	for (i = 0; i < PRIORITIES; i++) {
		if (ets->prio_tc[i] >= PRIORITIES)
			return -EINVAL;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS)
			sum += ets->tc_tx_bw[i];
		else if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER)
			return -EOPNOTSUPP;
	}
	if (sum != 0 && sum != 100)
		return -EINVAL;
	nic->ets = *ets;
	nic->ets.ets_cap = PRIORITIES;
	nic->ets.willing = 0;
	return 0;
}

static int get_maxrate(struct net_device *dev, struct ieee_maxrate *rate)
{
	*rate = lab_nic_of(dev)->maxrate;
	return 0;
}

static int set_maxrate(struct net_device *dev, struct ieee_maxrate *rate)
{
	lab_nic_of(dev)->maxrate = *rate;
	return 0;
}

static int get_buffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	*buffer = lab_nic_of(dev)->buffer;
	return 0;
}

static int set_buffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct lab_nic *nic = lab_nic_of(dev);
	u32 sum = 0, i;

	for (i = 0; i < PRIORITIES; i++) {
		if (buffer->prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
		sum += buffer->buffer_size[i];
	}
	if (sum > BUFFER_TOTAL)
		return -EINVAL;
	nic->buffer = *buffer;
	nic->buffer.total_size = BUFFER_TOTAL;
	return 0;
}

/* The port trusts DSCP from the first rule on. DSCPs without a rule have priority 0. */
static void trust(struct lab_nic *nic)
{
	bool any = false;
	int dscp;

	for (dscp = 0; dscp < DSCPS; dscp++) {
		struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP, .protocol = dscp };
		u8 mask = dcb_ieee_getapp_mask(nic->dev, &app);

		nic->dscp_priority[dscp] = mask ? fls(mask) - 1 : 0;
		any |= mask != 0;
	}
	nic->trust_dscp = any;
}

static int set_app(struct net_device *dev, struct dcb_app *app)
{
	struct dcb_app old = *app;
	int err;

	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP || app->protocol >= DSCPS)
		return -EINVAL;
	/* One DSCP has one priority: a new rule takes the place of the old one. */
	old.priority = fls(dcb_ieee_getapp_mask(dev, &old)) - 1;
	err = dcb_ieee_setapp(dev, app);
	if (!err && old.priority < PRIORITIES && old.priority != app->priority)
		dcb_ieee_delapp(dev, &old);
	trust(lab_nic_of(dev));
	return err;
}

static int del_app(struct net_device *dev, struct dcb_app *app)
{
	int err = dcb_ieee_delapp(dev, app);

	trust(lab_nic_of(dev));
	return err;
}

static u8 get_dcbx(struct net_device *dev)
{
	return DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}

static u8 set_dcbx(struct net_device *dev, u8 mode)
{
	return mode != get_dcbx(dev);
}

static const struct dcbnl_rtnl_ops operations = {
	.ieee_getpfc = get_pfc,
	.ieee_setpfc = set_pfc,
	.ieee_getets = get_ets,
	.ieee_setets = set_ets,
	.ieee_getmaxrate = get_maxrate,
	.ieee_setmaxrate = set_maxrate,
	.ieee_setapp = set_app,
	.ieee_delapp = del_app,
	.getdcbx = get_dcbx,
	.setdcbx = set_dcbx,
	.dcbnl_getbuffer = get_buffer,
	.dcbnl_setbuffer = set_buffer,
};

void lab_dcb_attach(struct lab_nic *nic)
{
	static const u8 prio_tc[PRIORITIES] = { 1, 0, 2, 3, 4, 5, 6, 7 };

	nic->pfc.pfc_cap = PRIORITIES;
	nic->pfc.delay = CABLE_METRES;
	nic->ets.ets_cap = PRIORITIES;
	memcpy(nic->ets.prio_tc, prio_tc, sizeof(prio_tc));
	memset(nic->ets.tc_tsa, IEEE_8021QAZ_TSA_VENDOR, sizeof(nic->ets.tc_tsa));
	nic->buffer.buffer_size[0] = BUFFER_FIRST;
	nic->buffer.total_size = BUFFER_TOTAL;
	nic->dev->dcbnl_ops = &operations;
}

/* The kernel keeps the rules by interface number. Forget them, or the next interface with that number has them. */
void lab_dcb_detach(struct lab_nic *nic)
{
	int dscp, priority;

	for (dscp = 0; dscp < DSCPS; dscp++) {
		struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP, .protocol = dscp };
		unsigned long mask = dcb_ieee_getapp_mask(nic->dev, &app);

		for_each_set_bit(priority, &mask, PRIORITIES) {
			app.priority = priority;
			dcb_ieee_delapp(nic->dev, &app);
		}
	}
	nic->dev->dcbnl_ops = NULL;
}
