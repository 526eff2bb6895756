// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Configuration space: what lspci, setpci and the kernel read of NICs, GPUs and the bridges above them.
 *
 * QEMU's e1000e is a NIC of PCIe generation 1 with one lane, its test device has a large BAR and no PCIe
 * capability, and the ports of its PCIe switch have no ACS. Reads pass through here and get other answers:
 *   NIC:  ids of a ConnectX-7, a PCIe capability of our own, SR-IOV
 *   GPU:  ids and class of an H100 (the BAR is real), a PCIe capability of our own
 *   port: speed and width; ACS in ports of a switch
 */
#include <linux/module.h>

#include "lab_nic.h"

#define QEMU_NIC 0x10d3
#define QEMU_TEST_DEVICE 0x0005

#define NIC_IDS 0x102115b3 /* device and vendor, as the first register has them */
#define NIC_SUBSYSTEM 0x004115b3
#define NIC_VF_DEVICE 0x101e
#define GPU_IDS 0x233010de
#define GPU_SUBSYSTEM 0x16c110de
#define GPU_CLASS 0x030200a1 /* 3D controller, revision a1 */

#define OWN_PCIE 0x40 /* our PCIe capability: free space in both devices */
#define OWN_PCIE_END 0x7c
#define OWN_EXTENDED 0x200 /* our extended capability, behind the device's own */
#define EXTENDED 0x100

#define SPEEDS 0x3e /* generations 1 to 5 */
#define PAYLOAD_256 0x8001
#define READ_512 0x2810
#define ACS_OFFERED 0x5f
#define ACS_UNDER_IOMMU 0x1d /* what the kernel switches on: SrcValid ReqRedir CmpltRedir UpstreamFwd */

#define MAX_FUNCTIONS 64

struct function {
	struct pci_bus *bus;
	unsigned int devfn;
	enum lab_kind kind;
	unsigned int rail;
	u8 pcie;	/* port: its own PCIe capability */
	u8 pointer;	/* NIC, GPU: where the pointer is that leads to our capability */
	u8 next;	/* ... and where the list goes on */
	u16 last;	/* the last of the device's extended capabilities, 0: nothing is added */
	u16 device_control;
	u16 acs_control;
};

struct hooked_bus {
	struct pci_bus *bus;
	struct pci_ops *real;
	struct pci_ops ops;
};

static struct function functions[MAX_FUNCTIONS];
static struct hooked_bus buses[MAX_FUNCTIONS];
static unsigned int n_functions, n_buses;

static struct function *find_function(const struct pci_bus *bus, unsigned int devfn)
{
	unsigned int i;

	for (i = 0; i < n_functions; i++)
		if (functions[i].bus == bus && functions[i].devfn == devfn)
			return &functions[i];
	return NULL;
}

static struct hooked_bus *find_bus(const struct pci_bus *bus)
{
	unsigned int i;

	for (i = 0; i < n_buses; i++)
		if (buses[i].bus == bus)
			return &buses[i];
	return NULL;
}

static bool is_port(const struct function *f)
{
	return f->kind == LAB_PORT || f->kind == LAB_SLOT;
}

/* -- answers: a register of 32 bits, given what the device says ------------------------------------------------ */
static u32 own_pcie(const struct function *f, int reg)
{
	switch (reg) {
	case 0:
		return PCI_CAP_ID_EXP | f->next << 8 | 2 << 16; /* version 2, endpoint */
	case PCI_EXP_DEVCAP:
		return PAYLOAD_256;
	case PCI_EXP_DEVCTL:
		return f->device_control;
	case PCI_EXP_LNKCAP:
		return lab_link_capability(f->kind, f->rail, 0);
	case PCI_EXP_LNKCTL:
		return (u32)lab_link_status(f->kind, f->rail, 0) << 16;
	case PCI_EXP_LNKCAP2:
		return SPEEDS;
	case PCI_EXP_LNKCTL2:
		return PCI_EXP_LNKCTL2_TLS_32_0GT;
	}
	return 0;
}

static u32 sriov(const struct function *f, int reg)
{
	u32 vfs = lab_link_vfs(f->rail);

	switch (reg) {
	case 0:
		return PCI_EXT_CAP_ID_SRIOV | 1 << 16;
	case PCI_SRIOV_INITIAL_VF:
		return vfs | vfs << 16; /* initial and total */
	case PCI_SRIOV_VF_OFFSET:
		return 1 | 1 << 16; /* offset and stride */
	case PCI_SRIOV_VF_DID - 2:
		return NIC_VF_DEVICE << 16;
	case PCI_SRIOV_SUP_PGSIZE:
		return 0x553;
	case PCI_SRIOV_SYS_PGSIZE:
		return 1;
	}
	return 0;
}

static u32 acs(const struct function *f, int reg)
{
	switch (reg) {
	case 0:
		return PCI_EXT_CAP_ID_ACS | 1 << 16;
	case PCI_ACS_CAP:
		return ACS_OFFERED | f->acs_control << 16;
	}
	return 0;
}

static u32 port_register(const struct function *f, int at, u32 real)
{
	if (at == f->pcie + PCI_EXP_LNKCAP)
		return lab_link_capability(f->kind, f->rail, real);
	if (at == f->pcie + PCI_EXP_LNKCTL)
		return (real & 0xffff) | (u32)lab_link_status(f->kind, f->rail, real >> 16) << 16;
	if (at == f->pcie + PCI_EXP_LNKCAP2)
		return SPEEDS;
	return real;
}

static u32 endpoint_register(const struct function *f, int at, u32 real)
{
	bool gpu = f->kind == LAB_GPU;
	unsigned int shift = (f->pointer & 3) * 8;

	if (at >= OWN_PCIE && at < OWN_PCIE_END)
		return own_pcie(f, at - OWN_PCIE);
	if (at == (f->pointer & ~3))
		return (real & ~(0xffu << shift)) | OWN_PCIE << shift;
	switch (at) {
	case PCI_VENDOR_ID:
		return gpu ? GPU_IDS : NIC_IDS;
	case PCI_COMMAND:
		return real | PCI_STATUS_CAP_LIST << 16;
	case PCI_CLASS_REVISION:
		return gpu ? GPU_CLASS : real;
	case PCI_SUBSYSTEM_VENDOR_ID:
		return gpu ? GPU_SUBSYSTEM : NIC_SUBSYSTEM;
	}
	return gpu && at >= EXTENDED ? 0 : real; /* QEMU has no extended space for it and answers with ones */
}

static bool adds_extended(const struct function *f)
{
	return f->last && (f->kind != LAB_NIC || lab_link_vfs(f->rail));
}

static u32 answer(const struct function *f, int at, u32 real)
{
	if (adds_extended(f)) {
		if (at == f->last)
			return (real & 0xfffff) | OWN_EXTENDED << 20;
		if (at >= OWN_EXTENDED)
			return is_port(f) ? acs(f, at - OWN_EXTENDED) : sriov(f, at - OWN_EXTENDED);
	}
	return is_port(f) ? port_register(f, at, real) : endpoint_register(f, at, real);
}

/* -- access: called with the kernel's lock of configuration space ------------------------------------------------ */
static int lab_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	const struct function *f = find_function(bus, devfn);
	int err;
	u32 reg;

	if (!f)
		return find_bus(bus)->real->read(bus, devfn, where, size, value);
	err = find_bus(bus)->real->read(bus, devfn, where & ~3, 4, &reg);
	if (err)
		return err;
	reg = answer(f, where & ~3, reg) >> (where & 3) * 8;
	*value = size == 4 ? reg : reg & (BIT(size * 8) - 1);
	return 0;
}

static int lab_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct function *f = find_function(bus, devfn);

	if (f && !is_port(f) && where >= OWN_PCIE && where < OWN_PCIE_END) {
		if (where == OWN_PCIE + PCI_EXP_DEVCTL && size >= 2)
			f->device_control = value;
		return 0;
	}
	if (f && adds_extended(f) && where >= OWN_EXTENDED) {
		if (is_port(f) && where == OWN_EXTENDED + PCI_ACS_CTRL)
			f->acs_control = value & ACS_OFFERED;
		return 0;
	}
	return find_bus(bus)->real->write(bus, devfn, where, size, value);
}

/* -- set-up -------------------------------------------------------------------------------------------------------- */
static u16 last_extended(struct pci_dev *pdev)
{
	u32 header = 0;
	u16 at = EXTENDED;

	while (!pci_read_config_dword(pdev, at, &header) && header && header != U32_MAX && PCI_EXT_CAP_NEXT(header))
		at = PCI_EXT_CAP_NEXT(header);
	return header && header != U32_MAX ? at : 0;
}

/* Where the pointer to the PCIe capability of the device is, and where that leads; without one, the head of the list. */
static void find_pointer(struct pci_dev *pdev, struct function *f)
{
	u8 at = PCI_CAPABILITY_LIST, to;

	pci_read_config_byte(pdev, at, &to);
	while (pdev->pcie_cap && to && to != pdev->pcie_cap) {
		at = to + PCI_CAP_LIST_NEXT;
		pci_read_config_byte(pdev, at, &to);
	}
	f->pointer = at;
	f->next = to;
	if (pdev->pcie_cap)
		pci_read_config_byte(pdev, to + PCI_CAP_LIST_NEXT, &f->next);
}

static int hook(struct pci_dev *pdev, enum lab_kind kind, unsigned int rail)
{
	struct function *f = &functions[n_functions];
	struct hooked_bus *b = find_bus(pdev->bus);

	if (find_function(pdev->bus, pdev->devfn))
		return 0;
	if (n_functions == MAX_FUNCTIONS)
		return -ENOSPC;
	*f = (struct function){ .bus = pdev->bus, .devfn = pdev->devfn, .kind = kind, .rail = rail };
	f->device_control = READ_512;
	f->pcie = pdev->pcie_cap;
	if (is_port(f)) {
		if (!pdev->acs_cap && pci_pcie_type(pdev) == PCI_EXP_TYPE_DOWNSTREAM)
			f->last = last_extended(pdev);
		f->acs_control = lab_link_acs() ? ACS_UNDER_IOMMU : 0;
	} else {
		find_pointer(pdev, f);
		f->last = kind == LAB_NIC ? last_extended(pdev) : 0;
	}
	n_functions++;
	if (!b) {
		b = &buses[n_buses];
		b->bus = pdev->bus;
		b->real = pdev->bus->ops;
		b->ops = *b->real;
		b->ops.read = lab_read;
		b->ops.write = lab_write;
		n_buses++;
		pci_bus_set_ops(pdev->bus, &b->ops);
	}
	return 0;
}

static int hook_with_bridges(struct pci_dev *pdev, enum lab_kind kind, unsigned int rail)
{
	enum lab_kind above = kind == LAB_NIC ? LAB_SLOT : LAB_PORT;
	int err = hook(pdev, kind, rail);
	struct pci_dev *bridge;

	for (bridge = pci_upstream_bridge(pdev); bridge && !err; bridge = pci_upstream_bridge(bridge)) {
		err = hook(bridge, above, rail);
		above = LAB_PORT;
	}
	return err;
}

static ssize_t sriov_totalvfs_show(struct device *dev, struct device_attribute *file, char *page)
{
	struct pci_dev *pdev = to_pci_dev(dev);

	return sysfs_emit(page, "%u\n", lab_link_vfs(find_function(pdev->bus, pdev->devfn)->rail));
}

static ssize_t sriov_numvfs_show(struct device *dev, struct device_attribute *file, char *page)
{
	return sysfs_emit(page, "0\n");
}

static DEVICE_ATTR_RO(sriov_totalvfs);
static DEVICE_ATTR_RO(sriov_numvfs);

/* The driver knows the device already, or will: the kernel's picture of it changes in place, and the driver learns the
 * new ids, so that it can be bound again. */
static int make_nic(struct pci_dev *pdev, struct pci_driver *driver, unsigned int rail)
{
	const struct pci_device_id *id = pci_match_id(driver->id_table, pdev);
	int err = hook_with_bridges(pdev, LAB_NIC, rail);

	if (err || !id)
		return err ?: -ENODEV;
	pdev->vendor = NIC_IDS & 0xffff;
	pdev->device = NIC_IDS >> 16;
	pdev->subsystem_vendor = NIC_SUBSYSTEM & 0xffff;
	pdev->subsystem_device = NIC_SUBSYSTEM >> 16;
	pdev->pcie_cap = OWN_PCIE;
	pdev->pcie_flags_reg = 2;
	if (lab_link_vfs(rail))
		err = device_create_file(&pdev->dev, &dev_attr_sriov_totalvfs) ?:
		      device_create_file(&pdev->dev, &dev_attr_sriov_numvfs);
	if (!err && rail == 0)
		err = pci_add_dynid(driver, pdev->vendor, pdev->device, PCI_ANY_ID, PCI_ANY_ID, 0, 0, id->driver_data);
	return err;
}

/* No driver yet: the kernel forgets the device and finds another one in its place. */
static int make_gpu(struct pci_dev *pdev, unsigned int rail)
{
	struct pci_bus *bus = pdev->bus;
	int err = hook_with_bridges(pdev, LAB_GPU, rail);

	if (err)
		return err;
	pci_lock_rescan_remove();
	pci_stop_and_remove_bus_device(pdev);
	pci_rescan_bus(bus);
	pci_unlock_rescan_remove();
	return 0;
}

/* All devices of a kind, in the order of their addresses, which need not be the order in which the kernel found them. */
static unsigned int find_devices(unsigned int vendor, unsigned int device, struct pci_dev **found)
{
	struct pci_dev *pdev = NULL;
	unsigned int n = 0, at;

	while (n < MAX_FUNCTIONS && (pdev = pci_get_device(vendor, device, pdev))) {
		for (at = n++; at && found[at - 1]->bus->number > pdev->bus->number; at--)
			found[at] = found[at - 1];
		found[at] = pci_dev_get(pdev);
	}
	pci_dev_put(pdev);
	return n;
}

int lab_pci_register(void)
{
	static struct pci_dev *found[MAX_FUNCTIONS];
	struct device_driver *driver = driver_find("e1000e", &pci_bus_type);
	unsigned int rail, n;
	int err = 0;

	if (!driver)
		return -ENODEV;
	n = find_devices(PCI_VENDOR_ID_INTEL, QEMU_NIC, found);
	for (rail = 0; rail < n; rail++) {
		err = err ?: make_nic(found[rail], to_pci_driver(driver), rail);
		pci_dev_put(found[rail]);
	}
	n = find_devices(PCI_VENDOR_ID_REDHAT, QEMU_TEST_DEVICE, found);
	for (rail = 0; rail < n; rail++) {
		err = err ?: make_gpu(found[rail], rail);
		pci_dev_put(found[rail]);
	}
	return err;
}
