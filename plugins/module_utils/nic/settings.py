# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NIC has to be: one flat table of settings, made of the fabric's policy. Plain data, fit for JSON."""

from __future__ import annotations

PRIORITIES = range(8)
DSCPS = range(64)

# In the order of writing. Pause off before PFC on (a port does one or the other), PFC before packets are sent into the
# class it protects.
ORDER = (
    "dcbx",
    "global_pause",
    "cable_length",
    "pfc",
    "priority_to_buffer",
    "buffer_size",
    "ets",
    "trust",
    "dscp_to_priority",
    "dcqcn_notification",
    "dcqcn_reaction",
    "cnp_dscp",
    "cnp_priority",
    "rdma_cm_mode",
    "rdma_cm_tos",
    "traffic_class",
)
# Without these a NIC is not lossless; that one cannot do them is an error, not a remark.
REQUIRED = ("global_pause", "pfc", "trust", "dscp_to_priority")
RDMA = ("rdma_cm_mode", "rdma_cm_tos", "traffic_class")

# Congestion control (DCQCN) of a ConnectX: folder and file of the OFED driver below /sys/class/net/IF/ecn, file of the
# kernel's debugfs below /sys/kernel/debug/mlx5/PCI/cc_params (Linux drivers/infiniband/hw/mlx5/cong.c), firmware name.
CONGESTION = {
    "cnp_dscp": ("roce_np", "cnp_dscp", "np_cnp_dscp", "CNP_DSCP"),
    "cnp_priority": ("roce_np", "cnp_802p_prio", "np_cnp_prio", "CNP_802P_PRIO"),
    "min_time_between_cnps": ("roce_np", "min_time_between_cnps", "np_min_time_between_cnps", "MIN_TIME_BETWEEN_CNPS"),
    "clamp_tgt_rate": ("roce_rp", "clamp_tgt_rate", "rp_clamp_tgt_rate", "CLAMP_TGT_RATE"),
    "clamp_tgt_rate_after_time_inc": (
        "roce_rp",
        "clamp_tgt_rate_after_time_inc",
        "rp_clamp_tgt_rate_ati",
        "CLAMP_TGT_RATE_AFTER_TIME_INC",
    ),
    "dce_tcp_g": ("roce_rp", "dce_tcp_g", "rp_dce_tcp_g", "DCE_TCP_G"),
    "dce_tcp_rtt": ("roce_rp", "dce_tcp_rtt", "rp_dce_tcp_rtt", "DCE_TCP_RTT"),
    "initial_alpha_value": ("roce_rp", "initial_alpha_value", "rp_initial_alpha_value", "INITIAL_ALPHA_VALUE"),
    "rate_to_set_on_first_cnp": (
        "roce_rp",
        "rate_to_set_on_first_cnp",
        "rp_rate_to_set_on_first_cnp",
        "RATE_TO_SET_ON_FIRST_CNP",
    ),
    "rate_reduce_monitor_period": (
        "roce_rp",
        "rate_reduce_monitor_period",
        "rp_rate_reduce_monitor_period",
        "RATE_REDUCE_MONITOR_PERIOD",
    ),
    "rpg_min_dec_fac": ("roce_rp", "rpg_min_dec_fac", "rp_min_dec_fac", "RPG_MIN_DEC_FAC"),
    "rpg_min_rate": ("roce_rp", "rpg_min_rate", "rp_min_rate", "RPG_MIN_RATE"),
    "rpg_max_rate": ("roce_rp", "rpg_max_rate", "rp_max_rate", "RPG_MAX_RATE"),
    "rpg_gd": ("roce_rp", "rpg_gd", "rp_gd", "RPG_GD"),
    "rpg_time_reset": ("roce_rp", "rpg_time_reset", "rp_time_reset", "RPG_TIME_RESET"),
    "rpg_byte_reset": ("roce_rp", "rpg_byte_reset", "rp_byte_reset", "RPG_BYTE_RESET"),
    "rpg_threshold": ("roce_rp", "rpg_threshold", "rp_threshold", "RPG_THRESHOLD"),
    "rpg_ai_rate": ("roce_rp", "rpg_ai_rate", "rp_ai_rate", "RPG_AI_RATE"),
    "rpg_hai_rate": ("roce_rp", "rpg_hai_rate", "rp_hai_rate", "RPG_HAI_RATE"),
}
PARAMETERS = tuple(name for name in CONGESTION if name not in ("cnp_dscp", "cnp_priority"))
PREFIX = "dcqcn."


def wanted(roce, options, nic):
    """Settings of one NIC. roce: the model's host.roce; options: what the model does not say; nic: one of its NICs."""
    lossless, cnp = roce["priority"], roce["cnp_priority"]
    default = options["default_priority"]
    classes = (lossless, cnp, default)
    if len(set(classes)) != 3:
        raise ValueError(
            f"expected three different priorities for RoCE, CNP and the rest, found {lossless}, {cnp} and {default}"
            " (change one of them in the intent)"
        )
    values = {"dcbx": "os", "global_pause": {"rx": False, "tx": False}, "pfc": [lossless]}
    if nic.get("cable_length"):
        values["cable_length"] = nic["cable_length"]
    for name in ("priority_to_buffer", "buffer_size"):
        if nic.get(name):
            values[name] = list(nic[name])
    share = options["roce_share"]
    if share:
        values["ets"] = ets(lossless, cnp, default, share)
    values["trust"] = "dscp" if roce["trust"] == "dscp" else "pcp"
    if values["trust"] == "dscp":
        values["dscp_to_priority"] = dscp_map(roce, default)
    dcqcn = options["dcqcn"]
    for key in ("dcqcn_notification", "dcqcn_reaction"):
        values[key] = {str(lossless): bool(dcqcn["enabled"])}
    values["cnp_dscp"], values["cnp_priority"] = roce["cnp_dscp"][0], cnp
    for name, value in sorted((dcqcn["parameters"] or {}).items()):
        if name not in PARAMETERS:
            raise ValueError(f"expected a DCQCN parameter of {', '.join(PARAMETERS)}, found {name} (correct the name)")
        values[PREFIX + name] = int(value)
    tos = roce["dscp"][0] << 2 | (2 if options["ect"] else 0)
    values["rdma_cm_mode"], values["rdma_cm_tos"], values["traffic_class"] = "RoCE v2", tos, tos
    return values


def ets(lossless, cnp, default, share):
    """RoCE and the rest share the port, CNP goes first; priorities that nobody uses go with the rest."""
    priority_to_tc = [default] * 8
    priority_to_tc[lossless], priority_to_tc[cnp] = lossless, cnp
    tsa, bandwidth = ["strict"] * 8, [0] * 8
    tsa[lossless] = tsa[default] = "ets"
    bandwidth[lossless], bandwidth[default] = share, 100 - share
    return {"priority_to_tc": priority_to_tc, "tsa": tsa, "bandwidth": bandwidth}


def dscp_map(roce, default):
    """Priority of each of the 64 DSCPs, complete as on the switches: what no class names goes to the default."""
    table = [default] * 64
    for dscps, priority in ((roce["dscp"], roce["priority"]), (roce["cnp_dscp"], roce["cnp_priority"])):
        for dscp in dscps:
            table[dscp] = priority
    return table


def ordered(keys):
    """Keys in the order of writing; DCQCN parameters last but for the RDMA values, by name."""
    known = [key for key in ORDER if key in keys]
    extra = sorted(key for key in keys if key.startswith(PREFIX))
    at = len([key for key in known if key not in RDMA])
    return known[:at] + extra + known[at:]


def same(key, want, have):
    """Whether a value is as wanted. What the wanted value does not speak of is not compared."""
    if have is None:
        return False
    if key in ("dcqcn_notification", "dcqcn_reaction"):
        return all(have.get(priority) == on for priority, on in want.items())
    if key == "ets":
        # The bandwidth of a strict class means nothing; mlx5 tells 100 for it. None: the tool did not tell.
        for tc, algorithm in enumerate(want["tsa"]):
            if have["tsa"][tc] not in (algorithm, None):
                return False
            if algorithm == "ets" and have["bandwidth"][tc] != want["bandwidth"][tc]:
                return False
        return have["priority_to_tc"] == want["priority_to_tc"]
    return have == want


def brief(key, value):
    """A value in one short phrase."""
    return "the map of 64 DSCPs" if key == "dscp_to_priority" else value


def shown(key, want, have):
    """Before and after as people want to see them: of long tables only what differs."""
    if key == "dscp_to_priority":
        old = have or [None] * 64
        differing = [dscp for dscp in DSCPS if old[dscp] != want[dscp]]
        return {str(d): old[d] for d in differing}, {str(d): want[d] for d in differing}
    if key in ("dcqcn_notification", "dcqcn_reaction"):
        return {p: (have or {}).get(p) for p in want}, dict(want)
    return have, want
