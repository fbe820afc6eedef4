import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/doctor/finding.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { doctorReport, doctorText, renderDoctor } from '../../../src/render/doctor.ts';

const passes: Finding = { check: 'clock', status: 'pass', code: 'clockRight', values: {} };
const warns: Finding = { check: 'account', status: 'warn', code: 'accountNotAllowed', values: { code: '403' } };
const fails: Finding = {
  check: 'service',
  status: 'fail',
  code: 'serviceUnreachable',
  values: { host: '<!channel>&co', code: 'ECONNREFUSED' },
};

describe('the report of the doctor', () => {
  it('has a line for each finding, and what to mend below it', () => {
    expect(doctorText([passes, fails])).toBe(
      [
        "pass  Clock              This machine's clock agrees with Slack's.",
        "fail  Service            <!channel>&co can't be reached (ECONNREFUSED).",
        '                         -> Check SRC_ENDPOINT, the name of the host, the firewall, and the line "Proxy".',
        '',
        '1 fail, 0 warn, 1 pass',
        '',
      ].join('\n'),
    );
  });

  it('shows nothing that controls a terminal', () => {
    const policy = '\u001b]0;owned\u0007\u001b[2Jnoeviction\u009b31m\u202e\r\n';
    const finding: Finding = { check: 'eviction', status: 'fail', code: 'evictionOn', values: { policy } };
    const shown = [doctorText([finding]), ...doctorReport([finding]).map(({ message }) => message)];
    for (const text of shown) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('has names that stay, for programs', () => {
    expect(doctorReport([passes])).toEqual([
      { check: 'clock', status: 'pass', finding: 'clockRight', message: "This machine's clock agrees with Slack's." },
    ]);
  });

  it('shows in Slack what fails first, and nothing in it pings', () => {
    const { text, blocks } = renderDoctor([passes, warns, fails], 'de-DE');
    expect(text).toBe('*Doctor:* 1 × fail, 1 × warn, 1 × pass');
    const shown = JSON.stringify(blocks);
    expect(shown).toMatch(/\*fail\* · Service: &lt;!channel&gt;&amp;co.*\*warn\* · Account.*\*pass\* · Clock/s);
  });

  it('fits into one message of Slack, also when everything fails', () => {
    const message = renderDoctor(
      Array.from({ length: 40 }, () => warns),
      'en-US',
    );
    expect(slackProblems('chat.postEphemeral', { channel: 'C1', user: 'U1', ...message })).toEqual([]);
  });
});
