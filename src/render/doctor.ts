import { checkNames, type Finding, type FindingCode, type Status, shownLine } from '../core/doctor.ts';
import { type RenderedMessage, section, sections } from './blocks.ts';
import { sayIn } from './say.ts';
import type { DoctorLines } from './strings/doctor.ts';
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

/** What the line says, and what to do about it if it does not pass. */
function lineOf<Code extends FindingCode>(
  { code, values }: Finding<Code>,
  locale: string | undefined,
): [says: string, mend?: string] {
  const lines: DoctorLines = sayIn(locale).doctorLines;
  const [says = '', mend] = lines[code](values).split('\n').map(shownLine);
  return mend === undefined ? [says] : [says, mend];
}

/** The report for a terminal, in English, one line per finding and one below it for the mend. Ends with a line break. */
export function doctorText(findings: readonly Finding[]): string {
  const lines = findings.flatMap((finding) => {
    const [says, mend] = lineOf(finding, undefined);
    const head = `${finding.status.padEnd(statusWidth)}${checkNames[finding.check].padEnd(nameWidth)}`;
    return [`${head}${says}`, ...(mend === undefined ? [] : [`${' '.repeat(head.length)}-> ${mend}`])];
  });
  const { fail, warn, pass } = countOf(findings);
  return `${lines.join('\n')}\n\n${fail} fail, ${warn} warn, ${pass} pass\n`;
}

/** The findings for programs. */
export function doctorReport(findings: readonly Finding[]): ReportedFinding[] {
  return findings.map((finding) => {
    const [message, mend] = lineOf(finding, undefined);
    const { check, status, code } = finding;
    return { check, status, finding: code, message, mend };
  });
}

/** The report for one admin in Slack: what fails first. Names of lines are in English, as in docs/troubleshooting.md. */
export function renderDoctor(findings: readonly Finding[], locale: string | undefined): RenderedMessage {
  const { fail, warn, pass } = countOf(findings);
  const summary = sayIn(locale).doctor.summary(fail, warn, pass);
  const ordered = (['fail', 'warn', 'pass'] as const).flatMap((status) =>
    findings.filter((finding) => finding.status === status),
  );
  const lines = ordered.map((finding) => {
    const [says, mend] = lineOf(finding, locale);
    const line = `*${finding.status}* · ${checkNames[finding.check]}: ${inertMrkdwn(says)}`;
    return mend === undefined ? line : `${line}\n→ ${inertMrkdwn(mend)}`;
  });
  return { text: summary, blocks: [section(summary), ...sections(lines)] };
}

function countOf(findings: readonly Finding[]): Record<Status, number> {
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  return { fail: count('fail'), warn: count('warn'), pass: count('pass') };
}
