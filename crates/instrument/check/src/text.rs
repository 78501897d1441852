//! A finding for people to read.

use crate::{Access, Allocation, Copies, Finding, Free, Grade, Kind, Leak, Meeting, Read};
use std::fmt::{Result, Write};

/// Writes one finding; `file` is where it was found.
pub fn write_finding(out: &mut impl Write, file: &str, finding: &Finding) -> Result {
    let grade = match finding.grade {
        Grade::Certain => "error",
        Grade::Possible => "possible",
    };
    let kind = finding.kind.name();
    writeln!(out, "{grade}[{kind}]: {}", finding.message)?;
    let at = |place: &crate::Place| match place.source.first() {
        Some(source) => format!("+{:#x}, {source}", place.offset),
        None => format!("+{:#x}", place.offset),
    };
    writeln!(out, "  --> {file}{}", inside(&finding.object))?;
    if let Some(free) = &finding.free {
        return write_free(out, free, finding);
    }
    if let Some(read) = &finding.read {
        return write_read(out, read, finding);
    }
    if let Some(leak) = &finding.leak {
        return write_leak(out, leak, finding);
    }
    if let Some(copies) = &finding.copies {
        return write_copies(out, copies, finding);
    }
    writeln!(out, "      {} for {}", finding.function, finding.target)?;
    match &finding.producer {
        Some(producer) => {
            let (first, then) = match finding.kind {
                Kind::LdsRace | Kind::GlobalRace => ("first", "then"),
                Kind::UndefinedAddress | Kind::UndefinedCondition => ("loaded", "used"),
                Kind::NanStored | Kind::InfinityStored => ("made", "stored"),
                Kind::NanCompared => ("made", "compared"),
                _ => ("issued", "not waited for"),
            };
            writeln!(out, "      {first} at {}", at(producer))?;
            write_inlined(out, producer)?;
            writeln!(out, "      {then} at {}", at(&finding.consumer))?;
        }
        None => writeln!(out, "      at {}", at(&finding.consumer))?,
    }
    write_inlined(out, &finding.consumer)?;
    if let Some(access) = &finding.access {
        write_access(out, access)?;
    }
    if let Some(meeting) = &finding.meeting {
        write_meeting(out, meeting)?;
    }
    write_listing(out, finding)?;
    write_path(out, finding)?;
    writeln!(out, "  help: {}", finding.remedy)?;
    if finding.further > 0 {
        let more = finding.further;
        writeln!(
            out,
            "  {more} further instructions come too early for the same one"
        )?;
    }
    writeln!(out, "  fingerprint: {}", finding.fingerprint)
}

/// The lines that the functions around a place are inlined at.
fn write_inlined(out: &mut impl Write, place: &crate::Place) -> Result {
    let mut inlined = place.source.iter().skip(1);
    inlined.try_for_each(|source| writeln!(out, "        inlined at {source}"))
}

/// The instructions around both.
fn write_listing(out: &mut impl Write, finding: &Finding) -> Result {
    let width = finding
        .listing
        .iter()
        .map(|line| line.text.len())
        .max()
        .unwrap_or(0);
    let mut block = None;
    let mut before: Option<u64> = None;
    for line in &finding.listing {
        if block != Some(line.block) {
            writeln!(out, "    bb{}:", line.block)?;
        } else if before.is_some_and(|before| line.offset > before + 20 || line.offset < before) {
            writeln!(out, "        ...")?;
        }
        block = Some(line.block);
        before = Some(line.offset);
        match &line.note {
            Some(note) => writeln!(
                out,
                "  > {:#7x}  {:width$}  <-- {note}",
                line.offset, line.text
            )?,
            None => writeln!(out, "    {:#7x}  {}", line.offset, line.text)?,
        }
    }
    Ok(())
}

/// The basic blocks between both instructions.
fn write_path(out: &mut impl Write, finding: &Finding) -> Result {
    let path: Vec<String> = finding
        .path
        .iter()
        .map(|block| format!("bb{block}"))
        .collect();
    match &path[..] {
        [] if finding.producer.is_none() || !finding.kind.has_path() => Ok(()),
        [] => writeln!(out, "  path: one that a wave has taken"),
        path => writeln!(out, "  path: {}", path.join(" -> ")),
    }
}

fn write_access(out: &mut impl Write, access: &Access) -> Result {
    let [x, y, z] = access.workgroup;
    let lane = access.lane.map(|lane| format!(", lane {lane}"));
    let address = access
        .address
        .map(|address| format!("address {address:#x}, "));
    writeln!(
        out,
        "      {}in workgroup ({x}, {y}, {z}), wave {}{}",
        address.unwrap_or_default(),
        access.wave,
        lane.unwrap_or_default()
    )?;
    let Some(near) = &access.allocation else {
        return Ok(());
    };
    write_allocation(out, near)
}

/// Waves that are alike are one line.
fn write_meeting(out: &mut impl Write, meeting: &Meeting) -> Result {
    let [x, y, z] = meeting.workgroup;
    writeln!(out, "      in workgroup ({x}, {y}, {z}):")?;
    let lines = meeting.waves.iter().map(|one| {
        let place = one.place.as_ref().map(|place| match place.source.first() {
            Some(source) => format!(", {} at +{:#x}, {source}", place.text, place.offset),
            None => format!(", {} at +{:#x}", place.text, place.offset),
        });
        (
            one.wave,
            format!("{}{}", one.state, place.unwrap_or_default()),
        )
    });
    let mut groups: Vec<(Vec<u32>, String)> = Vec::new();
    for (wave, line) in lines {
        match groups.iter_mut().find(|(_, other)| *other == line) {
            Some((waves, _)) => waves.push(wave),
            None => groups.push((vec![wave], line)),
        }
    }
    for (waves, line) in groups {
        let word = if waves.len() == 1 { "wave" } else { "waves" };
        let waves: Vec<String> = waves.iter().map(u32::to_string).collect();
        writeln!(out, "        {word} {}: {line}", waves.join(", "))?;
    }
    Ok(())
}

fn write_free(out: &mut impl Write, free: &Free, finding: &Finding) -> Result {
    write_callers(
        out,
        &format!("{} of {:#x}", free.with, free.address),
        &free.called_by,
    )?;
    write_allocation(out, &free.allocation)?;
    writeln!(out, "  help: {}", finding.remedy)?;
    writeln!(out, "  fingerprint: {}", finding.fingerprint)
}

fn write_read(out: &mut impl Write, read: &Read, finding: &Finding) -> Result {
    let what = format!("{} of {} bytes", read.with, read.bytes);
    write_callers(out, &what, &read.called_by)?;
    writeln!(out, "      the first is at {:#x}", read.address)?;
    if let Some(near) = &read.allocation {
        write_allocation(out, near)?;
    }
    writeln!(out, "  help: {}", finding.remedy)?;
    writeln!(out, "  fingerprint: {}", finding.fingerprint)
}

fn write_leak(out: &mut impl Write, leak: &Leak, finding: &Finding) -> Result {
    let Allocation {
        with, allocated_by, ..
    } = &leak.allocation;
    write_callers(out, &format!("allocated with {with}"), allocated_by)?;
    writeln!(out, "  help: {}", finding.remedy)?;
    writeln!(out, "  fingerprint: {}", finding.fingerprint)
}

fn write_copies(out: &mut impl Write, copies: &Copies, finding: &Finding) -> Result {
    writeln!(out, "      address {:#x}", copies.address)?;
    if let Some(near) = &copies.allocation {
        write_allocation(out, near)?;
    }
    writeln!(out, "  help: {}", finding.remedy)?;
    writeln!(out, "  fingerprint: {}", finding.fingerprint)
}

fn write_allocation(out: &mut impl Write, near: &Allocation) -> Result {
    writeln!(
        out,
        "      {} {} at {:#x}",
        near.position,
        near.named(),
        near.address
    )?;
    let allocated = format!("allocated with {}", near.with);
    if near.is_of_kernels() {
        return writeln!(out, "        {allocated}");
    }
    write_callers(out, &allocated, &near.allocated_by)?;
    write_callers(out, "freed", &near.freed_by)
}

fn write_callers(out: &mut impl Write, what: &str, callers: &[String]) -> Result {
    let mut word = format!("{what} by");
    for caller in callers {
        writeln!(out, "        {word} {caller}")?;
        word = "called by".to_owned();
    }
    Ok(())
}

fn inside(object: &str) -> String {
    match object {
        "" => String::new(),
        object => format!(", {object}"),
    }
}
