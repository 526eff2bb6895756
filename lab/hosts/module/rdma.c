// SPDX-License-Identifier: GPL-2.0-or-later
/* The RDMA device of a NIC (rdma_rxe): its place on the PCI bus, its names, and tc/1/traffic_class of the OFED driver. */
#include "lab_nic.h"

static ssize_t show_class(struct kobject *folder, struct kobj_attribute *file, char *page)
{
	int value = container_of(file, struct lab_nic, traffic_class_file)->traffic_class;

	return value < 0 ? sysfs_emit(page, "\n") : sysfs_emit(page, "Global tclass=%d\n", value);
}

static ssize_t store_class(struct kobject *folder, struct kobj_attribute *file, const char *text, size_t length)
{
	struct lab_nic *nic = container_of(file, struct lab_nic, traffic_class_file);
	int value, err = kstrtoint(text, 0, &value);

	if (err)
		return err;
	if (value < -1 || value > 255)
		return -EINVAL;
	nic->traffic_class = value;
	return length;
}

static ssize_t hca_type_show(struct device *dev, struct device_attribute *file, char *page)
{
	return sysfs_emit(page, "MT4129\n");
}

static ssize_t board_id_show(struct device *dev, struct device_attribute *file, char *page)
{
	return sysfs_emit(page, "MT_0000000838\n");
}

static void firmware(struct ib_device *ib, char *text)
{
	strscpy(text, "28.39.1002", IB_FW_VERSION_NAME_MAX);
}

static DEVICE_ATTR_RO(hca_type);
static DEVICE_ATTR_RO(board_id);

static void attach(struct lab_nic *nic, struct ib_device *ib)
{
	struct kobj_attribute *file = &nic->traffic_class_file;

	nic->ib = ib;
	ib->ops.get_dev_fw_str = firmware;
	nic->linked_device = !sysfs_create_link(&ib->dev.kobj, &nic->pdev->dev.kobj, "device");
	nic->tc = kobject_create_and_add("tc", &ib->dev.kobj);
	nic->tc_port = nic->tc ? kobject_create_and_add("1", nic->tc) : NULL;
	sysfs_attr_init(&file->attr);
	file->attr.name = "traffic_class";
	file->attr.mode = 0644;
	file->show = show_class;
	file->store = store_class;
	if (!nic->tc_port || sysfs_create_file(nic->tc_port, &file->attr) ||
	    device_create_file(&ib->dev, &dev_attr_hca_type) || device_create_file(&ib->dev, &dev_attr_board_id))
		dev_err(&ib->dev, "lab_nic: files are missing\n");
}

/* Called with lab_mutex. */
void lab_rdma_detach(struct lab_nic *nic)
{
	if (!nic->ib)
		return;
	device_remove_file(&nic->ib->dev, &dev_attr_hca_type);
	device_remove_file(&nic->ib->dev, &dev_attr_board_id);
	if (nic->linked_device)
		sysfs_remove_link(&nic->ib->dev.kobj, "device");
	if (nic->tc_port)
		kobject_del(nic->tc_port); /* waits for readers and writers of the file */
	kobject_put(nic->tc_port);
	kobject_put(nic->tc);
	nic->tc = nic->tc_port = NULL;
	nic->ib = NULL;
}

static int on_add(struct ib_device *ib)
{
	struct lab_nic *nic;

	mutex_lock(&lab_mutex);
	list_for_each_entry(nic, &lab_nics, list) {
		struct ib_device *own = ib_device_get_by_netdev(nic->dev, RDMA_DRIVER_UNKNOWN);

		if (own == ib && !nic->ib)
			attach(nic, ib);
		if (own)
			ib_device_put(own);
	}
	mutex_unlock(&lab_mutex);
	return 0;
}

static void on_remove(struct ib_device *ib, void *unused)
{
	struct lab_nic *nic;

	mutex_lock(&lab_mutex);
	list_for_each_entry(nic, &lab_nics, list)
		if (nic->ib == ib)
			lab_rdma_detach(nic);
	mutex_unlock(&lab_mutex);
}

static struct ib_client client = { .name = "lab_nic", .add = on_add, .remove = on_remove };

int lab_rdma_register(void)
{
	return ib_register_client(&client);
}
