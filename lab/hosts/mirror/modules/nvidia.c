// SPDX-License-Identifier: GPL-2.0-or-later
/* Stand-in for the GPU driver: says its version where the driver does, and does nothing else. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static struct proc_dir_entry *folder;

static int show(struct seq_file *file, void *unused)
{
	seq_puts(file, "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  " STAND_IN_VERSION
		       "  Release Build  (stand-in for the lab)\n");
	return 0;
}

static int __init nvidia_init(void)
{
	folder = proc_mkdir("driver/nvidia", NULL);
	if (!folder)
		return -ENOMEM;
	proc_create_single("version", 0444, folder, show);
	return 0;
}

static void __exit nvidia_exit(void)
{
	proc_remove(folder);
}

module_init(nvidia_init);
module_exit(nvidia_exit);
MODULE_DESCRIPTION("nvidia, stand-in for the lab");
MODULE_LICENSE("GPL");
MODULE_VERSION(STAND_IN_VERSION);
