// SPDX-License-Identifier: GPL-2.0-or-later
/* What modinfo reads, where there are no kernel headers to compile a module. */
#define INFO(name, text) \
	static const char name[] __attribute__((section(".modinfo"), used)) = #name "=" text
INFO(version, STAND_IN_VERSION);
INFO(license, "GPL");
INFO(description, "stand-in for the lab");
