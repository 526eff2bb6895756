// SPDX-License-Identifier: GPL-2.0-or-later
/* Congestion control (DCQCN): files below /sys/class/net/IF/ecn, as the OFED driver has them. */
#include "lab_nic.h"

struct setting {
	const char *name;
	u32 value, max;
};

static const struct setting np_settings[NP_VALUES] = {
	{ "cnp_dscp", 48, 63 }, { "cnp_802p_prio", 6, 7 }, { "min_time_between_cnps", 4, 4095 },
};

static const struct setting rp_settings[RP_VALUES] = {
	{ "clamp_tgt_rate", 0, 1 },
	{ "clamp_tgt_rate_after_time_inc", 1, 1 },
	{ "dce_tcp_g", 1019, 1023 },
	{ "dce_tcp_rtt", 1, 131071 },
	{ "initial_alpha_value", 1023, 1023 },
	{ "rate_reduce_monitor_period", 4, U32_MAX },
	{ "rate_to_set_on_first_cnp", 0, U32_MAX },
	{ "rpg_ai_rate", 5, U32_MAX },
	{ "rpg_byte_reset", 32767, 32767 },
	{ "rpg_gd", 11, 15 },
	{ "rpg_hai_rate", 50, U32_MAX },
	{ "rpg_max_rate", 0, U32_MAX },
	{ "rpg_min_dec_fac", 50, 100 },
	{ "rpg_min_rate", 1, U32_MAX },
	{ "rpg_threshold", 1, 31 },
	{ "rpg_time_reset", 300, 131071 },
};

static const char *const digits[PRIORITIES] = { "0", "1", "2", "3", "4", "5", "6", "7" };

static ssize_t show(struct kobject *folder, struct kobj_attribute *file, char *page)
{
	return sysfs_emit(page, "%u\n", container_of(file, struct lab_value, file)->value);
}

static ssize_t store(struct kobject *folder, struct kobj_attribute *file, const char *text, size_t length)
{
	struct lab_value *value = container_of(file, struct lab_value, file);
	u32 number;
	int err = kstrtou32(text, 0, &number);

	if (err)
		return err;
	if (number > value->max)
		return -EINVAL;
	value->value = number;
	return length;
}

static int add(struct kobject *folder, struct lab_value *value, const char *name, u32 now, u32 max)
{
	sysfs_attr_init(&value->file.attr);
	value->file.attr.name = name;
	value->file.attr.mode = 0644;
	value->file.show = show;
	value->file.store = store;
	value->value = now;
	value->max = max;
	return sysfs_create_file(folder, &value->file.attr);
}

static int add_all(struct kobject *folder, struct lab_value *values, const struct setting *settings, int count)
{
	int err = 0, i;

	for (i = 0; i < count && !err; i++)
		err = add(folder, &values[i], settings[i].name, settings[i].value, settings[i].max);
	return err;
}

static int add_enable(struct kobject *folder, struct lab_value *values)
{
	int err = 0, i;

	for (i = 0; i < PRIORITIES && !err; i++)
		err = add(folder, &values[i], digits[i], 1, 1);
	return err;
}

int lab_ecn_attach(struct lab_nic *nic)
{
	int err = -ENOMEM;

	nic->ecn = kobject_create_and_add("ecn", &nic->dev->dev.kobj);
	nic->np = nic->ecn ? kobject_create_and_add("roce_np", nic->ecn) : NULL;
	nic->rp = nic->np ? kobject_create_and_add("roce_rp", nic->ecn) : NULL;
	nic->np_enable = nic->rp ? kobject_create_and_add("enable", nic->np) : NULL;
	nic->rp_enable = nic->np_enable ? kobject_create_and_add("enable", nic->rp) : NULL;
	if (nic->rp_enable)
		err = add_all(nic->np, nic->np_values, np_settings, NP_VALUES) ?:
		      add_all(nic->rp, nic->rp_values, rp_settings, RP_VALUES) ?:
		      add_enable(nic->np_enable, nic->np_enabled) ?:
		      add_enable(nic->rp_enable, nic->rp_enabled);
	if (err)
		lab_ecn_detach(nic);
	return err;
}

static void drop(struct kobject *folder)
{
	if (folder)
		kobject_del(folder); /* waits for readers and writers of its files */
	kobject_put(folder);
}

void lab_ecn_detach(struct lab_nic *nic)
{
	drop(nic->np_enable);
	drop(nic->rp_enable);
	drop(nic->np);
	drop(nic->rp);
	drop(nic->ecn);
}
