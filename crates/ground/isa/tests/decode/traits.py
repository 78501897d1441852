#!/usr/bin/env python3
"""Writes traits.txt: what the pseudocode of AMD's manuals says of instructions, in the words of the test `traits`.

    python3 traits.py ARCHITECTURE.json... > traits.txt

Each file has "architecture" and "instructions", a list of objects with "format", "name" and "pseudocode".
"""

import itertools
import json
import re
import sys

BITS = r"\.[bfiu](8|16|32|64|96|128|256|512)\b"


def memory(lines, facts):
    """What is accessed in memory, and how much of a register it fills."""
    size, known, places = 0, True, set()
    for line in lines:
        target, equals, value = re.fullmatch(r"(?:(.*?) ([-+&|^]?=) )?(.*)", line).groups()
        target = target or ""
        if "MEM[" in value or ("MEM[" in target and equals != "="):
            facts.add("LOAD")
        if "MEM[" in target:
            facts.add("STORE")
        for place, bits in re.findall(r"MEM\[((?:[^][]|\[[^]]*\])*)\](?:\.[bfiu](\d+))?", line):
            known &= bool(bits)
            if bits and place.lower() not in places:
                places.add(place.lower())
                size += int(bits) // 8
        if re.search(r"OFFSET1\.u32 \* (256|512)U", line):
            facts.add("STRIDE64")
    text = "\n".join(lines)
    if "OFFSET1.u32 *" in text:
        facts.add("PAIR")
    if places and known:
        facts.add(f"BYTES={size}")
    # A part of what one load fills: the rest stays.
    filled = set(re.findall(r"VDATA\[(\d+ : \d+)\]\S* =", text) + re.findall(r"RETURN_DATA\[(\d+ : \d+)\]\S* =", text))
    if filled == {"15 : 0"}:
        facts.add("HALF=low")
    if filled == {"31 : 16"}:
        facts.add("HALF=high")


def mask(lines, facts):
    """The Boolean function of scalar instructions that work on bits, by its values: a and b are 0 0, 0 1, 1 0 and 1 1."""
    sides = [line.split(" = ", 1) for line in lines if " = " in line]
    if any(not re.fullmatch(r"(D0|EXEC|SCC|saveexec)(\.[bu](32|64))?", side[0]) for side in sides):
        return
    assigned = {re.sub(r"\..*", "", side[0]): side[1] for side in sides}
    saves, changes = "saveexec" in assigned, "EXEC" in assigned
    value = assigned.get("EXEC") if changes else assigned.get("D0")
    if value is None or "if " in "\n".join(lines):
        return
    size = re.search(r"\.[bu](32|64)", value)
    value = re.sub(r"\.[bu](32|64)", "", value)
    if not re.fullmatch(r"[()~&|^ SEXC01]+", value) or size is None:
        return
    value = value.replace("EXEC", "b").replace("S0", "a").replace("S1", "b")
    table = "".join(str(eval(value, {"a": a, "b": b}) & 1) for a, b in itertools.product((0, 1), repeat=2))
    facts.add(f"MASK={table}")
    facts.add(f"DWORDS={int(size.group(1)) // 32}")
    if changes:
        facts.add("SAVES" if saves else "WRITES")


def facts_of(name, encoding, pseudocode):
    facts = set()
    lines = [re.sub(r"//.*", "", line).strip().rstrip(";") for line in pseudocode.split("\n")]
    lines = [line for line in lines if line and not line.startswith("declare")]
    text = "\n".join(lines)
    if re.search(r"^D0\S* = PC\b", text, re.M):
        facts.add("READS_PC")
    if re.search(r"^PC \+?= |PC, EXEC }", text, re.M):
        facts.add("JUMPS")
    lanes = re.findall(r"VGPR\[((?:[^][]|\[[^]]*\])*)\]", text)
    if any(lane != "laneId" for lane in lanes):
        facts.add("LANES")
    if re.search(r"VGPR\[laneId\]\[(addr|sdst|tmp)", text):
        facts.add("VECTOR_INDEX")
    if "SGPR[addr" in text and "M0" in text:
        facts.add("SCALAR_INDEX")
    if re.search(r"^HW_REGISTERS\S* = ", text, re.M):
        facts.add("WRITES_HARDWARE")
    elif "HW_REGISTERS" in text:
        facts.add("READS_HARDWARE")
    if encoding.startswith(("VOP", "SDWA", "DPP")):
        if re.search(r"^EXEC\.u64\[laneId\] = ", text, re.M):
            facts.add("COMPARES_TO_EXEC")
        elif re.search(r"^D0\.u64\[laneId\] = ", text, re.M):
            facts.add("COMPARES")
        results = re.findall(r"^D0((?:\[[^]]*\])*(?:\.\w+)?)\S* = ", text, re.M)
        halves = [re.fullmatch(r"\.[bfiu]16|\.bf16|\[15 : 0\](\.\w+)?", result) for result in results]
        if results and all(halves):
            facts.add("RESULT_16")
        elif results:
            facts.add("RESULT_32")
    if encoding in ("SOP1", "SOP2"):
        mask(lines, facts)
    if re.fullmatch(r"if SCC then\nD0\S* = .*\nendif", text):
        facts.add("KEEPS")
    if "MEM[" in text:
        memory(lines, facts)
    return facts


def main():
    found = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            of_file = json.load(file)
        for instruction in of_file["instructions"]:
            if not instruction["pseudocode"]:
                continue
            facts = facts_of(instruction["name"], instruction["format"], instruction["pseudocode"])
            name = re.sub(r"_E(32|64)$", "", instruction["name"])
            key = (instruction["format"], name, " ".join(sorted(facts)) or "-")
            found.setdefault(key, []).append(of_file["architecture"])
    rows = {}
    for (encoding, name, facts), architectures in found.items():
        rows.setdefault((",".join(architectures), encoding, facts), []).append(name)
    print("# What the pseudocode of AMD's manuals says of instructions. Written by traits.py, which says what the words mean.")
    print("# architectures | encoding | words | instructions")
    for (architectures, encoding, facts), names in sorted(rows.items()):
        print(f"{architectures} | {encoding} | {facts} | {' '.join(sorted(set(names)))}")


main()
