import type { Finding, FindingCode, Status } from '../core/doctor/finding.ts';
import { shownLine } from '../core/shown-line.ts';
import { section, sections } from './blocks.ts';
import type { RenderedMessage } from './message.ts';
import { sayIn } from './say.ts';
import { checkNames, doctorLines } from './strings/doctor-lines.ts';
import type { Line } from './strings/doctor-storage-lines.ts';
import { inertMrkdwn } from './text.ts';

/** The longest name of a check, so that lines begin below each other. */
const nameWidth = Math.max(...Object.values(checkNames).map((name) => name.length)) + 2;
const statusWidth = 6;

/** One finding for programs. `finding` stays the same in later versions, `message` and `mend` may change. */
export interface ReportedFinding {
  check: string;
  status: Status;
  finding: string;
  message: string;
  mend?: string;
}

export function lineOf<Code extends FindingCode>({ code, values }: Finding<Code>): Line {
  const [says, mend] = doctorLines[code](values);
  return mend === undefined ? [shownLine(says)] : [shownLine(says), shownLine(mend)];
}

/** The report for a terminal, one line per finding and one below it for the mend. Ends with a line break. */
export function doctorText(findings: readonly Finding[]): string {
  const lines = findings.flatMap((finding) => {
    const [says, mend] = lineOf(finding);
    const head = `${finding.status.padEnd(statusWidth)}${checkNames[finding.check].padEnd(nameWidth)}`;
    return [`${head}${says}`, ...(mend === undefined ? [] : [`${' '.repeat(head.length)}-> ${mend}`])];
  });
  const { fail, warn, pass } = countOf(findings);
  return `${lines.join('\n')}\n\n${fail} fail, ${warn} warn, ${pass} pass\n`;
}

/** The findings for programs. */
export function doctorReport(findings: readonly Finding[]): ReportedFinding[] {
  return findings.map((finding) => {
    const [message, mend] = lineOf(finding);
    const { check, status, code } = finding;
    return { check, status, finding: code, message, ...(mend === undefined ? {} : { mend }) };
  });
}

/** The report for one admin in Slack: what fails first. The lines are in English, see `doctor-lines.ts`. */
export function renderDoctor(findings: readonly Finding[], locale: string | undefined): RenderedMessage {
  const { fail, warn, pass } = countOf(findings);
  const summary = sayIn(locale).doctor.summary(fail, warn, pass);
  const ordered = (['fail', 'warn', 'pass'] as const).flatMap((status) =>
    findings.filter((finding) => finding.status === status),
  );
  const lines = ordered.map((finding) => {
    const [says, mend] = lineOf(finding);
    const line = `*${finding.status}* · ${checkNames[finding.check]}: ${inertMrkdwn(says)}`;
    return mend === undefined ? line : `${line}\n→ ${inertMrkdwn(mend)}`;
  });
  return { text: summary, blocks: [section(summary), ...sections(lines)] };
}

function countOf(findings: readonly Finding[]): Record<Status, number> {
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  return { fail: count('fail'), warn: count('warn'), pass: count('pass') };
}
