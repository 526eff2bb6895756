// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Module parameters: what PCIe links report and what NICs offer, one value per rail in the order of PCI addresses.
 * Writable at run time, so that a test can let a link train badly: echo 16,8 > .../parameters/nic_width
 */
#include <linux/module.h>

#include "lab_nic.h"

#define RAILS 16
#define EIGHT(n) n, n, n, n, n, n, n, n
#define ALL(n) { EIGHT(n), EIGHT(n) }

#define PER_RAIL(name, value, text) \
	static unsigned int name[RAILS] = ALL(value); \
	module_param_array(name, uint, NULL, 0644); \
	MODULE_PARM_DESC(name, text)

PER_RAIL(nic_width, 16, "lanes that the NIC runs on");
PER_RAIL(nic_max_width, 16, "lanes that the NIC has");
PER_RAIL(nic_speed, 5, "PCIe generation that the NIC runs at");
PER_RAIL(nic_max_speed, 5, "PCIe generation of the NIC");
PER_RAIL(nic_vfs, 8, "virtual functions that the NIC offers");
PER_RAIL(gpu_width, 16, "lanes that the GPU runs on");
PER_RAIL(gpu_speed, 5, "PCIe generation that the GPU runs at");
PER_RAIL(slot_width, 16, "lanes of the slot of the NIC");

static unsigned int speed = 400000;
module_param(speed, uint, 0644);
MODULE_PARM_DESC(speed, "Mb/s that an Ethernet link reports");

static bool acs = true;
module_param(acs, bool, 0444);
MODULE_PARM_DESC(acs, "PCIe switches come up with ACS on, as under an IOMMU");

struct link {
	unsigned int width, max_width, speed, max_speed;
};

static struct link link_of(enum lab_kind kind, unsigned int rail)
{
	struct link full = { 16, 16, 5, 5 };

	rail %= RAILS;
	if (kind == LAB_NIC)
		return (struct link){ nic_width[rail], nic_max_width[rail], nic_speed[rail], nic_max_speed[rail] };
	if (kind == LAB_GPU)
		return (struct link){ gpu_width[rail], 16, gpu_speed[rail], 5 };
	if (kind == LAB_SLOT) {
		full.max_width = slot_width[rail];
		full.width = min(nic_width[rail], slot_width[rail]);
	}
	return full;
}

u32 lab_link_capability(enum lab_kind kind, unsigned int rail, u32 real)
{
	struct link link = link_of(kind, rail);

	return (real & ~(u32)(PCI_EXP_LNKCAP_SLS | PCI_EXP_LNKCAP_MLW)) | link.max_speed | link.max_width << 4;
}

u16 lab_link_status(enum lab_kind kind, unsigned int rail, u16 real)
{
	struct link link = link_of(kind, rail);

	return (real & ~(PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW)) | link.speed | link.width << 4;
}

unsigned int lab_link_vfs(unsigned int rail)
{
	return nic_vfs[rail % RAILS];
}

unsigned int lab_link_speed_mbps(void)
{
	return speed ?: 1;
}

bool lab_link_acs(void)
{
	return acs;
}
