/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module with the name and version of a vendor's, for the lab: it does nothing. */
#include <linux/init.h>
#include <linux/module.h>

#define STAND_IN(name)                                                        \
	static int __init stand_in_init(void) { return 0; }                   \
	static void __exit stand_in_exit(void) { }                            \
	module_init(stand_in_init);                                           \
	module_exit(stand_in_exit);                                           \
	MODULE_DESCRIPTION(name ", stand-in for the lab");                    \
	MODULE_LICENSE("GPL");                                                \
	MODULE_VERSION(STAND_IN_VERSION)
